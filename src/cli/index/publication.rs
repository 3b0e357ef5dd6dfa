//! Where a changed index goes, for all commands that change one.

use crate::cli::arguments::{IndexLimitArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::{Context, additions, guesses};
use crate::database::change::{ChangeOptions, Target};
use crate::files;
use crate::image::Platform;
use crate::index::import::ImportError;
use crate::index::location::IndexLocation;
use crate::index::program::Binary;
use crate::index::publish::{
    self, Applied, CatalogForm, ChangeError, Destination, PublishError, PublishOptions, Published, PublishedOutput,
};
use crate::index::server::Server;
use crate::terminal::Printer;
use crate::validation::Strictness;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// The base image that opm's own Dockerfile stands on.
pub(crate) const OPM_IMAGE: &str = "opm:latest";

/// The Dockerfile, where none is named.
const INDEX_DOCKERFILE: &str = "index.Dockerfile";

/// Whose program serves an index from its image, and for which platforms.
#[derive(Debug, Args)]
pub(crate) struct ServerArguments {
    /// Base image, with a program that serves the index; without it the image holds only opmx
    #[arg(short = 'i', long, value_name = "REF")]
    binary_image: Option<String>,
    /// Also for this platform, with opmx in FILE, a static binary for it; can be repeated
    ///
    /// The result is an image index: an image for the platform of this opmx, and one for each that is named. A binary
    /// for this platform takes the place of this opmx. With --binary-image opmx is put on top of the base, on its image
    /// for each platform, and serves instead of the program there.
    #[arg(long = "binary", value_name = "PLATFORM=FILE")]
    binaries: Vec<Binary>,
    /// For all platforms of the base image
    #[arg(long, conflicts_with = "binaries")]
    all_platforms: bool,
}

impl ServerArguments {
    /// Whether an image for every platform is asked for.
    pub(crate) fn all_platforms(&self) -> bool {
        self.all_platforms
    }

    /// The server.
    pub(crate) fn server(&self) -> Result<Server, CommandError> {
        let base = self.binary_image.as_deref().map(str::parse).transpose()?;
        if self.all_platforms && base.is_none() {
            let error = CommandError::usage("--all-platforms means those of a base image");
            return Err(
                error.hint("name the base image with --binary-image, or a binary for each platform with --binary")
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

/// Where a changed index goes.
#[derive(Debug, Args)]
pub(crate) struct PublicationArguments {
    /// Where the index image goes: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG
    #[arg(
        short,
        long,
        value_name = "REF",
        required_unless_present_any = ["generate", "dry_run"],
        conflicts_with = "generate"
    )]
    tag: Option<String>,
    #[command(flatten)]
    server: ServerArguments,
    /// Build no image: write database/index.db and index.Dockerfile into the working folder
    #[arg(long, conflicts_with_all = ["binaries", "all_platforms"])]
    generate: bool,
    /// Name of the Dockerfile that --generate writes
    #[arg(
        short = 'd',
        long,
        value_name = "FILE",
        default_value = INDEX_DOCKERFILE,
        requires = "generate"
    )]
    out_dockerfile: PathBuf,
    /// Say what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Fail if another pipeline moves the tag meanwhile, rather than make the change again on its index
    ///
    /// By default a change that loses a race for the tag is made again, on what the other pipeline published. In layouts,
    /// archives and registries that honour If-Match, no change is lost. In all other registries the tag is checked before
    /// the push, during it and 2 seconds after it: no change of another opmx is lost unless the registry takes longer than
    /// that to answer, which is an error. Tools that push without a check can still replace a change. Without
    /// --from-index there is nothing to make the change again on, and a tag that appears or moves meanwhile is an error.
    #[arg(long, conflicts_with = "generate")]
    no_redo: bool,
}

/// What a file-based catalog becomes.
#[derive(Debug, Args)]
pub(crate) struct CatalogFormArguments {
    /// What a file-based catalog becomes: the image of a catalog again, or of a database
    ///
    /// A catalog keeps all that the change is not about, comments and all. Only what is in a database can be written
    /// with --generate.
    #[arg(long, value_enum, value_name = "FORM", default_value_t, hide_possible_values = true)]
    to: FormArgument,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum FormArgument {
    #[default]
    Catalog,
    Database,
}

impl CatalogFormArguments {
    /// What it becomes.
    pub(crate) fn get(&self) -> CatalogForm {
        match self.to {
            FormArgument::Catalog => CatalogForm::Catalog,
            FormArgument::Database => CatalogForm::Database,
        }
    }
}

impl PublicationArguments {
    /// The destination.
    pub(crate) fn destination(&self) -> Result<Destination, CommandError> {
        Ok(match &self.tag {
            _ if self.dry_run => Destination::Nowhere,
            Some(tag) => Destination::Image {
                to: tag.parse()?,
                server: self.server.server()?,
            },
            None => Destination::Files {
                folder: PathBuf::new(),
                // A link under the usual name may be anybody's; one that is named is meant.
                dockerfile: match self.out_dockerfile.as_path() {
                    usual if usual == Path::new(INDEX_DOCKERFILE) => usual.to_owned(),
                    named => files::behind_links(named)?,
                },
                base: self.server.binary_image.as_deref().unwrap_or(OPM_IMAGE).to_owned(),
            },
        })
    }

    /// Whether the change is made again where somebody else moves the tag meanwhile.
    pub(crate) fn redo(&self) -> bool {
        !self.no_redo
    }
}

/// The index that a command changes, and where the changed one goes.
#[derive(Debug, Args)]
pub(crate) struct ChangeArguments {
    /// Index to begin with: an image, a database file, or the folder of a file-based catalog
    #[arg(short, long, value_name = "INDEX")]
    from_index: String,
    #[command(flatten)]
    form: CatalogFormArguments,
    #[command(flatten)]
    publication: PublicationArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: IndexLimitArguments,
}

impl ChangeArguments {
    /// How the database is written.
    pub(crate) fn writing(&self) -> Result<ChangeOptions, CommandError> {
        additions::writing(&self.limits.database)
    }

    /// Changes the index, and says by `report` what changed and then what was made.
    pub(crate) fn run<T>(
        &self,
        context: &Context<'_>,
        change: impl AsyncFn(&Target<'_>, Applied) -> Result<T, ChangeError>,
        report: impl FnOnce(&T, &Printer),
    ) -> CommandResult {
        let transports = self.registry.transports(context);
        let from: IndexLocation = self.from_index.parse()?;
        let destination = self.publication.destination()?;
        let options = PublishOptions {
            transports: &transports,
            limits: self.limits.index(&self.registry),
            writing: &self.writing()?,
            form: self.form.get(),
            redo: self.publication.redo(),
            strictness: &Strictness::default(),
        };
        let published = publish::make(Some(&from), &destination, options, change);
        match context.runtime.block_on(published) {
            Ok(published) => {
                remark(&published, &context.printer);
                report(&published.changed, &context.printer);
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

/// Says what an index does not hold of the one that it was made of, and what became of what was there.
pub(crate) fn remark<T>(published: &Published<T>, printer: &Printer) {
    if let Some(replaced) = &published.replaced {
        printer.status(format_args!("replaced {replaced}"));
    }
    match published.redone {
        0 => {}
        1 => printer.status("the tag was moved by another client in the meantime, so the change was made again on its index"),
        times => printer.status(format_args!(
            "the tag was moved by other clients in the meantime, so the change was made again {times} times, on their indexes"
        )),
    }
    printer.report(&published.imported.findings);
    for part in &published.imported.not_kept {
        printer.warning(format_args!("not kept: {part}"));
    }
    if !published.lost.is_empty() {
        let lost: Vec<_> = published.lost.iter().map(Platform::to_string).collect();
        let lost = lost.join(", ");
        printer.warning(format_args!(
            "the original index was also for {lost}, and the new one is not"
        ));
        printer.detail("hint", "name a binary of opmx for each platform with --binary");
    }
}

/// Says why no index was made.
pub(crate) fn refused(error: PublishError, context: &Context<'_>) -> CommandResult {
    match error {
        PublishError::Change(ChangeError::Gather(error)) => additions::refused(error, context),
        PublishError::Import(ImportError::Findings { catalog, findings })
        | PublishError::Change(ChangeError::Import(ImportError::Findings { catalog, findings })) => {
            context.printer.report(&findings);
            let why = format_args!("{catalog} is not a valid catalog, so no index was made of it");
            context.printer.error(why);
            Ok(Status::Failure)
        }
        error => Err(error.into()),
    }
}

/// Says what was made.
pub(crate) fn report(made: &PublishedOutput, printer: &Printer) -> Result<(), CommandError> {
    match made {
        PublishedOutput::Image(pinned) => printer.line(pinned.to_string())?,
        PublishedOutput::Files { database, dockerfile } => {
            let (database, dockerfile) = (database.display(), dockerfile.display());
            printer.status(format_args!("wrote {database} and {dockerfile}"));
        }
        PublishedOutput::Database(file) => printer.status(format_args!("wrote {}", file.display())),
        PublishedOutput::Nothing => printer.status("nothing was written"),
    }
    Ok(())
}
