//! What keeps bundles from making a graph.

/// Why bundles do not make a graph. Each names the package and says what to change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// A version that is not Semantic Versioning.
    #[error(
        "the version {version:?} of bundle {bundle} in package {package:?} is not a semantic version ({reason}); \
         write it as MAJOR.MINOR.PATCH in its ClusterServiceVersion or metadata/olm.yaml"
    )]
    Version {
        /// The package.
        package: String,
        /// The bundle.
        bundle: String,
        /// Its version as written.
        version: String,
        /// What the parser found.
        reason: String,
    },
    /// Two bundles share the greatest version of the package.
    #[error(
        "package {package:?} has more than one bundle with its greatest version {version:?}: {}; \
         give each its own version",
        .bundles.join(", ")
    )]
    AmbiguousMaximum {
        /// The package.
        package: String,
        /// The version.
        version: String,
        /// The bundles, in byte order.
        bundles: Vec<String>,
    },
    /// Two bundles share the greatest version of a channel.
    #[error(
        "channel {channel:?} of package {package:?} has more than one possible head with version {version:?}: {}; \
         give each its own version",
        .bundles.join(", ")
    )]
    AmbiguousHead {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The version.
        version: String,
        /// The bundles, in byte order.
        bundles: Vec<String>,
    },
    /// A bundle stands in for one that is neither in the index nor among those added, or for itself in the end.
    #[error(
        "bundle {bundle} of package {package:?} substitutes for {substitutes} (annotation olm.substitutesFor), which is \
         neither in the index nor among the added bundles, or stands in for it in turn; correct the annotation"
    )]
    SubstitutesMissing {
        /// The package.
        package: String,
        /// The bundle.
        bundle: String,
        /// The bundle that it stands in for.
        substitutes: String,
    },
    /// Two bundles of one version stand in for the same.
    #[error(
        "in package {package:?} {} have the same version {version:?} and both substitute for {substitutes}; give each \
         its own, in its build metadata at least",
        .bundles.join(" and ")
    )]
    SubstitutesAmbiguous {
        /// The package.
        package: String,
        /// The bundle that they stand in for.
        substitutes: String,
        /// The bundles.
        bundles: Vec<String>,
        /// The version of both.
        version: String,
    },
    /// No bundle names a channel.
    #[error("no bundle of package {package:?} is in a channel; name at least one in metadata/annotations.yaml")]
    NoChannel {
        /// The package.
        package: String,
    },
    /// Several channels, and no bundle says which is the default.
    #[error(
        "package {package:?} has the channels {} and no default channel; name one of them as default channel in \
         metadata/annotations.yaml of the bundle with the greatest version",
        quoted(.channels)
    )]
    DefaultChannelMissing {
        /// The package.
        package: String,
        /// Its channels, in byte order.
        channels: Vec<String>,
    },
    /// The declared default channel is none of the channels.
    #[error(
        "the default channel {default_channel:?} that bundle {bundle} declares for package {package:?} is none of its \
         channels ({}); name one of these as default channel, or put the bundle into {default_channel:?}, in \
         metadata/annotations.yaml",
        quoted(.channels)
    )]
    DefaultChannelUnknown {
        /// The package.
        package: String,
        /// The bundle whose declaration counts: the one with the greatest version that declares a default channel.
        bundle: String,
        /// What it declares.
        default_channel: String,
        /// The channels of the package, in byte order.
        channels: Vec<String>,
    },
    /// The default channel would vanish because its head is deprecated.
    #[error(
        "the default channel {channel:?} of package {package:?} would have the deprecated bundle {head} as its head; \
         add a newer bundle to that channel, or declare another default channel"
    )]
    DefaultChannelDeprecated {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// Its head.
        head: String,
    },
    /// A bundle replaces one that does not exist.
    #[error(
        "bundle {bundle} in channel {channel:?} of package {package:?} (head {head}) replaces {replaces}, which is \
         neither in the index nor among the bundles to add; add {replaces} too, or correct what {bundle} replaces"
    )]
    ReplacesMissing {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// Its head.
        head: String,
        /// The bundle with the edge.
        bundle: String,
        /// The bundle that does not exist.
        replaces: String,
    },
    /// The chain of `replaces` comes back to where it was.
    #[error(
        "the bundles of channel {channel:?} in package {package:?} (head {head}) replace each other in a circle: \
         {bundle} replaces {replaces}, which is above it; correct what {bundle} replaces"
    )]
    Cycle {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// Its head.
        head: String,
        /// The bundle whose edge closes the circle.
        bundle: String,
        /// Where the edge leads.
        replaces: String,
    },
    /// The head of a channel would be skipped by a bundle below it.
    #[error(
        "bundle {bundle} skips {head}, which is the head of channel {channel:?} of package {package:?} and above it: \
         clusters on {head} would be led back down; remove {head} from what {bundle} skips, or give {bundle} a version \
         greater than that of {head}"
    )]
    HeadSkipped {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// Its head.
        head: String,
        /// The bundle that skips it.
        bundle: String,
    },
    /// An added bundle cannot be reached from the head of a channel that it wants to be in.
    #[error(
        "bundle {bundle} (version {version:?}) cannot be reached in channel {channel:?} of package {package:?}: its \
         head is {head} (version {head_version:?}), which {}; let {head} or a bundle below it replace or skip \
         {bundle}, or give {bundle} a version greater than {head_version:?}",
        edges(.head_replaces, .head_skips)
    )]
    Unreachable {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The added bundle.
        bundle: String,
        /// Its version.
        version: String,
        /// The head of the channel.
        head: String,
        /// The version of the head.
        head_version: String,
        /// What the head replaces; empty for nothing.
        head_replaces: String,
        /// What the head skips.
        head_skips: Vec<String>,
    },
    /// Added bundles cannot be reached from the head of a channel that they name.
    #[error(
        "{} bundles cannot be reached in channel {channel:?} of package {package:?}: the updates from its head {head} end at \
         {end}; let {end} replace or skip {next} and so on, or add without {}",
        bundles.len(),
        some_of(bundles)
    )]
    SeveralUnreachable {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The head of the channel.
        head: String,
        /// The bundle that the chain of updates from the head ends at.
        end: String,
        /// The bundle that it should lead on to: the greatest version below it.
        next: String,
        /// The bundles, from the greatest version.
        bundles: Vec<String>,
    },
    /// An added bundle is in a channel that vanishes because its head is deprecated.
    #[error(
        "bundle {bundle} cannot be added to channel {channel:?} of package {package:?}: the head of the channel, \
         {head}, is deprecated, so that the channel is gone; give {bundle} a version greater than that of {head}"
    )]
    ChannelDeprecated {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The added bundle.
        bundle: String,
        /// The deprecated head.
        head: String,
    },
    /// A channel has a bundle of the same version already, in a mode where versions are places.
    #[error(
        "bundle {bundle} has version {version:?}, which bundle {present} has in channel {channel:?} of package \
         {package:?}; give each its own version"
    )]
    VersionPresent {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The added bundle.
        bundle: String,
        /// The version of both.
        version: String,
        /// The bundle that is there, or that is added, too.
        present: String,
    },
    /// The stored entries of a channel have no single beginning.
    #[error(
        "channel {channel:?} of package {package:?} has {}; add to this package in the mode replaces",
        heads_of(.heads)
    )]
    SeveralHeads {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The bundles that nothing replaces or skips.
        heads: Vec<String>,
    },
    /// A new place for one bundle would leave others without any.
    #[error(
        "in channel {channel:?} of package {package:?} (head {head}) nothing would lead to {} any more: the bundle \
         above takes the new one in place of all that it replaced or skipped; add to this package in the mode replaces",
        .lost.join(", ")
    )]
    Disconnected {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// Its head.
        head: String,
        /// The bundles that could not be reached.
        lost: Vec<String>,
    },
}

fn heads_of(heads: &[String]) -> String {
    match heads {
        [] => "no head, because its bundles replace each other in a circle".to_owned(),
        heads => format!("several bundles that nothing replaces or skips: {}", heads.join(", ")),
    }
}

fn quoted(names: &[String]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("{name:?}")).collect();
    quoted.join(", ")
}

fn edges(replaces: &str, skips: &[String]) -> String {
    match (replaces, skips) {
        ("", []) => "replaces and skips nothing".to_owned(),
        ("", skips) => format!("skips {}", skips.join(", ")),
        (replaces, []) => format!("replaces {replaces}"),
        (replaces, skips) => format!("replaces {replaces} and skips {}", skips.join(", ")),
    }
}

/// The first names of a list, and how many more there are.
fn some_of(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let first = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
