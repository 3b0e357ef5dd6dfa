//! `opmx index list images`: what must be mirrored, as a list or as the mapping that mirroring clients read.

use super::catalog_argument::CatalogArgument;
use crate::catalog::selection::Selection;
use crate::cli::arguments::{IndexLimitArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::following::{self, IntentArgument, PreferenceArguments};
use crate::cli::{Context, sources};
use crate::index::open::{Index, OpenError};
use crate::mirror::images::{Images, ImagesError, Query, Role, Use, images, versions};
use crate::mirror::mapping::{MappingError, Target, mapping};
use crate::resolver::closure::{Follow, Reason};
use crate::terminal::Format;
use crate::terminal::output::List;
use crate::terminal::table::Table;
use crate::version::VersionRange;
use clap::{Args, ValueEnum};
use std::collections::BTreeSet;

const EXAMPLES: &str = "\
Examples:
  What must be mirrored for one package
  $ opmx index list images registry.example.com/index:v1 etcd

  For its newer versions in one channel, with what they require and nothing else
  $ opmx index list images index.db -p etcd --channel stable \\
      --version '>=0.9.0' --intent required

  Copy them, with oc
  $ opmx index list images index.db -o mapping \\
      --to mirror.example.com/olm > mapping.txt
  $ oc image mirror -f mapping.txt

  Copy them, with skopeo
  $ while IFS== read -r from to; do
      skopeo copy --all docker://$from docker://$to
    done < mapping.txt";

/// List the images of the bundles: their own, and those that they run
///
/// What the chosen bundles depend on comes along, whether it is required, recommended or optional: all bundles of the
/// index that could be it, for which one is installed is decided in the cluster. And so on with what these require.
///
/// Each image comes with what names it, digest or tag, and with the bundles that need it and its role in them: it is
/// the bundle, the operator runs it, or it is only listed as related; and with the reason why a bundle that was not
/// chosen is there. Where the index does not keep the manifests of a bundle, those that the operator runs cannot be
/// told from related ones.
///
/// The form mapping has a line SOURCE=DESTINATION for each image, as "oc image mirror -f" and other mirroring clients
/// read it. The path of an image stays the same below REGISTRY/PREFIX. Clients want a tag for the destination, and
/// registries forget what has none, so an image that is named by digest gets the tag digest-HEX; it is still found by
/// its digest. Where two images would get one name nothing is printed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ImagesArguments {
    #[command(flatten)]
    index: CatalogArgument,
    /// Only this package
    #[arg(value_name = "PACKAGE", conflicts_with = "packages")]
    package: Option<String>,
    /// Only these packages, separated by commas
    #[arg(short, long = "package", value_name = "PACKAGES", value_delimiter = ',')]
    packages: Vec<String>,
    /// Only bundles of these channels, separated by commas
    #[arg(long, value_name = "CHANNELS", value_delimiter = ',')]
    channel: Vec<String>,
    /// Only bundles whose version is in this range, such as ">=1.0.0 <2.0.0"
    #[arg(long, value_name = "RANGE", value_parser = VersionRange::parse)]
    version: Option<VersionRange>,
    /// Follow only dependencies of the chosen bundles that have one of these intents
    ///
    /// Dependencies on packages have an intent, required where they do not say another; those on APIs are required.
    /// What is there as a dependency brings along what it requires itself, whatever the intents.
    #[arg(
        long,
        value_enum,
        value_name = "INTENTS",
        value_delimiter = ',',
        default_values = ["required", "recommended", "optional"]
    )]
    intent: Vec<IntentArgument>,
    /// Print an empty list where nothing is chosen, rather than fail
    #[arg(long)]
    allow_empty: bool,
    /// Only the chosen bundles, and nothing that they depend on
    #[arg(long, conflicts_with_all = ["intent", "without_recommended", "with_optional"])]
    no_dependencies: bool,
    #[command(flatten)]
    preferences: PreferenceArguments,
    /// Form of the result
    #[arg(short, long, value_enum, value_name = "FORM", default_value_t)]
    output: Form,
    /// Where the images go, for the form mapping
    #[arg(long, value_name = "REGISTRY[/PREFIX]", required_if_eq("output", "mapping"))]
    to: Option<Target>,
    /// Put the host of each image in front of its path, so that images of several registries never meet
    #[arg(long, requires = "to")]
    keep_host: bool,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: IndexLimitArguments,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For a person
    #[default]
    Text,
    /// JSON, with stable field names
    Json,
    /// The same fields as YAML
    Yaml,
    /// Lines for mirroring clients
    Mapping,
}

