//! Annotations of a GitHub workflow: one runner command per line.

use super::text::summary;
use crate::rules::Severity;
use crate::terminal::advice;
use crate::validation::Validation;
use crate::visible::{lines, visible};
use std::fmt::{self, Write};

pub(super) fn write(validations: &[Validation], out: &mut dyn Write) -> fmt::Result {
    for finding in validations.iter().flat_map(|validation| &validation.findings) {
        let diagnostic = &finding.diagnostic;
        let command = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let mut properties = Vec::new();
        if let Some(place) = &diagnostic.place {
            let (start, end) = (place.start(), place.end());
            properties.push(format!("file={}", property(place.source.name())));
            properties.push(format!("line={}", start.line));
            properties.push(format!("endLine={}", end.line));
            // The runner accepts columns only within one line.
            if start.line == end.line {
                properties.push(format!("col={}", start.column));
                properties.push(format!("endColumn={}", end.column));
            }
        }
        properties.push(format!("title={}", property(diagnostic.rule.id)));
        let message = format!("{}. {}", diagnostic.message, advice::of(diagnostic));
        writeln!(out, "::{command} {}::{}", properties.join(","), data(&message))?;
    }
    writeln!(out, "{}", lines(&data(&summary(validations))))
}

/// Escapes text so that it cannot end its line and start a new command.
fn data(text: &str) -> String {
    let text = visible(text).replace('%', "%25");
    text.replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
