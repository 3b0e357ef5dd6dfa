//! The places of all values and keys of a document, found by reading the text again on first use.

use super::decoded::content_start;
use super::events::{Event, Events, Style};
use super::path::{Path, Step};
use super::scalar;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// The places of one document, as bytes of its text. Nodes are small, because each key and value has a node; lists and
/// maps are ranges of two tables.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    nodes: Vec<Node>,
    /// The nodes in lists.
    items: Vec<u32>,
    /// The entries of maps, sorted by name within each map.
    entries: Vec<MapEntry>,
    /// The names of the entries, concatenated.
    names: String,
    root: usize,
    /// Keys that appear twice in one map; at most the first `MOST_DUPLICATES`.
    pub(super) duplicates: Vec<Duplicate>,
    /// The number of additional duplicates.
    pub(super) more_duplicates: usize,
}

/// The maximum number of duplicates that are kept, because a map that repeats the same key many times is one mistake.
const MOST_DUPLICATES: usize = 100;

/// A key that appears twice in one map.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Duplicate {
    pub(super) path: Path,
    pub(super) first: Range<usize>,
    pub(super) second: Range<usize>,
}

/// A range that takes half the memory of a `Range<usize>`. This is possible because no text has more bytes than
/// [`Limits::MOST_FILE_BYTES`](super::Limits::MOST_FILE_BYTES).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Span {
    start: u32,
    end: u32,
}

impl Span {
    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self {
            start: small(range.start),
            end: small(range.end),
        }
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[derive(Debug, PartialEq, Eq)]
struct Node {
    span: Span,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Scalar(Style),
    /// A range of the items.
    List(Span),
    /// A range of the entries.
    Map(Span),
    /// A reference to a node elsewhere in the document.
    Alias(u32),
    /// A list or map whose parts have no places.
    Unread,
}

#[derive(Debug, PartialEq, Eq)]
struct MapEntry {
    /// A range of the names.
    name: Span,
    key: Span,
    value: u32,
}

/// An entry of a map that is not closed yet.
#[derive(Debug)]
struct Open {
    key: Span,
    value: usize,
    merged: bool,
}

/// The result of following a path.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// The value at the path, or the last existing value along the path.
    pub(super) value: Range<usize>,
    /// The key of that value; the value itself in lists and at the root.
    pub(super) key: Range<usize>,
    /// If the path leads to a scalar: the style and the range of the scalar, with aliases resolved.
    pub(super) scalar: Option<(Style, Range<usize>)>,
}

impl Places {
    /// Follows a path; returns `None` if it leads to a part that has no places.
    pub(super) fn find(&self, path: &Path) -> Option<Found> {
        let root = self.nodes.get(self.root)?;
        let mut node = root;
        let mut key = root.span;
        let mut complete = true;
        for step in path.steps() {
            let next = match (self.target(node).kind, step) {
                (Kind::Map(entries), Step::Key(name)) => self.entry(entries, name),
                (Kind::List(items), Step::Index(index)) => self.items(items).get(*index).map(|item| (*item, None)),
                (Kind::Unread, _) => return None,
                _ => None,
            };
            let Some((next, name)) = next.and_then(|(next, name)| Some((self.nodes.get(next as usize)?, name))) else {
                complete = false;
                break;
            };
            node = next;
            key = name.unwrap_or(node.span);
        }
        let target = self.target(node);
        Some(Found {
            value: node.span.range(),
            key: key.range(),
            scalar: match target.kind {
                Kind::Scalar(style) if complete => Some((style, target.span.range())),
                _ => None,
            },
        })
    }

    fn items(&self, items: Span) -> &[u32] {
        self.items.get(items.range()).unwrap_or_default()
    }

    fn entries(&self, entries: Span) -> &[MapEntry] {
        self.entries.get(entries.range()).unwrap_or_default()
    }

    fn name(&self, entry: &MapEntry) -> &str {
        self.names.get(entry.name.range()).unwrap_or_default()
    }

    /// Returns the value and the key of the entry with this name.
    fn entry(&self, entries: Span, name: &str) -> Option<(u32, Option<Span>)> {
        let entries = self.entries(entries);
        let at = entries.binary_search_by(|entry| self.name(entry).cmp(name)).ok()?;
        let entry = entries.get(at)?;
        Some((entry.value, Some(entry.key)))
    }

    fn target<'node>(&'node self, node: &'node Node) -> &'node Node {
        match node.kind {
            Kind::Alias(target) => self.nodes.get(target as usize).unwrap_or(node),
            _ => node,
        }
    }

    /// Returns the places of the keys and values in a YAML text that has already been parsed.
    pub(super) fn yaml(text: &str) -> Self {
        let mut builder = Builder::default();
        builder.yaml(text, 0..text.len());
        builder.finish()
    }
}

