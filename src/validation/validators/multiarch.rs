//! `multiarch`: compares the platforms that the labels of a bundle promise with the platforms of its images, and the
//! platforms of the operator's image with the nodes on which its pods can run.
//!
//! Unlike in the original, an image that is not an index supports the platform in its config, labels are compared as a
//! whole, and a node selector restricts the nodes in the same way as an affinity.

use super::{Input, Platforms, csv_of, found};
use crate::bundle::image_use;
use crate::csv::Csv;
use crate::diagnostic::Diagnostic;
use crate::image::Platform;
use crate::manifest::Object;
use crate::rules::{self, Rule};
use crate::text::Path;
use serde_json::Value;
use std::collections::BTreeSet;

/// The usual name of an operator's own container.
const MANAGER: &str = "manager";
/// The usual sidecar of that container.
const PROXY: &str = "kube-rbac-proxy";

/// One half of a platform: the operating system or the architecture.
struct Part {
    /// The name in messages.
    name: &'static str,
    /// The function that returns this half of a platform.
    of: fn(&Platform) -> &str,
    /// The prefix of the CSV labels that promise supported values.
    promise: &'static str,
    /// The promised value if there is no label.
    usual: &'static str,
    /// The node label that contains the value.
    node: &'static str,
    /// The rule about images that support more than the labels promise.
    unlabelled: &'static Rule,
}

const ARCHITECTURE: Part = Part {
    name: "architecture",
    of: |platform| &platform.architecture,
    promise: "operatorframework.io/arch.",
    usual: "amd64",
    node: "kubernetes.io/arch",
    unlabelled: &rules::MULTIARCH_LABEL_MISSING_ARCH,
};
const OS: Part = Part {
    name: "operating system",
    of: |platform| &platform.os,
    promise: "operatorframework.io/os.",
    usual: "linux",
    node: "kubernetes.io/os",
    unlabelled: &rules::MULTIARCH_LABEL_MISSING_OS,
};

pub(super) fn check(input: &Input<'_>, findings: &mut Vec<Diagnostic>) {
    let (Some((object, csv)), Some(platforms)) = (csv_of(input), &input.options.platforms) else {
        return;
    };
    let known = |image: &str| platforms.get(image)?.as_ref().ok();
    let managers: BTreeSet<&str> = csv.deployments().iter().flat_map(managers).collect();
    let own: BTreeSet<&Platform> = managers.iter().filter_map(|image| known(image)).flatten().collect();
    images(object, csv, platforms, (&managers, &own), findings);
    for part in [ARCHITECTURE, OS] {
        findings.extend(unlabelled(object, csv, &part, &own));
        for (index, deployment) in csv.deployments().iter().enumerate() {
            let images: Vec<_> = self::managers(deployment).into_iter().filter_map(known).collect();
            // A pod runs only where all of its containers do.
            let Some((first, others)) = images.split_first() else {
                continue;
            };
            let everywhere = |platform: &&Platform| others.iter().all(|other| other.contains(platform));
            let values: BTreeSet<&str> = first.iter().filter(everywhere).map(part.of).collect();
            let path = Path::from("spec.install.spec.deployments").index(index);
            let pod = path.key("spec").key("template").key("spec");
            nodes(object, &pod, &part, &values, findings);
        }
    }
}

/// Returns the images of the operator itself: those of the containers with the usual name; if there are none, those of
/// all containers except the usual sidecar.
fn managers(deployment: &Value) -> Vec<&str> {
    let containers = deployment.pointer("/spec/template/spec/containers");
    let named = |wanted: fn(&str) -> bool| -> Vec<&str> {
        let containers = containers.and_then(Value::as_array).into_iter().flatten();
        let name = |container: &Value| wanted(container.get("name").and_then(Value::as_str).unwrap_or_default());
        containers
            .filter(|container| name(container))
            .filter_map(|container| container.get("image")?.as_str())
            .collect()
    };
    let managers = named(|name| name == MANAGER);
    if managers.is_empty() {
        named(|name| name != PROXY)
    } else {
        managers
    }
}

/// Returns the values that the labels promise for one half of the platform.
fn promised<'a>(csv: Csv<'a>, part: &Part) -> BTreeSet<&'a str> {
    let labels = csv.get(&["metadata", "labels"]).and_then(Value::as_object);
    let labels = labels.into_iter().flatten();
    let promised: BTreeSet<&str> = labels
        .filter(|(_, value)| value.as_str() == Some("supported"))
        .filter_map(|(key, _)| key.strip_prefix(part.promise))
        .collect();
    if promised.is_empty() {
        BTreeSet::from([part.usual])
    } else {
        promised
    }
}

