//! From `olm.yaml` and manifests to a ClusterServiceVersion: the result is always the same, every field of it has a
//! place, and it is what a converted bundle contains and an index accepts.

use super::{LIMITS, bundle, places, words};
use opmx::bundle::{OLM_YAML, read};
use opmx::conversion::convert;
use opmx::diagnostic::has_errors;
use opmx::index::intake::{Recording, prepare};
use opmx::manifest::Object;
use opmx::synthesis::synthesize;
use opmx::tree::{Tree, TreeLimits};

const NAME: &str = "greenhouse-operator";

/// Reads any bytes as `olm.yaml`.
pub fn file(bytes: &[u8]) {
    check(OLM_YAML, bytes);
}

/// Replaces a word of `olm.yaml` or, for odd numbers, of one of the manifests with any string.
pub fn word(which: usize, word: usize, text: &str) {
    let files = bundle::files(NAME);
    let named = files
        .iter()
        .filter(|(path, _)| (*path == OLM_YAML) == which.is_multiple_of(2));
    let named: Vec<_> = named.collect();
    let (path, bytes) = named[which / 2 % named.len()];
    let example = std::str::from_utf8(bytes).unwrap();
    check(path, words::replaced(example, word, text).as_bytes());
}

fn check(path: &str, bytes: &[u8]) {
    let mut tree = Tree::new(NAME);
    for (known, content) in bundle::files(NAME) {
        let content = if *known == path { bytes } else { content };
        tree.insert(known, content.to_vec(), &TreeLimits::default()).unwrap();
    }
    let limits = LIMITS();
    let reading = read(&tree, &limits);
    places::of_findings(&reading.diagnostics);
    let Some(bundle) = &reading.bundle else { return };
    let synthesis = synthesize(bundle, &reading.diagnostics);
    places::of_findings(&synthesis.diagnostics);
    assert_eq!(synthesis.csv, synthesize(bundle, &reading.diagnostics).csv);
    let refused = has_errors(&synthesis.diagnostics);
    assert!(synthesis.csv.is_none() || !refused, "{:?}", synthesis.diagnostics);
    assert!(synthesis.csv.is_some() || refused || has_errors(&reading.diagnostics));
    if let Some(csv) = &synthesis.csv {
        for row in synthesis.provenance.explain(csv) {
            assert!(row.line >= 1 && row.column >= 1, "{row:?}");
        }
        for (path, origins) in synthesis.provenance.iter() {
            assert!(path.get(csv).is_some(), "{path} came from somewhere, and is not there");
            for origin in origins {
                places::inside(&origin.place(), path);
            }
        }
    }
    let taken = prepare(
        &tree,
        Recording::default(),
        &limits,
        &opmx::validation::Strictness::default(),
    );
    let converted = convert(&tree, &reading, "converted", &limits).unwrap();
    let Some(converted) = converted else { return };
    places::of_findings(&converted.diagnostics);
    let Some(converted) = &converted.tree else { return };
    let back = read(converted, &limits);
    assert!(!has_errors(&back.diagnostics), "{:?}", back.diagnostics);
    let back_bundle = back.bundle.as_ref().unwrap();
    assert_eq!(back_bundle.csv().map(Object::value), synthesis.csv.as_ref());
    if let Ok(taken) = taken {
        let name = synthesis
            .csv
            .as_ref()
            .and_then(|csv| csv.pointer("/metadata/name")?.as_str());
        assert_eq!(Some(taken.record.name()), name);
        let again = prepare(
            converted,
            Recording::default(),
            &limits,
            &opmx::validation::Strictness::default(),
        );
        assert!(again.is_ok(), "{again:?}");
    }
}
