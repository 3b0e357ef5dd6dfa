//! `opmx bundle rules`: the table of rules, and what one of them wants.

use crate::cli::Context;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::rules::{ALL, Rule};
use crate::terminal::Format;
use crate::terminal::table::Table;
use crate::validation::rule_named;
use clap::Args;
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Examples:
  All rules, one on each line
  $ opmx bundle rules

  What one of them wants
  $ opmx bundle rules dep-intent-value";

/// List the rules of bundles, or explain one
///
/// Findings name the rule that they come from. Each rule has a severity, the proposal or format that asks for it, and
/// what to do about it. An id never changes its meaning.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RulesArguments {
    /// The id of a rule
    rule: Option<String>,
    #[command(flatten)]
    output: crate::cli::arguments::OutputArguments,
}

pub(crate) fn run(arguments: &RulesArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    let format = arguments.output.output;
    match &arguments.rule {
        Some(id) => {
            let rule = rule_named(id).map_err(|error| CommandError::usage(error.to_string()))?;
            if format == Format::Text {
                printer.line(format!(
                    "{} ({}), from {}\n\n{}",
                    rule.id, rule.severity, rule.source, rule.help
                ))?;
            } else {
                printer.document(format, &described(rule))?;
            }
        }
        None if format == Format::Text => {
            let mut table = Table::new(printer.stdout(), ["RULE", "SEVERITY", "FROM", "WHAT TO DO"]);
            for rule in ALL {
                table.row([rule.id, &rule.severity.to_string(), rule.source, rule.help])?;
            }
            table.finish()?;
        }
        None => printer.document(format, &ALL.iter().map(|rule| described(rule)).collect::<Vec<_>>())?,
    }
    Ok(Status::Success)
}

fn described(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "severity": rule.severity.to_string(),
        "source": rule.source,
        "help": rule.help,
    })
}
