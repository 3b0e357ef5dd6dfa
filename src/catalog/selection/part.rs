//! A part of a package: some of its channels and versions.

use crate::version::VersionRange;
use crate::version::masterminds::Constraint;
use semver::Version;
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

/// The selected part of a package.
#[derive(Debug, Clone, Default)]
pub struct Part {
    /// The channels; empty for all.
    pub channels: Vec<String>,
    /// The versions.
    pub versions: Versions,
    /// Versions from which clusters must be able to reach the heads. The bundles with these versions are selected in
    /// addition to `versions`, and so are the bundles on the update paths to the heads.
    pub from: Vec<Version>,
    /// Whether to omit the bundles with the versions in `from` themselves, because the clusters already have them.
    pub past_from: bool,
}

/// The selected versions of a channel.
#[derive(Debug, Clone, Default)]
pub enum Versions {
    /// All versions.
    #[default]
    All,
    /// None, except those that [`Part::from`] selects.
    Nothing,
    /// The head.
    Head,
    /// The versions in a range in OLM's syntax.
    In(VersionRange),
    /// The versions that satisfy a constraint.
    Meeting(Constraint),
    /// These bundles, by channel; none in channels that are not listed.
    Named(BTreeMap<String, BTreeSet<String>>),
    /// Different versions for each channel; none in channels that are not listed.
    OfChannels(BTreeMap<String, Versions>),
    /// The versions that at least one of these selects.
    AnyOf(Vec<Versions>),
}

/// A bundle that [`Versions`] may select in a channel.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// The channel.
    pub channel: &'a str,
    /// The bundle.
    pub bundle: &'a str,
    /// The version of the bundle; `None` if it cannot be ordered.
    pub version: Option<&'a Version>,
    /// Whether the bundle is the head of the channel.
    pub is_head: bool,
}

/// The syntax of a version range.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RangeStyle {
    /// The syntax of OLM.
    #[default]
    Olm,
    /// The syntax of the Go library Masterminds/semver.
    Masterminds,
}

impl Part {
    /// Returns a part that consists of these bundles, by channel.
    pub fn of_bundles(bundles: BTreeMap<String, BTreeSet<String>>) -> Self {
        Self {
            channels: bundles.keys().cloned().collect(),
            versions: Versions::Named(bundles),
            from: Vec::new(),
            past_from: false,
        }
    }

    /// Adds bundles, by channel, to the part.
    pub fn add(&mut self, bundles: BTreeMap<String, BTreeSet<String>>) {
        if !self.channels.is_empty() {
            let is_new = |channel: &&String| !self.channels.contains(channel);
            let new: Vec<String> = bundles.keys().filter(is_new).cloned().collect();
            self.channels.extend(new);
        }
        let versions = std::mem::take(&mut self.versions);
        self.versions = Versions::AnyOf(vec![versions, Versions::Named(bundles)]);
    }
}

impl Versions {
    /// Parses `all`, `heads` or a range.
    ///
    /// # Errors
    /// Returns a description of the fault in a range.
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

    /// Returns whether a bundle is selected.
    pub fn wants(&self, candidate: Candidate<'_>) -> bool {
        let version = candidate.version;
        match self {
            Self::All => true,
            Self::Nothing => false,
            Self::Head => candidate.is_head,
            Self::In(range) => version.is_some_and(|version| range.contains(version)),
            Self::Meeting(constraint) => version.is_some_and(|version| constraint.contains(version)),
            Self::Named(bundles) => {
                let of_channel = bundles.get(candidate.channel);
                of_channel.is_some_and(|bundles| bundles.contains(candidate.bundle))
            }
            Self::OfChannels(versions) => {
                let of_channel = versions.get(candidate.channel);
                of_channel.is_some_and(|versions| versions.wants(candidate))
            }
            Self::AnyOf(all) => all.iter().any(|versions| versions.wants(candidate)),
        }
    }
}

/// A part of a package in the notation `PACKAGE[=CHANNEL,...][@heads|@all|@RANGE]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenPart {
    /// The package.
    pub package: String,
    /// The channels; empty for all.
    pub channels: Vec<String>,
    /// The versions, if specified.
    pub versions: Option<String>,
}

/// The error for a string that does not specify a part of a package.
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
    fn packages_channels_and_versions_are_parsed() {
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
    fn ranges_are_parsed_in_both_styles() {
        let wants = |text: &str, style, version: &str| {
            let versions = Versions::parse(text, style).ok()?;
            let version = Version::parse(version).unwrap();
            Some(versions.wants(Candidate {
                channel: "stable",
                bundle: "a",
                version: Some(&version),
                is_head: false,
            }))
        };
        assert_eq!(wants("^1.2", Olm, "1.3.0"), None);
        assert_eq!(wants("^1.2", Masterminds, "1.3.0"), Some(true));
        // Only OLM treats a pre-release like any other version.
        assert_eq!(wants(">=1.2.0", Olm, "1.3.0-rc1"), Some(true));
        assert_eq!(wants(">=1.2.0", Masterminds, "1.3.0-rc1"), Some(false));
        assert_eq!(wants("heads", Olm, "1.3.0"), Some(false));
        assert_eq!(wants("all", Masterminds, "1.3.0"), Some(true));
    }
}
