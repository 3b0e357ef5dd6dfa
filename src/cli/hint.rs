//! Advice for the errors of the modules below, and the errors that report missing items: the only place where errors
//! become advice, and where limits become flags.

use crate::build::BuildError;
use crate::bundle::image_map::ImageMapError;
use crate::bundle::location::{LoadError, LocationError};
use crate::bundle::pin::PinError;
use crate::bundle::{AnnotationError, EditError, MediaType, UnknownMediaType};
use crate::catalog::file_based::draft::DraftError;
use crate::catalog::file_based::edit::CatalogEditError;
use crate::catalog::file_based::edit::template::TemplateEditError;
use crate::catalog::file_based::init::InitError;
use crate::catalog::file_based::load::LoadError as CatalogLoadError;
use crate::catalog::file_based::read::CatalogError;
use crate::catalog::file_based::template::{Kind, TemplateError};
use crate::catalog::published::UnpublishedError;
use crate::catalog::release::TemplateChangeError;
use crate::catalog::selection::SelectionError;
use crate::cli::start::StartError;
use crate::cluster::dump::DumpError;
use crate::cluster::requested::RequestError;
use crate::cluster::{ObservedError, StateError, StateProblem};
use crate::database::add::promote::PromoteError;
use crate::database::add::{AddError, Refusal};
use crate::database::admission::Unfit;
use crate::database::deprecate::DeprecateError;
use crate::database::error::DatabaseError;
use crate::database::read::ReadError;
use crate::database::remove::RemoveError;
use crate::files::{FileError, NewFolderError};
use crate::image::copy::JournalError;
use crate::image::volumes::VolumesError;
use crate::image::{
    BuildProblem, ContentProblem, CredentialError, ImageError, LAYOUT_FILE, Race, ReferenceError, RegistryError,
    RegistryFailure,
};
use crate::index::api_sources::ApiSourceError;
use crate::index::catalog_image::CatalogImageError;
use crate::index::export::ExportError;
use crate::index::extract::ExtractError;
use crate::index::follow::FollowError;
use crate::index::gather::{GatherError, GatherProblem};
use crate::index::import::ImportError;
use crate::index::intake::IntakeError;
use crate::index::location::{FetchError, IndexLocationError};
use crate::index::open::OpenError;
use crate::index::program::ProgramError;
use crate::index::publish::{ChangeError, PublishError};
use crate::index::release::ReleaseError;
use crate::index::render::RenderError;
use crate::index::render::bundle::BundleError;
use crate::index::render::dockerfile::DockerfileError;
use crate::index::render::folder::FolderError;
use crate::index::render::sources::SourceError;
use crate::index::render::template::TemplateRenderError;
use crate::index::server::ServerError;
use crate::install::catalogs::SelectedError;
use crate::install::content::ContentError;
use crate::install::plan::PlanError;
use crate::install::requests::installs::InstallError;
use crate::install::requests::operators::EntrypointError;
use crate::install::resolution_steps::ResolvedError;
use crate::kubernetes::rbac::covering::TooComplex;
use crate::limit::Limit;
use crate::mirror::archive::ArchiveError;
use crate::mirror::collect::CollectError;
use crate::mirror::images::ImagesError;
use crate::mirror::imageset::ImageSetError;
use crate::mirror::manifests::ManifestError;
use crate::mirror::naming::TakenError;
use crate::mirror::pack::PackError;
use crate::mirror::placed::PlacedError;
use crate::mirror::plan::{PlanError as MirrorPlanError, PlanFileError};
use crate::mirror::policy::PolicyError;
use crate::mirror::transfer::TransferError;
use crate::page::PageError;
use crate::resolver::Unresolved;
use crate::server::ServeError;
use crate::steps::StepError;
use crate::synthesis::outside::OutsideError;
use crate::synthesis::samples::SamplesError;
use crate::text::ReviseError;
use crate::tree::TreeError;
use crate::validation::many::UnreadableError;
use std::error::Error;
use std::io;
use std::path::Path;

/// The advice after the search for a resolution was given up.
pub(crate) const MORE_STEPS: &str = "allow more steps with --max-steps, or specify fewer catalogs";

