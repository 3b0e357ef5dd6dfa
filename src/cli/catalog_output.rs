//! What the commands share that write file-based catalogs.

use crate::catalog::file_based::migrate::Level;
use crate::catalog::file_based::write::Language;
use crate::cli::arguments::RegistryArguments;
use crate::cli::error::CommandError;
use crate::cli::strictness;
use crate::cli::{Context, guesses};
use crate::index::intake::IntakeError;
use crate::index::open::SourceLimits;
use crate::index::render::RenderOptions;
use crate::index::render::image_reference::ImageReferenceTemplate;
use crate::index::render::sources::{Form, RenderSource, SourceError, SourceOptions};
use crate::validation::Strictness;
use clap::{Args, ValueEnum};

/// The form of a catalog.
#[derive(Debug, Args)]
pub(crate) struct FormArguments {
    /// Language of the catalog
    #[arg(short, long, value_enum, value_name = "LANGUAGE", default_value_t)]
    output: OutputLanguage,
    #[command(flatten)]
    content: ContentArguments,
}

/// What is in a catalog.
#[derive(Debug, Args)]
pub(crate) struct ContentArguments {
    /// Replace old forms by newer ones, up to this level
    ///
    /// "bundle-object-to-csv-metadata" puts what user interfaces show of a bundle in the place of its manifests, where
    /// the bundle has an image that holds them: the catalog becomes much smaller, and needs an OLM from 2023 on.
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t)]
    migrate_level: MigrateLevel,
    /// Leave out dependencies that are recommended or optional
    ///
    /// An OLM that does not know intents takes each dependency as required.
    #[arg(long)]
    required_only: bool,
}

/// The language of documents.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum OutputLanguage {
    /// JSON, as opm indents it
    #[default]
    Json,
    /// YAML, with sorted keys
    Yaml,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum MigrateLevel {
    /// Change nothing
    #[default]
    None,
    /// Manifests of bundles that have an image give way to olm.csv.metadata
    BundleObjectToCsvMetadata,
    /// Everything that there is
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

impl ContentArguments {
    /// How far old forms are replaced; `all` where another flag asks for every level.
    pub(crate) fn level(&self, all: bool) -> Result<Level, CommandError> {
        if all && self.migrate_level != MigrateLevel::None {
            return Err(CommandError::usage(
                "--migrate asks for all levels, and --migrate-level for one: give one of them",
            ));
        }
        Ok(match self.migrate_level {
            MigrateLevel::None if !all => Level::None,
            _ => Level::BundleObjectToCsvMetadata,
        })
    }

    /// What goes into the catalog.
    pub(crate) fn options(&self) -> RenderOptions {
        RenderOptions {
            required_only: self.required_only,
        }
    }
}

impl FormArguments {
    /// The form; `all` where another flag asks for every level.
    pub(crate) fn form(&self, all: bool) -> Result<Form, CommandError> {
        Ok(Form {
            language: self.output.into(),
            level: self.content.level(all)?,
        })
    }

    /// Opens everything that is named. Bundles in folders get a reference where one is `published`.
    pub(crate) fn open(
        &self,
        names: &[String],
        published: Option<&ImageReferenceTemplate>,
        registry: &RegistryArguments,
        limits: SourceLimits,
        strictness: Strictness,
        context: &Context<'_>,
    ) -> Result<Vec<RenderSource>, CommandError> {
        let transports = registry.transports(context);
        let opening = SourceOptions {
            limits,
            strictness,
            options: self.content.options(),
            published,
        };
        context.runtime.block_on(async {
            let mut sources = Vec::with_capacity(names.len());
            for name in names {
                let opened = RenderSource::open(name, &transports, &opening).await;
                let opened = opened.map_err(|error| refused(name, error, context))?;
                strictness::warn(opened.findings(), &context.printer);
                sources.push(opened);
            }
            Ok(sources)
        })
    }
}

/// Shows what a bundle has wrong, and names what could not be opened.
fn refused(name: &str, error: SourceError, context: &Context<'_>) -> CommandError {
    if let SourceError::Intake(IntakeError::Findings { diagnostics, .. }) = &error {
        context.printer.report(diagnostics);
    }
    guesses::with_index_guess(CommandError::from(error).context(format!("cannot render {name}")), name)
}
