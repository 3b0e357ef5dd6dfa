//! Finds registry logins: those of the caller, and those in the credential stores of the container tools.
//!
//! Of several files, the first that contains a login for the registry is used. Within a file, the `credHelpers` program
//! for the host takes precedence, then the longest key that is a prefix of `host/repository`, then the `credsStore`
//! program.

mod helper;

use crate::files::read_at_most;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use helper::ask_helper;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

const FILE_LIMIT: u64 = 4 << 20;

/// The key that Docker uses for Docker Hub.
const DOCKER_HUB_KEY: &str = "https://index.docker.io/v1/";
/// The host names under which a Docker Hub login may be stored.
const DOCKER_HUB: [&str; 3] = ["docker.io", "index.docker.io", "registry-1.docker.io"];

/// The logins of the caller, and the files that are searched for other logins; none by default.
///
/// ```
/// use opmx::image::{Credentials, ImageOptions, Secret};
///
/// let secret = Secret::Password { user: "robot".to_owned(), password: "token".to_owned() };
/// let credentials = Credentials::default().with_login("registry.example.com:5000", secret);
/// let options = ImageOptions { credentials, ..ImageOptions::default() };
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Credentials {
    /// The logins of the caller, by registry.
    logins: BTreeMap<String, Secret>,
    files: Vec<PathBuf>,
    /// Whether it is an error if a file does not exist when a registry asks for a login.
    required: bool,
    /// Whether it is an error if a file does not exist when a registry is accessed, even without a login.
    named: bool,
}

/// A login and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login {
    /// The secret to present to the registry.
    pub secret: Secret,
    /// The file and key, the helper program or the options that supplied the login. It never contains the secret
    /// itself.
    pub source: String,
}

/// The secret that authenticates a user. `Debug` output does not show it.
#[derive(Clone, PartialEq, Eq)]
pub enum Secret {
    /// A user name and a password.
    Password {
        /// The user name.
        user: String,
        /// The password or access token.
        password: String,
    },
    /// An OAuth 2 refresh token, which is exchanged for short-lived tokens.
    IdentityToken(String),
    /// A token that is sent to the registry unchanged.
    RegistryToken(String),
}

