//! The schemas of catalog documents: what opmx knows about each, and the subjects and sort order of its documents.

use crate::catalog::Text;
use crate::olm::property;
use crate::rules::{self, Rule};
use serde::Deserialize;
use std::fmt;

/// What opmx knows about the documents of a schema. The values that a row omits are those of an unknown schema.
#[derive(Debug)]
struct Row {
    name: &'static str,
    /// The fields, in the order that other OLM tools use.
    fields: &'static [&'static str],
    /// The list fields with known items.
    lists: &'static [ListField],
    /// The list field whose items have identities.
    items: Option<&'static str>,
    /// The fields that other OLM tools omit if empty, if they write the documents in a fixed order.
    omitted: Option<&'static [&'static str]>,
    /// The name of the described items in messages.
    noun: &'static str,
    has_names: bool,
    /// For documents that only belong to their package, at most one to each package: the rule that demands this.
    single: Option<&'static Rule>,
    rank: u8,
    olm: Option<OlmSchema>,
    referred: Option<Referred>,
}

const OTHER: Row = Row {
    name: "",
    fields: &[],
    lists: &[],
    items: None,
    omitted: None,
    noun: "document",
    has_names: false,
    single: None,
    rank: 3,
    olm: None,
    referred: None,
};

macro_rules! schemas {
    ($($(#[$doc:meta])* $schema:ident = $row:expr;)*) => {
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

            fn row(&self) -> &'static Row {
                match self {
                    $(Self::$schema => {
                        static ROW: Row = $row;
                        &ROW
                    })*
                    Self::Other(_) => &OTHER,
                }
            }
        }
    };
}

schemas! {
    /// A package.
    Package = Row {
        name: "olm.package",
        fields: &["schema", "name", "defaultChannel", "icon", "description", "properties"],
        lists: &[PROPERTIES],
        omitted: Some(&["icon", "description", "properties"]),
        noun: "package",
        rank: 0,
        olm: Some(OlmSchema::Package),
        referred: Some(Referred::Package),
        ..OTHER
    };
    /// A channel of a package, with its update graph.
    Channel = Row {
        name: "olm.channel",
        fields: &["schema", "name", "package", "entries", "properties"],
        lists: &[ENTRIES, PROPERTIES],
        items: Some("entries"),
        omitted: Some(&["properties"]),
        noun: "channel",
        has_names: true,
        rank: 1,
        olm: Some(OlmSchema::Channel),
        referred: Some(Referred::Channel),
        ..OTHER
    };
    /// A bundle of a package.
    Bundle = Row {
        name: "olm.bundle",
        fields: &["schema", "name", "package", "image", "properties", "relatedImages"],
        lists: &[PROPERTIES, RELATED_IMAGES],
        omitted: Some(&["properties", "relatedImages"]),
        noun: "bundle",
        has_names: true,
        rank: 2,
        olm: Some(OlmSchema::Bundle),
        referred: Some(Referred::Bundle),
        ..OTHER
    };
    /// The deprecated items of a package.
    Deprecations = Row {
        name: "olm.deprecations",
        fields: &["schema", "package", "name", "entries"],
        lists: &[DEPRECATIONS],
        items: Some("entries"),
        noun: "deprecations",
        single: Some(&rules::CATALOG_DEPRECATION_PACKAGE),
        rank: 4,
        olm: Some(OlmSchema::Deprecations),
        ..OTHER
    };
    /// The maintenance periods of a package's versions. OLM passes on the document without reading it.
    Lifecycles = Row {
        name: "io.openshift.operators.lifecycles.v1alpha1",
        fields: &["schema", "package", "versions"],
        items: Some("versions"),
        noun: "lifecycles",
        single: Some(&rules::CATALOG_LIFECYCLE_PACKAGE),
        ..OTHER
    };
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
    /// Returns the value of the field `schema`.
    pub fn name(&self) -> &str {
        match self {
            Self::Other(name) => name,
            known => known.row().name,
        }
    }

    /// Returns the fields of the schema's documents; empty for an unknown schema.
    pub(crate) fn fields(&self) -> &'static [&'static str] {
        self.row().fields
    }

    /// Returns the schema if OLM reads its documents. Documents of all other schemas are for other programs.
    pub(crate) fn of_olm(&self) -> Option<OlmSchema> {
        self.row().olm
    }

    /// Whether OLM reads documents of this schema.
    pub fn is_of_olm(&self) -> bool {
        self.of_olm().is_some()
    }

    /// Whether a package may have several documents of this schema, distinguished by their names.
    pub fn has_names(&self) -> bool {
        self.row().has_names
    }

    /// Whether no two documents of this schema may have the same package and name.
    pub(super) fn is_unique(&self) -> bool {
        *self == Self::Package || self.has_names() || self.row().single.is_some()
    }

    /// Returns the schemas of documents that only belong to their package, at most one to each package, with the rules
    /// that demand this.
    pub(super) fn singles() -> impl Iterator<Item = (&'static Self, &'static Rule)> {
        let known = Self::KNOWN.iter();
        known.filter_map(|schema| Some((schema, schema.row().single?)))
    }

    /// Returns the name of the described items in messages, such as `deprecations`.
    pub(super) fn noun(&self) -> &'static str {
        self.row().noun
    }

    /// Returns the fields that other OLM tools omit if empty, or `None` if they keep the documents as written.
    pub(super) fn omitted(&self) -> Option<&'static [&'static str]> {
        self.row().omitted
    }

    /// Returns the list fields of the documents that OLM reads.
    pub(super) fn lists(&self) -> &'static [ListField] {
        self.row().lists
    }

    /// Returns the list field whose items have identities, such as the entries of a channel.
    pub(super) fn items(&self) -> Option<&'static str> {
        self.row().items
    }

    /// Returns the type of item that a reference with this schema deprecates, or `None` if it cannot be deprecated.
    pub(super) fn referred(&self) -> Option<Referred> {
        self.row().referred
    }

    /// Returns the sort rank of the schema's documents in a package.
    pub(super) fn rank(&self) -> u8 {
        self.row().rank
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
        let noun = schema.noun();
        match schema {
            Schema::Package => write!(formatter, "package {package:?}"),
            Schema::Other(schema) => write!(formatter, "the document of schema {schema:?} of package {package:?}"),
            schema if schema.has_names() => write!(formatter, "{noun} {name:?} of package {package:?}"),
            _ => write!(formatter, "the {noun} of package {package:?}"),
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
