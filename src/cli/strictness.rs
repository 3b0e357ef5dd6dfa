//! The strictness of checks, for all commands that check bundles and catalogs.

use crate::cli::values::name;
use crate::diagnostic::Diagnostic;
use crate::rules::{Gate, Rule, Severity};
use crate::terminal::Printer;
use crate::validation::{Selection, Strictness, rule_named};
use clap::{Args, ValueEnum};

/// The options that change the severity of findings or suppress them.
#[derive(Debug, Clone, Args)]
pub(crate) struct SelectionArguments {
    /// Treat warnings as errors
    #[arg(long, value_enum, value_name = "SEVERITY")]
    deny: Vec<Denied>,
    /// Do not report findings from these rules
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = rule)]
    allow: Vec<RuleName>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Denied {
    /// All warnings
    Warnings,
}

/// A rule that is specified by its id.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RuleName(pub(crate) &'static Rule);

/// Parses a rule id.
pub(crate) fn rule(id: &str) -> Result<RuleName, String> {
    rule_named(&name(id)?).map(RuleName).map_err(|error| error.to_string())
}

impl SelectionArguments {
    /// Returns the selection of findings.
    pub(crate) fn selection(&self) -> Selection {
        Selection {
            allow: self.allow.iter().map(|name| name.0).collect(),
            only: Vec::new(),
            deny_warnings: self.deny.contains(&Denied::Warnings),
        }
    }
}

/// The options for checks on content that may already be published.
#[derive(Debug, Clone, Args)]
pub(crate) struct StrictnessArguments {
    /// Report problems as errors even if they are usually tolerated in published content
    ///
    /// Many published bundles and catalogs have problems that older programs did not check for, and that can no longer
    /// be corrected. By default, these problems are warnings that explain the consequences. The page opmx-rules(1)
    /// lists them.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    selection: SelectionArguments,
}

/// Shows the warnings about accepted bundles. Findings of lower severity are only for the authors of bundles.
pub(crate) fn warn(findings: &[Diagnostic], printer: &Printer) {
    let warnings = findings.iter().filter(|finding| finding.severity == Severity::Warning);
    printer.report(&warnings.cloned().collect::<Vec<_>>());
}

impl StrictnessArguments {
    /// Returns whether a warning about the result of a change counts as an error.
    pub(crate) fn refuses_warnings(&self) -> bool {
        self.strict || self.selection.deny.contains(&Denied::Warnings)
    }

    /// Returns the strictness of the checks.
    pub(crate) fn strictness(&self) -> Strictness {
        Strictness {
            gate: if self.strict { Gate::Authoring } else { Gate::Intake },
            selection: self.selection.selection(),
        }
    }
}
