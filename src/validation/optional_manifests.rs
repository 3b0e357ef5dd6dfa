//! Checks the optional manifests in the properties of a bundle, according to the proposal *optional-manifest*.

use crate::bundle::{Bundle, MediaType, TypedValue};
use crate::diagnostic::Diagnostic;
use crate::kubernetes::builtin;
use crate::manifest::Object;
use crate::olm::optional_manifest::{self, LIST, can_be_optional, problems_of_entry, without_list};
use crate::rules::{self, Rule};
use crate::shape::nearest;
use crate::synthesis::{Fate, Outcome, is_moved};
use crate::text::Path;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The property that lists manifests without which the operator can still be installed.
use crate::olm::property::OPTIONAL_MANIFESTS as OPTIONAL;

/// A well-formed entry of the list of optional manifests.
struct OptionalManifest<'a> {
    group: &'a str,
    kind: &'a str,
    namespace: Option<&'a str>,
    name: &'a str,
}

pub(super) fn check(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let properties: Vec<&TypedValue> = bundle
        .properties
        .iter()
        .filter(|property| property.kind == OPTIONAL)
        .collect();
    if let [first, second, ..] = properties.as_slice() {
        let message = format!("{OPTIONAL} appears {} times; the lists are combined", properties.len());
        let finding = Diagnostic::new(&rules::OPT_SEVERAL, message).at(second.place.clone());
        findings.push(finding.also(first.place.clone(), "the first one"));
    }
    let mut seen = BTreeSet::new();
    for property in properties {
        let path = Path::root().key(LIST);
        let Some(list) = optional_manifest::list(&property.value) else {
            let missing = || Diagnostic::new(&rules::OPT_VALUE_SHAPE, without_list()).at(property.place_of(&path));
            findings.push(miscapitalized(property, &Path::root(), LIST).unwrap_or_else(missing));
            continue;
        };
        if list.is_empty() {
            let message = format!("the list of {OPTIONAL} is empty");
            findings.push(Diagnostic::new(&rules::OPT_EMPTY, message).at(property.place_of(&path)));
        }
        for (index, entry) in list.iter().enumerate() {
            let path = path.index(index);
            let Some(read) = shape(property, entry, &path, findings) else {
                continue;
            };
            if !seen.insert((read.group, read.kind, read.namespace, read.name)) {
                let message = format!("{} {} appears here a second time", read.kind, read.name);
                findings.push(Diagnostic::new(&rules::OPT_DUPLICATE, message).at(property.place_of(&path)));
                continue;
            }
            meaning(bundle, property, &read, &path, findings);
        }
    }
}

/// Reports a key with the wrong capitalization.
fn miscapitalized(property: &TypedValue, map: &Path, key: &str) -> Option<Diagnostic> {
    let (place, edit) = property.miscapitalized(map, key)?;
    let message = format!("the key {} must be written as {key}", place.text());
    let finding = Diagnostic::new(&rules::OPT_VALUE_SHAPE, message).at(place);
    Some(finding.help("Use exactly this capitalization.").fixed_by(edit))
}

fn shape<'a>(
    property: &TypedValue,
    entry: &'a Value,
    path: &Path,
    findings: &mut Vec<Diagnostic>,
) -> Option<OptionalManifest<'a>> {
    let problems = problems_of_entry(entry, path);
    let sound = problems.is_empty();
    findings.extend(
        problems
            .into_iter()
            .map(|(path, message)| Diagnostic::new(&rules::OPT_VALUE_SHAPE, message).at(property.place_of(&path))),
    );
    let map = entry.as_object()?;
    unknown_keys(property, map, path, findings);
    let text = |key: &str| map.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    sound.then(|| OptionalManifest {
        group: text("group").unwrap_or_default(),
        kind: text("kind").unwrap_or_default(),
        namespace: text("namespace"),
        name: text("name").unwrap_or_default(),
    })
}

fn unknown_keys(property: &TypedValue, map: &Map<String, Value>, path: &Path, findings: &mut Vec<Diagnostic>) {
    const KEYS: [&str; 4] = ["group", "kind", "namespace", "name"];
    for key in map.keys().filter(|key| !KEYS.contains(&key.as_str())) {
        let message = format!("{key} has no effect in an entry of {OPTIONAL}");
        let finding = Diagnostic::new(&rules::OPT_UNKNOWN_KEY, message).at(property.key_place_of(&path.key(key)));
        findings.push(match nearest(key, KEYS) {
            Some(known) => {
                let edit = property.miscapitalized(path, known).and_then(|(_, edit)| edit);
                finding.help(format!("Did you mean {known}?")).fixed_by(edit)
            }
            None => finding,
        });
    }
}

