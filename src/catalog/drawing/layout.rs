//! The layout of a picture, in whole pixels from the top left.
//!
//! The bundles of a channel are stacked in one column without crossing lines, with the head on top. A line from one
//! bundle to the next goes straight up between the two. All other lines leave the column at the side, run in a lane
//! beside the column, and return to the column at the newer bundle. All edges of one kind that lead to one bundle share
//! a lane, and lines that do not meet can use the same lane. Channels are placed side by side, and packages below each
//! other.

use super::{ChannelDrawing, Drawing, EdgeKind, Edges};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::ops::Range;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The width of a character of the monospaced text, with extra space for wider fonts.
pub(super) const CHARACTER: usize = 8;
/// The height of a line of text.
pub(super) const LINE: usize = 16;
/// The maximum width of a label in columns; longer labels are cut, and the title of the box contains the whole text.
const LONGEST_LABEL: usize = 64;

const MARGIN: usize = 16;
const BOX_HEIGHT: usize = 44;
const BOX_GAP: usize = 24;
const PADDING: usize = 12;
/// The distance between two lanes; `LANE_OFFSET` is the distance between the first lane and the column.
const LANE: usize = 8;
const LANE_OFFSET: usize = 20;
/// The width up to which the channels of a package are always placed side by side.
const ROW_WIDTH: usize = 1600;

/// A point: `x` and `y`.
pub(super) type Point = (usize, usize);

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rectangle {
    pub(super) x: usize,
    pub(super) y: usize,
    pub(super) width: usize,
    pub(super) height: usize,
}

/// A line of text; `at` is the start of its baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) at: Point,
    pub(super) text: String,
}

/// A drawing, laid out as a picture.
#[derive(Debug, Default)]
pub(super) struct Picture {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) packages: Vec<Label>,
    pub(super) panels: Vec<Panel>,
}

/// A channel in the picture.
#[derive(Debug)]
pub(super) struct Panel {
    pub(super) frame: Rectangle,
    /// The name of the channel, with remarks below.
    pub(super) labels: Vec<Label>,
    /// The boxes, one for each node.
    pub(super) boxes: Vec<BundleBox>,
    /// The routes, one for each set of edges.
    pub(super) routes: Vec<Route>,
}

/// A bundle in the picture.
#[derive(Debug)]
pub(super) struct BundleBox {
    pub(super) rectangle: Rectangle,
    pub(super) labels: Vec<Label>,
}

/// The lines of a set of edges.
#[derive(Debug, Default)]
pub(super) struct Route {
    /// The points of the trunk, which ends with an arrowhead at the newer bundle.
    pub(super) trunk: Vec<Point>,
    /// The branches from older bundles to the trunk.
    pub(super) branches: Vec<(Point, Point)>,
    /// Segments of the trunk, each of which stands for the edges from all bundles beside it.
    pub(super) bars: Vec<(Point, Point)>,
}

/// Returns the maximum number of columns that a string needs: characters that are wide in only some fonts count as
/// wide.
pub(super) fn columns(text: &str) -> usize {
    text.width_cjk()
}

/// Lays out a drawing, from `top` downwards.
pub(super) fn layout(drawing: &Drawing, top: usize) -> Picture {
    let mut picture = Picture::default();
    let mut panels: Vec<(Panel, &ChannelDrawing)> = drawing
        .channels
        .iter()
        .map(|channel| (panel(channel), channel))
        .collect();
    let widest = panels.iter().map(|(panel, _)| panel.frame.width).max().unwrap_or(0);
    let right = MARGIN + widest.max(ROW_WIDTH);
    let (mut x, mut y, mut row_height) = (MARGIN, top, 0);
    let mut package = None;
    for (panel, channel) in &mut panels {
        let new_package = package != Some(&channel.package);
        if new_package || x + panel.frame.width > right {
            y += row_height;
            (x, row_height) = (MARGIN, 0);
        }
        if new_package {
            package = Some(&channel.package);
            let label = label((MARGIN, y + LINE), &format!("package {}", channel.package));
            picture.width = picture.width.max(MARGIN + columns(&label.text) * CHARACTER + MARGIN);
            picture.packages.push(label);
            y += LINE + MARGIN;
        }
        panel.shift(x, y);
        x += panel.frame.width + MARGIN;
        row_height = row_height.max(panel.frame.height + MARGIN);
        picture.width = picture.width.max(x);
    }
    picture.height = y + row_height;
    picture.panels = panels.into_iter().map(|(panel, _)| panel).collect();
    picture
}

