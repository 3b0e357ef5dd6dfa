//! How strictly bundles and catalogs are judged, for all commands that judge them.

use crate::diagnostic::Diagnostic;
use crate::rules::{Gate, Rule, Severity};
use crate::terminal::Printer;
use crate::validation::{Selection, Strictness, rule_named};
use clap::{Args, ValueEnum};

/// What is done with the findings of some rules.
#[derive(Debug, Clone, Args)]
pub(crate) struct SelectionArguments {
    /// Treat warnings as errors
    #[arg(long, value_enum, value_name = "WHAT")]
    deny: Vec<Denied>,
    /// Do not report this rule
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = rule)]
    allow: Vec<RuleName>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Denied {
    /// Everything that only warns
    Warnings,
}

/// A rule by its id.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RuleName(pub(crate) &'static Rule);

/// Reads the id of a rule.
pub(crate) fn rule(id: &str) -> Result<RuleName, String> {
    rule_named(id).map(RuleName).map_err(|error| error.to_string())
}

impl SelectionArguments {
    /// What is done with which findings.
    pub(crate) fn selection(&self) -> Selection {
        Selection {
            allow: self.allow.iter().map(|name| name.0).collect(),
            only: Vec::new(),
            deny_warnings: self.deny.contains(&Denied::Warnings),
        }
    }
}

/// How strictly something that may be published already is judged.
#[derive(Debug, Clone, Args)]
pub(crate) struct StrictnessArguments {
    /// Refuse what is only taken because it is published: report the errors that an author would get
    ///
    /// Many published bundles and catalogs have faults that older programs never looked for, and that nobody can
    /// correct any more. By default these faults are warnings that say what becomes of them. The page opmx-rules(1)
    /// says which.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    selection: SelectionArguments,
}

/// Shows the warnings about bundles that were taken; what is merely remarkable is for their authors.
pub(crate) fn warn(findings: &[Diagnostic], printer: &Printer) {
    let warnings = findings.iter().filter(|finding| finding.severity == Severity::Warning);
    printer.report(&warnings.cloned().collect::<Vec<_>>());
}

impl StrictnessArguments {
    /// How strictly it is judged.
    pub(crate) fn strictness(&self) -> Strictness {
        Strictness {
            gate: if self.strict { Gate::Authoring } else { Gate::Intake },
            selection: self.selection.selection(),
        }
    }
}
