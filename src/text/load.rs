//! Builds the value of one YAML document from its events, within the limits of go-yaml and opmx. The values and bytes
//! have already been [counted](super::count).

use super::events::{Event, Events, Fault};
use super::limits::Limits;
use super::scalar::{self, Meaningless, shortened};
use crate::rules::{self, Rule};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::ops::Range;

/// A document that was read.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) value: Value,
    /// Whether a key of a map was set twice, perhaps by a merge.
    pub(super) repeated: bool,
    /// The start offset of text that Kubernetes tools do not read, because it follows the end of the document.
    pub(super) hidden: Option<usize>,
}

/// The reason why a document has no value.
#[derive(Debug)]
pub(super) enum Problem {
    /// The text is not YAML.
    Syntax(Fault),
    /// The text is YAML, but Kubernetes tools or opmx cannot read it.
    Value {
        rule: &'static Rule,
        message: String,
        span: Range<usize>,
    },
}

/// The maximum number of unrepresentable values that are reported.
const MOST_PROBLEMS: usize = 20;
/// A limit of go-yaml: in a document with at most this many nodes, nearly all of them may come from aliases.
const FREE_NODES: u64 = 400_000;
/// A limit of go-yaml: in a document with at least this many nodes, a tenth of them may come from aliases.
const MANY_NODES: u64 = 4_000_000;

/// Reads the only document of `text`; returns `None` if the text contains only comments.
pub(super) fn load(text: &str, limits: &Limits) -> Result<Option<Loaded>, Vec<Problem>> {
    load_beside(text, limits, &mut Known::default())
}

/// The state that is passed from one part of a document to the next.
#[derive(Default)]
pub(super) struct Known {
    anchors: HashMap<Box<str>, Anchor>,
    nodes: u64,
    aliased: u64,
}

/// Like [`load`], but for a part of a document. Its aliases may refer to anchors in earlier parts.
pub(super) fn load_beside(text: &str, limits: &Limits, known: &mut Known) -> Result<Option<Loaded>, Vec<Problem>> {
    let mut loader = Loader::new(limits);
    loader.anchors = std::mem::take(&mut known.anchors);
    loader.nodes += known.nodes;
    loader.aliased = known.aliased;
    let loaded = loader.load(text);
    *known = Known {
        anchors: loader.anchors,
        nodes: loader.nodes,
        aliased: loader.aliased,
    };
    loaded
}

/// A list or map that is not closed yet. Its keys and values are the last in the lists of the loader.
struct Frame {
    map: bool,
    keys: usize,
    values: usize,
    anchor: Option<Box<str>>,
    /// The number of nodes that the loader had counted before this list or map.
    nodes: u64,
}

/// A value that aliases can repeat.
struct Anchor {
    /// `None` while the value is still being read.
    value: Option<Value>,
    nodes: u64,
    /// The nesting depth of lists and maps in the value.
    height: usize,
}

struct Loader {
    depth: usize,
    frames: Vec<Frame>,
    /// The keys of open maps; `None` stands for a merge key.
    keys: Vec<Option<String>>,
    values: Vec<Value>,
    anchors: HashMap<Box<str>, Anchor>,
    nodes: u64,
    aliased: u64,
    repeated: bool,
    problems: Vec<Problem>,
}

impl Loader {
    fn new(limits: &Limits) -> Self {
        Self {
            depth: limits.effective_depth(),
            frames: Vec::new(),
            keys: Vec::new(),
            values: Vec::new(),
            anchors: HashMap::new(),
            nodes: 1,
            aliased: 0,
            repeated: false,
            problems: Vec::new(),
        }
    }

    fn load(&mut self, text: &str) -> Result<Option<Loaded>, Vec<Problem>> {
        let Some(mut events) = Events::new(text) else {
            return Err(vec![Problem::Syntax(Fault {
                problem: "could not be read",
                at: 0,
                context: None,
            })]);
        };
        let result = self.run(&mut events);
        let mut problems = std::mem::take(&mut self.problems);
        match result {
            Ok(document) if problems.is_empty() => return Ok(document),
            Ok(_) => {}
            Err(problem) => problems.push(problem),
        }
        Err(problems)
    }