/// Checks that every image is available for the promised platforms, and for the platforms that the operator itself runs
/// on.
fn images(
    object: &Object,
    csv: Csv<'_>,
    platforms: &Platforms,
    (managers, own): (&BTreeSet<&str>, &BTreeSet<&Platform>),
    findings: &mut Vec<Diagnostic>,
) {
    let (architectures, systems) = (promised(csv, &ARCHITECTURE), promised(csv, &OS));
    let pairs = systems.iter().flat_map(|os| {
        architectures.iter().map(|architecture| Platform {
            os: (*os).to_owned(),
            architecture: (*architecture).to_owned(),
        })
    });
    let promised: BTreeSet<Platform> = pairs.collect();
    let mut seen = BTreeSet::new();
    // The files in a volume are not programs of a platform as a rule.
    for used in image_use::of_csv(object).into_iter().filter(|used| !used.is_volume()) {
        let name = &used.image;
        if !seen.insert(name.clone()) {
            continue;
        }
        let mut report = |rule, message: String| {
            findings.push(Diagnostic::new(rule, message).object(object.label()).at(used.place()));
        };
        let platforms = match platforms.get(name) {
            Some(Ok(platforms)) => platforms,
            Some(Err(reason)) => {
                let message = format!("the platforms of the image {name} are unknown: {reason}");
                report(&rules::MULTIARCH_INSPECT_FAILED, message);
                continue;
            }
            None => continue,
        };
        let missing: BTreeSet<&Platform> = promised.difference(platforms).collect();
        if !missing.is_empty() {
            let message = format!(
                "the image {name} is not available for {}, which the bundle claims to support",
                list(&missing)
            );
            report(&rules::MULTIARCH_UNSUPPORTED, message);
        }
        let lacking = |platform: &&&Platform| !platforms.contains(**platform) && !missing.contains(*platform);
        let narrower: BTreeSet<&Platform> = own.iter().filter(lacking).copied().collect();
        if !managers.contains(name.as_str()) && !narrower.is_empty() {
            let message = format!(
                "the image {name} is not available for {}, where the operator runs",
                list(&narrower)
            );
            report(&rules::MULTIARCH_IMAGE_NARROWER, message);
        }
    }
}

/// Reports that the operator's own images run on more platforms than the labels promise.
fn unlabelled(object: &Object, csv: Csv<'_>, part: &Part, own: &BTreeSet<&Platform>) -> Option<Diagnostic> {
    let values: BTreeSet<&str> = own.iter().map(|platform| (part.of)(platform)).collect();
    let promised = promised(csv, part);
    let missing: BTreeSet<&&str> = values.difference(&promised).collect();
    if missing.is_empty() || values == BTreeSet::from([part.usual]) {
        return None;
    }
    let plural = if missing.len() == 1 { "" } else { "s" };
    let message = format!(
        "the operator's image also supports the {}{plural} {}, but no label says so",
        part.name,
        list(&missing)
    );
    let labels = Path::from("metadata").key("labels");
    Some(found(part.unlabelled, object, &labels, message))
}

/// Checks that the pods can run on all kinds of nodes that the image supports, and on no other nodes.
fn nodes(object: &Object, pod: &Path, part: &Part, image: &BTreeSet<&str>, findings: &mut Vec<Diagnostic>) {
    let affinity = pod
        .key("affinity")
        .key("nodeAffinity")
        .key("requiredDuringSchedulingIgnoredDuringExecution");
    let Some(allowed) = allowed(object.value(), pod, &affinity, part.node) else {
        let message = format!(
            "the pods may run on nodes of any {}, but the image is available only for {}",
            part.name,
            list(image)
        );
        findings.push(found(&rules::MULTIARCH_AFFINITY_MISSING, object, &affinity, message));
        return;
    };
    let path = if affinity.get(object.value()).is_some() {
        affinity
    } else {
        pod.key("nodeSelector")
    };
    let extra: BTreeSet<&&str> = allowed.difference(image).collect();
    if !extra.is_empty() {
        let message = format!(
            "the pods may run on nodes of the {} {}, for which the image is not available",
            part.name,
            list(&extra)
        );
        findings.push(found(&rules::MULTIARCH_AFFINITY_EXTRA, object, &path, message));
    }
    let narrow: BTreeSet<&&str> = image.difference(&allowed).collect();
    if !narrow.is_empty() {
        let message = format!(
            "the pods do not run on nodes of the {} {}, for which the image is available",
            part.name,
            list(&narrow)
        );
        findings.push(found(&rules::MULTIARCH_AFFINITY_NARROW, object, &path, message));
    }
}

/// Returns the values that a label may have on the nodes of the pods; `None` if any value is allowed.
fn allowed<'a>(csv: &'a Value, pod: &Path, affinity: &Path, label: &str) -> Option<BTreeSet<&'a str>> {
    let selected = pod.key("nodeSelector").key(label).get(csv).and_then(Value::as_str);
    if let Some(selected) = selected {
        return Some(BTreeSet::from([selected]));
    }
    let terms = affinity.key("nodeSelectorTerms").get(csv)?.as_array()?;
    let mut all = BTreeSet::new();
    for term in terms {
        let expressions = term.get("matchExpressions")?.as_array()?;
        let about = |expression: &&Value| {
            expression.get("key").and_then(Value::as_str) == Some(label)
                && expression.get("operator").and_then(Value::as_str) == Some("In")
        };
        // A node needs to match only one term, so a term that does not mention the label allows every value.
        let values = expressions.iter().find(about)?.get("values")?.as_array()?;
        all.extend(values.iter().filter_map(Value::as_str));
    }
    (!terms.is_empty()).then_some(all)
}

fn list(items: &BTreeSet<impl ToString>) -> String {
    let items: Vec<String> = items.iter().map(ToString::to_string).collect();
    items.join(", ")
}
