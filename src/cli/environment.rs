//! The environment variables: what they mean to users, and the values of those that neither affect the terminal nor are
//! read by a library.

use crate::cli::error::CommandError;
use crate::files;
use crate::image::{Credentials, UnusableSettings, proxy_problem};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The variables that affect the program, each with its effect.
pub const VARIABLES: &[(&str, &str)] = &[
    (EPOCH, "date of images, in seconds since 1970; by default 0"),
    ("OPMX_CACHE_DIR", "folder of the cache for layers and manifests"),
    (
        "XDG_CACHE_HOME",
        "folder that contains the folder opmx, the cache, if OPMX_CACHE_DIR is not set; by default ~/.cache",
    ),
    (
        "REGISTRY_AUTH_FILE",
        "file with the credentials for registries; if set, no other file is read",
    ),
    (
        "XDG_RUNTIME_DIR",
        "folder that contains containers/auth.json, the first file that is searched for credentials; by default, the file \
         is /run/containers/UID/auth.json",
    ),
    (
        "XDG_CONFIG_HOME",
        "folder that contains containers/auth.json, the second file that is searched for credentials; by default ~/.config",
    ),
    (
        "DOCKER_CONFIG",
        "folder that contains config.json, the third file that is searched for credentials; by default ~/.docker",
    ),
    ("HOME", "home directory, written as ~ in this table"),
    ("PATH", "folders that contain the credential helpers"),
    (
        "HTTPS_PROXY, https_proxy",
        "HTTP proxy for requests over HTTPS; SOCKS is not supported",
    ),
    ("HTTP_PROXY, http_proxy", "HTTP proxy for requests over plain HTTP"),
    ("ALL_PROXY, all_proxy", "HTTP proxy for all other requests"),
    (
        "NO_PROXY, no_proxy",
        "hosts, each with an optional port, that are contacted without a proxy; localhost always is",
    ),
    (
        CERTIFICATES,
        "PEM file with the certificates to trust instead of those of the system",
    ),
    (
        "SSL_CERT_DIR",
        "folders with the certificates to trust instead of those of the system",
    ),
    ("NO_COLOR", "no color, unless --color requests it"),
    ("TERM", "if the value is dumb, no color and no progress bars"),
    (COLUMNS, "width of help texts if the terminal does not report its width"),
    ("TMPDIR", "folder for temporary files; by default /tmp"),
    (
        CATEGORIES,
        "file with the allowed categories for opmx bundle validate, if --categories is not given",
    ),
];

/// The variable that sets the timestamp of builds.
const EPOCH: &str = "SOURCE_DATE_EPOCH";

/// The variable that sets the file with the allowed categories.
const CATEGORIES: &str = "OPERATOR_BUNDLE_CATEGORIES";

/// The variable that sets the width of help texts.
const COLUMNS: &str = "COLUMNS";

/// The variable that sets the file with the trusted certificates.
const CERTIFICATES: &str = "SSL_CERT_FILE";

/// The maximum size of a file with the trusted certificates in bytes.
const CERTIFICATES_LIMIT: usize = 64 << 20;

/// The first line of a certificate in a PEM file.
const BEGIN: &[u8] = b"-----BEGIN CERTIFICATE-----";

/// Returns the file with the allowed categories, if the variable sets one.
pub(crate) fn categories() -> Option<PathBuf> {
    path(&|name| std::env::var_os(name), CATEGORIES)
}

/// Returns the timestamp of builds in seconds since 1970: `SOURCE_DATE_EPOCH`, or 0 by default, but never the current
/// time.
///
/// # Errors
/// Returns an error if the value of the variable is not a number that fits into a tar header.
pub(crate) fn epoch() -> Result<u64, CommandError> {
    std::env::var_os(EPOCH).map_or(Ok(0), |value| epoch_of(&value.to_string_lossy()))
}

fn epoch_of(value: &str) -> Result<u64, CommandError> {
    let seconds = value.parse().ok().filter(|seconds: &u64| *seconds < 1 << 33);
    seconds.ok_or_else(|| {
        CommandError::failure(format!(
            "{EPOCH} is {value:?}, but must be a whole number of seconds since 1970, less than 2^33"
        ))
    })
}

/// Returns the cache directory of the user: `$OPMX_CACHE_DIR`, or `opmx` below `$XDG_CACHE_HOME` or `~/.cache`. Returns
/// `None` if no home directory is known.
pub(crate) fn cache_directory() -> Option<PathBuf> {
    cache_directory_of(&|name| std::env::var_os(name))
}

