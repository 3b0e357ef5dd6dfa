//! Any bytes as a file that an author writes beside a bundle or a catalog, or a word of one.

#![no_main]

use libfuzzer_sys::fuzz_target;
use opmx_fuzz::bodies::author;

fuzz_target!(|input: (u8, Option<(u16, &str)>, &[u8])| match input {
    (which, Some((word, text)), _) => author::word(which.into(), word.into(), text),
    (which, None, bytes) => {
        author::map(bytes);
        author::lifecycles(bytes);
        author::repository(which.into(), bytes);
    }
});
