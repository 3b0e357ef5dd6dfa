//! Counts the values in YAML and JSON before any value is built.
//!
//! A value takes about a hundred bytes of memory, but as little as two bytes of a file. So the values of a file are
//! counted first. Counting punctuation is quick and never gives too low a count. If this count exceeds the limit, or
//! the text contains anchors, the values are counted one by one.

use super::events::{Event, Events};
use super::limits::Limits;
use super::split::pieces;
use crate::diagnostic::Diagnostic;
use crate::rules;
use crate::source::{Place, Position, SourceFile};
use std::collections::HashMap;

/// The number of bytes of the line that are kept before and after the place at which a limit is exceeded.
const SHOWN: usize = 400;

/// The number of values that a document counts as, based on its memory use.
const DOCUMENT: usize = 4;
/// The bytes that can begin values, each with the maximum number of values. In `{a, b}`, the `,` begins a key and its
/// empty value. In `[a: b]`, the `:` also begins a map. A bracket and three dashes can also begin a document. An escape
/// may stand for any of the other bytes.
const WEIGHTS: [(u8, usize); 7] = [
    (b',', 2),
    (b'-', 2),
    (b'[', 6),
    (b'{', HEAVIEST),
    (b':', 3),
    (b'?', 3),
    (b'\\', 1),
];
/// The largest weight.
const HEAVIEST: usize = 7;
/// The maximum number of values in a file without punctuation.
const LEAST: usize = DOCUMENT + 3;

/// The limit that the input exceeds, and the place at which the input exceeds it.
#[derive(Debug, PartialEq, Eq)]
struct Excess {
    at: usize,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Values,
    Aliases,
}

/// Reports files that together contain more keys and values than the limit allows; returns `None` if they are within
/// the limit. Each file is listed with the name that findings show. Files that are too large or not UTF-8 are not
/// counted, because [`read`](super::read()) rejects them.
pub(crate) fn excess(files: &[(String, &[u8])], limits: &Limits) -> Option<Diagnostic> {
    let texts = files.iter().filter_map(|(name, bytes)| {
        let text = std::str::from_utf8(bytes).ok()?;
        (text.len() <= limits.effective_file_bytes()).then_some((name, text))
    });
    if is_within(texts.clone().map(|(_, text)| text), limits) {
        return None;
    }
    let mut counter = Counter::new(limits);
    for (number, (name, text)) in texts.enumerate() {
        if let Err(excess) = counter.values(text) {
            return Some(excess.finding(name, text, limits, number > 0));
        }
    }
    None
}

/// Whether an upper bound on the number of values is within the limit. Only texts that may contain anchors are counted
/// exactly.
fn is_within<'t>(texts: impl Iterator<Item = &'t str>, limits: &Limits) -> bool {
    let (repeating, others): (Vec<&str>, Vec<&str>) = texts.partition(|text| may_repeat(text));
    let mut counter = Counter::new(limits);
    let are_counted = repeating.into_iter().all(|text| counter.values(text).is_ok());
    let whole = |most: fn(&str) -> usize| {
        others
            .iter()
            .map(|text| most(text))
            .fold(counter.total(), usize::saturating_add)
    };
    are_counted && (whole(|text| LEAST + text.len() * HEAVIEST) <= limits.values || whole(at_most) <= limits.values)
}

/// Like [`excess`], for a single text.
pub(super) fn excess_of_values(name: &str, text: &str, limits: &Limits) -> Option<Diagnostic> {
    Some(of_values(text, limits)?.finding(name, text, limits, false))
}

/// Like [`excess_of_values`], but returns the byte at which the limit is exceeded instead of a place.
pub(super) fn excess_at(text: &str, limits: &Limits) -> Option<(usize, Diagnostic)> {
    let excess = of_values(text, limits)?;
    Some((excess.at, excess.diagnostic(limits, false)))
}

/// The numbers of values and bytes that each anchor stands for, and their sums.
#[derive(Default)]
pub(super) struct Sizes {
    anchors: HashMap<Box<str>, (usize, usize)>,
    values: usize,
    bytes: usize,
}

impl Sizes {
    fn get(&self, anchor: &str) -> (usize, usize) {
        self.anchors.get(anchor).copied().unwrap_or_default()
    }

    fn insert(&mut self, anchor: Box<str>, size: (usize, usize)) {
        let replaced = self.anchors.insert(anchor, size).unwrap_or_default();
        self.values = self.values.saturating_sub(replaced.0).saturating_add(size.0);
        self.bytes = self.bytes.saturating_sub(replaced.1).saturating_add(size.1);
    }
}

