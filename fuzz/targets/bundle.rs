//! Any bytes as one of the files of a bundle, or any text for one of its words.

#![no_main]

#[path = "../../tests/library/arbitrary_input/bodies.rs"]
mod bodies;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, Option<u16>, &[u8])| {
    let (which, word, bytes) = input;
    let which = usize::from(which);
    match (word, std::str::from_utf8(bytes)) {
        (Some(word), Ok(text)) => bodies::word(which, usize::from(word), text),
        _ => bodies::file(which, bytes),
    }
});
