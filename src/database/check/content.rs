//! Checks the content of the bundles in an index: whether manifests, properties and dependencies are present and can be
//! parsed, and whether manifests are small enough for clients and clusters.

use super::{quoted, texts};
use crate::database::encoding::bytes;
use crate::database::listed::UNLISTED;
use crate::database::read::{Database, ReadError, text};
use crate::diagnostic::Diagnostic;
use crate::olm::dependency::{DependencyKind, Spelling};
use crate::olm::limits::{MESSAGE as LARGEST_MESSAGE, OBJECT as LARGEST_OBJECT};
use crate::olm::problem::Problem;
use crate::olm::property::{MAX_OPENSHIFT_VERSION, OPTIONAL_MANIFESTS};
use crate::olm::{openshift, optional_manifest};
use crate::rules::{self, Gate, Rule};
use crate::steps::{self, Content};
use crate::validation::weigh;
use rusqlite::Row;
use serde::de::IgnoredAny;
use serde_json::Value;

pub(super) fn check(index: &Database, findings: &mut Vec<Diagnostic>) -> Result<(), ReadError> {
    let read = || -> rusqlite::Result<Vec<Diagnostic>> {
        let query = "SELECT name, bundlepath, csv, bundle FROM operatorbundle ORDER BY name";
        let mut statement = index.connection().prepare(query)?;
        let mut rows = statement.query([])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            check_bundle(row, &mut found)?;
        }
        Ok(found)
    };
    findings.extend(read().map_err(|error| index.content_error("the manifests", error))?);
    without_content(index, findings)?;
    unlisted(index, findings)?;
    for (table, what) in [("properties", "property"), ("dependencies", "dependency")] {
        values(index, (table, what), findings)?;
    }
    Ok(())
}

/// Selects the bundles of channels. Only these are rendered and served.
const IN_CHANNELS: &str =
    "name IN (SELECT operatorbundle_name FROM channel_entry WHERE operatorbundle_name IS NOT NULL)";

fn without_content(index: &Database, findings: &mut Vec<Diagnostic>) -> Result<(), ReadError> {
    let query = format!(
        "SELECT name FROM operatorbundle WHERE {IN_CHANNELS} AND coalesce(bundlepath, '') = ''
            AND coalesce(length(csv), 0) = 0 AND coalesce(length(bundle), 0) = 0 ORDER BY name"
    );
    for [name] in texts(index, "the manifests", &query)? {
        let message = format!("bundle {} has neither an image nor manifests", quoted(name.as_deref()));
        findings.push(Diagnostic::new(&rules::INDEX_BUNDLE_CONTENT, message));
    }
    Ok(())
}

/// Reports bundles of channels that no server lists for OLM.
fn unlisted(index: &Database, findings: &mut Vec<Diagnostic>) -> Result<(), ReadError> {
    let query = format!(
        "SELECT name, CASE WHEN version IS NULL THEN 'version' ELSE 'bundlepath' END FROM operatorbundle
         WHERE {IN_CHANNELS} AND {UNLISTED} ORDER BY name"
    );
    for [name, column] in texts(index, "the bundles", &query)? {
        let message = format!(
            "OLM does not see bundle {}, because its {} is NULL",
            quoted(name.as_deref()),
            column.unwrap_or_default()
        );
        findings.push(Diagnostic::new(&rules::INDEX_BUNDLE_UNLISTED, message));
    }
    Ok(())
}

/// Reports the values of a table that are not JSON, or that OLM or OpenShift cannot read.
fn values(
    index: &Database,
    (table, what): (&'static str, &'static str),
    findings: &mut Vec<Diagnostic>,
) -> Result<(), ReadError> {
    let read = || -> rusqlite::Result<Vec<Diagnostic>> {
        let query = format!("SELECT operatorbundle_name, type, value FROM {table} ORDER BY 1, 2");
        let mut statement = index.connection().prepare(&query)?;
        let mut rows = statement.query([])?;
        let mut found = Vec::new();
        let mut limited = None;
        while let Some(row) = rows.next()? {
            let value = bytes(row.get_ref(2)?);
            let (bundle, kind) = (quoted(text(row, 0)?), text(row, 1)?.unwrap_or_default());
            if (table, kind) == ("properties", MAX_OPENSHIFT_VERSION)
                && limited.replace(bundle.clone()).as_ref() == Some(&bundle)
            {
                let message = format!("bundle {bundle} has a second property {kind}");
                let mut finding = Diagnostic::new(&rules::PROP_MAX_OPENSHIFT, message);
                weigh(&mut finding, Gate::Serving);
                found.push(finding);
            }
            if let Err(error) = serde_json::from_slice::<IgnoredAny>(value) {
                let message = format!("the {what} {kind} of bundle {bundle} is not JSON: {error}");
                found.push(Diagnostic::new(&rules::INDEX_PROPERTY_JSON, message));
                continue;
            }
            for (rule, problem) in unread(table, kind, value) {
                let message = format!("the {what} {kind} of bundle {bundle}: {problem}");
                let mut finding = Diagnostic::new(rule, message);
                weigh(&mut finding, Gate::Serving);
                found.push(finding);
            }
        }
        Ok(found)
    };
    findings.extend(read().map_err(|error| index.content_error("the properties", error))?);
    Ok(())
}

