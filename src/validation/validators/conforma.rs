//! `conforma` and `conforma-images`: the release policy of Konflux for operator bundles.

use super::{Input, csv_of, found, permission_rules};
use crate::bundle::image_use::{self, ImageUse};
use crate::bundle::mentions;
use crate::csv::Csv;
use crate::diagnostic::Diagnostic;
use crate::image::Reference;
use crate::kubernetes::rbac::PolicyRule;
use crate::manifest::Object;
use crate::olm::kinds::KINDS;
use crate::rules::{self, Rule, Severity};
use crate::text::Path;
use crate::version::parse_strict;
use serde_json::Value;
use std::collections::BTreeSet;

/// The prefix of the annotations about features.
const FEATURES: &str = "features.operators.openshift.io/";
/// The features that a bundle must declare.
const REQUIRED_FEATURES: [&str; 7] = [
    "disconnected",
    "fips-compliant",
    "proxy-aware",
    "tls-profiles",
    "token-auth-aws",
    "token-auth-azure",
    "token-auth-gcp",
];
/// The annotation that lists the subscriptions that the operator needs.
const SUBSCRIPTIONS: &str = "operators.openshift.io/valid-subscription";

/// Checks the parts of the policy that need only the bundle and its image.
pub(super) fn check(input: &Input<'_>, findings: &mut Vec<Diagnostic>) {
    for object in &input.bundle.objects {
        let kind = &*object.gvk().kind;
        if !KINDS.contains(&kind) {
            let message = format!("a bundle must not contain objects of kind {kind}");
            let rule = &rules::OLM_ALLOWED_RESOURCE_KINDS;
            findings.push(found(rule, object, &Path::from("kind"), message));
        }
    }
    if let Some(platforms) = &input.options.bundle_platforms {
        let list: Vec<String> = platforms.iter().map(ToString::to_string).collect();
        let message = format!("the bundle image is an image index for {}", list.join(", "));
        findings.push(Diagnostic::new(&rules::OLM_BUNDLE_MULTI_ARCH, message));
    }
    let Some((object, csv)) = csv_of(input) else {
        return;
    };
    let version = Path::from("spec.version");
    let text = csv.text(&["spec", "version"]);
    if parse_strict(text).is_err() {
        let message = format!("the version {text:?} is not a semantic version");
        findings.push(found(&rules::OLM_CSV_SEMVER_FORMAT, object, &version, message));
    }
    images(input, object, findings);
    features(object, csv, findings);
    findings.extend(subscriptions(object, csv));
    if !permission_rules(csv).any(|(_, rule)| creates_network_policies(rule)) {
        let message = "the operator has no permission to create NetworkPolicies, which its operands need";
        let path = Path::from("spec.install.spec");
        let rule = &rules::OLM_REQUIRED_NETWORK_POLICY_RBAC;
        findings.push(found(rule, object, &path, message));
    }
}

/// Checks the parts of the policy that need information from registries.
pub(super) fn check_images(input: &Input<'_>, findings: &mut Vec<Diagnostic>) {
    let Some((object, _)) = csv_of(input) else {
        return;
    };
    let Some(platforms) = &input.options.platforms else {
        return;
    };
    let mut seen = BTreeSet::new();
    for related in image_use::of_csv(object).into_iter().filter(ImageUse::is_related) {
        if let Some(Err(reason)) = platforms.get(&related.image)
            && seen.insert(related.image.clone())
        {
            let message = format!("the related image {} cannot be fetched: {reason}", related.image);
            report(
                &rules::OLM_INACCESSIBLE_RELATED_IMAGES,
                object,
                &related,
                message,
                findings,
            );
        }
    }
}

fn report(rule: &'static Rule, object: &Object, used: &ImageUse, message: String, findings: &mut Vec<Diagnostic>) {
    let finding = Diagnostic::new(rule, message).object(object.label());
    findings.push(finding.path(used.path()).at(used.place()));
}

