//! What `build.rs` makes of `src/server/registry.proto`: the messages, a client, and the trait that the server fills.

#![allow(clippy::pedantic, missing_docs, unreachable_pub)]

include!(concat!(env!("OUT_DIR"), "/messages/api.rs"));

/// The server's half. It sends [`Encoded`](super::encoded::Encoded) messages.
pub(super) mod service {
    include!(concat!(env!("OUT_DIR"), "/server/api.rs"));
}

/// The description of the API that reflection hands out.
pub(super) const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/registry.bin"));
