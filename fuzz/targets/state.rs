//! Reads any bytes as a what-if file and as a dump of a cluster, or a valid file with one word replaced by any string.

#![no_main]

use libfuzzer_sys::fuzz_target;
use opmx_fuzz::bodies::state;

fuzz_target!(|input: (Option<(u8, u16)>, &[u8])| {
    let (word, bytes) = input;
    match (word, std::str::from_utf8(bytes)) {
        (Some((which, word)), Ok(text)) => state::word(which.into(), word.into(), text),
        _ => {
            state::file(bytes);
            state::dumped(bytes);
        }
    }
});
