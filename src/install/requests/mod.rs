//! `Operator` and `Install` resources (proposal *simplify-olm-apis*).
//!
//! [`operators`] turns Operators into input for a resolution, and [`installs`] determines the steps of an Install and
//! their needs. [`namespaces`] maps the namespaces of content, [`account`] determines the account that applies it, and
//! [`labels`] the labels that it gets.

pub mod account;
pub mod installs;
pub mod labels;
pub mod namespaces;
pub mod operators;
