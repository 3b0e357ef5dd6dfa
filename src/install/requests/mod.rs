//! What `Operator` and `Install` resources ask for (proposal *simplify-olm-apis*).
//!
//! [`operators`] makes of Operators what a resolution looks at, [`installs`] of an Install the steps that it takes and
//! what they need. [`namespaces`] puts other namespaces into content, [`account`] tells who applies it, and [`labels`]
//! which labels it gets.

pub mod account;
pub mod installs;
pub mod labels;
pub mod namespaces;
pub mod operators;
