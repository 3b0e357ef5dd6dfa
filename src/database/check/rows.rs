//! Checks for damaged pages and inconsistent rows.

use super::{quoted, texts};
use crate::database::read::{Database, ReadError};
use crate::database::schema;
use crate::diagnostic::Diagnostic;
use crate::rules;
use crate::visible::hidden_in;

/// The tables whose rows belong to a bundle.
pub(super) const OWNED: [&str; 6] = [
    "related_image",
    "api_provider",
    "api_requirer",
    "dependencies",
    "properties",
    "deprecated",
];

/// The tables in [`OWNED`] whose rows repeat the version and the image of the bundle.
pub(super) const WITH_VERSION: [&str; 4] = ["api_provider", "api_requirer", "dependencies", "properties"];

/// The columns with names of packages, channels and bundles, by table.
pub(super) const NAMES: [(&str, &[&str]); 10] = [
    ("package", &["name", "default_channel"]),
    ("channel", &["name", "package_name", "head_operatorbundle_name"]),
    (
        "channel_entry",
        &["channel_name", "package_name", "operatorbundle_name"],
    ),
    ("operatorbundle", &["name"]),
    ("related_image", &["operatorbundle_name"]),
    ("api_provider", &["operatorbundle_name"]),
    ("api_requirer", &["operatorbundle_name"]),
    ("dependencies", &["operatorbundle_name"]),
    ("properties", &["operatorbundle_name"]),
    ("deprecated", &["operatorbundle_name"]),
];

/// Selects the rows of a table that belong to a missing bundle.
pub(super) const ORPHANS: &str = "operatorbundle_name IS NULL OR operatorbundle_name NOT IN (SELECT name FROM operatorbundle WHERE name IS NOT NULL)";

/// Selects the APIs that no bundle provides or requires.
pub(super) const UNUSED_APIS: &str = "(group_name, version, kind) NOT IN (
        SELECT group_name, version, kind FROM api_provider
        WHERE group_name IS NOT NULL AND version IS NOT NULL AND kind IS NOT NULL
        UNION ALL SELECT group_name, version, kind FROM api_requirer
        WHERE group_name IS NOT NULL AND version IS NOT NULL AND kind IS NOT NULL)";

pub(super) fn check(index: &Database, findings: &mut Vec<Diagnostic>) -> Result<(), ReadError> {
    let has = |table: &str| table != "deprecated" || index.schema_version() >= schema::DEPRECATED_SINCE;
    damage(index, findings)?;
    for (table, columns) in NAMES.into_iter().filter(|(table, _)| has(table)) {
        for column in columns {
            names(index, (table, column), findings)?;
        }
    }
    hidden_characters(index, findings)?;
    for table in OWNED.into_iter().filter(|table| has(table)) {
        orphans(index, table, findings)?;
    }
    for table in WITH_VERSION {
        owners(index, table, findings)?;
    }
    apis(index, findings)
}

fn damage(index: &Database, findings: &mut Vec<Diagnostic>) -> Result<(), ReadError> {
    for [line] in texts(index, "the pages", "PRAGMA integrity_check(100)")? {
        let line = line.unwrap_or_default();
        if line != "ok" {
            findings.push(Diagnostic::new(
                &rules::INDEX_DATABASE_DAMAGED,
                format!("the database is damaged: {line}"),
            ));
        }
    }
    Ok(())
}

/// Reports names that are stored as blobs. SQLite compares no blob as equal to a string.
fn names(index: &Database, (table, column): (&str, &str), findings: &mut Vec<Diagnostic>) -> Result<(), ReadError> {
    let query =
        format!("SELECT CAST(count(*) AS TEXT) FROM {table} WHERE typeof({column}) = 'blob' HAVING count(*) > 0");
    for [count] in texts(index, "the names", &query)? {
        let message = format!(
            "column {column} of table {table} contains {} name(s) as bytes instead of text, so no query finds them",
            count.unwrap_or_default()
        );
        findings.push(Diagnostic::new(&rules::INDEX_NAME_BYTES, message));
    }
    Ok(())
}

