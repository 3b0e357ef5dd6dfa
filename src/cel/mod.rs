//! Rules in the Common Expression Language as OLM compiles them: with the single variable `properties`, the functions
//! of the language and `semver_compare`, and a boolean result.
//!
//! [`check`] reports the first problem with a rule, and [`Rule`] evaluates a valid rule. Both have limits: rules that
//! are unreasonably long or deeply nested are rejected, and the maximum cost of an evaluation is deducted from a
//! [`Budget`] in advance.

mod check;
mod cost;
mod evaluate;
mod functions;
mod parts;
mod patterns;
mod stack;
mod types;

pub use check::{Problem, ProblemKind, check};
pub use evaluate::{Budget, Rule};
