//! All documents of a package at once, as a template gives them.

use super::{CatalogEditError, Editor};
use crate::catalog::file_based::Schema;
use crate::catalog::file_based::draft::Revised;
use serde_json::Value;

/// A document that a package is to have.
#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    /// This one, in the place of the one with its schema and name.
    Document(Value),
    /// The bundle that it has with this image.
    Bundle {
        /// The image.
        image: String,
    },
}

impl Editor {
    /// Gives a package these documents and no others. What it has already stays as it is. Gives the documents that go,
    /// each with its schema and name.
    ///
    /// # Errors
    /// When two documents are the same, one cannot be read, or the form of one does not allow the change.
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
                    // Of documents of other schemas there may be several.
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

    /// The whole document of a bundle of a package; none where it does not have it.
    ///
    /// # Errors
    /// When two documents are the same, or one cannot be read.
    pub fn bundle_of(&self, package: &str, name: &str) -> Result<Option<Value>, CatalogEditError> {
        let documents = self.documents(package)?;
        self.bundle_document(&documents, name)
    }
}

/// Whether two documents stand for the same thing.
fn is_same(one: &Value, other: &Value) -> bool {
    let schema = one["schema"].as_str().unwrap_or_default();
    let known = !matches!(Schema::from(schema), Schema::Other(_));
    let has_name = !matches!(Schema::from(schema), Schema::Deprecations);
    known && one["schema"] == other["schema"] && (!has_name || one["name"] == other["name"])
}
