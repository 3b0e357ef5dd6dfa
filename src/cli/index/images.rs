//! `opmx index list images`: the images to mirror, as a list or as a mapping for mirroring clients.

use super::catalog_argument::CatalogArgument;
use crate::catalog::selection::Selection;
use crate::cli::arguments::{IndexLimitArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::following::{self, DependencyArguments};
use crate::cli::values::name;
use crate::cli::{Context, sources, unlisted};
use crate::index::open::{Index, OpenError};
use crate::mirror::images::{Image, Images, ImagesError, Query, Role, images, versions};
use crate::mirror::mapping::{MappingError, mapping};
use crate::mirror::target::Target;
use crate::resolver::closure::Reason;
use crate::terminal::Format;
use crate::terminal::output::List;
use crate::terminal::table::Table;
use crate::version::VersionRange;
use clap::{Args, ValueEnum};
use std::collections::BTreeSet;

const EXAMPLES: &str = "\
Examples:
  List the images to mirror for one package
  $ opmx index list images registry.example.com/index:v1 etcd

  List the images of the newer versions of a package in one channel, with only required dependencies
  $ opmx index list images index.db -p etcd --channel stable \\
      --version '>=0.9.0' --intent required

  Copy the images with oc
  $ opmx index list images index.db -o mapping \\
      --to mirror.example.com/olm > mapping.txt
  $ oc image mirror -f mapping.txt

  Copy the images with skopeo
  $ while IFS== read -r from to; do
      skopeo copy --all docker://$from docker://$to
    done < mapping.txt";

/// List the bundle images, and all other images that the bundles need
///
/// Dependencies of the selected bundles are included, whether required, recommended or optional. The cluster decides
/// which bundle satisfies a dependency, so all bundles of the index that could satisfy it are included, together with
/// the bundles that those bundles require.
///
/// For each image, shows whether it is named by digest or by tag, and the bundles that need it. Also shows the role of
/// the image in these bundles: bundle image, run by the operator, or only listed as related. For bundles that were not
/// selected, also shows why they are included. If the index does not contain the manifests of a bundle, images that the
/// operator runs cannot be distinguished from related images. Images that bundles only mention, for example in
/// environment variables, are not listed, but reported as warnings. Images that other documents of a file-based catalog
/// name in the fields image and relatedImages have the role document, and are listed with the schema of the document.
///
/// The format mapping has a line SOURCE=DESTINATION for each image, for "oc image mirror -f" and other mirroring
/// clients. The path of an image stays the same below REGISTRY/PREFIX. Clients need a tag for the destination, and
/// registries may delete untagged images, so an image that is named by digest gets the tag digest-HEX; its digest
/// remains valid. If two images would have the same destination, nothing is printed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ImagesArguments {
    #[command(flatten)]
    index: CatalogArgument,
    /// List only this package
    #[arg(value_name = "PACKAGE", conflicts_with = "packages")]
    package: Option<String>,
    /// List only these packages, separated by commas
    #[arg(short, long = "package", value_name = "PACKAGES", value_delimiter = ',', value_parser = name)]
    packages: Vec<String>,
    /// List only bundles of these channels, separated by commas
    #[arg(long, value_name = "CHANNELS", value_delimiter = ',', value_parser = name)]
    channel: Vec<String>,
    /// List only bundles with a version in this range, such as ">=1.0.0 <2.0.0"
    #[arg(long, value_name = "RANGE", value_parser = VersionRange::parse)]
    version: Option<VersionRange>,
    #[command(flatten)]
    dependencies: DependencyArguments,
    /// Print an empty list if nothing is selected, instead of failing
    #[arg(long)]
    allow_empty: bool,
    /// Output format
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t)]
    output: Form,
    /// Registry to copy to, for the format mapping
    #[arg(long, value_name = "REGISTRY[/PREFIX]", required_if_eq("output", "mapping"))]
    to: Option<Target>,
    /// Prefix the path of each image with its host, so that images from different registries never conflict
    #[arg(long, requires = "to")]
    keep_host: bool,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: IndexLimitArguments,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Human-readable text
    #[default]
    Text,
    /// JSON, with stable field names
    Json,
    /// YAML, with the same fields
    Yaml,
    /// Lines for mirroring clients
    Mapping,
}

pub(super) fn run(arguments: &ImagesArguments, context: &Context<'_>) -> CommandResult {
    if arguments.to.is_some() && arguments.output != Form::Mapping {
        return Err(CommandError::usage("--to requires -o mapping"));
    }
    let limits = arguments.limits.index(&arguments.registry);
    let opened = sources::open_catalog(&arguments.index.index, &arguments.registry, limits, context)?;
    let query = Query {
        selection: Selection {
            packages: arguments.package.iter().chain(&arguments.packages).cloned().collect(),
            channels: arguments.channel.clone(),
        },
        version: arguments.version.clone(),
        follow: arguments.dependencies.follow(),
    };
    let found = images(&opened, &query).map_err(|error| match error {
        ImagesError::Index(error) => (*error).into(),
        ImagesError::Selection(error) => arguments.index.unknown(error),
    })?;
    if found.images.is_empty() && !arguments.allow_empty {
        return Err(nothing(arguments, &opened, &query)?);
    }
    following::warn(&found.unsatisfied, &context.printer);
    let hint = "to mirror such an image, copy it separately";
    unlisted::warn("the list", &found.unlisted, hint, &context.printer);
    match (arguments.output, &arguments.to) {
        (Form::Mapping, Some(target)) => print_mapping(&found, target, arguments.keep_host, context),
        (Form::Json, _) => print_list(&found, Format::Json, context),
        (Form::Yaml, _) => print_list(&found, Format::Yaml, context),
        _ => print_table(&found, context),
    }
}