/// Lays out a channel at the top left.
fn panel(channel: &ChannelDrawing) -> Panel {
    let mut texts = vec![format!(
        "channel {}{}",
        channel.channel,
        if channel.is_default { " (default)" } else { "" }
    )];
    if channel.nodes.is_empty() {
        texts.push("no bundles".to_owned());
    }
    if channel.undrawn_ranges > 0 {
        texts.push(format!("version ranges not drawn: {}", channel.undrawn_ranges));
    }
    let labels: Vec<Label> = texts
        .iter()
        .enumerate()
        .map(|(line, text)| label((MARGIN, LINE * (line + 1) + LINE / 2), text))
        .collect();
    let titles = labels.iter().map(|label| columns(&label.text)).max().unwrap_or(0) * CHARACTER;
    let left = lanes(channel, |kind| kind != EdgeKind::SkipRange);
    let right = lanes(channel, |kind| kind == EdgeKind::SkipRange);
    let room = |lanes: &Lanes| match lanes.count {
        0 => 0,
        count => LANE_OFFSET + count * LANE,
    };
    let texts: Vec<[String; 2]> = channel
        .nodes
        .iter()
        .map(|node| [cut(&node.name), cut(&node.details())])
        .collect();
    let column = Rectangle {
        x: MARGIN + room(&left),
        y: LINE * labels.len() + 2 * LINE,
        width: texts.iter().flatten().map(|text| columns(text)).max().unwrap_or(0) * CHARACTER + 2 * PADDING,
        height: BOX_HEIGHT,
    };
    let boxes: Vec<BundleBox> = texts
        .into_iter()
        .enumerate()
        .map(|(place, texts)| bundle_box(column, place, texts))
        .collect();
    let routes = channel
        .edges
        .iter()
        .zip(left.of.iter().zip(&right.of))
        .map(|(edges, lanes)| match lanes {
            (Some(lane), _) => aside(
                edges,
                column,
                column.x.saturating_sub(LANE_OFFSET + lane * LANE),
                column.x,
            ),
            (_, Some(lane)) => {
                let edge = column.x + column.width;
                aside(edges, column, edge + LANE_OFFSET + lane * LANE, edge)
            }
            _ => straight(edges, column),
        })
        .collect();
    let rows = boxes.len() * (BOX_HEIGHT + BOX_GAP);
    Panel {
        frame: Rectangle {
            x: 0,
            y: 0,
            width: (column.x + column.width + room(&right)).max(MARGIN + titles) + MARGIN,
            height: column.y + rows,
        },
        labels,
        boxes,
        routes,
    }
}

impl Panel {
    fn shift(&mut self, x: usize, y: usize) {
        let point = |point: &mut Point| *point = (point.0 + x, point.1 + y);
        let rectangle = |rectangle: &mut Rectangle| {
            rectangle.x += x;
            rectangle.y += y;
        };
        rectangle(&mut self.frame);
        self.labels.iter_mut().for_each(|label| point(&mut label.at));
        for bundle in &mut self.boxes {
            rectangle(&mut bundle.rectangle);
            bundle.labels.iter_mut().for_each(|label| point(&mut label.at));
        }
        for route in &mut self.routes {
            route.trunk.iter_mut().for_each(point);
            for (from, to) in route.branches.iter_mut().chain(&mut route.bars) {
                point(from);
                point(to);
            }
        }
    }
}

fn bundle_box(column: Rectangle, place: usize, texts: [String; 2]) -> BundleBox {
    let rectangle = Rectangle {
        y: top_of(column, place),
        ..column
    };
    let labels = texts
        .into_iter()
        .enumerate()
        .filter(|(_, text)| !text.is_empty())
        .map(|(line, text)| Label {
            at: (rectangle.x + PADDING, rectangle.y + LINE * (line + 1)),
            text,
        });
    BundleBox {
        labels: labels.collect(),
        rectangle,
    }
}

fn top_of(column: Rectangle, place: usize) -> usize {
    column.y + place * (BOX_HEIGHT + BOX_GAP)
}

/// Returns whether the set contains only one edge, which leads from a bundle to the bundle directly above it.
fn is_straight(edges: &Edges) -> bool {
    edges.kind == EdgeKind::Replaces && edges.each().eq([edges.newer + 1])
}

