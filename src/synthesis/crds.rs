//! Turns CustomResourceDefinitions into owned APIs, and ships the definitions alongside the CSV.

use super::Work;
use super::annotated;
use super::draft::Origin;
use super::fate::{self, Fate};
use super::overlay::Described;
use crate::bundle::olm_yaml::Olm;
use crate::diagnostic::Diagnostic;
use crate::kubernetes::GroupVersionKind;
use crate::kubernetes::version::compare_priority;
use crate::manifest::Object;
use crate::rules;
use crate::text::Path;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const GROUP: &str = "apiextensions.k8s.io";
const KIND: &str = "CustomResourceDefinition";

/// The kinds and resources that the CRDs of the bundle define.
#[derive(Debug, Default)]
pub(super) struct Owned {
    kinds: BTreeSet<(String, String)>,
    groups: BTreeSet<String>,
    /// Group and plural name.
    resources: BTreeSet<(String, String)>,
}

impl Owned {
    /// Whether the bundle defines the kind of a custom resource.
    pub(super) fn provides(&self, gvk: &GroupVersionKind) -> bool {
        self.kinds.contains(&(gvk.group.clone(), gvk.kind.clone()))
    }

    /// Whether a CRD of the bundle defines this resource.
    pub(super) fn has_resource(&self, group: &str, resource: &str) -> bool {
        self.resources.contains(&(group.to_owned(), resource.to_owned()))
    }

    /// Whether a CRD of the bundle defines kinds in this group.
    pub(super) fn has_group(&self, group: &str) -> bool {
        self.groups.contains(group)
    }
}

/// The positions of the bundle's CRDs.
pub(super) fn of(work: &Work<'_>) -> Vec<usize> {
    work.inventory.of(GROUP, KIND)
}

/// Lists every served version of every CRD as owned, except those that `olm.yaml` excludes.
pub(super) fn project(work: &mut Work<'_>) -> Owned {
    let mut owned = Owned::default();
    let mut entries: Vec<(usize, Version)> = Vec::new();
    let mut annotated: BTreeMap<usize, annotated::ByField> = BTreeMap::new();
    let mut examples = Vec::new();
    let mut defined: BTreeMap<(String, String), (String, usize)> = BTreeMap::new();
    for index in of(work) {
        let crd = work.inventory.object(index);
        let group = crd.text(&["spec", "group"]).unwrap_or_default();
        let kind = crd.text(&["spec", "names", "kind"]).unwrap_or_default();
        check(work, crd);
        let mut said = annotated::of_crd(work, crd);
        examples.extend(annotated::take_examples(&mut said).map(|found| (crd, found)));
        annotated.insert(index, said);
        owned.groups.insert(group.to_owned());
        owned.kinds.insert((group.to_owned(), kind.to_owned()));
        let plural = crd.text(&["spec", "names", "plural"]).unwrap_or_default();
        owned.resources.insert((group.to_owned(), plural.to_owned()));
        let versions = served_versions(crd);
        if versions.is_empty() {
            let message = format!("{} serves no version", crd.label());
            let finding = Diagnostic::new(&rules::CRD_NOT_SERVED, message).object(crd.label());
            let place = crd.place(&Path::root().key("spec").key("versions"));
            work.report(finding.at(place));
        }
        let key = (group.to_owned(), kind.to_owned());
        match defined.get(&key) {
            Some((_, first)) => {
                let first = work.inventory.object(*first);
                let message = format!("two CustomResourceDefinitions define {kind} of group {group}");
                let finding = Diagnostic::new(&rules::OBJECT_DUPLICATE, message).object(crd.label());
                work.report(
                    finding
                        .at(crd.name_place())
                        .also(first.name_place(), "it first appears here"),
                );
            }
            None => {
                defined.insert(key, (kind.to_owned(), index));
            }
        }
        let (unlisted, listed): (Vec<Version>, Vec<Version>) = versions
            .into_iter()
            .partition(|version| unlisted_at(work.olm, crd.name(), &version.name).is_some());
        if let (Some(version), true) = (unlisted.first(), listed.is_empty()) {
            not_owned(work, crd, &version.name);
        }
        entries.extend(listed.into_iter().map(|version| (index, version)));
        let value = without_ca_bundle(fate::shipped(crd));
        work.inventory.decide(
            index,
            Fate::Kept(value),
            "the CSV lists it as owned, and OLM applies it",
        );
    }
    entries.sort_by(|(left, left_version), (right, right_version)| {
        let name = |index: &usize| work.inventory.object(*index).name();
        let by_name = name(left).cmp(name(right));
        by_name.then_with(|| compare_priority(&left_version.name, &right_version.name))
    });
    let list = Path::root().key("spec").key("customresourcedefinitions").key("owned");
    let described = Described::of(work, "customresourcedefinitions", &["name", "version", "kind"]);
    for (position, (index, version)) in entries.iter().enumerate() {
        let crd = work.inventory.object(*index);
        let entry = list.index(position);
        let from = |path: &Path| Origin::object(crd, path);
        let names = Path::root().key("spec").key("names");
        work.draft
            .copy(&entry.key("name"), from(&Path::root().key("metadata").key("name")));
        work.draft.copy(&entry.key("version"), from(&version.path));
        work.draft.copy(&entry.key("kind"), from(&names.key("kind")));
        let said = super::overlay::describe(work, &entry, &described);
        let unsaid = |field: &str| !said.iter().any(|key| key == field);
        for (field, found) in annotated.get(index).into_iter().flatten() {
            if unsaid(field) {
                work.draft
                    .put(&entry.key(field), found.value.clone(), [found.origin.clone()]);
            }
        }
        let described = work.draft.get(&entry.key("description")).is_some();
        if let Some(path) = description(crd, version).filter(|_| unsaid("description") && !described) {
            work.draft.copy(&entry.key("description"), from(&path));
        }
    }
    annotated::examples(work, examples);
    let olm = work.olm;
    super::overlay::report_unmatched(
        work,
        "customresourcedefinitions",
        &list,
        &["name", "version", "kind"],
        &|entry| {
            let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
            unlisted_at(olm, text("name"), text("version")).is_some()
        },
    );
    described_but_unlisted(work);
    unlisted_unmatched(work);
    owned
}

