//! What OLM would do with a bundle: the steps of its InstallPlan, how they end on a cluster, and the permissions that
//! all of it needs; and what it makes of an operator that is installed.
//!
//! [`content`] is what OLM sees of a bundle, whichever media type it has. [`steps`] are made of it, and a
//! [`plan`] of steps. [`apply`] tells how each step ends on a cluster that a file describes, and [`permissions`] what
//! somebody has to hold who installs it. [`catalogs`] are those of a what-if file, [`resolve`] tells what is
//! installed from them, and [`resolved`] makes the steps of all of it. [`planned`] puts all this together. [`operator`] puts together what there is of an operator on a cluster, and
//! [`requests`] is what `Operator` and `Install` resources ask for.

pub mod apis;
pub mod apply;
pub mod catalogs;
pub mod content;
mod csv_manifest;
mod generated_rbac;
pub mod handling;
pub mod operator;
pub mod optional;
pub mod permissions;
pub mod plan;
pub mod planned;
pub mod refusal;
pub mod requests;
pub mod resolve;
pub mod resolved;
pub mod steps;
