//! Checks the requirements of an index for a `registry+v1` bundle: a CSV, and the CRDs that the CSV owns.

use super::{content, validators};
use crate::bundle::annotations::MEDIA_TYPE;
use crate::bundle::{Bundle, MediaType};
use crate::csv::{Csv, OwnedCrd};
use crate::diagnostic::Diagnostic;
use crate::image::check_pullable;
use crate::manifest::Object;
use crate::olm::annotation::INDEX_PROPERTIES;
use crate::rules::{self, Rule, Severity};
use crate::text::{Limits, Path};
use crate::version::parse_strict;
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) fn check(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    if bundle.objects.is_empty() {
        let message = format!("{} contains no Kubernetes object in manifests/", bundle.origin);
        findings.push(Diagnostic::new(&rules::INDEX_NO_OBJECTS, message));
        return;
    }
    let Some(object) = bundle.csv() else {
        if let Some(finding) = unknown_media_type(bundle) {
            findings.push(finding);
            return;
        }
        let message = format!(
            "{} has no ClusterServiceVersion and no metadata/olm.yaml",
            bundle.origin
        );
        findings.push(Diagnostic::new(&rules::INDEX_NO_CSV, message));
        return;
    };
    texts(object, findings);
    version(object, findings);
    properties_annotation(object, findings);
    owned(bundle, object, findings);
    unserved(bundle, object, findings);
    images(object, findings);
    skips_itself(object, findings);
    let shapes = content::shape(object).into_iter();
    let shapes: Vec<Diagnostic> = shapes
        .filter(|shape| !findings.iter().any(|other| other.place == shape.place))
        .collect();
    findings.extend(shapes);
}

/// Reports a bundle without a ClusterServiceVersion whose annotations name an unknown media type, such as `plain+v0`.
/// Which files are missing depends on the media type.
pub(super) fn unknown_media_type(bundle: &Bundle) -> Option<Diagnostic> {
    let annotations = bundle.annotations.as_ref()?;
    let named = annotations.media_type()?;
    let unknown = named.parse::<MediaType>().err()?;
    if bundle.csv().is_some() || bundle.olm.is_some() || named.is_empty() {
        return None;
    }
    let help = "Use registry+v1 for a bundle with a ClusterServiceVersion, or k8s+v1 for plain manifests with \
                metadata/olm.yaml, which `opmx bundle init DIR` writes.";
    let finding = Diagnostic::new(&rules::INDEX_NO_CSV, unknown.to_string()).help(help);
    Some(finding.at(annotations.place(MEDIA_TYPE)))
}

/// Checks the images that an index lists: container images and the related images of the CSV.
fn images(object: &Object, findings: &mut Vec<Diagnostic>) {
    let mut check = |list: Path| {
        let listed = list.get(object.value()).and_then(Value::as_array);
        for (index, entry) in listed.into_iter().flatten().enumerate() {
            let image = entry.get("image").and_then(Value::as_str).unwrap_or_default();
            if let Err(problem) = check_pullable(image)
                && !image.is_empty()
            {
                let path = list.index(index).key("image");
                let message = format!("{path} {problem}");
                report(object, &rules::BUNDLE_RELATEDIMAGE_FORMAT, message, &path, findings);
            }
        }
    };
    check(Path::from("spec.relatedImages"));
    let deployments = Path::from("spec.install.spec.deployments");
    let count = deployments
        .get(object.value())
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    for index in 0..count {
        let pod = deployments.index(index).join(&Path::from("spec.template.spec"));
        check(pod.key("initContainers"));
        check(pod.key("containers"));
    }
}

fn report(object: &Object, rule: &'static Rule, message: String, path: &Path, findings: &mut Vec<Diagnostic>) {
    let finding = Diagnostic::new(rule, message).object(object.label()).path(path);
    findings.push(finding.at(object.place(path)));
}

fn texts(object: &Object, findings: &mut Vec<Diagnostic>) {
    for (field, rule) in [
        ("version", &rules::INDEX_VERSION_SHAPE),
        ("release", &rules::INDEX_RELEASE_SHAPE),
    ] {
        let path = Path::root().key("spec").key(field);
        if let Some(value) = path
            .get(object.value())
            .filter(|value| !value.is_string() && !value.is_null())
        {
            let written = object.place(&path).text().to_owned();
            let message = format!("spec.{field} is {}, not a string", crate::text::kind_of(value));
            let finding = Diagnostic::new(rule, message).object(object.label()).path(&path);
            findings.push(
                finding
                    .at(object.place(&path))
                    .help(format!("Quote it: \"{written}\".")),
            );
        }
    }
}

