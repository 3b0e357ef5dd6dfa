//! Basic templates: catalogs that specify only the image of each bundle.
//!
//! A bundle is identified by the field `name` of its entry, which `add` sets.

use super::{TemplateEditError, TemplateEditor, field};
use crate::catalog::file_based::Schema;
use crate::catalog::file_based::draft::{Draft, DraftError, NewBundle, Placement, Revised};
use crate::catalog::file_based::edit::CatalogEditError;
use crate::catalog::file_based::template::Kind;
use crate::shape::nearest;
use ::semver::Version;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A bundle to add to a template.
#[derive(Debug, Clone, PartialEq)]
pub struct TemplateBundle {
    /// The image reference or the folder, as written to the template.
    pub image: String,
    /// The bundle.
    pub bundle: NewBundle,
}

/// The documents of one package in a template.
struct Package {
    /// The documents of the entries, followed by one document for each bundle that a channel lists, but no entry names.
    documents: Vec<Value>,
    /// The positions of the entries from which the first documents were created, in the same order.
    places: Vec<usize>,
}

impl TemplateEditor {
    fn entries(&self) -> &[Value] {
        let entries = field(&self.value, "entries").and_then(|(_, entries)| entries.as_array());
        entries.map_or(&[], Vec::as_slice)
    }

    fn package(&self, package: &str) -> Package {
        let text = |entry: &Value, field: &str| entry.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let is_bundle = |entry: &Value| text(entry, "schema") == Schema::Bundle.name();
        let is_own = |entry: &Value| match Schema::from(text(entry, "schema")) {
            Schema::Package => text(entry, "name") == package,
            _ => text(entry, "package") == package,
        };
        let of_channel = |entry: &Value| -> Vec<String> {
            let entries = entry.get("entries").and_then(Value::as_array);
            entries.into_iter().flatten().map(|entry| text(entry, "name")).collect()
        };
        let channels = self
            .entries()
            .iter()
            .filter(|entry| is_own(entry) && text(entry, "schema") == Schema::Channel.name());
        let mut unnamed: BTreeSet<String> = channels.flat_map(of_channel).collect();
        let mut found = Package {
            documents: Vec::new(),
            places: Vec::new(),
        };
        for (place, entry) in self.entries().iter().enumerate() {
            if is_own(entry) || (is_bundle(entry) && unnamed.contains(&text(entry, "name"))) {
                found.places.push(place);
                found.documents.push(entry.clone());
                if is_bundle(entry) {
                    unnamed.remove(&text(entry, "name"));
                }
            }
        }
        let unnamed = unnamed
            .into_iter()
            .map(|name| json!({"schema": Schema::Bundle.name(), "name": name}));
        found.documents.extend(unnamed);
        found
    }

    /// Returns the names of the packages.
    fn packages(&self) -> BTreeSet<String> {
        let entries = self.entries().iter();
        let names = entries.filter_map(|entry| {
            let schema = entry.get("schema")?.as_str()?;
            let name = if schema == Schema::Package.name() {
                "name"
            } else {
                "package"
            };
            entry.get(name)?.as_str().map(str::to_owned)
        });
        names.collect()
    }

    /// Changes an existing package of a basic template. Only the names of its bundles are known.
    ///
    /// # Errors
    /// Returns an error if the package does not exist, `change` fails, or the entry of a removed bundle has no name.
    pub fn change<T>(
        &mut self,
        package: &str,
        change: impl FnOnce(&mut Draft) -> Result<T, DraftError>,
    ) -> Result<T, CatalogEditError> {
        self.require(Kind::Basic)?;
        let found = self.package(package);
        let packages = self.packages();
        if !packages.contains(package) {
            return Err(CatalogEditError::Package {
                folder: self.path.clone(),
                package: package.to_owned(),
                nearest: nearest(package, packages.iter().map(String::as_str)).map(str::to_owned),
            });
        }
        let mut draft = Draft::read(package, &found.documents)?;
        let changed = change(&mut draft)?;
        self.revise(&found, &draft)?;
        Ok(changed)
    }

