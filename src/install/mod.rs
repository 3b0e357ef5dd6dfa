//! What OLM would do with a bundle: the steps of its InstallPlan.
//!
//! [`content`] is what OLM sees of a bundle, whichever media type it has. [`steps`] are made of it.

pub mod content;
mod csv_manifest;
mod generated_rbac;
pub mod optional;
pub mod steps;
