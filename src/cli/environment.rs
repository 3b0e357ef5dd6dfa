//! The environment variables: what they mean to users, and the values of those that neither affect the terminal nor are
//! read by a library.

use crate::cli::error::CommandError;
use crate::image::Credentials;
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
        "folder that contains containers/auth.json, the first file that is searched for credentials",
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
    ("HTTPS_PROXY, https_proxy", "proxy for requests over HTTPS"),
    ("HTTP_PROXY, http_proxy", "proxy for requests over plain HTTP"),
    ("ALL_PROXY, all_proxy", "proxy for all other requests"),
    (
        "NO_PROXY, no_proxy",
        "hosts that are contacted without a proxy; localhost always is",
    ),
    (
        "SSL_CERT_FILE",
        "PEM file with the certificates to trust instead of those of the system",
    ),
    (
        "SSL_CERT_DIR",
        "folders with the certificates to trust instead of those of the system",
    ),
    ("NO_COLOR", "no color, unless --color requests it"),
    ("TERM", "if the value is dumb, no color and no progress bars"),
    (
        "COLUMNS",
        "width of help texts if the terminal does not report its width",
    ),
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
    credentials_of(authfile, &|name| std::env::var_os(name))
}

fn credentials_of(authfile: Option<&Path>, variable: &dyn Fn(&str) -> Option<OsString>) -> Credentials {
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
        path("XDG_RUNTIME_DIR").map(|folder| folder.join("containers/auth.json")),
        path("XDG_CONFIG_HOME")
            .or_else(|| below_home(".config"))
            .map(|folder| folder.join("containers/auth.json")),
        path("DOCKER_CONFIG")
            .or_else(|| below_home(".docker"))
            .map(|folder| folder.join("config.json")),
    ];
    Credentials::in_any_of(files.into_iter().flatten().collect())
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
        let files = |values| credentials_of(None, &variables(values)).files().to_vec();
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
}
