use super::*;
use crate::bundle::MediaType;
use crate::diagnostic::Diagnostic;
use crate::rules;
use crate::source::{Place, SourceFile};
use crate::validation::Finding;

/// Returns two bundles, the first with a finding of each severity, and with text that would break unescaped output.
fn sample() -> Vec<Validation> {
    let source = SourceFile::new("oci:dir,x:v1/manifests/a%b.yaml", "spec:\n  über: \"1\"\n");
    let place = |range| Place::new(&source, range);
    let findings = [
        (
            Some("csv"),
            Diagnostic {
                message: "spec.<a> & \"b\"\n::error::x".to_owned(),
                ..Diagnostic::new(&rules::CONTENT_CSV_SHAPE, "").at(place(8..13))
            },
        ),
        (
            Some("format"),
            Diagnostic::new(&rules::ANN_CHANNEL_BLANK, "a blank")
                .at(place(0..13))
                .also(place(15..18), "see, here"),
        ),
        (
            None,
            Diagnostic::new(&rules::OPT_SEVERAL, "twice\u{1b}[31m").help("Nothing."),
        ),
    ];
    let findings = findings.map(|(validator, diagnostic)| Finding { validator, diagnostic });
    vec![
        Validation {
            incomplete: false,
            bundle: "oci:dir,x:v1".to_owned(),
            media_type: Some(MediaType::RegistryV1),
            findings: findings.into(),
        },
        Validation {
            incomplete: false,
            bundle: "empty".to_owned(),
            media_type: None,
            findings: Vec::new(),
        },
    ]
}

#[test]
fn json_has_exactly_the_fields_of_its_schema() {
    let report: Value =
        serde_json::from_str(&report("opmx bundle validate", &sample(), ReportFormat::Json, false)).unwrap();
    let validator = jsonschema::validator_for(&json_schema()).unwrap();
    assert!(validator.is_valid(&report), "{report}");
    let first = &report["bundles"][0];
    assert_eq!(
        (first["errors"].as_u64(), first["warnings"].as_u64()),
        (Some(1), Some(1))
    );
    let keys: Vec<&String> = first["findings"][0].as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "rule",
            "severity",
            "validator",
            "message",
            "file",
            "line",
            "column",
            "help",
            "fixable"
        ]
    );
    assert_eq!(
        (&first["findings"][0]["line"], &first["findings"][0]["column"]),
        (&2.into(), &3.into())
    );
    assert!(first["findings"][2]["validator"].is_null() && first["findings"][2]["line"].is_null());
    let mut wrong = report.clone();
    wrong["bundles"][0]["findings"][0]["more"] = Value::Null;
    assert!(!validator.is_valid(&wrong));
    wrong["bundles"][0]["findings"][0] = Value::Null;
    assert!(!validator.is_valid(&wrong));
}

