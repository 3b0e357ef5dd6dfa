//! What opmx promises to whoever runs it beside strangers: hostile registries, images, catalogs, databases and clients,
//! kills at any moment, full disks, and other pipelines that change the same index.

#![allow(clippy::print_stdout)]
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

#[path = "../durability/bundles.rs"]
#[expect(dead_code, reason = "not all that it offers is used here")]
mod bundles;
#[path = "../registry/certificate.rs"]
mod certificate;
#[path = "../common/mod.rs"]
#[expect(dead_code, reason = "not all that it offers is used here")]
mod common;
#[path = "../registry/http.rs"]
mod http;
#[path = "../registry/tools.rs"]
#[expect(dead_code, reason = "not all that it offers is used here")]
mod tools;

mod cache;
mod budgets;
mod command;
mod indexes;
mod leftovers;
mod login;
mod memory;
mod modes;
mod realms;
mod slowness;
mod special_files;
mod two_writers;
mod names;
mod output;
mod visible_text;
