//! From documents to Kubernetes objects.
//!
//! An object keeps the document that it came from, value and places, and is written out as it came in.

mod object;
mod read;

pub use object::Object;
pub(crate) use read::has_manifest_extension;
pub use read::{Layout, Manifests, files, read};
