//! Reads any bytes as a file-based catalog and as a template, or a valid file with one word replaced by any string.

#![no_main]

use libfuzzer_sys::fuzz_target;
use opmx_fuzz::bodies::catalog;

fuzz_target!(|input: (Option<(u8, u16)>, &[u8])| {
    let (word, bytes) = input;
    match (word, std::str::from_utf8(bytes)) {
        (Some((which, word)), Ok(text)) => catalog::word(which.into(), word.into(), text),
        _ => {
            catalog::file(bytes);
            catalog::template(bytes);
        }
    }
});
