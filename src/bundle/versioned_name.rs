//! The version in the name of a bundle, such as `etcd.v1.2.0`, or `etcd-v1.2.0-1` for a bundle with a release.

use crate::kubernetes::names::is_csv_name;

/// A wrong name of a bundle with a release.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WrongName {
    /// The fault.
    pub(crate) message: String,
    /// The advice, if renaming the bundle does not help.
    pub(crate) help: Option<&'static str>,
}

/// Compares the name of a bundle with the name that its release requires. `package` is empty if it is not known.
pub(crate) fn wrong_name(name: &str, package: &str, version: &str, release: &str) -> Option<WrongName> {
    let end = format!("-v{version}-{release}");
    let (wanted, is_right) = if package.is_empty() {
        (format!("<package>{end}"), name.ends_with(&end))
    } else {
        let wanted = format!("{package}{end}");
        let is_right = name == wanted;
        (wanted, is_right)
    };
    if is_right {
        return None;
    }
    // Any package has at least one letter.
    let shortest = if package.is_empty() { "a" } else { package };
    Some(if is_csv_name(&format!("{shortest}{end}")) {
        WrongName {
            message: format!("the name of a bundle with a release must be {wanted}, not {name}"),
            help: None,
        }
    } else {
        WrongName {
            message: format!("the name of a bundle with a release must be {wanted}, which is not a valid name"),
            help: Some(
                "Remove the release, or use a version and a release without +, capital letters and more characters \
                 than fit into a name of 63 characters.",
            ),
        }
    })
}

/// Returns a version as the name of a bundle contains it. A name has no capital letters and no `+`.
pub(crate) fn version_in_name(version: &str) -> String {
    version.to_ascii_lowercase().replace('+', "-")
}

/// Returns the name with another version. The release at the end of the name stays. Returns `None` if the name does not
/// end in the old version.
pub(crate) fn with_version(name: &str, release: Option<&str>, old: &str, new: &str) -> Option<String> {
    if old.is_empty() {
        return None;
    }
    let release = release.filter(|release| !release.is_empty());
    let mut ends = release
        .map(|release| format!("-{release}"))
        .into_iter()
        .chain([String::new()]);
    ends.find_map(|end| {
        let bare = name.strip_suffix(end.as_str())?;
        let start = bare
            .strip_suffix(old)
            .or_else(|| bare.strip_suffix(version_in_name(old).as_str()))?;
        Some(format!("{start}{}{end}", version_in_name(new)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_bundle_with_a_release_must_contain_its_parts_if_valid() {
        let of = |name, package, version| wrong_name(name, package, version, "1").map(|wrong| wrong.message);
        assert_eq!(of("op-v1.0.0-1", "op", "1.0.0"), None);
        assert_eq!(of("any-v1.0.0-1", "", "1.0.0"), None);
        assert_eq!(
            of("op.v1.0.0", "op", "1.0.0").unwrap(),
            "the name of a bundle with a release must be op-v1.0.0-1, not op.v1.0.0"
        );
        assert_eq!(
            of("op.v1.0.0", "", "1.0.0").unwrap(),
            "the name of a bundle with a release must be <package>-v1.0.0-1, not op.v1.0.0"
        );
        for version in ["1.0.0+build", "1.0.0-RC"] {
            for package in ["op", ""] {
                let wrong = wrong_name("op-v1.0.0-1", package, version, "1").unwrap();
                assert!(wrong.message.ends_with("which is not a valid name"), "{wrong:?}");
                assert!(wrong.help.is_some());
            }
        }
    }

    #[test]
    fn the_version_in_a_name_changes_and_the_release_stays() {
        for (name, release, old, new, wanted) in [
            ("op.v1.0.0", None, "1.0.0", "1.1.0", Some("op.v1.1.0")),
            ("op-v1.0.0-1", Some("1"), "1.0.0", "1.1.0", Some("op-v1.1.0-1")),
            ("op.v1.0.0-1", Some("1"), "1.0.0-1", "1.1.0", Some("op.v1.1.0")),
            ("op.v1.0.0", Some("1"), "1.0.0", "1.1.0", Some("op.v1.1.0")),
            ("op.v1.0.0", Some(""), "1.0.0", "1.1.0", Some("op.v1.1.0")),
            ("op-v1.0.0-1", None, "1.0.0", "1.1.0", None),
            ("op", None, "1.0.0", "1.1.0", None),
            ("op", None, "", "1.1.0", None),
        ] {
            let renamed = with_version(name, release, old, new);
            assert_eq!(renamed.as_deref(), wanted, "{name}");
        }
    }

    #[test]
    fn a_name_contains_the_version_in_lowercase_without_plus_signs() {
        for (name, old, new, wanted) in [
            ("op.v1.2.3-build.5", "1.2.3+build.5", "1.2.4+a+b", "op.v1.2.4-a-b"),
            ("op.v1.2.3-rc.1", "1.2.3-RC.1", "1.2.3", "op.v1.2.3"),
            ("op.v1.2.3+build.5", "1.2.3+build.5", "1.2.4-RC", "op.v1.2.4-rc"),
        ] {
            assert_eq!(with_version(name, None, old, new).as_deref(), Some(wanted), "{name}");
        }
    }
}