/// Returns the span of a scalar, without the blank lines after a block scalar unless they belong to the scalar.
pub(super) fn trimmed(text: &str, span: Range<usize>, style: Style) -> Range<usize> {
    if !matches!(style, Style::Literal | Style::Folded) {
        return span;
    }
    let header = content_start(text, &span);
    let written = text.get(header..span.end).unwrap_or_default();
    if written
        .bytes()
        .take_while(|byte| !byte.is_ascii_whitespace())
        .any(|byte| byte == b'+')
    {
        return span;
    }
    let content = written.trim_end();
    let rest = &written[content.len()..];
    let line_break = rest.find('\n').map_or(rest.len(), |at| at + 1);
    span.start..header + content.len() + line_break
}

enum Key {
    Text(String),
    Merge,
}

#[derive(Default)]
struct Frame {
    map: bool,
    span: Range<usize>,
    items: Vec<usize>,
    entries: BTreeMap<String, Open>,
    /// The key whose value comes next.
    pending: Option<(Key, Range<usize>)>,
}

/// A value that aliases can repeat.
struct Anchor {
    node: usize,
    /// The key that an alias stands for: the value may be as long as the file, so it is not read again for each alias.
    key: String,
}

/// Collects the places in reading order.
pub(super) struct Builder {
    places: Places,
    frames: Vec<Frame>,
    /// The number of levels of lists and maps whose parts get places.
    levels: usize,
    /// The number of open lists and maps below these levels. The last frame is the outermost of them.
    unread: usize,
}

impl Default for Builder {
    fn default() -> Self {
        Self::of_levels(usize::MAX)
    }
}

impl Builder {
    /// Collects only the places of the parts of the upper `levels` of lists and maps, and none inside brackets.
    pub(super) fn of_levels(levels: usize) -> Self {
        Self {
            places: Places::default(),
            frames: Vec::new(),
            levels,
            unread: 0,
        }
    }

    pub(super) fn finish(mut self) -> Places {
        self.places.root = self.places.nodes.len().saturating_sub(1);
        self.places.nodes.shrink_to_fit();
        self.places.items.shrink_to_fit();
        self.places.entries.shrink_to_fit();
        self.places
    }

    /// Adds a list or map in brackets, which a YAML text that has already been parsed contains in a range, possibly
    /// with a comment after it. If only the upper levels get places, its parts get none.
    pub(super) fn brackets(&mut self, text: &str, range: Range<usize>) {
        let levels = self.levels;
        if levels == usize::MAX {
            self.yaml(text, range);
        } else if text.get(range.clone()).is_some_and(|written| !written.contains('#')) {
            self.add(range, Kind::Unread, || Key::Text(String::new()));
        } else {
            self.levels = self.frames.len();
            self.yaml(text, range);
            self.levels = levels;
        }
    }

    /// Adds the values in a range of a YAML text that has already been parsed.
    pub(super) fn yaml(&mut self, text: &str, range: Range<usize>) {
        let mut anchors = HashMap::<String, Anchor>::new();
        let mut open = Vec::new();
        let Some(mut events) = text.get(range.clone()).and_then(Events::new) else {
            return;
        };
        while let Ok((event, span)) = events.next() {
            let span = range.start + span.start..range.start + span.end;
            match event {
                Event::StreamStart | Event::DocumentStart => {}
                Event::StreamEnd | Event::DocumentEnd { .. } => break,
                Event::Alias(name) => {
                    let Some(Anchor { node, key }) = anchors.get(name) else {
                        // The anchor is in a part of the document that was read earlier.
                        self.add(span, Kind::Scalar(Style::Plain), || Key::Text(String::new()));
                        continue;
                    };
                    self.add(span, Kind::Alias(small(*node)), || Key::Text(key.clone()));
                }
                Event::Scalar {
                    anchor,
                    tag,
                    value,
                    implicit,
                    style,
                } => {
                    let span = trimmed(text, span, style);
                    let node = self.add(span, Kind::Scalar(style), || {
                        if scalar::is_merge(value, tag, implicit) {
                            return Key::Merge;
                        }
                        Key::Text(key_of(value, tag, implicit))
                    });
                    if let Some(anchor) = anchor {
                        let key = key_of(value, tag, implicit);
                        anchors.insert(anchor.to_owned(), Anchor { node, key });
                    }
                }
                Event::ListStart { anchor, flow } | Event::MapStart { anchor, flow } => {
                    open.push((anchor.map(str::to_owned), flow));
                    self.open(matches!(event, Event::MapStart { .. }), span);
                }
                Event::ListEnd | Event::MapEnd => {
                    let (anchor, flow) = open.pop().unwrap_or_default();
                    let node = self.close(flow.then_some(span.end));
                    if let Some(anchor) = anchor {
                        let key = String::new();
                        anchors.insert(anchor, Anchor { node, key });
                    }
                }
            }
        }
    }

