//! Errors for changes to a package that cannot be made as requested.

use super::Draft;
use crate::bundle::stated::{Stated, StatedAt};
use crate::catalog::file_based::Subject;
use crate::catalog::file_based::lifecycle::MinorVersion;
use crate::catalog::quoted;
use crate::shape::nearest;
use crate::version::parse_tolerant;
use semver::Version;

/// The reason why a package cannot be changed as requested.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DraftError {
    /// A list does not have the form that its schema requires.
    #[error("the entries of {of} cannot be read")]
    Entries {
        /// The item that contains the list.
        of: String,
        /// The fault.
        source: serde_json::Error,
    },
    /// Two documents have the same subject.
    #[error("there are two documents for {subject}")]
    Twice {
        /// The subject of both documents.
        subject: Subject,
    },
    /// The channel does not exist.
    #[error("package {package:?} has no channel {channel:?}")]
    Channel {
        /// The package.
        package: String,
        /// The name.
        channel: String,
        /// The channel with the most similar name.
        nearest: Option<String>,
    },
    /// The bundle does not exist.
    #[error("package {package:?} has no bundle {bundle:?}")]
    Bundle {
        /// The package.
        package: String,
        /// The specified name or version of the bundle.
        bundle: String,
        /// The bundle with the most similar name.
        nearest: Option<String>,
    },
    /// The bundle is specified by its version, but only the names of the bundles are known.
    #[error(
        "package {package:?} has no bundle with the name {bundle:?}, and the versions of its bundles are not known here"
    )]
    OnlyNames {
        /// The package.
        package: String,
        /// The specified version.
        bundle: String,
        /// The name of the bundle that probably has the version.
        named: Option<String>,
    },
    /// The bundle is not in the channel.
    #[error("bundle {bundle:?} is not in channel {channel:?} of package {package:?}")]
    Entry {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The bundle.
        bundle: String,
    },
    /// The default channel would be removed.
    #[error("channel {channel:?} is the default channel of package {package:?} and would be removed")]
    Default {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The channels that would remain.
        others: Vec<String>,
    },
    /// A channel would not have exactly one head.
    #[error("channel {channel:?} of package {package:?} would have {} heads: {}", heads.len(), quoted(heads))]
    Heads {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The bundles that no bundle replaces or skips.
        heads: Vec<String>,
    },
    /// An added bundle would be a second head of its channel.
    #[error(
        "bundle {bundle} would be a second head of channel {channel:?} of package {package:?} beside {}: {}",
        others.join(", "),
        link(replaces, *is_absent)
    )]
    SecondHead {
        /// The package.
        package: Box<str>,
        /// The channel.
        channel: String,
        /// The added bundle.
        bundle: String,
        /// The other heads.
        others: Box<[String]>,
        /// Those of the other heads that the bundle cannot replace.
        above: Box<Above>,
        /// The bundle that the added bundle replaces; may be empty.
        replaces: Box<str>,
        /// Whether the replaced bundle is not in the channel.
        is_absent: bool,
    },
    /// An added bundle replaces itself.
    #[error("bundle {bundle} of package {package:?} replaces itself; in replaces, name the bundle before it")]
    ReplacesItself {
        /// The package.
        package: String,
        /// The bundle.
        bundle: String,
    },
    /// An error caused by a value in a bundle's files.
    #[error("{place}: {error}")]
    At {
        /// The place, as `FILE:LINE`.
        place: String,
        /// The error.
        error: Box<DraftError>,
    },
    /// A new channel has a name that clusters cannot refer to.
    #[error(
        "{channel:?} is not a valid channel name; use letters, digits, hyphens, dots and underscores, beginning and \
         ending with a letter or a digit"
    )]
    ChannelName {
        /// The name.
        channel: String,
    },
    /// A channel with this name already exists.
    #[error("package {package:?} already has a channel {channel:?}")]
    Taken {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
    },
    /// No channel would remain.
    #[error("no channel of package {package:?} would remain")]
    Empty {
        /// The package.
        package: String,
    },
    /// None of the existing versions is selected.
    #[error(
        "no version of package {package:?} is selected; the versions are {}{}",
        some(versions),
        below(prerelease.as_ref())
    )]
    Outside {
        /// The package.
        package: String,
        /// The versions of the package in the selected channels.
        versions: Vec<String>,
        /// The highest prerelease whose release would be selected, if any.
        prerelease: Option<Version>,
    },
    /// None of the versions to upgrade from has an update path.
    #[error(
        "no update path of package {package:?} starts at {}; the package has the versions {}",
        enumerated(from),
        some(versions)
    )]
    NoStart {
        /// The package.
        package: String,
        /// The versions to upgrade from.
        from: Vec<Version>,
        /// The versions of the package in the selected channels.
        versions: Vec<String>,
    },
    /// A bundle with the same name, but different content, already exists.
    #[error("package {package:?} already has a bundle {bundle:?} with different content: {}", fields.join(", "))]
    Differs {
        /// The package.
        package: String,
        /// The bundle.
        bundle: String,
        /// The fields that differ.
        fields: Vec<String>,
    },
    /// The bundle is already in the channel, with different edges.
    #[error(
        "bundle {bundle:?} is already in channel {channel:?} of package {package:?}, but with different replaces or \
         skips"
    )]
    Edges {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The bundle.
        bundle: String,
    },
    /// A new package has several channels, or none, and no default channel.
    #[error("package {package:?} has no default channel")]
    NoDefault {
        /// The package.
        package: String,
        /// The channels of the package.
        channels: Vec<String>,
    },
    /// The default channel that an added bundle declares is not one of the channels of the package.
    #[error(
        "the default channel {default_channel:?} that bundle {bundle} declares for package {package:?} is not one of \
         its channels ({})",
        quoted(channels)
    )]
    UnknownDefault {
        /// The package.
        package: String,
        /// The bundle.
        bundle: String,
        /// The default channel that the bundle declares.
        default_channel: String,
        /// The channels of the package.
        channels: Vec<String>,
    },
    /// Several bundles have the version, so it does not identify one of them.
    #[error(
        "package {package:?} has several bundles with version {version}: {}",
        quoted(bundles)
    )]
    Ambiguous {
        /// The package.
        package: String,
        /// The version.
        version: String,
        /// The names of the bundles.
        bundles: Vec<String>,
    },
    /// No update path leads from a version to the head.
    #[error("channel {channel:?} of package {package:?} has no update path from {bundle:?} to the head {head:?}")]
    NoWay {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The bundle with that version.
        bundle: String,
        /// The head.
        head: String,
    },
    /// A version has no lifecycle yet, and no phases are specified for it.
    #[error("package {package:?} has no lifecycle for version {version}, and a new lifecycle requires phases")]
    NoLifecycle {
        /// The package.
        package: String,
        /// The version.
        version: MinorVersion,
        /// The versions with a lifecycle.
        others: Vec<MinorVersion>,
    },
    /// In a channel that is ordered by version, two bundles have the same version when build metadata is ignored.
    #[error(
        "the versions of the bundles {} in channel {channel:?} of package {package:?} cannot be ordered",
        bundles.each_ref().map(|bundle| format!("{bundle:?}")).join(" and ")
    )]
    SameVersion {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The bundles.
        bundles: [String; 2],
    },
    /// A bundle has no comparable version.
    #[error("bundle {bundle:?} of package {package:?} has no comparable version")]
    Version {
        /// The package.
        package: String,
        /// The bundle.
        bundle: String,
    },
}

