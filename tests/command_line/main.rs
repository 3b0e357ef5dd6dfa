//! The program as its users meet it: what it says, what it writes, how it ends.

#[path = "../common/mod.rs"]
mod common;

mod generated;
mod help;
mod process;
