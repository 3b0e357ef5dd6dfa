//! The program as its users meet it: what it says, what it writes, how it ends.

#![allow(clippy::print_stdout)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../shared/mod.rs"]
mod shared;

mod generated;
mod help;
mod process;
mod serving;