/// Checks that all images are specified by digest, come from allowed registries, and are listed as related images.
fn images(input: &Input<'_>, object: &Object, findings: &mut Vec<Diagnostic>) {
    let (related, mut used): (Vec<_>, Vec<_>) = image_use::of_csv(object).into_iter().partition(ImageUse::is_related);
    used.extend(mentions::of_annotations(object));
    let listed: BTreeSet<&str> = related.iter().map(|related| related.image.as_str()).collect();
    let allowed = input.options.allowed_registries.as_deref();
    let elsewhere = |image: &str| allowed.is_some_and(|allowed| !allowed.iter().any(|prefix| is_below(image, prefix)));
    let mut seen = BTreeSet::new();
    for used in &used {
        let image = used.image.as_str();
        if !seen.insert(image) {
            continue;
        }
        let mut report = |rule, message| report(rule, object, used, message, findings);
        if !is_pinned(image) {
            report(
                &rules::OLM_UNPINNED_REFERENCES,
                format!("the image {image} is not specified by digest"),
            );
        }
        if !listed.contains(image) {
            let message = format!("the image {image} is not one of the related images");
            report(&rules::OLM_UNMAPPED_REFERENCES, message);
        }
        if elsewhere(image) {
            let message = format!("the image {image} is from a registry that is not allowed");
            report(&rules::OLM_ALLOWED_REGISTRIES, message);
        }
    }
    for related in &related {
        let image = related.image.as_str();
        let mut report = |rule, message| report(rule, object, related, message, findings);
        if !is_pinned(image) {
            let message = format!("the related image {image} is not specified by digest");
            report(&rules::OLM_UNPINNED_RELATED_IMAGES, message);
        }
        if elsewhere(image) {
            let message = format!("the related image {image} is from a registry that is not allowed");
            report(&rules::OLM_ALLOWED_REGISTRIES_RELATED, message);
        }
    }
}

fn is_pinned(image: &str) -> bool {
    matches!(image.parse(), Ok(Reference::Registry(reference)) if reference.digest().is_some())
}

/// Returns whether an image is in the registry, repository or folder named by `prefix`.
fn is_below(image: &str, prefix: &str) -> bool {
    let rest = image.strip_prefix(prefix.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ':', '@']))
}

fn features(object: &Object, csv: Csv<'_>, findings: &mut Vec<Diagnostic>) {
    let path = Path::from("metadata.annotations");
    for feature in REQUIRED_FEATURES {
        let key = format!("{FEATURES}{feature}");
        let value = csv.annotations().and_then(|annotations| annotations.get(&key));
        let message = match value {
            Some(Value::String(text)) if text == "true" || text == "false" => continue,
            Some(value) => format!("the annotation {key} is {value}, not \"true\" or \"false\""),
            None => format!("there is no annotation {key}"),
        };
        let path = path.key(&key);
        findings.push(found(&rules::OLM_FEATURE_ANNOTATIONS_FORMAT, object, &path, message));
    }
}

fn subscriptions(object: &Object, csv: Csv<'_>) -> Option<Diagnostic> {
    let path = Path::from("metadata.annotations").key(SUBSCRIPTIONS);
    let rule = &rules::OLM_SUBSCRIPTIONS_ANNOTATION_FORMAT;
    let Some(value) = csv.annotations().and_then(|annotations| annotations.get(SUBSCRIPTIONS)) else {
        let message = format!("there is no annotation {SUBSCRIPTIONS}");
        let mut finding = found(rule, object, &path, message);
        finding.severity = Severity::Warning;
        return Some(finding);
    };
    let list = value
        .as_str()
        .and_then(|text| serde_json::from_str::<Vec<String>>(text).ok());
    if list.is_some_and(|list| !list.is_empty()) {
        return None;
    }
    let message = format!("the annotation {SUBSCRIPTIONS} is not a non-empty JSON list of strings");
    Some(found(rule, object, &path, message))
}

fn creates_network_policies(rule: &Value) -> bool {
    let rule = PolicyRule(rule);
    let has = |field: &str, wanted: &str| rule.list(field).any(|(_, item)| item == wanted || item == "*");
    has("apiGroups", "networking.k8s.io") && has("resources", "networkpolicies") && has("verbs", "create")
}
