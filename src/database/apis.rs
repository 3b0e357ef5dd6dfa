//! The APIs that the bundles of an index provide and require.

use super::read::{Database, ReadError, text};
use crate::kubernetes::GroupVersionKind;
use crate::kubernetes::served::ServedResource;

impl Database {
    /// Returns every kind in the index, with its plural name, in a fixed order.
    ///
    /// # Errors
    /// Returns an error if the database cannot be read or changes while it is being read.
    pub fn apis(&self) -> Result<Vec<ServedResource>, ReadError> {
        let failed = |source| self.content_error("the APIs", source);
        let query = "SELECT group_name, version, kind, plural FROM api ORDER BY group_name, plural, kind, version";
        let mut statement = self.connection().prepare(query).map_err(failed)?;
        let rows = statement.query_map([], |row| {
            let column = |column| Ok::<_, rusqlite::Error>(text(row, column)?.unwrap_or_default().to_owned());
            Ok(ServedResource {
                gvk: GroupVersionKind::new(column(0)?, column(1)?, column(2)?),
                resource: column(3)?,
                namespaced: None,
            })
        });
        rows.map_err(failed)?.collect::<Result<_, _>>().map_err(failed)
    }
}
