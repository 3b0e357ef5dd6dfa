//! Any bytes as olm.yaml, or any string for a word of it or of a manifest.

#![no_main]

use libfuzzer_sys::fuzz_target;
use opmx_fuzz::bodies::olm_yaml;

fuzz_target!(|input: (Option<(u8, u16)>, &[u8])| {
    let (word, bytes) = input;
    match (word, std::str::from_utf8(bytes)) {
        (Some((which, word)), Ok(text)) => olm_yaml::word(which.into(), word.into(), text),
        _ => olm_yaml::file(bytes),
    }
});
