//! Changes of a database file in place.

use crate::cli::Context;
use crate::cli::additions;
use crate::cli::arguments::DatabaseLimitArguments;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::schema_note;
use crate::database::change::{ChangeOptions, Target};
use crate::database::read::stated_version;
use std::path::Path;

/// Changes a database in place. `change` makes and reports the change.
pub(super) fn change(
    database: &Path,
    dry_run: bool,
    limits: &DatabaseLimitArguments,
    context: &Context<'_>,
    change: impl FnOnce(&Target<'_>, &ChangeOptions) -> Result<(), CommandError>,
) -> CommandResult {
    let options = ChangeOptions {
        dry_run,
        ..additions::writing(limits)?
    };
    let before = stated_version(database);
    change(&Target::InPlace(database), &options)?;
    schema_note::report(before, database, &context.printer);
    if dry_run {
        context.printer.status("nothing was written");
    }
    Ok(Status::Success)
}
