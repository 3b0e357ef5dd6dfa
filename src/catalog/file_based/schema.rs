//! The schemas of catalog documents: the name and fields of each, and the sort order of its documents.

use crate::catalog::Text;
use serde::Deserialize;
use std::fmt;

/// The known schemas: the name of each, and the fields of its documents in the order that other OLM tools use.
macro_rules! schemas {
    ($($(#[$doc:meta])* $schema:ident = $name:literal: $($field:literal),*;)*) => {
        /// The schema of a catalog document, which specifies what the document describes.
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
        #[serde(from = "String")]
        pub enum Schema {
            $($(#[$doc])* $schema,)*
            /// Any other schema, defined by its author.
            Other(Text),
        }

        impl Schema {
            /// All known schemas.
            pub(crate) const KNOWN: &[Self] = &[$(Self::$schema),*];

            /// Returns the value of the field `schema`.
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$schema => $name,)*
                    Self::Other(name) => name,
                }
            }

            /// Returns the fields of the schema's documents; empty for an unknown schema.
            pub(crate) fn fields(&self) -> &'static [&'static str] {
                match self {
                    $(Self::$schema => &[$($field),*],)*
                    Self::Other(_) => &[],
                }
            }
        }
    };
}

schemas! {
    /// A package.
    Package = "olm.package": "schema", "name", "defaultChannel", "icon", "description", "properties";
    /// A channel of a package, with its update graph.
    Channel = "olm.channel": "schema", "name", "package", "entries", "properties";
    /// A bundle of a package.
    Bundle = "olm.bundle": "schema", "name", "package", "image", "properties", "relatedImages";
    /// The deprecated items of a package.
    Deprecations = "olm.deprecations": "schema", "package", "name", "entries";
}

impl Schema {
    /// Whether a package may have several documents of this schema, distinguished by their names.
    pub fn has_names(&self) -> bool {
        match self {
            Self::Channel | Self::Bundle => true,
            Self::Package | Self::Deprecations | Self::Other(_) => false,
        }
    }

    /// Returns the sort rank of the schema's documents in a package.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::Package => 0,
            Self::Channel => 1,
            Self::Bundle => 2,
            Self::Other(_) => 3,
            Self::Deprecations => 4,
        }
    }
}

impl From<&str> for Schema {
    fn from(name: &str) -> Self {
        let known = Self::KNOWN.iter().find(|schema| schema.name() == name);
        known.cloned().unwrap_or_else(|| Self::Other(name.into()))
    }
}

impl From<String> for Schema {
    fn from(name: String) -> Self {
        Self::from(name.as_str())
    }
}

impl fmt::Display for Schema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The sort key of a document in a catalog. Packages are sorted by name, followed by documents without a package. In
/// each package, the package document is first, then channels, bundles, other documents and deprecations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key<'a> {
    without_package: bool,
    package: &'a str,
    rank: u8,
    schema: &'a str,
    name: &'a str,
}

impl<'a> Key<'a> {
    /// Creates the key of a document with this schema, package and name.
    pub fn new(schema: &'a Schema, package: &'a str, name: &'a str) -> Self {
        let of_other = match schema {
            Schema::Other(other) => other,
            _ => "",
        };
        Self {
            without_package: package.is_empty(),
            package,
            rank: schema.rank(),
            schema: of_other,
            name: if schema.has_names() { name } else { "" },
        }
    }

    /// Returns the name of a channel or a bundle; empty for all other documents.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// Returns the package; empty for documents without a package.
    pub fn package(&self) -> &'a str {
        self.package
    }
}
