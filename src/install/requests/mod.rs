//! `Operator` and `Install` resources (proposal *simplify-olm-apis*).
//!
//! [`operators`] turns Operators into input for a resolution, and [`installs`] determines the steps of an Install and
//! the permissions that they need. [`namespaces`] maps the namespaces in the content, [`account`] determines the
//! account that applies the content, and [`labels`] determines the labels of the installed objects.

pub mod account;
pub mod installs;
pub mod labels;
pub mod namespaces;
pub mod operators;
