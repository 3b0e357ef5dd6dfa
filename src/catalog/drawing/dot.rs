//! A drawing in DOT, the language of Graphviz.

use super::mermaid::has_few_edges;
use super::{ChannelDrawing, Drawing, EdgeKind, printable};
use crate::counted::counted;
use std::fmt::Write;

/// Draws the graph. If there are more than 500 edges, each version range is drawn as one edge, because too many lines
/// would be indistinguishable. That edge leads from the oldest bundle in the range, and its label contains the number
/// of bundles.
pub fn dot(drawing: &Drawing) -> String {
    let mut out = String::from(
        "digraph index {\n  rankdir=LR;\n  node [shape=box, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n",
    );
    let few = has_few_edges(drawing);
    if !few {
        out.push_str("  // the edge of a skipRange represents all bundles in the range and begins at the oldest\n");
    }
    let mut nodes = 0;
    let mut package = None;
    for (number, channel) in drawing.channels.iter().enumerate() {
        if package != Some(&channel.package) {
            if package.is_some() {
                out.push_str("  }\n");
            }
            package = Some(&channel.package);
            let name = escaped(&channel.package);
            // Writing to a string cannot fail.
            let _ = writeln!(out, "  subgraph cluster_p{number} {{\n    label=\"{name}\";");
        }
        of_channel(channel, number, nodes, few, &mut out);
        nodes += channel.nodes.len();
    }
    if package.is_some() {
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

fn of_channel(channel: &ChannelDrawing, number: usize, first: usize, few: bool, out: &mut String) {
    let remark = channel.remark();
    let title = escaped(&channel.channel);
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "    subgraph cluster_c{number} {{\n      label=\"{title}{remark}\";"
    );
    for (place, node) in channel.nodes.iter().enumerate() {
        let id = first + place;
        let details = node.details();
        let below = if details.is_empty() { "" } else { "\\n" };
        let label = [&escaped(&node.name), below, &escaped(&details)].concat();
        let heads = if node.is_head { ", peripheries=2" } else { "" };
        let style = match (node.is_absent(), node.is_deprecated) {
            (true, _) => ", style=dotted",
            (_, true) => ", style=dashed",
            _ => "",
        };
        let _ = writeln!(out, "      b{id} [label=\"{label}\"{heads}{style}];");
    }
    for edges in &channel.edges {
        let newer = first + edges.newer;
        let (style, label) = match edges.kind {
            EdgeKind::Replaces => ("solid", "replaces"),
            EdgeKind::Skips => ("dashed", "skips"),
            EdgeKind::SkipRange => ("dotted", "skipRange"),
        };
        let one = edges.kind == EdgeKind::SkipRange && !few;
        if let (true, Some(oldest)) = (one, edges.each().last()) {
            let (older, count) = (first + oldest, edges.count());
            let bundles = counted(count, "bundle");
            let _ = writeln!(
                out,
                "      b{older} -> b{newer} [label=\"{label}, {bundles}\", style={style}];"
            );
            continue;
        }
        for older in edges.each() {
            let older = first + older;
            let _ = writeln!(out, "      b{older} -> b{newer} [label=\"{label}\", style={style}];");
        }
    }
    out.push_str("    }\n");
}

/// Escapes a string for use inside double quotes.
fn escaped(text: &str) -> String {
    let quoted = printable(text).replace('\\', "\\\\").replace('"', "\\\"");
    quoted.replace("##", "#&#35;")
}
