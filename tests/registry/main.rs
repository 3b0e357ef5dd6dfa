//! Images in registries: real ones, checked with independent programs, and ones that fail in every way.

#![allow(clippy::unwrap_used, reason = "a test fails by it")]

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

/// Incompressible bytes that are the same every time.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_be_bytes()[0]
    };
    (0..length).map(next).collect()
}
