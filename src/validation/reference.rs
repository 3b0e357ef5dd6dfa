//! Reproduces the verdicts of the original programs, including their faults, for users who need the same verdict.
//!
//! The original programs read every bundle as `registry+v1`, because they support no other media type.

use super::load::UNREADABLE;
use super::request::{Reference, Request};
use super::stages::{CONTENT, FORMAT, Finding, LOAD, stage, validators};
use super::validators::{CRD, CSV, FIRST_HUB, VALIDATORS, ValidatorName};
use super::{annotations, content, dependencies, load};
use crate::bundle::{self, Bundle, MediaType, is_csv};
use crate::diagnostic::{self, Diagnostic};
use crate::rules::{self, Severity};
use crate::text::Path;
use crate::tree::Tree;
use serde_json::Value;
use std::collections::BTreeSet;

pub(super) fn judge(tree: &Tree, reference: Reference, request: &Request) -> (Option<MediaType>, Vec<Finding>) {
    let reading = bundle::read_as(tree, Some(MediaType::RegistryV1), &request.limits.text);
    let Some(bundle) = reading.bundle else {
        let mut findings = Vec::new();
        stage(&mut findings, FORMAT, |found| found.extend(reading.diagnostics));
        return (None, findings);
    };
    let findings = match reference {
        Reference::Opm => opm(&bundle, tree, &reading.diagnostics, request),
        Reference::OperatorSdk => operator_sdk(bundle, tree, &reading.diagnostics, request),
        Reference::Api => api(&bundle, tree, &reading.diagnostics, request),
    };
    (Some(MediaType::RegistryV1), findings)
}

fn format(bundle: &Bundle, findings: &mut Vec<Finding>) {
    stage(findings, FORMAT, |found| {
        annotations::check_as_opm(bundle, found);
        dependencies::check_as_opm(bundle, found);
    });
}

/// Runs every validator, including those of the suites.
fn api(bundle: &Bundle, tree: &Tree, reading: &[Diagnostic], request: &Request) -> Vec<Finding> {
    let mut findings = Vec::new();
    stage(&mut findings, LOAD, |found| {
        found.extend(load::refusals(bundle, tree, reading));
    });
    if !findings.is_empty() {
        return findings;
    }
    let all: Vec<ValidatorName> = VALIDATORS.iter().map(|validator| validator.name).collect();
    let request = Request {
        validators: Vec::new(),
        ..request.clone()
    };
    validators(bundle, tree, &all, &request)
}

/// Judges as operator-sdk does. Its loader receives only the manifests and never sees the annotations.
fn operator_sdk(mut bundle: Bundle, tree: &Tree, reading: &[Diagnostic], request: &Request) -> Vec<Finding> {
    let mut findings = Vec::new();
    stage(&mut findings, LOAD, |found| {
        found.extend(load::refusals(&bundle, tree, reading));
    });
    if !findings.is_empty() {
        return findings;
    }
    format(&bundle, &mut findings);
    stage(&mut findings, CONTENT, |found| {
        kinds_and_metadata(&bundle, reading, found);
    });
    bundle.annotations = None;
    findings.extend(validators(&bundle, tree, super::validators::DEFAULT, request));
    findings
}

/// Judges as opm does, and reports only errors, because opm drops the warnings.
fn opm(bundle: &Bundle, tree: &Tree, reading: &[Diagnostic], request: &Request) -> Vec<Finding> {
    let mut findings = Vec::new();
    format(bundle, &mut findings);
    stage(&mut findings, CONTENT, |found| {
        found.extend(reading.iter().filter_map(unreadable));
        kinds_and_metadata(bundle, reading, found);
        found.extend(
            bundle
                .objects
                .iter()
                .filter(|object| content::is_crd(object))
                .filter_map(content::crd_version),
        );
        bundle_as_opm(bundle, found);
    });
    // An object with values of the wrong type is reported only once, and the validators do not see it.
    let mut fitting = bundle.clone();
    fitting.objects.retain(|object| {
        let misfits = content::shape(object);
        stage(&mut findings, CONTENT, |found| found.extend(misfits.first().cloned()));
        misfits.is_empty()
    });
    let mut alone = request.clone();
    alone.validators.clear();
    let found = validators(
        &fitting,
        tree,
        if fitting.csv().is_some() { &[CSV, CRD] } else { &[CRD] },
        &alone,
    );
    findings.extend(found.into_iter().map(|finding| Finding {
        validator: CONTENT,
        ..finding
    }));
    // In opm, an optional validator sees only the CSV and no other objects.
    fitting.objects.retain(is_csv);
    let mut asked = request.validators.iter();
    if asked.any(|name| name.as_str().starts_with("operatorhub")) && fitting.csv().is_some() {
        findings.extend(validators(&fitting, tree, &[FIRST_HUB], &alone));
    }
    findings.retain(|finding| finding.diagnostic.severity == Severity::Error);
    findings
}