/// Returns the entry of `olm.yaml` that excludes a served version from the owned APIs.
fn unlisted_at(olm: Olm<'_>, name: &str, version: &str) -> Option<Path> {
    let unlisted = olm.list(&["customresourcedefinitions", "unlisted"]);
    let is = |entry: &Value, key: &str, wanted: &str| entry.get(key).and_then(Value::as_str) == Some(wanted);
    let position = unlisted
        .iter()
        .position(|entry| is(entry, "name", name) && is(entry, "version", version))?;
    Some(Path::from("customresourcedefinitions.unlisted").index(position))
}

/// Reports a CRD of which `olm.yaml` excludes every served version: OLM installs no CRD that the CSV does not own.
fn not_owned(work: &mut Work<'_>, crd: &Object, version: &str) {
    let place = unlisted_at(work.olm, crd.name(), version).map(|path| work.olm.place(&path));
    let message = format!(
        "{} is in the bundle, but customresourcedefinitions.unlisted excludes all its served versions, so the \
         ClusterServiceVersion does not own it",
        crd.name()
    );
    let help = "Remove a version of the CustomResourceDefinition from unlisted, or its file from manifests/.";
    let finding = Diagnostic::new(&rules::BUNDLE_CRD_NOT_OWNED, message).object(crd.label());
    let finding = finding
        .help(help)
        .at(place)
        .also(crd.name_place(), "the CustomResourceDefinition");
    work.report(finding);
}

/// Reports descriptions of versions that `olm.yaml` excludes.
fn described_but_unlisted(work: &mut Work<'_>) {
    for (index, entry) in work
        .olm
        .list(&["customresourcedefinitions", "owned"])
        .iter()
        .enumerate()
    {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        let (name, version) = (text("name"), text("version"));
        let Some(excluded) = unlisted_at(work.olm, name, version) else {
            continue;
        };
        let path = Path::from("customresourcedefinitions.owned").index(index);
        let message = format!("{path} describes {name} {version}, but {excluded} excludes this version");
        let finding = Diagnostic::new(&rules::OLM_OVERLAY_UNMATCHED, message).at(work.olm.place(&path));
        let finding = finding.help("Remove one of the two entries.");
        work.report(finding.also(work.olm.place(&excluded), "the version is excluded here"));
    }
}

