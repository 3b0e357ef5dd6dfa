//! Rules in the Common Expression Language, as OLM compiles them: one variable, `properties`, the functions of the
//! language and `semver_compare`, and a result that is true or false.
//!
//! [`check`] says what is wrong with a rule, and [`Rule`] evaluates one that is sound. Both are bounded: rules that are
//! longer or deeper than any real one are refused, and what an evaluation may cost is taken from a [`Budget`] before.

mod check;
mod evaluate;
mod pattern;

pub use check::{Problem, check};
pub use evaluate::{Budget, Rule};
