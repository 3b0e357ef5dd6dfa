//! Reads any bytes as a document of an image, or any string as an image reference and as a word of a valid document.

#![no_main]

use libfuzzer_sys::fuzz_target;
use opmx_fuzz::bodies::manifest;

fuzz_target!(|input: (Option<(u8, u16)>, Option<&str>, &[u8])| {
    let (word, media_type, bytes) = input;
    match (word, std::str::from_utf8(bytes)) {
        (Some((which, word)), Ok(text)) => {
            manifest::word(which.into(), word.into(), text);
            manifest::reference(text);
        }
        _ => manifest::document(media_type, bytes),
    }
});
