//! Reads any string as the CEL rule of a constraint, or a valid rule with one word replaced by any string.

#![no_main]

use libfuzzer_sys::fuzz_target;
use opmx_fuzz::bodies::cel;

fuzz_target!(|input: (Option<(u8, u16)>, &str)| match input {
    (Some((which, word)), text) => cel::word(which.into(), word.into(), text),
    (None, text) => cel::rule(text),
});
