//! Errors in the update graph of bundles.

use crate::catalog::quoted;

/// The reason why bundles do not form a valid update graph. Each message contains the package and a suggested change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// A version that does not follow Semantic Versioning.
    #[error(
        "the version {version:?} of bundle {bundle} in package {package:?} is not a semantic version ({reason}); use \
         the form MAJOR.MINOR.PATCH in its ClusterServiceVersion or metadata/olm.yaml"
    )]
    Version {
        /// The package.
        package: String,
        /// The bundle.
        bundle: String,
        /// The original version of the bundle.
        version: String,
        /// The error reported by the parser.
        reason: String,
    },
    /// Several bundles have the highest version of the package.
    #[error(
        "package {package:?} has more than one bundle with its highest version {version:?}: {}; use a different \
         version for each",
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
    /// Several bundles have the highest version of a channel.
    #[error(
        "channel {channel:?} of package {package:?} has more than one possible head with version {version:?}: {}; use \
         a different version for each",
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
    /// A bundle substitutes for a bundle that is neither in the index nor being added, or indirectly for itself.
    #[error(
        "bundle {bundle} of package {package:?} substitutes for {substitutes} (annotation olm.substitutesFor), which \
         is neither in the index nor among the added bundles, or which substitutes for {bundle} itself; correct the \
         annotation"
    )]
    SubstitutesMissing {
        /// The package.
        package: String,
        /// The bundle.
        bundle: String,
        /// The bundle for which `bundle` substitutes.
        substitutes: String,
    },
    /// Several bundles with the same version substitute for the same bundle.
    #[error(
        "in package {package:?}, {} have the same version {version:?} and substitute for {substitutes}; use a different version for each, at least in the build metadata",
        .bundles.join(" and ")
    )]
    SubstitutesAmbiguous {
        /// The package.
        package: String,
        /// The bundle for which the bundles substitute.
        substitutes: String,
        /// The bundles.
        bundles: Vec<String>,
        /// The common version.
        version: String,
    },
    /// No bundle is in a channel.
    #[error("no bundle of package {package:?} is in a channel; add at least one channel to metadata/annotations.yaml")]
    NoChannel {
        /// The package.
        package: String,
    },
    /// The package has several channels, but no bundle declares the default channel.
    #[error(
        "package {package:?} has the channels {} but no default channel; set one of them as the default channel in \
         metadata/annotations.yaml of the bundle with the highest version",
        quoted(.channels)
    )]
    DefaultChannelMissing {
        /// The package.
        package: String,
        /// The channels of the package, in byte order.
        channels: Vec<String>,
    },
    /// The declared default channel is not one of the channels.
    #[error(
        "the default channel {default_channel:?} that bundle {bundle} declares for package {package:?} is not one of \
         its channels ({}); in metadata/annotations.yaml, set one of these as the default channel, or add the bundle \
         to {default_channel:?}",
        quoted(.channels)
    )]
    DefaultChannelUnknown {
        /// The package.
        package: String,
        /// The bundle with the highest version that declares a default channel.
        bundle: String,
        /// The default channel that the bundle declares.
        default_channel: String,
        /// The channels of the package, in byte order.
        channels: Vec<String>,
    },
    /// The default channel would be removed because its head is deprecated.
    #[error(
        "the default channel {channel:?} of package {package:?} would have the deprecated bundle {head} as its head; \
         add a newer bundle to that channel, or declare a different default channel"
    )]
    DefaultChannelDeprecated {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The head of the channel.
        head: String,
    },
    /// A bundle replaces a bundle that does not exist.
    #[error(
        "bundle {bundle} in channel {channel:?} of package {package:?} (head {head}) replaces {replaces}, which is \
         neither in the index nor among the bundles to add; also add {replaces}, or correct replaces in {bundle}"
    )]
    ReplacesMissing {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The head of the channel.
        head: String,
        /// The bundle that replaces the missing bundle.
        bundle: String,
        /// The bundle that does not exist.
        replaces: String,
    },
    /// The chain of `replaces` is a cycle.
    #[error(
        "the bundles of channel {channel:?} in package {package:?} (head {head}) replace each other in a cycle: \
         {bundle} replaces {replaces}, which is above it; correct replaces in {bundle}"
    )]
    Cycle {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The head of the channel.
        head: String,
        /// The bundle whose edge closes the cycle.
        bundle: String,
        /// The bundle that is replaced.
        replaces: String,
    },
    /// A bundle replaces itself.
    #[error("bundle {bundle} of package {package:?} replaces itself; in replaces, name the bundle before it")]
    ReplacesItself {
        /// The package.
        package: String,
        /// The bundle.
        bundle: String,
    },
    /// The channels of a package would have more entries than the graph of a package may have.
    #[error(
        "the channels of package {package:?} would have more than {limit} entries, because every channel contains all \
         bundles that its bundles replace or skip; use fewer channels, or remove bundles from skips"
    )]
    TooManyEntries {
        /// The package.
        package: String,
        /// The maximum number of entries.
        limit: usize,
    },
    /// The head of a channel would be skipped by a bundle below it.
    #[error(
        "bundle {bundle} is below {head}, the head of channel {channel:?} of package {package:?}, but skips it: \
         clusters on {head} would be downgraded; remove {head} from skips in {bundle}, or give {bundle} a version \
         higher than that of {head}"
    )]
    HeadSkipped {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The head of the channel.
        head: String,
        /// The bundle that skips the head.
        bundle: String,
    },
    /// An added bundle cannot be reached from the head of its channel.
    #[error(
        "bundle {bundle} (version {version:?}) cannot be reached in channel {channel:?} of package {package:?}: the \
         head is {head} (version {head_version:?}), which {}; make {head} or a bundle below it replace or skip \
         {bundle}, or give {bundle} a version higher than {head_version:?}",
        edges(.head_replaces, .head_skips)
    )]
    Unreachable {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The added bundle.
        bundle: String,
        /// The version of the added bundle.
        version: String,
        /// The head of the channel.
        head: String,
        /// The version of the head.
        head_version: String,
        /// The bundle that the head replaces; may be empty.
        head_replaces: String,
        /// The bundles that the head skips.
        head_skips: Vec<String>,
    },
    /// Several added bundles cannot be reached from the head of their channel.
    #[error(
        "{} bundles cannot be reached in channel {channel:?} of package {package:?}: the update chain from the head \
         {head} ends at {end}; make {end} replace or skip {next} and so on, or do not add {}",
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
        /// The last bundle in the update chain from the head.
        end: String,
        /// The bundle with the highest version below `end`, to which the chain should continue.
        next: String,
        /// The unreachable bundles, in descending order of version.
        bundles: Vec<String>,
    },
    /// An added bundle is in a channel that is removed because its head is deprecated.
    #[error(
        "bundle {bundle} cannot {}",
        below_deprecated((package, channel), bundle, head)
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
    /// A channel already contains a bundle with the same version, in a mode that orders bundles by version.
    #[error(
        "bundle {bundle} has version {version:?}, which bundle {present} already has in channel {channel:?} of package \
         {package:?}; use a different version for each"
    )]
    VersionPresent {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The added bundle.
        bundle: String,
        /// The common version.
        version: String,
        /// The bundle that is already in the channel, or is also being added.
        present: String,
    },
    /// The stored entries of a channel do not have exactly one head.
    #[error(
        "channel {channel:?} of package {package:?} has {}; use replaces mode for this package",
        heads_of(.heads)
    )]
    SeveralHeads {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The bundles that no other bundle replaces or skips.
        heads: Vec<String>,
    },
    /// Inserting a bundle would disconnect other bundles from the head.
    #[error(
        "channel {channel:?} of package {package:?} (head {head}) would lose the update path from {}: {}",
        .lost.join(", "),
        break_of(.last_skips.as_ref())
    )]
    Disconnected {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The head of the channel.
        head: String,
        /// The bundles that would be unreachable.
        lost: Vec<String>,
        /// The bundle at the end of the update chain and the lower patch versions that it skips, if it replaces nothing
        /// because of these skips.
        last_skips: Option<(String, Vec<String>)>,
    },
}

