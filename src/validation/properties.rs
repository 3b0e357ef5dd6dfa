//! Checks the properties file.

use crate::bundle::{Bundle, field};
use crate::diagnostic::Diagnostic;
use crate::olm::annotation::INDEX_PROPERTIES;
use crate::olm::openshift;
use crate::olm::property::{self, KNOWN, MAX_OPENSHIFT_VERSION, PACKAGE};
use crate::olm::spelling::is_requirement;
use crate::rules;
use crate::shape::nearest;
use crate::source::Place;
use crate::text::{Document, Path, as_string, kind_of, source_edit};
use serde_json::Value;

/// Names of metadata files that imply specific content.
const NAMED: [&str; 3] = ["annotations", "dependencies", "properties"];

pub(super) fn check(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    files(bundle, findings);
    entries(bundle, findings);
    unquoted(bundle, findings);
    max_openshift(bundle, findings);
    texts(bundle, findings);
    derived(bundle, findings);
}

fn stem(document: &Document) -> &str {
    let name = document.source().name();
    let name = name.rsplit_once('/').map_or(name, |(_, name)| name);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Checks that the content of each file matches its name, and that only one file contains properties.
fn files(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let root = Path::root();
    let place = |document: &Document| {
        let written = field(document.value(), "properties").map_or("properties", |(key, _)| key);
        document.key_place(&root.key(written))
    };
    let holders: Vec<&Document> = bundle
        .metadata
        .iter()
        .filter(|document| field(document.value(), "properties").is_some())
        .collect();
    if let [first, others @ ..] = holders.as_slice() {
        for other in others {
            let message = format!(
                "both {} and {} contain properties",
                other.source().name(),
                first.source().name()
            );
            let finding = Diagnostic::new(&rules::PROP_FILES, message).at(place(other));
            findings.push(finding.also(
                place(first),
                "OLM reads only these properties, because this file comes first by name",
            ));
        }
    }
    for document in &bundle.metadata {
        let named = stem(document);
        findings.extend(without_list(document, named));
        let fields = NAMED
            .into_iter()
            .filter_map(|key| Some((key, field(document.value(), key)?.0)));
        let (holds, written): (Vec<&str>, Vec<&str>) = fields.unzip();
        if NAMED.contains(&named) && !holds.is_empty() && !holds.contains(&named) {
            let message = format!(
                "the name of this file indicates {named}, but the file contains {}",
                holds.join(", ")
            );
            let place = document.key_place(&root.key(written[0]));
            let finding = Diagnostic::new(&rules::PROP_FILE_NAME, message).at(place);
            findings.push(finding.help(format!(
                "Rename it to {}.yaml; OLM reads it regardless of its name.",
                holds[0]
            )));
        }
    }
}

/// Reports a file that, by its name, should contain a list of dependencies or properties, but contains none.
fn without_list(document: &Document, named: &str) -> Option<Diagnostic> {
    const LISTS: [&str; 2] = ["dependencies", "properties"];
    let named = LISTS.into_iter().find(|list| *list == named)?;
    let value = document.value();
    let is_wrong = match field(value, named) {
        // A value of `properties` that is not a list is reported together with the entries.
        Some((_, list)) => named != "properties" && !list.is_array() && !list.is_null(),
        None => NAMED.into_iter().all(|key| field(value, key).is_none()),
    };
    if !is_wrong {
        return None;
    }
    let message = format!("the file contains no list named {named}, so its content is ignored");
    let finding = Diagnostic::new(&rules::METADATA_LIST_MISSING, message);
    let root = Path::root();
    let first = value.as_object().and_then(|map| map.keys().next());
    let place = first.map_or_else(|| document.place(&root), |key| document.key_place(&root.key(key)));
    Some(
        finding
            .at(place)
            .help(format!("Put the entries into a list under the key {named}.")),
    )
}

/// Checks the list and its entries. Reading the bundle already reports entries without a type.
fn entries(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    for document in &bundle.metadata {
        let Some((key, properties)) = field(document.value(), "properties") else {
            continue;
        };
        let path = Path::root().key(key);
        let Some(list) = properties.as_array() else {
            let message = format!("properties is {}, not a list", kind_of(properties));
            findings.push(Diagnostic::new(&rules::PROP_SHAPE, message).at(document.place(&path)));
            continue;
        };
        for (index, entry) in list.iter().enumerate() {
            let kind = field(entry, "type")
                .and_then(|(_, kind)| kind.as_str())
                .unwrap_or_default();
            if kind.starts_with("olm.")
                && !KNOWN.contains(&kind)
                && let Some(meant) = nearest(kind, KNOWN)
            {
                let message = format!("the property type {kind} is unknown");
                let place = document.place(&path.index(index).key("type"));
                let finding = Diagnostic::new(&rules::PROP_TYPE_UNKNOWN, message).at(place);
                findings.push(finding.help(format!("Did you mean {meant}?")));
            }
            if !kind.is_empty() && field(entry, "value").is_none_or(|(_, value)| value.is_null()) {
                let message = format!("{} has no value", path.index(index));
                let finding = Diagnostic::new(&rules::PROP_SHAPE, message).at(document.place(&path.index(index)));
                findings.push(finding);
            }
        }
    }
}

/// Reports versions that YAML reads as numbers, because `4.10` and `4.1` are the same number.
fn unquoted(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    for property in &bundle.properties {
        let (document, _) = property.entry();
        findings.extend(unquoted_version(document, property.value_path(), &property.kind));
    }
    let Some(olm) = &bundle.olm else { return };
    let list = Path::from("annotations").key(INDEX_PROPERTIES);
    let entries = list.get(olm.value()).and_then(Value::as_array);
    for (index, entry) in entries.into_iter().flatten().enumerate() {
        let kind = entry.get("type").and_then(Value::as_str).unwrap_or_default();
        findings.extend(unquoted_version(olm, &list.index(index).key("value"), kind));
    }
}

fn unquoted_version(document: &Document, value: &Path, kind: &str) -> Option<Diagnostic> {
    let path = match kind {
        MAX_OPENSHIFT_VERSION => value.clone(),
        PACKAGE => value.key("version"),
        _ => return None,
    };
    let number = path.get(document.value()).filter(|value| value.is_number())?;
    let edit = source_edit::quote(document, &path)?;
    let written = edit.place.text().to_owned();
    let read = as_string(number).unwrap_or_default();
    let message = format!("the version in {kind} is {written} without quotes, which YAML reads as {read}");
    let finding = Diagnostic::new(&rules::PROP_VERSION_QUOTING, message).at(edit.place.clone());
    let finding = finding.help(format!("Use quotes: \"{written}\"."));
    Some(finding.fixed_by(Some(edit)))
}

/// Checks the last version of OpenShift that the operator supports.
fn max_openshift(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let listed = bundle.properties.iter();
    let listed = listed.filter(|property| property.kind == MAX_OPENSHIFT_VERSION && !property.value.is_null());
    let listed: Vec<(Value, Place)> = listed
        .map(|property| (property.value.clone(), property.place_of(&Path::root())))
        .collect();
    for values in [listed, annotated(bundle)] {
        for (index, (value, place)) in values.iter().enumerate() {
            if let Some(problem) = openshift::max_version_problem(value) {
                let message = format!("{MAX_OPENSHIFT_VERSION} {problem}");
                findings.push(Diagnostic::new(&rules::PROP_MAX_OPENSHIFT, message).at(place.clone()));
            }
            if index > 0 {
                let message = format!("{MAX_OPENSHIFT_VERSION} appears here a second time");
                let finding = Diagnostic::new(&rules::PROP_MAX_OPENSHIFT, message).at(place.clone());
                findings.push(finding.help("Keep one of the two properties."));
            }
        }
    }
}

/// Returns the values of `olm.maxOpenShiftVersion` in the annotation of the CSV or `olm.yaml`, which is JSON or a list.
fn annotated(bundle: &Bundle) -> Vec<(Value, Place)> {
    let in_olm = || {
        let olm = bundle.olm.as_ref()?;
        let path = Path::from("annotations").key(INDEX_PROPERTIES);
        Some((path.get(olm.value())?.clone(), olm.place(&path)))
    };
    let in_csv = || {
        let csv = bundle.csv()?;
        let path = Path::from("metadata.annotations").key(INDEX_PROPERTIES);
        Some((path.get(csv.value())?.clone(), csv.place(&path)))
    };
    let Some((value, place)) = in_csv().or_else(in_olm) else {
        return Vec::new();
    };
    let list = match value {
        Value::String(text) => serde_json::from_str(&text).unwrap_or_default(),
        value => value,
    };
    let entries = list.as_array().into_iter().flatten();
    let limits = entries.filter(|entry| entry["type"] == MAX_OPENSHIFT_VERSION && !entry["value"].is_null());
    limits.map(|entry| (entry["value"].clone(), place.clone())).collect()
}

/// Reports values that must consist of strings but do not. The versions of packages are reported as [`unquoted`], and
/// dependencies among the properties together with the other dependencies.
fn texts(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    for property in &bundle.properties {
        let kind = property.kind.as_str();
        let known = property::texts(kind).filter(|_| kind != PACKAGE && !is_requirement(kind));
        let Some(known) = known.filter(|_| !property.value.is_null()) else {
            continue;
        };
        let Some(map) = property.value.as_object() else {
            let message = format!("the value of {kind} is {}, not a map", kind_of(&property.value));
            findings.push(Diagnostic::new(&rules::PROP_SHAPE, message).at(property.place_of(&Path::root())));
            continue;
        };
        for (key, value) in map {
            let is_known = known.iter().any(|name| name.eq_ignore_ascii_case(key));
            if !is_known || value.is_string() || value.is_null() {
                continue;
            }
            let path = Path::root().key(key);
            let message = format!("{key} of {kind} is {}, not a string", kind_of(value));
            let finding = Diagnostic::new(&rules::PROP_SHAPE, message).at(property.place_of(&path));
            findings.push(match property.quote(&path) {
                Some(edit) => finding
                    .help(format!("Use quotes: \"{}\".", edit.place.text()))
                    .fixed_by(Some(edit)),
                None => finding,
            });
        }
    }
}

/// Checks properties that an index derives from the bundle.
fn derived(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let package = bundle.annotations.as_ref().map(crate::bundle::Annotations::package);
    let version = match (bundle.csv(), &bundle.olm) {
        (Some(csv), _) => csv.text(&["spec", "version"]),
        (None, Some(olm)) => olm.value().get("version").and_then(Value::as_str),
        (None, None) => None,
    };
    for property in bundle.properties.iter().filter(|property| property.kind == PACKAGE) {
        let text = |key: &str| property.value.get(key).and_then(Value::as_str);
        let report = |message: String, key: &str| {
            let finding = Diagnostic::new(&rules::PROP_DERIVED_CLASH, message);
            finding.at(property.place_of(&Path::root().key(key)))
        };
        if let (Some(named), Some(own)) = (text("packageName"), package)
            && named != own
        {
            let message = format!("the property names the package {named}, but this bundle belongs to {own}");
            let help =
                "Remove the property. To require the other package, add the package to metadata/dependencies.yaml.";
            findings.push(report(message, "packageName").help(help));
        } else if let (Some(named), Some(own)) = (text("version"), version)
            && named != own
        {
            let message = format!("the property names the version {named}, but this bundle has {own}");
            findings.push(report(message, "version"));
        }
    }
}
