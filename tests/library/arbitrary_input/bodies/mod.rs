//! What must hold for any input, by subject: written once, for the property tests and the fuzz targets.
//!
//! A body takes bytes or strings and panics if something does not hold. Most subjects have two: one for any bytes, and
//! one that replaces a word of a valid example, because input that is almost valid gets further.

#![allow(clippy::unwrap_used, reason = "a body panics where something does not hold")]
#![allow(unreachable_pub, reason = "in fuzz/ these modules are part of a library")]

pub mod author;
pub mod bundle;
pub mod catalog;
pub mod cel;
pub mod grpc;
pub mod layer;
pub mod manifest;
pub mod olm_yaml;
mod places;
pub mod state;
pub mod version;
mod words;
pub mod yaml;

use opmx::text::Limits;

/// Small limits, so that inputs exceed them.
const LIMITS: fn() -> Limits = || Limits {
    file_bytes: 64 << 10,
    depth: 64,
    documents: 100,
    values: 2_000,
};
