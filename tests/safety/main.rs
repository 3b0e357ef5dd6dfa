//! Security and durability: hostile registries, images, catalogs, databases and clients, kills at any moment, full
//! disks, and other pipelines that change the same index.

#![allow(clippy::print_stdout)]
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

#[path = "../registry/certificate.rs"]
mod certificate;
#[path = "../common/mod.rs"]
mod common;
#[path = "../registry/http.rs"]
mod http;
#[path = "../common/noise.rs"]
#[expect(dead_code, reason = "not all that it offers is used here")]
mod noise;
#[cfg(target_os = "linux")]
#[path = "../common/served.rs"]
mod served;
#[path = "../registry/tools.rs"]
#[expect(dead_code, reason = "not all that it offers is used here")]
mod tools;

mod budgets;
mod bundles;
mod cache;
mod chance;
mod command;
mod databases;
mod full_disks;
#[cfg(target_os = "linux")]
mod hostile_clients;
mod hostile_database;
#[cfg(target_os = "linux")]
mod http2;
mod indexes;
mod kills;
mod leftovers;
mod limits;
mod login;
mod many_files;
mod memory;
mod modes;
mod names;
mod output;
mod papers;
mod readers;
mod realms;
#[cfg(target_os = "linux")]
mod silent_clients;
#[cfg(target_os = "linux")]
mod slow_clients;
mod slowness;
mod special_files;
mod state;
#[cfg(unix)]
mod system_limits;
mod two_writers;
mod visible_text;
mod workshop;
mod writing;
