//! Replacing all documents of a package at once, for example with those of a template.

use super::{CatalogEditError, Editor};
use crate::catalog::file_based::Schema;
use crate::catalog::file_based::draft::Revised;
use serde_json::Value;

/// A document that the package contains after the change.
#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    /// A new document, which replaces any existing document with the same schema and name.
    Document(Value),
    /// The existing bundle with this image.
    Bundle {
        /// The image.
        image: String,
    },
}

impl Editor {
    /// Sets the documents of a package, and removes all others. Existing documents keep their positions. Returns the
    /// removed documents, each with its schema and name.
    ///
    /// # Errors
    /// Returns an error if two documents have the same subject, a document cannot be read, or the form of a document
    /// does not allow the change.
    pub fn set_documents(
        &mut self,
        package: &str,
        wanted: Vec<Wanted>,
    ) -> Result<Vec<(Schema, String)>, CatalogEditError> {
        let documents = self.documents(package)?;
        let mut taken = vec![false; documents.values.len()];
        let mut revised = Vec::new();
        for wanted in wanted {
            let mut free = documents.values.iter().enumerate().filter(|(place, _)| !taken[*place]);
            let found = match &wanted {
                Wanted::Document(wanted) => {
                    // A document of an unknown schema has no identifying name, so it matches only an equal document.
                    let exact = free.clone().find(|(_, value)| *value == wanted);
                    exact.or_else(|| free.find(|(_, value)| is_same(value, wanted)))
                }
                Wanted::Bundle { image } => {
                    free.find(|(_, value)| value["schema"] == Schema::Bundle.name() && value["image"] == **image)
                }
            };
            let place = found.map(|(place, _)| place);
            if let Some(taken) = place.and_then(|place| taken.get_mut(place)) {
                *taken = true;
            }
            match (place, wanted) {
                (Some(place), Wanted::Document(value)) => revised.push(Revised::Changed(place, value)),
                (Some(place), Wanted::Bundle { .. }) => revised.push(Revised::Kept(place)),
                (None, Wanted::Document(value)) => revised.push(Revised::New(value)),
                (None, Wanted::Bundle { .. }) => {}
            }
        }
        let leaving = documents.values.iter().zip(&taken).filter(|(_, taken)| !**taken);
        let text = |value: &Value, field: &str| value[field].as_str().unwrap_or_default().to_owned();
        let leaving = leaving.map(|(value, _)| (Schema::from(text(value, "schema")), text(value, "name")));
        let leaving = leaving.collect();
        self.revise(&documents, revised)?;
        Ok(leaving)
    }

    /// Returns the whole document of a bundle, or `None` if the package does not contain the bundle.
    ///
    /// # Errors
    /// Returns an error if two documents have the same subject, or one of them cannot be read.
    pub fn bundle_of(&self, package: &str, name: &str) -> Result<Option<Value>, CatalogEditError> {
        let documents = self.documents(package)?;
        self.bundle_document(&documents, name)
    }
}

/// Returns whether two documents of one package have the same subject.
pub(crate) fn is_same(one: &Value, other: &Value) -> bool {
    let schema = Schema::from(one["schema"].as_str().unwrap_or_default());
    schema.is_unique() && one["schema"] == other["schema"] && (!schema.has_names() || one["name"] == other["name"])
}
