//! The grammar of image names in registries: `[HOST[:PORT]/]REPOSITORY[:TAG][@DIGEST]`, as in the container tools.
//!
//! The `oci_spec` crate uses a single regular expression, which takes longer to compile than most commands take to run,
//! and cannot report which part of a name is invalid. The tests compare both parsers.

use oci_spec::distribution::Reference;

/// The registry for names without a host.
const HUB: &str = "docker.io";
/// The former name of [`HUB`].
const FORMER_HUB: &str = "index.docker.io";
/// The host that serves [`HUB`].
const HUB_HOST: &str = "registry-1.docker.io";
/// The port of registries that specify none.
const DEFAULT_PORT: &str = ":443";
/// The prefix for repositories with a single path component in [`HUB`].
const HUB_LIBRARY: &str = "library";
/// The maximum number of characters in a tag.
const LONGEST_TAG: usize = 128;
/// The maximum number of characters in a repository name.
const LONGEST_REPOSITORY: usize = 255;

/// Parses a name whose digest, if any, has already been checked.
///
/// # Errors
/// Returns a description of the invalid part and the expected format.
pub(super) fn parse(text: &str) -> Result<Reference, String> {
    if let Some(odd) = text
        .chars()
        .find(|letter| letter.is_whitespace() || letter.is_control())
    {
        return Err(format!("it contains the character {odd:?}"));
    }
    let (name, digest) = match text.split_once('@') {
        Some((name, digest)) => (name, Some(digest.to_owned())),
        None => (text, None),
    };
    let (name, tag) = split_tag(name);
    if let Some(tag) = tag {
        check_tag(tag)?;
    }
    let (host, repository) = match name.split_once('/') {
        Some((host, rest)) if host.contains(['.', ':']) || host == "localhost" => (Some(host), rest),
        _ => (None, name),
    };
    if let Some(host) = host {
        check_host(host)?;
    }
    check_repository(repository, name)?;
    let registry = match host {
        None | Some(FORMER_HUB) => HUB,
        Some(host) => host,
    };
    let repository = if registry == HUB && !repository.contains('/') {
        format!("{HUB_LIBRARY}/{repository}")
    } else {
        repository.to_owned()
    };
    check_length(&repository)?;
    let (registry, tag) = (registry.to_owned(), tag.map(str::to_owned));
    Ok(match (tag, digest) {
        (Some(tag), Some(digest)) => Reference::with_tag_and_digest(registry, repository, tag, digest),
        (None, Some(digest)) => Reference::with_digest(registry, repository, digest),
        (tag, None) => Reference::with_tag(registry, repository, tag.unwrap_or_else(|| "latest".to_owned())),
    })
}

/// Returns the shortest spelling of a host with an optional port: in lowercase and without the default port. All hosts
/// of Docker Hub have the same one.
pub(crate) fn plain_host(host: &str) -> String {
    let host = host.to_ascii_lowercase();
    match host.strip_suffix(DEFAULT_PORT).unwrap_or(&host) {
        FORMER_HUB | HUB_HOST => HUB.to_owned(),
        host => host.to_owned(),
    }
}

/// Splits a name without a digest into name and tag. A colon before the last slash belongs to a port.
pub(super) fn split_tag(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => (name, Some(tag)),
        _ => (name, None),
    }
}

/// Checks a tag.
///
/// # Errors
/// Returns a description of the expected format.
pub(crate) fn check_tag(tag: &str) -> Result<(), String> {
    let letters = |letter: u8| letter.is_ascii_alphanumeric() || b"_.-".contains(&letter);
    if tag.is_empty() || tag.len() > LONGEST_TAG || !tag.bytes().all(letters) || tag.starts_with(['.', '-']) {
        return Err(format!(
            "the tag {tag:?} is invalid: expected up to {LONGEST_TAG} letters, digits, '_', '.' and '-', not starting with '.' or '-'"
        ));
    }
    Ok(())
}

/// Checks the path of a repository within a registry.
///
/// # Errors
/// Returns a description of the invalid part and the expected format.
pub(crate) fn check_path(path: &str) -> Result<(), String> {
    check_repository(path, path)?;
    check_length(path)
}

