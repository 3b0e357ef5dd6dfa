//! What must hold for any bytes in a bundle: said once, for the property tests and for the fuzz targets.

use opmx::source::Place;
use opmx::terminal::reports::{ReportFormat, report};
use opmx::text::Limits;
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::validators::{Options, VALIDATORS};
use opmx::validation::{Reference, Request, Validation, validate};

/// Files of a bundle of each media type, any of which may hold anything.
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

/// Small, so that they are met.
const LIMITS: Limits = Limits {
    file_bytes: 64 << 10,
    depth: 64,
    documents: 100,
    values: 2_000,
};

/// The bundles as they are.
macro_rules! bundle {
    ($name:literal: $($path:literal),*) => {
        ($name, &[$(($path, include_bytes!(concat!("../../../testdata/", $name, "/", $path)))),*])
    };
}
type Files = &'static [(&'static str, &'static [u8])];
const BUNDLES: [(&str, Files); 2] = [
    bundle!("compost-operator":
        "manifests/compost-operator.clusterserviceversion.yaml", "manifests/compostheaps.crd.yaml",
        "metadata/annotations.yaml", "metadata/dependencies.yaml"),
    bundle!("greenhouse-operator":
        "manifests/crds.yaml", "manifests/deployment.yaml", "manifests/rbac.yaml", "manifests/webhook.yaml",
        "metadata/annotations.yaml", "metadata/olm.yaml"),
];

fn files(name: &str) -> Files {
    let bundle = BUNDLES.iter().find(|(known, _)| *known == name);
    bundle.map_or(&[], |(_, files)| files)
}

/// Any bytes as a file of a bundle.
pub(crate) fn file(which: usize, bytes: &[u8]) {
    let (name, path) = FILES[which % FILES.len()];
    check(name, path, bytes.to_vec());
}

/// Any text in the place of one of the words of a file, so that what is read stays a bundle for longer.
pub(crate) fn word(which: usize, word: usize, text: &str) {
    let (name, path) = FILES[which % FILES.len()];
    let known = files(name).iter().find(|(known, _)| *known == path);
    let before = known.map_or("", |(_, bytes)| std::str::from_utf8(bytes).unwrap());
    let is_word = |letter: char| !letter.is_whitespace() && !"{}[],\"'".contains(letter);
    let words: Vec<&str> = before
        .split(|letter| !is_word(letter))
        .filter(|word| !word.is_empty())
        .collect();
    let Some(old) = words.get(word % words.len().max(1)) else {
        return file(which, text.as_bytes());
    };
    let start = old.as_ptr() as usize - before.as_ptr() as usize;
    let after = format!("{}{text}{}", &before[..start], &before[start + old.len()..]);
    check(name, path, after.into_bytes());
}

fn check(name: &str, path: &str, bytes: Vec<u8>) {
    let mut changed = Tree::new(name);
    let others = files(name).iter().filter(|(other, _)| *other != path);
    let others = others.map(|(other, bytes)| (*other, bytes.to_vec()));
    for (path, bytes) in others.chain([(path, bytes)]) {
        changed.insert(path, bytes, &TreeLimits::default()).unwrap();
    }
    for reference in [
        None,
        Some(Reference::Opm),
        Some(Reference::OperatorSdk),
        Some(Reference::Api),
    ] {
        let request = Request {
            validators: VALIDATORS.iter().map(|validator| validator.name).collect(),
            reference,
            options: Options {
                kubernetes_version: Some(semver::Version::new(1, 25, 0)),
                index_dockerfile: Some((
                    "Dockerfile".to_owned(),
                    "LABEL com.redhat.openshift.versions=v4.6-v4.8".to_owned(),
                )),
                ..Options::default()
            },
            limits: LIMITS,
        };
        let validation = validate(&changed, &request);
        places(&validation);
        reports(validation);
    }
}

/// Every place is a place of a text.
fn places(validation: &Validation) {
    for finding in &validation.findings {
        let diagnostic = &finding.diagnostic;
        let related = diagnostic.related.iter().map(|(place, _)| place);
        for place in diagnostic.place.iter().chain(related) {
            assert!(
                place.source.text().get(place.span.clone()).is_some(),
                "{diagnostic:?} stands outside of its file"
            );
            let (start, end) = (place.start(), place.end());
            assert!(
                (start.line, start.column) <= (end.line, end.column),
                "{diagnostic:?} ends before it begins"
            );
            assert!(
                start.line >= 1 && start.column >= 1,
                "{diagnostic:?} stands before the first line"
            );
            assert_eq!(Place::text(place), &place.source.text()[place.span.clone()]);
        }
        assert!(
            !diagnostic.message.is_empty() && !diagnostic.message.contains('\n'),
            "{diagnostic:?}"
        );
    }
}

/// Every form of the report can be written, and those for programs can be read.
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