/// Checks the version, which an index needs in strict form to order channels.
fn version(object: &Object, findings: &mut Vec<Diagnostic>) {
    let version = object.text(&["spec", "version"]).unwrap_or_default();
    if version.is_empty() {
        let absent = object
            .get(&["spec", "version"])
            .is_none_or(|value| value.is_null() || value.is_string());
        if absent {
            let path = Path::from("spec.version");
            let message = "the ClusterServiceVersion has no version".to_owned();
            report(object, &rules::INDEX_VERSION_MISSING, message, &path, findings);
        }
        return;
    }
    if let Err(reason) = parse_strict(version) {
        let message = format!("spec.version {version:?} is not a semantic version: {reason}");
        let path = Path::root().key("spec").key("version");
        let finding = Diagnostic::new(&rules::INDEX_CSV_VERSION_SEMVER, message).object(object.label());
        let finding = finding.path(&path).at(object.place(&path));
        findings.push(finding.fixed_by(validators::csv::bare_version(object, &path, version)));
    }
}

fn skips_itself(object: &Object, findings: &mut Vec<Diagnostic>) {
    let csv = Csv(object.value());
    for (index, skipped) in csv.list(&["spec", "skips"]).iter().enumerate() {
        if !csv.name().is_empty() && skipped.as_str() == Some(csv.name()) {
            let path = Path::from("spec.skips").index(index);
            let message = "this version skips itself".to_owned();
            report(object, &rules::CSV_SKIPS_ITSELF, message, &path, findings);
        }
    }
}

fn properties_annotation(object: &Object, findings: &mut Vec<Diagnostic>) {
    let Some(text) = object.text(&["metadata", "annotations", INDEX_PROPERTIES]) else {
        return;
    };
    let path = Path::root().key("metadata").key("annotations").key(INDEX_PROPERTIES);
    let wrong = match serde_json::from_str::<Value>(text) {
        Err(error) => Some(format!("is not JSON: {error}")),
        Ok(Value::Array(items)) => items
            .iter()
            .position(|item| !item.get("type").is_some_and(Value::is_string))
            .map(|index| format!("has an entry without a type, at index {index}")),
        Ok(Value::Null) => None,
        Ok(_) => Some("is not a JSON list of {type, value}".to_owned()),
    };
    if let Some(wrong) = wrong {
        let (document, root) = object.document();
        let problem = document
            .embedded(&root.clone().join(&path), &Limits::default())
            .diagnostics;
        let place = problem
            .into_iter()
            .find_map(|finding| finding.place)
            .unwrap_or_else(|| object.place(&path));
        let finding = Diagnostic::new(
            &rules::INDEX_OLM_PROPERTIES,
            format!("the annotation {INDEX_PROPERTIES} {wrong}"),
        );
        findings.push(finding.object(object.label()).at(place));
    }
}

/// Checks that a CRD of the bundle or an owned APIService defines every owned API.
fn owned(bundle: &Bundle, object: &Object, findings: &mut Vec<Diagnostic>) {
    let csv = Csv(object.value());
    let mut defined = defined_by_crds(bundle, findings);
    for entry in csv.list(&["spec", "apiservicedefinitions", "owned"]) {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        defined.insert((text("group"), text("version"), text("kind")), text("name"));
    }
    let list = Path::root().key("spec").key("customresourcedefinitions").key("owned");
    for (index, entry) in csv
        .list(&["spec", "customresourcedefinitions", "owned"])
        .iter()
        .enumerate()
    {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        let path = list.clone().index(index).key("name");
        let Some((plural, group)) = text("name").split_once('.') else {
            let message = format!("the owned CRD {:?} is not named <plural>.<group>", text("name"));
            report(object, &rules::INDEX_OWNED_CRD_NAME, message, &path, findings);
            continue;
        };
        let key = (group.to_owned(), text("version").to_owned(), text("kind").to_owned());
        if let Some(other) = defined.get(&key).filter(|other| *other != plural) {
            let message = format!(
                "{} {} is owned as {}, but its CRD is named {other}.{group}",
                key.1,
                key.2,
                text("name")
            );
            report(object, &rules::INDEX_OWNED_CRD_ABSENT, message, &path, findings);
        } else if !defined.contains_key(&key) {
            let message = format!(
                "{} {} ({}) is owned, but no CRD of the bundle defines it",
                key.1,
                key.2,
                text("name")
            );
            let other_version = |other: &(String, String, String)| other.0 == key.0 && other.2 == key.2;
            let slip = defined.keys().any(other_version);
            let path = list.index(index).key(if slip { "version" } else { "name" });
            report(object, &rules::INDEX_OWNED_CRD_ABSENT, message, &path, findings);
        }
    }
}

