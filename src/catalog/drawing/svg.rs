//! A drawing as an SVG picture.

use super::layout::{CHARACTER, LINE, Label, Panel, Point, Rectangle, Route, columns, layout};
use super::{ChannelDrawing, Drawing, EdgeKind, Edges, Node, printable};
use std::fmt::Write;

/// Nothing is distinguished by color alone: lines differ in their strokes, boxes in their borders and words.
const STYLE: &str = "\
text{font-family:\"DejaVu Sans Mono\",Menlo,Consolas,monospace;font-size:12px;fill:#111827}
.name{font-weight:bold}
.paper{fill:#ffffff}
.panel{fill:#f9fafb;stroke:#9ca3af}
.bundle{fill:#ffffff;stroke:#111827;stroke-width:1.5}
.head{stroke-width:4}
.deprecated{stroke-dasharray:8 4}
.absent{stroke-dasharray:2 4}
.arrow{fill:#111827;stroke:none}
path{fill:none;stroke-width:1.5}
.replaces{stroke:#111827}
.skips{stroke:#9a3412;stroke-dasharray:8 4}
.range{stroke:#1d4ed8;stroke-dasharray:2 3}
.bar{stroke-width:4;stroke-dasharray:4 2}
circle.replaces{fill:#111827;stroke:none}
circle.skips{fill:#9a3412;stroke:none}
circle.range{fill:#1d4ed8;stroke:none}";

const LEGEND_TOP: usize = 56;
const LEGEND_LINE: usize = 24;

/// The legend: boxes and lines with their meanings.
const LEGEND: [(Sample, &str); 6] = [
    (Sample::Box("head"), "thick border, \"head\": for new installations"),
    (
        Sample::Box("deprecated"),
        "dashed border, \"deprecated\": no longer recommended",
    ),
    (
        Sample::Box("absent"),
        "dotted border, \"not in the channel\": only mentioned by other bundles",
    ),
    (
        Sample::Line(EdgeKind::Replaces),
        "solid line: the upper bundle replaces the lower one",
    ),
    (
        Sample::Line(EdgeKind::Skips),
        "dashed line: the bundle at the arrow skips those at the dots",
    ),
    (
        Sample::Line(EdgeKind::SkipRange),
        "dotted line: skipRange of the bundle at the arrow; a bar stands for all bundles next to it",
    ),
];

enum Sample {
    Box(&'static str),
    Line(EdgeKind),
}

/// Draws the picture, which is self-contained and includes a text description.
pub fn svg(drawing: &Drawing) -> String {
    let picture = layout(drawing, LEGEND_TOP + LEGEND_LINE * LEGEND.len() + LINE);
    let legend = LEGEND.iter().map(|(_, text)| columns(text)).max().unwrap_or(0) * CHARACTER + 96;
    let (width, height) = (picture.width.max(legend), picture.height.max(LINE));
    let bundles: usize = drawing.channels.iter().map(|channel| channel.nodes.len()).sum();
    let channels = drawing.channels.len();
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"title description\">\n\
         <title id=\"title\">Update graph</title>\n\
         <desc id=\"description\">Channels: {channels}, bundles in them: {bundles}. The head of each channel is on top; lines lead from each bundle up to the bundles that it can be updated to.</desc>\n\
         <style>{STYLE}</style>\n\
         {}\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>",
        marker(ARROW)
    );
    write_legend(&mut out);
    for label in &picture.packages {
        text(label, "name", &mut out);
    }
    let alone = Surroundings {
        arrow: ARROW,
        link: &|_| None,
    };
    for (panel, channel) in picture.panels.iter().zip(&drawing.channels) {
        write_panel(panel, channel, &alone, &mut out);
    }
    out.push_str("</svg>\n");
    out
}

/// Draws one channel as a part of an HTML page. The page provides the styles and the legend; the classes are those that
/// [`svg`] uses. `id` is the prefix of the referenced ids, and must be unique on the page. `link` returns the URL that
/// the box of a bundle links to, if any.
pub fn inline_svg(channel: &ChannelDrawing, id: &str, link: &dyn Fn(&Node) -> Option<String>) -> String {
    let one = Drawing {
        channels: vec![channel.clone()],
    };
    let picture = layout(&one, 0);
    let Some(panel) = picture.panels.first() else {
        return String::new();
    };
    let Rectangle { x, y, width, height } = panel.frame;
    let arrow = format!("{id}-arrow");
    // The picture ends at the middle of the frame's border line.
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"{x} {y} {width} {height}\" role=\"group\" aria-labelledby=\"{id}-title\">\n\
         <title id=\"{id}-title\">{}</title>\n{}\n",
        escaped(&format!("Update graph of channel {}", channel.channel)),
        marker(&arrow)
    );
    let on_page = Surroundings { arrow: &arrow, link };
    write_panel(panel, channel, &on_page, &mut out);
    out.push_str("</svg>\n");
    out
}

/// The id of the arrowhead in a standalone picture.
const ARROW: &str = "arrow";

/// What a picture depends on in addition to the drawing: the id of its arrowhead, and the links.
struct Surroundings<'a> {
    /// The id of the arrowhead.
    arrow: &'a str,
    /// Returns the URL that the box of a bundle links to, if any.
    link: &'a dyn Fn(&Node) -> Option<String>,
}

fn marker(id: &str) -> String {
    format!(
        "<defs><marker id=\"{id}\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"6\" markerHeight=\"6\" \
         orient=\"auto\"><path class=\"arrow\" d=\"M0 0L8 4L0 8z\"/></marker></defs>"
    )
}

fn write_legend(out: &mut String) {
    let title = Label {
        at: (16, 32),
        text: "Update graph".to_owned(),
    };
    text(&title, "name", out);
    for (line, (sample, meaning)) in LEGEND.iter().enumerate() {
        let y = LEGEND_TOP + LEGEND_LINE * line;
        match sample {
            Sample::Box(class) => {
                let sample = Rectangle {
                    x: 16,
                    y,
                    width: 40,
                    height: 16,
                };
                rectangle(&sample, &format!("bundle {class}"), out);
            }
            Sample::Line(kind) => path(&[(16, y + 8), (56, y + 8)], class_of(*kind), Some(ARROW), out),
        }
        let label = Label {
            at: (72, y + 12),
            text: (*meaning).to_owned(),
        };
        text(&label, "", out);
    }
}

fn write_panel(panel: &Panel, channel: &ChannelDrawing, around: &Surroundings<'_>, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<g><title>{} in package {}</title>",
        escaped(&format!("channel {}", channel.channel)),
        escaped(&channel.package)
    );
    rectangle(&panel.frame, "panel", out);
    for (line, label) in panel.labels.iter().enumerate() {
        text(label, if line == 0 { "name" } else { "" }, out);
    }
    for (route, edges) in panel.routes.iter().zip(&channel.edges) {
        write_route(route, edges, channel, around.arrow, out);
    }
    for (bundle, node) in panel.boxes.iter().zip(&channel.nodes) {
        let link = (around.link)(node);
        let (open, close) = match &link {
            Some(address) => (format!("<a href=\"{}\">", escaped(address)), "</a>"),
            None => ("<g>".to_owned(), "</g>"),
        };
        let _ = writeln!(out, "{open}<title>{}</title>", escaped(&in_words(node)));
        rectangle(&bundle.rectangle, &class_of_node(node), out);
        for (line, label) in bundle.labels.iter().enumerate() {
            text(label, if line == 0 { "name" } else { "" }, out);
        }
        out.push_str(close);
        out.push('\n');
    }
    out.push_str("</g>\n");
}

fn in_words(node: &Node) -> String {
    match node.details() {
        details if details.is_empty() => node.name.to_string(),
        details => format!("{}: {details}", node.name),
    }
}

fn class_of_node(node: &Node) -> String {
    let mut classes = vec!["bundle"];
    let rest = [
        (node.is_head, "head"),
        (node.is_deprecated, "deprecated"),
        (node.is_absent(), "absent"),
    ];
    classes.extend(rest.iter().filter(|(holds, _)| *holds).map(|(_, class)| *class));
    classes.join(" ")
}

fn class_of(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Replaces => "replaces",
        EdgeKind::Skips => "skips",
        EdgeKind::SkipRange => "range",
    }
}

fn write_route(route: &Route, edges: &Edges, channel: &ChannelDrawing, arrow: &str, out: &mut String) {
    let class = class_of(edges.kind);
    let name = |place: usize| channel.nodes.get(place).map_or("", |node| &*node.name);
    let newer = name(edges.newer);
    let words = match edges.kind {
        EdgeKind::Replaces => format!(
            "{newer} replaces {}",
            edges.each().map(name).collect::<Vec<_>>().join(", ")
        ),
        EdgeKind::Skips => format!(
            "{newer} skips {}",
            edges.each().map(name).collect::<Vec<_>>().join(", ")
        ),
        EdgeKind::SkipRange => {
            let runs = edges.older.iter().map(|run| match run.len() {
                1 => name(run.start).to_owned(),
                _ => format!("{} to {}", name(run.start), name(run.end.saturating_sub(1))),
            });
            format!(
                "the skipRange of {newer} includes {}",
                runs.collect::<Vec<_>>().join(", ")
            )
        }
    };
    // Writing to a string cannot fail.
    let _ = writeln!(out, "<g><title>{}</title>", escaped(&words));
    for (from, to) in &route.branches {
        path(&[*from, *to], class, None, out);
        let _ = writeln!(
            out,
            "<circle class=\"{class}\" cx=\"{}\" cy=\"{}\" r=\"2.5\"/>",
            to.0, to.1
        );
    }
    for (from, to) in &route.bars {
        path(&[*from, *to], &format!("{class} bar"), None, out);
    }
    path(&route.trunk, class, Some(arrow), out);
    out.push_str("</g>\n");
}

fn path(points: &[Point], class: &str, arrow: Option<&str>, out: &mut String) {
    let steps: Vec<String> = points.iter().map(|(x, y)| format!("{x} {y}")).collect();
    let arrow = arrow.map_or(String::new(), |arrow| format!(" marker-end=\"url(#{arrow})\""));
    // Writing to a string cannot fail.
    let _ = writeln!(out, "<path class=\"{class}\" d=\"M{}\"{arrow}/>", steps.join("L"));
}

fn rectangle(rectangle: &Rectangle, class: &str, out: &mut String) {
    let Rectangle { x, y, width, height } = rectangle;
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\"/>"
    );
}

fn text(label: &Label, class: &str, out: &mut String) {
    let class = if class.is_empty() {
        String::new()
    } else {
        format!(" class=\"{class}\"")
    };
    let (x, y) = label.at;
    // Writing to a string cannot fail.
    let _ = writeln!(out, "<text{class} x=\"{x}\" y=\"{y}\">{}</text>", escaped(&label.text));
}

/// Escapes a string for XML.
fn escaped(text: &str) -> String {
    printable(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace("##", "#&#35;")
}
