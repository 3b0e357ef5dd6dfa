//! A part of a package: some of its channels, and some of their versions.

use crate::version::VersionRange;
use crate::version::masterminds::Constraint;
use semver::Version;
use std::str::FromStr;

/// What of a package is wanted.
#[derive(Debug, Clone, Default)]
pub struct Part {
    /// The channels; none for all.
    pub channels: Vec<String>,
    /// The versions.
    pub versions: Versions,
    /// A version from which clusters are to get to the heads: its bundle is wanted, and those of the shortest way.
    pub from: Option<Version>,
}

/// Which versions of a channel are wanted.
#[derive(Debug, Clone, Default)]
pub enum Versions {
    /// All.
    #[default]
    All,
    /// The head.
    Head,
    /// Those of a range as OLM reads it.
    In(VersionRange),
    /// Those that meet a constraint.
    Meeting(Constraint),
}

/// How a string is read as a range of versions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RangeStyle {
    /// As OLM does.
    #[default]
    Olm,
    /// As the Go library Masterminds/semver does.
    Masterminds,
}

impl Versions {
    /// Reads `all`, `heads` or a range.
    ///
    /// # Errors
    /// Says what is wrong with a range.
    pub fn parse(text: &str, style: RangeStyle) -> Result<Self, String> {
        match (text, style) {
            ("all", _) => Ok(Self::All),
            ("heads", _) => Ok(Self::Head),
            (range, RangeStyle::Olm) => VersionRange::parse(range)
                .map(Self::In)
                .map_err(|error| error.to_string()),
            (range, RangeStyle::Masterminds) => Constraint::parse(range).map(Self::Meeting),
        }
    }

    /// Whether a bundle is wanted for its version, given whether it is the head of the channel.
    pub fn wants(&self, version: Option<&Version>, is_head: bool) -> bool {
        match self {
            Self::All => true,
            Self::Head => is_head,
            Self::In(range) => version.is_some_and(|version| range.contains(version)),
            Self::Meeting(constraint) => version.is_some_and(|version| constraint.contains(version)),
        }
    }
}

/// A part of a package as users write it: `PACKAGE[=CHANNEL,...][@heads|@all|@RANGE]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenPart {
    /// The package.
    pub package: String,
    /// The channels; none for all.
    pub channels: Vec<String>,
    /// The versions, where any are named.
    pub versions: Option<String>,
}

/// A string that names no part of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected PACKAGE, PACKAGE=CHANNEL, PACKAGE@heads or PACKAGE@RANGE")]
pub struct NoPart;

impl FromStr for WrittenPart {
    type Err = NoPart;

    fn from_str(text: &str) -> Result<Self, NoPart> {
        let (names, versions) = match text.split_once('@') {
            Some((names, versions)) => (names, Some(versions)),
            None => (text, None),
        };
        let (package, channels) = match names.split_once('=') {
            Some((package, channels)) => (package, channels.split(',').map(str::to_owned).collect()),
            None => (names, Vec::new()),
        };
        if package.is_empty() || channels.iter().any(String::is_empty) || versions == Some("") {
            return Err(NoPart);
        }
        Ok(Self {
            package: package.to_owned(),
            channels,
            versions: versions.map(str::to_owned),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::RangeStyle::{Masterminds, Olm};
    use super::*;

    #[test]
    fn packages_channels_and_versions_are_named() {
        let read = |text: &str| {
            let part: WrittenPart = text.parse().ok()?;
            Some((part.package, part.channels.join(","), part.versions.unwrap_or_default()))
        };
        let of =
            |package: &str, channels: &str, versions: &str| Some((package.into(), channels.into(), versions.into()));
        assert_eq!(read("etcd"), of("etcd", "", ""));
        assert_eq!(read("etcd=alpha,beta"), of("etcd", "alpha,beta", ""));
        assert_eq!(read("etcd@>=1.0.0"), of("etcd", "", ">=1.0.0"));
        assert_eq!(read("etcd=alpha@heads"), of("etcd", "alpha", "heads"));
        for wrong in ["", "=alpha", "etcd=", "etcd=a,,b", "etcd@", "@1"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn ranges_are_read_in_either_style() {
        let wants = |text: &str, style, version: &str| {
            let versions = Versions::parse(text, style).ok()?;
            Some(versions.wants(Some(&Version::parse(version).unwrap()), false))
        };
        assert_eq!(wants("^1.2", Olm, "1.3.0"), None);
        assert_eq!(wants("^1.2", Masterminds, "1.3.0"), Some(true));
        // A pre-release is a version like any other to OLM alone.
        assert_eq!(wants(">=1.2.0", Olm, "1.3.0-rc1"), Some(true));
        assert_eq!(wants(">=1.2.0", Masterminds, "1.3.0-rc1"), Some(false));
        assert_eq!(wants("heads", Olm, "1.3.0"), Some(false));
        assert_eq!(wants("all", Masterminds, "1.3.0"), Some(true));
    }
}
