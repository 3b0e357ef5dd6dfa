//! Anything may stand in the files of a bundle: no panic, no place outside of a file, every report can be written.

mod bodies;

use proptest::collection::vec;
use proptest::prelude::*;

/// Texts that mean something to some reader.
fn telling() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "",
        "~",
        "null",
        "true",
        "0",
        "-1",
        "1.0",
        "1e999",
        "0x7f",
        "v1",
        "v1.2.3",
        "1.0.0",
        ">=1.0.0 <2.0.0",
        "*",
        "||",
        "&a [*a]",
        "*a",
        "<<",
        "? a",
        "- ",
        "|-\n",
        ">",
        "{}",
        "[]",
        "[{}]",
        "{a: {b: []}}",
        "!!binary YQ==",
        "\"\\x00\"",
        "---",
        "...",
        "%YAML 1.2",
        "\u{feff}",
        "ä",
        "\u{1f600}",
        "\r\n",
        "\t",
        "#",
        ": ",
        "a: b",
        "kind: List",
        "@",
        "`",
        "properties.all(p, p)",
        "olm.gvk",
        "olm.constraint",
        "ServiceAccount",
        "rbac.authorization.k8s.io/v1",
        "RoleBinding",
    ]);
    prop_oneof![words.prop_map(str::to_owned), "\\PC{0,20}", "[ -~\n]{0,40}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 300 } else { 5_000 }))]

    #[test]
    fn any_bytes_may_be_a_file_of_a_bundle(which in any::<usize>(), bytes in vec(any::<u8>(), 0..2_000)) {
        bodies::file(which, &bytes);
    }

    #[test]
    fn any_text_may_be_a_file_of_a_bundle(which in any::<usize>(), parts in vec(telling(), 0..40)) {
        bodies::file(which, parts.concat().as_bytes());
    }

    #[test]
    fn any_text_may_stand_for_a_word_of_a_bundle(
        which in any::<usize>(),
        word in any::<usize>(),
        parts in vec(telling(), 0..3),
    ) {
        bodies::word(which, word, &parts.join(" "));
    }
}