#[test]
fn sarif_matches_its_schema() {
    let report: Value =
        serde_json::from_str(&report("opmx bundle validate", &sample(), ReportFormat::Sarif, false)).unwrap();
    // The parts of the SARIF 2.1.0 schema that are used here.
    let message =
        serde_json::json!({"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}});
    let location = serde_json::json!({"type": "object", "required": ["physicalLocation"], "properties": {
        "id": {"type": "integer", "minimum": 0},
        "message": message,
        "physicalLocation": {"type": "object", "required": ["artifactLocation"], "properties": {
            "artifactLocation": {"type": "object", "required": ["uri"], "properties": {
                "uri": {"type": "string", "pattern": "^[A-Za-z0-9._~/%-]+$"}}},
            "region": {"type": "object", "required": ["startLine"], "additionalProperties": {"type": "integer", "minimum": 1}},
        }},
    }});
    let level = serde_json::json!({"enum": ["none", "note", "warning", "error"]});
    let rule = serde_json::json!({"type": "object", "required": ["id"], "properties": {
        "id": {"type": "string"},
        "shortDescription": message,
        "help": message,
        "defaultConfiguration": {"type": "object", "properties": {"level": level}},
    }});
    let driver = serde_json::json!({"type": "object", "required": ["name"], "properties": {
        "rules": {"type": "array", "items": rule},
    }});
    let result = serde_json::json!({
        "type": "object",
        "required": ["message", "ruleId", "ruleIndex", "level", "locations"],
        "properties": {
            "ruleId": {"type": "string"},
            "ruleIndex": {"type": "integer", "minimum": 0},
            "level": level,
            "message": message,
            "locations": {"type": "array", "minItems": 1, "items": location},
            "relatedLocations": {"type": "array", "items": location},
            "properties": {"type": "object"},
        },
        "additionalProperties": false,
    });
    let run = serde_json::json!({"type": "object", "required": ["tool", "results"], "properties": {
        "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        "tool": {"type": "object", "required": ["driver"], "properties": {"driver": driver}},
        "results": {"type": "array", "items": result},
    }});
    let schema = serde_json::json!({"type": "object", "required": ["version", "runs"], "properties": {
        "$schema": {"type": "string"},
        "version": {"const": "2.1.0"},
        "runs": {"type": "array", "minItems": 1, "items": run},
    }});
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&report).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{report}");
    let run = &report["runs"][0];
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
    let place = &run["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(
        place["artifactLocation"]["uri"],
        "oci%3Adir%2Cx%3Av1/manifests/a%25b.yaml"
    );
    assert_eq!(
        (&place["region"]["startColumn"], &place["region"]["endColumn"]),
        (&3.into(), &7.into())
    );
}

#[test]
fn workflow_commands_stay_on_one_line() {
    insta::assert_snapshot!(report("opmx bundle validate", &sample(), ReportFormat::Github, false), @r#"
    ::error file=oci%3Adir%2Cx%3Av1/manifests/a%25b.yaml,line=2,endLine=2,col=3,endColumn=7,title=content-csv-shape::spec.<a> & "b"%0A::error::x. Use a value of the correct type; otherwise the ClusterServiceVersion is unreadable.
    ::warning file=oci%3Adir%2Cx%3Av1/manifests/a%25b.yaml,line=1,endLine=2,title=ann-channel-blank::a blank. Separate the channels with commas, without spaces.
    ::notice title=opt-several::twice\u{1b}[31m. Nothing.
    2 bundles, 1 with errors: 1 error, 1 warning
    "#);
}

#[test]
fn junit_is_xml_with_a_case_per_finding() {
    insta::assert_snapshot!(report("opmx bundle validate", &sample(), ReportFormat::Junit, false), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="opmx bundle validate" tests="4" failures="1">
      <testsuite name="oci:dir,x:v1" tests="3" failures="1" errors="0">
        <testcase classname="oci:dir,x:v1" name="content-csv-shape oci:dir,x:v1/manifests/a%b.yaml:2:3">
          <failure type="content-csv-shape" message="spec.&lt;a&gt; &amp; &quot;b&quot;&#10;::error::x">oci:dir,x:v1/manifests/a%b.yaml:2:3&#10;Use a value of the correct type; otherwise the ClusterServiceVersion is unreadable.</failure>
        </testcase>
        <testcase classname="oci:dir,x:v1" name="ann-channel-blank oci:dir,x:v1/manifests/a%b.yaml:1:1">
          <system-out>warning: a blank
    oci:dir,x:v1/manifests/a%b.yaml:1:1&#10;Separate the channels with commas, without spaces.</system-out>
        </testcase>
        <testcase classname="oci:dir,x:v1" name="opt-several">
          <system-out>info: twice�[31m
    Nothing.</system-out>
        </testcase>
      </testsuite>
      <testsuite name="empty" tests="1" failures="0" errors="0">
        <testcase classname="empty" name="no findings"/>
      </testsuite>
    </testsuites>
    "#);
}

#[test]
fn junit_cases_at_the_same_place_have_different_names() {
    let twice = Validation {
        findings: sample()[0]
            .findings
            .iter()
            .flat_map(|one| [one.clone(), one.clone()])
            .collect(),
        ..sample().remove(0)
    };
    let text = report("opmx", &[twice], ReportFormat::Junit, false);
    let names: Vec<&str> = text.lines().filter(|line| line.contains("<testcase")).collect();
    let different: std::collections::BTreeSet<&&str> = names.iter().collect();
    assert_eq!((names.len(), different.len()), (6, 6), "{text}");
    assert!(names[5].ends_with(" name=\"opt-several (2)\">"), "{text}");
}

#[test]
fn text_ends_with_a_one_line_summary() {
    let text = report("opmx bundle validate", &sample(), ReportFormat::Text, false);
    assert_eq!(
        text.lines().last(),
        Some("2 bundles, 1 with errors: 1 error, 1 warning")
    );
    assert!(
        text.contains("error[content-csv-shape]") && text.contains("manifests/a%b.yaml:2:3"),
        "{text}"
    );
    let one = &sample()[1..];
    assert_eq!(
        report("opmx bundle validate", one, ReportFormat::Text, false),
        "empty: no errors, no warnings\n"
    );
}

#[test]
fn reports_for_ci_systems_are_written_finding_by_finding() {
    struct Longest {
        text: String,
        part: usize,
    }
    impl fmt::Write for Longest {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.text.push_str(text);
            self.part = self.part.max(text.len());
            Ok(())
        }
    }
    let many = Validation {
        findings: sample()[0].findings.iter().cycle().take(3000).cloned().collect(),
        ..sample().remove(0)
    };
    for format in [ReportFormat::Sarif, ReportFormat::Github, ReportFormat::Junit] {
        let mut out = Longest {
            text: String::new(),
            part: 0,
        };
        write("opmx", std::slice::from_ref(&many), format, false, &mut out).unwrap();
        assert!(out.text.len() > 100 * out.part, "{format:?}: {} bytes", out.part);
    }
}

#[test]
fn sarif_written_in_parts_has_the_layout_of_other_json() {
    for validations in [&sample()[..], &sample()[1..], &[]] {
        let text = report("opmx", validations, ReportFormat::Sarif, false);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(text, crate::text::to_json(&value));
    }
}
