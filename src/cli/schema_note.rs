//! The note that a change has migrated a database to a newer schema version.

use crate::database::schema;
use crate::terminal::Printer;
use std::path::Path;

/// Reports the migration of a database that had this schema version before the change, if it was an older one.
pub(crate) fn report(before: Option<i64>, database: &Path, printer: &Printer) {
    if let Some(version) = before.filter(|version| *version < schema::VERSION) {
        printer.status(format_args!(
            "migrated {} from schema version {version} to {}",
            database.display(),
            schema::VERSION
        ));
    }
}
