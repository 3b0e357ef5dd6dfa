//! Fields of built-in kinds in published manifests: the API server accepted them, so only dropped fields are found.

use crate::bundle_corpus::bundles;
use opmx::bundle;
use opmx::diagnostic::Diagnostic;
use opmx::kubernetes::builtin;
use opmx::text::Limits;
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::{check, check_reading};
use std::path::PathBuf;

/// Fields in published bundles that no release of Kubernetes knows: a second list of containers next to the `spec` of a
/// pod template, the fields of a Secret volume next to `secret`, and a capitalized field of the ClusterServiceVersion.
const DROPPED: &[(&str, &[&str])] = &[
    (
        "dynatrace-operator/1.0.0",
        &["template.containers", "template.containers"],
    ),
    (
        "multicluster-operators-subscription/0.4.1",
        &[
            "volumes[1].defaultMode",
            "volumes[1].secretName",
            "volumes[1].items",
            "volumes[1].defaultMode",
            "volumes[1].secretName",
            "volumes[1].items",
        ],
    ),
    ("strimzi-kafka-operator/1.2.0", &["spec.MinKubeVersion"]),
];

fn of_fields(findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let of_fields = |finding: &Diagnostic| finding.rule.id.starts_with("object-field-");
    findings.into_iter().filter(of_fields).collect()
}

#[test]
fn published_manifests_have_no_field_unknown_to_kubernetes() {
    let Some(folder) = crate::shared::folder("corpus") else {
        return;
    };
    let mut objects = 0;
    let mut count = |reading: &bundle::BundleReading| {
        let of_kubernetes =
            |group: &str, kind: &str| builtin::all().iter().any(|row| row.group == group && row.kind == kind);
        let bundle = reading.bundle.as_ref().unwrap();
        let known = bundle
            .objects
            .iter()
            .filter(|object| of_kubernetes(&object.gvk().group, &object.gvk().kind));
        objects += known.count();
    };
    let published = folder.join("registryv1");
    for path in bundles(&published) {
        let name = path.strip_prefix(&published).unwrap().display().to_string();
        let tree = Tree::from_directory(&path, &TreeLimits::default()).unwrap();
        let reading = bundle::read(&tree, &Limits::default());
        count(&reading);
        let found = of_fields(check(reading.bundle.as_ref().unwrap()));
        let dropped = DROPPED
            .iter()
            .find(|(bundle, _)| *bundle == name)
            .map_or(&[][..], |(_, paths)| paths);
        assert_eq!(found.len(), dropped.len(), "{name}: {found:#?}");
        for (finding, end) in found.iter().zip(dropped) {
            let path = finding.path.as_deref().unwrap();
            assert!(
                finding.rule.id == "object-field-unknown" && path.ends_with(end),
                "{name}: {finding}"
            );
        }
    }
    let plain: Vec<PathBuf> = std::fs::read_dir(folder.join("k8sv1"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    for case in plain {
        let reading = bundle::read(&crate::synthesis::bundle_tree(&case), &Limits::default());
        count(&reading);
        let found = of_fields(check_reading(&reading));
        assert_eq!(found, [], "{}", case.display());
    }
    println!("{objects} objects of Kubernetes' own kinds");
    assert!(objects >= 200, "{objects} objects");
}