/// Like [`excess_at`], for a part of a document. `sizes` contains the anchors of the preceding parts, which also count
/// here; the anchors of this part are added to `sizes`.
pub(super) fn excess_beside(text: &str, limits: &Limits, sizes: &mut Sizes) -> Option<(usize, Diagnostic)> {
    if sizes.anchors.is_empty() && !may_repeat(text) {
        return excess_at(text, limits);
    }
    let mut counter = Counter::new(limits);
    (counter.repeated, counter.copied) = (sizes.values, sizes.bytes);
    let excess = counter.document(text, sizes).err()?;
    Some((excess.at, excess.diagnostic(limits, false)))
}

fn of_values(text: &str, limits: &Limits) -> Option<Excess> {
    if is_within(std::iter::once(text), limits) {
        return None;
    }
    Counter::new(limits).values(text).err()
}

/// Returns an upper bound on the number of keys and values in a file, without those that aliases repeat.
fn at_most(text: &str) -> usize {
    let values = |(byte, weight)| weight * memchr::memchr_iter(byte, text.as_bytes()).count();
    LEAST + WEIGHTS.map(values).iter().sum::<usize>()
}

/// Returns whether a file may contain an anchor, whose value is kept for aliases to repeat.
pub(super) fn may_repeat(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'&', bytes).any(|at| {
        let inside = at
            .checked_sub(1)
            .is_some_and(|before| bytes[before].is_ascii_alphanumeric());
        let name = bytes.get(at + 1);
        !inside && name.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    })
}

fn begins_as_json(text: &str) -> bool {
    text.trim_start_matches('\u{FEFF}').trim_start().starts_with(['{', '['])
}

/// Returns the approximate number of values in a string that contains JSON. These values also count, because readers of
/// annotations parse such strings.
fn inside(text: &str) -> usize {
    if !begins_as_json(text) {
        return 0;
    }
    text.bytes().filter(|byte| b"[{,:".contains(byte)).count()
}

/// Counts the values in the texts of one input.
struct Counter<'limits> {
    limits: &'limits Limits,
    /// Keys and values that are written in the text.
    written: usize,
    /// Keys and values that aliases repeat or that are kept for aliases to repeat.
    repeated: usize,
    /// Bytes of the repeated keys and values.
    copied: usize,
}

impl<'limits> Counter<'limits> {
    fn new(limits: &'limits Limits) -> Self {
        Self {
            limits,
            written: 0,
            repeated: 0,
            copied: 0,
        }
    }

    fn total(&self) -> usize {
        self.written.saturating_add(self.repeated)
    }

    fn values(&mut self, text: &str) -> Result<(), Excess> {
        let before = self.written;
        if begins_as_json(text) {
            let (mut last, mut depth) = (Token::Close, 0_usize);
            for (at, end, token) in tokens(text) {
                match token {
                    Token::Open => {
                        self.write(if depth == 0 { DOCUMENT + 1 } else { 1 }, at)?;
                        depth += 1;
                    }
                    Token::Close => depth = depth.saturating_sub(1),
                    Token::Scalar if last == Token::Scalar => break,
                    Token::Scalar => self.write(1 + inside(text[at..end].trim_start_matches('"')), at)?,
                }
                last = token;
            }
        }
        // Text that begins like JSON may still be YAML, so it is counted as both, and the larger count applies.
        let as_json = std::mem::replace(&mut self.written, before);
        for piece in pieces(text, 0) {
            self.write(DOCUMENT, piece.range.start)?;
            let document = &text[piece.range.clone()];
            self.document(document, &mut Sizes::default())
                .map_err(|excess| Excess {
                    at: piece.range.start + excess.at,
                    ..excess
                })?;
        }
        self.written = self.written.max(as_json);
        Ok(())
    }

    fn write(&mut self, values: usize, at: usize) -> Result<(), Excess> {
        self.written += values;
        self.check(at)
    }

    fn repeat(&mut self, (values, bytes): (usize, usize), at: usize) -> Result<(), Excess> {
        self.repeated = self.repeated.saturating_add(values);
        self.copied = self.copied.saturating_add(bytes);
        self.check(at)
    }

    fn check(&self, at: usize) -> Result<(), Excess> {
        if self.written > self.limits.values {
            let kind = Kind::Values;
            return Err(Excess { at, kind });
        }
        if self.total() > self.limits.values || self.copied > self.limits.alias_bytes() {
            let kind = Kind::Aliases;
            return Err(Excess { at, kind });
        }
        Ok(())
    }