const VALUES: &str = "--max-values";
const TOTAL_SIZE: &str = "--max-total-size";
const DATABASE_STEPS: &str = "--max-database-steps";
const BASE: &str = "use a base image that contains only a program";
const OTHER_RUN: &str = "wait until the other run has ended";
const RESTORE: &str = "restore it from a backup";
const DUMP: &str = "a dump is the output of \"kubectl get ... -o yaml\", \"kubectl api-resources\" or \"kubectl get --raw \
                    /apis/GROUP/VERSION\"";

/// The additional information that a command reports about an error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Advice {
    /// The advice for the user; often empty.
    pub hints: Vec<String>,
    /// Whether the error reports that the named item does not exist in the registry, the file system or the index.
    pub is_missing: bool,
}

impl Advice {
    /// Returns no hints, and that the named item does not exist.
    fn missing() -> Self {
        Self {
            is_missing: true,
            ..Self::default()
        }
    }

    /// Returns the same hints, and that the named item does not exist.
    fn of_missing(self) -> Self {
        Self {
            is_missing: true,
            ..self
        }
    }

    /// Returns the same hints, and that the named item exists.
    fn of_existing(self) -> Self {
        Self {
            is_missing: false,
            ..self
        }
    }
}

/// An error that can end a command.
pub trait Hints: Error {
    /// Returns the advice for the error, and whether the named item does not exist.
    fn hints(&self) -> Advice;
}

/// Returns advice with a single hint.
fn hint(words: impl Into<String>) -> Advice {
    hints_of([words.into()])
}

fn hints_of(words: impl IntoIterator<Item = String>) -> Advice {
    Advice {
        hints: words.into_iter().collect(),
        ..Advice::default()
    }
}

/// Implements `Hints` for errors by variant: `pass` lists the variants that wrap another error and have its advice,
/// `none` the variants without advice, and `missing` the variants that report that the named item does not exist.
macro_rules! hints {
    ($($error:ty {
        pass: [$($pass:ident),*], $(missing: [$($missing:ident),*],)? none: [$($none:ident),*], $($arms:tt)*
    })*) => {
        $(impl Hints for $error {
            fn hints(&self) -> Advice {
                match self {
                    $(Self::$pass(error) => error.hints(),)*
                    $(Self::$none { .. } => Advice::default(),)*
                    $($(Self::$missing { .. } => Advice::missing(),)*)?
                    $($arms)*
                }
            }
        })*
    };
}

/// Implements `Hints` for errors that never have advice.
macro_rules! without_hints {
    ($($error:ty),* $(,)?) => {
        $(impl Hints for $error {
            fn hints(&self) -> Advice {
                Advice::default()
            }
        })*
    };
}

without_hints! {
    ImageMapError,
    InitError,
    RequestError,
    StepError,
    TemplateError,
    TooComplex,
    UnknownMediaType,
    io::Error,
    serde_json::Error,
    tracing_subscriber::util::TryInitError,
}

impl Hints for EntrypointError {
    fn hints(&self) -> Advice {
        Advice::missing()
    }
}

impl Hints for FileError {
    fn hints(&self) -> Advice {
        if is_full(&self.source) {
            return hint(format!(
                "free space for {}; the previous content is unchanged",
                self.path.display()
            ));
        }
        of_system(&self.source)
    }
}

impl Hints for RegistryError {
    fn hints(&self) -> Advice {
        Advice {
            hints: registry_hint(self)
                .map(str::to_owned)
                .into_iter()
                .chain(layout_hint(self))
                .collect(),
            is_missing: match self.failure.as_ref() {
                RegistryFailure::NotFound { .. } => true,
                RegistryFailure::Credentials(CredentialError::Read { source, .. }) => of_system(source).is_missing,
                RegistryFailure::File(error) => error.hints().is_missing,
                _ => false,
            },
        }
    }
}

impl Hints for ReviseError {
    fn hints(&self) -> Advice {
        hint("use the value itself at that position, without an alias, an anchor or a merge key")
    }
}

impl Hints for LocationError {
    fn hints(&self) -> Advice {
        self.source.hints().of_missing()
    }
}

impl Hints for IndexLocationError {
    fn hints(&self) -> Advice {
        let mut advice = hint("an index is an image or a database file, but this file does not exist");
        advice.hints.extend(self.source.hints().hints);
        advice.of_missing()
    }
}

impl Hints for StateError {
    fn hints(&self) -> Advice {
        self.problem.hints()
    }
}