/// A credentials file or helper that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialError {
    /// The file cannot be read.
    #[error("cannot read the credentials file {}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The underlying error.
        source: io::Error,
    },
    /// The file is not valid JSON, or does not have the expected structure.
    #[error("the credentials file {} is invalid", file.display())]
    Json {
        /// The file.
        file: PathBuf,
        /// The underlying error.
        source: serde_json::Error,
    },
    /// The entry for a registry cannot be decoded.
    #[error("the credentials file {} contains an invalid entry for {key}: expected \"auth\" to be user:password in base64", file.display())]
    Entry {
        /// The file.
        file: PathBuf,
        /// The key in `auths`.
        key: String,
    },
    /// The helper program could not be run.
    #[error("cannot run {program}, which is named in the credentials file {}", file.display())]
    Run {
        /// The program.
        program: String,
        /// The credentials file that names the program.
        file: PathBuf,
        /// The underlying error.
        source: io::Error,
    },
    /// The helper program failed.
    #[error("{program} failed: {message}")]
    Helper {
        /// The program.
        program: String,
        /// The program's own message, or a description of the error in its response.
        message: String,
    },
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Password { .. } => "Password(…)",
            Self::IdentityToken(_) => "IdentityToken(…)",
            Self::RegistryToken(_) => "RegistryToken(…)",
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct AuthFile {
    auths: BTreeMap<String, StoredLogin>,
    cred_helpers: BTreeMap<String, String>,
    creds_store: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct StoredLogin {
    auth: String,
    username: String,
    password: String,
    #[serde(rename = "identitytoken")]
    identity_token: String,
    #[serde(rename = "registrytoken")]
    registry_token: String,
}

impl Credentials {
    /// Searches this file, which must exist, for logins.
    pub fn in_file(file: PathBuf) -> Self {
        Self {
            files: vec![file],
            required: true,
            named: true,
            ..Self::default()
        }
    }

    /// Adds a login for all repositories of a registry, which takes precedence over those in files. `registry` is the
    /// host with its port, or `docker.io` for Docker Hub. A previous login for the registry is replaced.
    #[must_use]
    pub fn with_login(mut self, registry: impl Into<String>, secret: Secret) -> Self {
        self.logins.insert(registry.into(), secret);
        self
    }

    /// Searches this file for logins. It must exist only if a registry asks for a login, because it was not specified
    /// for a single command.
    pub(crate) fn in_usual_file(file: PathBuf) -> Self {
        Self {
            named: false,
            ..Self::in_file(file)
        }
    }

    /// Searches these files, if they exist, for logins. The first file that contains a login for a registry is used.
    pub fn in_any_of(files: Vec<PathBuf>) -> Self {
        Self {
            files,
            ..Self::default()
        }
    }

    /// Returns the files in the order in which they are searched.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Returns the file that the user specified, which must exist.
    pub(crate) fn named_file(&self) -> Option<&Path> {
        self.files.first().filter(|_| self.named).map(PathBuf::as_path)
    }

    /// Returns the login for a repository, if there is one. `registry` is the host with its port, or `docker.io` for
    /// Docker Hub.
    ///
    /// Runs helper programs, and waits at most 30 seconds for each to exit.
    ///
    /// # Errors
    /// Returns an error if a file exists but cannot be used, a file named by the user does not exist, or a helper
    /// fails.
    pub fn find(&self, registry: &str, repository: &str) -> Result<Option<Login>, CredentialError> {
        let hosts = names_of(&registry);
        if let Some((host, secret)) = self.logins.iter().find(|(host, _)| hosts.contains(&host.as_str())) {
            return Ok(Some(Login {
                secret: secret.clone(),
                source: format!("the options for {host}"),
            }));
        }
        for file in &self.files {
            let Some(content) = self.read(file)? else { continue };
            if let Some(login) = content.find(file, registry, repository)? {
                return Ok(Some(login));
            }
        }
        Ok(None)
    }

    fn read(&self, file: &Path) -> Result<Option<AuthFile>, CredentialError> {
        let fail = |source| CredentialError::Read {
            file: file.to_owned(),
            source,
        };
        let bytes = match File::open(file).and_then(|opened| read_at_most(opened, FILE_LIMIT)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !self.required => return Ok(None),
            Err(error) => return Err(fail(error)),
        };
        if bytes.trim_ascii().is_empty() {
            return Ok(None);
        }
        let content = serde_json::from_slice(&bytes).map_err(|source| CredentialError::Json {
            file: file.to_owned(),
            source,
        })?;
        Ok(Some(content))
    }
}

impl AuthFile {
    fn find(&self, file: &Path, registry: &str, repository: &str) -> Result<Option<Login>, CredentialError> {
        let hosts = names_of(&registry);
        let mut helpers = self.cred_helpers.iter();
        let helper = helpers.find(|(key, _)| hosts.contains(&plain_key(key).as_str()));
        if let Some((_, helper)) = helper
            && let Some(login) = login_of(helper, file, registry)?
        {
            return Ok(Some(login));
        }
        for wanted in prefixes(repository) {
            for host in hosts {
                let wanted = if wanted.is_empty() {
                    (*host).to_owned()
                } else {
                    format!("{host}/{wanted}")
                };
                let mut same = self.auths.iter().filter(|(key, _)| plain_key(key) == wanted);
                // Desktop tools leave empty entries for secrets that are stored by a helper.
                if let Some((key, secret)) = same.find_map(|(key, entry)| Some((key, entry.secret()?))) {
                    let secret = secret.map_err(|_| CredentialError::Entry {
                        file: file.to_owned(),
                        key: key.clone(),
                    })?;
                    let source = format!("{key} in {}", file.display());
                    return Ok(Some(Login { secret, source }));
                }
            }
        }
        if helper.is_some() {
            return Ok(None);
        }
        login_of(&self.creds_store, file, registry)
    }
}

/// Returns the login that a helper program has for a registry. An empty name means that there is no program.
fn login_of(helper: &str, file: &Path, registry: &str) -> Result<Option<Login>, CredentialError> {
    if helper.is_empty() {
        return Ok(None);
    }
    let server = if names_of(&registry).len() > 1 {
        DOCKER_HUB_KEY
    } else {
        registry
    };
    let program = format!("docker-credential-{helper}");
    let secret = ask_helper(&program, file, server)?;
    Ok(secret.map(|secret| Login {
        secret,
        source: format!("{program} for {server}, named in {}", file.display()),
    }))
}

/// Returns the names under which the login for a registry may be stored.
fn names_of<'r>(registry: &'r &'r str) -> &'r [&'r str] {
    if DOCKER_HUB.contains(registry) {
        &DOCKER_HUB
    } else {
        std::slice::from_ref(registry)
    }
}

struct Undecodable;

impl StoredLogin {
    fn secret(&self) -> Option<Result<Secret, Undecodable>> {
        if !self.identity_token.is_empty() {
            return Some(Ok(Secret::IdentityToken(self.identity_token.clone())));
        }
        if !self.registry_token.is_empty() {
            return Some(Ok(Secret::RegistryToken(self.registry_token.clone())));
        }
        if !self.auth.is_empty() {
            return Some(decode(&self.auth).ok_or(Undecodable));
        }
        if self.username.is_empty() {
            return None;
        }
        Some(Ok(Secret::Password {
            user: self.username.clone(),
            password: self.password.clone(),
        }))
    }
}

fn decode(auth: &str) -> Option<Secret> {
    let auth = auth.trim();
    let bytes = STANDARD.decode(auth).or_else(|_| STANDARD_NO_PAD.decode(auth)).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let (user, password) = text.split_once(':')?;
    // Docker pads some of its entries with zero bytes.
    let password = password.trim_end_matches('\0').to_owned();
    Some(Secret::Password {
        user: user.to_owned(),
        password,
    })
}

/// Yields the repository path and its parents: `a/b/c`, `a/b`, `a` and the empty string.
fn prefixes(repository: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(repository);
    std::iter::from_fn(move || {
        let current = next?;
        next = match current.rsplit_once('/') {
            Some((above, _)) => Some(above),
            None if current.is_empty() => None,
            None => Some(""),
        };
        Some(current)
    })
}

/// Removes the scheme and Docker's API version from a key: `https://host/v1/` becomes `host`.
fn plain_key(key: &str) -> String {
    let key = key
        .trim_start_matches("https://")
        .trim_start_matches("http://")
        .trim_end_matches('/');
    let key = key
        .strip_suffix("/v1")
        .or_else(|| key.strip_suffix("/v2"))
        .unwrap_or(key);
    key.to_owned()
}

#[cfg(test)]
mod tests;
