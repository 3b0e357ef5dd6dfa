//! `opmx index add`: bundles into an index image.

use crate::cli::additions::{self, AdditionArguments, Gathered};
use crate::cli::arguments::{ImageToolArguments, LimitArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::{Context, sources};
use crate::files::{self, FileError, TemporaryFolder};
use crate::image::{Digest, Image, Reference, Transports, source_date_epoch};
use crate::index::image::{self, DATABASE_PATH, Program};
use crate::index::open::{self, Target};
use clap::Args;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  A new index, pushed to a registry
  $ opmx index add -b registry.example.com/etcd-bundle:v0.9.4 -t registry.example.com/index:v1

  More bundles into it, from images and folders
  $ opmx index add -b registry.example.com/etcd-bundle:v0.9.5,./prometheus \\
      -f registry.example.com/index:v1 -t registry.example.com/index:v2

  Many bundles, one on each line of a file
  $ opmx index add --bundles-from bundles.txt -t oci:index:latest

  Only the database and a Dockerfile, for another tool to build
  $ opmx index add -b ./etcd --generate";

/// Add bundles to an index image
///
/// All bundles are added, or none. The index begins empty, or with what --from-index holds. The image holds the
/// database and opmx itself, which serves it. The reference with its digest is printed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AddArguments {
    /// Bundles, separated by commas: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG or folders
    #[arg(
        short,
        long,
        value_name = "BUNDLES",
        value_delimiter = ',',
        required_unless_present = "bundles_from"
    )]
    bundles: Vec<String>,
    /// Index to begin with: an image, or a database file
    #[arg(short, long, value_name = "REF|FILE")]
    from_index: Option<String>,
    /// Where the index image goes: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG
    #[arg(
        short,
        long,
        value_name = "REF",
        required_unless_present = "generate",
        conflicts_with = "generate"
    )]
    tag: Option<String>,
    /// Base image, with a program that serves the index; without it the image holds only opmx
    #[arg(short = 'i', long, value_name = "REF")]
    binary_image: Option<String>,
    /// Build no image: write database/index.db and index.Dockerfile into the working folder
    #[arg(long)]
    generate: bool,
    /// Name of the Dockerfile that --generate writes
    #[arg(
        short = 'd',
        long,
        value_name = "FILE",
        default_value = "index.Dockerfile",
        requires = "generate"
    )]
    out_dockerfile: PathBuf,
    #[command(flatten)]
    additions: AdditionArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    tools: ImageToolArguments,
}

/// The base image that opm's own Dockerfile stands on.
const OPM_IMAGE: &str = "opm:latest";

pub(crate) fn run(arguments: &AddArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    arguments.tools.answer(printer);
    let transports = arguments.registry.transports(context);
    match &arguments.tag {
        None => generate(arguments, &transports, context),
        Some(tag) => {
            let target: Reference = tag.parse()?;
            let base = arguments.base(&transports, context)?;
            let before = arguments.digest_to_replace(&target, &transports, context)?;
            let folder = TemporaryFolder::new()?;
            let database = folder.path().join("index.db");
            let Some(gathered) = add(arguments, &database, &transports, context)? else {
                return Ok(Status::Failure);
            };
            let own = std::env::current_exe().map_err(|error| FileError::new("find", "opmx", error))?;
            let program = base.as_ref().map_or(Program::Static(&own), Program::Base);
            let image = image::image_of(&database, &program)?;
            if let Some(before) = before {
                let now = context.runtime.block_on(transports.resolve(&target))?;
                if now != before {
                    let message = format!("{target} was changed by somebody else meanwhile, so nothing was pushed");
                    return Err(CommandError::failure(message).hint("run the command again, on the index as it is now"));
                }
            }
            let pinned = context.runtime.block_on(transports.push(&image, &target))?;
            additions::report(&gathered.0, &gathered.1, context);
            printer.line(pinned.to_string())?;
            Ok(Status::Success)
        }
    }
}

type Outcome = (crate::index::add::Report, Vec<crate::diagnostic::Diagnostic>);

/// Writes the database with the new bundles; `None` where some cannot be added, which has been said.
fn add(
    arguments: &AddArguments,
    database: &Path,
    transports: &Transports,
    context: &Context<'_>,
) -> Result<Option<Outcome>, CommandError> {
    let start = arguments
        .from_index
        .as_ref()
        .map(|index| sources::database(index, &arguments.registry, context))
        .transpose()?;
    let target = Target::Copy {
        from: start.as_ref().map(|start| start.path.as_path()),
        to: database,
    };
    open::check(&target)?;
    let folder = std::env::temp_dir();
    let named = &arguments.bundles;
    let gathered = arguments
        .additions
        .gather(named, transports, &arguments.limits, &folder, context)?;
    let Some(Gathered { additions, remarks }) = gathered else {
        return Ok(None);
    };
    let options = open::Options {
        epoch: source_date_epoch()?
            .and_then(|epoch| epoch.try_into().ok())
            .unwrap_or_default(),
        ..open::Options::default()
    };
    let report = additions.commit(&target, &options)?;
    Ok(Some((report, remarks)))
}

fn generate(arguments: &AddArguments, transports: &Transports, context: &Context<'_>) -> CommandResult {
    let database = Path::new(DATABASE_PATH.trim_start_matches('/'));
    let folder = database.parent().unwrap_or(database);
    std::fs::create_dir_all(folder).map_err(|error| FileError::new("create the directory", folder, error))?;
    let added = add(arguments, database, transports, context);
    if !matches!(added, Ok(Some(_))) {
        // Only an empty folder goes: one that was made here for nothing.
        let _ = std::fs::remove_dir(folder);
    }
    let Some((report, remarks)) = added? else {
        return Ok(Status::Failure);
    };
    let base = arguments.binary_image.as_deref().unwrap_or(OPM_IMAGE);
    files::write(&arguments.out_dockerfile, image::dockerfile(base).as_bytes())?;
    additions::report(&report, &remarks, context);
    let dockerfile = arguments.out_dockerfile.display();
    context
        .printer
        .status(format_args!("wrote {} and {dockerfile}", database.display()));
    Ok(Status::Success)
}

impl AddArguments {
    /// The base image, or `None` where opmx itself is to serve: then it must be able to.
    fn base(&self, transports: &Transports, context: &Context<'_>) -> Result<Option<Image>, CommandError> {
        let Some(base) = &self.binary_image else {
            let own = std::env::current_exe().map_err(|error| FileError::new("find", "opmx", error))?;
            image::require_static(&own)?;
            return Ok(None);
        };
        let reference: Reference = base.parse()?;
        Ok(Some(context.runtime.block_on(transports.pull(&reference))?))
    }

    /// The digest behind the tag, where the index that it names is the one to begin with: nobody else may move the tag
    /// in between.
    fn digest_to_replace(
        &self,
        target: &Reference,
        transports: &Transports,
        context: &Context<'_>,
    ) -> Result<Option<Digest>, CommandError> {
        let same = self
            .from_index
            .as_ref()
            .is_some_and(|index| index.parse().is_ok_and(|index: Reference| index == *target));
        if !same {
            return Ok(None);
        }
        Ok(Some(context.runtime.block_on(transports.resolve(target))?))
    }
}
