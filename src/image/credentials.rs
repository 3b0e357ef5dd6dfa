//! Finding the login for a registry, where the container tools keep it.
//!
//! Of several files the first that knows the registry counts. Within a file, the longest key that is a prefix of
//! `host/repository` wins; then the program in `credHelpers` for the host, then the one in `credsStore`.

mod helper;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use helper::ask_helper;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

const FILE_LIMIT: u64 = 4 << 20;

/// Docker's own key for its registry.
const DOCKER_HUB_KEY: &str = "https://index.docker.io/v1/";
/// The names under which Docker Hub's login is found.
const DOCKER_HUB: [&str; 3] = ["docker.io", "index.docker.io", "registry-1.docker.io"];

/// Where logins are looked for; nowhere by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Credentials {
    files: Vec<PathBuf>,
    /// The file was named by the user, so it has to be there.
    required: bool,
}

/// A login, and where it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login {
    /// What to present to the registry.
    pub secret: Secret,
    /// The file and key, or the helper program; never the secret.
    pub source: String,
}

/// What proves who asks. Debugging output does not show it.
#[derive(Clone, PartialEq, Eq)]
pub enum Secret {
    /// A name and a password.
    Password {
        /// The name.
        user: String,
        /// The password or access token.
        password: String,
    },
    /// A refresh token (OAuth 2), exchanged for short-lived tokens.
    IdentityToken(String),
    /// A token that the registry takes as it is.
    RegistryToken(String),
}

/// A credentials file or helper that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CredentialError {
    /// The file cannot be read.
    #[error("cannot read the credentials file {}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is not JSON of the right shape.
    #[error("the credentials file {} is not valid", file.display())]
    Json {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// The entry for a registry cannot be decoded.
    #[error("the credentials file {} has an unusable entry for {key}: expected \"auth\" to be user:password in base64", file.display())]
    Entry {
        /// The file.
        file: PathBuf,
        /// The key in `auths`.
        key: String,
    },
    /// The helper program could not be run.
    #[error("cannot run {program}, which the credentials file {} names", file.display())]
    Run {
        /// The program.
        program: String,
        /// The file that names it.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The helper program failed.
    #[error("{program} failed: {message}")]
    Helper {
        /// The program.
        program: String,
        /// Its own words, or what is wrong with its answer.
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
    /// Those in this file, which has to be there.
    pub fn in_file(file: PathBuf) -> Self {
        Self {
            files: vec![file],
            required: true,
        }
    }

    /// Those in these files, as far as they are there. The first that knows a registry counts.
    pub(crate) fn in_any_of(files: Vec<PathBuf>) -> Self {
        Self { files, required: false }
    }

    /// The files, in the order in which they are read.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// The login for a repository, if there is one. `registry` is the host with its port, `docker.io` for Docker Hub.
    ///
    /// Runs helper programs, and waits for them at most 30 seconds.
    ///
    /// # Errors
    /// When a file is there but cannot be used, a file named by the user is absent, or a helper fails.
    pub fn find(&self, registry: &str, repository: &str) -> Result<Option<Login>, CredentialError> {
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
        let opened = match File::open(file) {
            Ok(opened) => opened,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !self.required => return Ok(None),
            Err(error) => return Err(fail(error)),
        };
        let mut bytes = Vec::new();
        opened.take(FILE_LIMIT).read_to_end(&mut bytes).map_err(fail)?;
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
        let hosts: &[&str] = if DOCKER_HUB.contains(&registry) {
            &DOCKER_HUB
        } else {
            &[registry]
        };
        for wanted in prefixes(repository) {
            for host in hosts {
                let wanted = if wanted.is_empty() {
                    (*host).to_owned()
                } else {
                    format!("{host}/{wanted}")
                };
                let mut same = self.auths.iter().filter(|(key, _)| plain_key(key) == wanted);
                // Desktop tools leave empty entries behind when the secret is with a helper.
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
        let helper = self
            .cred_helpers
            .iter()
            .find(|(key, _)| hosts.contains(&plain_key(key).as_str()));
        let helper = helper
            .map(|(_, helper)| helper)
            .or(Some(&self.creds_store))
            .filter(|helper| !helper.is_empty());
        let Some(helper) = helper else { return Ok(None) };
        let server = if hosts.len() > 1 { DOCKER_HUB_KEY } else { registry };
        let program = format!("docker-credential-{helper}");
        let secret = ask_helper(&program, file, server)?;
        Ok(secret.map(|secret| Login {
            secret,
            source: format!("{program} for {server}, named in {}", file.display()),
        }))
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

/// `a/b/c`, `a/b`, `a` and nothing: the repository and the folders above it.
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

/// A key without its scheme and without the API version that Docker writes: `https://host/v1/` is `host`.
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
