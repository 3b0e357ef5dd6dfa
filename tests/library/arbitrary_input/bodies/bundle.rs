//! Files of a bundle: every tool's validation can run on it, and every report can be written.

use super::{LIMITS, places, words};
use opmx::bundle::BundleLimits;
use opmx::synthesis::Shipping;
use opmx::terminal::reports::{ReportFormat, report};
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::validators::{OTHERS, VALIDATORS, ValidatorOptions};
use opmx::validation::{Reference, Request, Validation, validate};

/// Files of a bundle of each media type, each of which may be replaced by anything.
const FILES: [(&str, &str); 13] = [
    (
        "compost-operator",
        "manifests/compost-operator.clusterserviceversion.yaml",
    ),
    ("compost-operator", "manifests/compostheaps.crd.yaml"),
    ("compost-operator", "metadata/annotations.yaml"),
    ("compost-operator", "metadata/dependencies.yaml"),
    ("compost-operator", "metadata/properties.yaml"),
    ("compost-operator", "compost.package.yaml"),
    ("compost-operator", "manifests/more.json"),
    ("greenhouse-operator", "metadata/olm.yaml"),
    ("greenhouse-operator", "metadata/annotations.yaml"),
    ("greenhouse-operator", "manifests/deployment.yaml"),
    ("greenhouse-operator", "manifests/rbac.yaml"),
    ("greenhouse-operator", "manifests/crds.yaml"),
    ("greenhouse-operator", "manifests/webhook.yaml"),
];

/// The original bundles.
macro_rules! bundle {
    ($name:literal: $($path:literal),*) => {
        ($name, &[$(($path, include_bytes!(concat!("../../../../testdata/", $name, "/", $path)))),*])
    };
}
/// Paths and contents.
pub(super) type Files = &'static [(&'static str, &'static [u8])];
const BUNDLES: [(&str, Files); 2] = [
    bundle!("compost-operator":
        "manifests/compost-operator.clusterserviceversion.yaml", "manifests/compostheaps.crd.yaml",
        "metadata/annotations.yaml", "metadata/dependencies.yaml"),
    bundle!("greenhouse-operator":
        "manifests/crds.yaml", "manifests/deployment.yaml", "manifests/rbac.yaml", "manifests/webhook.yaml",
        "metadata/annotations.yaml", "metadata/olm.yaml"),
];

/// Returns the files of one of the bundles in testdata/.
pub(super) fn files(name: &str) -> Files {
    let bundle = BUNDLES.iter().find(|(known, _)| *known == name);
    bundle.map_or(&[], |(_, files)| files)
}

/// Reads any bytes as a file of a bundle.
pub fn file(which: usize, bytes: &[u8]) {
    let (name, path) = FILES[which % FILES.len()];
    check(name, path, bytes.to_vec());
}

/// Reads a file with one of its words replaced by any string, so that it is more likely to stay a bundle.
pub fn word(which: usize, word: usize, text: &str) {
    let (name, path) = FILES[which % FILES.len()];
    let known = files(name).iter().find(|(known, _)| *known == path);
    let before = known.map_or("", |(_, bytes)| std::str::from_utf8(bytes).unwrap());
    check(name, path, words::replaced(before, word, text).into_bytes());
}

fn check(name: &str, path: &str, bytes: Vec<u8>) {
    let mut changed = Tree::new(name);
    let others = files(name).iter().filter(|(other, _)| *other != path);
    let others = others.map(|(other, bytes)| (*other, bytes.to_vec()));
    for (path, bytes) in others.chain([(path, bytes)]) {
        changed.insert(path, bytes, &TreeLimits::default()).unwrap();
    }
    for (reference, shipping) in [
        (None, Shipping::Plain),
        (None, Shipping::RegistryV1),
        (Some(Reference::Opm), Shipping::Plain),
        (Some(Reference::OperatorSdk), Shipping::Plain),
        (Some(Reference::Api), Shipping::Plain),
    ] {
        let request = Request {
            validators: VALIDATORS
                .iter()
                .chain(OTHERS)
                .map(|validator| validator.name)
                .collect(),
            reference,
            options: ValidatorOptions {
                kubernetes_version: Some(semver::Version::new(1, 25, 0)),
                index_dockerfile: Some((
                    "Dockerfile".to_owned(),
                    "LABEL com.redhat.openshift.versions=v4.6-v4.8".to_owned(),
                )),
                ..ValidatorOptions::default()
            },
            policy: None,
            shipping,
            outside: None,
            limits: BundleLimits {
                text: LIMITS(),
                ..BundleLimits::default()
            },
        };
        let validation = validate(&changed, &request);
        places::of_findings(validation.findings.iter().map(|finding| &finding.diagnostic));
        reports(validation);
    }
}

/// Checks that every form of the report can be written, and that those for programs can be parsed.
fn reports(validation: Validation) {
    let validations = [validation];
    for format in [ReportFormat::Text, ReportFormat::Github, ReportFormat::Junit] {
        assert!(!report("opmx bundle validate", &validations, format, true).is_empty());
    }
    for format in [ReportFormat::Json, ReportFormat::Sarif] {
        let text = report("opmx bundle validate", &validations, format, false);
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
    }
}
