//! JUnit XML: a suite for each bundle, a test case for each finding, and a passing test case if there are no findings.

use super::counts;
use crate::rules::Severity;
use crate::terminal::advice;
use crate::validation::{Finding, Validation};
use crate::visible::{begins_command, is_hidden, is_marker};
use std::collections::BTreeMap;
use std::fmt::{self, Write};

pub(super) fn write(command: &str, validations: &[Validation], out: &mut dyn Write) -> fmt::Result {
    out.write_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")?;
    let tests: usize = validations.iter().map(cases).sum();
    let failures: usize = validations.iter().map(|validation| counts(validation).0).sum();
    writeln!(
        out,
        "<testsuites name=\"{command}\" tests=\"{tests}\" failures=\"{failures}\">"
    )?;
    for validation in validations {
        suite(validation, out)?;
    }
    out.write_str("</testsuites>\n")
}

/// Returns the number of test cases of a suite. A suite without a case looks like a suite that did not run.
fn cases(validation: &Validation) -> usize {
    validation.findings.len().max(1)
}

fn suite(validation: &Validation, out: &mut dyn Write) -> fmt::Result {
    let name = escaped(&validation.bundle);
    let (errors, _) = counts(validation);
    let tests = cases(validation);
    writeln!(
        out,
        "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{errors}\" errors=\"0\">"
    )?;
    if validation.findings.is_empty() {
        writeln!(out, "    <testcase classname=\"{name}\" name=\"no findings\"/>")?;
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for finding in &validation.findings {
        let mut own = case_name(finding);
        // Programs that read reports merge test cases with the same name.
        let count = seen.entry(own.clone()).or_default();
        *count += 1;
        if *count > 1 {
            own = format!("{own} ({count})");
        }
        case(&name, &own, finding, out)?;
    }
    out.write_str("  </testsuite>\n")
}

fn case_name(finding: &Finding) -> String {
    let diagnostic = &finding.diagnostic;
    match &diagnostic.place {
        Some(place) => format!("{} {place}", diagnostic.rule.id),
        None => diagnostic.rule.id.to_owned(),
    }
}

fn case(bundle: &str, name: &str, finding: &Finding, out: &mut dyn Write) -> fmt::Result {
    let diagnostic = &finding.diagnostic;
    let place = diagnostic.place.as_ref().map(ToString::to_string);
    writeln!(out, "    <testcase classname=\"{bundle}\" name=\"{}\">", escaped(name))?;
    let advice = advice::of(diagnostic);
    let details = [place.as_deref(), Some(&*advice)];
    let details: Vec<&str> = details.into_iter().flatten().collect();
    let text = escaped(&details.join("\n"));
    let message = escaped(&diagnostic.message);
    if diagnostic.severity == Severity::Error {
        let rule = diagnostic.rule.id;
        writeln!(
            out,
            "      <failure type=\"{rule}\" message=\"{message}\">{text}</failure>"
        )?;
    } else {
        let severity = diagnostic.severity;
        writeln!(out, "      <system-out>{severity}: {message}\n{text}</system-out>")?;
    }
    out.write_str("    </testcase>\n")
}

/// Escapes text for an element or an attribute. Characters that XML cannot represent are replaced; hidden characters,
/// and those that start a workflow command, become character references.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let command = begins_command(text).then(|| text.find(':')).flatten();
    for (at, character) in text.char_indices() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ if is_hidden(character) || Some(at) == command || character == '#' && is_marker(text, at) => {
                // Writing to a string cannot fail.
                let _ = write!(out, "&#{};", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out
}