/// Returns the error for an empty selection, with the available versions.
fn nothing(arguments: &ImagesArguments, opened: &Index, query: &Query) -> Result<CommandError, CommandError> {
    const SHOWN: usize = 10;
    let index = &arguments.index.index;
    let error = if query.version.is_some() {
        let catalog = opened.catalog_without_skip_ranges().map_err(OpenError::from)?;
        let versions = versions(&catalog, &query.selection).map_err(|error| arguments.index.unknown(error))?;
        let error = CommandError::missing(format!(
            "{index} contains no bundle with a version in the range of --version"
        ));
        match &versions[..] {
            [] => error,
            [first, .., last] if versions.len() > SHOWN => error.hint(format!(
                "available versions: {}, from {first} to {last}",
                versions.len()
            )),
            _ => error.hint(format!("available versions: {}", versions.join(", "))),
        }
    } else {
        CommandError::missing(format!("{index} contains no image for this selection"))
    };
    Ok(error.hint("use --allow-empty to accept an empty list"))
}

fn print_table(found: &Images, context: &Context<'_>) -> CommandResult {
    let mut table = Table::new(
        context.printer.stdout(),
        ["IMAGE", "NAMED BY", "ROLES", "BUNDLES", "WHY"],
    );
    for image in &found.images {
        let mut roles: Vec<_> = image.bundles.iter().map(|bundle| bundle.role).collect();
        roles.sort_unstable();
        roles.dedup();
        let mut roles: Vec<&str> = roles.into_iter().map(Role::word).collect();
        let mut bundles: Vec<&str> = image.bundles.iter().map(|bundle| bundle.name.as_str()).collect();
        if !image.documents.is_empty() {
            roles.push("document");
            bundles.extend(image.documents.iter().map(|document| document.schema.as_str()));
        }
        let cells = [
            &image.image,
            image.named_by.word(),
            &roles.join(","),
            &bundles.join(","),
            &why(image),
        ];
        table.row(cells)?;
    }
    table.finish()?;
    Ok(Status::Success)
}

/// Returns the reason why an image is listed. The reason is `chosen` if one of its bundles was selected, or if only
/// other documents name it, otherwise the intent of a dependency and the bundles that have this dependency.
fn why(image: &Image) -> String {
    let uses = &image.bundles;
    if uses.is_empty() || uses.iter().any(|used| used.reasons.is_empty()) {
        return "chosen".to_owned();
    }
    let reasons: BTreeSet<&Reason> = uses.iter().flat_map(|used| &used.reasons).collect();
    let Some(strongest) = reasons.iter().map(|reason| reason.intent).min() else {
        return String::new();
    };
    let by: BTreeSet<&str> = reasons
        .iter()
        .filter(|reason| reason.intent == strongest)
        .map(|reason| reason.bundle.as_str())
        .collect();
    let by: Vec<String> = by.into_iter().map(str::to_owned).collect();
    format!("{strongest} by {}", following::some(&by))
}

fn print_list(found: &Images, format: Format, context: &Context<'_>) -> CommandResult {
    let mut list = List::new(context.printer.stdout(), format);
    for image in &found.images {
        list.item(image)?;
    }
    list.finish()?;
    Ok(Status::Success)
}

fn print_mapping(found: &Images, target: &Target, keep_host: bool, context: &Context<'_>) -> CommandResult {
    let names = found.images.iter().map(|image| image.image.as_str());
    let lines = match mapping(names, target, keep_host) {
        Ok(lines) => lines,
        Err(errors) => {
            for error in errors {
                context.printer.error(&error);
                match error {
                    MappingError::NotAnImage { image } => {
                        let named = found.images.iter().find(|found| found.image == image);
                        let bundles = named.into_iter().flat_map(|image| &image.bundles);
                        let bundles: Vec<&str> = bundles.map(|bundle| bundle.name.as_str()).collect();
                        context.printer.detail("named by", bundles.join(", "));
                    }
                    MappingError::Taken { .. } => {
                        context
                            .printer
                            .detail("hint", "use --keep-host to distinguish the images by their hosts");
                    }
                }
            }
            return Ok(Status::Failure);
        }
    };
    let mut output = context.printer.stdout();
    for line in lines {
        output.line(&line.to_string())?;
    }
    Ok(Status::Success)
}
