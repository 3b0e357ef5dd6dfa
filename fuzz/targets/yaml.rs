//! Any bytes as a file of YAML or JSON, or any string for a word of one.

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