hints! {
    NewFolderError {
        pass: [File],
        none: [],
        Self::Taken { .. } => hint("choose a different folder, or remove the existing content"),
    }
    TreeError {
        pass: [File],
        none: [PathEscape, EntryType],
        Self::Limit { raised_by, .. } => raised(*raised_by),
    }
    ReferenceError {
        pass: [],
        none: [Empty, Transport, Digest],
        Self::Grammar { reference, .. } if reference.starts_with(['.', '/']) => {
            hint(format!("an image in an OCI layout on disk is named oci:{reference}"))
        }
        Self::Grammar { .. } => Advice::default(),
        Self::Address { scheme, .. } if scheme == "http://" => hint("pass --use-http if the registry has no HTTPS"),
        Self::Address { .. } => Advice::default(),
    }
    BuildProblem {
        pass: [],
        none: [Path, Duplicate, Changed, DiffId, NoPlatform, SamePlatform],
        Self::Temporary { source } if is_full(source) => {
            hint("free space in that folder, or set TMPDIR to a different folder")
        }
        Self::Temporary { .. } => Advice::default(),
    }
    ImageError {
        pass: [Reference, File, Tree, Registry],
        missing: [NotFound],
        none: [Ambiguous, Busy],
        Self::Content { problem, .. } => raised(raised_by_content(problem)),
        Self::Build { problem } => problem.hints(),
        Self::Moved { race, .. } => hint(match race {
            Race::Before { .. } | Race::After { .. } => "run the command again".to_owned(),
            Race::Over { lost } | Race::Unknown { lost: Some(lost) } => {
                format!("the repository still contains {lost}; apply its change again to the index that the tag now \
                         points to")
            }
            Race::Unknown { lost: None } => {
                "check whether the index contains the bundles that other pipelines published; the log (-v) shows the \
                 previous target of the tag"
                    .to_owned()
            }
        }),
    }
    LoadError {
        pass: [Tree, Image],
        none: [NoBundle, Interrupted],
        Self::Layout { directory } => image_in(directory),
    }
    OutsideError {
        pass: [Edit],
        none: [],
        Self::Written { .. } => hint("omit --samples and --api-source"),
    }
    BuildError {
        pass: [Annotations, Outside, Pin, Edit, Tree, Image],
        none: [],
    }
    AnnotationError {
        pass: [Tree],
        none: [Unknown],
        Self::Differs { .. } => hint("use the options with --overwrite, or omit them"),
    }
    EditError {
        pass: [Tree],
        none: [Form],
    }
    PinError {
        pass: [],
        none: [Transport],
        Self::Name { source, .. } => source.hints(),
        Self::Registry { source, .. } => source.hints(),
    }
    CatalogError {
        pass: [File],
        none: [LinkedFolder, Document, Limit, NotAFolder, Name, Changed],
        Self::Walk { source, .. } => source.io_error().map(of_system).unwrap_or_default(),
        Self::Values { .. } => hint(raise(VALUES)),
        Self::TooMuch { .. } => hint(raise(TOTAL_SIZE)),
    }
    CatalogEditError {
        pass: [Catalog, File, Draft, Load, Revise, Folder, Template],
        none: [Findings, Write, Name],
        Self::Conflicts { .. } => hint("choose one of the catalogs with --prefer"),
        Self::Package { nearest, .. } => {
            hints_of(nearest.iter().map(|name| format!("did you mean {name:?}?"))).of_missing()
        }
        Self::Twice { .. } => hint("remove one of the two documents"),
        Self::Outside { .. } => hint("change the catalog that the file belongs to, or copy the file here"),
    }
    TemplateEditError {
        pass: [Template],
        none: [],
        Self::Older { .. } => hint("convert the template with \"opmx alpha convert-template basic\""),
        Self::Unsupported { kind: Kind::Basic, .. } => {
            hint("remove bundles by name with \"opmx catalog rm\", or change the catalog that the template is rendered to")
        }
        Self::Unsupported { kind: Kind::Semver, .. } => hint(
            "channels follow from the image lists: change these with \"opmx catalog add\" and \"opmx catalog rm\", or \
             change the catalog that the template is rendered to",
        ),
        Self::Unsupported { kind: Kind::Substitutes, .. } => {
            hint("change the template in an editor, or change the catalog that it is rendered to")
        }
        Self::Unnamed { bundle, .. } => hint(format!("add \"name: {bundle}\" to the entry with its image")),
        Self::Stream { .. } => hint("the lists are candidate, fast and stable"),
        Self::Image { nearest, .. } => {
            hints_of(nearest.iter().map(|image| format!("did you mean {image:?}?"))).of_missing()
        }
    }
    DraftError {
        pass: [],
        none: [Entries, Taken, NoStart],
        Self::Channel { nearest, .. } | Self::Bundle { nearest, .. } => {
            hints_of(nearest.iter().map(|name| format!("did you mean {name:?}?"))).of_missing()
        }
        Self::Entry { .. } => Advice::missing(),
        Self::Twice { .. } => hint("merge the two documents into one"),
        Self::Default { others, .. } => {
            hint(format!("name a different channel with --default-channel: {}", others.join(", ")))
        }
        Self::Heads { .. } => hint("let one of the heads replace or skip the others"),
        Self::Differs { .. } => hint("use a different version for the bundle, or replace the existing bundle with \
                                      --overwrite"),
        Self::Edges { .. } => hint("change the edges with --overwrite, or omit --replaces and --skips"),
        Self::NoDefault { channels, .. } if channels.is_empty() => hint("name a channel with --channel"),
        Self::NoDefault { channels, .. } => {
            hint(format!("name the default channel with --default-channel: {}", channels.join(", ")))
        }
        Self::Empty { .. } => hint("to remove the whole package, specify only its name"),
        Self::Outside { prerelease: Some(prerelease), .. } => hint(format!(
            "a range from {}.{}.{}-0 also includes {prerelease}",
            prerelease.major, prerelease.minor, prerelease.patch
        )),
        Self::Outside { .. } => Advice::default(),
        Self::NoLifecycle { others, .. } if others.is_empty() => hint("pass --phase once for each of its phases"),
        Self::NoLifecycle { others, .. } => {
            let others: Vec<String> = others.iter().map(ToString::to_string).collect();
            hint(format!(
                "pass --phase once for each of its phases, or name one of {}",
                others.join(", ")
            ))
        }
        Self::Version { .. } => hint("remove bundles by name with opmx catalog rm"),
        Self::SameVersion { .. } => {
            hint("use versions that differ in more than build metadata, or order the bundles with --mode replaces")
        }
        Self::Ambiguous { .. } => hint("use the bundle name instead of the version"),
        Self::NoWay { .. } => hint("name a different version, or channels with an update path from this version"),
    }
    CatalogLoadError {
        pass: [Catalog],
        none: [],
        Self::Document { .. } => hint("opmx validate lists all faults of a catalog folder"),
    }
    DumpError {
        pass: [File],
        none: [Folder, Text, Files, NoText],
        Self::Nothing { .. } | Self::NoObject { .. } => hint(DUMP),
        Self::Values { .. } => hint(raise(VALUES)),
        Self::TooMuch { .. } => hint(raise(TOTAL_SIZE)),
        Self::Object { .. } => hint(raise("--max-file-size")),
    }
    StateProblem {
        pass: [],
        none: [
            Unreadable, Documents, Version, Shape, SourceAndPackages, Twice, NoBundle, NoCatalog, NoReason, Inner
        ],
        Self::TooMany { .. } => hint(raise(VALUES)),
        Self::Object => hint("pass a cluster dump with --cluster, or as FILE"),
    }
    InstallError {
        pass: [Step, Permissions],
        none: [],
    }
    ObservedError {
        pass: [],
        none: [],
        Self::Namespaces { .. } => hint("name one of them with --namespace"),
        Self::OperatorGroups { count: 0, .. } => {
            hint("OLM installs nothing there until an OperatorGroup exists; opmx assumes one if no OperatorGroup is \
                  specified at all")
        }
        Self::OperatorGroups { .. } => Advice::default(),
        Self::Other { .. } => hint("specify the namespace in the what-if file"),
    }
    DatabaseError {
        pass: [Read, File],
        missing: [NoFolder],
        none: [NotADatabase, NotAnIndex, TooLarge, Newer, Locked, ReadOnly, CannotOpen, Full, Other],
        Self::Unfit(Unfit::Empty { .. }) => hint("name an index database, or remove the file to start a new one"),
        Self::Unfit(Unfit::NotPlain { .. }) => Advice::default(),
        Self::Steps { .. } => hint(raise(DATABASE_STEPS)),
        Self::Io { .. } => hint("check the disk, free space, quota and file size limits"),
        Self::Damaged { .. } => hint(RESTORE),
    }
    ReadError {
        pass: [Beside],
        missing: [Missing],
        none: [NotADatabase, Unfit, Truncated, NotAnIndex, TooNew, Changed, Copy, Manifests],
        Self::File { source, .. } => of_system(source),
        Self::Folder { path } if path.join(LAYOUT_FILE).is_file() => image_in(path),
        Self::Folder { .. } => hint(
            "opmx serve, render, migrate, validate and index read file-based catalogs; opmx index from-fbc converts \
             one to a database",
        ),
        Self::Steps { .. } => hint(raise(DATABASE_STEPS)),
        Self::Content { .. } => hint(RESTORE),
    }
    RemoveError {
        pass: [Database],
        none: [],
        Self::Unknown { nearest: Some(_), .. } => Advice::missing(),
        Self::Unknown { .. } => hint("opmx index list packages shows the available packages").of_missing(),
    }
    PromoteError {
        pass: [Database],
        missing: [Unknown],
        none: [Graph],
        Self::NoChannel { .. } => hint("remove the bundle with prune-stranded, and add it again"),
        Self::Strands { .. } => hint("--mode semver orders bundles only by version"),
    }
    DeprecateError {
        pass: [Database],
        missing: [Unknown],
        none: [DefaultChannel, PackageHeads],
        Self::NoChannel { .. } => hint("remove the bundle with prune-stranded"),
    }
    AddError {
        pass: [Database, Spool],
        none: [],
        Self::Refused(refusals) => refusal_hints(refusals),
    }
    FetchError {
        pass: [Image, File],
        none: [Catalog, Database, NoCatalog],
        Self::NoIndex { source, .. } => source.hints().of_existing(),
    }
    OpenError {
        pass: [Location, Image, Fetch, Read, Catalog, Load, File],
        none: [],
        Self::Bundle { .. } => hint("use opmx bundle inspect to show a bundle"),
    }
    ApiSourceError {
        pass: [File, Tree, Read, Index],
        none: [Unreadable],
        Self::TooMany { .. } => hint(raise(VALUES)),
        Self::Nothing { .. } => hint(
            "a source is an index, CustomResourceDefinitions, or the output of \"kubectl api-resources\" or \
             \"kubectl get --raw /apis/GROUP/VERSION\"",
        ),
    }
    IntakeError {
        pass: [],
        none: [Findings, Record],
        Self::NoReference { .. } => {
            hint("specify the published location with --record-as, or omit --by-reference")
        }
    }
    GatherProblem {
        pass: [Intake],
        none: [],
        Self::Load(LoadError::NoBundle { .. }) => {
            hint("name a bundle image; to start from an index, pass it with --from-index")
        }
        Self::Load(error) => error.hints(),
        Self::MediaType { media_type: MediaType::K8sV1, .. } => {
            hint("convert the bundle with \"opmx bundle convert --to registry+v1\" to a format that every OLM can read")
        }
        Self::MediaType { media_type: MediaType::RegistryV1, .. } => Advice::default(),
    }
    GatherError {
        pass: [Spool, Add],
        none: [Bundles],
    }
    ImportError {
        pass: [Catalog, Load, Spool, Add],
        none: [Findings, Bundle, SameName, Head],
    }
    ProgramError {
        pass: [File],
        none: [NotAProgram, OtherProcessor, UnknownPlatform, Twice],
        Self::NotStatic { .. } => hint(
            "build opmx with `-C target-feature=+crt-static` and an explicit --target, name a static binary with --binary, \
             build on a base image with --binary-image, or write a Dockerfile with --generate",
        ),
        Self::Foreign { .. } => {
            hint("name an opmx binary for Linux with --binary, or build on a base image with --binary-image")
        }
    }
    ChangeError {
        pass: [Gather, Remove, Deprecate, Promote, Import],
        none: [],
    }
    PublishError {
        pass: [Fetch, Import, Follow, Database, Change, Image, Program, File],
        none: [],
        Self::BaseIsIndex { .. } => hint(BASE),
        Self::Taken { .. } => hint("choose a different file, or remove the existing one"),
    }
    FollowError {
        pass: [Catalog, Edit, Read, Render, File],
        none: [Write],
    }
    CatalogImageError {
        pass: [Catalog, Server, Image],
        none: [Findings],
        Self::Empty { .. } => hint("add bundles with opmx catalog add"),
        Self::BaseIsIndex { .. } => hint(BASE),
    }
    ServerError {
        pass: [Program, Image],
        none: [],
    }
    ExtractError {
        pass: [Source, Folder],
        none: [],
        Self::Selection(error) => match error {
            SelectionError::Package { nearest: Some(name), .. } => hint(format!("did you mean {name:?}?")).of_missing(),
            SelectionError::Package { .. } | SelectionError::Channel { .. } | SelectionError::Bundle { .. } => {
                hint("opmx index list packages shows the available packages").of_missing()
            }
            SelectionError::Version { .. } => Advice::default(),
        },
    }
    PageError {
        pass: [Open, Read, File],
        none: [Template, Threads],
        Self::Other { .. } => hint("use an --output folder that is empty or contains a site"),
    }
    ExportError {
        pass: [Index, Folder, Tree, File],
        none: [Name, NoContent, Findings, Object],
        Self::UnknownPackage { nearest, .. } => {
            hints_of(nearest.iter().map(|name| format!("did you mean {name:?}?"))).of_missing()
        }
        Self::Reference { source, .. } => source.hints(),
        Self::Load { source, .. } => source.hints(),
    }
    RenderError {
        pass: [Read],
        none: [],
        Self::Property { .. } => hint("remove the bundle from the index and add it again"),
    }
    SourceError {
        pass: [Image, Fetch, Tree, Intake, Read, Catalog, Load, Render, File],
        missing: [Missing],
        none: [NoIndex, Unknown, Write],
        Self::Name { source, .. } => source.hints().of_missing(),
    }
    FolderError {
        pass: [Source, Folder, File],
        none: [PackageName],
    }
    BundleError {
        pass: [Location, Load, Intake, Render],
        none: [],
    }
    ReleaseError {
        pass: [File, Catalog],
        missing: [NoVersion],
        none: [Bundles, Package, Version, Changed],
        Self::Folder { .. } => hint("name a folder such as operators/PACKAGE, with the file ci.yaml"),
        Self::Bundle { source, .. } => source.hints(),
        Self::Template { source, .. } => source.hints(),
        Self::Foreign { .. } => hint("add the bundle to the template, or remove it from the catalog with --overwrite"),
    }
    TemplateChangeError {
        pass: [Draft, Revise],
        none: [],
    }
    TemplateRenderError {
        pass: [],
        none: [Bundles, Template],
    }
    DockerfileError {
        pass: [File],
        none: [NotAFolder, Name, Label],
        Self::Taken { .. } => hint("remove the existing file to write it again"),
        Self::Builder => hint("use --builder-image to specify an image with opm or opmx as /bin/opm"),
    }
    ContentError {
        pass: [Intake, Render, Read, Catalog],
        missing: [Unknown],
        none: [Property],
        Self::NoCsv { image, .. } if image.is_empty() => Advice::default(),
        Self::NoCsv { image, .. } => hint(format!("name the image instead of the bundle: {image}")),
    }
    SelectedError {
        pass: [],
        none: [WrittenOut],
        Self::Content { source, .. } => source.hints(),
    }
    ResolvedError {
        pass: [Selected],
        none: [Step],
    }
    PlanError {
        pass: [Steps],
        none: [Permissions],
    }
    Unresolved {
        pass: [],
        none: [Unsatisfiable, Refused],
        Self::GaveUp { .. } => hint(MORE_STEPS),
    }
    SelectionError {
        pass: [],
        missing: [Package, Channel, Bundle],
        none: [Version],
    }
    UnpublishedError {
        pass: [],
        missing: [Package, Channel],
        none: [NoDefault, NoHead],
    }
    ImagesError {
        pass: [Index, Selection],
        none: [],
    }
    CollectError {
        pass: [Folder, Open, Build, Image, File],
        none: [],
        Self::Source { source, .. } => source.hints(),
        Self::Filter { source, .. } => source.hints(),
        Self::Package { nearest, .. } => {
            hints_of(nearest.iter().map(|name| format!("did you mean {name:?}?"))).of_missing()
        }
        Self::Taken(error) => error.hints(),
    }
    TakenError {
        pass: [],
        none: [],
        Self { .. } => hint("distinguish the images with --keep-host"),
    }
    MirrorPlanError {
        pass: [],
        none: [Form, Version, Dangling, Loose, Cycle, Size, Outside, Nowhere, NoImage],
    }
    PlanFileError {
        pass: [File],
        none: [],
        Self::Plan { .. } => hint("create the plan with opmx mirror plan"),
    }
    PlacedError {
        pass: [Taken, Plan],
        none: [Nowhere],
        Self::Other { planned, .. } => hint(format!("use {planned}, or create a plan for the other target")),
    }
    ArchiveError {
        pass: [File],
        none: [List, Version, Name, Plan],
        Self::Ambiguous { names, .. } if names.is_empty() => hint("name the folder that opmx mirror copy --to-archive wrote"),
        Self::Ambiguous { .. } => hint("specify the list of the archive, NAME.json"),
        Self::Taken { .. } => hint("choose a different name for the new archive with --name, or write it to a \
                                    different folder"),
        Self::Incomplete { .. } => hint("run opmx mirror copy --to-archive again to complete it"),
        Self::Size(_) => hint("increase the volume size with --volume-size"),
        Self::Volumes(error) => error.hints(),
        Self::Swapped { .. } => hint("use only volumes of the same archive in one folder"),
        Self::Busy { .. } => hint(OTHER_RUN),
    }
    VolumesError {
        pass: [File],
        none: [],
        Self::Missing { .. } => hint("transfer all files of the archive; its list names them"),
        Self::Damaged { .. } | Self::Size { .. } | Self::Tar { .. } => hint("transfer the volume again"),
        Self::Blob { .. } => hint("write the archive again, and transfer all of its files"),
    }
    ManifestError {
        pass: [],
        none: [],
        Self::Name { .. } | Self::Same { .. } => hint("set the catalog name with --catalog-name, or the name of the \
                                                       mirror sets with --name"),
        Self::Unknown { .. } => hint("use the catalog's name from catalogs[].source in the plan"),
    }
    ImageSetError {
        pass: [],
        none: [],
        Self { .. } => Advice::default(),
    }
    PolicyError {
        pass: [],
        none: [Content, Key],
        Self::File { source, .. } => source.hints(),
    }
    JournalError {
        pass: [File],
        none: [Foreign],
        Self::Busy { .. } => hint(OTHER_RUN),
    }
    PackError {
        pass: [File, Placed, Transfer],
        none: [Name],
        Self::Archive(error) => match error.as_ref() {
            ArchiveError::File(error) => of_unfinished(error),
            error => error.hints(),
        },
        Self::Image(ImageError::File(error)) => of_unfinished(error),
        Self::Image(error) => error.hints(),
        Self::Base { .. } => hint("load that archive first"),
    }
    TransferError {
        pass: [Placed, Target, Journal, File],
        none: [Name],
    }
    SamplesError {
        pass: [Tree],
        none: [Unreadable, Nothing],
    }
    UnreadableError {
        pass: [Location, Load, Write],
        none: [File, Image],
    }
    ServeError {
        pass: [Index],
        none: [Prepare, Listen, Reflection, Transport],
    }
    StartError {
        pass: [],
        none: [Runtime],
        Self::Files(_) => hint(MORE_FILES),
        Self::Threads(_) => hint("raise the thread limit with ulimit -u, or the process limit of the container"),
    }
}

