//! What opmx promises to whoever runs it beside strangers: hostile registries, images, catalogs, databases and clients,
//! kills at any moment, full disks, and other pipelines that change the same index.

#![allow(clippy::print_stdout)]
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

#[path = "../common/mod.rs"]
#[allow(dead_code, reason = "not all that it offers is used here")]
mod common;
#[cfg(target_os = "linux")]
#[path = "../common/served.rs"]
mod served;

mod command;
#[cfg(target_os = "linux")]
mod hostile_clients;
#[cfg(target_os = "linux")]
mod http2;
#[cfg(target_os = "linux")]
mod silent_clients;
#[cfg(unix)]
mod system_limits;
