//! Shared options of the commands that write file-based catalogs.

use crate::catalog::file_based::migrate::{Level, Loss, LostIcons};
use crate::catalog::file_based::write::Language;
use crate::cli::error::CommandError;
use crate::cli::strictness;
use crate::cli::{Context, guesses};
use crate::image::Transports;
use crate::index::intake::IntakeError;
use crate::index::render::RenderOptions;
use crate::index::render::sources::{Form, RenderSource, SourceError, SourceOptions, write_all};
use crate::terminal::{Printer, counted};
use clap::{Args, ValueEnum};

/// The options for the language and the content of a catalog.
#[derive(Debug, Args)]
pub(crate) struct FormArguments {
    /// Language of the catalog
    #[arg(short, long, value_enum, value_name = "LANGUAGE", default_value_t)]
    output: OutputLanguage,
    #[command(flatten)]
    content: ContentArguments,
}

/// The options for the content of a catalog.
#[derive(Debug, Args)]
pub(crate) struct ContentArguments {
    /// Replace old forms of content with newer forms, up to this level
    ///
    /// "bundle-object-to-csv-metadata" replaces the manifests of a bundle with the metadata that user interfaces show,
    /// if the bundle has an image that contains the manifests. The catalog becomes much smaller, but requires a version
    /// of OLM from 2023 or later.
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t)]
    migrate_level: MigrateLevel,
    /// Omit recommended and optional dependencies
    ///
    /// OLM versions that do not support these dependencies treat them as required.
    #[arg(long)]
    required_only: bool,
}

/// The language of documents.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum OutputLanguage {
    /// JSON, indented like the output of opm
    #[default]
    Json,
    /// YAML, with sorted keys
    Yaml,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum MigrateLevel {
    /// Change nothing
    #[default]
    None,
    /// Replace manifests with olm.csv.metadata in bundles that have an image
    BundleObjectToCsvMetadata,
    /// Replace all old forms
    All,
}

impl From<OutputLanguage> for Language {
    fn from(language: OutputLanguage) -> Self {
        match language {
            OutputLanguage::Json => Self::Json,
            OutputLanguage::Yaml => Self::Yaml,
        }
    }
}

impl From<MigrateLevel> for Level {
    fn from(level: MigrateLevel) -> Self {
        match level {
            MigrateLevel::None => Self::None,
            MigrateLevel::BundleObjectToCsvMetadata | MigrateLevel::All => Self::BundleObjectToCsvMetadata,
        }
    }
}

impl ContentArguments {
    /// Returns the migration level. `all` is set if another flag requests all levels.
    pub(crate) fn level(&self, all: bool) -> Level {
        if all {
            Level::BundleObjectToCsvMetadata
        } else {
            self.migrate_level.into()
        }
    }

    /// Returns the options for the content of the catalog.
    pub(crate) fn options(&self) -> RenderOptions {
        RenderOptions {
            required_only: self.required_only,
        }
    }
}

impl FormArguments {
    /// Returns the form. `all` is set if another flag requests all levels.
    pub(crate) fn form(&self, all: bool) -> Form {
        Form {
            language: self.output.into(),
            level: self.content.level(all),
        }
    }

    /// Returns the options for the content of the catalog.
    pub(crate) fn options(&self) -> RenderOptions {
        self.content.options()
    }
}

/// Opens all named sources.
pub(crate) fn open(
    names: &[String],
    opening: &SourceOptions<'_>,
    transports: &Transports,
    context: &Context<'_>,
) -> Result<Vec<RenderSource>, CommandError> {
    context.runtime.block_on(async {
        let mut sources = Vec::with_capacity(names.len());
        for name in names {
            let opened = RenderSource::open(name, transports, opening).await;
            let opened = opened.map_err(|error| refused(name, error, context))?;
            strictness::warn(opened.findings(), &context.printer);
            let omitted: Vec<&str> = opened.omitted().into_iter().map(|(_, name)| name).collect();
            report_omitted(&omitted, &context.printer);
            for (package, fault) in opened.faults() {
                context.printer.warning(format_args!(
                    "package {package} {fault}, so the catalog is invalid and cannot be served; \"opmx index check\" lists the problems in the index"
                ));
            }
            report_unlisted(&opened.unlisted(), &context.printer);
            if opened.is_empty() {
                context.printer.warning(format_args!(
                    "{name} contains no package, so nothing is rendered from it"
                ));
            }
            sources.push(opened);
        }
        Ok(sources)
    })
}

/// Prints the documents of all sources as one catalog. Output is held back only while a database is open, so that a
/// large catalog from elsewhere does not fill the buffer.
pub(crate) fn print(sources: &[RenderSource], form: Form, printer: &Printer) -> Result<(), CommandError> {
    let holds_database = sources.iter().any(RenderSource::holds_database);
    let mut output = printer.stdout();
    let lost_icons = write_all(sources, form, |_, document| -> Result<(), CommandError> {
        let text = String::from_utf8_lossy(document);
        if holds_database {
            output.written(&text)?;
        } else {
            output.written_at_once(&text)?;
        }
        Ok(())
    })?;
    drop(output);
    report_lost_icons(&lost_icons, printer);
    Ok(())
}

/// Warns of the icons that the catalog lacks.
pub(crate) fn report_lost_icons(lost: &[LostIcons], printer: &Printer) {
    for lost in lost {
        let bundles = match lost.count {
            1 => lost.bundle.clone(),
            count => format!("{} and {}", lost.bundle, counted(count - 1, "other bundle")),
        };
        let why = match lost.loss {
            Loss::Unreadable => format!("because the icon of {bundles} is not base64"),
            Loss::Migrated => format!("and the manifests with the icon of {bundles} were replaced"),
        };
        printer.warning(format_args!(
            "package {} has no icon, {why}; add the icon to the olm.package document",
            lost.package
        ));
    }
}

/// Reports the bundles that are omitted from a catalog because they are deprecated.
pub(crate) fn report_omitted(bundles: &[impl AsRef<str>], printer: &Printer) {
    if bundles.is_empty() {
        return;
    }
    let count = counted(bundles.len(), "deprecated bundle");
    printer.status(format_args!("omitted {count}: {}", named(bundles)));
}

/// Warns of the bundles of a database that are not in the catalog.
fn report_unlisted(bundles: &[&str], printer: &Printer) {
    if bundles.is_empty() {
        return;
    }
    let count = counted(bundles.len(), "bundle");
    printer.warning(format_args!(
        "the catalog omits {count} not in a channel of any package: {}; \"opmx index check\" lists the problems in the index",
        named(bundles)
    ));
}

/// Returns the first names, and the number of the others.
fn named(bundles: &[impl AsRef<str>]) -> String {
    const NAMED: usize = 5;
    let mut named: Vec<String> = bundles
        .iter()
        .take(NAMED)
        .map(|name| name.as_ref().to_owned())
        .collect();
    if bundles.len() > NAMED {
        named.push(format!("{} more", bundles.len() - NAMED));
    }
    named.join(", ")
}

/// Reports the findings about a bundle, and returns an error with the name of the source.
fn refused(name: &str, error: SourceError, context: &Context<'_>) -> CommandError {
    if let SourceError::Intake(IntakeError::Findings { diagnostics, .. }) = &error {
        context.printer.report(diagnostics);
    }
    guesses::with_index_guess(CommandError::from(error).context(format!("cannot render {name}")), name)
}
