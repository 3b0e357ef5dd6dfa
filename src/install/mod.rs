//! What OLM would do with a bundle: the steps of its InstallPlan, how they end on a cluster, and the permissions that
//! all of it needs; and what it makes of an operator that is installed.
//!
//! [`content`] is a bundle as OLM sees it, whichever media type it has, [`crate::steps`] are made of it, and an
//! [`install_plan`] of steps. [`apply`] tells how each step ends on a cluster that a file describes, and
//! [`permissions`] what somebody has to hold who installs it, and what its operator holds then. [`catalogs`] are those
//! of a what-if file, [`resolve`] tells what is installed from them, and [`resolution_steps`] makes the steps of all of
//! it. [`plan`] puts all this together. [`operator`] puts together what there is of an operator on a cluster; [`hold`]
//! tells which upgrades its conditions hold back, and [`waiting`] which update waits for it. [`requests`] is what
//! `Operator` and `Install` resources ask for.

pub mod apis;
pub mod apply;
pub mod catalogs;
pub mod content;
pub mod existing;
pub(crate) mod handling;
pub mod hold;
pub mod install_plan;
pub mod namespaces;
pub mod operator;
pub mod permissions;
pub mod plan;
pub mod refusal;
pub mod requests;
pub mod resolution_steps;
pub mod resolve;
pub mod waiting;
