//! What the commands share that write file-based catalogs.

use crate::catalog::file_based::migrate::Level;
use crate::catalog::file_based::read::CatalogLimits;
use crate::catalog::file_based::write::Language;
use crate::cli::Context;
use crate::cli::arguments::{LimitArguments, RegistryArguments};
use crate::cli::error::CommandError;
use crate::index::intake::IntakeError;
use crate::index::render::Options;
use crate::index::render::sources::{Bounds, Form, Source, SourceError};
use clap::{Args, ValueEnum};

/// The form of a catalog.
#[derive(Debug, Args)]
pub(crate) struct FormArguments {
    /// Language of the catalog
    #[arg(short, long, value_enum, value_name = "LANGUAGE", default_value_t)]
    output: OutputLanguage,
    /// Replace old forms by newer ones, up to this level
    ///
    /// "bundle-object-to-csv-metadata" puts what user interfaces show of a bundle in the place of its manifests, where the
    /// bundle has an image that holds them: the catalog becomes much smaller, and needs an OLM from 2023 on.
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t)]
    migrate_level: MigrateLevel,
    /// Leave out dependencies that are recommended or optional
    ///
    /// An OLM that does not know intents takes each dependency as required.
    #[arg(long)]
    required_only: bool,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum OutputLanguage {
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

impl FormArguments {
    /// The form; `all` where another flag asks for every level.
    pub(crate) fn form(&self, all: bool) -> Result<Form, CommandError> {
        if all && self.migrate_level != MigrateLevel::None {
            return Err(CommandError::usage(
                "--migrate asks for all levels, and --migrate-level for one: give one of them",
            ));
        }
        let level = match self.migrate_level {
            MigrateLevel::None if !all => Level::None,
            _ => Level::BundleObjectToCsvMetadata,
        };
        let language = match self.output {
            OutputLanguage::Json => Language::Json,
            OutputLanguage::Yaml => Language::Yaml,
        };
        Ok(Form { language, level })
    }

    /// Opens everything that is named.
    pub(crate) fn open(
        &self,
        names: &[String],
        registry: &RegistryArguments,
        limits: &LimitArguments,
        context: &Context<'_>,
    ) -> Result<Vec<Source>, CommandError> {
        let transports = registry.transports(context);
        let bounds = Bounds {
            tree: limits.tree(),
            text: limits.text(),
            catalog: CatalogLimits::default(),
            image: registry.max_image_size.0,
        };
        let options = Options {
            required_only: self.required_only,
        };
        context.runtime.block_on(async {
            let mut sources = Vec::with_capacity(names.len());
            for name in names {
                let opened = Source::open(name, &transports, &bounds, options).await;
                sources.push(opened.map_err(|error| refused(name, error, context))?);
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
    CommandError::from(error).context(format!("cannot render {name}"))
}
