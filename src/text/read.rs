//! Reads files into documents: determines the format, finds the document boundaries, and reports problems.

use super::block;
use super::count;
use super::document::{Document, Format};
use super::hints;
use super::json;
use super::limits::Limits;
use super::load::{self, Known, Problem};
use super::passage::Passage;
use super::path::Step;
use super::places::{Duplicate, Places};
use super::scalar::shortened;
use super::split::{Piece, pieces};
use crate::counted::counted;
use crate::diagnostic::{self, Diagnostic};
use crate::rules;
use crate::source::{Place, SourceFile};
use std::ops::Range;
use std::sync::Arc;

/// The documents of a file and the findings about them. A document that cannot be read results only in findings.
#[derive(Debug, Default)]
pub struct Reading {
    /// The documents in the order of the text.
    pub documents: Vec<Document>,
    /// Findings in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// The maximum number of bytes of a line that are shown, starting at the first byte that is not UTF-8.
const SHOWN: usize = 200;

const BYTE_ORDER_MARK: char = '\u{FEFF}';

/// Reads a file as Kubernetes tools do: as a stream of JSON values if the file begins with `{` or `[` and is valid
/// JSON, otherwise as YAML documents between `---` lines. `name` is the path that findings show.
pub fn read(name: &str, bytes: &[u8], limits: &Limits) -> Reading {
    let refused = |diagnostic| Reading {
        documents: Vec::new(),
        diagnostics: vec![diagnostic],
    };
    let limit = limits.effective_file_bytes();
    if bytes.len() > limit {
        let message = format!(
            "{name} has {}, over the limit of {}",
            counted(bytes.len(), "byte"),
            counted(limit, "byte")
        );
        let place = Place::new(&SourceFile::new(name, ""), 0..0);
        return refused(Diagnostic::new(&rules::TEXT_TOO_LARGE, message).at(place));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => match count::excess_of_values(name, text, limits) {
            Some(finding) => refused(finding),
            None => Reader::new(limits).file(&Passage::file(&SourceFile::new(name, text))),
        },
        Err(error) => {
            let at = error.valid_up_to();
            // Only the text up to the end of the line is shown.
            let rest = bytes.get(at..).unwrap_or_default();
            let line_end = memchr::memchr(b'\n', rest).unwrap_or(rest.len()).min(SHOWN);
            let shown = bytes.get(..at + line_end).unwrap_or_default();
            let source = SourceFile::new(name, String::from_utf8_lossy(shown));
            let wide = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
            let message = if wide {
                "the file is UTF-16, not UTF-8".to_owned()
            } else {
                format!("the byte at offset {at} is not UTF-8")
            };
            let end = source.text()[at..].chars().next().map_or(at, |bad| at + bad.len_utf8());
            refused(Diagnostic::new(&rules::TEXT_ENCODING, message).at(Place::new(&source, at..end)))
        }
    }
}

/// Like [`read`], for content that is already in memory, such as a part of a file.
pub(crate) fn read_source(source: &Arc<SourceFile>, limits: &Limits) -> Reading {
    let passage = Passage::file(source);
    refusal(&passage, limits).unwrap_or_else(|| Reader::new(limits).file(&passage))
}

/// The anchors of a document that is read part by part, because an alias may refer to an anchor in an earlier part.
///
/// The limits of one file apply to the anchors together with the values that each part repeats.
#[derive(Default)]
pub(crate) struct Anchors {
    sizes: count::Sizes,
    known: Known,
}

/// Reads a part of a YAML document, such as one item of a list, that can be read by itself except for its aliases.
pub(crate) fn read_part(name: &str, text: &str, limits: &Limits, anchors: &mut Anchors) -> Reading {
    let source = SourceFile::new(name, text);
    let passage = Passage::file(&source);
    if let Some((at, finding)) = count::excess_beside(text, limits, &mut anchors.sizes) {
        return Reading {
            documents: Vec::new(),
            diagnostics: vec![finding.at(passage.place(at..at))],
        };
    }
    let mut reader = Reader::new(limits);
    reader.known = Some(std::mem::take(&mut anchors.known));
    reader.yaml(&passage, 0);
    anchors.known = reader.known.take().unwrap_or_default();
    reader.finish()
}

/// Returns a reading with a finding if the content has too many values; returns `None` if it is within the limit.
fn refusal(passage: &Passage, limits: &Limits) -> Option<Reading> {
    let (at, finding) = count::excess_at(passage.text(), limits)?;
    Some(Reading {
        documents: Vec::new(),
        diagnostics: vec![finding.at(passage.place(at..at))],
    })
}

/// Reads the text of a scalar, which must be JSON if it begins like JSON.
pub(super) fn read_embedded(passage: &Passage, limits: &Limits) -> Reading {
    if let Some(refusal) = refusal(passage, limits) {
        return refusal;
    }
    let mut reader = Reader::new(limits);
    let begins_as_json = passage.text().trim_start().starts_with(['{', '[']);
    if begins_as_json {
        reader.json(passage);
    } else {
        reader.yaml(passage, 0);
    }
    reader.finish()
}

struct Reader<'limits> {
    limits: &'limits Limits,
    number: usize,
    reading: Reading,
    /// The state from the preceding parts of a document; `None` for whole files.
    known: Option<Known>,
}