/// Returns the advice for a failed request to a registry.
pub fn registry_hint(error: &RegistryError) -> Option<&'static str> {
    use RegistryFailure as Failure;
    Some(match error.failure.as_ref() {
        Failure::NotFound { .. } => {
            "check the spelling of repository and tag; some registries also report this when a login is required"
        }
        Failure::Unauthorized { .. } => {
            "log in with the container tool of your choice, or specify its credentials file with --authfile"
        }
        Failure::Denied { .. } => "ask the owner of the repository for access, or log in as another user",
        Failure::RateLimited { .. } => "wait, or log in: registries allow authenticated users more requests",
        Failure::Connection { .. } => {
            "check the host name, the network, and the environment variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY"
        }
        Failure::TooLong { .. } => "allow more time with --request-timeout",
        Failure::TooSlow { .. } => "accept a lower rate with --min-rate",
        Failure::Tls {
            authorities: Some(_), ..
        } => {
            "use \"openssl s_client -showcerts -connect HOST:PORT\" to show the server's certificate authority, and \
             add the authority's certificate to the --ca-file file"
        }
        Failure::Tls { authorities: None, .. } => {
            "specify the certificate authority with --ca-file, or accept any certificate with --skip-tls-verify"
        }
        Failure::PlainHttp => "pass --use-http if this registry has no HTTPS",
        Failure::HttpsExpected => "omit --use-http for this registry",
        Failure::Realm { .. } | Failure::Address { .. } => {
            "the registry chooses these servers; check that it is the intended registry"
        }
        Failure::ForeignLogin { .. } => "to use the login for that server, name the server in the reference",
        Failure::Content { problem, .. } => return raised_by_content(problem).map(flag_hint),
        Failure::Unavailable { .. }
        | Failure::Refused { .. }
        | Failure::Stalled { .. }
        | Failure::Redirect { .. }
        | Failure::ShortBody { .. }
        | Failure::Protocol { .. }
        | Failure::OtherDigest { .. }
        | Failure::Credentials(_)
        | Failure::File(_) => return None,
    })
}