pub(super) fn run(arguments: &ImagesArguments, context: &Context<'_>) -> CommandResult {
    if arguments.to.is_some() && arguments.output != Form::Mapping {
        return Err(CommandError::usage("--to needs -o mapping"));
    }
    let limits = arguments.limits.index(&arguments.registry);
    let opened = sources::open_catalog(&arguments.index.index, &arguments.registry, limits, context)?;
    let query = Query {
        selection: Selection {
            packages: arguments.package.iter().chain(&arguments.packages).cloned().collect(),
            channels: arguments.channel.clone(),
        },
        version: arguments.version.clone(),
        follow: if arguments.no_dependencies {
            Follow::default()
        } else {
            following::follow(&arguments.intent, &arguments.preferences)
        },
    };
    let found = images(&opened, &query).map_err(|error| match error {
        ImagesError::Index(error) => (*error).into(),
        ImagesError::Selection(error) => arguments.index.unknown(error),
    })?;
    if found.images.is_empty() && !arguments.allow_empty {
        return Err(nothing(arguments, &opened, &query)?);
    }
    following::warn(&found.unsatisfied, &context.printer);
    match (arguments.output, &arguments.to) {
        (Form::Mapping, Some(target)) => print_mapping(&found, target, arguments.keep_host, context),
        (Form::Json, _) => print_list(&found, Format::Json, context),
        (Form::Yaml, _) => print_list(&found, Format::Yaml, context),
        _ => print_table(&found, context),
    }
}

/// Says that nothing is chosen, and what could be.
fn nothing(arguments: &ImagesArguments, opened: &Index, query: &Query) -> Result<CommandError, CommandError> {
    const SHOWN: usize = 10;
    let index = &arguments.index.index;
    let error = if query.version.is_some() {
        let catalog = opened.catalog_without_skip_ranges().map_err(OpenError::from)?;
        let versions = versions(&catalog, &query.selection).map_err(|error| arguments.index.unknown(error))?;
        let error = CommandError::missing(format!(
            "{index} has no bundle with a version in the range of --version"
        ));
        match &versions[..] {
            [] => error,
            [first, .., last] if versions.len() > SHOWN => {
                error.hint(format!("there are {} versions, from {first} to {last}", versions.len()))
            }
            _ => error.hint(format!("there is {}", versions.join(", "))),
        }
    } else {
        CommandError::missing(format!("{index} names no image of what was chosen"))
    };
    Ok(error.hint("--allow-empty takes an empty list for an answer"))
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
        let roles: Vec<&str> = roles.into_iter().map(Role::word).collect();
        let bundles: Vec<&str> = image.bundles.iter().map(|bundle| bundle.name.as_str()).collect();
        let cells = [
            &image.image,
            image.named_by.word(),
            &roles.join(","),
            &bundles.join(","),
            &why(&image.bundles),
        ];
        table.row(cells)?;
    }
    table.finish()?;
    Ok(Status::Success)
}

/// Why an image is there: `chosen`, or the bundles that want one of its bundles.
fn why(uses: &[Use]) -> String {
    if uses.iter().any(|used| used.reasons.is_empty()) {
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
                    MappingError::Taken { .. } => context.printer.detail("hint", "tell them apart with --keep-host"),
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
