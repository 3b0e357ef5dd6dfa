//! Values that the API server rejects, on small changes to valid bundles.

mod objects;
mod pods;
