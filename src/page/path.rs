//! The paths of the pages of a site, and the links between them.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The files at the root of a site.
pub(super) const FILES: [&str; 7] = [
    ".nojekyll",
    "404.html",
    "catalog.json",
    "catalogs.html",
    "changes.html",
    "feed.xml",
    "index.html",
];
/// The folders of a site.
pub(super) const FOLDERS: [&str; 3] = ["assets", "icons", "p"];
/// The files in the folder `assets`.
const ASSETS: [&str; 5] = ["opmx.css", "opmx.js", "opmx.svg", "reload.js", "search.js"];
/// The maximum number of characters that a name contributes to a file name.
const LONGEST: usize = 100;
/// Names that are reserved for other files and folders of a site.
const TAKEN: [&str; 3] = ["index", "apis", "diff"];

/// Returns the name of a file or folder for a package or a bundle: lowercase letters, digits, `.`, `-` and `_`, which
/// all servers and file systems treat the same. If the result would differ from the name, it ends in part of the name's
/// digest, so that no two names collide.
pub(super) fn file_name(name: &str) -> String {
    let lower = name.to_lowercase();
    let plain = |character: char| match u8::try_from(character) {
        Ok(byte) if is_plain(byte) => character,
        _ => '_',
    };
    let mut file: String = lower.chars().take(LONGEST).map(plain).collect();
    if file.starts_with('.') || file.is_empty() {
        file.insert(0, '_');
    }
    let ends_badly = [".json", ".html", "."].iter().any(|end| file.ends_with(end));
    if file != name || ends_badly || TAKEN.contains(&name) {
        let _ = write!(file, "-{}", short_digest(name.as_bytes()));
    }
    file
}

/// Whether file names contain a character as it is.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-._".contains(&byte)
}

/// Returns the first characters of the digest of `content`, enough to distinguish the files of one site.
pub(super) fn short_digest(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn is_short_digest(name: &str) -> bool {
    name.len() == 16 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns the path of the page of a package, from the root of the site.
pub(super) fn package(package: &str) -> String {
    format!("p/{}/index.html", file_name(package))
}

/// Returns the path of the data of a package.
pub(super) fn package_data(package: &str) -> String {
    format!("p/{}.json", file_name(package))
}

/// Returns the path of the page of a version.
pub(super) fn version(package: &str, bundle: &str) -> String {
    format!("p/{}/{}.html", file_name(package), file_name(bundle))
}

/// Returns the path of the page that compares two versions of a package.
pub(super) fn difference(package: &str, from: &str, to: &str) -> String {
    format!(
        "p/{}/diff/{}..{}.html",
        file_name(package),
        file_name(from),
        file_name(to)
    )
}

/// Returns the path of the page of an API, as defined by some versions of a package.
pub(super) fn api(package: &str, definition: &str, digest: &str) -> String {
    format!("p/{}/apis/{}-{digest}.html", file_name(package), file_name(definition))
}

/// Returns whether a path can be that of a file of a site. Such a path never leads out of the site.
pub(super) fn is_of_site(path: &str) -> bool {
    if FILES.contains(&path) {
        return true;
    }
    let is_named = |name: &str| !name.starts_with('.') && !name.is_empty() && name.bytes().all(is_plain);
    let is_page = |name: &str| name.strip_suffix(".html").is_some_and(is_named);
    match path.split('/').collect::<Vec<_>>()[..] {
        ["assets", file] => ASSETS.contains(&file),
        ["icons", file] => file.split_once('.').is_some_and(|(digest, _)| is_short_digest(digest)),
        ["p", data] => data.strip_suffix(".json").is_some_and(is_named),
        ["p", package, page] | ["p", package, "apis" | "diff", page] => is_named(package) && is_page(page),
        _ => false,
    }
}

/// Returns the relative path from a page to the root of the site: empty, or one or more `../`.
pub(super) fn up(path: &str) -> String {
    "../".repeat(path.matches('/').count())
}

/// Returns an anchor for an element of a page, made from any string. Characters other than letters, digits and `-_.`
/// are replaced by their codes.
pub(super) fn anchor(text: &str) -> String {
    let mut anchor = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii_alphanumeric() || "-_.".contains(character) {
            anchor.push(character);
        } else {
            let _ = write!(anchor, "~{:x}", u32::from(character));
        }
    }
    anchor
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plain_names_are_kept_and_others_stay_distinct() {
        assert_eq!(file_name("etcd.v0.9.4"), "etcd.v0.9.4");
        assert_eq!(file_name("1.0.0+b"), "1.0.0_b-d18b9a5a7764ddd8");
        let names = [
            "a+b", "a b", "A_B", "index", "", ".", "..", "a/../b", "a.json", "a.html", "é", "a.",
        ];
        let files: std::collections::BTreeSet<String> = names.iter().map(|name| file_name(name)).collect();
        assert_eq!(files.len(), names.len(), "{files:?}");
    }

    proptest! {
        #[test]
        fn any_name_becomes_one_safe_file_name(name in ".{0,300}") {
            let file = file_name(&name);
            prop_assert!(file.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-._".contains(&byte)));
            prop_assert!(!file.starts_with('.') && !file.is_empty() && file.len() < 200);
            prop_assert!(anchor(&name).is_ascii());
        }
    }
}
