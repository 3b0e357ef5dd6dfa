//! The program as its users meet it: what it says, what it writes, how it ends.

#![allow(clippy::print_stdout)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../shared/mod.rs"]
mod shared;

mod bad_input;
mod bundle_build;
mod bundle_files;
mod bundle_generate;
mod bundle_init;
mod bundle_inspect;
mod bundle_synthesize;
mod bundle_unpack;
mod generated;
mod help;
mod process;
mod readme;
mod serving;
