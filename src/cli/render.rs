//! `opmx render`: indexes, catalogs and bundles as one file-based catalog.

use crate::cli::Context;
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, RegistryArguments};
use crate::cli::catalog_output::FormArguments;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::strictness::StrictnessArguments;
use crate::index::render::image_reference::ImageReferenceTemplate;
use crate::index::render::sources::write_all;
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  A database as a catalog
  $ opmx render index.db > catalog/catalog.json

  A new bundle for a catalog, in YAML
  $ opmx render registry.example.com/etcd-bundle:v0.9.4 -o yaml >> catalog/etcd.yaml

  A catalog image, in its smallest form
  $ opmx render registry.example.com/catalog:v1 --migrate > catalog/catalog.json";

/// Write indexes, catalogs and bundles as a file-based catalog
///
/// Takes databases, index images, catalogs in folders and images, and bundles in folders and images. The documents of
/// all of them come in one order: by package, the package itself, its channels, its bundles. Of a catalog, only the
/// types of fields are checked: opmx validate does the rest. A bundle of plain manifests (k8s+v1) becomes one that
/// every OLM installs, its objects inside the catalog.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RenderArguments {
    /// What to write: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file or a folder
    #[arg(value_name = "REF|FILE|DIR", required = true)]
    sources: Vec<String>,
    #[command(flatten)]
    form: FormArguments,
    /// Replace all old forms by newer ones
    #[arg(long)]
    migrate: bool,
    /// Image of bundles in folders, with the places {{.Package}}, {{.Name}} and {{.Version}}
    #[arg(long, hide = true, value_name = "REF")]
    alpha_image_ref_template: Option<ImageReferenceTemplate>,
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
    let form = arguments.form.form(arguments.migrate)?;
    let published = arguments.alpha_image_ref_template.as_ref();
    let sources = arguments.form.open(
        &arguments.sources,
        published,
        &arguments.registry,
        arguments.limits.source(&arguments.database, &arguments.registry),
        arguments.strictness.strictness(),
        context,
    )?;
    let mut output = context.printer.stdout();
    write_all(&sources, form, |_, document| {
        output
            .written(&String::from_utf8_lossy(document))
            .map_err(CommandError::from)
    })?;
    Ok(Status::Success)
}