/// Returns what is wrong with the parts of a value that OLM ignores, or with a value that OpenShift refuses.
fn unread(table: &str, kind: &str, value: &[u8]) -> Vec<(&'static Rule, String)> {
    let parsed = || serde_json::from_slice::<Value>(value).unwrap_or_default();
    let spelling = match table {
        "dependencies" => Spelling::Dependency,
        _ => Spelling::Property,
    };
    if kind == DependencyKind::Package.name(spelling) {
        let problems = DependencyKind::Package.read(&parsed(), value.len(), spelling).problems;
        let of_intent = problems.into_iter().filter(Problem::is_of_intent);
        return of_intent
            .map(|problem| (&rules::DEP_INTENT_VALUE, problem.to_string()))
            .collect();
    }
    if (table, kind) == ("properties", MAX_OPENSHIFT_VERSION) {
        let problem = openshift::max_version_problem(&parsed());
        return problem
            .map(|problem| (&rules::PROP_MAX_OPENSHIFT, problem))
            .into_iter()
            .collect();
    }
    if (table, kind) != ("properties", OPTIONAL_MANIFESTS) {
        return Vec::new();
    }
    let problems = optional_manifest::problems(&parsed()).into_iter();
    problems
        .map(|(_, problem)| (&rules::OPT_VALUE_SHAPE, problem))
        .collect()
}

fn check_bundle(row: &Row<'_>, found: &mut Vec<Diagnostic>) -> rusqlite::Result<()> {
    let name = text(row, 0)?.unwrap_or_default();
    let inline = text(row, 1)?.unwrap_or_default().is_empty();
    let (csv, objects) = (bytes(row.get_ref(2)?), bytes(row.get_ref(3)?));
    for (what, content) in [("ClusterServiceVersion", csv), ("manifests", objects)] {
        if let Err(error) = std::str::from_utf8(content) {
            let message = format!("the stored {what} of bundle {name:?} cannot be read: {error}");
            found.push(Diagnostic::new(&rules::INDEX_MANIFESTS_JSON, message));
            continue;
        }
        let mut documents = serde_json::Deserializer::from_slice(content).into_iter::<IgnoredAny>();
        if let Some(error) = documents.find_map(Result::err) {
            let message = format!("the stored {what} of bundle {name:?} cannot be read: {error}");
            found.push(Diagnostic::new(&rules::INDEX_MANIFESTS_JSON, message));
        }
    }
    // For a bundle with an image, only the name of the image is sent to a cluster, which fetches the manifests from the
    // image.
    if !inline {
        return Ok(());
    }
    let message = csv.len().saturating_add(objects.len());
    if message > LARGEST_MESSAGE {
        let said = format!(
            "bundle {name:?} needs a message of {message} bytes, but clients accept at most {LARGEST_MESSAGE} bytes"
        );
        found.push(Diagnostic::new(&rules::INDEX_MESSAGE_SIZE, said));
    }
    let content = || {
        let all = serde_json::Deserializer::from_slice(objects).into_iter::<Value>();
        Content::of_objects(name, all.filter_map(Result::ok))
    };
    if let Some(size) = steps::excess(std::iter::once(objects), content) {
        let said = format!(
            "the InstallPlan of bundle {name:?} has a size of {size} bytes, but a cluster stores objects of at most \
            {LARGEST_OBJECT} bytes, so OLM cannot install the bundle"
        );
        found.push(Diagnostic::new(&rules::INDEX_BUNDLE_SIZE, said));
    }
    Ok(())
}
