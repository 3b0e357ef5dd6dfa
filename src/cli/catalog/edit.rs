//! Shared parts of the commands that change a catalog.

use crate::bundle::is_bundle_folder;
use crate::bundle::location::Location;
use crate::catalog::file_based::check::check;
use crate::catalog::file_based::draft::{Draft, DraftError, Removal};
use crate::catalog::file_based::edit::template::TemplateEditor;
use crate::catalog::file_based::edit::{CatalogEditError, Edited, Editor};
use crate::catalog::file_based::limits::CatalogLimits;
use crate::cli::Context;
use crate::cli::arguments::CatalogLimitArguments;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::strictness;
use crate::database::read::is_database;
use crate::diagnostic::Diagnostic;
use crate::terminal::output::OutputError;
use crate::terminal::reports::unified;
use crate::terminal::shell::word;
use crate::terminal::{Printer, counted};
use crate::validation::Strictness;
use clap::Args;
use std::path::{Path, PathBuf};

/// The catalog or template that a command changes.
#[derive(Debug, Args)]
pub(crate) struct EditArguments {
    /// Catalog folder or template file
    #[arg(value_name = "DIR|FILE")]
    catalog: PathBuf,
    #[command(flatten)]
    options: EditOptions,
}

/// The catalog that a command changes, for commands that cannot change templates.
#[derive(Debug, Args)]
pub(crate) struct FolderEditArguments {
    /// Catalog folder
    #[arg(value_name = "DIR")]
    catalog: PathBuf,
    #[command(flatten)]
    options: EditOptions,
}

/// The options for a change.
#[derive(Debug, Args)]
pub(crate) struct EditOptions {
    /// Print the changes as a diff without writing anything
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    limits: CatalogLimitArguments,
}

impl FolderEditArguments {
    /// Changes the catalog, and calls `report` with the result of `change`.
    pub(crate) fn run<T>(
        &self,
        context: &Context<'_>,
        change: impl FnOnce(&mut Editor) -> Result<T, CatalogEditError>,
        report: impl FnOnce(&T, Report<'_>),
    ) -> CommandResult {
        let change = |opened: &mut Opened| change(opened.catalog()?);
        self.options.run(&self.catalog, context, change, report)
    }
}

impl EditArguments {
    /// Returns the limits on the catalog.
    pub(crate) fn limits(&self) -> CatalogLimits {
        self.options.limits.catalog()
    }

    /// Changes the catalog, and calls `report` with the result of `change`.
    pub(crate) fn run<T>(
        &self,
        context: &Context<'_>,
        change: impl FnOnce(&mut Opened) -> Result<T, CatalogEditError>,
        report: impl FnOnce(&T, Report<'_>),
    ) -> CommandResult {
        self.options.run(&self.catalog, context, change, report)
    }
}

impl EditOptions {
    /// Changes a catalog or a template, and calls `report` with the result of `change`.
    fn run<T>(
        &self,
        catalog: &Path,
        context: &Context<'_>,
        change: impl FnOnce(&mut Opened) -> Result<T, CatalogEditError>,
        report: impl FnOnce(&T, Report<'_>),
    ) -> CommandResult {
        let printer = &context.printer;
        require_catalog(catalog)?;
        let edit = || {
            let mut editor = Opened::open(catalog, self.limits.catalog())?;
            let changed = change(&mut editor)?;
            Ok((editor.finish()?, changed))
        };
        let (edited, changed) = match edit() {
            Ok(edited) => edited,
            Err(error) => {
                warn_of_earlier(catalog, self.limits.catalog(), printer);
                return refused(error, printer);
            }
        };
        show(&edited, self.dry_run, printer)?;
        if !self.dry_run {
            edited.write()?;
        }
        let dry_run = self.dry_run;
        report(&changed, Report { printer, dry_run });
        written(&edited, self.dry_run, catalog, &Strictness::default(), printer);
        Ok(Status::Success)
    }
}

/// Reports the effects of a change or, in a dry run, the effects that it would have.
#[derive(Clone, Copy)]
pub(crate) struct Report<'a> {
    pub(crate) printer: &'a Printer,
    dry_run: bool,
}

impl Report<'_> {
    /// Returns `done` or, in a dry run, `would`.
    pub(crate) fn words<'w>(&self, done: &'w str, would: &'w str) -> &'w str {
        if self.dry_run { would } else { done }
    }
}

/// Returns an error if the path is that of a database or a bundle, or the reference of an image.
pub(crate) fn require_catalog(path: &Path) -> Result<(), CommandError> {
    let shown = path.display();
    let quoted = word(&shown.to_string());
    let is_image = |name: &str| name.contains(':') && matches!(name.parse(), Ok(Location::Image(_)));
    if !path.exists() && path.to_str().is_some_and(is_image) {
        let error = CommandError::failure(format!(
            "{shown} is an image, but this command works on the folder of a catalog"
        ));
        let migrate = format!("write the catalog to a folder: opmx migrate {quoted} FOLDER");
        return Err(error
            .hint(migrate)
            .hint("to add bundles to an index image, use opmx index add"));
    }
    if is_bundle_folder(path) {
        let error = CommandError::failure(format!("{shown} is the folder of a bundle, not of a catalog"));
        return Err(error.hint("to add a bundle to a catalog, use opmx catalog add CATALOG --bundle BUNDLE"));
    }
    if !is_database(path).unwrap_or(false) {
        return Ok(());
    }
    let error = CommandError::failure(format!("{shown} is a database, not a file-based catalog"));
    Err(error
        .hint(format!(
            "change the database with a command such as opmx registry add -d {quoted}"
        ))
        .hint(format!(
            "or convert it to a catalog first: opmx migrate {quoted} FOLDER"
        )))
}

/// The catalog or template that is being edited.
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

