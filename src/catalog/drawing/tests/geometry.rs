//! Measures a picture as an SVG renderer displays it.

use roxmltree::{Document, Node};
use unicode_width::UnicodeWidthStr;

/// The width that a test assumes for a character: more than any common monospaced font needs at 12 pixels.
const CHARACTER: i64 = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Area {
    left: i64,
    top: i64,
    right: i64,
    bottom: i64,
}

impl Area {
    /// Returns whether the two areas share more than their borders.
    fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    fn holds(&self, other: &Self) -> bool {
        self.left <= other.left && other.right <= self.right && self.top <= other.top && other.bottom <= self.bottom
    }

    fn touches(&self, (x, y): (i64, i64)) -> bool {
        self.left <= x && x <= self.right && self.top <= y && y <= self.bottom
    }
}

/// The measurements.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    pub(crate) boxes: usize,
    pub(crate) routes: usize,
    pub(crate) size: (i64, i64),
}

fn number(node: &Node<'_, '_>, name: &str) -> i64 {
    node.attribute(name).unwrap_or("0").parse().unwrap()
}

fn rectangle(node: &Node<'_, '_>) -> Area {
    let (left, top) = (number(node, "x"), number(node, "y"));
    Area {
        left,
        top,
        right: left + number(node, "width"),
        bottom: top + number(node, "height"),
    }
}

fn label(node: &Node<'_, '_>) -> Area {
    let columns = node.text().unwrap_or_default().width_cjk();
    let columns = i64::try_from(columns).unwrap();
    let (left, baseline) = (number(node, "x"), number(node, "y"));
    Area {
        left,
        top: baseline - 12,
        right: left + columns * CHARACTER,
        bottom: baseline + 4,
    }
}

fn points(path: &str) -> Vec<(i64, i64)> {
    let point = |text: &str| {
        let (x, y) = text.split_once(' ').unwrap();
        (x.parse().unwrap(), y.parse().unwrap())
    };
    path.trim_start_matches('M').split('L').map(point).collect()
}

fn segments(path: &str) -> Vec<Area> {
    let points = points(path);
    points
        .windows(2)
        .map(|ends| Area {
            left: ends[0].0.min(ends[1].0),
            top: ends[0].1.min(ends[1].1),
            right: ends[0].0.max(ends[1].0),
            bottom: ends[0].1.max(ends[1].1),
        })
        .collect()
}

fn has_class(node: &Node<'_, '_>, class: &str) -> bool {
    let classes = node.attribute("class").unwrap_or_default();
    classes.split(' ').any(|one| one == class)
}

fn apart(what: &str, areas: &[Area]) {
    let mut sorted = areas.to_vec();
    sorted.sort_by_key(|area| area.top);
    for (at, one) in sorted.iter().enumerate() {
        for other in sorted[at + 1..].iter().take_while(|other| other.top < one.bottom) {
            assert!(!one.overlaps(other), "{what} overlap: {one:?} and {other:?}");
        }
    }
}

/// Areas sorted by their upper edges, to find the areas that a line intersects.
struct Sorted {
    areas: Vec<Area>,
    tallest: i64,
}

impl Sorted {
    fn new(mut areas: Vec<Area>) -> Self {
        areas.sort_by_key(|area| area.top);
        let tallest = areas.iter().map(|area| area.bottom - area.top).max().unwrap_or(0);
        Self { areas, tallest }
    }

    fn near(&self, top: i64, bottom: i64) -> impl Iterator<Item = &Area> {
        let begin = self.areas.partition_point(|area| area.top < top - self.tallest);
        self.areas[begin..].iter().take_while(move |area| area.top <= bottom)
    }
}

/// Fails if boxes or labels overlap, a label leaves its box, a line runs through a box or a label, two lines coincide,
/// an arrow has no target, or an element leaves the picture.
pub(crate) fn measure(svg: &str) -> Measured {
    let document = Document::parse(svg).unwrap_or_else(|error| panic!("{error}\n{svg}"));
    let root = document.root_element();
    let paper = Area {
        left: 0,
        top: 0,
        right: number(&root, "width"),
        bottom: number(&root, "height"),
    };
    let of = |name: &'static str| root.descendants().filter(move |node| node.has_tag_name(name));
    let boxes: Vec<Area> = of("rect")
        .filter(|node| has_class(node, "bundle"))
        .map(|node| rectangle(&node))
        .collect();
    let panels: Vec<Area> = of("rect")
        .filter(|node| has_class(node, "panel"))
        .map(|node| rectangle(&node))
        .collect();
    let labels: Vec<Area> = of("text").map(|node| label(&node)).collect();
    apart("boxes", &boxes);
    apart("panels", &panels);
    apart("labels", &labels);
    for area in boxes.iter().chain(&panels).chain(&labels) {
        assert!(paper.holds(area), "{area:?} leaves the picture {paper:?}");
        for panel in panels.iter().filter(|panel| panel.overlaps(area)) {
            assert!(
                panel.holds(area) || panel == area,
                "{area:?} leaves its panel {panel:?}"
            );
        }
    }
    let sorted_boxes = Sorted::new(boxes.clone());
    for label in &labels {
        for one in sorted_boxes
            .near(label.top, label.bottom)
            .filter(|one| one.overlaps(label))
        {
            assert!(one.holds(label), "the label {label:?} leaves its box {one:?}");
        }
    }
    let sorted_labels = Sorted::new(labels.clone());
    let mut uprights: Vec<(Area, usize)> = Vec::new();
    let mut routes = 0;
    for path in of("path").filter(|path| !path.ancestors().any(|node| node.has_tag_name("defs"))) {
        let d = path.attribute("d").unwrap();
        let group = path.parent().unwrap().id().get_usize();
        let arrow = path.attribute("marker-end").is_some();
        let drawn = path.parent().unwrap().has_tag_name("g");
        if arrow && drawn {
            routes += 1;
            let end = *points(d).last().unwrap();
            assert!(
                sorted_boxes.near(end.1, end.1).any(|one| one.touches(end)),
                "the arrow at {end:?} points at no box"
            );
        }
        for line in segments(d) {
            assert!(paper.holds(&line), "the line {line:?} leaves the picture");
            // A line has no area, so it counts as one pixel wide, but a line on the border of an area does not cross
            // it.
            let crosses = |area: &&Area| {
                line.left < area.right
                    && area.left < line.right.max(line.left + 1)
                    && line.top < area.bottom
                    && area.top < line.bottom.max(line.top + 1)
                    && !(line.left == line.right && line.left <= area.left)
                    && !(line.top == line.bottom && line.top <= area.top)
            };
            for areas in [&sorted_boxes, &sorted_labels] {
                let met = areas.near(line.top, line.bottom).find(crosses);
                assert_eq!(met, None, "the line {line:?} runs through it");
            }
            if line.left == line.right && line.top < line.bottom {
                uprights.push((line, group));
            }
        }
    }
    uprights.sort_by_key(|(line, _)| (line.left, line.top));
    let mut lowest: Option<(Area, usize)> = None;
    for (line, group) in uprights {
        if let Some((before, by)) = lowest
            && before.left == line.left
        {
            assert!(
                by == group || before.bottom < line.top,
                "{before:?} and {line:?} lie on each other"
            );
            if before.bottom >= line.bottom {
                continue;
            }
        }
        lowest = Some((line, group));
    }
    Measured {
        boxes: boxes.len(),
        routes,
        size: (paper.right, paper.bottom),
    }
}