/// Returns why bundles would be unreachable, and what to do.
fn break_of(last_skips: Option<&(String, Vec<String>)>) -> String {
    match last_skips {
        Some((last, skips)) => format!(
            "{last} would skip {}, and the edges of skipped bundles to lower versions do not count; use semver or \
             replaces mode for this package",
            some_of(skips)
        ),
        None => "the next higher bundle would replace the new bundle instead of the bundles that the higher bundle \
                 replaces or skips now; use replaces mode for this package"
            .to_owned(),
    }
}

fn heads_of(heads: &[String]) -> String {
    match heads {
        [] => "no head, because its bundles replace each other in a cycle".to_owned(),
        heads => format!(
            "several bundles that no other bundle replaces or skips: {}",
            heads.join(", ")
        ),
    }
}

fn edges(replaces: &str, skips: &[String]) -> String {
    match (replaces, skips) {
        ("", []) => "replaces and skips nothing".to_owned(),
        ("", skips) => format!("skips {}", skips.join(", ")),
        (replaces, []) => format!("replaces {replaces}"),
        (replaces, skips) => format!("replaces {replaces} and skips {}", skips.join(", ")),
    }
}

/// Formats the first names of a list, and the number of remaining names.
pub(crate) fn some_of(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let first = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// Describes why a bundle cannot enter a channel whose head would be deprecated.
fn below_deprecated((package, channel): (&str, &str), bundle: &str, head: &str) -> String {
    if bundle == head {
        return format!(
            "be the head of channel {channel:?} of package {package:?} because it is deprecated; also add a newer \
             bundle, which replaces it, to the channel"
        );
    }
    format!(
        "be added to channel {channel:?} of package {package:?}: the head of the channel, {head}, is deprecated, so the \
         channel no longer exists; give {bundle} a version higher than that of {head}"
    )
}
