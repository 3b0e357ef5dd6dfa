//! The comments in a YAML text.

use crate::text::decoded::content_start;
use crate::text::events::{Event, Events, Style};
use crate::text::places::trimmed;
use std::ops::Range;

/// Returns all comments, sorted, or `None` if the text is not YAML.
pub(super) fn comments(text: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    let mut at = 0;
    for scalar in scalars(text)? {
        between(text, at..scalar.start.max(at), &mut found);
        at = scalar.end.max(at);
    }
    between(text, at..text.len(), &mut found);
    found.sort_unstable();
    Some(found)
}

/// Returns the ranges of scalars, which cannot contain comments.
fn scalars(text: &str) -> Option<Vec<Range<usize>>> {
    let mut events = Events::new(text)?;
    let mut spans = Vec::new();
    loop {
        let (event, span) = events.next().ok()?;
        match event {
            Event::StreamEnd => return Some(spans),
            Event::Scalar { style, .. } => {
                let span = trimmed(text, span, style);
                let mut start = content_start(text, &span);
                if matches!(style, Style::Literal | Style::Folded) {
                    // A comment may follow the block scalar indicator.
                    let header = text.get(start..span.end).unwrap_or_default();
                    start += header.find('\n').unwrap_or(header.len());
                }
                spans.push(start..span.end);
            }
            _ => {}
        }
    }
}

fn between<'t>(text: &'t str, range: Range<usize>, found: &mut Vec<&'t str>) {
    let mut at = range.start;
    while let Some(sign) = text.get(at..range.end).and_then(|rest| rest.find('#')) {
        let start = at + sign;
        let before = text.get(..start).and_then(|before| before.chars().next_back());
        if before.is_some_and(|before| !before.is_whitespace()) {
            at = start + 1;
            continue;
        }
        let rest = text.get(start..).unwrap_or_default();
        let end = start + rest.find('\n').unwrap_or(rest.len());
        found.push(text.get(start..end).unwrap_or_default().trim_end());
        at = end;
    }
}
