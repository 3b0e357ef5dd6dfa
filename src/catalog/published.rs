//! The bundle of a package that new installations get.

use super::Catalog;
use crate::shape::nearest;

/// A catalog does not publish what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnpublishedError {
    /// It has no such package.
    #[error("the index has no package {package}{}", .nearest.as_ref().map_or(String::new(), |name| format!("; is {name} meant?")))]
    Package {
        /// The package.
        package: String,
        /// The one that is most like it.
        nearest: Option<String>,
    },
    /// The package has no such channel.
    #[error("the package {package} has no channel {channel}; it has {}", .known.join(", "))]
    Channel {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// Its channels.
        known: Vec<String>,
    },
    /// The package says neither which channel is its default one nor has only one.
    #[error("the package {package} has no default channel; it has {}", .known.join(", "))]
    NoDefault {
        /// The package.
        package: String,
        /// Its channels.
        known: Vec<String>,
    },
    /// The channel has no bundle that is not replaced.
    #[error("the channel {channel} of the package {package} has no head")]
    NoHead {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
    },
}

/// The name of the head of a channel: of the one that is named, else of the default one.
///
/// # Errors
/// When there is no such package or channel, or the channel has no head.
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
