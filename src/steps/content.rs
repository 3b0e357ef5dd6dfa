//! What OLM sees of a bundle: its ClusterServiceVersion, the objects beside it, its properties.

use crate::csv;
use crate::olm::dependency::{DependencyKind, Spelling};
use crate::olm::property::Property;
use crate::olm::releases::Olm;
use crate::text::canonical;
use serde_json::Value;

/// A bundle, ready to be installed.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// The name of the bundle in its catalog.
    pub name: String,
    /// The package that it belongs to.
    pub package: String,
    /// The ClusterServiceVersion.
    pub csv: Value,
    /// The other objects, in their order.
    pub objects: Vec<Value>,
    /// What it declares and needs, as a catalog has it: without the properties that carry manifests.
    pub properties: Vec<Property>,
    /// Where the catalog holds the manifests itself, the properties that it serves. OLM then writes these alone into
    /// the ClusterServiceVersion; a database serves nothing among them of what the bundle needs.
    pub served: Option<Vec<Property>>,
}

impl Content {
    /// A bundle of these objects, with no properties. What has no kind is no object to OLM, and of several versions in
    /// one bundle the first one counts. `None` where there is no version.
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

    /// What is wrong with the first thing that it needs and that this OLM cannot read: it does not install such a
    /// bundle.
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

    /// A bundle of a version with these objects beside it.
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
