//! Published bundles: everything that public catalogs accepted is accepted here.

use opmx::bundle;
use opmx::text::Limits;
use opmx::tree::{Tree, TreeLimits};
use opmx::validation;
use std::path::{Path, PathBuf};

/// Bundles with errors, and the rules that report them.
const REFUSED: &[(&str, &[&str])] = &[("eventing-kogito/1.2.0", &["yaml-syntax"])];

pub(crate) fn bundles(folder: &Path) -> Vec<PathBuf> {
    let list = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.is_dir()).collect()
    };
    let mut bundles: Vec<_> = list(folder).iter().flat_map(|operator| list(operator)).collect();
    bundles.sort();
    bundles
}

#[test]
fn published_bundles_are_accepted() {
    let Some(folder) = crate::shared::folder("corpus/registryv1") else {
        return;
    };
    let bundles = bundles(&folder);
    let mut unexpected = Vec::new();
    for path in &bundles {
        let name = path.strip_prefix(&folder).unwrap().display().to_string();
        let tree = Tree::from_directory(path, &TreeLimits::default()).unwrap();
        let reading = bundle::read(&tree, &Limits::default());
        let mut findings = reading.diagnostics;
        findings.extend(validation::check(&reading.bundle.unwrap()));
        let mut rules: Vec<&str> = findings
            .iter()
            .filter(|finding| finding.is_error())
            .map(|finding| finding.rule.id)
            .collect();
        rules.dedup();
        let refused = REFUSED.iter().find(|(refused, _)| *refused == name);
        if rules != refused.map_or(&[][..], |(_, rules)| rules) {
            unexpected.push(format!(
                "{name}: {:#?}",
                findings
                    .iter()
                    .filter(|finding| finding.is_error())
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
            ));
        }
    }
    assert!(unexpected.is_empty(), "{}", unexpected.join("\n"));
    println!("{} bundles read; {} of them refused", bundles.len(), REFUSED.len());
    assert_eq!(bundles.len(), 117);
}
