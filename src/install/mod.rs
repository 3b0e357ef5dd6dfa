//! What OLM would do with a bundle: the steps of the InstallPlan, their results on a cluster, and the required
//! permissions. This module also contains the combined view of an installed operator.
//!
//! [`content`] is a bundle as OLM reads it, whichever media type it has. [`crate::steps`] creates steps from it, and
//! [`install_plan`] a plan from the steps. [`apply`] determines the result of each step on a cluster that a file
//! describes. [`permissions`] determines the permissions that the installer needs and that the operator gets.
//! [`catalogs`] contains the opened catalogs of a what-if file, and [`named_catalog`] those that a request names.
//! [`resolve`] determines the bundles to install from them, and [`resolution_steps`] creates the steps for all these
//! bundles. [`plan`] combines these modules. `upgrade` determines the installed version that a bundle replaces.
//! [`operator`] collects the objects of an operator in a cluster; [`hold`] determines the upgrades that its conditions
//! block, and [`waiting`] the update that is available for the operator. [`requests`] handles `Operator` and `Install`
//! resources.

pub mod api_error;
pub mod apis;
pub mod apply;
pub mod catalogs;
pub mod content;
mod deprecated;
pub mod existing;
pub(crate) mod handling;
pub mod hold;
pub mod install_plan;
pub mod named_catalog;
pub mod operator;
pub mod permissions;
pub mod plan;
pub mod requests;
pub mod resolution_steps;
pub mod resolve;
mod upgrade;
pub mod waiting;
