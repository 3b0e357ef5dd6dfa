//! Images in registries: real ones, checked with independent programs, and ones that fail in every way.

#![allow(clippy::unwrap_used, reason = "a test fails by it")]

#[path = "../common/noise.rs"]
#[expect(dead_code, reason = "not all that it offers is used here")]
mod noise;

mod certificate;
mod extras;
mod faults;
mod http;
mod index_images;
mod mirror;
mod pin;
mod pipeline;
mod platforms;
mod policy;
mod programs;
mod tools;
