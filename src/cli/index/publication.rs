//! The destination of a changed index, for all commands that change an index.

use crate::catalog::file_based::edit::CatalogEditError;
use crate::cli::arguments::{IndexLimitArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::values::{self, filled, output};
use crate::cli::{Context, additions, guesses};
use crate::database::change::{ChangeOptions, Target};
use crate::files;
use crate::image::{Platform, Reference};
use crate::index::follow::FollowError;
use crate::index::import::ImportError;
use crate::index::location::IndexLocation;
use crate::index::program::Binary;
use crate::index::publish::{
    self, Applied, CatalogForm, ChangeError, Destination, PublishError, PublishOptions, Published, PublishedOutput,
};
use crate::index::server::{BaseDoubt, BaseDoubtKind, Server};
use crate::terminal::Printer;
use crate::validation::Strictness;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The base image that opm writes into Dockerfiles.
pub(crate) const OPM_IMAGE: &str = "opm:latest";

/// The default name of the Dockerfile.
const INDEX_DOCKERFILE: &str = "index.Dockerfile";

/// The program that serves an index from its image, and the platforms of the image.
#[derive(Debug, Args)]
pub(crate) struct ServerArguments {
    /// Base image with a program that serves the index; by default, the index image contains only opmx
    #[arg(short = 'i', long, value_name = "REF", value_parser = values::image)]
    binary_image: Option<Reference>,
    /// Also build for this platform, with the static opmx binary in FILE; may be repeated
    ///
    /// The result is an image index with an image for the platform of the running opmx and for each specified platform.
    /// A binary for the platform of the running opmx is used instead of that opmx. With --binary-image, opmx is
    /// added to the base image for each platform, and serves the index instead of the program in the base image.
    #[arg(long = "binary", value_name = "PLATFORM=FILE")]
    binaries: Vec<Binary>,
    /// Build for all platforms of the base image
    #[arg(long, conflicts_with = "binaries")]
    all_platforms: bool,
}

impl ServerArguments {
    /// Returns whether to build for all platforms of the base image.
    pub(crate) fn all_platforms(&self) -> bool {
        self.all_platforms
    }

    /// Returns the program that serves the index.
    pub(crate) fn server(&self) -> Result<Server, CommandError> {
        let base = self.binary_image.clone();
        if self.all_platforms && base.is_none() {
            let error = CommandError::usage("--all-platforms requires a base image");
            return Err(
                error.hint("specify the base image with --binary-image, or a binary for each platform with --binary")
            );
        }
        Ok(match base {
            Some(base) if self.binaries.is_empty() => Server::Base {
                base,
                all_platforms: self.all_platforms,
            },
            base => Server::Opmx {
                binaries: self.binaries.clone(),
                base,
            },
        })
    }
}

/// The destination of a changed index.
#[derive(Debug, Args)]
pub(crate) struct PublicationArguments {
    /// Destination of the index image: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG
    #[arg(
        short,
        long,
        value_name = "REF",
        value_parser = values::destination,
        required_unless_present_any = ["generate", "dry_run"]
    )]
    tag: Option<Reference>,
    #[command(flatten)]
    server: ServerArguments,
    /// Write database/index.db and index.Dockerfile to the current directory, without building an image
    ///
    /// A file-based catalog is converted to a database.
    #[arg(long, conflicts_with_all = ["tag", "binaries", "all_platforms"])]
    generate: bool,
    /// Name of the Dockerfile that --generate writes
    #[arg(
        short = 'd',
        long,
        value_name = "FILE",
        default_value = INDEX_DOCKERFILE,
        requires = "generate",
        value_parser = output()
    )]
    out_dockerfile: PathBuf,
    /// Print the changes without writing anything
    #[arg(long)]
    dry_run: bool,
}

/// What happens if another pipeline moves the tag of an index.
#[derive(Debug, Args)]
pub(crate) struct RedoArgument {
    /// Fail if another pipeline moves the tag, instead of repeating the change on the new index
    ///
    /// By default, a change that loses a race for the tag is repeated on the index that the other pipeline published.
    /// In layouts and archives, and in registries that support If-Match, no change is lost. In all other registries,
    /// the tag is checked before, during and 2 seconds after the push, so that no change by another opmx process is
    /// lost. It is an error if the registry responds too slowly for these checks. Tools that push without a check can
    /// still overwrite a change.
    #[arg(long, conflicts_with = "generate")]
    no_redo: bool,
}

