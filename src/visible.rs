//! Makes untrusted text safe to show on a terminal, in a CI log or in a document.
//!
//! Names, descriptions, paths and messages come from bundles, indexes, registries and clusters of unknown authors.
//! Three kinds of content must not reach a user or a CI system unchanged:
//!
//! - *Hidden characters* ([`is_hidden`]), which move the cursor, change colors, hide text or reverse its direction.
//! - *Line breaks in a single-line value*, such as a name. The rest would look like a line printed by opmx.
//! - *Workflow commands*, which a CI system executes: lines that begin with `::`, or contain `##[` or `##vso[`.
//!
//! They are escaped, as `\u{1b}` for an escape character, so that they become visible. Prose keeps its line breaks, and
//! the joiners that scripts and emoji need.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character is invisible and changes how the text around it is shown. Hidden characters are control
/// characters other than line feed and tab, line and paragraph separators, characters that set the direction of text,
/// annotation marks, and the invisible copies of ASCII (U+E0000 to U+E007F).
pub(crate) fn is_hidden(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{61c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{206f}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => true,
        _ => character.is_control(),
    }
}

/// Returns the first character that is not allowed in a name: a line feed, a tab, a [hidden](is_hidden) character, or
/// another invisible character. Invisible characters (Unicode's `Default_Ignorable_Code_Point`) make different names
/// look alike.
pub(crate) fn hidden_in_name(name: &str) -> Option<char> {
    let unseen = |character: char| {
        matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0080}'..='\u{e0fff}')
    };
    name.chars()
        .find(|&character| matches!(character, '\n' | '\t') || is_hidden(character) || unseen(character))
}

/// Describes the problem with a name that contains an invisible character (see [`hidden_in_name`]). `what` describes
/// the named thing, such as `the package`.
pub(crate) fn hidden_in(what: &str, name: &str) -> Option<String> {
    let character = hidden_in_name(name)?;
    let code = u32::from(character);
    Some(format!("{what} {name:?} contains U+{code:04X}, an invisible character"))
}

/// Returns `text` with its hidden characters and the markers of workflow commands escaped. Line feeds and tabs stay.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    rewritten(text, is_hidden, braces)
}

/// Returns `text` as one line: like [`visible`], with line feeds written as `\n`.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    rewritten(text, |character| character == '\n' || is_hidden(character), braces)
}

/// Returns complete lines for printing: like [`visible`], but no line begins a workflow command.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    match visible(text) {
        Cow::Borrowed(text) => without_commands(text),
        Cow::Owned(text) => Cow::Owned(without_commands(&text).into_owned()),
    }
}

/// Returns complete lines with opmx's own styles: like [`lines`], but the sequences that set colors and weights stay.
/// Untrusted text must be made visible before it is inserted.
pub(crate) fn styled(text: &str) -> Cow<'_, str> {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        let (before, sequence) = rest.split_at(at);
        let length = style(sequence).unwrap_or(0);
        shown.push_str(&visible(before));
        if length == 0 {
            braces(&mut shown, '\u{1b}');
        }
        shown.push_str(&sequence[..length]);
        rest = &sequence[length.max(1)..];
    }
    if shown.is_empty() {
        return lines(rest);
    }
    shown.push_str(&visible(rest));
    Cow::Owned(without_commands(&shown).into_owned())
}

/// Returns JSON in which hidden characters and the markers of workflow commands are escaped. The value is the same,
/// because JSON allows these characters only inside strings.
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    rewritten(text, is_hidden, utf16)
}

/// Whether a CI system interprets the line as a workflow command, which may be indented.
pub(crate) fn begins_command(line: &str) -> bool {
    line.trim_start().starts_with("::")
}

/// Whether the text contains the marker of a workflow command, such as `##[group]` or `##vso[task]`.
pub(crate) fn has_marker(text: &str) -> bool {
    text.match_indices("##").any(|(at, _)| is_marker(text, at + 1))
}

/// Whether the last `#` of the marker of a workflow command is at the byte offset `at`.
pub(crate) fn is_marker(text: &str, at: usize) -> bool {
    let (before, behind) = text.split_at(at);
    before.ends_with('#')
        && behind.strip_prefix('#').is_some_and(|behind| {
            let word = |letter: char| letter.is_ascii_alphanumeric();
            behind.trim_start_matches(word).starts_with('[')
        })
}

