//! The version in the name of a bundle, such as `etcd.v1.2.0`, or `etcd-v1.2.0-1` for a bundle with a release.

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
    fn a_name_has_the_version_in_lowercase_and_without_plus_signs() {
        for (name, old, new, wanted) in [
            ("op.v1.2.3-build.5", "1.2.3+build.5", "1.2.4+a+b", "op.v1.2.4-a-b"),
            ("op.v1.2.3-rc.1", "1.2.3-RC.1", "1.2.3", "op.v1.2.3"),
            ("op.v1.2.3+build.5", "1.2.3+build.5", "1.2.4-RC", "op.v1.2.4-rc"),
        ] {
            assert_eq!(with_version(name, None, old, new).as_deref(), Some(wanted), "{name}");
        }
    }
}
