//! Checks the manifests stored in an index: whether they can be parsed, and whether they are small enough for clients
//! and clusters.

use crate::database::read::{Database, ReadError, text};
use crate::diagnostic::Diagnostic;
use crate::olm::limits::{MESSAGE as LARGEST_MESSAGE, OBJECT as LARGEST_OBJECT};
use crate::rules;
use crate::steps::{self, Content};
use rusqlite::Row;
use rusqlite::types::ValueRef;
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
    Ok(())
}

fn check_bundle(row: &Row<'_>, found: &mut Vec<Diagnostic>) -> rusqlite::Result<()> {
    let name = text(row, 0)?.unwrap_or_default();
    let inline = text(row, 1)?.unwrap_or_default().is_empty();
    let (csv, objects) = (bytes(row.get_ref(2)?), bytes(row.get_ref(3)?));
    for (what, content) in [("ClusterServiceVersion", csv), ("manifests", objects)] {
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

fn bytes(value: ValueRef<'_>) -> &[u8] {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
        _ => &[],
    }
}