    /// Returns the catalog. Returns an error for templates.
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

/// Prints the changes of a dry run as a diff.
pub(crate) fn show(edited: &Edited, dry_run: bool, printer: &Printer) -> Result<(), OutputError> {
    if !dry_run {
        return Ok(());
    }
    let shown = edited.folder.display().to_string();
    let changes = edited.files.iter();
    let changes = changes.map(|(path, file)| (path.as_str(), file.before.as_deref(), file.after.as_deref()));
    printer.diff(&unified(&shown, changes))?;
    printer.flush()
}

/// Reports the findings in the changed packages that count as errors at this strictness. Returns whether there are any.
pub(crate) fn denied(edited: &Edited, strictness: &Strictness, printer: &Printer) -> bool {
    let mut findings = edited.findings.clone();
    strictness.weigh_catalog(&mut findings);
    let denied = findings.iter().any(Diagnostic::is_error);
    if denied {
        printer.report(&findings);
        let folder = edited.folder.display();
        printer.error(format_args!(
            "the changed packages in {folder} would have errors, so nothing was written"
        ));
    }
    denied
}

/// Reports the files that changed, or would change, and the tolerated faults that their packages still have.
pub(crate) fn written(edited: &Edited, dry_run: bool, named: &Path, strictness: &Strictness, printer: &Printer) {
    let mut findings = edited.findings.clone();
    strictness.weigh_catalog(&mut findings);
    strictness::warn(&findings, printer);
    let of = format!("the changed packages in {} still have", named.display());
    warn_of_errors(&of, &findings, named, printer);
    for (path, file) in &edited.files {
        let done = match (dry_run, &file.after) {
            (false, Some(_)) => "wrote",
            (false, None) => "removed",
            (true, Some(_)) => "would write",
            (true, None) => "would remove",
        };
        printer.status(format_args!("{done} {}", edited.shown.join(path).display()));
    }
    if edited.files.is_empty() {
        printer.status(format_args!("no changes in {}", named.display()));
    }
}

/// Warns of the errors that a catalog has without the change, which may be the reason why the change fails. They are
/// those that `opmx validate` reports.
pub(crate) fn warn_of_earlier(catalog: &Path, limits: CatalogLimits, printer: &Printer) {
    // A template is not a catalog, although a file can be one.
    if catalog.is_dir()
        && let Ok(mut checked) = check(catalog, limits)
    {
        Strictness::default().weigh_catalog(&mut checked.findings);
        let of = format!("before this change, {} already has", catalog.display());
        warn_of_errors(&of, &checked.findings, catalog, printer);
    }
}

/// Warns of the number of errors in a catalog, with the first ones.
pub(super) fn warn_of_errors(of: &str, findings: &[Diagnostic], catalog: &Path, printer: &Printer) {
    const SHOWN: usize = 3;
    let errors: Vec<&Diagnostic> = findings.iter().filter(|finding| finding.is_error()).collect();
    if errors.is_empty() {
        return;
    }
    let mut shown: Vec<String> = errors.iter().take(SHOWN).map(ToString::to_string).collect();
    if errors.len() > SHOWN {
        shown.push(format!("{} more", errors.len() - SHOWN));
    }
    let all = if catalog.is_dir() {
        format!("; \"opmx validate {}\" shows all", word(&catalog.display().to_string()))
    } else {
        String::new()
    };
    printer.warning(format_args!(
        "{of} {}: {}{all}",
        counted(errors.len(), "error"),
        shown.join("; ")
    ));
}

/// Reports why a catalog was not edited.
pub(crate) fn refused(error: CatalogEditError, printer: &Printer) -> CommandResult {
    if let CatalogEditError::Findings { findings, .. } = &error {
        printer.report(findings);
        printer.error(format_args!("{error}, so nothing was written"));
        return Ok(Status::Failure);
    }
    Err(error.into())
}

/// Reports the channels and bundles that were removed from a package.
pub(crate) fn removed(package: &str, removal: &Removal, report: Report<'_>) {
    let printer = report.printer;
    let removed = report.words("removed", "would remove");
    if removal.whole {
        printer.status(format_args!(
            "{removed} package {package} with {} and {}",
            counted(removal.channels.len(), "channel"),
            counted(removal.bundles.len(), "bundle")
        ));
    } else {
        for channel in &removal.channels {
            printer.status(format_args!("{removed} channel {channel} of package {package}"));
        }
        for bundle in &removal.bundles {
            printer.status(format_args!("{removed} bundle {bundle}"));
        }
        for channel in &removal.channels {
            printer.warning(format_args!(
                "Subscriptions to channel {channel} of package {package} no longer receive updates"
            ));
        }
    }
    for version in &removal.unreached {
        printer.warning(format_args!("package {package} has no update path from {version}"));
    }
    for (bundle, channel) in &removal.stranded {
        printer.warning(format_args!(
            "clusters that run {bundle} from channel {channel} of package {package} stay on this bundle because \
            the channel has no update from it"
        ));
    }
}