/// Reports excluded versions that no manifest serves, because the mistake would otherwise go unnoticed.
fn unlisted_unmatched(work: &mut Work<'_>) {
    let unlisted = work.olm.list(&["customresourcedefinitions", "unlisted"]);
    for (index, entry) in unlisted.iter().enumerate() {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        let mut named = work.inventory.named(GROUP, KIND, text("name")).iter();
        let there = named.any(|crd| served_names(work.inventory.object(*crd)).contains(&text("version")));
        if !there {
            let path = Path::root()
                .key("customresourcedefinitions")
                .key("unlisted")
                .index(index);
            let message = format!(
                "{path} names {} {}, which no manifest serves",
                text("name"),
                text("version")
            );
            let finding = Diagnostic::new(&rules::OLM_OVERLAY_UNMATCHED, message).at(work.olm.place(&path));
            work.report(finding.help("Correct its name or version, or remove the entry."));
        }
    }
}

struct Version {
    name: String,
    path: Path,
}

/// Returns the served versions, each once. For a `v1beta1` CRD without a list of versions, this is `spec.version`.
fn served_versions(crd: &Object) -> Vec<Version> {
    let list = crd.list(&["spec", "versions"]);
    let spec = Path::root().key("spec");
    if list.is_empty() && crd.gvk().version == "v1beta1" {
        let name = crd.text(&["spec", "version"]);
        return name
            .map(|name| Version {
                name: name.to_owned(),
                path: spec.key("version"),
            })
            .into_iter()
            .collect();
    }
    let mut seen = BTreeSet::new();
    list.iter()
        .enumerate()
        .filter(|(_, version)| version.get("served") == Some(&Value::Bool(true)))
        .filter_map(|(index, version)| {
            Some(Version {
                name: version.get("name")?.as_str()?.to_owned(),
                path: spec.key("versions").index(index).key("name"),
            })
        })
        .filter(|version| seen.insert(version.name.clone()))
        .collect()
}

/// Returns the path of the description in the schema of a version.
fn description(crd: &Object, version: &Version) -> Option<Path> {
    let spec = Path::root().key("spec");
    let of_version = version.path.parent()?.key("schema").key("openAPIV3Schema");
    let of_all = spec.key("validation").key("openAPIV3Schema");
    let says = |path: &Path| {
        let text = path.get(crd.value()).and_then(Value::as_str);
        text.is_some_and(|text| !text.trim().is_empty())
    };
    [of_version, of_all]
        .map(|schema| schema.key("description"))
        .into_iter()
        .find(says)
}

/// Returns the names of those served versions of a CRD whose schemas contain a description.
pub(crate) fn described_names(crd: &Object) -> Vec<&str> {
    let versions = served_versions(crd).into_iter();
    versions
        .filter(|version| description(crd, version).is_some())
        .filter_map(|version| version.path.get(crd.value())?.as_str())
        .collect()
}

/// Returns the names of the served versions of a CRD.
pub(crate) fn served_names(crd: &Object) -> Vec<&str> {
    let versions = served_versions(crd).into_iter();
    versions
        .filter_map(|version| version.path.get(crd.value())?.as_str())
        .collect()
}

fn check(work: &mut Work<'_>, crd: &Object) {
    let plural = crd.text(&["spec", "names", "plural"]).unwrap_or_default();
    let group = crd.text(&["spec", "group"]).unwrap_or_default();
    if crd.name() != format!("{plural}.{group}") {
        let message = format!(
            "the name {} must be {plural}.{group}, in the form <plural>.<group>",
            crd.name()
        );
        let finding = Diagnostic::new(&rules::CRD_NAME, message).object(crd.label());
        work.report(finding.at(crd.name_place()));
    }
    if crd.gvk().version == "v1beta1" {
        let message = format!("{} uses v1beta1, which Kubernetes 1.22 removed", crd.label());
        let finding = Diagnostic::new(&rules::CRD_V1BETA1, message).object(crd.label());
        work.report(finding.at(crd.place(&Path::root().key("apiVersion"))));
    }
}

/// Removes the `caBundle` of conversion webhooks, because OLM adds its own certificate authority.
fn without_ca_bundle(mut crd: Value) -> Value {
    for client in [
        "/spec/conversion/webhook/clientConfig",
        "/spec/conversion/webhookClientConfig",
    ] {
        if let Some(client) = crd.pointer_mut(client).and_then(Value::as_object_mut) {
            client.shift_remove("caBundle");
        }
    }
    crd
}
