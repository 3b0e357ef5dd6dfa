//! The CSV under construction, with the origin of every value.

use crate::source::Place;
use crate::text::{Document, Path, Step};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// How a value of the CSV follows from the place that it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// The value at the place, unchanged, with everything below it.
    Copied,
    /// It contains or follows from the text at the place; says how.
    Derived(&'static str),
}

/// Where a value of the CSV came from.
#[derive(Debug, Clone)]
pub struct Origin {
    document: Document,
    path: Path,
    /// The object, as `Kind/name`, or `metadata/olm.yaml`.
    pub object: String,
    /// How the value follows from the place.
    pub relation: Relation,
}

impl Origin {
    /// The value of `path` in an object.
    pub(super) fn object(object: &crate::manifest::Object, path: &Path) -> Self {
        let (document, root) = object.document();
        Self {
            document: document.clone(),
            path: root.join(path),
            object: object.label(),
            relation: Relation::Copied,
        }
    }

    /// The value of `path` in `metadata/olm.yaml`.
    pub(super) fn olm(olm: crate::bundle::olm_yaml::Olm<'_>, path: &Path) -> Self {
        Self {
            document: olm.document().clone(),
            path: path.clone(),
            object: crate::bundle::OLM_YAML.to_owned(),
            relation: Relation::Copied,
        }
    }

    /// The same place, with a word on how the value follows from it.
    pub(super) fn derived(mut self, how: &'static str) -> Self {
        self.relation = Relation::Derived(how);
        self
    }

    /// The place in the author's file.
    pub fn place(&self) -> Place {
        self.document.place(&self.path)
    }

    /// The value at the place, read from the author's document.
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

/// A string of the CSV and where it came from.
pub(super) type Sourced = (String, Vec<Origin>);

/// The origins of a CSV's values, by path.
#[derive(Debug, Clone, Default)]
pub struct Provenance {
    entries: BTreeMap<Path, Vec<Origin>>,
}

impl Provenance {
    /// Every recorded path with its origins; a copied value stands for everything below it.
    pub fn iter(&self) -> impl Iterator<Item = (&Path, &[Origin])> {
        self.entries.iter().map(|(path, origins)| (path, origins.as_slice()))
    }

    /// Where the value at `path` of the CSV came from: by its own record, or inside the nearest copied ancestor's.
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

    /// The author's place behind the value at `path` of the CSV.
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

    /// Writes a value that every CSV has.
    pub(super) fn constant(&mut self, path: &Path, value: impl Into<Value>) {
        set(&mut self.csv, path.steps(), value.into());
    }

    /// Writes a value with its origins, the first of which is the one that findings point at.
    pub(super) fn put(&mut self, path: &Path, value: impl Into<Value>, origins: impl IntoIterator<Item = Origin>) {
        set(&mut self.csv, path.steps(), value.into());
        self.provenance
            .entries
            .insert(path.clone(), origins.into_iter().collect());
    }

    /// Writes the value that stands at `origin`.
    pub(super) fn copy(&mut self, path: &Path, origin: Origin) {
        let value = origin.value().cloned().unwrap_or(Value::Null);
        self.put(path, value, [origin]);
    }

    /// What has been written at `path` so far.
    pub(super) fn get(&self, path: &Path) -> Option<&Value> {
        path.get(&self.csv)
    }

    /// The author's place behind what has been written at `path` so far.
    pub(super) fn place(&self, path: &Path) -> Option<Place> {
        self.provenance.place(path)
    }

    /// The CSV with all keys sorted.
    pub(super) fn finish(mut self) -> (Value, Provenance) {
        self.csv.sort_all_objects();
        (self.csv, self.provenance)
    }
}

/// Puts `value` at `steps`, making maps and list items on the way. Lists grow at their end only.
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
            map.entry(key.as_str()).or_insert(Value::Null)
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