/// Returns the length of the style sequence at the beginning of `text`.
fn style(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\u{1b}[")?;
    let end = parameters.find(|letter: char| !letter.is_ascii_digit() && letter != ';')?;
    parameters[end..].starts_with('m').then_some(end + 3)
}

fn without_commands(text: &str) -> Cow<'_, str> {
    if !text.contains("::") || !text.lines().any(begins_command) {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive('\n').map(|line| {
        if begins_command(line) {
            line.replacen("::", "\\u{3a}:", 1)
        } else {
            line.to_owned()
        }
    });
    Cow::Owned(lines.collect())
}

/// Escapes the characters of `text` that `hidden` selects, and the last `#` of every marker.
fn rewritten(text: &str, hidden: impl Fn(char) -> bool, escape: fn(&mut String, char)) -> Cow<'_, str> {
    let mut shown = String::new();
    let (mut written, mut at) = (0, 0);
    let bytes = text.as_bytes();
    loop {
        let (chunks, _) = bytes[at..].as_chunks();
        at += CHUNK * chunks.iter().take_while(|chunk| is_ordinary(**chunk)).count();
        let Some(ahead) = bytes[at..].iter().position(|byte| LOOKED_AT[usize::from(*byte)]) else {
            break;
        };
        at += ahead;
        let Some(character) = text[at..].chars().next() else {
            break;
        };
        if hidden(character) || character == '#' && is_marker(text, at) {
            shown.push_str(&text[written..at]);
            escape(&mut shown, character);
            written = at + character.len_utf8();
        }
        at += character.len_utf8();
    }
    if written == 0 {
        return Cow::Borrowed(text);
    }
    shown.push_str(&text[written..]);
    Cow::Owned(shown)
}

/// The bytes that can begin a character that is escaped. Most text consists of other bytes.
static LOOKED_AT: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        // Beyond ASCII, the first bytes of the hidden characters.
        table[byte] = matches!(byte, 0..=0x08 | 0x0a..=0x1f | 0x7f | 0x23 | 0xc2 | 0xd8 | 0xe2 | 0xef | 0xf3);
        byte += 1;
    }
    table
};

/// The number of bytes that are checked at once. A build that is optimized for size has no vector instructions for
/// this.
const CHUNK: usize = 8;

const fn repeated(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; CHUNK])
}

/// Returns the bytes of `word` that are ASCII and not `byte`, as their highest bits.
const fn other_than(byte: u8, word: u64) -> u64 {
    // The sum of the lower seven bits and 0x7F reaches the highest bit unless all seven are 0.
    (word ^ repeated(byte)).wrapping_add(repeated(0x7F)) & !word & repeated(0x80)
}

/// Whether all of these bytes are printable ASCII or line feeds.
pub(crate) fn is_printable_or_line_feed(chunk: [u8; CHUNK]) -> bool {
    let word = u64::from_ne_bytes(chunk);
    let line_feeds = !other_than(b'\n', word) & !word & repeated(0x80);
    printable(word) | line_feeds == repeated(0x80)
}

/// Whether all of these bytes are printable ASCII.
fn is_printable(chunk: [u8; CHUNK]) -> bool {
    printable(u64::from_ne_bytes(chunk)) == repeated(0x80)
}

/// Returns the bytes of `word` that are printable ASCII, as their highest bits; exact only if all bytes are ASCII.
const fn printable(word: u64) -> u64 {
    let from_space = word.wrapping_add(repeated(0x80 - b' '));
    from_space & other_than(0x7F, word)
}

/// Whether none of these bytes can belong to a character that is escaped.
fn is_ordinary(chunk: [u8; CHUNK]) -> bool {
    is_printable(chunk) && other_than(b'#', u64::from_ne_bytes(chunk)) == repeated(0x80)
}

fn braces(out: &mut String, character: char) {
    if character == '\n' {
        out.push_str("\\n");
    } else {
        out.extend(character.escape_unicode());
    }
}

