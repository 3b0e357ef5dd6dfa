//! `bundle`: checks whether the CSV matches the other objects, and whether OLM can unpack them.

use super::{Input, csv_of, found};
use crate::bundle::image_use::{self, NamedImage};
use crate::bundle::versioned_name::wrong_name;
use crate::bundle::{Annotations, Bundle, size};
use crate::csv::Csv;
use crate::diagnostic::Diagnostic;
use crate::image::check_pullable;
use crate::kubernetes::GroupVersionKind;
use crate::kubernetes::names::is_csv_name;
use crate::manifest::Object;
use crate::rules;
use crate::text::Path;
use crate::tree::Tree;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn check(input: &Input<'_>, findings: &mut Vec<Diagnostic>) {
    let Some((object, csv)) = csv_of(input) else {
        return;
    };
    let defined = defined(input, findings);
    owned(object, csv, &defined, findings);
    service_accounts(input, csv, findings);
    findings.extend(total_size(input.files, input.bundle));
    findings.extend(release_name(input, object, csv));
    related_images(object, csv, findings);
}

/// Returns whether the object is a CRD that OLM can read.
pub(super) fn is_crd(object: &Object) -> bool {
    let gvk = object.gvk();
    gvk.is("apiextensions.k8s.io", "CustomResourceDefinition") && ["v1", "v1beta1"].contains(&gvk.version.as_str())
}

/// Returns the kinds that a CRD defines, with the paths of their versions.
fn kinds(crd: &Object) -> Vec<(GroupVersionKind, Path)> {
    let text = |keys: &[&str]| crd.text(keys).unwrap_or_default();
    let gvk =
        |version: &str| GroupVersionKind::new(text(&["spec", "group"]), version, text(&["spec", "names", "kind"]));
    let versions = crd.list(&["spec", "versions"]);
    if versions.is_empty() && crd.gvk().version == "v1beta1" {
        return vec![(gvk(text(&["spec", "version"])), Path::from("spec.version"))];
    }
    let named = versions.iter().enumerate().map(|(index, version)| {
        let name = version.get("name").and_then(Value::as_str).unwrap_or_default();
        (gvk(name), Path::from("spec.versions").index(index).key("name"))
    });
    named.collect()
}

/// Returns the APIs that the CRDs of the bundle define, with their places.
fn defined<'a>(input: &Input<'a>, findings: &mut Vec<Diagnostic>) -> BTreeMap<GroupVersionKind, (&'a Object, Path)> {
    let mut defined: BTreeMap<GroupVersionKind, (&Object, Path)> = BTreeMap::new();
    for crd in input.bundle.objects.iter().filter(|object| is_crd(object)) {
        for (gvk, path) in kinds(crd) {
            if let Some((first, first_path)) = defined.get(&gvk) {
                let message = format!("{} {} is defined twice", gvk.api_version(), gvk.kind);
                let finding = found(&rules::BUNDLE_CRD_DUPLICATE, crd, &path, message);
                findings.push(finding.also(first.place(first_path), "it is defined here first"));
            } else {
                defined.insert(gvk, (crd, path));
            }
        }
    }
    defined
}

/// Checks that owned APIs are defined in the bundle, and that defined APIs are owned in at least one version.
fn owned(
    object: &Object,
    csv: Csv<'_>,
    defined: &BTreeMap<GroupVersionKind, (&Object, Path)>,
    findings: &mut Vec<Diagnostic>,
) {
    let mut held = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for (index, api) in csv.owned_crds().enumerate() {
        // A name without a dot is used as the group, so that it matches nothing.
        let gvk = api.gvk_or_name();
        let path = Path::from("spec.customresourcedefinitions.owned").index(index);
        if defined.contains_key(&gvk) && seen.insert(gvk.clone()) {
            held.insert((gvk.group, gvk.kind));
            continue;
        }
        let what = [&gvk.version, &gvk.kind].into_iter().filter(|part| !part.is_empty());
        let what = format!(
            "{} ({})",
            what.map(String::as_str).collect::<Vec<_>>().join(" "),
            api.name()
        );
        let is_twice = defined.contains_key(&gvk);
        let message = if is_twice {
            format!("{what} is owned twice")
        } else {
            format!("{what} is owned, but no CRD of the bundle defines it")
        };
        let other_version = |other: &GroupVersionKind| other.group == gvk.group && other.kind == gvk.kind;
        let slip = !is_twice && defined.keys().any(other_version);
        let path = path.key(if slip { "version" } else { "name" });
        let finding = found(&rules::BUNDLE_OWNED_CRD_ABSENT, object, &path, message);
        findings.push(if is_twice {
            finding.help("Remove one of the two entries.")
        } else {
            finding
        });
    }
    let missing = defined
        .iter()
        .filter(|(gvk, _)| !held.contains(&(gvk.group.clone(), gvk.kind.clone())));
    for (gvk, (crd, path)) in missing {
        let message = format!(
            "{} {} is in the bundle, but the ClusterServiceVersion does not own it",
            gvk.api_version(),
            gvk.kind
        );
        let finding = found(&rules::BUNDLE_CRD_NOT_OWNED, crd, path, message);
        let list = object.place(&Path::from("spec.customresourcedefinitions.owned"));
        findings.push(finding.also(list, "the owned APIs"));
    }
}