fn cache_directory_of(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let below = |name: &str, folder: &str| {
        path(variable, name)
            .filter(|path| path.is_absolute())
            .map(|path| path.join(folder))
    };
    path(variable, "OPMX_CACHE_DIR")
        .or_else(|| below("XDG_CACHE_HOME", "opmx"))
        .or_else(|| below("HOME", ".cache/opmx"))
}

/// Returns the credentials of the container tools: those in `authfile` or `$REGISTRY_AUTH_FILE`, or otherwise those in
/// the usual files.
pub(crate) fn credentials(authfile: Option<&Path>) -> Credentials {
    #[cfg(unix)]
    let user = Some(rustix::process::getuid().as_raw());
    #[cfg(not(unix))]
    let user = None;
    credentials_of(authfile, user, &|name| std::env::var_os(name))
}

/// `user` is the ID of the user, if the system has one.
fn credentials_of(
    authfile: Option<&Path>,
    user: Option<u32>,
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Credentials {
    let path = |name: &str| path(variable, name);
    if let Some(file) = authfile {
        return Credentials::in_file(file.to_owned());
    }
    if let Some(file) = path("REGISTRY_AUTH_FILE") {
        return Credentials::in_usual_file(file);
    }
    let home = path("HOME");
    let below_home = |folder: &str| home.as_ref().map(|home| home.join(folder));
    let files = [
        path("XDG_RUNTIME_DIR")
            .map(|folder| folder.join("containers/auth.json"))
            .or_else(|| user.map(|user| format!("/run/containers/{user}/auth.json").into())),
        path("XDG_CONFIG_HOME")
            .or_else(|| below_home(".config"))
            .map(|folder| folder.join("containers/auth.json")),
        path("DOCKER_CONFIG")
            .or_else(|| below_home(".docker"))
            .map(|folder| folder.join("config.json")),
    ];
    Credentials::in_any_of(files.into_iter().flatten().collect())
}

/// Whether `COLUMNS` states a width of zero, as some shells do if the width is unknown.
pub(crate) fn columns_are_zero() -> bool {
    std::env::var(COLUMNS).is_ok_and(|columns| columns.parse() == Ok(0_usize))
}

/// Returns the proxies and certificates that cannot be used. The HTTP library would ignore them.
pub(crate) fn unusable() -> UnusableSettings {
    unusable_of(&|name| std::env::var_os(name))
}

fn unusable_of(variable: &dyn Fn(&str) -> Option<OsString>) -> UnusableSettings {
    // The HTTP library ignores empty values, and reads no other variable instead.
    let first = |names: [&'static str; 2]| {
        let found = names.into_iter().find_map(|name| Some((name, variable(name)?)));
        found.and_then(|(name, value)| Some((name, value.into_string().ok()?)))
    };
    let all = ["ALL_PROXY", "all_proxy"];
    let proxy = |names| {
        let (name, value) = first(names)
            .filter(|(_, value)| !value.is_empty())
            .or_else(|| first(all))
            .filter(|(_, value)| !value.is_empty())?;
        let problem = proxy_problem(&value)?;
        let value = without_login(&value);
        Some(format!(
            "the environment variable {name} is {value:?}, {problem}; expected http://HOST:PORT"
        ))
    };
    // For CGI programs, clients can set HTTP_PROXY, so the HTTP library uses no proxies.
    let is_cgi = variable("REQUEST_METHOD").is_some();
    UnusableSettings {
        http_proxy: proxy(["HTTP_PROXY", "http_proxy"]).filter(|_| !is_cgi),
        https_proxy: proxy(["HTTPS_PROXY", "https_proxy"]).filter(|_| !is_cgi),
        without_proxy: first(["NO_PROXY", "no_proxy"]).map_or_else(String::new, |(_, value)| value),
        certificates: certificates_problem(variable),
    }
}

/// Returns the address of a proxy without its user and password.
fn without_login(address: &str) -> String {
    match address.rsplit_once('@') {
        Some((login, host)) => {
            let scheme = login
                .split_inclusive("//")
                .next()
                .filter(|scheme| scheme.ends_with("//"));
            format!("{}…@{host}", scheme.unwrap_or_default())
        }
        None => address.to_owned(),
    }
}

/// Returns the problem with the file of `SSL_CERT_FILE`, if no other certificates are trusted.
fn certificates_problem(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<String> {
    let file = path(variable, CERTIFICATES)?;
    if variable("SSL_CERT_DIR").is_some() {
        return None;
    }
    let problem = match std::fs::metadata(&file) {
        Err(error) => format!("which cannot be read: {error}"),
        // A pipe can be read only once, by the HTTP library.
        Ok(metadata) if !metadata.is_file() => return None,
        Ok(_) => match files::read_small(&file, CERTIFICATES_LIMIT) {
            Err(error) => format!("which cannot be read: {}", error.source),
            Ok(text) if text.windows(BEGIN.len()).any(|window| window == BEGIN) => return None,
            Ok(_) => "which contains no PEM certificate".to_owned(),
        },
    };
    Some(format!(
        "the environment variable {CERTIFICATES} is {:?}, {problem}",
        file.display().to_string()
    ))
}

/// Returns the path in a variable. An empty variable is treated as unset.
fn path(variable: &dyn Fn(&str) -> Option<OsString>, name: &str) -> Option<PathBuf> {
    variable(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(values: &'static [(&str, &str)]) -> impl Fn(&str) -> Option<OsString> {
        |name| {
            let found = values.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| value.into())
        }
    }

    #[test]
    fn a_build_time_that_is_not_a_number_is_rejected() {
        assert_eq!(epoch_of("1700000000").unwrap(), 1_700_000_000);
        for value in ["", "-1", "1.5", "now", "99999999999"] {
            let error = epoch_of(value).unwrap_err();
            assert!(error.to_string().contains("SOURCE_DATE_EPOCH"), "{error}");
        }
    }

    #[test]
    fn the_cache_is_in_the_cache_directory() {
        let directory = |values| cache_directory_of(&variables(values));
        assert_eq!(directory(&[("HOME", "/h")]), Some("/h/.cache/opmx".into()));
        assert_eq!(
            directory(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/x")]),
            Some("/x/opmx".into())
        );
        assert_eq!(
            directory(&[("HOME", "/h"), ("XDG_CACHE_HOME", "rel")]),
            Some("/h/.cache/opmx".into())
        );
        assert_eq!(
            directory(&[("HOME", "/h"), ("OPMX_CACHE_DIR", "/o")]),
            Some("/o".into())
        );
        assert_eq!(directory(&[]), None);
    }

    #[test]
    fn credentials_are_read_from_the_files_of_container_tools() {
        let files = |values| credentials_of(None, None, &variables(values)).files().to_vec();
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
        let of_user = |values| credentials_of(None, Some(7), &variables(values)).files().to_vec();
        assert_eq!(of_user(&[]), paths(&["/run/containers/7/auth.json"]));
        assert_eq!(
            of_user(&[("XDG_RUNTIME_DIR", "/run/1")]),
            paths(&["/run/1/containers/auth.json"])
        );
    }

    #[test]
    fn an_unusable_proxy_is_reported_without_its_password() {
        let https = |values| unusable_of(&variables(values)).https_proxy;
        let message = |name: &str, value: &str, problem: &str| {
            Some(format!(
                "the environment variable {name} is {value:?}, {problem}; expected http://HOST:PORT"
            ))
        };
        let no_address = "which is not the address of a proxy";
        assert_eq!(
            https(&[("HTTPS_PROXY", "http:/127.0.0.1:1")]),
            message("HTTPS_PROXY", "http:/127.0.0.1:1", no_address)
        );
        assert_eq!(
            https(&[("https_proxy", "http//me:secret@proxy:1")]),
            message("https_proxy", "http//…@proxy:1", no_address)
        );
        assert_eq!(
            https(&[("ALL_PROXY", "socks5://me:secret@proxy:1")]),
            message("ALL_PROXY", "socks5://…@proxy:1", "but SOCKS proxies are not supported")
        );
        for values in [
            &[("HTTPS_PROXY", "proxy:1"), ("ALL_PROXY", ":::bad")][..],
            &[("HTTPS_PROXY", ""), ("https_proxy", ":::bad")],
            &[("HTTPS_PROXY", ":::bad"), ("REQUEST_METHOD", "GET")],
            &[("HTTP_PROXY", ":::bad")],
        ] {
            let variable = |name: &str| {
                let found = values.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| OsString::from(value))
            };
            assert_eq!(unusable_of(&variable).https_proxy, None, "{values:?}");
        }
    }

    #[test]
    fn an_unusable_file_with_certificates_is_reported() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("ca.pem");
        let problem = || {
            let value = file.clone().into_os_string();
            let settings = unusable_of(&|name| (name == CERTIFICATES).then(|| value.clone()));
            settings.certificates.unwrap_or_default()
        };
        let start = format!(
            "the environment variable SSL_CERT_FILE is {:?}, which ",
            file.display().to_string()
        );
        assert!(
            problem().starts_with(&format!("{start}cannot be read: ")),
            "{}",
            problem()
        );
        std::fs::write(&file, "none").unwrap();
        assert_eq!(problem(), format!("{start}contains no PEM certificate"));
        std::fs::write(&file, BEGIN).unwrap();
        assert_eq!(problem(), "");
    }
}
