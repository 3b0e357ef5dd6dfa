//! Deprecating packages, channels and bundles.

use super::{Draft, DraftBundle, DraftError};
use crate::catalog::file_based::{Deprecation, Reference, Schema};
use std::collections::HashSet;

/// The deprecated part of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deprecated {
    /// The whole package.
    Package,
    /// A channel.
    Channel(String),
    /// A bundle.
    Bundle(String),
}

impl Draft {
    /// Deprecates an item with a message, or changes its message.
    ///
    /// # Errors
    /// Returns an error if the package does not contain the item.
    pub fn deprecate(&mut self, what: &Deprecated, message: &str) -> Result<(), DraftError> {
        let reference = self.reference(what)?;
        match self.deprecations.iter_mut().find(|known| known.reference == reference) {
            Some(known) => message.clone_into(&mut known.message),
            None => self.deprecations.push(Deprecation {
                reference,
                message: message.to_owned(),
            }),
        }
        Ok(())
    }

    /// Deprecates a bundle that another form of the catalog marks as deprecated without a message. A bundle that is
    /// already deprecated keeps its message.
    pub(super) fn mark_bundle(&mut self, bundle: &str) {
        let reference = Reference {
            schema: Some(Schema::Bundle),
            name: bundle.to_owned(),
        };
        if self.deprecations.iter().all(|known| known.reference != reference) {
            self.deprecations.push(Deprecation {
                message: format!("{bundle} is deprecated. Upgrade to a newer version."),
                reference,
            });
        }
    }

    /// Removes a deprecation. Returns `false` if there was none.
    ///
    /// # Errors
    /// Returns an error if the package does not contain the item.
    pub fn undeprecate(&mut self, what: &Deprecated) -> Result<bool, DraftError> {
        let reference = self.reference(what)?;
        let before = self.deprecations.len();
        self.deprecations.retain(|known| known.reference != reference);
        Ok(self.deprecations.len() < before)
    }

    fn reference(&self, what: &Deprecated) -> Result<Reference, DraftError> {
        let (schema, name) = match what {
            Deprecated::Package => (Schema::Package, ""),
            Deprecated::Channel(channel) => {
                self.channel(channel)?;
                (Schema::Channel, channel.as_str())
            }
            Deprecated::Bundle(bundle) => (Schema::Bundle, self.named(bundle)?),
        };
        Ok(Reference {
            schema: Some(schema),
            name: name.to_owned(),
        })
    }

    /// Returns the name of a bundle that is specified by name or version.
    ///
    /// # Errors
    /// Returns an error if the bundle does not exist, or several bundles have the version.
    pub fn named<'n>(&'n self, bundle: &'n str) -> Result<&'n str, DraftError> {
        if self.bundle(bundle).is_some() {
            return Ok(bundle);
        }
        let version = bundle.strip_prefix('v').unwrap_or(bundle);
        let is_it = |known: &&DraftBundle| known.version.as_ref().is_some_and(|own| own.to_string() == version);
        let found: Vec<&DraftBundle> = self.bundles.iter().filter(is_it).collect();
        match found[..] {
            [] => Err(DraftError::bundle(self, bundle)),
            [found] => Ok(&found.name),
            _ => Err(DraftError::Ambiguous {
                package: self.name.clone(),
                version: version.to_owned(),
                bundles: found.iter().map(|found| found.name.clone()).collect(),
            }),
        }
    }

    /// Removes deprecations of channels and bundles that no longer exist.
    pub(super) fn tidy_deprecations(&mut self) {
        let channels: HashSet<&str> = self.channels.iter().map(|channel| channel.name.as_str()).collect();
        let bundles: HashSet<&str> = self.bundles.iter().map(|bundle| bundle.name.as_str()).collect();
        self.deprecations.retain(|known| match known.reference.schema {
            Some(Schema::Channel) => channels.contains(known.reference.name.as_str()),
            Some(Schema::Bundle) => bundles.contains(known.reference.name.as_str()),
            _ => true,
        });
    }
}
