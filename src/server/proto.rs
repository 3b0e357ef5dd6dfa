//! What `build.rs` makes of `src/server/registry.proto`: the messages, a client, and the trait that the server fills.

#![allow(clippy::pedantic, missing_docs, unreachable_pub)]

include!(concat!(env!("OUT_DIR"), "/messages/api.rs"));

/// The server's half. It sends [`Encoded`](super::encoded::Encoded) messages.
pub(super) mod service {
    include!(concat!(env!("OUT_DIR"), "/server/api.rs"));
}

/// The numbers of the fields: a module for each message, a constant for each field.
#[expect(
    dead_code,
    reason = "generated for every field; only fields that are encoded by hand are used"
)]
pub(super) mod fields {
    include!(concat!(env!("OUT_DIR"), "/fields.rs"));
}

/// The description of the API that reflection hands out.
pub(super) const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/registry.bin"));
