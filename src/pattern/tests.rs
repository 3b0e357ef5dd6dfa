use super::*;
use regex::Regex;

fn matches(pattern: &str, text: &str) -> bool {
    Regex::new(&translate(pattern).unwrap()).unwrap().is_match(text)
}

#[test]
fn character_classes_are_ascii_only() {
    for (pattern, ascii, other) in [
        (r"^\w+$", "aZ_9", "é"),
        (r"^\d$", "7", "٣"),
        (r"^\s$", "\t", "\u{a0}"),
        (r"^[\w.-]+$", "a.b-c", "ü"),
        (r"^[^\d]$", "x", "3"),
        (r"^[\D]$", "٣", "3"),
        (r"^a\b", "a é", "ab"),
        (r"^a\b", "aé", "a_"),
        (r"^a\B", "ab", "aé"),
    ] {
        assert!(matches(pattern, ascii) && !matches(pattern, other), "{pattern}");
    }
    assert!(matches(r"^\W\S$", "éé") && !matches(r"^\W", "a"));
    assert!(!matches(r"\B", "aéa"));
}

#[test]
fn characters_special_only_in_rust_are_escaped() {
    for (pattern, text) in [
        ("^a{,2}$", "a{,2}"),
        ("^x{$", "x{"),
        ("^a{01}b{2,x}}$", "a{01}b{2,x}}"),
        ("^{a}+$", "{a}}"),
        ("^[[]x$", "[x"),
        ("^[a&&b]+$", "&ab"),
        ("^[a~~b]$", "~"),
        ("^[+--]+$", "+,-"),
        ("^[a[b]]$", "[]"),
        ("^[]a^-]+$", "]a^-"),
        (r"^[\d-z]+$", "1-z"),
        (r"^\_\-\ \<\&$", "_- <&"),
        (r"^\101\x41\x{41}[\101-\x43]\07$", "AAAB\u{7}"),
        (r"^\p{^Greek}\P{^Greek}$", "aλ"),
        ("^(?)a(?ii-i)B$", "aB"),
        ("^(?P<1>a)(?<n>b)$", "ab"),
        ("^a(?i)*B$", "aab"),
        (r"^a\Q\E*$", "aaa"),
    ] {
        assert!(matches(pattern, text), "{pattern}");
    }
    assert!(!matches("^[a&&b]$", "x"));
    assert!(!matches("^a(?i)*B$", "Ab"));
}

#[test]
fn other_patterns_are_unchanged() {
    for (pattern, text) in [
        ("(?i)^FOO$", "foo"),
        ("(?i:F)(?-i:o)|x", "fo"),
        ("a(?i)|b", "B"),
        (r"^\pL+\p{Greek}$", "éλ"),
        (r"^\\d\.$", r"\d."),
        (r"^\Qa.(b\E+$", "a.(bbb"),
        (r"^\Qa.(b", "a.(b"),
        (r"^[[:alpha:]]\x41\z", "bA"),
        ("^[^[:^alpha:]]$", "b"),
        ("(?s)^.a{2}?b{1,}c{0,3}[^a-c]$", "\naabb\n"),
        ("(?m)^b$", "a\nb\nc"),
        ("^(a|)*()?é$", "aé"),
        ("^*", ""),
        ("", ""),
    ] {
        assert!(matches(pattern, text), "{pattern}");
    }
}

