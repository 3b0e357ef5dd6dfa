//! What opmx promises to whoever runs it beside strangers: hostile registries, images, catalogs, databases and clients,
//! kills at any moment, full disks, and other pipelines that change the same index.

#![allow(clippy::print_stdout)]
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

#[path = "../common/mod.rs"]
mod common;

#[path = "../durability/bundles.rs"]
#[expect(dead_code, reason = "not all that it offers is used here")]
mod bundles;
#[path = "../durability/chance.rs"]
mod chance;
mod command;
mod full_disks;
mod kills;
mod many_files;
#[path = "../durability/state.rs"]
#[expect(dead_code, reason = "not all that it offers is used here")]
mod state;
mod writing;
