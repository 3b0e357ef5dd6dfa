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
use crate::rules::{self, Rule};
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
    findings.extend(network_policies(object, csv));
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
    for used in named(input, object) {
        let (rule, related) = if used.is_related() {
            (&rules::OLM_INACCESSIBLE_RELATED_IMAGES, "related ")
        } else {
            (&rules::OLM_UNMAPPED_REFERENCES, "")
        };
        if let Some(Err(reason)) = platforms.get(&used.image)
            && seen.insert((rule.id, used.image.clone()))
        {
            let message = format!("the {related}image {} cannot be fetched: {reason}", used.image);
            report(rule, object, &used, message, findings);
        }
    }
}

/// Returns the images that the CSV names, also in annotations.
fn named(input: &Input<'_>, object: &Object) -> Vec<ImageUse> {
    let mut uses = image_use::of_csv(object);
    uses.extend(mentions::of_annotations(input.bundle, object));
    uses
}

fn report(rule: &'static Rule, object: &Object, used: &ImageUse, message: String, findings: &mut Vec<Diagnostic>) {
    let finding = Diagnostic::new(rule, message).object(object.label());
    findings.push(finding.path(used.path()).at(used.place()));
}

/// Checks that all images are specified by digest and come from allowed registries.
fn images(input: &Input<'_>, object: &Object, findings: &mut Vec<Diagnostic>) {
    let (related, used): (Vec<_>, Vec<_>) = named(input, object).into_iter().partition(ImageUse::is_related);
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
        let rule = &rules::OLM_FEATURE_ANNOTATIONS_FORMAT;
        let path = path.key(&key);
        match value {
            Some(Value::String(text)) if text == "true" || text == "false" => {}
            Some(value) => {
                let message = format!("the annotation {key} is {value}, not \"true\" or \"false\"");
                findings.push(found(rule, object, &path, message));
            }
            None => {
                let mut finding = found(rule, object, &path, format!("there is no annotation {key}"));
                finding.help = Some("Add the annotation with the value \"true\" or \"false\", in quotes.".to_owned());
                findings.push(finding);
            }
        }
    }
}

fn subscriptions(object: &Object, csv: Csv<'_>) -> Option<Diagnostic> {
    let path = Path::from("metadata.annotations").key(SUBSCRIPTIONS);
    let rule = &rules::OLM_SUBSCRIPTIONS_ANNOTATION_FORMAT;
    let Some(value) = csv.annotations().and_then(|annotations| annotations.get(SUBSCRIPTIONS)) else {
        let mut finding = found(rule, object, &path, format!("there is no annotation {SUBSCRIPTIONS}"));
        finding.help = Some(format!("Add the annotation. {}", rule.help));
        return Some(finding);
    };
    let list = value
        .as_str()
        .and_then(|text| serde_json::from_str::<Vec<String>>(text).ok())
        .filter(|list| !list.is_empty());
    let Some(list) = list else {
        let message = format!("the annotation {SUBSCRIPTIONS} is not a non-empty JSON list of strings");
        return Some(found(rule, object, &path, message));
    };
    let mut seen = BTreeSet::new();
    let twice = list.iter().find(|name| !seen.insert(*name))?;
    let message = format!("the annotation {SUBSCRIPTIONS} lists {twice:?} twice");
    Some(found(rule, object, &path, message))
}

/// Checks that the operator may manage the NetworkPolicies of its operands.
fn network_policies(object: &Object, csv: Csv<'_>) -> Option<Diagnostic> {
    let grants = |verb: &str| permission_rules(csv).any(|(_, rule)| grants_on_network_policies(rule, verb));
    let needed: [(&str, &[&str]); 3] = [
        ("create", &["create"]),
        ("delete", &["delete"]),
        ("update or patch", &["update", "patch"]),
    ];
    let missing = needed
        .iter()
        .filter(|(_, verbs)| !verbs.iter().any(|verb| grants(verb)));
    let missing: Vec<&str> = missing.map(|(words, _)| *words).collect();
    if missing.is_empty() {
        return None;
    }
    let message = format!(
        "the operator lacks permissions for the NetworkPolicies of its operands: {}",
        missing.join(", ")
    );
    let path = Path::from("spec.install.spec");
    Some(found(&rules::OLM_REQUIRED_NETWORK_POLICY_RBAC, object, &path, message))
}

