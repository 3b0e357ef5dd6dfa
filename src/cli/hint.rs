//! What to do about the errors of the modules below: the one place where their failures become advice, and where limits
//! become flags.

use crate::bundle::MediaType;
use crate::bundle::location::LoadError;
use crate::catalog::file_based::load::LoadError as CatalogLoadError;
use crate::catalog::file_based::read::CatalogError;
use crate::cli::start::StartError;
use crate::cluster::dump::DumpError;
use crate::cluster::{ObservedError, StateProblem};
use crate::database::add::{AddError, Refusal};
use crate::database::error::DatabaseError;
use crate::database::gate::Unfit;
use crate::database::read::ReadError;
use crate::files::{FileError, NewFolderError};
use crate::image::{
    BuildProblem, ContentProblem, ImageError, LAYOUT_FILE, Race, ReferenceError, RegistryError, RegistryFailure,
};
use crate::index::api_sources::ApiSourceError;
use crate::index::export::ExportError;
use crate::index::gather::GatherProblem;
use crate::index::intake::IntakeError;
use crate::index::location::IndexLocationError;
use crate::index::open::OpenError;
use crate::index::program::ProgramError;
use crate::index::render::dockerfile::DockerfileError;
use crate::install::content::ContentError;
use crate::limit::Limit;
use crate::resolver::Unresolved;
use crate::terminal::output::OutputError;
use crate::tree::TreeError;
use std::error::Error;
use std::io;

/// What to do where a search for what to install is given up.
pub(crate) const MORE_STEPS: &str = "allow more steps with --max-steps, or give fewer catalogs";

/// The error as one of a kind, also where another one holds it in a box.
pub(super) fn as_kind<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let boxed = || error.downcast_ref::<Box<E>>().map(Box::as_ref);
    error.downcast_ref().or_else(boxed)
}

