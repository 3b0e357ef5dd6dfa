//! The code that `build.rs` generates from `src/server/registry.proto`: the messages, a client, and the trait that the
//! server implements.

#![allow(clippy::pedantic, missing_docs, unreachable_pub)]

include!(concat!(env!("OUT_DIR"), "/messages/api.rs"));

/// The server code, which sends [`Encoded`](super::encoded::Encoded) messages.
pub(super) mod service {
    include!(concat!(env!("OUT_DIR"), "/server/api.rs"));
}

/// The field numbers: a module for each message, and a constant for each field.
#[expect(
    dead_code,
    reason = "generated for every field; only fields that are encoded by hand are used"
)]
pub(super) mod fields {
    include!(concat!(env!("OUT_DIR"), "/fields.rs"));
}

/// The description of the API that reflection returns.
pub(super) const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/registry.bin"));