impl<'limits> Reader<'limits> {
    fn new(limits: &'limits Limits) -> Self {
        Self {
            limits,
            number: 0,
            reading: Reading::default(),
            known: None,
        }
    }

    fn finish(mut self) -> Reading {
        diagnostic::sort(&mut self.reading.diagnostics);
        self.reading
    }

    fn file(mut self, passage: &Passage) -> Reading {
        let text = passage.text();
        let start = if text.starts_with(BYTE_ORDER_MARK) {
            BYTE_ORDER_MARK.len_utf8()
        } else {
            0
        };
        let passage = passage.part(start..text.len());
        let text = passage.text();
        if !text.trim_start().starts_with(['{', '[']) {
            self.yaml(&passage, 0);
            return self.finish();
        }
        self.json(&passage);
        let syntax = |diagnostic: &Diagnostic| diagnostic.rule.id == rules::JSON_SYNTAX.id;
        if !self.reading.diagnostics.iter().any(syntax) {
            return self.finish();
        }
        // The text only looked like JSON: `{a: 1}` and `[*]` are YAML, which kubectl tries next.
        let mut other = Self::new(self.limits);
        other.yaml(&passage, 0);
        let readable = !diagnostic::has_errors(&other.reading.diagnostics);
        if readable || !looks_like_json(text) {
            return other.finish();
        }
        self.finish()
    }

    /// Reads JSON values one after another, and YAML after the first `---` line between them.
    fn json(&mut self, passage: &Passage) {
        let text = passage.text();
        let mut at = 0;
        loop {
            let blanks = text[at..].len() - text[at..].trim_start().len();
            at += blanks;
            if at == text.len() {
                return;
            }
            let at_line_start = at == 0 || text[..at].ends_with('\n');
            if self.number > 0 && at_line_start && text[at..].starts_with("---") {
                self.yaml(passage, at);
                return;
            }
            if self.number > 0 && !text[at..].starts_with(['{', '[']) {
                self.report(
                    Diagnostic::new(&rules::JSON_SYNTAX, "text follows the end of the JSON value")
                        .at(passage.place(at..line_end(text, at)))
                        .help("Remove the text after the last closing bracket."),
                );
                return;
            }
            if self.too_many(passage, at) {
                return;
            }
            match json::load(text, at, self.limits) {
                Ok(loaded) => {
                    at = loaded.span.end;
                    self.document(
                        passage.part(loaded.span),
                        Format::Json,
                        loaded.value,
                        Places::default(),
                        loaded.repeated,
                    );
                }
                Err(json::Problem::TooDeep { at }) => {
                    let depth = self.limits.effective_depth();
                    let message = json::too_deep(depth);
                    self.report(Diagnostic::new(&rules::YAML_TOO_DEEP, message).at(passage.place(at..at)));
                    return;
                }
                Err(json::Problem::Syntax { at, message }) => {
                    let end = text[at..].chars().next().map_or(at, |letter| at + letter.len_utf8());
                    self.report(
                        Diagnostic::new(&rules::JSON_SYNTAX, format!("this is not valid JSON: {message}"))
                            .at(passage.place(at..end)),
                    );
                    return;
                }
            }
        }
    }

    /// Reads YAML documents starting at the byte `from`, which begins a line.
    fn yaml(&mut self, passage: &Passage, from: usize) {
        let text = passage.text();
        let start = self.number;
        for piece in pieces(text, from) {
            if self.too_many(passage, piece.range.start) {
                return;
            }
            self.piece(passage, &piece);
            self.number += 1;
        }
        if self.number == start && from == 0 {
            self.empty(passage, 0..0);
        }
    }

