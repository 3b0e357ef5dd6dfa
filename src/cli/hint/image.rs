//! Advice for errors about images, registries and OCI layouts.

use super::{
    Advice, FULL_TEMPORARY, Hints, OTHER_RUN, flag_hint, hint, hints, is_forbidden, is_full, of_system, raised,
};
use crate::image::copy::JournalError;
use crate::image::volumes::VolumesError;
use crate::image::{
    BuildProblem, ContentProblem, CredentialError, ImageError, LoginTried, Race, ReferenceError, RegistryError,
    RegistryFailure,
};
use crate::limit::Limit;

impl Hints for RegistryError {
    fn hints(&self) -> Advice {
        Advice {
            hints: layout_hint(self)
                .into_iter()
                .chain(registry_hint(self).map(str::to_owned))
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

hints! {
    ReferenceError {
        pass: [],
        none: [Empty, Digest],
        Self::Transport { reference, transport } if transport == "file" => {
            hint(format!("for a file or a folder, specify the path without file://, as {}", path_of(reference)))
        }
        Self::Transport { .. } => Advice::default(),
        Self::Grammar { reference, .. } if reference.starts_with(['.', '/']) => {
            hint(format!("for an image in an OCI layout on disk, write oci:{reference}"))
        }
        Self::Grammar { .. } => Advice::default(),
        Self::Address { scheme, .. } if scheme == "http://" => hint("pass --use-http if the registry does not support HTTPS"),
        Self::Address { .. } => Advice::default(),
    }
    BuildProblem {
        pass: [],
        none: [Path, Duplicate, Changed, DiffId, NoPlatform, SamePlatform],
        Self::Deep { .. } => hint("move the file to a folder with fewer parents"),
        Self::Temporary { source } if is_full(source) => {
            hint(FULL_TEMPORARY)
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
                format!("the repository still contains {lost}; repeat the change that produced it, on the index that \
                         the tag now points to")
            }
            Race::Unknown { lost: None } => {
                "check whether the index contains the bundles that other pipelines published; the log (-v) shows the \
                 previous target of the tag"
                    .to_owned()
            }
        }),
    }
    VolumesError {
        pass: [File],
        none: [],
        Self::Missing { .. } => hint("transfer all files in the list of the archive, NAME.json"),
        Self::Damaged { .. } | Self::Size { .. } | Self::Tar { .. } => hint("transfer the volume again"),
        Self::Blob { .. } => hint("write the archive again, and transfer all of its files"),
    }
    JournalError {
        pass: [],
        none: [Foreign],
        Self::File(error) if is_forbidden(&error.source) => {
            hint("choose another folder for the journal and the result with --state-dir")
        }
        Self::File(error) => error.hints(),
        Self::Busy { .. } => hint(OTHER_RUN),
    }
}

/// Returns the path in a `file` URL.
fn path_of(url: &str) -> &str {
    let path = url.strip_prefix("file:").unwrap_or(url);
    path.strip_prefix("//").unwrap_or(path)
}

/// Returns the advice for a failed request to a registry.
pub fn registry_hint(error: &RegistryError) -> Option<&'static str> {
    use RegistryFailure as Failure;
    Some(match error.failure.as_ref() {
        Failure::NotFound { .. } => {
            "check the spelling of the repository and the tag; some registries also report this when a login is \
             required"
        }
        Failure::Unauthorized {
            login: LoginTried::Rejected { .. },
            ..
        }
        | Failure::Credentials(CredentialError::Entry { .. }) => {
            "log in again with the container tool of your choice, or specify other credentials with --authfile"
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
        Failure::Authorities { .. } => "specify a PEM file that contains certificates with --ca-file",
        Failure::AuthorityAsServer => {
            "specify this certificate with --ca-file if it is self-signed; otherwise, give the server a certificate that \
             the authority issues"
        }
        Failure::PlainHttp => "pass --use-http if this registry does not support HTTPS",
        Failure::HttpsExpected => "omit --use-http for this registry",
        Failure::Realm { .. } | Failure::Address { .. } => {
            "the registry specifies this server; check that you use the intended registry"
        }
        Failure::ForeignLogin { .. } => {
            "to use your login for that server, specify the server instead of the registry in the reference"
        }
        Failure::Content { problem, .. } => return raised_by_content(problem).map(flag_hint),
        Failure::Unavailable { .. }
        | Failure::Refused { .. }
        | Failure::Stalled { .. }
        | Failure::Redirect { .. }
        | Failure::Setting { .. }
        | Failure::ShortBody { .. }
        | Failure::Protocol { .. }
        | Failure::OtherDigest { .. }
        | Failure::Credentials(_)
        | Failure::File(_) => return None,
    })
}

/// Returns the advice to specify an OCI layout, if an image was pushed to the default registry because its reference
/// contains no host.
fn layout_hint(error: &RegistryError) -> Option<String> {
    let is_push =
        error.request.contains("/blobs/") && !error.request.starts_with("GET") || error.request.starts_with("PUT");
    let name = &error.image;
    // Commands that read images reject a single word as a name, so this name is the target of a push.
    let is_push = is_push || !name.contains(['/', ':', '@']);
    let host = name.split('/').next().unwrap_or_default();
    let has_host = name.contains('/') && (host == "localhost" || host.contains(['.', ':']));
    (is_push && !has_host).then(|| format!("to write an OCI layout on disk, name it oci:{name}"))
}

fn raised_by_content(problem: &ContentProblem) -> Option<Limit> {
    match problem {
        ContentProblem::TooLarge { raised_by, .. } => *raised_by,
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::FileError;
    use std::io;

    #[test]
    fn an_unwritable_journal_gets_a_hint_to_choose_another_folder() {
        for kind in [io::ErrorKind::PermissionDenied, io::ErrorKind::ReadOnlyFilesystem] {
            let error = JournalError::File(FileError::new("write", "archive/mirror.journal", kind.into()));
            assert!(error.hints().hints[0].contains("--state-dir"));
        }
    }
}
