//! The CSV of a `k8s+v1` bundle as the validators see it, with the places of its values in the author's files.

use super::stages::Finding;
use crate::bundle::Bundle;
use crate::manifest::Manifests;
use crate::source::Place;
use crate::synthesis::{Fate, Provenance, Synthesis};
use crate::text::{Document, Path};
use serde_json::Value;

/// The name of the virtual file. Findings never show this name.
const FILE: &str = "the synthesized ClusterServiceVersion";

/// Rules about values that the synthesis itself sets, or that it has already checked and reported at more precise
/// places.
const SETTLED: &[&str] = &[
    "bundle-crd-duplicate",
    "bundle-crd-not-owned",
    "bundle-serviceaccount-clash",
    "bundle-size-exceeded",
    "bundle-size-near-limit",
    "bundle-size-unknown",
];

/// A synthesized CSV, in the form of the bundle that an index stores.
pub(super) struct Synthesized<'a> {
    bundle: Bundle,
    document: Document,
    provenance: &'a Provenance,
    synthesis: &'a Synthesis,
}

impl<'a> Synthesized<'a> {
    /// Creates the bundle from the CSV and the objects that are shipped alongside it.
    pub(super) fn new(bundle: &Bundle, csv: &Value, synthesis: &'a Synthesis) -> Option<Self> {
        let mut manifests = Manifests::default();
        manifests.read_value(FILE, csv.clone());
        let object = manifests.objects.pop()?;
        let document = object.document().0.clone();
        let kept = synthesis
            .outcomes
            .iter()
            .filter(|outcome| matches!(outcome.fate, Fate::Kept(_)))
            .map(|outcome| outcome.object.clone());
        Some(Self {
            bundle: Bundle {
                objects: std::iter::once(object).chain(kept).collect(),
                ..bundle.clone()
            },
            document,
            provenance: &synthesis.provenance,
            synthesis,
        })
    }

    /// Returns the bundle.
    pub(super) fn bundle(&self) -> &Bundle {
        &self.bundle
    }

    /// Moves the finding to the place where the value comes from. Returns `None` if the synthesis has already reported
    /// the finding.
    pub(super) fn at_its_source(&self, mut finding: Finding) -> Option<Finding> {
        let diagnostic = &mut finding.diagnostic;
        if SETTLED.contains(&diagnostic.rule.id) {
            return None;
        }
        // The synthesized CSV is not a file, so its values can be fixed only in the author's files.
        diagnostic.edits.retain(|edit| edit.place.source.name() != FILE);
        diagnostic.place = diagnostic.place.take().and_then(|place| self.source_of(place));
        let related = std::mem::take(&mut diagnostic.related).into_iter();
        diagnostic.related = related
            .filter_map(|(place, label)| Some((self.source_of(place)?, label)))
            .collect();
        let said = self.synthesis.diagnostics.iter().any(|earlier| {
            earlier.rule == diagnostic.rule
                && match (&earlier.place, &diagnostic.place) {
                    (Some(earlier), Some(place)) => earlier.source.name() == place.source.name(),
                    _ => true,
                }
        });
        (!said).then_some(finding)
    }

    fn source_of(&self, place: Place) -> Option<Place> {
        if place.source.name() != FILE {
            return Some(place);
        }
        let path = self.path_at(&place);
        let origin = self.provenance.origin(&path).or_else(|| {
            // A value that was assembled from several values has the place of the first of them.
            let below = |found: &&Path| path.steps().len() > 1 && found.steps().starts_with(path.steps());
            let found = self.provenance.iter().map(|(found, _)| found).find(below)?;
            self.provenance.origin(found)
        });
        if let Some(origin) = origin {
            return Some(origin.place());
        }
        // No part of the value exists, so the author's file lacks the value.
        let olm = self.bundle.olm.as_ref()?;
        Some(Place::new(olm.source(), 0..0))
    }

    /// Returns the path of the smallest value whose text or key contains the place.
    fn path_at(&self, place: &Place) -> Path {
        let mut path = Path::root();
        let mut value = self.document.value();
        loop {
            let below: Vec<(Path, &Value)> = match value {
                Value::Object(map) => map.iter().map(|(key, value)| (path.key(key), value)).collect(),
                Value::Array(list) => list
                    .iter()
                    .enumerate()
                    .map(|(index, value)| (path.index(index), value))
                    .collect(),
                _ => return path,
            };
            let holds = |outer: &Place| outer.span.start <= place.span.start && place.span.end <= outer.span.end;
            let next = below
                .into_iter()
                .find(|(path, _)| holds(&self.document.place(path)) || holds(&self.document.key_place(path)));
            match next {
                Some((below, inner)) => (path, value) = (below, inner),
                None => return path,
            }
        }
    }
}
