//! Reads any bytes as the files that authors write next to bundles and catalogs, or a valid file with one word replaced
//! by any string.

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