    /// Counts one YAML document, as far as it can be read.
    fn document(&mut self, text: &str, anchors: &mut Sizes) -> Result<(), Excess> {
        let mut open: Vec<(Option<Box<str>>, usize, usize)> = Vec::new();
        // All bytes of scalars, repeated ones included.
        let mut bytes = 0_usize;
        let Some(mut events) = Events::new(text) else {
            return Ok(());
        };
        while let Ok((event, span)) = events.next() {
            match event {
                Event::StreamStart | Event::DocumentStart => {}
                Event::StreamEnd | Event::DocumentEnd { .. } => break,
                Event::Alias(name) => {
                    let size = anchors.get(name);
                    bytes = bytes.saturating_add(size.1);
                    self.repeat(size, span.start)?;
                }
                Event::Scalar { anchor, value, .. } => {
                    bytes = bytes.saturating_add(value.len());
                    let values = 1 + inside(value);
                    self.write(values, span.start)?;
                    if let Some(anchor) = anchor {
                        anchors.insert(anchor.into(), (values, value.len()));
                        self.repeat((values, value.len()), span.start)?;
                    }
                }
                Event::ListStart { anchor, .. } | Event::MapStart { anchor, .. } => {
                    if open.len() >= self.limits.effective_depth() {
                        break;
                    }
                    open.push((anchor.map(Into::into), self.total(), bytes));
                    self.write(1, span.start)?;
                }
                Event::ListEnd | Event::MapEnd => {
                    if let Some((Some(anchor), values, begun)) = open.pop() {
                        let size = (self.total() - values, bytes - begun);
                        anchors.insert(anchor, size);
                        self.repeat(size, span.start)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Excess {
    fn diagnostic(&self, limits: &Limits, several: bool) -> Diagnostic {
        let limit = limits.values;
        match self.kind {
            Kind::Values => {
                let message = if several {
                    format!("at this line, the files together exceed the limit of {limit} keys and values")
                } else {
                    format!("at this line, the input exceeds the limit of {limit} keys and values")
                };
                Diagnostic::new(&rules::YAML_TOO_MANY_VALUES, message)
            }
            Kind::Aliases => {
                let message = "the anchors and aliases make the document too large";
                Diagnostic::new(&rules::YAML_EXCESSIVE_ALIASING, message)
            }
        }
    }

    /// Returns the finding with its place in a file. The finding keeps only the part of the file that is shown.
    fn finding(&self, name: &str, text: &str, limits: &Limits, several: bool) -> Diagnostic {
        let before = &text.as_bytes()[..self.at];
        let line = memchr::memchr_iter(b'\n', before).count();
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        let start = line_start.max(text.floor_char_boundary(self.at.saturating_sub(SHOWN)));
        let position = Position {
            line: line + 1,
            column: text[line_start..start].chars().count() + 1,
        };
        let rest = &text[self.at..];
        let line_end = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let end = self.at + rest.floor_char_boundary(line_end.min(SHOWN));
        let source = SourceFile::part(name, &text[start..end], position, start as u64);
        let at = self.at - start;
        let marked = rest
            .chars()
            .next()
            .filter(|letter| *letter != '\n')
            .map_or(0, char::len_utf8);
        self.diagnostic(limits, several)
            .at(Place::new(&source, at..at + marked))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Open,
    Close,
    Scalar,
}

/// Returns the brackets and scalars of JSON, each with its start and end.
fn tokens(text: &str) -> impl Iterator<Item = (usize, usize, Token)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while bytes
            .get(at)
            .is_some_and(|byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b':'))
        {
            at += 1;
        }
        let start = at;
        let token = match bytes.get(at)? {
            b'{' | b'[' => Token::Open,
            b'}' | b']' => Token::Close,
            b'"' => {
                at += 1;
                loop {
                    let rest = bytes.get(at..).unwrap_or_default();
                    let Some(end) = memchr::memchr2(b'"', b'\\', rest) else {
                        // An unterminated string extends to the end of the text.
                        at = bytes.len();
                        break;
                    };
                    at += end;
                    if bytes[at] == b'"' {
                        break;
                    }
                    at += 2;
                }
                Token::Scalar
            }
            _ => {
                while bytes.get(at + 1).is_some_and(|byte| !b",:[]{}\"".contains(byte)) {
                    at += 1;
                }
                Token::Scalar
            }
        };
        at = (at + 1).min(bytes.len());
        Some((start, at, token))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn limits(values: usize) -> Limits {
        Limits {
            values,
            ..Limits::default()
        }
    }

    fn counted(text: &str) -> usize {
        let limits = limits(usize::MAX);
        let mut counter = Counter::new(&limits);
        counter.values(text).unwrap();
        counter.total()
    }

    #[test]
    fn an_unterminated_string_extends_to_the_end() {
        for text in ["[{\"é", "[\"", "[\"\\é", "[\"a\\"] {
            assert!(counted(text) > 0, "{text}");
        }
    }

    #[test]
    fn keys_and_values_are_counted_separately() {
        for (text, count) in [
            ("a: 1\n", 3),
            ("- a\n- b: c\n", 5),
            ("[a, {b: c}, d: e]", 8),
            ("a:\n- \n- \n", 5),
            ("{a, b}", 5),
            ("{\"a\": [1, true, \"x,y:z\\\"[\"]}", 6),
            ("{} {}\n[1]", 4 + 2 * DOCUMENT),
            ("a: 1\n---\nb: 2\n", 6 + DOCUMENT),
            ("# nothing\n", 0),
            ("a: '[{\"b\": 1}, 2]'\n", 3 + 4),
            ("{\"a\": \"[1, 2]\"}", 3 + 2),
        ] {
            assert_eq!(counted(text), count + DOCUMENT, "{text}");
        }
    }

    #[test]
    fn values_repeated_by_an_alias_are_counted_again() {
        // The map, three keys, the list with two items, the copy that is kept, and two more copies.
        assert_eq!(
            counted("a: &a [1, 2]\nb: *a\nc: *a\n"),
            DOCUMENT + 1 + 3 + 3 + 3 + 3 + 3
        );
        let bomb = "a: &a [0, 0, 0, 0, 0, 0, 0, 0, 0]\n".to_owned()
            + &(b'b'..b'z')
                .map(|name| {
                    let (name, before) = (name as char, (name - 1) as char);
                    format!("{name}: &{name} [*{before}, *{before}, *{before}, *{before}, *{before}]\n")
                })
                .collect::<String>();
        let found = excess_of_values("bomb.yaml", &bomb, &Limits::default()).unwrap();
        assert_eq!(found.rule.id, rules::YAML_EXCESSIVE_ALIASING.id);
        assert!(found.place.unwrap().to_string().starts_with("bomb.yaml:"));
    }

    #[test]
    fn anchors_of_preceding_parts_count_once_for_each_part() {
        let limits = limits(20);
        let mut sizes = Sizes::default();
        // A name that is used again replaces its earlier size.
        for text in ["- &a 1\n", "- &a [1, 2, 3]\n", "- &a 1\n", "- &b [*a, *a]\n"] {
            assert_eq!(excess_beside(text, &limits, &mut sizes), None, "{text}");
        }
        assert_eq!((sizes.values, sizes.bytes), (1 + 3, 1 + 2));
        let sums = sizes
            .anchors
            .values()
            .fold((0, 0), |sum, size| (sum.0 + size.0, sum.1 + size.1));
        assert_eq!((sizes.values, sizes.bytes), sums);
        let (at, excess) = excess_beside("- [*b, *b, *b, *b, *b, *b]\n", &limits, &mut sizes).unwrap();
        assert_eq!((at, excess.rule.id), (19, rules::YAML_EXCESSIVE_ALIASING.id));
    }

    #[test]
    fn anchors_of_preceding_parts_are_not_counted_again_for_each_part() {
        let limits = limits(usize::MAX);
        let mut sizes = Sizes::default();
        for name in 0..1_000_000 {
            sizes.insert(name.to_string().into(), (1, 1));
        }
        for _ in 0..50_000 {
            assert_eq!(excess_beside("- x\n", &limits, &mut sizes), None);
        }
        assert_eq!((sizes.values, sizes.bytes), (1_000_000, 1_000_000));
    }

    #[test]
    fn several_files_are_counted_together() {
        let files = [
            ("a.yaml", "a: 1\n"),
            ("b.json", "{\"b\": [\n1, 2]}"),
            ("c.yaml", "c: 3\n"),
        ];
        let files = files.map(|(name, text)| (name.to_owned(), text.as_bytes()));
        assert_eq!(excess(&files, &limits(3 * DOCUMENT + 11)), None);
        let found = excess(&files, &limits(2 * DOCUMENT + 6)).unwrap();
        assert_eq!(
            found.message,
            "at this line, the files together exceed the limit of 14 keys and values"
        );
        assert_eq!(found.place.unwrap().to_string(), "b.json:2:1");
    }

    #[test]
    fn the_quoted_text_is_short() {
        let text = format!("ä: [{}]", "0,".repeat(1000));
        for (values, column) in [(10, 11), (700, 1391)] {
            let place = excess_of_values("a.yaml", &text, &limits(values))
                .unwrap()
                .place
                .unwrap();
            assert_eq!(place.to_string(), format!("a.yaml:1:{column}"));
            assert!(place.source.text().len() <= 2 * SHOWN);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn the_estimate_from_punctuation_is_never_too_low(text in "[a-cx0:,?!|>{}\\[\\]\"'#~ \\\\\n-]{0,40}") {
            prop_assert!(at_most(&text) >= counted(&text), "{} < {}", at_most(&text), counted(&text));
        }

        #[test]
        fn text_without_aliases_repeats_nothing(text in "[ab0:,&*{}\\[\\]\"' \n-]{0,40}") {
            let limits = limits(usize::MAX);
            let mut counter = Counter::new(&limits);
            counter.values(&text).unwrap();
            prop_assert!(may_repeat(&text) || counter.repeated == 0);
        }
    }
}
