//! The page of the book about the rules, with a section for each file of `src/rules`.

use super::{anchor, cell, repository};
use opmx::rules::examples::{self, Example};
use opmx::rules::{Gate, Rule};
use opmx::terminal::advice;
use std::fs;

const LEAD: &str = "\
# Rules

opmx checks content at three gates. *Authoring* is where an author can still correct it: `bundle validate`, `bundle
build`, and every command with `--strict`. The validators of the Operator Framework, which `bundle validate` runs, are
not part of a build, except the checks of the CustomResourceDefinitions of `k8s+v1` bundles. *Intake* is where
published content is added to an index or a catalog, and *serving* is every check of an existing index or catalog.

Each rule lists its severity at the gates that check it; the check may give a single finding another severity.
Published `registry+v1` bundles and catalogs can no longer be corrected, so many errors for authors are only warnings
at intake; the rule then says what happens to the published content. Only opmx publishes `k8s+v1` bundles, so what
prevents their build is also an error at intake.

Within each section, the rules are in alphabetical order. `opmx bundle rules RULE` also shows a wrong and a right
example. An id never changes its meaning.

";

/// A file of rules.
struct Subject {
    title: String,
    text: String,
    rules: Vec<&'static Rule>,
}

pub(super) fn page() -> String {
    let mut subjects: Vec<Subject> = Vec::new();
    let sources = sources();
    for rule in opmx::rules::all() {
        let id = format!("= \"{}\",", rule.id);
        let source = sources
            .iter()
            .find(|text| text.contains(&id))
            .expect("the file of a rule");
        match subjects.iter_mut().find(|subject| subject.text == *source) {
            Some(subject) => subject.rules.push(rule),
            None => subjects.push(Subject {
                title: title(source),
                text: source.clone(),
                rules: vec![rule],
            }),
        }
    }
    let mut page = LEAD.to_owned();
    for Subject { title, .. } in &subjects {
        page += &format!("- [{title}](#{})\n", anchor(title));
    }
    let examples = examples::all().expect("the examples");
    for Subject { title, mut rules, .. } in subjects {
        page += &format!("\n## {title}\n");
        rules.sort_by_key(|rule| rule.id);
        for rule in rules {
            page += &section(rule, &examples[rule.id]);
        }
    }
    page
}

fn sources() -> Vec<String> {
    let files = fs::read_dir(repository("src/rules")).expect("the folder of the rules");
    let paths = files.map(|file| file.expect("an entry of the folder").path());
    let files = paths.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    files
        .map(|path| fs::read_to_string(path).expect("a readable file"))
        .collect()
}

/// Returns the first line of a file of rules, which describes them.
fn title(source: &str) -> String {
    let line = source.lines().next().and_then(|line| line.strip_prefix("//! "));
    line.expect("a description of the file")
        .trim_end_matches('.')
        .to_owned()
}

fn section(rule: &Rule, example: &Example) -> String {
    let severities = Gate::ALL.into_iter().filter_map(|gate| {
        let name = match gate {
            Gate::Authoring => "authoring",
            Gate::Intake => "intake",
            Gate::PlainIntake => "intake of `k8s+v1`",
            Gate::Serving => "serving",
        };
        Some(format!("{} ({name})", rule.at(gate)?))
    });
    let severities: Vec<String> = severities.collect();
    let mut section = format!(
        "\n### `{}`\n\n- Example of a problem: {}\n- What to do: {}\n- Severity: {}\n",
        rule.id,
        cell(&example.about),
        cell(&advice::of_rule(rule)),
        severities.join(", "),
    );
    if let Some(consequence) = rule.consequence() {
        section += &format!("- Published content: {}\n", cell(consequence));
    }
    section
}
