use super::*;
use crate::rules;
use crate::source::SourceFile;

fn place(text: &str, wanted: &str) -> Place {
    let source = SourceFile::new("manifests/role.yaml", text);
    let start = text.find(wanted).unwrap();
    Place::new(&source, start..start + wanted.len())
}

#[test]
fn a_finding_shows_its_line_place_and_advice() {
    let text = "kind: Role\nmetadata:\n  name: a\n  name: b\n";
    let source = SourceFile::new("manifests/role.yaml", text);
    let second = text.rfind("name").unwrap();
    let first = text.find("name").unwrap();
    let finding = Diagnostic::new(&rules::YAML_DUPLICATE_KEY, "the key \"name\" appears twice")
        .at(Place::new(&source, second..second + 4))
        .also(Place::new(&source, first..first + 4), "it first appears here")
        .object("Role/b")
        .path("metadata.name");
    insta::assert_snapshot!(render(&finding, false), @r#"
    error[yaml-duplicate-key]: the key "name" appears twice
     --> manifests/role.yaml:4:3
      |
    4 |   name: b
      |   ^^^^
      |
      = note: in Role/b at metadata.name
      = help: Keep one of the two keys; most readers silently use the last one.
    note: it first appears here
     --> manifests/role.yaml:3:3
      |
    3 |   name: a
      |   ----
    "#);
}

#[test]
fn a_finding_without_a_place_shows_its_advice() {
    let finding = Diagnostic::new(&rules::OBJECT_FIELD_MISSING, "there is no object").help("Add one.");
    insta::assert_snapshot!(render(&finding, false), @"
    error[object-field-missing]: there is no object
     |
     = help: Add one.
    ");
}

#[test]
fn a_place_in_an_empty_file_is_shown_on_its_first_line() {
    let source = SourceFile::new("metadata/olm.yaml", "");
    let finding = Diagnostic::new(&rules::OBJECT_NOT_A_MAP, "the file is empty").at(Place::new(&source, 0..0));
    insta::assert_snapshot!(render(&finding, false), @"
    error[object-not-a-map]: the file is empty
     --> metadata/olm.yaml:1:1
      |
    1 |
      | ^
      |
      = help: Use a map with apiVersion, kind and metadata for each manifest.
    ");
}

#[test]
fn the_end_of_a_file_can_be_underlined() {
    let source = SourceFile::new("a.yaml", "a: [1,\n");
    for end in [7, 8, 999] {
        let finding = Diagnostic::new(&rules::YAML_SYNTAX, "the list is not closed").at(Place::new(&source, 7..end));
        assert!(
            render(&finding, false).contains("--> a.yaml:2:1"),
            "{}",
            render(&finding, false)
        );
    }
    let finding = Diagnostic::new(&rules::YAML_SYNTAX, "beyond").at(Place::new(&source, 99..999));
    assert!(render(&finding, false).contains("--> a.yaml:2:1"));
}

#[test]
fn tabs_and_wide_characters_keep_the_underline_aligned() {
    let finding =
        Diagnostic::new(&rules::YAML_SYNTAX, "a tab indents this line").at(place("a:\n\tname: 日本 x\r\n", "日本"));
    insta::assert_snapshot!(render(&finding, false), @"
    error[yaml-syntax]: a tab indents this line
     --> manifests/role.yaml:2:8
      |
    2 |     name: 日本 x
      |           ^^^^
      |
      = help: Correct the YAML at the position shown.
    ");
}

#[test]
fn a_very_long_line_is_truncated_around_the_place() {
    let text = format!("data: {}needle{}", "x".repeat(600_000), "y".repeat(600_000));
    let finding = Diagnostic::new(&rules::YAML_SYNTAX, "a long line").at(place(&text, "needle"));
    insta::assert_snapshot!(render(&finding, false), @"
    error[yaml-syntax]: a long line
     --> manifests/role.yaml:1:600007
      |
    1 | ...xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxneedleyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy...
      |                                            ^^^^^^
      = help: Correct the YAML at the position shown.
    ");
}

#[test]
fn a_multi_line_place_is_shown_by_its_first_line() {
    let text = "spec:\n  rules:\n  - a\n  - b\n";
    let finding = Diagnostic::new(&rules::YAML_SYNTAX, "too much").at(place(text, "rules:\n  - a\n  - b"));
    insta::assert_snapshot!(render(&finding, false), @"
    error[yaml-syntax]: too much
     --> manifests/role.yaml:2:3
      |
    2 |   rules:
      |   ^^^^^^
      |
      = help: Correct the YAML at the position shown.
    ");
}

#[test]
fn a_long_place_is_truncated_after_its_beginning() {
    let text = format!("{{\"a\":\"{}\"}}", "z".repeat(500));
    let finding = Diagnostic::new(&rules::JSON_SYNTAX, "too long").at(place(&text, &"z".repeat(500)));
    let shown = render(&finding, false);
    assert!(shown.lines().all(|line| line.chars().count() < 200), "{shown}");
    assert!(shown.contains(&format!("{}...", "z".repeat(80))), "{shown}");
}

#[test]
fn text_from_files_cannot_control_the_terminal() {
    let text = "name: a\u{1b}[2Jb\u{9b}1mc\n";
    let finding = Diagnostic::new(&rules::YAML_SYNTAX, "bad \u{1b}[31m name")
        .at(place(text, "a\u{1b}[2Jb\u{9b}1mc"))
        .also(place(text, "name"), "label \u{1b}[0m")
        .object("Role/\u{1b}c")
        .help("help \u{7}");
    let shown = render(&finding, false);
    assert!(
        !shown.contains(|character: char| character.is_control() && character != '\n'),
        "{shown:?}"
    );
}

#[test]
fn colour_is_used_only_on_request() {
    let finding = Diagnostic::new(&rules::YAML_SYNTAX, "broken").at(place("a: b", "b"));
    assert!(!render(&finding, false).contains('\u{1b}'));
    assert!(render(&finding, true).contains('\u{1b}'));
}

#[test]
fn the_summary_counts_bundles_and_findings() {
    let error = Diagnostic::new(&rules::YAML_SYNTAX, "x");
    let info = Diagnostic::new(&rules::YAML_EMPTY_DOCUMENT, "y");
    let mut warning = error.clone();
    warning.severity = Severity::Warning;
    let summary = |findings: &[Diagnostic]| Summary::of(findings).to_string();
    assert_eq!(summary(&[]), "no findings");
    assert_eq!(summary(&[error.clone(), warning.clone(), error]), "2 errors, 1 warning");
    assert_eq!(summary(&[info.clone(), info]), "2 infos");
}

#[test]
fn json_has_every_field_and_both_positions() {
    let finding = Diagnostic::new(&rules::YAML_SYNTAX, "broken \u{1b}")
        .at(place("a: 1\nbé: c\n", "bé"))
        .also(place("a: 1\n", "1"), "see here")
        .object("Role/x")
        .path("rules[0]");
    let bare = Diagnostic::new(&rules::YAML_EMPTY_DOCUMENT, "empty");
    let report = serde_json::to_value(Report::of(&[finding, bare])).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&report).unwrap(), @r#"
    {
      "findings": [
        {
          "rule": "yaml-syntax",
          "severity": "error",
          "message": "broken \u001b",
          "file": "manifests/role.yaml",
          "line": 2,
          "column": 1,
          "endLine": 2,
          "endColumn": 3,
          "object": "Role/x",
          "path": "rules[0]",
          "help": "Correct the YAML at the position shown.",
          "related": [
            {
              "message": "see here",
              "file": "manifests/role.yaml",
              "line": 1,
              "column": 4,
              "endLine": 1,
              "endColumn": 5
            }
          ]
        },
        {
          "rule": "yaml-empty-document",
          "severity": "info",
          "message": "empty",
          "file": null,
          "line": null,
          "column": null,
          "endLine": null,
          "endColumn": null,
          "object": null,
          "path": null,
          "help": "Remove the empty document.",
          "related": []
        }
      ],
      "summary": {
        "errors": 1,
        "warnings": 0,
        "infos": 1
      }
    }
    "#);
}

#[test]
fn a_line_cannot_control_its_viewer_and_columns_are_kept() {
    let text = "##[group]\u{202e}\u{9b}: \u{1b}needle ##vso[x]";
    let finding = Diagnostic::new(&rules::YAML_SYNTAX, "x\u{1b}").at(place(text, "needle"));
    let shown = render(&finding, false);
    assert!(shown.starts_with("error[yaml-syntax]: x\\u{1b}\n"), "{shown}");
    assert!(shown.contains("manifests/role.yaml:1:15\n"), "{shown}");
    assert!(shown.contains("1 | #\u{fffd}[group]\u{fffd}\u{fffd}: "), "{shown}");
    assert!(shown.contains("needle #\u{fffd}vso[x]\n"), "{shown}");
    assert!(!shown.contains(is_hidden), "{shown:?}");
}
