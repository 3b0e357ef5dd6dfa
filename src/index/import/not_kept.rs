//! What an index cannot hold of a file-based catalog.

use crate::catalog::graph::Difference;
use std::fmt;

/// Something of a catalog that is not in the index that was made of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotKept {
    /// The package; empty for what belongs to none.
    pub package: String,
    /// What of it.
    pub part: Part,
}

/// A part of a package.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The description of the package.
    Description,
    /// The icon of the package, where it is not that of the head of its default channel.
    Icon,
    /// An edge or a place in a channel.
    Graph(Difference),
    /// The range that an entry of a channel skips, where the bundle is stored with another one.
    SkipRange {
        /// The channel.
        channel: String,
        /// The bundle.
        bundle: String,
        /// The range; none where the entry has none.
        range: Option<String>,
        /// That with which the bundle is stored.
        stored: Option<String>,
    },
    /// The names of related images that the ClusterServiceVersion does not name.
    ImageNames {
        /// The bundle.
        bundle: String,
        /// The images.
        images: Vec<String>,
    },
    /// That something is deprecated, with the message.
    Deprecation {
        /// Its schema.
        schema: String,
        /// Its name; empty for the package.
        name: String,
    },
    /// A field that the schema does not know.
    Field {
        /// The schema of the document.
        schema: String,
        /// The name of the document.
        name: String,
        /// The field.
        field: String,
    },
    /// A document of another schema.
    Document {
        /// The schema.
        schema: String,
        /// The name; may be empty.
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
            Self::Description => write!(formatter, "an index has no place for the description of a package"),
            Self::Icon => write!(
                formatter,
                "an index has no icon of a package but that of the head of its default channel, which is another"
            ),
            Self::Graph(Difference::Skips {
                channel,
                bundle,
                replaced,
            }) => write!(
                formatter,
                "in channel {channel} {bundle} skips {replaced} instead of replacing it: one of them is not on the way \
                 from the head"
            ),
            Self::Graph(Difference::Joins { channel, bundle }) => write!(
                formatter,
                "{bundle} joins channel {channel}, in which it is replaced or skipped"
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
                    "the skipRange of {bundle} is that of one channel for all: in {channel} it was {}, and is {}",
                    shown(range),
                    shown(stored)
                )
            }
            Self::ImageNames { bundle, images } => write!(
                formatter,
                "the names of {} related images of {bundle}, which its ClusterServiceVersion does not name",
                images.len()
            ),
            Self::Deprecation { schema, name } => {
                let name = if name.is_empty() {
                    name.clone()
                } else {
                    format!(" {name}")
                };
                write!(formatter, "an index cannot say that {schema}{name} is deprecated")
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
