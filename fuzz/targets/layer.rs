//! Reads layers of an image that contain any tar entries, or any bytes as one layer.

#![no_main]

use libfuzzer_sys::fuzz_target;
use opmx_fuzz::bodies::layer::{self, Member};

fuzz_target!(|input: (Option<Vec<Vec<Member>>>, bool, &[u8])| {
    match input {
        (Some(layers), compressed, _) => layer::members(&layers, compressed),
        (None, _, bytes) => layer::raw(bytes),
    }
});