/// What to do about an error of the modules below. The one place where their failures are turned into advice.
pub(super) fn of(error: &(dyn Error + 'static)) -> Vec<String> {
    match as_kind(error) {
        Some(AddError::Refused(refusals)) => refusal_hints(refusals),
        _ => hint_for(error).into_iter().collect(),
    }
}

fn hint_for(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(FileError { path, source, .. }) = as_kind(error) {
        let make_room = || format!("make room for {}; what was there before is unchanged", path.display());
        return is_full(source).then(make_room).or_else(|| more_files(source));
    }
    if let Some(ReadError::File { source, .. }) = as_kind(error) {
        return more_files(source);
    }
    if let Some(BuildProblem::Temporary { source }) = as_kind(error) {
        return is_full(source).then(|| "make room there, or name another folder in the variable TMPDIR".to_owned());
    }
    if let Some(GatherProblem::Load(LoadError::NoBundle { .. })) = as_kind(error) {
        return Some("name a bundle image; the index to start from is given with --from-index".to_owned());
    }
    if let Some(LoadError::Layout { directory }) = as_kind(error) {
        return Some(format!("name an image in it as oci:{}:TAG", directory.display()));
    }
    if let Some(GatherProblem::MediaType {
        media_type: MediaType::K8sV1,
        ..
    }) = as_kind(error)
    {
        return Some(
            "\"opmx bundle convert --to registry+v1\" converts it to a bundle that every OLM can read".to_owned(),
        );
    }
    if let Some(IntakeError::NoReference { .. }) = as_kind(error) {
        return Some("say where it will be published with --record-as, or leave out --by-reference".to_owned());
    }
    if let Some(DatabaseError::Unfit(Unfit::Empty { .. })) = as_kind(error) {
        return Some("name an index database, or remove the file to begin a new one".to_owned());
    }
    if let Some(ReadError::Folder { path }) = as_kind(error) {
        return Some(if path.join(LAYOUT_FILE).is_file() {
            format!("name an image in it as oci:{}:TAG", path.display())
        } else {
            "a file-based catalog is read by opmx serve, render, migrate and validate, and by opmx index; \
             opmx index from-fbc makes a database of it"
                .to_owned()
        });
    }
    if let Some(error) = as_kind::<RegistryError>(error) {
        return registry_hint(error).map(str::to_owned);
    }
    if let Some(limit) = raised_by(error) {
        return Some(flag_hint(limit).to_owned());
    }
    if let Some(ReferenceError::Address { scheme, .. }) = as_kind(error) {
        return (scheme == "http://").then(|| "pass --use-http if the registry has no HTTPS".to_owned());
    }
    if let Some(Unresolved::GaveUp { .. }) = as_kind(error) {
        return Some(MORE_STEPS.to_owned());
    }
    if let Some(ProgramError::NotStatic { .. }) = as_kind(error) {
        return Some(
            "build opmx with `-C target-feature=+crt-static` and an explicit --target, name a static binary with --binary, \
             build on a base image with --binary-image, or write a Dockerfile with --generate"
                .to_owned(),
        );
    }
    if let Some(ProgramError::Foreign { .. }) = as_kind(error) {
        return Some(
            "name an opmx binary for Linux with --binary, or build on a base image with --binary-image".to_owned(),
        );
    }
    if let Some(ApiSourceError::Nothing { .. }) = as_kind(error) {
        return Some(
            "a source is an index, CustomResourceDefinitions, or the output of \"kubectl api-resources\" or \
             \"kubectl get --raw /apis/GROUP/VERSION\""
                .to_owned(),
        );
    }
    if let Some(ContentError::NoCsv { image, .. }) = as_kind(error)
        && !image.is_empty()
    {
        return Some(format!("name the image instead of the bundle: {image}"));
    }
    match as_kind(error) {
        Some(StartError::Files(_)) => return Some(MORE_FILES.to_owned()),
        Some(StartError::Threads(_)) => {
            return Some("raise the limit on threads: ulimit -u, or that of the container on processes".to_owned());
        }
        _ => {}
    }
    match as_kind(error) {
        Some(ObservedError::Namespaces { .. }) => return Some("name one of them with --namespace".to_owned()),
        Some(ObservedError::OperatorGroups { count: 0, .. }) => {
            return Some(
                "OLM installs nothing there until it has one; if no OperatorGroup is given at all, one is assumed"
                    .to_owned(),
            );
        }
        Some(ObservedError::Other { .. }) => {
            return Some("name the namespace in the what-if file".to_owned());
        }
        _ => {}
    }
    if let Some(StateProblem::Object) = as_kind(error) {
        return Some("a dump of a cluster is given with --cluster, or as FILE".to_owned());
    }
    if let Some(DumpError::Nothing { .. } | DumpError::NoObject { .. }) = as_kind(error) {
        return Some(
            "a dump is the output of \"kubectl get ... -o yaml\", \"kubectl api-resources\" or \"kubectl get --raw \
             /apis/GROUP/VERSION\""
                .to_owned(),
        );
    }
    if let Some(flag) = limit_flag(error) {
        return Some(raise(flag));
    }
    if let Some(CatalogLoadError::Document { .. }) = as_kind(error) {
        return Some("opmx validate lists everything that is wrong with a catalog folder".to_owned());
    }
    if let Some(OpenError::Bundle { .. }) = as_kind(error) {
        return Some("use opmx bundle inspect to show a bundle".to_owned());
    }
    if let Some(DockerfileError::Taken { .. }) = as_kind(error) {
        return Some("remove it to have it written again".to_owned());
    }
    if let Some(DockerfileError::Builder) = as_kind(error) {
        return Some("name an image with opm or opmx as /bin/opm with --builder-image".to_owned());
    }
    if let Some(NewFolderError::Taken { .. }) = as_kind(error) {
        return Some("name another folder, or remove what is there".to_owned());
    }
    if let Some(ExportError::UnknownPackage {
        nearest: Some(name), ..
    }) = as_kind(error)
    {
        return Some(format!("there is {name:?}"));
    }
    if as_kind::<IndexLocationError>(error).is_some() {
        return Some("an index is an image, or the database file of one; there is no such file".to_owned());
    }
    if let Some(ImageError::Moved { race, .. }) = as_kind(error) {
        return Some(match race {
            Race::Before { .. } | Race::After { .. } => "run the command again, on the index as it is now".to_owned(),
            Race::Over { lost } | Race::Unknown { lost: Some(lost) } => {
                format!("the repository still has {lost}; apply its change again to what the tag points to now")
            }
            Race::Unknown { lost: None } => {
                "check whether the index holds what other pipelines published; the log (-v) shows what the tag pointed to"
                    .to_owned()
            }
        });
    }
    if let Some(OutputError::Hidden) = as_kind(error) {
        return Some("--fix without --dry-run changes the files; look at them with an editor".to_owned());
    }
    if let Some(OutputError::Form { .. }) = as_kind(error) {
        return Some("this is a mistake in opmx; please report it with the command line".to_owned());
    }
    None
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
        Failure::Tls { .. } => {
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
fn refusal_hints(refusals: &[Refusal]) -> Vec<String> {
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
            _ => continue,
        };
        if !hints.contains(&hint) {
            hints.push(hint);
        }
    }
    hints
}

/// The limit that can be raised so that an error does not come again.
fn raised_by(error: &(dyn Error + 'static)) -> Option<Limit> {
    match (as_kind(error), as_kind(error)) {
        (Some(TreeError::Limit { raised_by, .. }), _) => *raised_by,
        (_, Some(ImageError::Content { problem, .. })) => raised_by_content(problem),
        _ => None,
    }
}

fn raised_by_content(problem: &ContentProblem) -> Option<Limit> {
    match problem {
        ContentProblem::TooLarge { raised_by, .. } => *raised_by,
        _ => None,
    }
}

fn flag_hint(limit: Limit) -> &'static str {
    match limit {
        Limit::Files => "raise the limit with --max-files, if this is to be trusted",
        Limit::FileBytes => "raise the limit with --max-file-size, if this is to be trusted",
        Limit::TotalBytes => "raise the limit with --max-total-size, if this is to be trusted",
        Limit::ImageBytes => "raise the limit with --max-image-size, if this is to be trusted",
    }
}

/// The flag that raises the limit that an error is about.
fn limit_flag(error: &(dyn Error + 'static)) -> Option<&'static str> {
    const VALUES: &str = "--max-values";
    const TOTAL: &str = "--max-total-size";
    const STEPS: &str = "--max-database-steps";
    let of_catalog = match as_kind(error) {
        Some(CatalogError::Values { .. }) => Some(VALUES),
        Some(CatalogError::TooMuch { .. }) => Some(TOTAL),
        _ => None,
    };
    let of_dump = match as_kind(error) {
        Some(DumpError::Values { .. }) => Some(VALUES),
        Some(DumpError::TooMuch { .. }) => Some(TOTAL),
        Some(DumpError::Object { .. }) => Some("--max-file-size"),
        _ => None,
    };
    let of_source = match as_kind(error) {
        Some(ApiSourceError::TooMany { .. }) => Some(VALUES),
        _ => None,
    };
    let of_state = match as_kind(error) {
        Some(StateProblem::TooMany { .. }) => Some(VALUES),
        _ => None,
    };
    let of_database = match (as_kind(error), as_kind(error)) {
        (Some(ReadError::Steps { .. }), _) | (_, Some(DatabaseError::Steps { .. })) => Some(STEPS),
        _ => None,
    };
    of_catalog.or(of_dump).or(of_source).or(of_state).or(of_database)
}

/// What to do about a limit that a flag raises.
pub(crate) fn raise(flag: &str) -> String {
    format!("raise the limit with {flag}, if this is to be trusted")
}

const MORE_FILES: &str = "raise the limit on open files: ulimit -n";

/// What to do where too many files are open.
fn more_files(error: &io::Error) -> Option<String> {
    #[cfg(unix)]
    if let Some(rustix::io::Errno::MFILE | rustix::io::Errno::NFILE) = rustix::io::Errno::from_io_error(error) {
        return Some(MORE_FILES.to_owned());
    }
    None
}

fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}
