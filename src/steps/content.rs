//! A bundle as OLM reads it: its ClusterServiceVersion, its other objects, and its properties.

use crate::csv;
use crate::olm::dependency::{DependencyKind, Spelling};
use crate::olm::property::Property;
use crate::olm::releases::Olm;
use crate::text::canonical;
use serde_json::Value;

/// A bundle that is ready to be installed.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// The name of the bundle in its catalog.
    pub name: String,
    /// The package of the bundle.
    pub package: String,
    /// The ClusterServiceVersion.
    pub csv: Value,
    /// The other objects, in their original order.
    pub objects: Vec<Value>,
    /// The declared properties, as in a catalog, without those that contain manifests.
    pub properties: Vec<Property>,
    /// The properties that the catalog serves, if it embeds the manifests. OLM then writes only these into the
    /// ClusterServiceVersion; a database serves no properties that describe dependencies.
    pub served: Option<Vec<Property>>,
}

impl Content {
    /// Creates a bundle from these objects, without properties. As in OLM, values without a kind are ignored, and the
    /// first of several ClusterServiceVersions is used. Returns `None` if there is no ClusterServiceVersion.
    pub fn of_objects(name: &str, all: impl IntoIterator<Item = Value>) -> Option<Self> {
        let (mut csv, mut objects) = (None, Vec::new());
        for object in all {
            match object.get("kind").and_then(Value::as_str) {
                None => {}
                Some(csv::KIND) => csv = csv.or(Some(object)),
                Some(_) => objects.push(object),
            }
        }
        Some(Self {
            name: name.to_owned(),
            package: String::new(),
            csv: csv?,
            objects,
            properties: Vec::new(),
            served: None,
        })
    }

    /// Returns the problem with the first dependency that `olm` cannot read, if any. OLM does not install a bundle with
    /// such a dependency.
    pub fn unreadable_need(&self, olm: &Olm) -> Option<String> {
        self.properties.iter().find_map(|Property { kind, value }| {
            let known = DependencyKind::of(kind, Spelling::Property)?;
            let text = canonical::to_string(value);
            let problem = known
                .read(value, text.len(), Spelling::Property)
                .by(olm)
                .usable()
                .err()?;
            Some(format!("its property of type {kind} is malformed: {problem}"))
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::csv::Csv;

    /// Returns a bundle with a ClusterServiceVersion and these other objects.
    pub(crate) fn content(csv: Value, objects: Vec<Value>) -> Content {
        let name = Csv(&csv).name().to_owned();
        Content {
            package: name.split('.').next().unwrap_or_default().to_owned(),
            name,
            csv,
            objects,
            properties: Vec::new(),
            served: None,
        }
    }
}