    fn run(&mut self, events: &mut Events<'_>) -> Result<Option<Loaded>, Problem> {
        loop {
            let (event, span) = events.next().map_err(Problem::Syntax)?;
            match event {
                Event::StreamStart | Event::DocumentStart => {}
                Event::StreamEnd => return Ok(None),
                Event::DocumentEnd { explicit } => {
                    let hidden = hidden(events, explicit, span.end)?;
                    let value = self.values.pop().unwrap_or_default();
                    return Ok(Some(Loaded {
                        value,
                        repeated: self.repeated,
                        hidden,
                    }));
                }
                Event::Alias(name) => self.alias(name, span)?,
                Event::Scalar {
                    anchor,
                    tag,
                    value,
                    implicit,
                    ..
                } => self.scalar(value, tag, implicit, anchor, span)?,
                Event::ListStart { anchor, .. } => self.open(false, anchor, span)?,
                Event::MapStart { anchor, .. } => self.open(true, anchor, span)?,
                Event::ListEnd | Event::MapEnd => self.close(span)?,
            }
        }
    }

    /// Returns whether the next node is a key: whether the innermost list or map is a map in which every key so far has
    /// a value.
    fn expects_key(&self) -> bool {
        self.frames
            .last()
            .is_some_and(|frame| frame.map && self.keys.len() - frame.keys == self.values.len() - frame.values)
    }

    /// Returns whether the next value is the source of a merge.
    fn expects_merge(&self) -> bool {
        matches!(self.keys.last(), Some(None)) && self.frames.last().is_some_and(|frame| frame.map)
    }

    fn scalar(
        &mut self,
        text: &str,
        tag: Option<&str>,
        implicit: bool,
        anchor: Option<&str>,
        span: Range<usize>,
    ) -> Result<(), Problem> {
        self.nodes += 1;
        let meaning = scalar::scalar(text, tag, implicit);
        if self.expects_key() {
            let key = if scalar::is_merge(text, tag, implicit) {
                None
            } else {
                let key = meaning.and_then(scalar::Scalar::into_key);
                Some(self.or_problem(key, &span))
            };
            if let Some(anchor) = anchor {
                let meaning = scalar::scalar(text, tag, implicit).and_then(scalar::Scalar::into_value);
                let value = meaning.unwrap_or_else(|_| Value::String(key.clone().unwrap_or_default()));
                self.remember(anchor, value, 1);
            }
            self.keys.push(key);
            return Ok(());
        }
        let value = meaning.and_then(scalar::Scalar::into_value);
        let value = self.or_problem(value, &span);
        if let Some(anchor) = anchor {
            self.remember(anchor, value.clone(), 1);
        }
        self.push(value, false, span)
    }

    /// If a scalar has no meaning, records the problem and returns the default value instead.
    fn or_problem<T: Default>(&mut self, result: Result<T, Meaningless>, span: &Range<usize>) -> T {
        result.unwrap_or_else(|Meaningless(why)| {
            if self.problems.len() < MOST_PROBLEMS {
                self.problems.push(Problem::Value {
                    rule: &rules::YAML_UNREPRESENTABLE,
                    message: why,
                    span: span.clone(),
                });
            }
            T::default()
        })
    }

    fn push(&mut self, value: Value, by_alias: bool, span: Range<usize>) -> Result<(), Problem> {
        if self.expects_merge() {
            let fits = match &value {
                Value::Object(_) => true,
                Value::Array(items) => !by_alias && items.iter().all(Value::is_object),
                _ => false,
            };
            if !fits {
                return Err(Problem::Value {
                    rule: &rules::YAML_SYNTAX,
                    message: "a merge (`<<`) needs a map or a list of maps".to_owned(),
                    span,
                });
            }
        }
        self.values.push(value);
        Ok(())
    }

    fn open(&mut self, map: bool, anchor: Option<&str>, span: Range<usize>) -> Result<(), Problem> {
        if self.expects_key() {
            return Err(Problem::Value {
                rule: &rules::YAML_UNREPRESENTABLE,
                message: "a key is a list or a map".to_owned(),
                span,
            });
        }
        if self.frames.len() >= self.depth {
            return Err(self.too_deep(span));
        }
        if let Some(anchor) = anchor {
            self.anchors.insert(
                anchor.into(),
                Anchor {
                    value: None,
                    nodes: 0,
                    height: 0,
                },
            );
        }
        self.frames.push(Frame {
            map,
            keys: self.keys.len(),
            values: self.values.len(),
            anchor: anchor.map(Into::into),
            nodes: self.nodes,
        });
        self.nodes += 1;
        Ok(())
    }

