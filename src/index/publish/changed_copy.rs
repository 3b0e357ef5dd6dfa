//! A changed copy of an index, as a database.

use super::{Applied, CatalogForm, IndexChange, PublishError, PublishOptions};
use crate::database::add::settle;
use crate::database::change::{self, ChangeOptions, Target};
use crate::files::TemporaryFolder;
use crate::index::follow::{FollowError, FollowedCatalog, follow};
use crate::index::import::{Imported, import};
use crate::index::location::{CatalogFolder, Fetched, IndexLocation};
use std::path::{Path, PathBuf};

/// A changed copy of an index.
pub(super) struct Copied<T> {
    /// The value that the change returned.
    pub(super) changed: T,
    pub(super) imported: Imported,
    made_of: Option<MadeOf>,
}

impl<T> Copied<T> {
    /// Repeats the change to `database` in the catalog from which the database was made, unless the index becomes a
    /// database.
    pub(super) fn follow<C: IndexChange<Outcome = T>>(
        &mut self,
        database: &Path,
        options: PublishOptions<'_>,
    ) -> Result<Option<FollowedCatalog>, FollowError> {
        let Some(MadeOf { catalog, before, .. }) = &self.made_of else {
            return Ok(None);
        };
        if options.form == CatalogForm::Database {
            return Ok(None);
        }
        // The catalog keeps the data that the database cannot represent.
        self.imported.not_kept.clear();
        let additions = options.mode.zip(C::additions(&mut self.changed));
        follow(catalog, before, database, additions, options.limits.catalog).map(Some)
    }
}

/// The file-based catalog from which a database was made.
struct MadeOf {
    catalog: CatalogFolder,
    /// The database before the change.
    before: PathBuf,
    // The folder is deleted when this value is dropped.
    _folder: TemporaryFolder,
}

/// Changes a copy of an index at `to`, or a new index if there is no original; error messages name it `shown`. A
/// file-based catalog becomes a database first.
pub(super) async fn change_copy<C: IndexChange>(
    from: Option<&IndexLocation>,
    (to, shown): (&Path, &Path),
    options: PublishOptions<'_>,
    change: &C,
    applied: Applied,
) -> Result<Copied<C::Outcome>, PublishError> {
    let named = from;
    let fetched = match from {
        Some(from) => Some(from.fetch_any(options.transports, options.limits.image).await?),
        None => None,
    };
    // The database made from a catalog is kept here until its changed copy is written.
    let folder = TemporaryFolder::new()?;
    let database = folder.file("index.db")?;
    let mut imported = Imported::default();
    let from = match &fetched {
        None => None,
        Some(Fetched::Database(database)) => Some(database.path()),
        Some(Fetched::Catalog(catalog)) => {
            let target = Target::Copy {
                from: None,
                to: &database,
                shown: &database,
            };
            // The database is needed even if the change is only tried.
            let writing = ChangeOptions {
                dry_run: false,
                ..*options.writing
            };
            imported = import(catalog, options.limits.catalog, options.strictness, &target, &writing)?;
            if let Some(mode) = options.mode {
                settle(mode, &Target::InPlace(&database), &writing)?;
            }
            Some(&*database)
        }
    };
    let target = Target::Copy { from, to, shown };
    change::check(&target, options.writing)?;
    let changed = change
        .apply(&target, applied)
        .await
        .map_err(|error| error.of_index(named))?;
    let made_of = match fetched {
        Some(Fetched::Catalog(catalog)) => Some(MadeOf {
            catalog,
            before: database,
            _folder: folder,
        }),
        _ => None,
    };
    Ok(Copied {
        changed,
        imported,
        made_of,
    })
}
