use super::*;

/// Returns the text that the finding points at, and the advice.
fn pointed(text: &str) -> (String, String) {
    let fault = fault(text);
    assert_eq!(fault.rule.id, "yaml-syntax", "{text}");
    (
        fault.place.as_ref().unwrap().text().to_owned(),
        fault.advice().to_owned(),
    )
}

#[test]
fn values_starting_with_a_special_character_need_quotes() {
    for (text, value, advice) in [
        (
            "version: >0.27.0\n",
            ">0.27.0",
            r#"Quote the value: `version: ">0.27.0"`."#,
        ),
        (
            "a:\n  - value: >=1.0 <2.0 # c\n",
            ">=1.0 <2.0",
            r#"`- value: ">=1.0 <2.0"`"#,
        ),
        ("apiGroups: [*]\n", "*", r#"Quote the value: `"*"`."#),
        ("rules:\n- apiGroups: [\"\", *]\n", "*", r#"`"*"`"#),
        ("resources:\n- *\n", "*", r#"`- "*"`"#),
        ("host: *.example.com\n", "*.example.com", r#"`host: "*.example.com"`"#),
        ("a: 1\nhost: *foo\nb: 2\n", "*foo", r#"`host: "*foo"`"#),
        ("user: @me\n", "@me", r#"`user: "@me"`"#),
        ("cpu: %5\n", "%5", r#"`cpu: "%5"`"#),
        ("code: `x`\n", "`x`", r#"`code: "`x`"`"#),
        ("pattern: |a|b\n", "|a|b", r#"`pattern: "|a|b""#),
        ("tag: !a!b c\n", "!a!b c", r#"`tag: "!a!b c""#),
        ("ref: & x\n", "& x", r#"`ref: "& x""#),
    ] {
        let (pointed, given) = pointed(text);
        assert_eq!(pointed, value, "{text}");
        assert!(given.contains(advice), "{text}: {given}");
    }
}

#[test]
fn a_quoting_hint_contains_the_edit() {
    let text = "é: 1\nversion: >0.27.0\n";
    let edit = fault(text).edits.pop().unwrap();
    let mut edited = text.to_owned();
    edited.replace_range(edit.place.span, &edit.replacement);
    assert_eq!(value(&edited), serde_json::json!({"é": 1, "version": ">0.27.0"}));
    for text in ["a: 1\nhost: *foo\n", "ref: &x y: z\n", "tag: !a!b c\n"] {
        assert_eq!(fault(text).edits, [], "{text}");
    }
}

#[test]
fn tabs_are_reported() {
    for text in ["a:\n\tb: 1\n", "a:\n  - x\n\t- y\n"] {
        let (pointed, advice) = pointed(text);
        assert_eq!(pointed, "\t", "{text:?}");
        assert!(advice.contains("spaces"), "{advice}");
    }
    let message = fault("a:\n  b: 1\n  \tc: 2\n").message;
    assert!(message.contains("a tab in column 3"), "{message}");
}

#[test]
fn colons_inside_values_need_quotes() {
    let (text, advice) = pointed("description: Note: this is text\n");
    assert_eq!(text, "Note: this is text");
    assert!(advice.contains(r#"`description: "Note: this is text"`"#), "{advice}");
    let (text, advice) = pointed("- type: b\n    value:\n      c: d\n");
    assert_eq!(text, "value:");
    assert!(advice.contains("column 3"), "{advice}");
    let (_, advice) = pointed("a\n  c: d\n");
    assert!(advice.contains("indentation"), "{advice}");
}

#[test]
fn unclosed_quotes_and_brackets_are_located_at_their_start() {
    let (text, advice) = pointed("a: 1\nb: \"cut off\nc: 2\n");
    assert_eq!(text, "\"cut off");
    assert!(advice.contains("Close the quote"), "{advice}");
    let fault = fault("a: [1, 2\nb: 3\n");
    assert!(fault.advice().contains("Close the open bracket"), "{}", fault.advice());
    assert_eq!(fault.related[0].0.text(), "[1, 2");
}

#[test]
fn quotes_inside_quotes_are_explained() {
    assert!(pointed("a: \"b\" c\n").1.contains("\\\""));
    assert!(pointed("a: 'it's'\n").1.contains("''"));
}

#[test]
fn separators_and_templates_are_explained() {
    let (text, advice) = pointed("--- {a: 1}\n");
    assert_eq!(text, "--- {a: 1}");
    assert!(advice.contains("to a separate line"), "{advice}");
    assert!(pointed("----\na: 1\n").1.contains("three dashes"));
    assert!(pointed("a: |\n-----BEGIN X-----\n").1.contains("Indent"));
    assert!(fault("{{- if .Values.a }}\na: 1\n").advice().contains("template"));
    assert!(pointed("a: b: {{ .Values.b }}\n").1.contains("template"));
    assert!(fault("a: 1\nb: {{ .Values.b }}\n").advice().contains("template"));
    assert!(pointed("{a: 1}\nb: 1\n").1.contains("---"));
    assert!(pointed("- a\nb: 1\n").1.contains("same column"));
}
