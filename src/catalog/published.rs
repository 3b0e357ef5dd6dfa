//! The bundle that new installations of a package receive.

use super::{Catalog, quoted};
use crate::shape::nearest;

/// The reason why a catalog has no head for the requested package or channel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnpublishedError {
    /// The catalog does not contain the package.
    #[error("the index has no package {package:?}{}", .nearest.as_ref().map_or(String::new(), |name| format!("; did you mean {name:?}?")))]
    Package {
        /// The package.
        package: String,
        /// The most similar package.
        nearest: Option<String>,
    },
    /// The package does not have the channel.
    #[error(
        "the package {package:?} has no channel {channel:?}; its channels are {}",
        quoted(known)
    )]
    Channel {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The channels of the package.
        known: Vec<String>,
    },
    /// The package has no default channel, and has several channels or none.
    #[error("the package {package:?} has no default channel; its channels are {}", quoted(known))]
    NoDefault {
        /// The package.
        package: String,
        /// The channels of the package.
        known: Vec<String>,
    },
    /// The channel has no head.
    #[error("the channel {channel:?} of the package {package:?} has no head")]
    NoHead {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
    },
}

/// Returns the name of the head of a channel: the specified channel, or by default the package's default channel.
///
/// # Errors
/// Returns an error if the package or channel does not exist, or the channel has no head.
pub fn published<'a>(catalog: &'a Catalog, package: &str, channel: Option<&str>) -> Result<&'a str, UnpublishedError> {
    let Some(found) = catalog.package(package) else {
        let known = catalog.packages.iter().map(|package| &*package.name);
        return Err(UnpublishedError::Package {
            package: package.to_owned(),
            nearest: nearest(package, known).map(str::to_owned),
        });
    };
    let known = || found.channels.iter().map(|channel| channel.name.to_string()).collect();
    let only = || match &found.channels[..] {
        [only] => Some(&*only.name),
        _ => None,
    };
    let default = || found.default_channel.as_deref().or_else(only);
    let Some(named) = channel.or_else(default) else {
        let package = package.to_owned();
        return Err(UnpublishedError::NoDefault {
            package,
            known: known(),
        });
    };
    let Some(channel) = found.channels.iter().find(|channel| &*channel.name == named) else {
        return Err(UnpublishedError::Channel {
            package: package.to_owned(),
            channel: named.to_owned(),
            known: known(),
        });
    };
    channel.head.as_deref().ok_or_else(|| UnpublishedError::NoHead {
        package: package.to_owned(),
        channel: named.to_owned(),
    })
}
