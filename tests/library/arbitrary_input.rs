//! Arbitrary input: nothing panics, no place is outside a file, and what is accepted is consistent.
//!
//! The targets in fuzz/ use the same bodies, and in time find what random tests do not.

mod bodies;

use proptest::collection::vec;
use proptest::prelude::*;

/// Strings that mean something to some reader.
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

/// Arbitrary bytes, and arbitrary text.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(any::<u8>(), 0..2_000),
        vec(telling(), 0..40).prop_map(|parts| parts.concat().into_bytes()),
    ]
}

/// The replacement for a word.
fn text() -> impl Strategy<Value = String> {
    vec(telling(), 0..3).prop_map(|parts| parts.join(" "))
}

/// Many cases in a release build; otherwise enough to find what a change breaks.
fn cases(debug: u32) -> ProptestConfig {
    ProptestConfig::with_cases(if cfg!(debug_assertions) { debug } else { 5_000 })
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn bundle_files_can_contain_any_bytes(which in any::<usize>(), bytes in bytes()) {
        bodies::bundle::file(which, &bytes);
    }

    #[test]
    fn any_word_of_a_bundle_can_be_replaced(which in any::<usize>(), word in any::<usize>(), text in text()) {
        bodies::bundle::word(which, word, &text);
    }

    #[test]
    fn yaml_files_can_contain_any_bytes(bytes in bytes()) {
        bodies::yaml::file(&bytes);
    }

    #[test]
    fn any_word_of_a_yaml_file_can_be_replaced(which in any::<usize>(), word in any::<usize>(), text in text()) {
        bodies::yaml::word(which, word, &text);
    }

    #[test]
    fn image_documents_can_contain_any_bytes(
        media_type in prop::sample::select(MEDIA_TYPES.to_vec()),
        bytes in bytes(),
    ) {
        bodies::manifest::document(media_type, &bytes);
    }

    #[test]
    fn any_word_of_an_image_document_can_be_replaced(
        which in any::<usize>(),
        word in any::<usize>(),
        text in text(),
    ) {
        bodies::manifest::word(which, word, &text);
        bodies::manifest::reference(&text);
    }

    #[test]
    fn what_if_files_and_dumps_can_contain_any_bytes(bytes in bytes()) {
        bodies::state::file(&bytes);
        bodies::state::dumped(&bytes);
    }

    #[test]
    fn any_word_of_a_what_if_file_can_be_replaced(
        which in any::<usize>(),
        word in any::<usize>(),
        text in text(),
    ) {
        bodies::state::word(which, word, &text);
    }

    #[test]
    fn layers_can_contain_any_bytes(bytes in vec(any::<u8>(), 0..2_000)) {
        bodies::layer::raw(&bytes);
    }

    #[test]
    fn layers_can_contain_any_members(layers in vec(vec(member(), 0..6), 0..4), compressed in any::<bool>()) {
        bodies::layer::members(&layers, compressed);
    }
}

proptest! {
    #![proptest_config(cases(3_000))]

    #[test]
    fn version_ranges_can_be_any_strings(one in range(), other in range()) {
        bodies::version::ranges(&one, &other);
    }

    #[test]
    fn versions_can_be_any_string(text in prop_oneof![range(), text()]) {
        bodies::version::version(&text);
    }
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn olm_yaml_can_contain_any_bytes(bytes in bytes()) {
        bodies::olm_yaml::file(&bytes);
    }

    #[test]
    fn any_word_of_a_synthesized_bundle_can_be_replaced(
        which in any::<usize>(),
        word in any::<usize>(),
        text in text(),
    ) {
        bodies::olm_yaml::word(which, word, &text);
    }

    #[test]
    fn catalogs_and_templates_can_contain_any_bytes(bytes in bytes()) {
        bodies::catalog::file(&bytes);
        bodies::catalog::template(&bytes);
    }

    #[test]
    fn any_word_of_a_catalog_can_be_replaced(which in any::<usize>(), word in any::<usize>(), text in text()) {
        bodies::catalog::word(which, word, &text);
    }

    #[test]
    fn author_files_can_contain_any_bytes(which in any::<usize>(), bytes in bytes()) {
        bodies::author::map(&bytes);
        bodies::author::lifecycles(&bytes);
        bodies::author::repository(which, &bytes);
    }

    #[test]
    fn any_word_of_an_author_file_can_be_replaced(
        which in any::<usize>(),
        word in any::<usize>(),
        text in text(),
    ) {
        bodies::author::word(which, word, &text);
    }

    #[test]
    fn cel_rules_can_be_any_string(text in text()) {
        bodies::cel::rule(&text);
    }

    #[test]
    fn any_word_of_a_cel_rule_can_be_replaced(which in any::<usize>(), word in any::<usize>(), text in text()) {
        bodies::cel::word(which, word, &text);
    }

    #[test]
    fn grpc_requests_can_contain_any_bytes(method in any::<usize>(), bytes in bytes()) {
        bodies::grpc::message(method, &bytes);
    }

    #[test]
    fn grpc_request_fields_can_be_any_strings(method in any::<usize>(), texts in [field(), field(), field(), field()]) {
        let texts = texts.each_ref().map(|(known, text)| (*known, text.as_str()));
        bodies::grpc::fields(method, texts);
    }

    #[test]
    fn connections_can_carry_any_bytes(preface in any::<bool>(), bytes in bytes()) {
        bodies::grpc::connection(preface, &bytes);
    }
}

const MEDIA_TYPES: [Option<&str>; 5] = [
    None,
    Some("application/vnd.oci.image.manifest.v1+json"),
    Some("application/vnd.oci.image.index.v1+json"),
    Some("application/vnd.docker.distribution.manifest.v2+json"),
    Some("text/plain"),
];

/// A member of a layer; its name is often that of another one.
fn member() -> impl Strategy<Value = bodies::layer::Member> {
    let paths = [
        "a",
        "a/b",
        "./a/b/",
        "a/b/c",
        "/a",
        "../a",
        "a/../../b",
        ".wh.a",
        "a/.wh..wh..opq",
        "a/.wh.b",
        "",
        ".",
    ];
    let known = prop::sample::select(paths.to_vec()).prop_map(|path| path.as_bytes().to_vec());
    let path = || prop_oneof![known.clone(), vec(any::<u8>(), 0..300)];
    let size = prop::option::weighted(0.1, any::<u16>());
    (path(), any::<u8>(), path(), size, vec(any::<u8>(), 0..700))
}

/// Something that is often almost a range.
fn range() -> impl Strategy<Value = String> {
    let parts = [
        "1.0.0",
        "1.2.3",
        "2.0.0-rc.1",
        "0",
        "1.x",
        "1.2.x",
        "x",
        ".",
        "-",
        "+",
        "01",
        ">",
        ">=",
        "<",
        "<=",
        "=",
        "==",
        "!",
        "!=",
        "||",
        " ",
        " ",
        " ",
        "\t",
        "^",
        "~",
        "v",
        "\u{a0}",
        "\u{661}",
        "18446744073709551616",
    ];
    let part = prop_oneof![4 => prop::sample::select(parts.to_vec()).prop_map(str::to_owned), 1 => "\\PC{0,4}"];
    vec(part, 0..9).prop_map(|parts| parts.concat())
}

/// A string in a request, or the number of one that the server knows.
fn field() -> impl Strategy<Value = (u8, String)> {
    (any::<u8>(), prop_oneof![Just(String::new()), text()])
}