fn straight(edges: &Edges, column: Rectangle) -> Route {
    let x = column.x + column.width / 2;
    let newer = top_of(column, edges.newer);
    Route {
        trunk: vec![(x, newer + BOX_HEIGHT + BOX_GAP), (x, newer + BOX_HEIGHT)],
        ..Route::default()
    }
}

/// Returns the lines that represent a set of edges beside the column. `lane` is the x coordinate of the trunk; `side`
/// is the x coordinate of the side of the column where the lines begin and end.
fn aside(edges: &Edges, column: Rectangle, lane: usize, side: usize) -> Route {
    // Lines of different kinds enter and leave a box at different heights.
    let (inward, outward) = match edges.kind {
        EdgeKind::Replaces => (8, 26),
        EdgeKind::Skips => (17, 35),
        EdgeKind::SkipRange => (13, 31),
    };
    let arrow = top_of(column, edges.newer) + inward;
    let leave = |place: usize| top_of(column, place) + outward;
    let (mut highest, mut lowest) = (arrow, arrow);
    let mut route = Route::default();
    for run in &edges.older {
        let (first, last) = (leave(run.start), leave(run.end.saturating_sub(1)));
        highest = highest.min(first);
        lowest = lowest.max(last);
        if edges.kind == EdgeKind::SkipRange && run.len() > 1 {
            route.bars.push(((lane, first), (lane, last)));
            route.branches.push(((side, first), (lane, first)));
            route.branches.push(((side, last), (lane, last)));
        } else {
            let ends = run.clone().map(leave);
            route.branches.extend(ends.map(|y| ((side, y), (lane, y))));
        }
    }
    // The part above the arrow is drawn first, so that the line ends at the arrow.
    if highest < arrow && lowest > arrow {
        route.trunk.push((lane, highest));
        route.trunk.push((lane, lowest));
    } else if highest < arrow {
        route.trunk.push((lane, highest));
    } else {
        route.trunk.push((lane, lowest));
    }
    route.trunk.extend([(lane, arrow), (side, arrow)]);
    route
}

/// The lanes on one side of the column.
struct Lanes {
    /// The lane of each set of edges; `None` if the set has no lane on this side.
    of: Vec<Option<usize>>,
    count: usize,
}

/// Assigns a lane to each set of edges whose kind satisfies `here`, except straight lines. Of the lanes that are free
/// beside all bundles that the edges pass, the one nearest to the column is used.
fn lanes(channel: &ChannelDrawing, here: impl Fn(EdgeKind) -> bool) -> Lanes {
    let mut spans: Vec<(Range<usize>, usize)> = channel
        .edges
        .iter()
        .enumerate()
        .filter(|(_, edges)| here(edges.kind) && !is_straight(edges))
        .map(|(at, edges)| {
            let first = edges.older.first().map_or(edges.newer, |run| run.start);
            let last = edges.older.last().map_or(edges.newer, |run| run.end.saturating_sub(1));
            (first.min(edges.newer)..last.max(edges.newer), at)
        })
        .collect();
    spans.sort_by_key(|(span, at)| (span.start, span.end, *at));
    let mut lanes = Lanes {
        of: vec![None; channel.edges.len()],
        count: 0,
    };
    let mut taken: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
    let mut free = BTreeSet::new();
    for (span, at) in spans {
        while let Some(Reverse((end, lane))) = taken.peek().copied()
            && end < span.start
        {
            taken.pop();
            free.insert(lane);
        }
        let lane = free.pop_first().unwrap_or_else(|| {
            lanes.count += 1;
            lanes.count - 1
        });
        taken.push(Reverse((span.end, lane)));
        if let Some(of) = lanes.of.get_mut(at) {
            *of = Some(lane);
        }
    }
    lanes
}

fn label(at: Point, text: &str) -> Label {
    Label { at, text: cut(text) }
}

/// Cuts a string to the maximum length of a label.
fn cut(text: &str) -> String {
    let text = super::printable(text);
    if columns(&text) <= LONGEST_LABEL {
        return text;
    }
    let mut width = 0;
    let mut shorter: String = text
        .chars()
        .take_while(|character| {
            width += character.width_cjk().unwrap_or_default();
            width <= LONGEST_LABEL - 2
        })
        .collect();
    shorter.push('…');
    shorter
}