#[test]
fn patterns_rejected_by_go_are_rejected() {
    for pattern in [
        "(a",
        "a)",
        "(?:a",
        "[a",
        "[]",
        "[^]",
        r"[a\]",
        "*a",
        "a|+",
        "(*)",
        "(?=a)",
        "(?!a)",
        "(?<=a)",
        "(?<!a)",
        r"(a)\1",
        r"\9",
        r"\81",
        r"a\",
        "a**",
        "a{2}{3}",
        "a*??",
        "{2}",
        "(?i)*",
        "(?x)a",
        "(?i-)a",
        "(?i",
        "[^a--c]",
        "[b-a]",
        "[[:foo:]]",
        "[a-",
        r"\y",
        r"\é",
        r"\E",
        r"[\b]",
        r"\Z",
        r"\C",
        r"\x4",
        r"\x{}",
        r"\x{110000}",
        r"\x{+41}",
        r"\p",
        r"\p{Greek",
        r"\p{gc=L}",
        "a{1001}",
        "a{2,1}",
        "a{99999999999}",
        "(a{100}){11}",
        "(((a{10}){10}b){10}|c){2}",
        "(?P<n>a)(?P<n>b)",
        "(?P<>a)",
        "(?P<n",
        "(?P=n)",
    ] {
        assert!(translate(pattern).is_err(), "{pattern}");
    }
    assert!(translate("(a{100}){10}").is_ok());
}

#[test]
fn unicode_classes_of_go_are_supported() {
    for class in [
        "Any",
        "C",
        "Cc",
        "Cf",
        "Co",
        "Cs",
        "L",
        "Ll",
        "Lm",
        "Lo",
        "Lt",
        "Lu",
        "M",
        "Mc",
        "Me",
        "Mn",
        "N",
        "Nd",
        "Nl",
        "No",
        "P",
        "Pc",
        "Pd",
        "Pe",
        "Pf",
        "Pi",
        "Po",
        "Ps",
        "S",
        "Sc",
        "Sk",
        "Sm",
        "So",
        "Z",
        "Zl",
        "Zp",
        "Zs",
        "Arabic",
        "Common",
        "Cyrillic",
        "Greek",
        "Han",
        "Inherited",
        "Latin",
        "Nko",
        "Old_Italic",
        "SignWriting",
        "Phags_Pa",
        "Nyiakeng_Puachue_Hmong",
        "Kawi",
        "Nag_Mundari",
    ] {
        for pattern in [
            format!(r"\p{{{class}}}"),
            format!(r"\P{{{class}}}"),
            format!(r"\p{{^{class}}}"),
            format!(r"[a\p{{{class}}}]"),
            format!(r"[^\P{{{class}}}]"),
        ] {
            let compiled = Regex::new(&translate(&pattern).unwrap());
            assert!(compiled.is_ok(), "{pattern}: {compiled:?}");
        }
    }
    assert!(matches(r"^\p{Any}\p{Han}\P{Han}$", "a漢a"));
    // In Go, no character is a surrogate, and unassigned characters have no class.
    assert!(!matches(r"\p{Cs}", "a\u{e000}\u{378}") && matches(r"^\P{Cs}$", "a"));
    assert!(matches(r"^\pC\p{Co}$", "\u{7}\u{e000}") && !matches(r"\pC", "a\u{378}"));
    assert!(matches(r"^\PC+[^\pC][\PC]$", "a\u{378}\u{378}\u{378}"));
}

#[test]
fn every_translation_is_a_valid_pattern() {
    let pieces = [
        "a",
        "[",
        "]",
        "^",
        "-",
        "&&",
        "~~",
        "(",
        ")",
        "(?i)",
        "(?:",
        "{",
        "}",
        "{2}",
        "{,",
        "*",
        "?",
        "|",
        r"\",
        "Q",
        "E",
        "b",
        "B",
        "d",
        "é",
        ".",
        "$",
        "[:alpha:]",
        "#",
        " ",
    ];
    let mut chance: usize = 1;
    for _ in 0..5_000 {
        let mut pattern = String::new();
        for _ in 0..8 {
            chance = chance
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            pattern.push_str(pieces[(chance >> 33) % pieces.len()]);
        }
        if let Ok(translated) = translate(&pattern) {
            let compiled = Regex::new(&translated);
            assert!(compiled.is_ok(), "{pattern:?} as {translated:?}: {compiled:?}");
        }
    }
}

#[test]
fn the_error_for_too_many_repetitions_names_the_limit() {
    assert!(TOO_MANY.contains(&format!(" {MOST_REPETITIONS} times")));
}