/// Checks that the CRDs of the bundle serve the owned versions. A version that they do not define at all is reported
/// elsewhere.
fn unserved(bundle: &Bundle, object: &Object, findings: &mut Vec<Diagnostic>) {
    let csv = Csv(object.value());
    let mut unserved = BTreeMap::new();
    for crd in bundle.objects.iter().filter(|object| content::is_crd(object)) {
        for (index, version) in crd.list(&["spec", "versions"]).iter().enumerate() {
            let name = version.get("name").and_then(Value::as_str).unwrap_or_default();
            if version.get("served") != Some(&Value::Bool(true)) {
                unserved.insert((crd.name(), name), (crd, index));
            }
        }
    }
    let awaited = csv.awaited_crds();
    let list = Path::from("spec.customresourcedefinitions.owned");
    for (index, entry) in csv
        .list(&["spec", "customresourcedefinitions", "owned"])
        .iter()
        .enumerate()
    {
        let name = OwnedCrd(entry).name();
        let version = entry.get("version").and_then(Value::as_str).unwrap_or_default();
        let Some((crd, number)) = unserved.get(&(name, version)) else {
            continue;
        };
        let is_awaited = awaited.get(name) == Some(&version);
        let consequence = if is_awaited {
            "so OLM leaves the installed version in the phase Pending (\"CRD version not served\")"
        } else {
            "so nobody can use it, although OLM waits only for the last entry of a CRD"
        };
        let message =
            format!("the version {version:?} of {name} is owned, but its CRD does not serve it, {consequence}");
        let path = list.index(index).key("version");
        let mut finding = Diagnostic::new(&rules::CSV_OWNED_VERSION_UNSERVED, message).object(object.label());
        if !is_awaited {
            finding.severity = Severity::Warning;
        }
        let of_crd = Path::from("spec.versions").index(*number).key("served");
        let finding = finding.path(&path).at(object.place(&path));
        findings.push(finding.also(crd.place(&of_crd), "the version in the CRD"));
    }
}

/// Returns the group, version and kind of each API that the CRDs of a bundle define, with its plural name. Reports a
/// CRD that lacks its group or kind.
pub(super) fn defined_by_crds(
    bundle: &Bundle,
    findings: &mut Vec<Diagnostic>,
) -> BTreeMap<(String, String, String), String> {
    let mut defined = BTreeMap::new();
    for crd in &bundle.objects {
        let gvk = crd.gvk();
        if !gvk.is("apiextensions.k8s.io", "CustomResourceDefinition")
            || !["v1", "v1beta1"].contains(&gvk.version.as_str())
        {
            continue;
        }
        let (Some(group), Some(kind)) = (crd.text(&["spec", "group"]), crd.text(&["spec", "names", "kind"])) else {
            let message = format!("{} is missing spec.group or spec.names.kind", crd.label());
            report(
                crd,
                &rules::INDEX_CRD_DECODE,
                message,
                &Path::root().key("spec"),
                findings,
            );
            continue;
        };
        let plural = crd.text(&["spec", "names", "plural"]).unwrap_or_default();
        let listed = crd.list(&["spec", "versions"]).iter();
        let names = listed.filter_map(|version| version.get("name").and_then(Value::as_str));
        let single = crd.text(&["spec", "version"]).filter(|_| gvk.version == "v1beta1");
        for version in names.chain(single) {
            defined.insert(
                (group.to_owned(), version.to_owned(), kind.to_owned()),
                plural.to_owned(),
            );
        }
    }
    defined
}
