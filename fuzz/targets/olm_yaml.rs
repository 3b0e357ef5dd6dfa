//! Reads any bytes as `olm.yaml`, or a valid `olm.yaml` and manifests with one word replaced by any string.

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