/// Returns the advice to name an OCI layout, if a push went to the default registry of references without a host.
fn layout_hint(error: &RegistryError) -> Option<String> {
    let is_push =
        error.request.contains("/blobs/") && !error.request.starts_with("GET") || error.request.starts_with("PUT");
    let name = &error.image;
    let host = name.split('/').next().unwrap_or_default();
    let has_host = name.contains('/') && (host == "localhost" || host.contains(['.', ':']));
    (is_push && !has_host).then(|| format!("to write an OCI layout on disk, name it oci:{name}"))
}

/// Returns the advice for bundles that an index refuses, each hint once.
fn refusal_hints(refusals: &[Refusal]) -> Advice {
    let mut hints = Vec::new();
    for refusal in refusals {
        let hint = match refusal {
            Refusal::OverwriteMode => "omit --overwrite-latest, or add the bundles with --mode replaces".to_owned(),
            Refusal::Substitutes {
                bundle, substitutes, ..
            } => format!(
                "allow the annotation with --enable-alpha and --mode replaces, or remove it and let {bundle} replace \
                 or skip {substitutes}"
            ),
            Refusal::AlreadyPresent { differences, .. } if differences.is_empty() => {
                "skip existing bundles with --if-exists skip".to_owned()
            }
            Refusal::AlreadyPresent { differences, .. } if differences.images.is_none() && !differences.content => {
                "use opmx index promote or opmx registry promote to publish a bundle in additional channels".to_owned()
            }
            Refusal::AlreadyPresent { .. } => {
                "use a new version for the bundle, or replace the head of its channels with \
                 --overwrite-latest"
                    .to_owned()
            }
            _ => continue,
        };
        if !hints.contains(&hint) {
            hints.push(hint);
        }
    }
    hints_of(hints)
}

