//! Parts of a catalog, selected by package and channel names. A [`part`] of a package can also be selected by versions.

pub mod part;

use super::{Catalog, Channel, Package};
use crate::shape::nearest;
use crate::version::parse_strict;
use semver::Version;
use std::collections::BTreeSet;

/// The selected packages and channels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Package names; if empty, all packages.
    pub packages: Vec<String>,
    /// Channel names; if empty, all channels. Packages without any of these channels are not part of the selection.
    pub channels: Vec<String>,
}

/// A name that is not in the catalog, or a version that cannot be ordered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionError {
    /// The package does not exist.
    #[error("there is no package {package:?}")]
    Package {
        /// The name.
        package: String,
        /// The most similar name in the catalog.
        nearest: Option<String>,
    },
    /// No selected package has the channel.
    #[error("there is no channel {channel:?}")]
    Channel {
        /// The name.
        channel: String,
        /// The most similar name in the catalog.
        nearest: Option<String>,
    },
    /// The bundle does not exist.
    #[error("there is no bundle {bundle:?}")]
    Bundle {
        /// The name.
        bundle: String,
        /// The most similar name in the catalog.
        nearest: Option<String>,
    },
    /// The version of a bundle cannot be ordered.
    #[error("the version {version:?} of bundle {bundle:?} cannot be ordered: {reason}")]
    Version {
        /// The bundle.
        bundle: String,
        /// The version of the bundle.
        version: String,
        /// The fault in the version.
        reason: String,
    },
}

/// The bundle at which a part begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Minimum {
    /// The version of the bundle.
    pub version: Version,
    /// The packages that have the bundle in a selected channel.
    pub packages: Vec<String>,
}

/// Finds the bundle at which a part begins in the selected channels.
///
/// # Errors
/// Returns an error if the bundle does not exist, or its version cannot be ordered.
pub fn minimum(catalog: &Catalog, bundle: &str, selection: &Selection) -> Result<Minimum, SelectionError> {
    let (mut packages, mut names, mut found) = (Vec::new(), BTreeSet::new(), None);
    for (package, channel) in selection.of(catalog)? {
        for entry in &channel.entries {
            let Some(known) = catalog.bundle(entry.bundle) else {
                continue;
            };
            names.insert(&*known.name);
            if &*known.name == bundle {
                found = Some(known.version.as_deref().unwrap_or_default());
                packages.push(package.name.to_string());
            }
        }
    }
    let Some(version) = found else {
        return Err(SelectionError::Bundle {
            bundle: bundle.to_owned(),
            nearest: nearest(bundle, names).map(str::to_owned),
        });
    };
    packages.dedup();
    let version = parse_strict(version).map_err(|reason| SelectionError::Version {
        bundle: bundle.to_owned(),
        version: version.to_owned(),
        reason,
    })?;
    Ok(Minimum { version, packages })
}

impl Selection {
    /// Returns the selected channels, each with its package, in the order of the catalog.
    ///
    /// # Errors
    /// Returns an error for a name that is not in the catalog, because an empty selection would look like a valid
    /// result.
    pub fn of<'catalog>(
        &self,
        catalog: &'catalog Catalog,
    ) -> Result<Vec<(&'catalog Package, &'catalog Channel)>, SelectionError> {
        for package in &self.packages {
            if catalog.package(package).is_none() {
                return Err(SelectionError::Package {
                    package: package.clone(),
                    nearest: nearest(package, catalog.packages.iter().map(|package| &*package.name)).map(str::to_owned),
                });
            }
        }
        let wanted = |names: &[String], name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
        let channels = || {
            let packages = catalog.packages.iter();
            packages
                .filter(|package| wanted(&self.packages, &package.name))
                .flat_map(|package| package.channels.iter().map(move |channel| (package, channel)))
        };
        for name in &self.channels {
            if !channels().any(|(_, channel)| *channel.name == **name) {
                return Err(SelectionError::Channel {
                    channel: name.clone(),
                    nearest: nearest(name, channels().map(|(_, channel)| &*channel.name)).map(str::to_owned),
                });
            }
        }
        Ok(channels()
            .filter(|(_, channel)| wanted(&self.channels, &channel.name))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Text;

    fn catalog() -> Catalog {
        let package = |name: &str, channels: &[&str]| Package {
            name: Text::from(name),
            default_channel: None,
            channels: channels
                .iter()
                .map(|name| Channel {
                    name: Text::from(*name),
                    head: None,
                    entries: Vec::new(),
                })
                .collect(),
        };
        Catalog {
            packages: vec![package("a", &["alpha", "stable"]), package("b", &["stable"])],
            bundles: Vec::new(),
        }
    }

    fn select(packages: &[&str], channels: &[&str]) -> Result<Vec<String>, SelectionError> {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let selection = Selection {
            packages: names(packages),
            channels: names(channels),
        };
        let catalog = catalog();
        let part = selection.of(&catalog)?;
        Ok(part
            .iter()
            .map(|(package, channel)| format!("{}/{}", package.name, channel.name))
            .collect())
    }

    #[test]
    fn an_empty_selection_selects_everything() {
        assert_eq!(select(&[], &[]).unwrap(), ["a/alpha", "a/stable", "b/stable"]);
        assert_eq!(select(&["a"], &[]).unwrap(), ["a/alpha", "a/stable"]);
        assert_eq!(select(&[], &["alpha"]).unwrap(), ["a/alpha"]);
        assert_eq!(select(&["b", "a"], &["stable"]).unwrap(), ["a/stable", "b/stable"]);
    }

    #[test]
    fn an_unknown_name_is_an_error_with_the_nearest_name() {
        assert_eq!(
            select(&["b"], &["alpha"]),
            Err(SelectionError::Channel {
                channel: "alpha".to_owned(),
                nearest: None
            })
        );
        let error = select(&["c"], &[]).unwrap_err();
        assert!(
            matches!(error, SelectionError::Package { nearest: Some(name), .. } if name == "a"),
            "the first of the nearest"
        );
    }
}
