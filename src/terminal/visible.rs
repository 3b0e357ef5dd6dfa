//! Text from files, images and registries, made safe to show.

use std::borrow::Cow;
use std::fmt::Write;

/// `text` with its control characters and text-direction overrides written out (`\u{1b}`), so that the content of a
/// bundle or index cannot move the cursor, change colours or reorder what a person reads. Newlines and tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if steers(character) {
            // Writing to a string cannot fail.
            let _ = write!(shown, "{}", character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

fn steers(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        _ => character.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(visible("a\u{1b}[31mb\u{9b}c\rd"), r"a\u{1b}[31mb\u{9b}c\u{d}d");
        assert_eq!(visible("x\u{202e}y"), r"x\u{202e}y");
    }

    #[test]
    fn ordinary_text_is_not_touched() {
        assert!(matches!(visible("Über\n\tdas 日本"), Cow::Borrowed(_)));
    }
}
