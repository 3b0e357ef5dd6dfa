//! The origins of the values in a synthesized CSV, as rows for a person or a program.

use super::draft::{Provenance, Relation};
use crate::text::short_value;
use serde::Serialize;
use serde_json::Value;

/// A value of the CSV with one of its origins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// Path in the CSV, such as `spec.install.spec.deployments[0].name`.
    pub field: String,
    /// The value, or the beginning of a long value.
    pub value: String,
    /// The object that contains the origin, as `Kind/name`, or `metadata/olm.yaml`.
    pub object: String,
    /// The file that contains the origin.
    pub file: String,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// `copied`, or an explanation of how the value follows from the origin.
    pub how: &'static str,
}

impl Provenance {
    /// Returns the rows for a CSV, in the order of its paths; a value with several origins has one row per origin.
    pub fn explain(&self, csv: &Value) -> Vec<Explanation> {
        let mut rows = Vec::new();
        for (path, origins) in self.iter() {
            let value = path.get(csv).map(short_value).unwrap_or_default();
            for origin in origins {
                let place = origin.place();
                let start = place.start();
                rows.push(Explanation {
                    field: path.to_string(),
                    value: value.clone(),
                    object: origin.object.clone(),
                    file: place.source.name().to_owned(),
                    line: start.line,
                    column: start.column,
                    how: match origin.relation {
                        Relation::Copied => "copied",
                        Relation::Derived(how) => how,
                    },
                });
            }
        }
        rows
    }
}