fn grants_on_network_policies(rule: &Value, verb: &str) -> bool {
    let rule = PolicyRule(rule);
    let has = |field: &str, wanted: &str| rule.list(field).any(|(_, item)| item == wanted || item == "*");
    has("apiGroups", "networking.k8s.io") && has("resources", "networkpolicies") && has("verbs", verb)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle;
    use crate::text::Limits;
    use crate::tree::{Tree, TreeLimits};
    use crate::validation::validators::ValidatorOptions;

    /// Returns the findings of a rule about a CSV with these annotations and rules of permissions.
    fn found(annotations: &Value, permissions: &[&str], of: &Rule) -> Vec<(bool, String)> {
        let csv = format!(
            "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n\
             metadata: {{name: op.v1.0.0, annotations: {annotations}}}\n\
             spec: {{version: 1.0.0, install: {{spec: {{clusterPermissions: [{{rules: [{}]}}]}}}}}}\n",
            permissions.join(", ")
        );
        let mut tree = Tree::new("bundle");
        let path = "manifests/op.clusterserviceversion.yaml";
        tree.insert(path, csv.into_bytes(), &TreeLimits::default()).unwrap();
        let bundle = bundle::read(&tree, &Limits::default()).bundle.unwrap();
        let options = ValidatorOptions::default();
        let input = Input {
            bundle: &bundle,
            files: &tree,
            options: &options,
        };
        let mut findings = Vec::new();
        check(&input, &mut findings);
        let findings = findings.into_iter().filter(|finding| finding.rule.id == of.id);
        findings
            .map(|finding| (finding.is_error(), format!("{}: {}", finding.message, finding.advice())))
            .collect()
    }

    #[test]
    fn the_subscriptions_must_be_present_and_differ() {
        let rule = &rules::OLM_SUBSCRIPTIONS_ANNOTATION_FORMAT;
        let of = |value: &str| found(&serde_json::json!({SUBSCRIPTIONS: value}), &[], rule);
        assert_eq!(of(r#"["a", "b"]"#), []);
        for wrong in ["", "[]", "a", r#"["a", 1]"#, r#"["a", "b", "a"]"#] {
            assert!(matches!(&of(wrong)[..], [(true, _)]), "{wrong}");
        }
        let missing = found(&serde_json::json!({}), &[], rule);
        assert!(
            matches!(&missing[..], [(true, text)] if text.contains("there is no annotation") && text.contains("Add the")),
            "{missing:?}"
        );
    }

    #[test]
    fn a_missing_feature_annotation_is_to_be_added() {
        let missing = found(&serde_json::json!({}), &[], &rules::OLM_FEATURE_ANNOTATIONS_FORMAT);
        assert_eq!(missing.len(), REQUIRED_FEATURES.len());
        assert!(
            missing.iter().all(|(_, text)| text.contains(": Add the annotation")),
            "{missing:?}"
        );
    }

    #[test]
    fn an_operator_needs_to_create_delete_and_change_network_policies() {
        let of = |verbs: &[&str]| {
            let rules: Vec<String> = verbs
                .iter()
                .map(|verbs| {
                    format!("{{apiGroups: [networking.k8s.io], resources: [networkpolicies], verbs: [{verbs}]}}")
                })
                .collect();
            let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
            found(&serde_json::json!({}), &rules, &rules::OLM_REQUIRED_NETWORK_POLICY_RBAC)
        };
        for enough in [&["create, delete, update"], &["create, delete, patch"], &["'*'"]] {
            assert_eq!(of(enough), [], "{enough:?}");
        }
        assert_eq!(of(&["create, delete", "get, patch"]), [], "several rules");
        for (verbs, missing) in [
            ("create", "delete, update or patch"),
            ("create, delete", "update or patch"),
            ("create, update", "delete"),
            ("get", "create, delete, update or patch"),
        ] {
            let found = of(&[verbs]);
            let wanted = format!("operands: {missing}: ");
            assert!(
                matches!(&found[..], [(true, text)] if text.contains(&wanted)),
                "{verbs}: {found:?}"
            );
        }
    }
}
