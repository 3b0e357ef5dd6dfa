//! What the commands share that change a catalog.

use crate::catalog::file_based::draft::Removal;
use crate::catalog::file_based::edit::{CatalogEditError, Editor};
use crate::cli::Context;
use crate::cli::arguments::CatalogLimitArguments;
use crate::cli::error::{CommandResult, Status};
use crate::terminal::Printer;
use crate::terminal::reports::unified;
use clap::Args;
use std::path::PathBuf;

/// The catalog that a command changes.
#[derive(Debug, Args)]
pub(crate) struct EditArguments {
    /// Folder of the catalog
    #[arg(value_name = "DIR")]
    catalog: PathBuf,
    /// Print what would change as a diff, and write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    limits: CatalogLimitArguments,
}

impl EditArguments {
    /// Changes the catalog, and says by `report` what `change` did.
    pub(crate) fn run<T>(
        &self,
        context: &Context<'_>,
        change: impl FnOnce(&mut Editor) -> Result<T, CatalogEditError>,
        report: impl FnOnce(&T, &Printer),
    ) -> CommandResult {
        let printer = &context.printer;
        let edit = || {
            let mut editor = Editor::open(&self.catalog, self.limits.catalog())?;
            let changed = change(&mut editor)?;
            Ok((editor.finish()?, changed))
        };
        let (edited, changed) = match edit() {
            Ok(edited) => edited,
            Err(error) => {
                if let CatalogEditError::Findings { findings, .. } = &error {
                    printer.report(findings);
                    printer.error(format_args!("{error}; nothing was written"));
                    return Ok(Status::Failure);
                }
                return Err(error.into());
            }
        };
        let shown = self.catalog.display().to_string();
        if self.dry_run {
            let changes = edited.files.iter();
            let changes = changes.map(|(path, file)| (path.as_str(), file.before.as_deref(), file.after.as_deref()));
            for line in unified(&shown, changes).lines() {
                printer.line(line)?;
            }
            printer.flush()?;
        } else {
            edited.write()?;
        }
        report(&changed, printer);
        for (path, file) in &edited.files {
            let done = match (self.dry_run, &file.after) {
                (false, Some(_)) => "wrote",
                (false, None) => "removed",
                (true, Some(_)) => "would write",
                (true, None) => "would remove",
            };
            printer.status(format_args!("{done} {}", self.catalog.join(path).display()));
        }
        if edited.files.is_empty() {
            printer.status("nothing changes");
        }
        Ok(Status::Success)
    }
}

/// Says what went from a package.
pub(crate) fn removed(package: &str, removal: &Removal, printer: &Printer) {
    for channel in &removal.channels {
        printer.status(format_args!("channel {channel} of package {package} is gone"));
    }
    for bundle in &removal.bundles {
        printer.status(format_args!("bundle {bundle} is gone"));
    }
    for (bundle, channel) in &removal.stranded {
        printer.warning(format_args!(
            "clusters that run {bundle} from channel {channel} of package {package} stay there: nothing in the channel leads on"
        ));
    }
}