    /// Adds bundles to a package of a basic template; the package may be new. `versions` contains the versions of the
    /// existing bundles, by name; they are needed if a bundle is placed by its version. Returns, for each bundle, the
    /// channels to which it was added, or in which its edges were replaced.
    ///
    /// # Errors
    /// Returns an error if a bundle does not fit into a channel, or already exists with an unknown image.
    pub fn add(
        &mut self,
        package: &str,
        bundles: &[TemplateBundle],
        placement: &Placement,
        versions: &BTreeMap<String, Version>,
    ) -> Result<Vec<Vec<String>>, CatalogEditError> {
        self.require(Kind::Basic)?;
        self.adds_published = true;
        let found = self.package(package);
        let mut draft = Draft::read(package, &found.documents)?;
        for bundle in &mut draft.bundles {
            bundle.version = versions.get(&bundle.name).cloned();
        }
        let mut documents: BTreeMap<String, Value> = BTreeMap::new();
        let mut added = Vec::with_capacity(bundles.len());
        for TemplateBundle { image, bundle } in bundles {
            let name = &bundle.entry.name;
            let document = json!({"schema": Schema::Bundle.name(), "image": image, "name": name});
            let new = NewBundle {
                document: document.clone(),
                ..bundle.clone()
            };
            let known = documents
                .get(name)
                .cloned()
                .or_else(|| self.known(name, image, &document));
            if known.is_none() && draft.bundle(name).is_some() {
                return Err(self.unnamed(vec![name.clone()]).into());
            }
            added.push(draft.add(&new, placement, known.as_ref())?);
            documents.insert(name.clone(), document);
        }
        draft.choose_default(bundles.iter().map(|added| &added.bundle), placement)?;
        self.revise(&found, &draft)?;
        Ok(added)
    }

    /// Returns the existing document of a bundle: `document` if an entry contains the image, otherwise the entry with
    /// the name. Returns `None` if no entry has the image or the name.
    fn known(&self, name: &str, image: &str, document: &Value) -> Option<Value> {
        let is = |entry: &&Value, field: &str, text: &str| entry.get(field).and_then(Value::as_str) == Some(text);
        let mut bundles = self
            .entries()
            .iter()
            .filter(|entry| is(entry, "schema", Schema::Bundle.name()));
        if bundles.clone().any(|entry| is(&entry, "image", image)) {
            return Some(document.clone());
        }
        bundles.find(|entry| is(entry, "name", name)).cloned()
    }

    fn unnamed(&self, bundles: Vec<String>) -> TemplateEditError {
        let text = |entry: &Value, field: &str| entry.get(field).and_then(Value::as_str).map(str::to_owned);
        let mut entries = self.entries().iter();
        let names = entries.any(|entry| {
            text(entry, "schema").is_some_and(|schema| schema == Schema::Bundle.name()) && text(entry, "name").is_some()
        });
        TemplateEditError::Unnamed {
            file: self.path.clone(),
            bundles,
            names,
        }
    }

    /// Writes the documents of a changed package to the template.
    fn revise(&mut self, found: &Package, draft: &Draft) -> Result<(), TemplateEditError> {
        let is_only = self.packages().len() == 1;
        let mut changed: BTreeMap<usize, Value> = BTreeMap::new();
        let mut new = Vec::new();
        for revised in draft.revise(&found.documents) {
            match revised {
                Revised::Kept(place) => {
                    let document = found.documents.get(place).cloned().unwrap_or_default();
                    changed.insert(place, document);
                }
                Revised::Changed(place, value) => drop(changed.insert(place, value)),
                Revised::New(value) => new.push(value),
            }
        }
        let real = found.places.len();
        // If the only package is removed, all bundles are removed.
        let all = draft.gone && is_only;
        let unnamed = found.documents.iter().enumerate().skip(real);
        let removed = unnamed.filter(|(place, _)| !all && !changed.contains_key(place));
        let removed = removed.filter_map(|(_, document)| document.get("name")?.as_str().map(str::to_owned));
        let removed: Vec<String> = removed.collect();
        if !removed.is_empty() {
            return Err(self.unnamed(removed));
        }
        let mut entries: Vec<Value> = Vec::new();
        for (place, entry) in self.entries().iter().enumerate() {
            let is_bundle = entry.get("schema").and_then(Value::as_str) == Some(Schema::Bundle.name());
            match found.places.iter().position(|known| *known == place) {
                Some(document) => entries.extend(changed.get(&document).cloned()),
                None if all && is_bundle => {}
                None => entries.push(entry.clone()),
            }
        }
        for value in new {
            let schema = value.get("schema").cloned();
            // The position after the last entry with the same schema.
            let last = entries.iter().rposition(|entry| entry.get("schema") == schema.as_ref());
            let place = last.map_or(entries.len(), |last| last + 1);
            entries.insert(place, value);
        }
        if entries != self.entries() {
            let key = field(&self.value, "entries").map_or_else(|| "entries".to_owned(), |(key, _)| key.clone());
            let value: Option<&mut Map<String, Value>> = self.value.as_object_mut();
            if let Some(value) = value {
                value.insert(key, entries.into());
            }
        }
        Ok(())
    }
}