fn raised_by_content(problem: &ContentProblem) -> Option<Limit> {
    match problem {
        ContentProblem::TooLarge { raised_by, .. } => *raised_by,
        _ => None,
    }
}

fn raised(by: Option<Limit>) -> Advice {
    hints_of(by.map(|limit| flag_hint(limit).to_owned()))
}

fn image_in(layout: &Path) -> Advice {
    hint(format!("name an image in it as oci:{}:TAG", layout.display()))
}

fn flag_hint(limit: Limit) -> &'static str {
    match limit {
        Limit::Files => "raise the limit with --max-files if you trust the input",
        Limit::FileBytes => "raise the limit with --max-file-size if you trust the input",
        Limit::TotalBytes => "raise the limit with --max-total-size if you trust the input",
        Limit::ImageBytes => "raise the limit with --max-image-size if you trust the input",
    }
}

/// Returns the advice for exceeding a limit that a flag raises.
pub(crate) fn raise(flag: &str) -> String {
    format!("raise the limit with {flag} if you trust the input")
}

const MORE_FILES: &str = "raise the limit on open files with ulimit -n";

/// Returns the advice for an I/O error: a missing file, or too many open files.
fn of_system(error: &io::Error) -> Advice {
    if error.kind() == io::ErrorKind::NotFound {
        return Advice::missing();
    }
    #[cfg(unix)]
    if let Some(rustix::io::Errno::MFILE | rustix::io::Errno::NFILE) = rustix::io::Errno::from_io_error(error) {
        return hint(MORE_FILES);
    }
    Advice::default()
}

/// Returns the advice for a file of an archive that is being written.
fn of_unfinished(error: &FileError) -> Advice {
    if is_full(&error.source) {
        return hint(format!(
            "free space for {}; the next run continues where this one stopped",
            error.path.display()
        ));
    }
    error.hints()
}

fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}