impl RedoArgument {
    /// Returns whether to repeat the change if another client moves the tag in the meantime.
    pub(crate) fn get(&self) -> bool {
        !self.no_redo
    }
}

/// The form of the result if the source is a file-based catalog.
#[derive(Debug, Args)]
pub(crate) struct CatalogFormArguments {
    /// Form of the result if the source is a file-based catalog: catalog or database [default: catalog]
    ///
    /// A catalog keeps everything that the change does not affect, including comments.
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true)]
    to: Option<FormArgument>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum FormArgument {
    Catalog,
    Database,
}

impl CatalogFormArguments {
    /// Returns the form of the result.
    pub(crate) fn get(&self) -> CatalogForm {
        match self.to {
            Some(FormArgument::Catalog) | None => CatalogForm::Catalog,
            Some(FormArgument::Database) => CatalogForm::Database,
        }
    }

    /// Returns the form of the result for a destination.
    pub(crate) fn at(&self, publication: &PublicationArguments) -> Result<CatalogForm, CommandError> {
        match self.to {
            Some(FormArgument::Catalog) if publication.generate => {
                let error = CommandError::usage("--generate writes a database, but --to requests a catalog");
                Err(error.hint(
                    "change the folder of the catalog with opmx catalog, and write its Dockerfile with opmx generate \
                     dockerfile",
                ))
            }
            _ => Ok(self.get()),
        }
    }
}

impl PublicationArguments {
    /// Returns the destination.
    pub(crate) fn destination(&self) -> Result<Destination, CommandError> {
        Ok(match &self.tag {
            _ if self.dry_run => Destination::Nowhere,
            Some(tag) => Destination::Image {
                to: tag.clone(),
                server: self.server.server()?,
            },
            None => Destination::Files {
                folder: PathBuf::new(),
                dockerfile: files::behind_links_unless(INDEX_DOCKERFILE, &self.out_dockerfile)?,
                base: match &self.server.binary_image {
                    Some(base) => base.to_string(),
                    None => OPM_IMAGE.to_owned(),
                },
            },
        })
    }
}

/// The index that a command changes, and the destination of the changed index.
#[derive(Debug, Args)]
pub(crate) struct ChangeArguments {
    /// Index to start from: an image, a database file, or the folder of a file-based catalog
    #[arg(short, long, value_name = "INDEX", value_parser = filled())]
    from_index: String,
    #[command(flatten)]
    form: CatalogFormArguments,
    #[command(flatten)]
    publication: PublicationArguments,
    #[command(flatten)]
    redo: RedoArgument,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: IndexLimitArguments,
}

impl ChangeArguments {
    /// Returns the options for writing the database.
    pub(crate) fn writing(&self) -> Result<ChangeOptions, CommandError> {
        additions::writing(&self.limits.database)
    }

