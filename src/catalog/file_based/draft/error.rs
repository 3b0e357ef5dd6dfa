//! Why a package cannot become what is asked for.

use super::Draft;
use crate::catalog::file_based::lifecycle::MinorVersion;
use crate::catalog::file_based::load::Subject;
use crate::shape::nearest;

/// Why a package cannot become what is asked for.
#[derive(Debug, thiserror::Error)]
pub enum DraftError {
    /// A list has another form than that of its schema.
    #[error("the entries of {of} cannot be read")]
    Entries {
        /// What has them.
        of: String,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// Two documents are about the same thing.
    #[error("{subject} stands in two documents")]
    Twice {
        /// What they are about.
        subject: Subject,
    },
    /// There is no such channel.
    #[error("package {package:?} has no channel {channel:?}")]
    Channel {
        /// The package.
        package: String,
        /// The name.
        channel: String,
        /// The channel that is most like it.
        nearest: Option<String>,
    },
    /// There is no such bundle.
    #[error("package {package:?} has no bundle {bundle:?}")]
    Bundle {
        /// The package.
        package: String,
        /// The name or version.
        bundle: String,
        /// The bundle that is most like it.
        nearest: Option<String>,
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
    /// The default channel would go.
    #[error("channel {channel:?} is the default channel of package {package:?}, and would go")]
    Default {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The channels that stay.
        others: Vec<String>,
    },
    /// A channel would have no single head.
    #[error("channel {channel:?} of package {package:?} would have {} heads: {}", heads.len(), quoted(heads))]
    Heads {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The bundles that nothing replaces or skips.
        heads: Vec<String>,
    },
    /// There is a channel of this name already.
    #[error("package {package:?} has a channel {channel:?} already")]
    Taken {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
    },
    /// Nothing would be left.
    #[error("no channel of package {package:?} would be left")]
    Empty {
        /// The package.
        package: String,
    },
    /// There is a bundle of this name with another content.
    #[error("package {package:?} has a bundle {bundle:?} already, with another content: {}", fields.join(", "))]
    Differs {
        /// The package.
        package: String,
        /// The bundle.
        bundle: String,
        /// The fields that differ.
        fields: Vec<String>,
    },
    /// The bundle is in the channel with other edges.
    #[error(
        "bundle {bundle:?} is in channel {channel:?} of package {package:?} already, and replaces or skips others there"
    )]
    Edges {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The bundle.
        bundle: String,
    },
    /// A new package whose channels are several, or none.
    #[error("package {package:?} has no default channel")]
    NoDefault {
        /// The package.
        package: String,
        /// Its channels.
        channels: Vec<String>,
    },
    /// Several bundles have the version by which one is named.
    #[error("package {package:?} has several bundles of version {version}: {}", quoted(bundles))]
    Ambiguous {
        /// The package.
        package: String,
        /// The version.
        version: String,
        /// Their names.
        bundles: Vec<String>,
    },
    /// Nothing leads from a version to the head.
    #[error("in channel {channel:?} of package {package:?} nothing leads from {bundle:?} to the head {head:?}")]
    NoWay {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The bundle of the version.
        bundle: String,
        /// The head.
        head: String,
    },
    /// Nothing is known of a version, and no phases are given for it.
    #[error("package {package} has no lifecycle of version {version}, and a new one needs phases")]
    NoLifecycle {
        /// The package.
        package: String,
        /// The version.
        version: MinorVersion,
        /// The versions that have one.
        others: Vec<MinorVersion>,
    },
    /// A version without an order.
    #[error("bundle {bundle:?} of package {package:?} has no version that could be compared")]
    Version {
        /// The package.
        package: String,
        /// The bundle.
        bundle: String,
    },
}

/// Names as a sentence has them.
fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    names.join(", ")
}

impl DraftError {
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
        Self::Bundle {
            package: draft.name.clone(),
            bundle: bundle.to_owned(),
            nearest: nearest(bundle, names).map(str::to_owned),
        }
    }
}
