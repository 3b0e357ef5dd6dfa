//! Escaping of untrusted strings in HTML and XML.

use crate::visible::is_hidden;
use std::fmt::{self, Write};

/// The escaper of the templates, for text and for attribute values in double quotes. Hidden characters are written as
/// escapes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Html;

impl askama::filters::Escaper for Html {
    fn write_escaped_str<W: Write>(&self, mut dest: W, string: &str) -> fmt::Result {
        let mut rest = string;
        while let Some(at) = rest.find(|character| replaced(character).is_some() || is_hidden(character)) {
            let (before, behind) = rest.split_at(at);
            dest.write_str(before)?;
            let mut characters = behind.chars();
            let character = characters.next().unwrap_or_default();
            match replaced(character) {
                Some(entity) => dest.write_str(entity)?,
                None => write!(dest, "\\u{{{:x}}}", u32::from(character))?,
            }
            rest = characters.as_str();
        }
        dest.write_str(rest)
    }
}

fn replaced(character: char) -> Option<&'static str> {
    match character {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        '\'' => Some("&#39;"),
        _ => None,
    }
}

/// Escapes a string for the text of an element.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Writing to a string cannot fail.
    let _ = askama::filters::Escaper::write_escaped_str(&Html, &mut out, text);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_hidden_characters_are_escaped() {
        assert_eq!(
            escaped("<a href=\"x\" title='y'>é & \u{202e}z\u{1b}[1m</a>\n"),
            "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;é &amp; \\u{202e}z\\u{1b}[1m&lt;/a&gt;\n"
        );
    }
}
