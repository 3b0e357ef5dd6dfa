//! A YAML document as a tree of values and their positions.

use crate::text::events::{Event, Events, Style};
use crate::text::places::trimmed;
use std::ops::Range;

/// A value, a key or an item in the text. All positions are byte offsets.
#[derive(Debug)]
pub(super) enum Node {
    /// A scalar, an alias, or a list or map in brackets.
    Leaf {
        span: Range<usize>,
        /// The style of a scalar; `None` for other leaves.
        style: Option<Style>,
    },
    /// A map in block style, including its anchor and tag.
    Map { start: usize, entries: Vec<(Node, Node)> },
    /// A list in block style.
    List { start: usize, items: Vec<Node> },
}

impl Node {
    /// Returns the start offset.
    pub(super) fn start(&self) -> usize {
        match self {
            Self::Leaf { span, .. } => span.start,
            Self::Map { start, .. } | Self::List { start, .. } => *start,
        }
    }
}

/// A list or map that is not closed yet.
struct Open {
    start: usize,
    map: bool,
    flow: bool,
    nodes: Vec<Node>,
}

/// Reads the root of the only document of a file; returns `None` if the file has no document or is not YAML.
pub(super) fn read(text: &str) -> Option<Node> {
    let mut events = Events::new(text)?;
    let mut open: Vec<Open> = Vec::new();
    loop {
        let (event, span) = events.next().ok()?;
        let node = match event {
            Event::StreamStart | Event::DocumentStart => continue,
            Event::StreamEnd | Event::DocumentEnd { .. } => return None,
            Event::Alias(_) => Node::Leaf { span, style: None },
            Event::Scalar { style, .. } => Node::Leaf {
                span: trimmed(text, span, style),
                style: Some(style),
            },
            Event::ListStart { flow, .. } | Event::MapStart { flow, .. } => {
                open.push(Open {
                    start: span.start,
                    map: matches!(event, Event::MapStart { .. }),
                    flow,
                    nodes: Vec::new(),
                });
                continue;
            }
            Event::ListEnd | Event::MapEnd => closed(open.pop()?, span.end),
        };
        match open.last_mut() {
            Some(parent) => parent.nodes.push(node),
            None => return Some(node),
        }
    }
}

fn closed(open: Open, end: usize) -> Node {
    let start = open.start;
    if open.flow {
        return Node::Leaf {
            span: start..end,
            style: None,
        };
    }
    if !open.map {
        return Node::List {
            start,
            items: open.nodes,
        };
    }
    let mut nodes = open.nodes.into_iter();
    let mut entries = Vec::new();
    while let (Some(key), Some(value)) = (nodes.next(), nodes.next()) {
        entries.push((key, value));
    }
    Node::Map { start, entries }
}