/// Reports names that contain invisible characters.
fn hidden_characters(index: &Database, findings: &mut Vec<Diagnostic>) -> Result<(), ReadError> {
    for [package] in texts(index, "the packages", "SELECT name FROM package ORDER BY 1")? {
        findings.extend(hidden_in("the package", &package.unwrap_or_default()).map(hidden_character));
    }
    let channels = "SELECT package_name, name FROM channel ORDER BY 1, 2";
    for [package, channel] in texts(index, "the channels", channels)? {
        let what = format!("in package {}, the channel", quoted(package.as_deref()));
        findings.extend(hidden_in(&what, &channel.unwrap_or_default()).map(hidden_character));
    }
    for [bundle] in texts(index, "the bundles", "SELECT name FROM operatorbundle ORDER BY 1")? {
        findings.extend(hidden_in("the bundle", &bundle.unwrap_or_default()).map(hidden_character));
    }
    Ok(())
}

fn hidden_character(message: String) -> Diagnostic {
    Diagnostic::new(&rules::NAME_HIDDEN_CHARACTER, message)
}

fn orphans(index: &Database, table: &'static str, findings: &mut Vec<Diagnostic>) -> Result<(), ReadError> {
    let query = format!(
        "SELECT operatorbundle_name, CAST(count(*) AS TEXT) FROM {table} WHERE {ORPHANS} GROUP BY 1 ORDER BY 1"
    );
    for [bundle, count] in texts(index, "the rows of bundles", &query)? {
        let message = format!(
            "table {table} contains {} row(s) of bundle {}, which is not in the index",
            count.unwrap_or_default(),
            quoted(bundle.as_deref())
        );
        findings.push(Diagnostic::new(&rules::INDEX_ORPHAN_ROW, message));
    }
    Ok(())
}

fn owners(index: &Database, table: &'static str, findings: &mut Vec<Diagnostic>) -> Result<(), ReadError> {
    let query = format!(
        "SELECT bundle.name, CAST(count(*) AS TEXT) FROM {table} AS row
         JOIN operatorbundle AS bundle ON bundle.name = row.operatorbundle_name
         WHERE (row.operatorbundle_version IS NOT NULL AND row.operatorbundle_version IS NOT bundle.version)
            OR (row.operatorbundle_path IS NOT NULL AND row.operatorbundle_path IS NOT bundle.bundlepath)
         GROUP BY 1 ORDER BY 1"
    );
    for [bundle, count] in texts(index, "the rows of bundles", &query)? {
        let message = format!(
            "table {table} contains {} row(s) of bundle {} whose version or image differs from that of the bundle",
            count.unwrap_or_default(),
            quoted(bundle.as_deref())
        );
        findings.push(Diagnostic::new(&rules::INDEX_ROW_OWNER, message));
    }
    Ok(())
}

fn apis(index: &Database, findings: &mut Vec<Diagnostic>) -> Result<(), ReadError> {
    let named = |[group, version, kind]: [Option<String>; 3]| {
        let shown = [group, version, kind].map(Option::unwrap_or_default);
        shown.join("/")
    };
    let unused = format!("SELECT group_name, version, kind FROM api WHERE {UNUSED_APIS} ORDER BY 1, 2, 3");
    for api in texts(index, "the APIs", &unused)? {
        let message = format!("no bundle provides or requires the API {}", named(api));
        findings.push(Diagnostic::new(&rules::INDEX_API_UNUSED, message));
    }
    for (table, verb) in [("api_provider", "provides"), ("api_requirer", "requires")] {
        let query = format!(
            "SELECT DISTINCT operatorbundle_name, group_name, version, kind FROM {table} AS row
             WHERE NOT EXISTS (SELECT 1 FROM api WHERE api.group_name = row.group_name
                AND api.version = row.version AND api.kind = row.kind) ORDER BY 1, 2, 3, 4"
        );
        for [bundle, group, version, kind] in texts(index, "the APIs", &query)? {
            let message = format!(
                "bundle {} {verb} the API {}, which is missing from the API table",
                quoted(bundle.as_deref()),
                named([group, version, kind])
            );
            findings.push(Diagnostic::new(&rules::INDEX_API_MISSING, message));
        }
    }
    Ok(())
}
