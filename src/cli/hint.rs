//! What to do about the errors of the modules below, and which of them say that something does not exist: the one place
//! where their failures become advice, and where limits become flags.

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
use crate::mirror::images::ImagesError;
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

/// What to do where a search for what to install is given up.
pub(crate) const MORE_STEPS: &str = "allow more steps with --max-steps, or give fewer catalogs";

const VALUES: &str = "--max-values";
const TOTAL_SIZE: &str = "--max-total-size";
const DATABASE_STEPS: &str = "--max-database-steps";
const BASE: &str = "build on an image that holds a program alone";
const RESTORE: &str = "restore it from a copy";
const DUMP: &str = "a dump is the output of \"kubectl get ... -o yaml\", \"kubectl api-resources\" or \"kubectl get --raw \
                    /apis/GROUP/VERSION\"";

/// What a command says of an error besides its words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Advice {
    /// What to do about it; often nothing is known.
    pub hints: Vec<String>,
    /// Whether it says that what was named does not exist, as the registry, the file system or the index knows.
    pub is_missing: bool,
}

impl Advice {
    /// What was named does not exist.
    fn missing() -> Self {
        Self {
            is_missing: true,
            ..Self::default()
        }
    }

    /// The same, about something that does not exist.
    fn of_missing(self) -> Self {
        Self {
            is_missing: true,
            ..self
        }
    }

    /// The same hints about something that does exist.
    fn of_existing(self) -> Self {
        Self {
            is_missing: false,
            ..self
        }
    }
}

/// An error that a command can end with.
pub trait Hints: Error {
    /// What to do about it, and whether something does not exist.
    fn hints(&self) -> Advice;
}

/// One piece of advice.
fn hint(words: impl Into<String>) -> Advice {
    hints_of([words.into()])
}

fn hints_of(words: impl IntoIterator<Item = String>) -> Advice {
    Advice {
        hints: words.into_iter().collect(),
        ..Advice::default()
    }
}

/// The advice about the variants of errors: `pass` are those that wrap another error, whose advice it is, `none` those
/// about which there is nothing to say, and `missing` those that say that what was named does not exist.
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

/// Errors about which there is never anything to say.
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
                "make room for {}; what was there before is unchanged",
                self.path.display()
            ));
        }
        of_system(&self.source)
    }
}

