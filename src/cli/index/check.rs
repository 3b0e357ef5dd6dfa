//! `opmx index check`: what is wrong with an index, and mending what needs no decision.

use crate::cli::Context;
use crate::cli::additions;
use crate::cli::arguments::{IndexLimitArguments, OutputArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::guesses;
use crate::cli::hint::registry_hint;
use crate::cli::policy::PolicyArguments;
use crate::database;
use crate::diagnostic;
use crate::image::LAYOUT_FILE;
use crate::index::check::images::Which;
use crate::index::check::{CheckOptions, check};
use crate::index::location::IndexLocation;
use crate::olm::releases::Olm;
use crate::terminal::counted;
use crate::text::Limits;
use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  An index image
  $ opmx index check registry.example.com/index:v1

  A database file, mending what needs no decision
  $ opmx index check index.db --fix

  Before publishing: the registries must have all bundles
  $ opmx index check oci:index:v1 --images

  A file-based catalog, and whether the registries have its bundles
  $ opmx index check catalog --images

  What an administrator does not allow
  $ opmx index check registry.example.com/index:v1 --policy policy.yaml

  What clusters with OLM 0.18 cannot use, and who is stuck because of it
  $ opmx index check registry.example.com/index:v1 --for 0.18.0";

/// Check an index: its channels, its rows, and the sizes of what is in it
///
/// Finds bundles that no update leads to, entries of bundles that are not there, heads and default channels that are
/// none, rounds in the graph, and manifests that cannot be read or that are too large; in a database also rows that
/// belong to nothing and a damaged file, in a file-based catalog all that opmx validate finds. Nothing is changed without
/// --fix, which is for databases only. The exit status is 0 where no error is found; warnings do not change it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CheckArguments {
    /// The index: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or the folder of a file-based
    /// catalog
    #[arg(value_name = "REF|FILE|DIR")]
    index: String,
    /// Mend what needs no decision, in one step, in a database file
    ///
    /// Rows of bundles that are not there go, and so do bundles that no channel has and APIs of no bundle; the only
    /// channel of a package becomes its default channel. What was done is said, and what is left is shown.
    #[arg(long)]
    fix: bool,
    /// Ask the registries whether they have the images: those of the bundles, or with --images=all those that the
    /// operators run and list, too
    ///
    /// Only manifests are asked for, no layers, each image once. An image that is not there is an error, and so is one
    /// whose registry does not say: an index whose images are unknown is not fit to be published. The two have
    /// different rules. A registry that does not answer is not asked again and again.
    #[arg(
        long,
        value_enum,
        value_name = "WHICH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "bundles"
    )]
    images: Option<ImagesArgument>,
    /// Find what clusters with this OLM cannot use: registry+v1 for what no released OLM can, or its version
    ///
    /// A bundle that cannot be installed is an error, with the channels where that stops installations and updates; one
    /// that is installed but works otherwise than meant is a warning. For clusters with several versions name the
    /// oldest: newer ones can do what it can. The number is that of OLM, such as 0.18.0, not that of OpenShift. Without
    /// it, or with proposed, the index is for an OLM that does what the proposals describe.
    #[arg(
        long = "for",
        visible_alias = "olm",
        value_name = "registry+v1|OLM-VERSION|proposed",
        default_value = "proposed"
    )]
    olm: Olm,
    #[command(flatten)]
    policy: PolicyArguments,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: IndexLimitArguments,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ImagesArgument {
    /// The images that are bundles
    Bundles,
    /// Also those that the operators run, and related ones
    All,
}

impl From<ImagesArgument> for Which {
    fn from(argument: ImagesArgument) -> Self {
        match argument {
            ImagesArgument::Bundles => Self::Bundles,
            ImagesArgument::All => Self::All,
        }
    }
}

pub(crate) fn run(arguments: &CheckArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    if let Some(caution) = arguments.olm.caution() {
        printer.warning(caution);
    }
    if arguments.fix {
        let path = match arguments.index.parse()? {
            IndexLocation::File(path) if !path.join(LAYOUT_FILE).is_file() => path,
            IndexLocation::File(_) | IndexLocation::Image(_) => {
                return Err(CommandError::usage("--fix changes a database file, not an image")
                    .hint("take the database out of the image, or make a new image with opmx index prune-stranded"));
            }
        };
        if path.is_dir() {
            let usage = CommandError::usage("--fix changes a database file, not a file-based catalog");
            return Err(usage.hint("opmx migrate and opmx validate help with the files of a catalog"));
        }
        for repair in database::check::repair::repair(&path, &additions::writing(&arguments.limits.database)?)? {
            printer.status(repair);
        }
    }
    let transports = arguments.registry.transports(context);
    let options = CheckOptions {
        olm: arguments.olm.clone(),
        images: arguments.images.map(Which::from),
        policy: arguments.policy.terms(None, &[], &Limits::default(), context)?,
        advice: Some(registry_hint),
        limits: arguments.limits.index(&arguments.registry),
    };
    let asking = |count| printer.status(format_args!("asking for {}", counted(count, "image")));
    let location: IndexLocation = arguments.index.parse()?;
    let checking = check(&location, &transports, &options, asking);
    let checked = context.runtime.block_on(checking);
    let checked = checked.map_err(|error| guesses::with_index_guess(error.into(), &arguments.index))?;
    if !checked.is_complete && (options.olm != Olm::Proposed || options.images.is_some()) {
        printer.warning("the catalog has errors, so neither its images nor clusters were looked at");
    }
    if !checked.is_complete && options.policy.is_some() {
        printer.warning("the catalog has errors, so it was not held against the policy");
    }
    printer.findings(arguments.output.output, &checked.findings)?;
    Ok(if diagnostic::has_errors(&checked.findings) {
        Status::Failure
    } else {
        Status::Success
    })
}
