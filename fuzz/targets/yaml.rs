//! Reads any bytes as a YAML or JSON file, or a valid file with one word replaced by any string.

#![no_main]

use libfuzzer_sys::fuzz_target;
use opmx_fuzz::bodies::yaml;

fuzz_target!(|input: (Option<(u8, u16)>, &[u8])| {
    let (word, bytes) = input;
    match (word, std::str::from_utf8(bytes)) {
        (Some((which, word)), Ok(text)) => yaml::word(which.into(), word.into(), text),
        _ => yaml::file(bytes),
    }
});