impl Hints for RegistryError {
    fn hints(&self) -> Advice {
        Advice {
            hints: registry_hint(self).map(str::to_owned).into_iter().collect(),
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
        hint("write the value out there, without an alias, an anchor or a merge key")
    }
}

impl Hints for LocationError {
    fn hints(&self) -> Advice {
        self.source.hints().of_missing()
    }
}

impl Hints for IndexLocationError {
    fn hints(&self) -> Advice {
        let mut advice = hint("an index is an image, or the database file of one; there is no such file");
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
        Self::Taken { .. } => hint("name another folder, or remove what is there"),
    }
    TreeError {
        pass: [File],
        none: [PathEscape, EntryType],
        Self::Limit { raised_by, .. } => raised(*raised_by),
    }
    ReferenceError {
        pass: [],
        none: [Empty, Transport, Grammar, Digest],
        Self::Address { scheme, .. } if scheme == "http://" => hint("pass --use-http if the registry has no HTTPS"),
        Self::Address { .. } => Advice::default(),
    }
    BuildProblem {
        pass: [],
        none: [Path, Duplicate, Changed, DiffId, NoPlatform, SamePlatform],
        Self::Temporary { source } if is_full(source) => {
            hint("make room there, or name another folder in the variable TMPDIR")
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
            Race::Before { .. } | Race::After { .. } => "run the command again, on the index as it is now".to_owned(),
            Race::Over { lost } | Race::Unknown { lost: Some(lost) } => {
                format!("the repository still has {lost}; apply its change again to what the tag points to now")
            }
            Race::Unknown { lost: None } => {
                "check whether the index holds what other pipelines published; the log (-v) shows what the tag pointed to"
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
        Self::Written { .. } => hint("leave out --samples and --api-source"),
    }
    BuildError {
        pass: [Annotations, Outside, Pin, Edit, Tree, Image],
        none: [],
    }
    AnnotationError {
        pass: [Tree],
        none: [Unknown],
        Self::Differs { .. } => hint("use the options with --overwrite, or leave them out"),
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
        Self::Conflicts { .. } => hint("name the catalog that is right with --prefer"),
        Self::Package { nearest, .. } => {
            hints_of(nearest.iter().map(|name| format!("there is {name:?}"))).of_missing()
        }
        Self::Twice { .. } => hint("remove one of them"),
        Self::Outside { .. } => hint("change the catalog that the file belongs to, or put a copy of it here"),
    }
    TemplateEditError {
        pass: [Template],
        none: [],
        Self::Older { .. } => hint("make one with that schema by \"opmx alpha convert-template basic\""),
        Self::Unsupported { kind: Kind::Basic, .. } => {
            hint("remove bundles by name with \"opmx catalog rm\", or change the catalog that the template is rendered to")
        }
        Self::Unsupported { kind: Kind::Semver, .. } => hint(
            "channels follow from the lists of images: change these with \"opmx catalog add\" and \"opmx catalog rm\", or \
             change the catalog that the template is rendered to",
        ),
        Self::Unsupported { kind: Kind::Substitutes, .. } => {
            hint("change the template with an editor, or the catalog that it is rendered to")
        }
        Self::Unnamed { bundle, .. } => hint(format!("write \"name: {bundle}\" into the entry with its image")),
        Self::Stream { .. } => hint("its lists are candidate, fast and stable"),
        Self::Image { nearest, .. } => {
            hints_of(nearest.iter().map(|image| format!("there is {image:?}"))).of_missing()
        }
    }
    DraftError {
        pass: [],
        none: [Entries, Taken],
        Self::Channel { nearest, .. } | Self::Bundle { nearest, .. } => {
            hints_of(nearest.iter().map(|name| format!("there is {name:?}"))).of_missing()
        }
        Self::Entry { .. } => Advice::missing(),
        Self::Twice { .. } => hint("put what both say into one, and remove the other"),
        Self::Default { others, .. } => {
            hint(format!("name another one with --default-channel: {}", others.join(", ")))
        }
        Self::Heads { .. } => hint("let one of them replace or skip the others"),
        Self::Differs { .. } => hint("give the bundle another version, or replace what is there with --overwrite"),
        Self::Edges { .. } => hint("change them with --overwrite, or give no --replaces and --skips"),
        Self::NoDefault { channels, .. } if channels.is_empty() => hint("name a channel with --channel"),
        Self::NoDefault { channels, .. } => {
            hint(format!("name one with --default-channel: {}", channels.join(", ")))
        }
        Self::Empty { .. } => hint("name the package alone to take it out"),
        Self::NoLifecycle { others, .. } if others.is_empty() => hint("give --phase once for each of its phases"),
        Self::NoLifecycle { others, .. } => {
            let others: Vec<String> = others.iter().map(ToString::to_string).collect();
            hint(format!(
                "give --phase once for each of its phases, or name one of {}",
                others.join(", ")
            ))
        }
        Self::Version { .. } => hint("take bundles out by name, with opmx catalog rm"),
        Self::Ambiguous { .. } => hint("name the bundle in place of its version"),
        Self::NoWay { .. } => hint("name another version, or the channels that have a way from it"),
    }
    CatalogLoadError {
        pass: [Catalog],
        none: [],
        Self::Document { .. } => hint("opmx validate lists everything that is wrong with a catalog folder"),
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
        Self::Object => hint("a dump of a cluster is given with --cluster, or as FILE"),
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
            hint("OLM installs nothing there until it has one; if no OperatorGroup is given at all, one is assumed")
        }
        Self::OperatorGroups { .. } => Advice::default(),
        Self::Other { .. } => hint("name the namespace in the what-if file"),
    }
    DatabaseError {
        pass: [Read, File],
        missing: [NoFolder],
        none: [NotADatabase, NotAnIndex, TooLarge, Newer, Locked, ReadOnly, CannotOpen, Full, Other],
        Self::Unfit(Unfit::Empty { .. }) => hint("name an index database, or remove the file to begin a new one"),
        Self::Unfit(Unfit::NotPlain { .. }) => Advice::default(),
        Self::Steps { .. } => hint(raise(DATABASE_STEPS)),
        Self::Io { .. } => hint("check the disk, free space, quota and limits on file sizes"),
        Self::Damaged { .. } => hint(RESTORE),
    }
    ReadError {
        pass: [Beside],
        missing: [Missing],
        none: [NotADatabase, Unfit, Truncated, NotAnIndex, TooNew, Changed, Copy, Manifests],
        Self::File { source, .. } => of_system(source),
        Self::Folder { path } if path.join(LAYOUT_FILE).is_file() => image_in(path),
        Self::Folder { .. } => hint(
            "a file-based catalog is read by opmx serve, render, migrate and validate, and by opmx index; \
             opmx index from-fbc makes a database of it",
        ),
        Self::Steps { .. } => hint(raise(DATABASE_STEPS)),
        Self::Content { .. } => hint(RESTORE),
    }
    RemoveError {
        pass: [Database],
        none: [],
        Self::Unknown { nearest: Some(_), .. } => Advice::missing(),
        Self::Unknown { .. } => hint("opmx index list packages shows what it has").of_missing(),
    }
    PromoteError {
        pass: [Database],
        missing: [Unknown],
        none: [Graph],
        Self::NoChannel { .. } => hint("take it out with prune-stranded, and add it again"),
        Self::Strands { .. } => hint("--mode semver puts bundles into their places by their versions alone"),
    }
    DeprecateError {
        pass: [Database],
        missing: [Unknown],
        none: [DefaultChannel, PackageHeads],
        Self::NoChannel { .. } => hint("take it out with prune-stranded"),
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
            hint("say where it will be published with --record-as, or leave out --by-reference")
        }
    }
    GatherProblem {
        pass: [Intake],
        none: [],
        Self::Load(LoadError::NoBundle { .. }) => {
            hint("name a bundle image; the index to start from is given with --from-index")
        }
        Self::Load(error) => error.hints(),
        Self::MediaType { media_type: MediaType::K8sV1, .. } => {
            hint("\"opmx bundle convert --to registry+v1\" converts it to a bundle that every OLM can read")
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
        Self::Taken { .. } => hint("name another file, or remove what is there"),
    }
    FollowError {
        pass: [Catalog, Edit, Read, Render, File],
        none: [Write],
    }
    CatalogImageError {
        pass: [Catalog, Server, Image],
        none: [Findings],
        Self::Empty { .. } => hint("opmx init writes the documents of a package"),
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
            SelectionError::Package { nearest: Some(name), .. } => hint(format!("there is {name:?}")).of_missing(),
            SelectionError::Package { .. } | SelectionError::Channel { .. } | SelectionError::Bundle { .. } => {
                hint("opmx index list packages shows what it has").of_missing()
            }
            SelectionError::Version { .. } => Advice::default(),
        },
    }
    PageError {
        pass: [Open, Read, File],
        none: [Template, Threads],
        Self::Other { .. } => hint("give --output a folder that is empty, or holds a site"),
    }
    ExportError {
        pass: [Index, Folder, Tree, File],
        none: [Name, NoContent, Findings, Object],
        Self::UnknownPackage { nearest, .. } => {
            hints_of(nearest.iter().map(|name| format!("there is {name:?}"))).of_missing()
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
        Self::Foreign { .. } => hint("put it into the template, or remove it from the catalog with --overwrite"),
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
        Self::Taken { .. } => hint("remove it to have it written again"),
        Self::Builder => hint("name an image with opm or opmx as /bin/opm with --builder-image"),
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
        Self::Threads(_) => hint("raise the limit on threads: ulimit -u, or that of the container on processes"),
    }
}

/// What to do about a request to a registry that failed.
pub fn registry_hint(error: &RegistryError) -> Option<&'static str> {
    use RegistryFailure as Failure;
    Some(match error.failure.as_ref() {
        Failure::NotFound { .. } => {
            "check the spelling of repository and tag; some registries also say this when a login is needed"
        }
        Failure::Unauthorized { .. } => {
            "log in with the container tool of your choice, or name its credentials file with --authfile"
        }
        Failure::Denied { .. } => "ask the owner of the repository for access, or log in as another user",
        Failure::RateLimited { .. } => "wait, or log in: registries allow more requests to known users",
        Failure::Connection { .. } => {
            "check the host name, the network, and the variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY"
        }
        Failure::TooLong { .. } => "give it longer with --request-timeout",
        Failure::TooSlow { .. } => "accept a lower rate with --min-rate",
        Failure::Tls {
            authorities: Some(_), ..
        } => {
            "see which authority the server names with \"openssl s_client -showcerts -connect HOST:PORT\", and put its \
             certificate into the file of --ca-file"
        }
        Failure::Tls { authorities: None, .. } => {
            "name the certificate authority with --ca-file, or accept any certificate with --skip-tls-verify"
        }
        Failure::PlainHttp => "pass --use-http if this registry has no HTTPS",
        Failure::HttpsExpected => "leave out --use-http for this registry",
        Failure::Realm { .. } | Failure::Address { .. } => {
            "the registry decides which servers it names; check that it is the registry you mean"
        }
        Failure::ForeignLogin { .. } => "to use a login for that server, name the server in the reference",
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

/// What to do about bundles that do not fit into an index, each piece of advice once.
fn refusal_hints(refusals: &[Refusal]) -> Advice {
    let mut hints = Vec::new();
    for refusal in refusals {
        let hint = match refusal {
            Refusal::OverwriteMode => "leave out --overwrite-latest, or add with --mode replaces".to_owned(),
            Refusal::Substitutes {
                bundle, substitutes, ..
            } => format!(
                "allow that with --enable-alpha and --mode replaces, or remove the annotation and let {bundle} replace \
                 or skip {substitutes}"
            ),
            Refusal::AlreadyPresent { differences, .. } if differences.is_empty() => {
                "leave out what is there already with --if-exists skip".to_owned()
            }
            Refusal::AlreadyPresent { differences, .. } if differences.images.is_none() && !differences.content => {
                "opmx index promote and opmx registry promote publish a bundle in further channels".to_owned()
            }
            Refusal::AlreadyPresent { .. } => {
                "give it a new version, or put it in the place of the last one of its channels with --overwrite-latest"
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
        Limit::Files => "raise the limit with --max-files, if this is to be trusted",
        Limit::FileBytes => "raise the limit with --max-file-size, if this is to be trusted",
        Limit::TotalBytes => "raise the limit with --max-total-size, if this is to be trusted",
        Limit::ImageBytes => "raise the limit with --max-image-size, if this is to be trusted",
    }
}

/// What to do about a limit that a flag raises.
pub(crate) fn raise(flag: &str) -> String {
    format!("raise the limit with {flag}, if this is to be trusted")
}

const MORE_FILES: &str = "raise the limit on open files: ulimit -n";

/// What the system's own failures mean: a file that is not there, or too many open ones.
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

fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}
