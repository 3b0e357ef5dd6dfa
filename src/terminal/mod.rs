//! The visible output: findings with their source lines, tables, progress bars, and the two output streams.
//!
//! The result of a command goes to standard output, everything else to standard error. Color is never required to
//! understand the output. The [`Printer`] itself escapes invisible characters in untrusted text; see `visible`.

pub mod advice;
pub mod conditions;
pub mod findings;
pub mod graph_change;
pub mod index_difference;
pub mod log;
pub mod operator_view;
pub mod output;
pub mod permissions;
pub mod progress;
pub mod reports;
pub mod resolution;
pub mod shell;
pub mod stdout;
pub mod table;

pub(crate) use crate::counted::counted;
pub use output::{Format, Printer};