    /// Adds a JSON string or other scalar; `text` is called only for a key.
    pub(super) fn scalar(&mut self, span: Range<usize>, style: Style, text: impl FnOnce() -> String) {
        self.add(span, Kind::Scalar(style), || Key::Text(text()));
    }

    pub(super) fn open(&mut self, map: bool, span: Range<usize>) {
        if self.unread > 0 || self.frames.len() == self.levels {
            self.unread += 1;
        }
        if self.unread > 1 {
            return;
        }
        self.frames.push(Frame {
            map,
            span,
            ..Frame::default()
        });
    }

    /// Ends the innermost list or map, at `end` or at the end of its last part.
    pub(super) fn close(&mut self, end: Option<usize>) -> usize {
        let is_unread = self.unread > 0;
        self.unread = self.unread.saturating_sub(1);
        if let (1.., Some(frame)) = (self.unread, self.frames.last_mut()) {
            frame.span.end = frame.span.end.max(end.unwrap_or_default());
            return self.places.nodes.len();
        }
        let frame = self.frames.pop().unwrap_or_default();
        let span = frame.span.start..end.unwrap_or(frame.span.end);
        let places = &mut self.places;
        let kind = if is_unread {
            Kind::Unread
        } else if frame.map {
            let start = places.entries.len();
            places.entries.extend(frame.entries.into_iter().map(|(name, open)| {
                let begin = places.names.len();
                places.names.push_str(&name);
                MapEntry {
                    name: (begin..places.names.len()).into(),
                    key: open.key,
                    value: small(open.value),
                }
            }));
            Kind::Map((start..places.entries.len()).into())
        } else {
            let start = places.items.len();
            places.items.extend(frame.items.into_iter().map(small));
            Kind::List((start..places.items.len()).into())
        };
        self.add(span, kind, || Key::Text(String::new()))
    }

    /// Returns whether the next scalar is a key.
    fn expects_key(&self) -> bool {
        self.frames
            .last()
            .is_some_and(|frame| frame.map && frame.pending.is_none())
    }

    fn add(&mut self, span: Range<usize>, kind: Kind, key: impl FnOnce() -> Key) -> usize {
        let node = self.places.nodes.len();
        let expects_key = self.expects_key();
        if let Some(frame) = self.frames.last_mut() {
            frame.span.end = frame.span.end.max(span.end);
            if self.unread > 0 {
                return node;
            }
            if expects_key {
                frame.pending = Some((key(), span.clone()));
            }
        }
        self.places.nodes.push(Node {
            span: span.into(),
            kind,
        });
        if expects_key {
            return node;
        }
        match self.frames.last_mut() {
            None => {}
            Some(frame) if !frame.map => frame.items.push(node),
            Some(frame) => match frame.pending.take() {
                Some((Key::Text(key), span)) => self.set(key, span, node),
                Some((Key::Merge, _)) => self.merge(node),
                None => {}
            },
        }
        node
    }

    fn set(&mut self, key: String, span: Range<usize>, value: usize) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let entry = Open {
            key: span.clone().into(),
            value,
            merged: false,
        };
        let Some(first) = frame.entries.insert(key.clone(), entry) else {
            return;
        };
        if !first.merged && self.places.duplicates.len() == MOST_DUPLICATES {
            self.places.more_duplicates += 1;
        } else if !first.merged {
            let mut path: Path = self.frames.iter().filter_map(step).collect();
            path.push(key);
            self.places.duplicates.push(Duplicate {
                path,
                first: first.key.range(),
                second: span,
            });
        }
    }

    fn merge(&mut self, source: usize) {
        let places = &self.places;
        let target = |at: usize| places.nodes.get(at).map(|node| places.target(node).kind);
        let sources: Vec<usize> = match target(source) {
            Some(Kind::List(items)) => places.items(items).iter().rev().map(|item| *item as usize).collect(),
            _ => vec![source],
        };
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        for source in sources {
            if let Some(Kind::Map(entries)) = target(source) {
                for entry in places.entries(entries) {
                    let open = Open {
                        key: entry.key,
                        value: entry.value as usize,
                        merged: true,
                    };
                    frame.entries.insert(places.name(entry).to_owned(), open);
                }
            }
        }
    }
}

/// Returns the key that a scalar stands for; an empty string if it cannot be a key.
fn key_of(value: &str, tag: Option<&str>, implicit: bool) -> String {
    let meaning = scalar::scalar(value, tag, implicit);
    meaning.and_then(scalar::Scalar::into_key).unwrap_or_default()
}

/// Returns the step from an open list or map to the value that is being read.
fn step(frame: &Frame) -> Option<Step> {
    match &frame.pending {
        Some((Key::Text(key), _)) => Some(Step::from(key.as_str())),
        Some((Key::Merge, _)) => Some(Step::from("<<")),
        None if frame.map => None,
        None => Some(Step::Index(frame.items.len())),
    }
}
