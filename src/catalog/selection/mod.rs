//! A part of a catalog: by the names of packages and channels, and of a [`part`] of a package by versions, too.

pub mod part;

use super::{Catalog, Channel, Package};
use crate::shape::nearest;
use crate::version::parse_strict;
use semver::Version;
use std::collections::BTreeSet;

/// The packages and channels that are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Names of packages; all of them where none is named.
    pub packages: Vec<String>,
    /// Names of channels; all of them where none is named. Packages without one of these channels are not in the part.
    pub channels: Vec<String>,
}

/// A name that the catalog does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    /// A package.
    #[error("there is no package {package:?}")]
    Package {
        /// The name.
        package: String,
        /// The name in the catalog that is most like it.
        nearest: Option<String>,
    },
    /// A channel: none of the packages that are wanted has it.
    #[error("there is no channel {channel:?}")]
    Channel {
        /// The name.
        channel: String,
        /// The name in the catalog that is most like it.
        nearest: Option<String>,
    },
    /// A bundle.
    #[error("there is no bundle {bundle:?}")]
    Bundle {
        /// The name.
        bundle: String,
        /// The name in the catalog that is most like it.
        nearest: Option<String>,
    },
    /// A bundle that is not higher or lower than others.
    #[error("the version {version:?} of bundle {bundle:?} has no order: {reason}")]
    Version {
        /// The bundle.
        bundle: String,
        /// What it has.
        version: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// A bundle from which on a part is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Minimum {
    /// Its version.
    pub version: Version,
    /// The packages with a channel that it is in.
    pub packages: Vec<String>,
}

/// Finds the bundle from which on a part is wanted, among the channels that are selected.
///
/// # Errors
/// When there is no such bundle, or its version has no order.
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
    /// The channels of the part, each with its package, in the order of the catalog.
    ///
    /// # Errors
    /// For a name that the catalog does not hold: an empty part would look like an answer.
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
    fn no_name_stands_for_all() {
        assert_eq!(select(&[], &[]).unwrap(), ["a/alpha", "a/stable", "b/stable"]);
        assert_eq!(select(&["a"], &[]).unwrap(), ["a/alpha", "a/stable"]);
        assert_eq!(select(&[], &["alpha"]).unwrap(), ["a/alpha"]);
        assert_eq!(select(&["b", "a"], &["stable"]).unwrap(), ["a/stable", "b/stable"]);
    }

    #[test]
    fn an_unknown_name_is_an_error_with_the_nearest() {
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