    fn close(&mut self, span: Range<usize>) -> Result<(), Problem> {
        let Some(frame) = self.frames.pop() else {
            return Ok(());
        };
        let value = if frame.map {
            self.close_map(&frame)
        } else {
            Value::Array(self.values.drain(frame.values..).collect())
        };
        if let Some(anchor) = frame.anchor {
            self.remember(&anchor, value.clone(), self.nodes - frame.nodes);
        }
        self.push(value, false, span)
    }

    fn close_map(&mut self, frame: &Frame) -> Value {
        let values = self.values.drain(frame.values..);
        let mut map = Map::with_capacity(values.len());
        for (key, value) in self.keys.drain(frame.keys..).zip(values) {
            let sources = match (key, value) {
                (Some(key), value) => {
                    self.repeated |= map.insert(key, value).is_some();
                    continue;
                }
                (None, Value::Array(sources)) => sources,
                (None, source) => vec![source],
            };
            // As in go-yaml, earlier sources take precedence over later sources and over the keys above the merge.
            for source in sources.into_iter().rev() {
                if let Value::Object(entries) = source {
                    for (key, value) in entries {
                        self.repeated |= map.insert(key, value).is_some();
                    }
                }
            }
        }
        Value::Object(map)
    }

    fn remember(&mut self, name: &str, value: Value, nodes: u64) {
        let anchor = Anchor {
            height: height(&value),
            value: Some(value),
            nodes,
        };
        self.anchors.insert(name.into(), anchor);
    }

    fn alias(&mut self, name: &str, span: Range<usize>) -> Result<(), Problem> {
        let wrong = |message: String| Problem::Value {
            rule: &rules::YAML_SYNTAX,
            message,
            span: span.clone(),
        };
        let Some(anchor) = self.anchors.get(name) else {
            return Err(wrong(format!(
                "the alias `*{0}` has no anchor `&{0}` before it",
                shortened(name)
            )));
        };
        let Some(value) = &anchor.value else {
            return Err(wrong(format!(
                "the value of the anchor `&{}` contains itself",
                shortened(name)
            )));
        };
        let height = anchor.height;
        self.nodes += 1 + anchor.nodes;
        self.aliased += anchor.nodes;
        if self.aliased > 100 && self.nodes > 1000 && self.aliases_are_excessive() {
            return Err(Problem::Value {
                rule: &rules::YAML_EXCESSIVE_ALIASING,
                message: "the document consists mostly of repeated aliases".to_owned(),
                span,
            });
        }
        if self.frames.len() + height > self.depth {
            return Err(self.too_deep(span));
        }
        if self.expects_key() {
            let key = scalar::value_key(value);
            let key = self.or_problem(key, &span);
            self.keys.push(Some(key));
            return Ok(());
        }
        let value = value.clone();
        self.push(value, true, span)
    }

    /// Applies go-yaml's rule: the more nodes a document has, the smaller the share of nodes that may come from
    /// aliases.
    #[expect(clippy::cast_precision_loss, reason = "a ratio of counts")]
    fn aliases_are_excessive(&self) -> bool {
        let allowed = if self.nodes <= FREE_NODES {
            0.99
        } else if self.nodes >= MANY_NODES {
            0.10
        } else {
            0.99 - 0.89 * ((self.nodes - FREE_NODES) as f64 / (MANY_NODES - FREE_NODES) as f64)
        };
        self.aliased as f64 / self.nodes as f64 > allowed
    }

    fn too_deep(&self, span: Range<usize>) -> Problem {
        Problem::Value {
            rule: &rules::YAML_TOO_DEEP,
            message: format!("lists and maps are nested more than {} deep", self.depth),
            span,
        }
    }
}

/// Returns the offset of any text after the end of a document. Kubernetes tools do not read such text.
fn hidden(events: &mut Events<'_>, explicit: bool, end: usize) -> Result<Option<usize>, Problem> {
    match events.next() {
        Ok((Event::StreamEnd, _)) => Ok(None),
        Ok((_, span)) => Ok(Some(span.start)),
        Err(_) if explicit => Ok(Some(end)),
        Err(fault) => Err(Problem::Syntax(fault)),
    }
}

fn height(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(height).max().unwrap_or_default(),
        Value::Object(map) => 1 + map.values().map(height).max().unwrap_or_default(),
        _ => 0,
    }
}
