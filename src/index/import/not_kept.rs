//! The data of a file-based catalog that a database cannot represent.

use crate::catalog::graph::Difference;
use std::fmt;

/// Data of a catalog that is missing from the database made from the catalog.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotKept {
    /// The package; empty if the data belongs to no package.
    pub package: String,
    /// The missing part.
    pub part: Part,
}

/// A part of a catalog that a database cannot represent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The description of the package.
    Description,
    /// The icon of the package, if it differs from that of the head of its default channel.
    Icon,
    /// An edge or a position in a channel.
    Graph(Difference),
    /// The skip range of a channel entry, if the bundle is stored with a different range.
    SkipRange {
        /// The channel.
        channel: String,
        /// The bundle.
        bundle: String,
        /// The range of the entry; `None` if it has none.
        range: Option<String>,
        /// The range that is stored with the bundle.
        stored: Option<String>,
    },
    /// The names of related images that are missing from the ClusterServiceVersion.
    ImageNames {
        /// The bundle.
        bundle: String,
        /// The images.
        images: Vec<String>,
    },
    /// A field of `olm.csv.metadata` that is missing from the ClusterServiceVersion.
    Metadata {
        /// The bundle.
        bundle: String,
        /// The field.
        field: String,
    },
    /// A deprecation, with its message.
    Deprecation {
        /// The schema of the deprecated item.
        schema: String,
        /// The name of the deprecated item; empty for the package.
        name: String,
    },
    /// A field that is not defined in the schema.
    Field {
        /// The schema of the document.
        schema: String,
        /// The name of the document.
        name: String,
        /// The field.
        field: String,
    },
    /// A document whose schema a database cannot represent.
    Document {
        /// The schema.
        schema: String,
        /// The name of the document; may be empty.
        name: String,
    },
}

impl fmt::Display for NotKept {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.package.is_empty() {
            write!(formatter, "package {}: ", self.package)?;
        }
        self.part.fmt(formatter)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Description => write!(formatter, "a database has no field for the description of a package"),
            Self::Icon => write!(
                formatter,
                "a database contains only the icon of the head of the default channel, but the package has a \
                different icon"
            ),
            Self::Graph(Difference::Skips {
                channel,
                bundle,
                replaced,
            }) => write!(
                formatter,
                "in channel {channel}, {bundle} skips {replaced} instead of replacing it because one of the bundles is \
                not on the path from the head"
            ),
            Self::Graph(Difference::Joins { channel, bundle }) => write!(
                formatter,
                "in a database, {bundle} also belongs to channel {channel} because a bundle in this channel replaces \
                or skips it"
            ),
            Self::SkipRange {
                channel,
                bundle,
                range,
                stored,
            } => {
                let shown = |range: &Option<String>| range.clone().unwrap_or_else(|| "nothing".to_owned());
                write!(
                    formatter,
                    "a database stores one skipRange of {bundle} for all channels, so its skipRange in channel \
                    {channel} changes from {} to {}",
                    shown(range),
                    shown(stored)
                )
            }
            Self::ImageNames { bundle, images } if images.len() == 1 => write!(
                formatter,
                "the name of 1 related image of {bundle}, because its ClusterServiceVersion does not contain it"
            ),
            Self::ImageNames { bundle, images } => write!(
                formatter,
                "the names of {} related images of {bundle}, because its ClusterServiceVersion does not contain them",
                images.len()
            ),
            Self::Metadata { bundle, field } => write!(
                formatter,
                "the field {field} in the olm.csv.metadata of {bundle}, because its ClusterServiceVersion does not \
                contain it"
            ),
            Self::Deprecation { schema, name } => {
                let name = if name.is_empty() {
                    name.clone()
                } else {
                    format!(" {name}")
                };
                write!(formatter, "a database cannot mark {schema}{name} as deprecated")
            }
            Self::Field { schema, name, field } => {
                write!(formatter, "the field {field} of {schema} {name}")
            }
            Self::Document { schema, name } => {
                let name = if name.is_empty() {
                    name.clone()
                } else {
                    format!(" {name}")
                };
                write!(formatter, "the document {schema}{name}")
            }
        }
    }
}
