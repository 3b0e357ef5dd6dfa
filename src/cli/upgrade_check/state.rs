//! The operators and the conditions of a what-if file.

use crate::cli::arguments::LimitArguments;
use crate::cli::error::CommandError;
use crate::cli::{Context, input};
use crate::cluster::conditions::InstalledOperator;
use crate::diagnostic;
use crate::text::{self, Document};
use serde_json::Value;

/// The namespace of a file that names none.
const NAMESPACE: &str = "operators";

/// A what-if file, of which only operators and conditions are looked at.
pub(super) struct State(Value);

impl State {
    /// Reads the file, or standard input where its name is `-`.
    pub(super) fn read(name: &str, limits: &LimitArguments, context: &Context<'_>) -> Result<Self, CommandError> {
        let limits = limits.text();
        let (name, content) = input::read(name, limits.file_bytes, context)?;
        let reading = text::read(&name, &content, &limits);
        if diagnostic::has_errors(&reading.diagnostics) {
            context.printer.report(&reading.diagnostics);
            return Err(CommandError::failure(format!("{name} cannot be read")));
        }
        let mut documents = reading.documents.into_iter().map(Document::into_value);
        match (documents.next(), documents.next()) {
            (Some(state @ Value::Object(_)), None) if state.get("kind").is_none() => Ok(Self(state)),
            _ => Err(CommandError::failure(format!("{name} is no what-if file"))
                .hint("a dump of a cluster is given without --state")),
        }
    }

    /// The conditions and the other objects.
    pub(super) fn objects(&self) -> impl Iterator<Item = &Value> {
        self.list("conditions").iter().chain(self.list("objects"))
    }

    /// The operators that are installed.
    pub(super) fn installed(&self) -> Vec<InstalledOperator<'_>> {
        let namespace = text(&self.0, "namespace").unwrap_or(NAMESPACE);
        let operator = |entry| InstalledOperator {
            name: text(entry, "name").unwrap_or_default(),
            namespace: Some(namespace),
            version: text(entry, "version"),
            package: text(entry, "package"),
            phase: text(entry, "phase").or(Some("Succeeded")),
        };
        self.list("installed").iter().map(operator).collect()
    }

    fn list(&self, key: &str) -> &[Value] {
        let list = self.0.get(key).and_then(Value::as_array);
        list.map(Vec::as_slice).unwrap_or_default()
    }
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}