/// Reports files that a decoder cannot read, as opm does.
fn unreadable(finding: &Diagnostic) -> Option<Diagnostic> {
    let in_manifests = finding
        .place
        .as_ref()
        .is_some_and(|place| place.source.name().contains("manifests/"));
    let nameless = finding.rule == &rules::OBJECT_FIELD_MISSING && finding.path.as_deref() != Some("metadata.name");
    (in_manifests && (nameless || UNREADABLE.contains(&finding.rule))).then(|| {
        let mut finding = finding.clone();
        finding.rule = &rules::CONTENT_UNPARSABLE;
        finding
    })
}

fn kinds_and_metadata(bundle: &Bundle, reading: &[Diagnostic], findings: &mut Vec<Diagnostic>) {
    findings.extend(bundle.objects.iter().filter_map(content::kind));
    for object in bundle
        .objects
        .iter()
        .filter(|object| !is_csv(object) && !content::is_crd(object))
    {
        let mut found = Vec::new();
        content::metadata(object, &mut found);
        findings.extend(found.into_iter().next());
    }
    for finding in reading {
        if finding.rule == &rules::OBJECT_FIELD_MISSING && finding.path.as_deref() == Some("metadata.name") {
            let mut finding = finding.clone();
            finding.rule = &rules::CONTENT_METADATA;
            findings.push(finding);
        }
    }
}

/// Runs opm's check of the whole bundle, in which an owned entry that names its group matches no CRD.
fn bundle_as_opm(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let Some(csv) = bundle.csv() else {
        let message = format!("{} has no ClusterServiceVersion in manifests/", bundle.origin);
        findings.push(Diagnostic::new(&rules::INDEX_NO_CSV, message));
        return;
    };
    let report = |rule, message: String, path: &Path| {
        let finding = Diagnostic::new(rule, message).object(csv.label());
        finding.path(path).at(csv.place(path))
    };
    let spec = Path::root().key("spec");
    let version = csv.get(&["spec", "version"]);
    if version.is_some_and(|version| !version.is_string() && !version.is_null()) {
        let message = "spec.version is not a string".to_owned();
        findings.push(report(&rules::INDEX_VERSION_SHAPE, message, &spec.key("version")));
    }
    let substitutes = csv.text(&["metadata", "annotations", crate::olm::annotation::SUBSTITUTES_FOR]);
    if !load::is_blank(csv.get(&["spec", "release"])) && substitutes.is_some() {
        let message = "spec.release and the annotation olm.substitutesFor are both set".to_owned();
        findings.push(report(
            &rules::OPM_RELEASE_AND_SUBSTITUTES,
            message,
            &spec.key("release"),
        ));
    }
    let mut defined = BTreeSet::new();
    for crd in bundle.objects.iter().filter(|object| content::is_crd(object)) {
        let kind = crd.text(&["spec", "names", "kind"]).unwrap_or_default();
        let versions = crd.list(&["spec", "versions"]).iter();
        let versions = versions.filter_map(|version| version.get("name").and_then(Value::as_str));
        for version in versions.chain(crd.text(&["spec", "version"])) {
            defined.insert((crd.name(), version, kind));
        }
    }
    let owned = spec.key("customresourcedefinitions").key("owned");
    for (index, entry) in csv
        .list(&["spec", "customresourcedefinitions", "owned"])
        .iter()
        .enumerate()
    {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        let key = (text("name"), text("version"), text("kind"));
        if !defined.contains(&key) || !text("group").is_empty() {
            let message = format!("the owned CRD {}/{} is not in the bundle", key.0, key.1);
            findings.push(report(&rules::OPM_OWNED_CRD_ABSENT, message, &owned.index(index)));
        }
    }
    diagnostic::sort(findings);
}
