//! The components of an operator on a cluster, as text.

use crate::install::operator::{Api, Condition, Operator, Reference};
use crate::terminal::output::{OutputError, Printer};
use crate::terminal::table::Table;

/// Prints an operator: its identity, the known facts about it, and its components.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn print(operator: &Operator, printer: &Printer) -> Result<(), OutputError> {
    for (name, value) in facts(operator) {
        let value = value.replace('\n', " ");
        printer.line(format!("{name:12}  {value}"))?;
    }
    printer.line("")?;
    let mut table = Table::new(
        printer.stdout(),
        ["COMPONENT", "NAMESPACE", "API VERSION", "CONDITIONS"],
    );
    for reference in &operator.status.components.refs {
        let Reference {
            kind,
            name,
            namespace,
            api_version,
            conditions,
            ..
        } = reference;
        let conditions: Vec<String> = conditions.iter().map(condition).collect();
        table.row([
            &format!("{kind}/{name}"),
            namespace.as_deref().unwrap_or_default(),
            api_version,
            &conditions.join("; "),
        ])?;
    }
    table.finish()
}

/// Returns the known facts with their names. Unknown facts are omitted.
fn facts(operator: &Operator) -> Vec<(&'static str, String)> {
    let status = &operator.status;
    let mut facts = vec![("operator", operator.metadata.name.clone())];
    if let Some(metadata) = &status.metadata {
        facts.push(("display name", metadata.display_name.clone()));
        facts.push(("version", metadata.version.clone()));
        facts.extend(metadata.apis.provides.iter().map(|one| ("provides", api(one))));
        facts.extend(metadata.apis.requires.iter().map(|one| ("requires", api(one))));
    }
    if let Some(updates) = &status.updates {
        let channels: Vec<&str> = updates.available.iter().map(|update| update.channel.as_str()).collect();
        facts.push(("updates in", channels.join(", ")));
        facts.extend(updates.manifest_image.iter().map(|image| ("resolved", image.clone())));
    }
    // The differences follow below, one line each.
    let shown = |one: &Condition| match one.message.as_deref().and_then(|message| message.split_once(": ")) {
        Some((first, _)) if one.kind == "ComponentsDiverge" && !operator.diverging.is_empty() => {
            condition(&Condition {
                message: Some(first.to_owned()),
                ..one.clone()
            })
        }
        _ => condition(one),
    };
    facts.extend(status.conditions.iter().map(|one| ("condition", shown(one))));
    let diverging = operator.diverging.iter();
    facts.extend(diverging.map(|one| ("diverges", format!("{}: {}", one.component(), one.words()))));
    let labels = status.components.match_labels.keys();
    facts.extend(labels.map(|label| ("label", label.clone())));
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

fn api(api: &Api) -> String {
    let version = if api.version.is_empty() {
        String::new()
    } else {
        format!("/{}", api.version)
    };
    format!("{} ({}{version})", api.kind, api.group)
}

fn condition(condition: &Condition) -> String {
    let mut text = condition.kind.clone();
    if condition.status != "True" {
        text.push('=');
        text.push_str(&condition.status);
    }
    if let Some(reason) = &condition.reason {
        text.push_str(&format!(" ({reason})"));
    }
    if let Some(since) = &condition.last_transition_time {
        text.push_str(&format!(" since {since}"));
    }
    if let Some(message) = &condition.message {
        text.push_str(&format!(": {message}"));
    }
    text
}
