//! Finding the login for a registry, where the container tools keep it.
//!
//! A file that is named by `--authfile` or `REGISTRY_AUTH_FILE` is the only one that is read. Otherwise these are read in
//! turn, and the first that knows the registry counts: `$XDG_RUNTIME_DIR/containers/auth.json`,
//! `$XDG_CONFIG_HOME/containers/auth.json` (or below `~/.config`), and `$DOCKER_CONFIG/config.json` (or
//! `~/.docker/config.json`). Within a file, the longest key that is a prefix of `host/repository` wins; then the
//! program in `credHelpers` for the host, then the one in `credsStore`.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

const FILE_LIMIT: u64 = 4 << 20;
const HELPER_OUTPUT_LIMIT: u64 = 1 << 20;
const HELPER_TIME: Duration = Duration::from_secs(30);
const HELPER_PAUSE: Duration = Duration::from_millis(10);

/// Docker's own key for its registry.
const DOCKER_HUB_KEY: &str = "https://index.docker.io/v1/";
/// The names under which Docker Hub's login is found.
const DOCKER_HUB: [&str; 3] = ["docker.io", "index.docker.io", "registry-1.docker.io"];

/// Where logins are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    #[error("cannot read the credentials file {}: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is not JSON of the right shape.
    #[error("the credentials file {} is not valid: {source}", file.display())]
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
    #[error("cannot run {program}, which the credentials file {} names: {source}", file.display())]
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
    auths: BTreeMap<String, Entry>,
    cred_helpers: BTreeMap<String, String>,
    creds_store: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Entry {
    auth: String,
    username: String,
    password: String,
    #[serde(rename = "identitytoken")]
    identity_token: String,
    #[serde(rename = "registrytoken")]
    registry_token: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct HelperAnswer {
    username: String,
    secret: String,
}

impl Credentials {
    /// The files that this environment names; `authfile` is the option of that name.
    pub fn from_environment(authfile: Option<&Path>) -> Self {
        Self::with_variables(authfile, &|name| std::env::var_os(name))
    }

    fn with_variables(authfile: Option<&Path>, variable: &dyn Fn(&str) -> Option<OsString>) -> Self {
        let path = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        if let Some(file) = authfile.map(Path::to_owned).or_else(|| path("REGISTRY_AUTH_FILE")) {
            return Self {
                files: vec![file],
                required: true,
            };
        }
        let home = path("HOME");
        let below_home = |folder: &str| home.as_ref().map(|home| home.join(folder));
        let files = [
            path("XDG_RUNTIME_DIR").map(|folder| folder.join("containers/auth.json")),
            path("XDG_CONFIG_HOME")
                .or_else(|| below_home(".config"))
                .map(|folder| folder.join("containers/auth.json")),
            path("DOCKER_CONFIG")
                .or_else(|| below_home(".docker"))
                .map(|folder| folder.join("config.json")),
        ];
        Self {
            files: files.into_iter().flatten().collect(),
            required: false,
        }
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

impl Entry {
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

fn ask_helper(program: &str, file: &Path, server: &str) -> Result<Option<Secret>, CredentialError> {
    if program.contains(['/', '\\']) {
        return Err(CredentialError::Helper {
            program: program.to_owned(),
            message: "its name is a path".to_owned(),
        });
    }
    ask(Command::new(program), program, file, server, HELPER_TIME)
}

/// Speaks the protocol of Docker's credential helpers: the server on standard input, JSON on standard output.
fn ask(
    mut command: Command,
    program: &str,
    file: &Path,
    server: &str,
    time: Duration,
) -> Result<Option<Secret>, CredentialError> {
    let fail = |message: String| CredentialError::Helper {
        program: program.to_owned(),
        message,
    };
    let run = |source| CredentialError::Run {
        program: program.to_owned(),
        file: file.to_owned(),
        source,
    };
    let mut child = command
        .arg("get")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(run)?;
    if let Some(mut input) = child.stdin.take() {
        // A helper that does not read its input may still answer.
        let _ = input.write_all(server.as_bytes());
    }
    let output = child.stdout.take();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut answer = Vec::new();
        if let Some(output) = output {
            // What cannot be read is missing from the answer, which is then not valid.
            let _ = output.take(HELPER_OUTPUT_LIMIT).read_to_end(&mut answer);
        }
        // Nobody listens any more when the time was over.
        let _ = sender.send(answer);
    });
    let Some(success) = wait(&mut child, time).map_err(run)? else {
        return Err(fail(format!("no answer in {} seconds", time.as_secs())));
    };
    // The program has ended, but something that it started may hold its output open.
    let answer = receiver.recv_timeout(time).unwrap_or_default();
    if !success {
        let message = String::from_utf8_lossy(&answer).trim().to_owned();
        // The protocol has no other sign for "there is none".
        if message.contains("credentials not found") {
            return Ok(None);
        }
        return Err(fail(message));
    }
    let answer: HelperAnswer =
        serde_json::from_slice(&answer).map_err(|error| fail(format!("its answer is not valid: {error}")))?;
    Ok(match (answer.username.as_str(), answer.secret) {
        ("", secret) if secret.is_empty() => None,
        ("<token>", token) => Some(Secret::IdentityToken(token)),
        (user, password) => Some(Secret::Password {
            user: user.to_owned(),
            password,
        }),
    })
}

/// Whether the program succeeded; none when it did not end in time and was killed.
fn wait(child: &mut Child, time: Duration) -> io::Result<Option<bool>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.success()));
        }
        if start.elapsed() > time {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(HELPER_PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn find(content: &str, registry: &str, repository: &str) -> Result<Option<Login>, CredentialError> {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("auth.json");
        fs::write(&file, content).unwrap();
        Credentials::with_variables(Some(&file), &|_| None).find(registry, repository)
    }

    fn user(content: &str, registry: &str, repository: &str) -> Option<String> {
        match find(content, registry, repository).unwrap()?.secret {
            Secret::Password { user, password } => Some(format!("{user}/{password}")),
            Secret::IdentityToken(token) => Some(format!("identity {token}")),
            Secret::RegistryToken(token) => Some(format!("registry {token}")),
        }
    }

    fn auth(text: &str) -> String {
        format!(r#"{{"auth":"{}"}}"#, STANDARD.encode(text))
    }

    #[test]
    fn the_longest_prefix_of_the_repository_wins() {
        let content = format!(
            r#"{{"auths":{{"registry.example.com":{},"registry.example.com/team":{},"registry.example.com/team/a":{}}}}}"#,
            auth("host:1"),
            auth("team:2"),
            auth("a:3")
        );
        let user = |repository: &str| user(&content, "registry.example.com", repository).unwrap();
        assert_eq!(user("team/a"), "a/3");
        assert_eq!(user("team/a/b"), "a/3");
        assert_eq!(user("team/ab"), "team/2");
        assert_eq!(user("other"), "host/1");
    }

    #[test]
    fn docker_hub_has_several_names() {
        for key in ["docker.io", "index.docker.io", "https://index.docker.io/v1/"] {
            let content = format!(r#"{{"auths":{{"{key}":{}}}}}"#, auth("me:pass:word"));
            assert_eq!(
                user(&content, "docker.io", "library/busybox").unwrap(),
                "me/pass:word",
                "{key}"
            );
            assert_eq!(user(&content, "registry.example.com", "busybox"), None);
        }
    }

    #[test]
    fn entries_come_in_several_shapes() {
        let entry = |entry: &str| user(&format!(r#"{{"auths":{{"https://r:5000":{entry}}}}}"#), "r:5000", "a");
        assert_eq!(entry(r#"{"username":"me","password":"x"}"#).unwrap(), "me/x");
        assert_eq!(entry(r#"{"auth":"bWU6eA","email":"e"}"#).unwrap(), "me/x");
        let identity = format!(r#"{{"auth":"{}","identitytoken":"t"}}"#, STANDARD.encode("me:"));
        assert_eq!(entry(&identity).unwrap(), "identity t");
        assert_eq!(entry(r#"{"registrytoken":"t"}"#).unwrap(), "registry t");
        assert_eq!(entry("{}"), None);
    }

    #[test]
    fn files_that_cannot_be_used_are_named() {
        let error = find("{", "r", "a").unwrap_err().to_string();
        assert!(error.contains("auth.json is not valid"), "{error}");
        let error = find(r#"{"auths":{"r":{"auth":"%"}}}"#, "r", "a")
            .unwrap_err()
            .to_string();
        assert!(error.contains("unusable entry for r"), "{error}");
        let absent = Credentials::with_variables(Some(Path::new("/nowhere/auth.json")), &|_| None);
        assert!(
            absent
                .find("r", "a")
                .unwrap_err()
                .to_string()
                .contains("/nowhere/auth.json")
        );
        assert_eq!(find("", "r", "a").unwrap(), None);
    }

    #[test]
    fn the_environment_says_where_to_look() {
        let files = |variables: &[(&str, &str)]| {
            let find = |name: &str| {
                variables
                    .iter()
                    .find(|(key, _)| *key == name)
                    .map(|(_, value)| value.into())
            };
            Credentials::with_variables(None, &find).files
        };
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(
            files(&[("HOME", "/h"), ("XDG_RUNTIME_DIR", "/run/1")]),
            paths(&[
                "/run/1/containers/auth.json",
                "/h/.config/containers/auth.json",
                "/h/.docker/config.json"
            ])
        );
        assert_eq!(
            files(&[("XDG_CONFIG_HOME", "/c"), ("DOCKER_CONFIG", "/d")]),
            paths(&["/c/containers/auth.json", "/d/config.json"])
        );
        assert_eq!(files(&[("REGISTRY_AUTH_FILE", "/a"), ("HOME", "/h")]), paths(&["/a"]));
        assert_eq!(files(&[]), paths(&[]));
    }

    #[test]
    fn the_second_file_is_read_when_the_first_knows_nothing() {
        let home = tempfile::tempdir().unwrap();
        let docker = home.path().join(".docker");
        fs::create_dir_all(&docker).unwrap();
        fs::write(
            docker.join("config.json"),
            format!(r#"{{"auths":{{"r":{}}}}}"#, auth("me:x")),
        )
        .unwrap();
        let path = home.path().as_os_str().to_owned();
        let credentials = Credentials::with_variables(None, &|name| (name == "HOME").then(|| path.clone()));
        let login = credentials.find("r", "a").unwrap().unwrap();
        assert!(
            login.source.contains("r in ") && login.source.contains("config.json"),
            "{}",
            login.source
        );
        assert_eq!(format!("{:?}", login.secret), "Password(…)");
    }

    /// Runs `ask_helper` on a program made of this shell script.
    fn helper(script: &str) -> Result<Option<Secret>, CredentialError> {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("script");
        fs::write(&program, script).unwrap();
        let mut command = Command::new("sh");
        command.arg(&program);
        ask(
            command,
            "docker-credential-test",
            Path::new("auth.json"),
            "r:5000",
            Duration::from_secs(2),
        )
    }

    #[test]
    fn helper_programs_are_asked_for_the_server() {
        let answer =
            r#"read server || true; echo "{\"ServerURL\":\"$server\",\"Username\":\"me\",\"Secret\":\"for $server\"}""#;
        let Some(Secret::Password { user, password }) = helper(answer).unwrap() else {
            panic!("no password");
        };
        assert_eq!((user.as_str(), password.as_str()), ("me", "for r:5000"));
        let token = helper(r#"echo '{"Username":"<token>","Secret":"t"}'"#).unwrap();
        assert_eq!(token, Some(Secret::IdentityToken("t".to_owned())));
        assert_eq!(
            helper("echo credentials not found in native keychain; exit 1").unwrap(),
            None
        );
        let error = helper("echo the keychain is locked; exit 1").unwrap_err().to_string();
        assert!(
            error.contains("docker-credential-test failed: the keychain is locked"),
            "{error}"
        );
        assert!(helper("echo no json").unwrap_err().to_string().contains("not valid"));
        assert!(
            helper("exec sleep 60")
                .unwrap_err()
                .to_string()
                .contains("no answer in 2 seconds")
        );
    }

    #[test]
    fn helpers_are_chosen_by_host_and_named_when_absent() {
        let content = r#"{"auths":{"r":{}},"credHelpers":{"r":"no-such-helper"},"credsStore":"no-such-store"}"#;
        let error = find(content, "r", "a").unwrap_err().to_string();
        assert!(
            error.contains("docker-credential-no-such-helper") && error.contains("auth.json"),
            "{error}"
        );
        let error = find(content, "other", "a").unwrap_err().to_string();
        assert!(error.contains("docker-credential-no-such-store"), "{error}");
        let error = find(r#"{"credsStore":"../../bin/sh"}"#, "r", "a")
            .unwrap_err()
            .to_string();
        assert!(error.contains("its name is a path"), "{error}");
    }
}
