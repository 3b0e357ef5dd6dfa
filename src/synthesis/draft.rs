//! The CSV under construction, with the origin of every value.

use crate::source::Place;
use crate::text::{Document, Path, Step};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The relation between a value of the CSV and its origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// The value at the origin, unchanged, with all nested values.
    Copied,
    /// A value that contains or follows from the text at the origin; the string explains how.
    Derived(&'static str),
}

/// The origin of a value in the CSV.
#[derive(Debug, Clone)]
pub struct Origin {
    document: Document,
    path: Path,
    /// The object, as `Kind/name`, or `metadata/olm.yaml`.
    pub object: String,
    /// The relation between the value and the origin.
    pub relation: Relation,
}

impl Origin {
    /// Returns the origin at `path` in an object.
    pub(super) fn object(object: &crate::manifest::Object, path: &Path) -> Self {
        let (document, root) = object.document();
        Self {
            document: document.clone(),
            path: root.join(path),
            object: object.label(),
            relation: Relation::Copied,
        }
    }

    /// Returns the origin at `path` in `metadata/olm.yaml`.
    pub(super) fn olm(olm: crate::bundle::olm_yaml::Olm<'_>, path: &Path) -> Self {
        Self {
            document: olm.document().clone(),
            path: path.clone(),
            object: crate::bundle::OLM_YAML.to_owned(),
            relation: Relation::Copied,
        }
    }

    /// Returns the same origin, with a note that explains how the value follows from it.
    pub(super) fn derived(mut self, how: &'static str) -> Self {
        self.relation = Relation::Derived(how);
        self
    }

    /// Returns the place in the author's file.
    pub fn place(&self) -> Place {
        self.document.place(&self.path)
    }

    /// Returns the value in the author's document.
    pub fn value(&self) -> Option<&Value> {
        self.path.get(self.document.value())
    }

    fn below(&self, rest: &[Step]) -> Self {
        let mut origin = self.clone();
        for step in rest {
            origin.path = match step {
                Step::Key(key) => origin.path.key(key),
                Step::Index(index) => origin.path.index(*index),
            };
        }
        origin
    }
}

/// A string of the CSV with its origins.
pub(super) type Sourced = (String, Vec<Origin>);

/// The origins of a CSV's values, by path.
#[derive(Debug, Clone, Default)]
pub struct Provenance {
    entries: BTreeMap<Path, Vec<Origin>>,
}

impl Provenance {
    /// Returns every recorded path with its origins. A copied value includes all nested values.
    pub fn iter(&self) -> impl Iterator<Item = (&Path, &[Origin])> {
        self.entries.iter().map(|(path, origins)| (path, origins.as_slice()))
    }

    /// Returns the origin of the value at `path` in the CSV. Without a record for `path`, this is the origin of the
    /// nearest recorded ancestor.
    pub fn origin(&self, path: &Path) -> Option<Origin> {
        let steps = path.steps();
        (0..=steps.len()).rev().find_map(|length| {
            let ancestor: Path = steps[..length].iter().cloned().collect();
            let origin = self.entries.get(&ancestor)?.first()?;
            Some(match origin.relation {
                Relation::Copied => origin.below(&steps[length..]),
                Relation::Derived(_) => origin.clone(),
            })
        })
    }

    /// Returns the place in the author's file for the value at `path` in the CSV.
    pub fn place(&self, path: &Path) -> Option<Place> {
        self.origin(path).map(|origin| origin.place())
    }
}

/// The CSV under construction.
#[derive(Debug)]
pub(super) struct Draft {
    csv: Value,
    provenance: Provenance,
}

impl Draft {
    pub(super) fn new() -> Self {
        let csv = json!({"apiVersion": crate::csv::API_VERSION, "kind": crate::csv::KIND});
        Self {
            csv,
            provenance: Provenance::default(),
        }
    }

    /// Writes a value without an origin, such as a constant of every CSV.
    pub(super) fn constant(&mut self, path: &Path, value: impl Into<Value>) {
        set(&mut self.csv, path.steps(), value.into());
    }

    /// Writes a value with its origins; findings refer to the first origin.
    pub(super) fn put(&mut self, path: &Path, value: impl Into<Value>, origins: impl IntoIterator<Item = Origin>) {
        set(&mut self.csv, path.steps(), value.into());
        self.provenance
            .entries
            .insert(path.clone(), origins.into_iter().collect());
    }

    /// Copies the value at `origin`.
    pub(super) fn copy(&mut self, path: &Path, origin: Origin) {
        let value = origin.value().cloned().unwrap_or(Value::Null);
        self.put(path, value, [origin]);
    }

    /// Returns the value written at `path` so far.
    pub(super) fn get(&self, path: &Path) -> Option<&Value> {
        path.get(&self.csv)
    }

    /// Returns the place in the author's file for the value written at `path` so far.
    pub(super) fn place(&self, path: &Path) -> Option<Place> {
        self.provenance.place(path)
    }

    /// Returns the CSV with all keys sorted, and its provenance.
    pub(super) fn finish(mut self) -> (Value, Provenance) {
        self.csv.sort_all_objects();
        (self.csv, self.provenance)
    }
}

/// Sets `value` at `steps`, and creates missing maps and list items. Items are only appended to lists.
fn set(target: &mut Value, steps: &[Step], value: Value) {
    let Some((step, rest)) = steps.split_first() else {
        *target = value;
        return;
    };
    let next = match step {
        Step::Key(key) => {
            if !target.is_object() {
                *target = Value::Object(Map::new());
            }
            let Value::Object(map) = target else { return };
            map.entry(&**key).or_insert(Value::Null)
        }
        Step::Index(index) => {
            if !target.is_array() {
                *target = Value::Array(Vec::new());
            }
            let Value::Array(items) = target else { return };
            if items.len() <= *index {
                items.resize(*index + 1, Value::Null);
            }
            &mut items[*index]
        }
    };
    set(next, rest, value);
}
