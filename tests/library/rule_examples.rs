//! The examples of the rules hold: the wrong one breaks its rule at the stated place, the right one breaks none.

pub(crate) mod bundles;
mod forms;
mod judgement;
mod places;

use bundles::{Side, files, snippet};
use judgement::{everything, judge, validation};
use opmx::cli::example::found_by;
use opmx::diagnostic::Diagnostic;
use opmx::rules::examples::{Example, all};
use opmx::rules::{self, Severity};
use opmx::validation::{Selection, Validation};
use std::collections::{BTreeMap, BTreeSet};

fn examples() -> BTreeMap<String, Example> {
    all().unwrap()
}

/// Returns the rules of the errors and warnings among the findings.
fn grave(findings: &[Diagnostic]) -> BTreeSet<&str> {
    let grave = findings.iter().filter(|finding| finding.severity != Severity::Info);
    grave.map(|finding| finding.rule.id).collect()
}

fn list(findings: &[Diagnostic]) -> String {
    findings.iter().map(|finding| format!("\n    {finding}")).collect()
}

fn report(problems: &[String]) {
    assert!(
        problems.is_empty(),
        "{} problems:\n{}",
        problems.len(),
        problems.join("\n")
    );
}

#[test]
fn every_wrong_example_breaks_exactly_the_rules_it_lists() {
    let mut problems = Vec::new();
    let examples = examples();
    for (id, example) in &examples {
        let findings = judge(example, Side::Wrong);
        let of_rule = findings.iter().filter(|finding| finding.rule.id == id);
        let mut found: Vec<&Diagnostic> = of_rule.collect();
        if example.judge.is_some() {
            // The original validators report the same more than once.
            found.dedup();
        }
        if found.len() != 1 {
            problems.push(format!("{id}: {} findings{}", found.len(), list(&findings)));
            continue;
        }
        let mut expected: BTreeSet<&str> = example.with.iter().map(String::as_str).collect();
        let mut others = grave(&findings);
        others.remove(id.as_str());
        expected.remove(id.as_str());
        if others != expected {
            problems.push(format!("{id}: comes with {others:?}, not {expected:?}"));
        }
    }
    println!("{} wrong examples", examples.len());
    report(&problems);
}

#[test]
fn every_right_example_passes_all_suites() {
    let mut problems = Vec::new();
    let examples = examples();
    for (id, example) in &examples {
        let findings = judge(example, Side::Right);
        if findings.iter().any(|finding| finding.rule.id == id) {
            problems.push(format!("{id}: the right example breaks it, too{}", list(&findings)));
        }
        let findings = everything(example, Side::Right);
        let still: BTreeSet<&str> = example.still.keys().map(String::as_str).collect();
        if grave(&findings) != still {
            problems.push(format!(
                "{id}: the right example is not right, but for {still:?}{}",
                list(&findings)
            ));
        }
    }
    report(&problems);
}

#[test]
fn findings_in_wrong_examples_are_located_in_their_snippets() {
    let mut problems = Vec::new();
    let (mut inside, mut elsewhere) = (0, 0);
    for (id, example) in &examples() {
        let findings = judge(example, Side::Wrong);
        let Some(finding) = findings.iter().find(|finding| finding.rule.id == id) else {
            continue;
        };
        let Some(place) = &finding.place else {
            if example.without_place.is_none() {
                problems.push(format!("{id}: has no place"));
            }
            continue;
        };
        if example.without_place.is_some() {
            problems.push(format!("{id}: has a place, {place}"));
        }
        if let Some(start) = &example.points_at {
            elsewhere += 1;
            if !place.text().starts_with(start.trim_end()) {
                problems.push(format!("{id}: points at {:?}, not at {start:?}", place.text()));
            }
            continue;
        }
        inside += 1;
        let (file, span) = snippet(example, Side::Wrong);
        let start = usize::try_from(place.offset()).unwrap();
        let end = start + place.span.len();
        let within = span.start <= start && end <= span.end;
        // Something that lacks a part is pointed at as a whole.
        let around = start <= span.end && span.end <= end + 1;
        if !place.source.name().ends_with(&file) || !within && !around {
            problems.push(format!("{id}: {place} ({:?}) is not in the snippet", place.text()));
        }
    }
    println!("{inside} findings stand in the snippet, {elsewhere} at a place that is named");
    report(&problems);
}

#[test]
fn allowing_a_rule_removes_exactly_its_findings() {
    for (id, example) in &examples() {
        let Some(validation) = validation(example, Side::Wrong) else {
            continue;
        };
        let mut allowed: Validation = validation.clone();
        let selection = Selection {
            allow: vec![rules::by_id(id).unwrap()],
            ..Selection::default()
        };
        let findings = &mut allowed.findings;
        findings.retain_mut(|finding| selection.keep(&mut finding.diagnostic));
        let mut rest = validation.findings.clone();
        rest.retain(|finding| finding.diagnostic.rule.id != id);
        assert!(rest.len() < validation.findings.len(), "{id}");
        assert_eq!(allowed.findings, rest, "{id}");
    }
}

#[test]
fn everything_an_example_specifies_is_required_for_its_finding() {
    let mut problems = Vec::new();
    for (id, example) in &examples() {
        let plain = Example {
            suite: None,
            judge: None,
            flags: BTreeMap::new(),
            categories: None,
            command: None,
            sources: Vec::new(),
            ..example.clone()
        };
        let special = found_by(example) != found_by(&plain);
        if !example.command_line && special == judge(&plain, Side::Wrong).iter().any(|finding| finding.rule.id == id) {
            problems.push(format!(
                "{id}: {}",
                if special { "needs no flags" } else { "needs a suite" }
            ));
        }
    }
    report(&problems);
}

#[test]
fn examples_are_short_and_printable() {
    for (id, example) in &examples() {
        assert!(files(example, Side::Right).len() > 1, "{id}");
        assert!(
            !example.about.is_empty() && !example.about.ends_with('.'),
            "{id}: {}",
            example.about
        );
        for text in [&example.wrong, &example.right].into_iter().flatten() {
            assert!(text.lines().count() <= 26, "{id} is too long to read");
            assert!(text.lines().all(|line| line.len() <= 120), "{id} is too wide to read");
        }
    }
}

/// Returns a page of the manual as plain text.
fn manual(page: &str) -> String {
    let text = std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(page)).unwrap();
    let escapes = [
        ("\\*(Aq", "'"),
        ("\\&", ""),
        ("\\-", "-"),
        ("\\fB", "*"),
        ("\\fR", "*"),
        ("\\\\", "\\"),
    ];
    let read = |text: String, (written, shown): (&str, &str)| text.replace(written, shown);
    escapes.into_iter().fold(text, read)
}

#[test]
fn the_manual_shows_every_rule_with_its_example() {
    let page = manual("man/opmx-rules.1");
    let examples = examples();
    for rule in rules::all() {
        let heading = format!("\n*{}*", rule.id);
        let (_, section) = page
            .split_once(&heading)
            .unwrap_or_else(|| panic!("{} is not in the manual", rule.id));
        let section = section.split("\n.TP\n").next().unwrap();
        let example = &examples[rule.id];
        let lines = [example.shown_wrong(), example.shown_right()];
        let lines = lines.iter().flat_map(|text| text.lines());
        let (help, about, found) = (rule.help, example.about.as_str(), found_by(example));
        for shown in lines.chain([rule.source, help, about, &found]) {
            assert!(
                section.contains(shown),
                "{}: the manual lacks {shown:?} in {section}",
                rule.id
            );
        }
    }
}
