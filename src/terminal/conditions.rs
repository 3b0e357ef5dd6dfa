//! The conditions that operators report about themselves, and the commands with which an administrator overrides them,
//! as text.

use crate::cluster::conditions::{Check, Release, Said, Upgrade};
use crate::terminal::output::{OutputError, Printer};
use crate::terminal::shell::word;
use crate::terminal::table::Table;

/// Returns the command that overrides a condition.
pub fn command(release: &Release) -> String {
    let Release {
        resource,
        name,
        namespace,
        patch,
    } = release;
    let namespace = namespace
        .as_ref()
        .map_or(String::new(), |name| format!(" -n {}", word(name)));
    let (name, patch) = (word(name), word(&patch.to_string()));
    format!("kubectl patch {resource} {name}{namespace} --type merge -p {patch}")
}

/// Prints whether operators may be upgraded. If `with_updates` is set, updates were resolved, and each check is shown
/// next to the update that is available for the operator.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn print(checks: &[(&Check, Option<String>)], with_updates: bool, printer: &Printer) -> Result<(), OutputError> {
    if with_updates {
        let headings = [
            "OPERATOR",
            "NAMESPACE",
            "UPGRADES",
            "WAITING",
            "LAST UPGRADE",
            "CONDITION",
            "WHY",
        ];
        let mut table = Table::new(printer.stdout(), headings);
        for (check, update) in checks {
            let [operator, namespace, upgrades, last, condition, why] = cells(check);
            let update = update.as_deref().unwrap_or_default();
            table.row([operator, namespace, upgrades, update, last, condition, why])?;
        }
        table.finish()?;
    } else {
        let headings = ["OPERATOR", "NAMESPACE", "UPGRADES", "LAST UPGRADE", "CONDITION", "WHY"];
        let mut table = Table::new(printer.stdout(), headings);
        for (check, _) in checks {
            table.row(cells(check))?;
        }
        table.finish()?;
    }
    print_conditions(checks, printer)?;
    for (check, _) in checks {
        let Some(release) = check.held_by.as_ref().and_then(|hold| hold.release.as_ref()) else {
            continue;
        };
        printer.line("")?;
        printer.line(format!("To let {} be upgraded anyway:", check.operator))?;
        printer.line(format!("  {}", command(release)))?;
    }
    Ok(())
}

fn cells(check: &Check) -> [&str; 6] {
    let upgrades = if check.upgradeable { "allowed" } else { "held" };
    let last = match check.upgrade {
        Upgrade::Done => "done",
        Upgrade::Upgrading => "in progress",
        Upgrade::NotStarted => "not started",
        Upgrade::NotDone => "not completed",
        Upgrade::AwaitsApproval => "waits for approval",
        Upgrade::Failed => "failed",
        Upgrade::Unknown => "",
    };
    [
        &check.operator,
        check.namespace.as_deref().unwrap_or_default(),
        upgrades,
        last,
        check.condition.as_deref().unwrap_or_default(),
        check.message.as_deref().unwrap_or_default(),
    ]
}

/// Prints the conditions that block an upgrade, those that are overridden, and those that OLM does not know.
fn print_conditions(checks: &[(&Check, Option<String>)], printer: &Printer) -> Result<(), OutputError> {
    let mut rows: Vec<(&Check, &Said, &str)> = Vec::new();
    for (check, _) in checks {
        if let Some(hold) = &check.held_by
            && let Some(said) = &hold.said
        {
            let effect = if hold.by_override {
                "an override that blocks the upgrade"
            } else {
                "blocks the upgrade"
            };
            rows.push((check, said, effect));
        }
        rows.extend(check.overridden.iter().map(|said| (*check, said, "overridden")));
        rows.extend(
            check
                .conditions
                .iter()
                .map(|said| (*check, said, "none (unknown to OLM)")),
        );
    }
    if rows.is_empty() {
        return Ok(());
    }
    printer.line("")?;
    let headings = [
        "OPERATOR",
        "NAMESPACE",
        "STATUS",
        "SINCE",
        "EFFECT",
        "REASON",
        "MESSAGE",
    ];
    let mut table = Table::new(printer.stdout(), headings);
    for (check, said, effect) in rows {
        table.row([
            &check.operator,
            check.namespace.as_deref().unwrap_or_default(),
            &said.state(),
            said.last_transition_time.as_deref().unwrap_or_default(),
            effect,
            said.reason.as_deref().unwrap_or_default(),
            said.message.as_deref().unwrap_or_default(),
        ])?;
    }
    table.finish()
}