/// Heads of a channel that an added bundle cannot replace, because their versions are higher.
#[derive(Debug, Default)]
pub struct Above {
    /// The heads.
    pub heads: Vec<String>,
    /// The lowest bundle of the update path to one of these heads, and the bundle that it replaces, which is not in the
    /// channel.
    pub gap: Option<[String; 2]>,
}

/// Formats versions as a comma-separated list; if there are many, lists only the last ones and counts the others.
fn some(versions: &[String]) -> String {
    const SHOWN: usize = 20;
    match versions.len().checked_sub(SHOWN) {
        Some(more) if more > 0 => {
            let others = if more == 1 { "other" } else { "others" };
            format!("{more} {others} and {}", versions[more..].join(", "))
        }
        _ => versions.join(", "),
    }
}

/// Formats versions as a comma-separated list.
fn enumerated(versions: &[Version]) -> String {
    let versions: Vec<String> = versions.iter().map(Version::to_string).collect();
    versions.join(", ")
}

/// Returns the release that a prerelease precedes.
pub(crate) fn release_of(prerelease: &Version) -> Version {
    Version::new(prerelease.major, prerelease.minor, prerelease.patch)
}

/// Formats the reason why a prerelease is not selected although its release would be.
fn below(prerelease: Option<&Version>) -> String {
    let reason = |prerelease: &Version| format!(", and {prerelease} is below {}", release_of(prerelease));
    prerelease.map(reason).unwrap_or_default()
}

/// Formats why a bundle is not above the head of its channel.
fn link(replaces: &str, is_absent: bool) -> String {
    match replaces {
        "" => "it replaces nothing".to_owned(),
        replaces if is_absent => format!("it replaces {replaces}, which is not in the channel"),
        replaces => format!("it replaces {replaces}, which is not the head"),
    }
}

impl DraftError {
    /// Adds the place of the wrong value in the files of an added bundle, if the place is known.
    pub(super) fn at(self, stated: &StatedAt) -> Self {
        let statement = match &self {
            Self::SecondHead { .. } | Self::ReplacesItself { .. } => Stated::Replaces,
            Self::SameVersion { .. } | Self::Version { .. } => Stated::Version,
            Self::NoDefault { channels, .. } if channels.is_empty() => Stated::Channels,
            Self::NoDefault { .. } | Self::UnknownDefault { .. } => Stated::DefaultChannel,
            Self::Differs { .. } => Stated::Name,
            Self::ChannelName { .. } => Stated::Channels,
            _ => return self,
        };
        match stated.get(&statement).or(stated.get(&Stated::Name)) {
            Some(place) => Self::At {
                place: place.clone(),
                error: Box::new(self),
            },
            None => self,
        }
    }

    pub(in crate::catalog::file_based) fn channel(draft: &Draft, channel: &str) -> Self {
        let names = draft.channels.iter().map(|channel| channel.name.as_str());
        Self::Channel {
            package: draft.name.clone(),
            channel: channel.to_owned(),
            nearest: nearest(channel, names).map(str::to_owned),
        }
    }

    pub(super) fn bundle(draft: &Draft, bundle: &str) -> Self {
        let names = draft.bundles.iter().map(|bundle| bundle.name.as_str());
        let has_versions = draft.bundles.iter().any(|bundle| bundle.version.is_some());
        if let Some(version) = parse_tolerant(bundle).filter(|_| !has_versions && names.len() > 0) {
            let mut named = names.filter(|name| name.ends_with(&format!(".v{version}")));
            return Self::OnlyNames {
                package: draft.name.clone(),
                bundle: bundle.to_owned(),
                named: named.next().map(str::to_owned),
            };
        }
        Self::Bundle {
            package: draft.name.clone(),
            bundle: bundle.to_owned(),
            nearest: nearest(bundle, names).map(str::to_owned),
        }
    }
}
