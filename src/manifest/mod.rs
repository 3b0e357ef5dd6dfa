//! Kubernetes objects read from documents.
//!
//! An object keeps its source document, with the values and their places, and is written as it was read.

mod object;
mod read;

pub use object::Object;
pub(crate) use object::of_kind;
pub use read::{Layout, Manifests, files, read};
pub(crate) use read::{has_manifest_extension, is_list, items};
