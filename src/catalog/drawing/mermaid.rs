//! A drawing as a Mermaid flowchart.

use super::{ChannelDrawing, Drawing, EdgeKind, Edges, Node, printable};
use crate::counted::counted;
use std::fmt::Write;

/// The maximum number of edges that Mermaid programs draw by default.
pub(super) const MOST_EDGES: usize = 500;

/// Draws the flowchart. If there are more than 500 edges (the default limit of Mermaid programs), each version range is
/// drawn as one edge. That edge leads from the oldest bundle in the range, and its label contains the number of
/// bundles.
pub fn mermaid(drawing: &Drawing) -> String {
    let mut out = String::from("flowchart LR\n");
    let few = has_few_edges(drawing);
    if !few {
        out.push_str("  %% the edge of a skipRange represents all bundles in the range and begins at the oldest\n");
    }
    let mut written = Written::default();
    let mut package = None;
    for (number, channel) in drawing.channels.iter().enumerate() {
        if package != Some(&channel.package) {
            if package.is_some() {
                out.push_str("  end\n");
            }
            package = Some(&channel.package);
            // Writing to a string cannot fail.
            let _ = writeln!(out, "  subgraph p{number}[\"{}\"]", escaped(&channel.package));
        }
        of_channel(channel, number, few, &mut written, &mut out);
    }
    if package.is_some() {
        out.push_str("  end\n");
    }
    written.finish(&mut out);
    out
}

/// Returns whether all edges can be drawn individually.
pub(super) fn has_few_edges(drawing: &Drawing) -> bool {
    let edges = drawing.channels.iter().flat_map(|channel| &channel.edges);
    edges.map(Edges::count).sum::<usize>() <= MOST_EDGES
}

/// The nodes and edges that receive a style at the end.
#[derive(Default)]
struct Written {
    edges: usize,
    skips: Vec<usize>,
    ranges: Vec<usize>,
    nodes: usize,
    heads: Vec<usize>,
    deprecated: Vec<usize>,
    absent: Vec<usize>,
}

impl Written {
    fn node(&mut self, node: &Node) -> usize {
        let id = self.nodes;
        self.nodes += 1;
        // The last style takes precedence.
        let styles = [
            (node.is_head, &mut self.heads),
            (node.is_deprecated, &mut self.deprecated),
            (node.is_absent(), &mut self.absent),
        ];
        for (holds, ids) in styles {
            if holds {
                ids.push(id);
            }
        }
        id
    }

    fn edge(&mut self, kind: EdgeKind) {
        match kind {
            EdgeKind::Replaces => {}
            EdgeKind::Skips => self.skips.push(self.edges),
            EdgeKind::SkipRange => self.ranges.push(self.edges),
        }
        self.edges += 1;
    }

    fn finish(&self, out: &mut String) {
        let list = |ids: &[usize], prefix: &str| {
            let ids: Vec<_> = ids.iter().map(|id| format!("{prefix}{id}")).collect();
            ids.join(",")
        };
        let classes = [
            ("head", "stroke-width:4px", &self.heads),
            ("deprecated", "stroke-dasharray:8 4", &self.deprecated),
            ("absent", "stroke-dasharray:2 4", &self.absent),
        ];
        for (name, style, ids) in classes {
            if !ids.is_empty() {
                // Writing to a string cannot fail.
                let _ = writeln!(out, "  classDef {name} {style}\n  class {} {name}", list(ids, "b"));
            }
        }
        for (style, edges) in [
            ("stroke-dasharray:8 4", &self.skips),
            ("stroke-dasharray:2 4", &self.ranges),
        ] {
            if !edges.is_empty() {
                let _ = writeln!(out, "  linkStyle {} {style}", list(edges, ""));
            }
        }
    }
}

fn of_channel(channel: &ChannelDrawing, number: usize, few: bool, written: &mut Written, out: &mut String) {
    let remark = channel.remark();
    let title = escaped(&channel.channel);
    // Writing to a string cannot fail.
    let _ = writeln!(out, "    subgraph c{number}[\"{title}{remark}\"]");
    let first = written.nodes;
    for node in &channel.nodes {
        let id = written.node(node);
        let details = node.details();
        let below = if details.is_empty() { "" } else { "<br/>" };
        let _ = writeln!(
            out,
            "      b{id}[\"{}{below}{}\"]",
            escaped(&node.name),
            escaped(&details)
        );
    }
    for edges in &channel.edges {
        let newer = first + edges.newer;
        let (line, label) = match edges.kind {
            EdgeKind::Replaces => ("-->", "replaces"),
            EdgeKind::Skips => ("-.->", "skips"),
            EdgeKind::SkipRange => ("-.->", "skipRange"),
        };
        let one = edges.kind == EdgeKind::SkipRange && !few;
        if let (true, Some(oldest)) = (one, edges.each().last()) {
            let bundles = counted(edges.count(), "bundle");
            let _ = writeln!(out, "      b{} {line}|\"{label}, {bundles}\"| b{newer}", first + oldest);
            written.edge(edges.kind);
            continue;
        }
        for older in edges.each() {
            let _ = writeln!(out, "      b{} {line}|{label}| b{newer}", first + older);
            written.edge(edges.kind);
        }
    }
    out.push_str("    end\n");
}

/// Escapes a string for use inside double quotes, where `#` starts a numeric character reference.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for character in printable(text).chars() {
        match character {
            ' ' | '.' | ',' | '-' | '_' | '+' | '/' | ':' | '=' | '@' => out.push(character),
            _ if character.is_ascii_alphanumeric() || !character.is_ascii() => out.push(character),
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(out, "#{};", u32::from(character));
            }
        }
    }
    out
}
