use super::helper::ask;
use super::*;
use std::fs;
use std::process::Command;
use std::time::Duration;

fn find(content: &str, registry: &str, repository: &str) -> Result<Option<Login>, CredentialError> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("auth.json");
    fs::write(&file, content).unwrap();
    Credentials::in_file(file).find(registry, repository)
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
fn a_file_over_the_limit_is_reported_as_such() {
    let content = format!(r#"{{"auths":{{}},"other":"{}"}}"#, "x".repeat(4 << 20));
    let Err(CredentialError::Read { source, .. }) = find(&content, "registry.example.com", "a") else {
        panic!("the file was not refused");
    };
    assert_eq!(source.to_string(), "the content is larger than 4194304 bytes");
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
fn a_login_of_the_caller_is_used_for_its_registry_before_any_file() {
    let secret = Secret::RegistryToken("token".to_owned());
    let missing = Credentials::in_file("no/such/file".into());
    let credentials = missing.with_login("docker.io", secret.clone());
    let found = credentials.find("index.docker.io", "library/busybox").unwrap().unwrap();
    assert_eq!((found.secret, &*found.source), (secret, "the options for docker.io"));
    assert!(credentials.find("registry.example.com", "a").is_err());
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
fn entries_are_read_in_several_formats() {
    let entry = |entry: &str| user(&format!(r#"{{"auths":{{"https://r:5000":{entry}}}}}"#), "r:5000", "a");
    assert_eq!(entry(r#"{"username":"me","password":"x"}"#).unwrap(), "me/x");
    assert_eq!(entry(r#"{"auth":"bWU6eA","email":"e"}"#).unwrap(), "me/x");
    let identity = format!(r#"{{"auth":"{}","identitytoken":"t"}}"#, STANDARD.encode("me:"));
    assert_eq!(entry(&identity).unwrap(), "identity t");
    assert_eq!(entry(r#"{"registrytoken":"t"}"#).unwrap(), "registry t");
    assert_eq!(entry("{}"), None);
}

#[test]
fn unusable_files_are_reported() {
    let error = find("{", "r", "a").unwrap_err().to_string();
    assert!(error.contains("auth.json is invalid"), "{error}");
    let error = find(r#"{"auths":{"r":{"auth":"%"}}}"#, "r", "a")
        .unwrap_err()
        .to_string();
    assert!(error.contains("invalid entry for r"), "{error}");
    let absent = Credentials::in_file("/nowhere/auth.json".into());
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
fn the_second_file_is_read_if_the_first_has_no_entry() {
    let home = tempfile::tempdir().unwrap();
    let docker = home.path().join(".docker");
    fs::create_dir_all(&docker).unwrap();
    fs::write(
        docker.join("config.json"),
        format!(r#"{{"auths":{{"r":{}}}}}"#, auth("me:x")),
    )
    .unwrap();
    let first = home.path().join("absent.json");
    let credentials = Credentials::in_any_of(vec![first, docker.join("config.json")]);
    let login = credentials.find("r", "a").unwrap().unwrap();
    assert!(
        login.source.contains("r in ") && login.source.contains("config.json"),
        "{}",
        login.source
    );
    assert_eq!(format!("{:?}", login.secret), "Password(…)");
}

/// Runs `ask_helper` with this shell script as the program.
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
fn credential_helpers_are_called_with_the_server() {
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
    let error = helper("head -c 1048577 /dev/zero").unwrap_err().to_string();
    assert!(error.ends_with("its response is larger than 1048576 bytes"), "{error}");
    assert!(
        helper("echo no json")
            .unwrap_err()
            .to_string()
            .contains("its response is invalid")
    );
    assert!(
        helper("exec sleep 60")
            .unwrap_err()
            .to_string()
            .contains("no response within 2 seconds")
    );
}

#[test]
fn the_helper_for_a_host_comes_before_its_entries_and_the_store_after_them() {
    let entry = auth("me:x");
    let content = format!(r#"{{"auths":{{"r":{entry},"r/a":{entry}}},"credHelpers":{{"r":"no-such-helper"}}}}"#);
    let error = find(&content, "r", "a").unwrap_err().to_string();
    assert!(error.contains("docker-credential-no-such-helper"), "{error}");
    let content = format!(r#"{{"auths":{{"r":{entry}}},"credHelpers":{{"s":"no"}},"credsStore":"no-such-store"}}"#);
    assert_eq!(user(&content, "r", "a").unwrap(), "me/x");
}

#[test]
fn helpers_are_selected_by_host_and_reported_if_missing() {
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
    assert!(error.contains("its name must not be a path"), "{error}");
}
