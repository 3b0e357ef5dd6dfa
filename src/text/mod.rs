//! Reads and writes YAML and JSON as Kubernetes tools and Go do, with a place for every value.
//!
//! [`read`] returns the [`Document`]s of a file and the findings about it. YAML is read as `sigs.k8s.io/yaml` reads it:
//! as YAML 1.1, in which `yes` and `on` are booleans and `010` is eight. Merge keys are supported, dates are not, and
//! keys are always strings. Documents are split at `---` lines before parsing. [`to_yaml`] writes only text that reads
//! back as the same value. [`to_json`] writes JSON for people, and [`canonical`] writes the JSON of index databases.

mod block;
pub mod canonical;
mod count;
mod decoded;
mod digits;
mod document;
mod emit;
mod events;
mod hints;
mod json;
mod limits;
mod load;
mod number;
mod passage;
mod path;
mod places;
mod read;
mod reflow;
mod resolve;
mod revise;
mod scalar;
pub(crate) mod source_edit;
mod split;
mod values;

pub(crate) use count::excess;
pub(crate) use digits::to_yaml_with_digits;
pub use document::{Document, Format};
pub use emit::{to_json, to_yaml};
pub(crate) use json::{Unfit, fault, unfit};
pub use limits::Limits;
pub(crate) use number::as_string;
pub use path::{Path, Step};
pub(crate) use read::{Anchors, read_part, read_source};
pub use read::{Reading, read};
pub(crate) use reflow::reflow;
pub(crate) use revise::revision;
pub use revise::{ReviseError, revise};
pub(crate) use scalar::short_value;
pub(crate) use values::{Refusal, Seed, Values};

/// Describes the type of a value, for a sentence such as "spec.version is a number, not a string".
pub(crate) fn kind_of(value: &serde_json::Value) -> &'static str {
    use serde_json::Value;
    match value {
        Value::Null => "empty",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}

#[cfg(test)]
pub(crate) mod tests;
