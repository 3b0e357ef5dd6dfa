//! Where the pages of a site stand, and the links from one to the other.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Characters of a name in that of a file.
const LONGEST: usize = 100;
/// What else stands in the folder of packages and of a package.
const TAKEN: [&str; 3] = ["index", "apis", "diff"];

/// The name of a file or folder for a package or a bundle: letters, digits, `.`, `-` and `_`, which no server and no
/// file system reads in its own way. A name that is another one afterwards ends in a part of its digest, so that no two
/// meet.
pub(super) fn file_name(name: &str) -> String {
    let lower = name.to_lowercase();
    let plain = |character: char| {
        let keep = character.is_ascii_lowercase() || character.is_ascii_digit() || "-._".contains(character);
        if keep { character } else { '_' }
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

/// The first characters of a digest, which tell things of one site apart.
pub(super) fn short_digest(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// The page of a package, from the root of the site.
pub(super) fn package(package: &str) -> String {
    format!("p/{}/index.html", file_name(package))
}

/// The data of a package.
pub(super) fn package_data(package: &str) -> String {
    format!("p/{}.json", file_name(package))
}

/// The page of a version.
pub(super) fn version(package: &str, bundle: &str) -> String {
    format!("p/{}/{}.html", file_name(package), file_name(bundle))
}

/// The page of what differs between two versions of a package.
pub(super) fn difference(package: &str, from: &str, to: &str) -> String {
    format!(
        "p/{}/diff/{}..{}.html",
        file_name(package),
        file_name(from),
        file_name(to)
    )
}

/// The page of an API as some versions of a package define it.
pub(super) fn api(package: &str, definition: &str, digest: &str) -> String {
    format!("p/{}/apis/{}-{digest}.html", file_name(package), file_name(definition))
}

/// The way from a page up to the root of the site: nothing, or some `../`.
pub(super) fn up(path: &str) -> String {
    "../".repeat(path.matches('/').count())
}

/// A name that an element has on its page, made of any string: what is not a letter, a digit or one of `-_.[]<>` is
/// written as its code.
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
    fn plain_names_stay_and_others_are_told_apart() {
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
        fn any_name_is_one_harmless_file_name(name in ".{0,300}") {
            let file = file_name(&name);
            prop_assert!(file.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-._".contains(&byte)));
            prop_assert!(!file.starts_with('.') && !file.is_empty() && file.len() < 200);
            prop_assert!(anchor(&name).is_ascii());
        }
    }
}
