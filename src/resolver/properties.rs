//! The properties and dependencies of bundles, read from a catalog.

use crate::catalog::{Bundle, Property, Text};
use crate::kubernetes::GroupVersionKind;
use crate::olm::dependency::DependencyKind;
use crate::olm::dependency::Spelling;
use crate::olm::property::{self, DEPRECATED, GVK, LABEL, PACKAGE, holds_manifests};
use crate::olm::releases::Olm;
use crate::olm::spelling;
use crate::text::canonical;
use crate::version::parse_strict;
use semver::Version;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashSet;

/// The properties of a bundle that are relevant for a resolution.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// The properties from the catalog, then the dependencies converted to properties, without duplicates.
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

/// Reads properties that are already in OLM's format.
pub(super) fn of_stored(properties: Vec<Property>) -> Facts {
    let mut facts = Facts::default();
    let mut seen = HashSet::new();
    for property in properties {
        match &*property.kind {
            GVK => facts.apis.extend(property.group_version_kind()),
            PACKAGE => {
                if let Ok(package) = serde_json::from_str::<StoredPackage>(&property.value) {
                    facts.packages.push(PackageProperty {
                        name: package.package_name,
                        version: parse_strict(&package.version).ok(),
                    });
                }
            }
            LABEL => {
                let label = serde_json::from_str::<StoredLabel>(&property.value);
                facts.labels.extend(label.ok().map(|label| label.label));
            }
            DEPRECATED => facts.deprecated = true,
            _ => {}
        }
        // Equal values may be stored with a different key order.
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

/// Reads a bundle of a catalog as `olm` does.
///
/// # Errors
/// Returns an error if a dependency is malformed; OLM skips such a bundle.
pub(super) fn of_bundle(package: &Text, bundle: &Bundle, olm: &Olm) -> Result<Facts, String> {
    let mut properties = bundle.properties.clone();
    // Properties with manifests are long, but irrelevant.
    properties.retain(|property| !holds_manifests(&property.kind));
    for dependency in &bundle.dependencies {
        properties.extend(as_property(dependency, olm)?);
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

/// Returns the properties that OLM writes into an annotation of the ClusterServiceVersion when it installs this bundle:
/// the properties from the catalog, then the dependencies converted to properties, without duplicates. Adds the package
/// if it is missing. If a dependency is malformed, only the package is returned.
pub fn annotation(package: &str, bundle: &Bundle) -> Vec<property::Property> {
    let facts = of_bundle(&package.into(), bundle, &Olm::Proposed).unwrap_or_default();
    let parsed = |stored: &Property| {
        let value: Value = serde_json::from_str(&stored.value).unwrap_or_default();
        property::Property::new(&*stored.kind, value)
    };
    let mut values: Vec<_> = facts.properties.iter().map(parsed).collect();
    if !values.iter().any(|value| value.kind == PACKAGE) {
        let version = bundle.version.as_deref().unwrap_or_default();
        let value = json!({"packageName": package, "version": version});
        values.push(property::Property::new(PACKAGE, value));
    }
    values
}

/// Converts a dependency of an index to a property; `None` for types that OLM does not know.
///
/// # Errors
/// Returns an error if `olm` cannot read the dependency.
pub(super) fn as_property(stored: &Property, olm: &Olm) -> Result<Option<Property>, String> {
    let kind = &stored.kind;
    let malformed = |reason: String| format!("its dependency of type {kind} is malformed: {reason}");
    let Some(known) = DependencyKind::of(kind, Spelling::Dependency) else {
        return Ok(None);
    };
    // Errors in a constraint are reported when the constraint is read as a property.
    if known == DependencyKind::Constraint {
        return Ok(Some(stored.clone()));
    }
    let value: Value = serde_json::from_str(&stored.value).map_err(|error| malformed(error.to_string()))?;
    let reading = known.read(&value, stored.value.len(), Spelling::Dependency).by(olm);
    if let Some(problem) = reading.problems.iter().find(|problem| problem.is_fatal()) {
        return Err(malformed(format!("{problem}")));
    }
    let property = spelling::as_property(kind, &value);
    Ok(property.map(|(kind, value)| Property::new(kind, canonical::to_string(&value))))
}
