//! Reads any bytes as a file of a bundle, or a valid file with one word replaced by any string.

#![no_main]

use libfuzzer_sys::fuzz_target;
use opmx_fuzz::bodies::bundle;

fuzz_target!(|input: (u8, Option<u16>, &[u8])| {
    let (which, word, bytes) = input;
    match (word, std::str::from_utf8(bytes)) {
        (Some(word), Ok(text)) => bundle::word(which.into(), word.into(), text),
        _ => bundle::file(which.into(), bytes),
    }
});
