//! The schemas of a catalog's documents: what each is called, which fields it has, and where its documents stand.

use crate::catalog::Text;
use serde::Deserialize;
use std::fmt;

/// The schemas that the format knows: the name of each, and the fields of its documents in the order in which the tools
/// of the field write them.
macro_rules! schemas {
    ($($(#[$doc:meta])* $schema:ident = $name:literal: $($field:literal),*;)*) => {
        /// What a document of a catalog is about, as its field `schema` says.
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
        #[serde(from = "String")]
        pub enum Schema {
            $($(#[$doc])* $schema,)*
            /// Any other, which belongs to whoever wrote it.
            Other(Text),
        }

        impl Schema {
            /// All that the format knows.
            pub(crate) const KNOWN: &[Self] = &[$(Self::$schema),*];

            /// The value of the field `schema`.
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$schema => $name,)*
                    Self::Other(name) => name,
                }
            }

            /// The fields of its documents; none of an unknown schema.
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
    /// What of a package should no longer be chosen.
    Deprecations = "olm.deprecations": "schema", "package", "name", "entries";
}

impl Schema {
    /// The place of its documents among those of a package.
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

/// Where a document stands in a catalog. Packages come by name, and what belongs to none behind them; of each first the
/// package, then channels, bundles, other documents and deprecations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key<'a> {
    without_package: bool,
    package: &'a str,
    rank: u8,
    schema: &'a str,
    name: &'a str,
}

impl<'a> Key<'a> {
    /// The place of a document of this schema and package, with this name.
    pub fn new(schema: &'a Schema, package: &'a str, name: &'a str) -> Self {
        let (of_other, name) = match schema {
            Schema::Package | Schema::Deprecations => ("", ""),
            Schema::Channel | Schema::Bundle => ("", name),
            Schema::Other(other) => (&**other, ""),
        };
        Self {
            without_package: package.is_empty(),
            package,
            rank: schema.rank(),
            schema: of_other,
            name,
        }
    }

    /// The name of a channel or a bundle; empty for all others.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The package; empty for what belongs to none.
    pub fn package(&self) -> &'a str {
        self.package
    }
}
