//! Checks for damaged pages, unreadable strings and inconsistent rows.

use super::{quoted, texts};
use crate::database::name_bytes::NAMES;
use crate::database::read::{Database, ReadError, text};
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

/// Reports what SQLite finds wrong with the pages. It may end with an error at a damaged page; what it found before
/// stays.
pub(super) fn damage(index: &Database, findings: &mut Vec<Diagnostic>) -> Result<(), ReadError> {
    let mut lines = Vec::new();
    let mut read = || -> rusqlite::Result<()> {
        let mut statement = index.connection().prepare("PRAGMA integrity_check(100)")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            // The first line names the database file, which has only one name here.
            let report = text(row, 0)?.unwrap_or_default().lines();
            lines.extend(report.filter(|line| !line.starts_with("*** ")).map(str::to_owned));
        }
        Ok(())
    };
    let ended = read();
    if lines.is_empty() {
        return ended.map_err(|error| index.content_error("the pages", error));
    }
    for line in lines.iter().filter(|line| *line != "ok") {
        let place = root_page(line).and_then(|page| place_of(index, page));
        let message = format!("the database is damaged: {line}{}", place.unwrap_or_default());
        findings.push(Diagnostic::new(&rules::INDEX_DATABASE_DAMAGED, message));
    }
    Ok(())
}

/// Returns the number of the first page of the table or index that a line of SQLite is about, as in `Tree 12 page 14`
/// or `Page 12`.
fn root_page(line: &str) -> Option<i64> {
    let number = line.strip_prefix("Tree ").or_else(|| line.strip_prefix("Page "))?;
    number.split([' ', ':']).next()?.parse().ok()
}

/// Returns the name of the table or index that begins at a page, for a message.
fn place_of(index: &Database, root_page: i64) -> Option<String> {
    let query = "SELECT type || ' ' || name FROM sqlite_master WHERE rootpage = ?1";
    let name = index
        .connection()
        .query_row(query, [root_page], |row| row.get::<_, String>(0));
    name.ok().map(|name| format!(" ({name})"))
}

/// Reports strings that are not valid UTF-8, which make other readers fail.
pub(super) fn encoding(index: &Database, findings: &mut Vec<Diagnostic>) -> Result<(), ReadError> {
    let places = index.invalid_text(usize::MAX);
    for place in places.map_err(|error| index.content_error("the rows", error))? {
        let message = format!("{place} is not valid UTF-8");
        findings.push(Diagnostic::new(&rules::INDEX_TEXT_ENCODING, message));
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
