//! What bundles say about themselves and about what they need, from the properties and dependencies of a catalog.

use super::predicate::{Dependency, dependency};
use crate::catalog::{Bundle, CONSTRAINT, DEPRECATED, Property, Text};
use crate::cluster::state::TypedValue;
use crate::kubernetes::GroupVersionKind;
use crate::text::canonical;
use crate::version::parse_strict;
use semver::Version;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// What a bundle says about itself.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// The properties of the catalog, then the dependencies in the form of properties, each once.
    pub(super) properties: Vec<Property>,
    pub(super) apis: Vec<GroupVersionKind>,
    pub(super) packages: Vec<PackageProperty>,
    pub(super) labels: Vec<String>,
    pub(super) deprecated: bool,
}

/// A property of type `olm.package`.
#[derive(Debug)]
pub(super) struct PackageProperty {
    pub(super) name: String,
    pub(super) version: Option<Version>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct StoredPackage {
    package_name: String,
    version: String,
}

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct StoredLabel {
    label: String,
}

/// Reads properties that have the form of OLM's already.
pub(super) fn of_stored(properties: Vec<Property>) -> Facts {
    let mut facts = Facts::default();
    let mut seen = HashSet::new();
    for property in properties {
        match &*property.kind {
            "olm.gvk" => facts.apis.extend(property.group_version_kind()),
            "olm.package" => {
                if let Ok(package) = serde_json::from_str::<StoredPackage>(&property.value) {
                    facts.packages.push(PackageProperty {
                        name: package.package_name,
                        version: parse_strict(&package.version).ok(),
                    });
                }
            }
            "olm.label" => {
                let label = serde_json::from_str::<StoredLabel>(&property.value);
                facts.labels.extend(label.ok().map(|label| label.label));
            }
            DEPRECATED => facts.deprecated = true,
            _ => {}
        }
        // Two writers of one value differ in the order of its keys.
        let value = serde_json::from_str::<Value>(&property.value).map(|value| canonical::to_string(&value));
        if seen.insert((
            property.kind.clone(),
            value.unwrap_or_else(|_| property.value.to_string()),
        )) {
            facts.properties.push(property);
        }
    }
    facts
}

/// Reads a bundle of a catalog.
///
/// # Errors
/// With what is wrong with a dependency; OLM passes over such a bundle.
pub(super) fn of_bundle(package: &Text, bundle: &Bundle) -> Result<Facts, String> {
    let mut properties = bundle.properties.clone();
    // Manifests do not matter, and are long.
    properties.retain(|property| !["olm.bundle.object", "olm.csv.metadata"].contains(&&*property.kind));
    for dependency in &bundle.dependencies {
        properties.extend(as_property(dependency)?);
    }
    let mut facts = of_stored(properties);
    if facts.packages.is_empty() {
        let version = bundle.version.as_deref().unwrap_or_default();
        facts.packages.push(PackageProperty {
            name: package.to_string(),
            version: parse_strict(version).ok(),
        });
    }
    Ok(facts)
}

/// The properties that OLM writes into the annotation of a ClusterServiceVersion that it installs from this bundle: those of
/// the catalog, then the dependencies in the form of properties, each once, and the package. Nothing where a dependency is
/// malformed.
pub fn annotation(package: &str, bundle: &Bundle) -> Vec<TypedValue> {
    let facts = of_bundle(&package.into(), bundle).unwrap_or_default();
    let mut values: Vec<TypedValue> = facts
        .properties
        .iter()
        .map(|property| TypedValue {
            kind: property.kind.to_string(),
            value: serde_json::from_str(&property.value).unwrap_or_default(),
        })
        .collect();
    if !values.iter().any(|value| value.kind == "olm.package") {
        let version = bundle.version.as_deref().unwrap_or_default();
        values.push(TypedValue {
            kind: "olm.package".to_owned(),
            value: json!({"packageName": package, "version": version}),
        });
    }
    values
}

/// A dependency of an index in the form of a property; nothing for types that OLM does not know.
fn as_property(stored: &Property) -> Result<Option<Property>, String> {
    let (kind, renamed): (&str, &[(&str, &str)]) = match &*stored.kind {
        "olm.gvk" => ("olm.gvk.required", &[]),
        "olm.package" => ("olm.package.required", &[("version", "versionRange")]),
        "olm.label" => ("olm.label.required", &[]),
        CONSTRAINT => return Ok(Some(stored.clone())),
        _ => return Ok(None),
    };
    let value: Map<String, Value> = serde_json::from_str(&stored.value)
        .map_err(|error| format!("its dependency of type {} is malformed: {error}", stored.kind))?;
    let known = ["group", "version", "kind", "packageName", "label"];
    if let Some((key, _)) = value
        .iter()
        .find(|(key, value)| known.contains(&key.as_str()) && !value.is_string() && !value.is_null())
    {
        let kind = &stored.kind;
        return Err(format!("its dependency of type {kind} is malformed: {key} is no text"));
    }
    let rename = |key: String| {
        let to = renamed
            .iter()
            .find(|(from, _)| *from == key)
            .map(|(_, to)| (*to).to_owned());
        to.unwrap_or(key)
    };
    let value: Map<String, Value> = value.into_iter().map(|(key, value)| (rename(key), value)).collect();
    Ok(Some(Property {
        kind: kind.into(),
        value: canonical::to_string(&Value::Object(value)).into(),
    }))
}

impl Facts {
    /// What the bundle needs, in the order of its properties.
    ///
    /// # Errors
    /// In the words of OLM, which gives up over a range or constraint that it cannot read.
    pub(super) fn dependencies(&self) -> Result<Vec<Dependency>, String> {
        let read = self.properties.iter().map(dependency);
        read.filter_map(Result::transpose).collect()
    }
}
