//! `opmx bundle rules`: the table of rules, and the explanation of a rule with an example.

use crate::cli::Context;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::example::found_by;
use crate::cli::values::OneOf;
use crate::rules::examples::{self, Example};
use crate::rules::{self, Gate, Rule, Scope};
use crate::terminal::table::Table;
use crate::terminal::{Format, advice};
use crate::validation::rule_named;
use clap::Args;
use clap::builder::PossibleValue;
use clap::builder::styling::{AnsiColor, Style};
use serde_json::{Map, Value, json};

const EXAMPLES: &str = "\
Examples:
  List all rules, one per line
  $ opmx bundle rules

  Explain a rule, with an example
  $ opmx bundle rules dep-intent-value";

/// List the rules, or explain one of them
///
/// Findings name the violated rule. The explanation of a rule names the proposal or format that requires the rule,
/// gives advice, and shows a wrong and a right example. It also shows the severities of the rule: for authors
/// (authoring), for published content that is added to an index or a catalog (intake), and in existing indexes
/// (serving). The meaning of an id never changes.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RulesArguments {
    /// Id of a rule
    #[arg(value_name = "RULE", value_parser = OneOf(ids), hide_possible_values = true)]
    rule: Option<String>,
    #[command(flatten)]
    output: crate::cli::arguments::OutputArguments,
}

fn ids() -> Vec<PossibleValue> {
    rules::all().map(|rule| PossibleValue::new(rule.id)).collect()
}

pub(crate) fn run(arguments: &RulesArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    let format = arguments.output.output;
    match &arguments.rule {
        Some(id) => {
            let rule = rule_named(id).map_err(|error| CommandError::usage(error.to_string()))?;
            let example = examples::of(rule).map_err(|error| unreadable(&error))?;
            if format == Format::Text {
                printer.styled(&explained(rule, example.as_ref(), printer.stdout_color()))?;
            } else {
                printer.document(format, &described(rule, example.as_ref()))?;
            }
        }
        None if format == Format::Text => {
            let mut table = Table::new(
                printer.stdout(),
                [
                    "RULE",
                    "AUTHORING",
                    "INTAKE",
                    "INTAKE K8S+V1",
                    "SERVING",
                    "FROM",
                    "WHAT TO DO",
                ],
            );
            for rule in rules::all() {
                let [authoring, intake, plain_intake, serving] = Gate::ALL.map(|gate| severity_at(rule, gate));
                let advice = advice::of_rule(rule);
                table.row([
                    rule.id,
                    &authoring,
                    &intake,
                    &plain_intake,
                    &serving,
                    rule.source,
                    &advice,
                ])?;
            }
            table.finish()?;
        }
        None => {
            let examples = examples::all().map_err(|error| unreadable(&error))?;
            let rules = rules::all().map(|rule| described(rule, examples.get(rule.id)));
            printer.document(format, &rules.collect::<Vec<_>>())?;
        }
    }
    Ok(Status::Success)
}

fn unreadable(error: &serde_yaml::Error) -> CommandError {
    CommandError::failure(format!("the built-in examples cannot be read: {error}"))
}

/// Returns the severity of a rule's findings at a gate, or a dash if the rule does not apply there.
fn severity_at(rule: &Rule, gate: Gate) -> String {
    rule.at(gate)
        .map_or_else(|| "-".to_owned(), |severity| severity.to_string())
}

/// Returns the headings of the two snippets of an example. Each heading names the file of its snippet; the first
/// heading also describes the fault.
pub(crate) fn headings(example: &Example) -> [String; 2] {
    if example.command_line {
        return [format!("Wrong: {}", example.about), "Right".to_owned()];
    }
    let right = match example.right_file() {
        same if same == example.file => "Right".to_owned(),
        other => format!("Right, in {other}"),
    };
    [format!("Wrong, in {}: {}", example.file, example.about), right]
}

fn explained(rule: &Rule, example: Option<&Example>, color: bool) -> String {
    let (id, severity) = (styled(BOLD, rule.id, color), rule.severity);
    let mut text = format!("{id} ({severity}), from {}\n\n{}\n", rule.source, advice::of_rule(rule));
    if let Some(consequence) = rule.consequence() {
        let published = match rule.scope {
            Scope::Bundles | Scope::BundlesAndIndexes => "a published registry+v1 bundle",
            _ => "a published catalog",
        };
        text.push_str(&format!("\nIn {published}, this is a warning. {consequence}\n"));
    }
    let Some(example) = example else {
        return text;
    };
    let [wrong, right] = headings(example);
    let snippets = [
        (styled(RED, &wrong, color), example.shown_wrong()),
        (styled(GREEN, &right, color), example.shown_right()),
    ];
    for (heading, snippet) in snippets {
        text.push_str(&format!("\n{heading}\n\n"));
        text.extend(snippet.lines().map(|line| format!("    {line}\n")));
    }
    if let Some(policy) = &example.policy {
        text.push_str("\nWith policy.yaml\n\n");
        text.extend(policy.lines().map(|line| format!("    {line}\n")));
    }
    text.push_str(&format!("\nFound by {}\n", styled(BOLD, &found_by(example), color)));
    text
}

const BOLD: Style = Style::new().bold();
const RED: Style = AnsiColor::Red.on_default().bold();
const GREEN: Style = AnsiColor::Green.on_default().bold();

fn styled(style: Style, text: &str, color: bool) -> String {
    if color {
        format!("{style}{text}{style:#}")
    } else {
        text.to_owned()
    }
}

fn described(rule: &Rule, example: Option<&Example>) -> Value {
    let mut value = json!({
        "id": rule.id,
        "severity": rule.severity.to_string(),
        "gates": Gate::ALL
            .into_iter()
            .filter_map(|gate| Some((gate.to_string(), json!(rule.at(gate)?.to_string()))))
            .collect::<Map<_, _>>(),
        "source": rule.source,
        "help": advice::of_rule(rule),
    });
    if let Some(consequence) = rule.consequence() {
        value["consequence"] = json!(consequence);
    }
    if let Some(example) = example {
        value["example"] = json!({
            "about": example.about,
            "foundBy": found_by(example),
            "wrong": snippet(example, &example.file, &example.shown_wrong()),
            "right": snippet(example, example.right_file(), &example.shown_right()),
        });
    }
    value
}

fn snippet(example: &Example, file: &str, text: &str) -> Value {
    if example.command_line {
        json!({"text": text})
    } else {
        json!({"file": file, "text": text})
    }
}