fn meaning(
    bundle: &Bundle,
    property: &TypedValue,
    entry: &OptionalManifest<'_>,
    path: &Path,
    findings: &mut Vec<Diagnostic>,
) {
    let mut report = |rule: &'static Rule, message: String, key: &str| {
        findings.push(Diagnostic::new(rule, message).at(property.place_of(&path.key(key))));
        findings.len() - 1
    };
    let (group, version) = match entry.group.split_once('/') {
        Some((group, version)) => (group, Some(version)),
        None => (entry.group, None),
    };
    let entry = OptionalManifest { group, ..*entry };
    let written = bundle.objects.iter().find(|object| matches(&entry, object));
    // OLM moves some kinds of objects into the install namespace, and a k8s+v1 bundle ships them without their own
    // namespaces. An entry without a namespace therefore also matches them.
    let shipped = || {
        let mut objects = bundle.objects.iter();
        let plain = bundle.media_type == MediaType::K8sV1 && entry.namespace.is_none();
        objects.find(|object| plain && is_moved(object) && is_named(&entry, object))
    };
    let found = written.or_else(shipped);
    if let Some(version) = version {
        let message = match found {
            Some(object) if object.gvk().version != version => format!(
                "the group contains the version {version}, but the manifest has {}",
                object.gvk().version
            ),
            _ => format!("the group contains the version {version}, which is ignored"),
        };
        let at = report(&rules::OPT_GROUP_VERSION, message, "group");
        findings[at].help = Some(format!("Use group: {group}."));
        findings[at].edits.extend(property.rewrite(&path.key("group"), group));
    }
    let mut report = |rule: &'static Rule, message: String, key: &str, help: Option<String>| {
        let mut finding = Diagnostic::new(rule, message).at(property.place_of(&path.key(key)));
        finding.help = help;
        findings.push(finding);
    };
    let Some(object) = found else {
        let place = match entry.namespace {
            Some(namespace) => format!(" in the namespace {namespace}"),
            None => String::new(),
        };
        let message = format!("no manifest matches {} {}{place}", entry.kind, entry.name);
        let (key, help) = near_miss(bundle, &entry);
        return report(&rules::OPT_NO_MATCH, message, key, help);
    };
    if !can_be_optional(entry.kind) {
        let rule = if entry.kind == "CustomResourceDefinition" {
            &rules::OPT_CRD
        } else {
            &rules::OPT_CORE_KIND
        };
        let message = format!(
            "OLM always creates {} {}, so marking it as optional has no effect",
            entry.kind,
            object.name()
        );
        report(rule, message, "kind", None);
    } else if builtin::is_bare_group(entry.group) || builtin::find_kind(entry.group, entry.kind).is_some() {
        let message = format!(
            "every cluster has {}, so marking it as optional has little benefit",
            entry.kind
        );
        report(&rules::OPT_BUILTIN_KIND, message, "kind", None);
    }
}

fn matches(entry: &OptionalManifest<'_>, object: &Object) -> bool {
    is_named(entry, object) && object.namespace() == entry.namespace
}

fn is_named(entry: &OptionalManifest<'_>, object: &Object) -> bool {
    object.gvk().is(entry.group, entry.kind) && object.name() == entry.name
}

/// Returns the wrong key, and advice about the probably intended value.
fn near_miss(bundle: &Bundle, entry: &OptionalManifest<'_>) -> (&'static str, Option<String>) {
    let named = |object: &&Object| object.name() == entry.name;
    let same_kind = |object: &&Object| object.gvk().is(entry.group, entry.kind);
    let mut objects = bundle.objects.iter();
    if let Some(object) = objects.clone().filter(named).find(same_kind) {
        return match object.namespace() {
            Some(namespace) => (
                "namespace",
                Some(format!(
                    "The manifest has namespace: {namespace}; use the same namespace in this entry."
                )),
            ),
            None => (
                "namespace",
                Some("Remove the namespace, because the manifest has none.".to_owned()),
            ),
        };
    }
    let folded = |kind: &str| kind.to_lowercase();
    let singular = |object: &&Object| {
        let (kind, written) = (folded(&object.gvk().kind), folded(entry.kind));
        let plural = [
            format!("{kind}s"),
            format!("{kind}es"),
            format!("{}ies", kind.trim_end_matches('y')),
        ];
        kind == written || plural.contains(&written)
    };
    if let Some(object) = objects.clone().filter(named).find(singular) {
        let (key, gvk) = if object.gvk().kind == entry.kind {
            ("group", object.gvk())
        } else {
            ("kind", object.gvk())
        };
        let help = match (key, gvk.group.as_str()) {
            ("group", "") => "Remove the group, because the manifest belongs to the core group.".to_owned(),
            ("group", group) => format!("The manifest belongs to the group {group}."),
            _ => format!("The kind is {}.", gvk.kind),
        };
        return (key, Some(help));
    }
    let nearest = objects
        .by_ref()
        .filter(same_kind)
        .map(|object| (strsim::damerau_levenshtein(object.name(), entry.name), object.name()))
        .min();
    match nearest {
        Some((_, name)) => (
            "name",
            Some(format!("The bundle has an object of this kind named {name}.")),
        ),
        None => ("name", None),
    }
}

/// Reports entries that name an object that becomes part of the CSV, because no separate step of an InstallPlan creates
/// such an object.
pub(super) fn projected(bundle: &Bundle, outcomes: &[Outcome], findings: &mut Vec<Diagnostic>) {
    if bundle.media_type != MediaType::K8sV1 {
        return;
    }
    for property in bundle.properties.iter().filter(|property| property.kind == OPTIONAL) {
        let list = optional_manifest::list(&property.value);
        for (index, entry) in list.into_iter().flatten().enumerate() {
            let text = |key: &str| entry.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
            let group = text("group").unwrap_or_default();
            let entry = OptionalManifest {
                group: group.split_once('/').map_or(group, |(group, _)| group),
                kind: text("kind").unwrap_or_default(),
                namespace: text("namespace"),
                name: text("name").unwrap_or_default(),
            };
            let found = outcomes.iter().find(|outcome| matches(&entry, &outcome.object));
            if let Some(outcome) = found
                && outcome.fate == Fate::Projected
            {
                let message = format!(
                    "{} becomes part of the ClusterServiceVersion, so it cannot be optional",
                    outcome.object.label()
                );
                let path = Path::root().key(LIST).index(index);
                let finding = Diagnostic::new(&rules::OPT_PROJECTED, message).at(property.place_of(&path));
                findings.push(finding.also(outcome.object.name_place(), "the manifest"));
            }
        }
    }
}
