//! A cluster as files say it is.
//!
//! [`objects`] takes the objects out of dumps, [`conditions`] tells whether operators allow their upgrade, and [`labels`]
//! which objects belong to an operator.

pub mod conditions;
pub mod labels;
pub mod objects;
