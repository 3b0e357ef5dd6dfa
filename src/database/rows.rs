//! Inserts the rows of a bundle into all tables except `operatorbundle`: its images, APIs, dependencies and properties.

use rusqlite::{Connection, Statement, ToSql};

/// The beginning of a statement that inserts a bundle. The values follow in the order of these columns.
pub(super) const INSERT_BUNDLE: &str = "INSERT INTO operatorbundle
    (name, csv, bundle, bundlepath, skiprange, version, replaces, skips, substitutesfor)";

/// The name, version and path of the bundle that a row belongs to. An empty version or path is stored as NULL.
#[derive(Clone, Copy)]
pub(super) struct Owner<'a> {
    pub(super) name: &'a str,
    version: Option<&'a str>,
    path: Option<&'a str>,
}

impl<'a> Owner<'a> {
    pub(super) fn new(name: &'a str, version: &'a str, path: &'a str) -> Self {
        let filled = |text: &'a str| (!text.is_empty()).then_some(text);
        Self {
            name,
            version: filled(version),
            path: filled(path),
        }
    }
}

/// A statement for each kind of row.
pub(super) struct Inserts<'c> {
    image: Statement<'c>,
    api: Statement<'c>,
    provider: Statement<'c>,
    requirer: Statement<'c>,
    dependency: Statement<'c>,
    property: Statement<'c>,
}

impl<'c> Inserts<'c> {
    pub(super) fn new(connection: &'c Connection) -> rusqlite::Result<Self> {
        // A bundle is only linked to APIs that are in the table `api`.
        let link = |table: &str| {
            connection.prepare(&format!(
                "INSERT INTO {table} (group_name, version, kind,
                    operatorbundle_name, operatorbundle_version, operatorbundle_path)
                 SELECT ?1, ?2, ?3, ?4, ?5, ?6
                 WHERE EXISTS (SELECT 1 FROM api WHERE group_name = ?1 AND version = ?2 AND kind = ?3)"
            ))
        };
        let typed = |table: &str| {
            connection.prepare(&format!(
                "INSERT INTO {table}
                    (type, value, operatorbundle_name, operatorbundle_version, operatorbundle_path)
                 VALUES (?1, ?2, ?3, ?4, ?5)"
            ))
        };
        Ok(Self {
            image: connection.prepare("INSERT INTO related_image (image, operatorbundle_name) VALUES (?1, ?2)")?,
            // An API keeps the plural name with which it was first stored.
            api: connection
                .prepare("INSERT OR IGNORE INTO api (group_name, version, kind, plural) VALUES (?1, ?2, ?3, ?4)")?,
            provider: link("api_provider")?,
            requirer: link("api_requirer")?,
            dependency: typed("dependencies")?,
            property: typed("properties")?,
        })
    }

    pub(super) fn image(&mut self, image: impl ToSql, bundle: &str) -> rusqlite::Result<()> {
        self.image.execute((image, bundle)).map(drop)
    }

    pub(super) fn api(&mut self, [group, version, kind]: [&str; 3], plural: &str) -> rusqlite::Result<()> {
        self.api.execute((group, version, kind, plural)).map(drop)
    }

    /// Links the bundle to an API that it provides.
    pub(super) fn provided(&mut self, api: [&str; 3], owner: Owner<'_>) -> rusqlite::Result<()> {
        link(&mut self.provider, api, owner)
    }

    /// Links the bundle to an API that it requires.
    pub(super) fn required(&mut self, api: [&str; 3], owner: Owner<'_>) -> rusqlite::Result<()> {
        link(&mut self.requirer, api, owner)
    }

    pub(super) fn dependency(&mut self, kind: impl ToSql, value: impl ToSql, owner: Owner<'_>) -> rusqlite::Result<()> {
        typed(&mut self.dependency, kind, value, owner)
    }

    pub(super) fn property(&mut self, kind: impl ToSql, value: impl ToSql, owner: Owner<'_>) -> rusqlite::Result<()> {
        typed(&mut self.property, kind, value, owner)
    }
}

fn link(statement: &mut Statement<'_>, [group, version, kind]: [&str; 3], owner: Owner<'_>) -> rusqlite::Result<()> {
    let row = (group, version, kind, owner.name, owner.version, owner.path);
    statement.execute(row).map(drop)
}

fn typed(statement: &mut Statement<'_>, kind: impl ToSql, value: impl ToSql, owner: Owner<'_>) -> rusqlite::Result<()> {
    let row = (kind, value, owner.name, owner.version, owner.path);
    statement.execute(row).map(drop)
}
