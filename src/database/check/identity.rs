//! Checks what an index says about the version, the package and the deprecation of a bundle in more than one place.

use super::{quoted, texts};
use crate::database::read::{Database, ReadError};
use crate::database::schema;
use crate::diagnostic::Diagnostic;
use crate::olm::property::{DEPRECATED, PACKAGE};
use crate::rules;
use crate::version::parse_strict;
use serde::Deserialize;
use std::collections::{BTreeSet, HashMap};

pub(super) fn check(index: &Database, findings: &mut Vec<Diagnostic>) -> Result<(), ReadError> {
    versions(index, findings)?;
    packages(index, findings)?;
    if index.schema_version() >= schema::DEPRECATED_SINCE {
        deprecations(index, findings)?;
    }
    Ok(())
}

fn versions(index: &Database, findings: &mut Vec<Diagnostic>) -> Result<(), ReadError> {
    let query = "SELECT name, version FROM operatorbundle WHERE version <> '' ORDER BY 1";
    for [bundle, version] in texts(index, "the bundles", query)? {
        let version = version.unwrap_or_default();
        if let Err(reason) = parse_strict(&version) {
            let bundle = quoted(bundle.as_deref());
            let message = format!("the version {version:?} of bundle {bundle} is not a semantic version: {reason}");
            findings.push(Diagnostic::new(&rules::INDEX_BUNDLE_VERSION, message));
        }
    }
    Ok(())
}

/// The value of a property `olm.package`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stated {
    package_name: Option<String>,
    version: Option<String>,
}

/// Reports properties that state another package or version than the other tables.
fn packages(index: &Database, findings: &mut Vec<Diagnostic>) -> Result<(), ReadError> {
    let mut packages: HashMap<String, BTreeSet<String>> = HashMap::new();
    let entries = "SELECT DISTINCT operatorbundle_name, package_name FROM channel_entry";
    for [bundle, package] in texts(index, "the channels", entries)? {
        let of_bundle = packages.entry(bundle.unwrap_or_default()).or_default();
        of_bundle.insert(package.unwrap_or_default());
    }
    let query = format!(
        "SELECT DISTINCT operatorbundle_name, value, version FROM properties
         JOIN operatorbundle ON operatorbundle.name = operatorbundle_name WHERE type = '{PACKAGE}' ORDER BY 1, 2"
    );
    for [bundle, value, version] in texts(index, "the properties", &query)? {
        let bundle = bundle.unwrap_or_default();
        // A value of another form is reported elsewhere.
        let Ok(stated) = serde_json::from_str::<Stated>(&value.unwrap_or_default()) else {
            continue;
        };
        let mut report = |message: String| {
            let message = format!("the property {PACKAGE} of bundle {bundle:?} {message}");
            findings.push(Diagnostic::new(&rules::INDEX_PACKAGE_PROPERTY, message));
        };
        if let (Some(stated), Some(packages)) = (stated.package_name, packages.get(&bundle))
            && !packages.contains(&stated)
        {
            let packages: Vec<String> = packages.iter().map(|package| format!("{package:?}")).collect();
            let packages = packages.join(", ");
            report(format!(
                "names package {stated:?}, but the bundle is in package {packages}"
            ));
        }
        let version = version.unwrap_or_default();
        if let Some(stated) = stated.version.filter(|stated| *stated != version) {
            report(format!(
                "states version {stated:?}, but the version of the bundle is {version:?}"
            ));
        }
    }
    Ok(())
}

/// Reports bundles that are deprecated only according to their properties.
fn deprecations(index: &Database, findings: &mut Vec<Diagnostic>) -> Result<(), ReadError> {
    let query = format!(
        "SELECT name FROM operatorbundle
         WHERE name IN (SELECT operatorbundle_name FROM properties WHERE type = '{DEPRECATED}')
            AND name NOT IN (SELECT operatorbundle_name FROM deprecated WHERE operatorbundle_name IS NOT NULL)
         ORDER BY 1"
    );
    for [bundle] in texts(index, "the deprecated bundles", &query)? {
        let bundle = quoted(bundle.as_deref());
        let message = format!("bundle {bundle} has the property {DEPRECATED}, but no row in table deprecated");
        findings.push(Diagnostic::new(&rules::INDEX_DEPRECATED_ROW, message));
    }
    Ok(())
}
