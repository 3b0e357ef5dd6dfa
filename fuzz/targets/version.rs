//! Reads any strings as versions and as version ranges.

#![no_main]

use libfuzzer_sys::fuzz_target;
use opmx_fuzz::bodies::version;

fuzz_target!(|input: (&str, &str)| {
    let (one, other) = input;
    version::ranges(one, other);
    version::version(one);
});