    /// Changes the index, calls `report` with the result, and then reports the output.
    pub(crate) fn run<T: Send>(
        &self,
        context: &Context<'_>,
        change: impl Fn(&Target<'_>, Applied) -> Result<T, ChangeError> + Sync,
        report: impl FnOnce(&Published<T>, &Printer),
    ) -> CommandResult {
        let transports = self.registry.transports(context);
        let from: IndexLocation = self.from_index.parse()?;
        let destination = self.publication.destination()?;
        let options = PublishOptions {
            transports: &transports,
            limits: self.limits.index(&self.registry),
            writing: &self.writing()?,
            form: self.form.at(&self.publication)?,
            mode: None,
            redo: self.redo.get(),
            strictness: &Strictness::default(),
        };
        let published = publish::make(Some(&from), &destination, options, change);
        match context.runtime.block_on(published) {
            Ok(published) => {
                remark(&published, &context.printer);
                report(&published, &context.printer);
                self::report(&published.made, &context.printer)?;
                Ok(Status::Success)
            }
            Err(error) => {
                let refused = refused(error, context);
                refused.map_err(|error| guesses::with_index_guess(error, &self.from_index))
            }
        }
    }
}

/// Reports which image was replaced, whether the change had to be repeated, and which parts and platforms of the
/// original index were not kept.
pub(crate) fn remark<T>(published: &Published<T>, printer: &Printer) {
    if let Some(replaced) = &published.replaced {
        printer.status(format_args!("replaced {replaced}"));
    }
    match published.redone {
        0 => {}
        1 => {
            printer.status("another client moved the tag in the meantime, so the change was repeated on the new index");
        }
        times => printer.status(format_args!(
            "other clients moved the tag in the meantime, so the change was repeated {times} times, each time on the \
             newest index"
        )),
    }
    printer.report(&published.imported.findings);
    for part in &published.imported.not_kept {
        printer.warning(format_args!("not kept: {part}"));
    }
    for bundle in &published.unlisted {
        printer.status(format_args!(
            "removed bundle {bundle}, which no channel of the catalog lists anymore"
        ));
    }
    warn_of_lost("the original index", &published.lost, printer);
    warn_of_doubts(&published.doubts, printer);
}

/// Warns of base images that probably cannot serve an index.
pub(crate) fn warn_of_doubts(doubts: &[BaseDoubt], printer: &Printer) {
    for BaseDoubt { base, kind } in doubts {
        let (problem, fix) = match kind {
            BaseDoubtKind::Bundle => (
                "is a bundle, so clusters probably cannot run the new image",
                "use the image of opm or opmx as --binary-image, or omit --binary-image",
            ),
            BaseDoubtKind::NoProgram => (
                "does not contain /bin/opm, the program that the new image starts",
                "use an image that contains opm or opmx as /bin/opm, or add opmx to the image with --binary",
            ),
        };
        printer.warning(format_args!("the base image {base} {problem}"));
        printer.detail("hint", fix);
    }
}

/// Warns that `original` supports platforms that the index made from it does not support.
pub(crate) fn warn_of_lost(original: &str, lost: &[Platform], printer: &Printer) {
    if !lost.is_empty() {
        let lost: Vec<_> = lost.iter().map(Platform::to_string).collect();
        let lost = lost.join(", ");
        printer.warning(format_args!(
            "{original} also supported {lost}, but the new index does not"
        ));
        printer.detail("hint", "specify an opmx binary for each platform with --binary");
    }
}

/// Reports why no index was written.
pub(crate) fn refused(error: PublishError, context: &Context<'_>) -> CommandResult {
    match error {
        PublishError::Change(ChangeError::Gather(error)) => additions::refused(error, context),
        PublishError::Import(ImportError::Findings { catalog, findings })
        | PublishError::Change(ChangeError::Import(ImportError::Findings { catalog, findings })) => {
            context.printer.report(&findings);
            let why = format_args!("{catalog} is not a valid catalog, so no index was written");
            context.printer.error(why);
            Ok(Status::Failure)
        }
        PublishError::Follow(FollowError::Edit(error)) => match *error {
            ref error @ CatalogEditError::Findings { ref findings, .. } => {
                context.printer.report(findings);
                context.printer.error(format_args!("{error}, so no index was written"));
                Ok(Status::Failure)
            }
            error => Err(error.into()),
        },
        error => Err(error.into()),
    }
}

/// Reports the output.
pub(crate) fn report(made: &PublishedOutput, printer: &Printer) -> Result<(), CommandError> {
    match made {
        PublishedOutput::Image(pinned) => printer.line(pinned.to_string())?,
        PublishedOutput::Files {
            database,
            dockerfile,
            base,
        } => {
            if base == OPM_IMAGE {
                printer.warning(format_args!(
                    "{OPM_IMAGE} is a placeholder for your own image that contains opm or opmx; specify it with \
                     --binary-image"
                ));
            }
            let (database, dockerfile) = (database.display(), dockerfile.display());
            printer.status(format_args!("wrote {database} and {dockerfile}"));
        }
        PublishedOutput::Database(file) => printer.status(format_args!("wrote {}", file.display())),
        PublishedOutput::Nothing => printer.status("nothing was written"),
    }
    Ok(())
}
