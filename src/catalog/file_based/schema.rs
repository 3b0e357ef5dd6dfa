//! The schemas of catalog documents: the name and fields of each, and the subjects and sort order of its documents.

use crate::catalog::Text;
use crate::olm::property;
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
    /// The maintenance periods of a package's versions. OLM passes on the document without reading it.
    Lifecycles = "io.openshift.operators.lifecycles.v1alpha1": "schema", "package", "versions";
}

/// A list field, and the fields of its items in order. Fields after the first `required` ones may be omitted.
#[derive(Debug)]
pub(super) struct ListField {
    pub(super) name: &'static str,
    pub(super) fields: &'static [&'static str],
    pub(super) required: usize,
}

impl ListField {
    /// Returns the known fields of the items, and of the objects inside them.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> + Clone {
        let references = self
            .has_references()
            .then_some(REFERENCE)
            .into_iter()
            .flatten()
            .copied();
        let texts = self.has_values().then(property::all_texts).into_iter().flatten();
        self.fields.iter().copied().chain(references).chain(texts)
    }

    /// Returns the field of an item that contains an object with known fields, and these fields. `kind` is the type of
    /// the item if it is a property.
    pub(super) fn inside(&self, kind: &str) -> Option<(&'static str, &'static [&'static str])> {
        if self.has_references() {
            return Some(("reference", REFERENCE));
        }
        let texts = property::texts(kind).filter(|_| self.has_values())?;
        Some(("value", texts))
    }

    fn has_references(&self) -> bool {
        self.fields.contains(&"reference")
    }

    fn has_values(&self) -> bool {
        self.fields.contains(&"value")
    }
}

/// The fields of the reference to a deprecated item.
pub(super) const REFERENCE: &[&str] = &["schema", "name"];

const PROPERTIES: ListField = ListField {
    name: "properties",
    fields: &["type", "value"],
    required: 2,
};
const ENTRIES: ListField = ListField {
    name: "entries",
    fields: &["name", "replaces", "skips", "skipRange"],
    required: 1,
};
const RELATED_IMAGES: ListField = ListField {
    name: "relatedImages",
    fields: &["name", "image"],
    required: 2,
};

const DEPRECATIONS: ListField = ListField {
    name: "entries",
    fields: &["reference", "message"],
    required: 2,
};

/// A schema whose documents OLM reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OlmSchema {
    Package,
    Channel,
    Bundle,
    Deprecations,
}

/// The type of an item that can be deprecated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Referred {
    Package,
    Channel,
    Bundle,
}

impl Schema {
    /// Returns the schema if OLM reads its documents. Documents of all other schemas are for other programs.
    pub(crate) fn of_olm(&self) -> Option<OlmSchema> {
        match self {
            Self::Package => Some(OlmSchema::Package),
            Self::Channel => Some(OlmSchema::Channel),
            Self::Bundle => Some(OlmSchema::Bundle),
            Self::Deprecations => Some(OlmSchema::Deprecations),
            Self::Lifecycles | Self::Other(_) => None,
        }
    }

    /// Whether OLM reads documents of this schema.
    pub fn is_of_olm(&self) -> bool {
        self.of_olm().is_some()
    }

    /// Whether a package may have several documents of this schema, distinguished by their names.
    pub fn has_names(&self) -> bool {
        match self {
            Self::Channel | Self::Bundle => true,
            Self::Package | Self::Deprecations | Self::Lifecycles | Self::Other(_) => false,
        }
    }

    /// Whether no two documents of this schema may have the same package and name.
    pub(super) fn is_unique(&self) -> bool {
        match self {
            Self::Package | Self::Channel | Self::Bundle | Self::Deprecations | Self::Lifecycles => true,
            Self::Other(_) => false,
        }
    }

    /// Returns the fields whose items other OLM tools write in a fixed order, and the fields that they omit if empty.
    pub(super) fn rendered(&self) -> (&'static [ListField], &'static [&'static str]) {
        match self {
            Self::Package => (&[PROPERTIES], &["icon", "description", "properties"]),
            Self::Channel => (&[ENTRIES, PROPERTIES], &["properties"]),
            Self::Bundle => (&[PROPERTIES, RELATED_IMAGES], &["properties", "relatedImages"]),
            Self::Deprecations | Self::Lifecycles | Self::Other(_) => (&[], &[]),
        }
    }

    /// Returns the list fields of the documents that OLM reads.
    pub(super) fn lists(&self) -> &'static [ListField] {
        match self {
            Self::Deprecations => &[DEPRECATIONS],
            schema => schema.rendered().0,
        }
    }

    /// Returns the list field whose items have identities, such as the entries of a channel.
    pub(super) fn items(&self) -> Option<&'static str> {
        match self {
            Self::Channel | Self::Deprecations => Some("entries"),
            Self::Lifecycles => Some("versions"),
            Self::Package | Self::Bundle | Self::Other(_) => None,
        }
    }

    /// Returns the type of item that a reference with this schema deprecates, or `None` if it cannot be deprecated.
    pub(super) fn referred(&self) -> Option<Referred> {
        match self {
            Self::Package => Some(Referred::Package),
            Self::Channel => Some(Referred::Channel),
            Self::Bundle => Some(Referred::Bundle),
            Self::Deprecations | Self::Lifecycles | Self::Other(_) => None,
        }
    }

    /// Returns the sort rank of the schema's documents in a package.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::Package => 0,
            Self::Channel => 1,
            Self::Bundle => 2,
            Self::Lifecycles | Self::Other(_) => 3,
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

/// The subject of a document.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Subject {
    schema: Schema,
    package: Text,
    name: Text,
}

impl Subject {
    /// Creates the subject of a document with this schema, package and name.
    pub fn new(schema: Schema, package: &str, name: &str) -> Self {
        let name = if schema.has_names() { name } else { "" };
        Self {
            schema,
            package: package.into(),
            name: name.into(),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schema, package, name } = self;
        match schema {
            Schema::Package => write!(formatter, "package {package:?}"),
            Schema::Channel => write!(formatter, "channel {name:?} of package {package:?}"),
            Schema::Bundle => write!(formatter, "bundle {name:?} of package {package:?}"),
            Schema::Deprecations => write!(formatter, "the deprecations of package {package:?}"),
            Schema::Lifecycles => write!(formatter, "the lifecycles of package {package:?}"),
            Schema::Other(schema) => write!(formatter, "the document of schema {schema:?} of package {package:?}"),
        }
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
        Self {
            without_package: package.is_empty(),
            package,
            rank: schema.rank(),
            schema: schema.name(),
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