fn check_length(repository: &str) -> Result<(), String> {
    if repository.len() > LONGEST_REPOSITORY {
        return Err(format!("the repository is longer than {LONGEST_REPOSITORY} characters"));
    }
    Ok(())
}

fn check_host(host: &str) -> Result<(), String> {
    let (name, port) = match host.split_once(':') {
        Some((name, port)) => (name, Some(port)),
        None => (host, None),
    };
    if let Some(port) = port
        && (port.is_empty() || !port.bytes().all(|digit| digit.is_ascii_digit()))
    {
        return Err(format!("the port {port:?} is not a number"));
    }
    let label = |label: &str| {
        let letters = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'-';
        !label.is_empty() && label.bytes().all(letters) && !label.starts_with('-') && !label.ends_with('-')
    };
    if !name.split('.').all(label) {
        return Err(format!(
            "the host {name:?} is invalid: expected groups of letters, digits and '-', separated by single dots, and \
             with a letter or digit at both ends"
        ));
    }
    Ok(())
}

fn check_repository(repository: &str, name: &str) -> Result<(), String> {
    if repository.is_empty() {
        return Err("the repository is missing".to_owned());
    }
    if repository.bytes().any(|letter| letter.is_ascii_uppercase()) {
        return Err(format!("the repository {repository:?} must be lowercase"));
    }
    if repository.split('/').any(str::is_empty) {
        return Err(format!("the repository {repository:?} contains an empty component"));
    }
    if !repository.split('/').all(is_path_part) {
        return Err(format!(
            "the name {name:?} is invalid: expected groups of lowercase letters and digits, separated by single '.', \
             '_' or '-'"
        ));
    }
    Ok(())
}

/// Whether `part` consists of groups of lowercase letters and digits, separated by one `.`, one or two `_`, or any
/// number of `-`.
fn is_path_part(part: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    let mut separators = part.split(is_letter);
    let (first, last) = (separators.next(), separators.next_back());
    first == Some("")
        && last == Some("")
        && separators
            .all(|between| matches!(between, "" | "." | "_" | "__") || between.bytes().all(|dash| dash == b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DIGEST: &str = "@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    /// Parses a name with `oci_spec`, and returns `None` if it is rejected. `oci_spec` accepts `Team/bundle` as a
    /// repository, but no registry does, so such names are treated as rejected.
    fn oracle(text: &str) -> Option<Reference> {
        let reference = Reference::try_from(text).ok();
        reference.filter(|reference| {
            !reference
                .repository()
                .contains(|letter: char| letter.is_ascii_uppercase())
        })
    }

    #[test]
    fn names_are_parsed_like_the_library() {
        let long = format!("registry.example.com/{}", "a".repeat(LONGEST_REPOSITORY));
        let longest_tag = format!("a:{}", "t".repeat(LONGEST_TAG));
        let names = [
            "a",
            "a/b",
            "a/b/c:1",
            "a.b/c",
            "A.B/c",
            "a:5000/b",
            "a:/b",
            "localhost/a",
            "LOCALHOST/a",
            "docker.io/a",
            "index.docker.io/a",
            "docker.io/a/b",
            "a__b/c---d.e_f",
            "a___b",
            "a..b/c",
            "a/b..c",
            "a._b",
            "-a",
            "a-",
            "a-.b/c",
            "a.-b/c",
            ".a/b",
            "a./b",
            "a.b/",
            "/a",
            "a:_x",
            "a:.x",
            "a:",
            "a:5000",
            "a.b:c/d",
            "a:1:2/b",
            "a.b:5000/c:d",
            &long,
            &format!("{long}a"),
            &longest_tag,
            &format!("{longest_tag}t"),
        ];
        let digests = [String::new(), DIGEST.to_owned()];
        for name in names {
            for digest in &digests {
                let text = format!("{name}{digest}");
                assert_eq!(parse(&text).ok(), oracle(&text), "{text}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn any_name_is_parsed_like_the_library(text in "[aB0.:/_-]{1,12}(:[aB0._-]{0,4})?") {
            prop_assert_eq!(parse(&text).ok(), oracle(&text));
        }
    }
}