/// Reports ServiceAccounts of Deployments: OLM creates such accounts itself, and does not expect an account that it did
/// not create.
fn service_accounts(input: &Input<'_>, csv: Csv<'_>, findings: &mut Vec<Diagnostic>) {
    let accounts: BTreeSet<&str> = csv
        .deployments()
        .iter()
        .filter_map(|deployment| deployment.pointer("/spec/template/spec/serviceAccountName")?.as_str())
        .collect();
    let manifests = input.bundle.objects.iter();
    for account in manifests.filter(|object| object.gvk() == &GroupVersionKind::new("", "v1", "ServiceAccount")) {
        if accounts.contains(account.name()) {
            let message = format!(
                "OLM already creates the account {} from the ClusterServiceVersion",
                account.name()
            );
            let path = Path::from("metadata.name");
            findings.push(found(&rules::BUNDLE_SERVICEACCOUNT_CLASH, account, &path, message));
        }
    }
}

/// Checks the total size: every file of the bundle counts, including hidden and unknown ones.
pub(in crate::validation) fn total_size(files: &Tree, bundle: &Bundle) -> Option<Diagnostic> {
    let (paths, files): (Vec<&str>, Vec<&[u8]>) = files.iter().unzip();
    let (finding, largest) = size::finding(&files)?;
    let path = paths.get(largest.index)?;
    let help = finding.rule.help;
    let finding = finding.help(format!(
        "The largest file is {path} with {} bytes. {help}",
        largest.bytes
    ));
    let inside = format!("/{path}");
    let object = bundle
        .objects
        .iter()
        .find(|object| object.file() == *path || object.file().ends_with(&inside));
    Some(match object {
        Some(object) => finding.object(object.label()).at(object.name_place()),
        None => finding,
    })
}

/// Checks that the name of a bundle includes its release.
fn release_name(input: &Input<'_>, object: &Object, csv: Csv<'_>) -> Option<Diagnostic> {
    let release = csv.text(&["spec", "release"]);
    if release.is_empty() {
        return None;
    }
    // A name that no cluster accepts is a finding of its own.
    if !input.options.reference && !is_csv_name(csv.name()) {
        return None;
    }
    let package = input.bundle.annotations.as_ref().map_or("", Annotations::package);
    let wrong = wrong_name(csv.name(), package, csv.version(), release)?;
    let path = Path::from("metadata.name");
    let finding = found(&rules::BUNDLE_RELEASE_NAME, object, &path, wrong.message);
    let finding = match wrong.help {
        Some(help) => finding.help(help),
        None => finding,
    };
    Some(finding.also(object.place(&Path::from("spec.release")), "the release"))
}

fn related_images(object: &Object, csv: Csv<'_>, findings: &mut Vec<Diagnostic>) {
    let entries = image_use::related_entries(csv.0, &Path::from("spec"));
    for (index, NamedImage { image, path, .. }) in entries.enumerate() {
        if image.is_empty() {
            let message = format!("spec.relatedImages[{index}] has no image");
            findings.push(found(&rules::BUNDLE_RELATEDIMAGE_EMPTY, object, &path, message));
        } else if let Err(problem) = check_pullable(image) {
            let message = format!("spec.relatedImages[{index}].image {problem}");
            findings.push(found(&rules::BUNDLE_RELATEDIMAGE_FORMAT, object, &path, message));
        }
    }
}