fn utf16(out: &mut String, character: char) {
    for unit in character.encode_utf16(&mut [0; 2]) {
        // Writing to a string cannot fail.
        let _ = write!(out, "\\u{unit:04x}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(visible("a\u{1b}[31mb\u{9b}c\rd"), r"a\u{1b}[31mb\u{9b}c\u{d}d");
        assert_eq!(visible("x\u{202e}y\u{2028}z\u{e0041}"), r"x\u{202e}y\u{2028}z\u{e0041}");
    }

    #[test]
    fn ordinary_text_is_unchanged() {
        for text in ["Über\n\tdas 日本", "👩‍💻 می‌خواهم", "# Title\n## Part [1]\na::b ### c"] {
            assert!(matches!(visible(text), Cow::Borrowed(_)), "{text}");
            assert!(matches!(lines(text), Cow::Borrowed(_)), "{text}");
            assert!(matches!(json(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn chunks_of_printable_ascii_and_line_feeds_are_recognized() {
        for ordinary in [*b"a\nb c\n~e", *b"\n\n\n\n\n\n\n\n", *b"~~~~~~~~"] {
            for (at, byte) in (0..CHUNK).flat_map(|at| (0..=u8::MAX).map(move |byte| (at, byte))) {
                let mut chunk = ordinary;
                chunk[at] = byte;
                let expected = matches!(byte, b'\n' | b' '..=b'~');
                assert_eq!(is_printable_or_line_feed(chunk), expected, "{chunk:?}");
            }
        }
    }

    #[test]
    fn a_name_is_a_single_line() {
        assert_eq!(one_line("x\n::stop"), r"x\n::stop");
        assert_eq!(one_line("x\u{1b}\ny"), r"x\u{1b}\ny");
    }

    #[test]
    fn no_line_is_a_workflow_command() {
        assert_eq!(
            lines("::a::\n \u{a0}::b::\nc ::d::"),
            "\\u{3a}:a::\n \u{a0}\\u{3a}:b::\nc ::d::"
        );
        assert_eq!(lines("\u{1b}::a"), r"\u{1b}::a");
        assert_eq!(
            visible("##[group]a ###vso[b] ##c"),
            r"#\u{23}[group]a ##\u{23}vso[b] ##c"
        );
        assert!(has_marker("a ####[") && has_marker("##vso[x]") && !has_marker("## [x] #[y]"));
        assert!(begins_command("\t::a") && !begins_command("a::"));
    }

    #[test]
    fn of_escape_sequences_only_styles_are_kept() {
        assert_eq!(
            styled("\u{1b}[1;31merror\u{1b}[0m: \u{1b}[2J\u{1b}]0;x\u{7}"),
            "\u{1b}[1;31merror\u{1b}[0m: \\u{1b}[2J\\u{1b}]0;x\\u{7}"
        );
        assert_eq!(styled("a\n::b \u{1b}[0m"), "a\n\\u{3a}:b \u{1b}[0m");
        assert_eq!(styled("\u{1b}"), r"\u{1b}");
    }

    #[test]
    fn names_contain_no_invisible_characters() {
        assert_eq!(hidden_in_name("etcd-Über_日本.v1"), None);
        for character in [
            '\n',
            '\t',
            '\r',
            '\u{1b}',
            '\u{9b}',
            '\u{202e}',
            '\u{200b}',
            '\u{200d}',
            '\u{feff}',
            '\u{e0100}',
        ] {
            assert_eq!(hidden_in_name(&format!("a{character}b")), Some(character));
        }
    }

    /// Strings of all relevant kinds of characters, and of neighbouring characters.
    fn odd() -> impl Strategy<Value = String> {
        let odd = prop_oneof![
            "[#a:\\[\n \t\"\\\\]",
            any::<char>().prop_map(String::from),
            (0x7f..0x700_u32).prop_map(|code| char::from_u32(code).into_iter().collect()),
            (0x2000..0x2070_u32).prop_map(|code| char::from_u32(code).into_iter().collect()),
            (0xe_0000..0xe_0200_u32).prop_map(|code| char::from_u32(code).into_iter().collect()),
        ];
        prop::collection::vec(odd, 0..12).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn chunks_of_printable_bytes_are_printable(
            chunk in prop_oneof![
                prop::array::uniform8(any::<u8>()),
                prop::array::uniform8(prop_oneof![
                    Just(b'#'), Just(b'\n'), Just(0x1F), Just(b' '), Just(b'~'), Just(0x7F), Just(0x80), b' '..=b'~'
                ]),
                prop::array::uniform8(b' '..=b'~'),
            ],
        ) {
            let printable = chunk.iter().all(|byte| matches!(byte, b' '..=b'~'));
            prop_assert_eq!(is_printable(chunk), printable);
            prop_assert_eq!(is_ordinary(chunk), printable && !chunk.contains(&b'#'));
        }

        #[test]
        fn no_hidden_character_is_left(text in odd()) {
            for shown in [visible(&text), one_line(&text), lines(&text), styled(&text), json(&text)] {
                prop_assert!(!shown.contains(is_hidden), "{shown:?}");
                prop_assert!(!has_marker(&shown), "{shown:?}");
            }
            prop_assert!(!lines(&text).lines().any(begins_command));
            prop_assert!(!one_line(&text).contains('\n'));
        }

        #[test]
        fn json_keeps_its_value(text in odd()) {
            let written = serde_json::json!({ text.clone(): [text] }).to_string();
            let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
            prop_assert_eq!(read(&json(&written)), read(&written));
        }
    }
}
