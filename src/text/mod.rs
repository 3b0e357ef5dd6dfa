//! Reading and writing YAML and JSON as Kubernetes tools and Go do, with a place for every value.
//!
//! [`read`] gives the [`Document`]s of a file and what is wrong with it. YAML is read as `sigs.k8s.io/yaml` reads it:
//! YAML 1.1 where `yes` and `on` are booleans and `010` is eight, merge keys, no dates, keys always strings, documents
//! cut at lines `---` before anything is parsed. [`to_yaml`] writes only what reads back as the same value, [`to_json`]
//! is for people, and [`canonical`] is the JSON that index databases hold.

mod block;
pub mod canonical;
mod count;
mod decoded;
mod document;
mod emit;
mod events;
mod hints;
mod json;
mod limits;
mod load;
pub(crate) mod mend;
mod number;
mod passage;
mod path;
mod places;
mod read;
mod reflow;
mod resolve;
mod revise;
mod scalar;
mod split;
mod values;

pub(crate) use count::excess;
pub use document::{Document, Format};
pub use emit::{to_json, to_yaml};
pub use limits::Limits;
pub(crate) use number::as_string;
pub use path::{Path, Step};
pub(crate) use read::{Anchors, read_part, read_source};
pub use read::{Reading, read};
pub(crate) use reflow::reflow;
pub use revise::{ReviseError, revise};
pub(crate) use values::{Refusal, Seed, Values};

/// What a value is, for a sentence such as "spec.version is a number, not a string".
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