    fn piece(&mut self, passage: &Passage, piece: &Piece) {
        let text = passage.text();
        if let Some(line) = &piece.bad_separator {
            self.report(hints::separator(text, line.clone(), passage));
            return;
        }
        let mut range = piece.range.clone();
        if text[range.clone()].starts_with(BYTE_ORDER_MARK) {
            range.start += BYTE_ORDER_MARK.len_utf8();
        }
        let part = passage.part(range.clone());
        // The fast reader keeps no anchors for the parts that follow.
        let keeps_anchors = self.known.is_some() && count::may_repeat(part.text());
        if let Some((value, top)) = (!keeps_anchors)
            .then(|| block::load(part.text(), self.limits))
            .flatten()
        {
            self.document(part, Format::Yaml, value, top, false);
            self.number -= 1;
            return;
        }
        let loaded = match &mut self.known {
            Some(known) => load::load_beside(part.text(), self.limits, known),
            None => load::load(part.text(), self.limits),
        };
        match loaded {
            Ok(None) => self.empty(passage, range),
            Ok(Some(loaded)) => {
                if let Some(at) = loaded.hidden {
                    self.hidden(&part, at);
                }
                self.document(part, Format::Yaml, loaded.value, Places::default(), loaded.repeated);
                // The caller counts this document, as well as empty and broken documents.
                self.number -= 1;
            }
            Err(problems) => {
                for problem in problems {
                    self.report(match problem {
                        Problem::Syntax(fault) => hints::syntax(&fault, &part),
                        Problem::Value { rule, message, span } => hints::value(rule, message, span, &part),
                    });
                }
            }
        }
    }

    fn document(&mut self, part: Passage, format: Format, value: serde_json::Value, top: Places, repeated: bool) {
        let document = Document::new(part, self.number, format, value, top);
        self.number += 1;
        if repeated {
            let places = document.places();
            for duplicate in &places.duplicates {
                self.report(duplicate_key(&document, duplicate));
            }
            if let (more @ 1.., Some(last)) = (places.more_duplicates, places.duplicates.last()) {
                let message = match more {
                    1 => "one more duplicate key follows".to_owned(),
                    more => format!("{more} more duplicate keys follow"),
                };
                let place = document.passage().place(last.second.clone());
                self.report(Diagnostic::new(&rules::YAML_DUPLICATE_KEY, message).at(place));
            }
        }
        self.reading.documents.push(document);
    }

    fn empty(&mut self, passage: &Passage, range: Range<usize>) {
        let text = &passage.text()[range.clone()];
        let blanks = text.len() - text.trim_start().len();
        let start = if text.trim().is_empty() {
            range.start
        } else {
            range.start + blanks
        };
        let message = if text.trim().is_empty() {
            "the document is empty"
        } else {
            "the document has only comments"
        };
        let place = passage.place(start..start + text.trim().len());
        self.report(Diagnostic::new(&rules::YAML_EMPTY_DOCUMENT, message).at(place));
    }

    /// Reports text other than comments after the end of a document.
    fn hidden(&mut self, part: &Passage, from: usize) {
        let text = part.text();
        let mut at = from;
        for line in text[from..].split_inclusive('\n') {
            let content = line.trim();
            if !(content.is_empty() || content.starts_with('#') || content == "...") {
                let start = at + (line.len() - line.trim_start().len());
                self.report(
                    Diagnostic::new(&rules::YAML_HIDDEN_TEXT, "Kubernetes tools ignore everything from here")
                        .at(part.place(start..start + content.len())),
                );
                return;
            }
            at += line.len();
        }
    }

    fn too_many(&mut self, passage: &Passage, at: usize) -> bool {
        let limit = self.limits.documents;
        if self.number < limit {
            return false;
        }
        let message = format!("the file has more than {}", counted(limit, "document"));
        self.report(Diagnostic::new(&rules::YAML_TOO_MANY_DOCUMENTS, message).at(passage.place(at..at)));
        true
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.reading.diagnostics.push(diagnostic);
    }
}

fn duplicate_key(document: &Document, duplicate: &Duplicate) -> Diagnostic {
    let passage = document.passage();
    let key = match duplicate.path.steps().last() {
        Some(Step::Key(key)) => &**key,
        _ => "",
    };
    let diagnostic = Diagnostic::new(
        &rules::YAML_DUPLICATE_KEY,
        format!("the key `{}` appears twice in one map", shortened(key)),
    )
    .at(passage.place(duplicate.second.clone()))
    .also(passage.place(duplicate.first.clone()), "it first appears here")
    .path(&duplicate.path);
    let root = duplicate.path.steps().len() == 1;
    if root && matches!(key, "apiVersion" | "kind") {
        return diagnostic.help("Add a line `---` between the objects if these are two objects.");
    }
    diagnostic
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..]
        .find('\n')
        .map_or(text.len(), |length| at + text[at..at + length].trim_end().len())
}

/// Returns whether the author meant JSON: the text begins with a quoted key, or with an item that YAML rarely begins
/// with.
fn looks_like_json(text: &str) -> bool {
    let text = text.trim_start();
    let inner = text[1..].trim_start();
    if text.starts_with('{') {
        inner.starts_with(['"', '}'])
    } else {
        inner.starts_with(['{', '[', '"', ']']) || inner.starts_with(|letter: char| letter.is_ascii_digit())
    }
}
