//! What the commands share that change a catalog.

use crate::catalog::file_based::draft::{Draft, DraftError, Removal};
use crate::catalog::file_based::edit::template::TemplateEditor;
use crate::catalog::file_based::edit::{CatalogEditError, Edited, Editor};
use crate::catalog::file_based::read::CatalogLimits;
use crate::cli::Context;
use crate::cli::arguments::CatalogLimitArguments;
use crate::cli::error::{CommandResult, Status};
use crate::terminal::Printer;
use crate::terminal::output::OutputError;
use crate::terminal::reports::unified;
use clap::Args;
use std::path::{Path, PathBuf};

/// The catalog or template that a command changes.
#[derive(Debug, Args)]
pub(crate) struct EditArguments {
    /// Folder of the catalog, or file of a template
    #[arg(value_name = "DIR|FILE")]
    catalog: PathBuf,
    /// Print what would change as a diff, and write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    limits: CatalogLimitArguments,
}

impl EditArguments {
    /// How much the catalog may hold.
    pub(crate) fn limits(&self) -> CatalogLimits {
        self.limits.catalog()
    }

    /// Changes the catalog, and says by `report` what `change` did.
    pub(crate) fn run<T>(
        &self,
        context: &Context<'_>,
        change: impl FnOnce(&mut Opened) -> Result<T, CatalogEditError>,
        report: impl FnOnce(&T, &Printer),
    ) -> CommandResult {
        let printer = &context.printer;
        let edit = || {
            let mut editor = Opened::open(&self.catalog, self.limits.catalog())?;
            let changed = change(&mut editor)?;
            Ok((editor.finish()?, changed))
        };
        let (edited, changed) = match edit() {
            Ok(edited) => edited,
            Err(error) => return refused(error, printer),
        };
        show(&edited, self.dry_run, printer)?;
        if !self.dry_run {
            edited.write()?;
        }
        report(&changed, printer);
        written(&edited, self.dry_run, &self.catalog, printer);
        Ok(Status::Success)
    }
}

/// What is being edited.
pub(crate) enum Opened {
    Catalog(Editor),
    Template(TemplateEditor),
}

impl Opened {
    pub(crate) fn open(path: &Path, limits: CatalogLimits) -> Result<Self, CatalogEditError> {
        Ok(if path.is_file() {
            Self::Template(TemplateEditor::open(path, limits)?)
        } else {
            Self::Catalog(Editor::open(path, limits)?)
        })
    }

    /// Changes a package.
    pub(crate) fn change<T>(
        &mut self,
        package: &str,
        change: impl FnOnce(&mut Draft) -> Result<T, DraftError>,
    ) -> Result<T, CatalogEditError> {
        match self {
            Self::Catalog(editor) => editor.change(package, change),
            Self::Template(editor) => editor.change(package, change),
        }
    }

    /// The catalog; templates are refused.
    pub(crate) fn catalog(&mut self) -> Result<&mut Editor, CatalogEditError> {
        match self {
            Self::Catalog(editor) => Ok(editor),
            Self::Template(editor) => Err(editor.unsupported().into()),
        }
    }

    pub(crate) fn finish(self) -> Result<Edited, CatalogEditError> {
        match self {
            Self::Catalog(editor) => editor.finish(),
            Self::Template(editor) => editor.finish(),
        }
    }
}

/// Prints a change that is not made, as a diff.
pub(crate) fn show(edited: &Edited, dry_run: bool, printer: &Printer) -> Result<(), OutputError> {
    if !dry_run {
        return Ok(());
    }
    let shown = edited.folder.display().to_string();
    let changes = edited.files.iter();
    let changes = changes.map(|(path, file)| (path.as_str(), file.before.as_deref(), file.after.as_deref()));
    for line in unified(&shown, changes).lines() {
        printer.line(line)?;
    }
    printer.flush()
}

/// Says which files changed, or would.
pub(crate) fn written(edited: &Edited, dry_run: bool, named: &Path, printer: &Printer) {
    for (path, file) in &edited.files {
        let done = match (dry_run, &file.after) {
            (false, Some(_)) => "wrote",
            (false, None) => "removed",
            (true, Some(_)) => "would write",
            (true, None) => "would remove",
        };
        printer.status(format_args!("{done} {}", edited.folder.join(path).display()));
    }
    if edited.files.is_empty() {
        printer.status(format_args!("nothing changes in {}", named.display()));
    }
}

/// Says why a catalog is not edited.
pub(crate) fn refused(error: CatalogEditError, printer: &Printer) -> CommandResult {
    if let CatalogEditError::Findings { findings, .. } = &error {
        printer.report(findings);
        printer.error(format_args!("{error}; nothing was written"));
        return Ok(Status::Failure);
    }
    Err(error.into())
}

/// Says what went from a package.
pub(crate) fn removed(package: &str, removal: &Removal, printer: &Printer) {
    for channel in &removal.channels {
        printer.status(format_args!("removed channel {channel} of package {package}"));
    }
    for bundle in &removal.bundles {
        printer.status(format_args!("removed bundle {bundle}"));
    }
    for (bundle, channel) in &removal.stranded {
        printer.warning(format_args!(
            "clusters that run {bundle} from channel {channel} of package {package} stay there: nothing in the channel leads on"
        ));
    }
}
