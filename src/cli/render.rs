//! `opmx render`: writing indexes, catalogs and bundles as one file-based catalog.

use crate::cli::Context;
use crate::cli::api_sources::ApiSourceArguments;
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, RegistryArguments};
use crate::cli::catalog_output::{self, FormArguments};
use crate::cli::error::{CommandResult, Status};
use crate::cli::strictness::StrictnessArguments;
use crate::cli::values::filled;
use crate::index::render::image_reference::ImageReferenceTemplate;
use crate::index::render::sources::SourceOptions;
use clap::Args;
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  Render a database as a catalog
  $ opmx render index.db > catalog/catalog.json

  Render a new bundle for a catalog, in YAML
  $ opmx render registry.example.com/etcd-bundle:v0.9.4 -o yaml >> catalog/etcd.yaml

  Render a catalog image in its smallest form
  $ opmx render registry.example.com/catalog:v1 --migrate > catalog/catalog.json";

/// Print indexes, catalogs and bundles as one file-based catalog
///
/// Accepts databases, index images, and catalogs and bundles in folders and images. The documents of all sources are
/// sorted by package: first the package itself, then its channels, then its bundles. Only the types of catalog fields
/// are checked; opmx validate checks everything else. A bundle of plain manifests (k8s+v1) becomes a bundle that every
/// OLM version can install, and its objects are part of the catalog.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RenderArguments {
    /// Sources to render: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file or a folder
    #[arg(value_name = "REF|FILE|DIR", required = true, value_parser = filled())]
    sources: Vec<String>,
    #[command(flatten)]
    form: FormArguments,
    /// Replace all old forms of catalog content with newer forms
    #[arg(long, conflicts_with = "migrate_level")]
    migrate: bool,
    /// Image of bundles in folders, with the placeholders {{.Package}}, {{.Name}} and {{.Version}}
    #[arg(long, hide = true, value_name = "REF")]
    alpha_image_ref_template: Option<ImageReferenceTemplate>,
    #[command(flatten)]
    api_sources: ApiSourceArguments,
    #[command(flatten)]
    strictness: StrictnessArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    database: DatabaseLimitArguments,
}

pub(crate) fn run(arguments: &RenderArguments, context: &Context<'_>) -> CommandResult {
    let form = arguments.form.form(arguments.migrate);
    let limits = arguments.limits.source(&arguments.database, &arguments.registry);
    let outside = arguments.api_sources.outside(&arguments.registry, &limits, context)?;
    let opening = SourceOptions {
        limits,
        strictness: arguments.strictness.strictness(),
        options: arguments.form.options(),
        outside: outside.map(Arc::new),
        published: arguments.alpha_image_ref_template.as_ref(),
    };
    let transports = arguments.registry.transports(context);
    let sources = catalog_output::open(&arguments.sources, &opening, &transports, context)?;
    catalog_output::print(&sources, form, &context.printer)?;
    Ok(Status::Success)
}
