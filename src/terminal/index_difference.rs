//! The difference between two indexes, as lines of text and as Markdown for a pull request.

use crate::catalog::difference::details::DetailDifference;
use crate::catalog::difference::{
    BundleDifference, Change, ChannelDifference, Difference, EntryDifference, Kind, PackageDifference, SetChange,
    TypedValue,
};

/// A statement about the difference. The following statements with a greater depth belong to it.
struct Line {
    depth: usize,
    kind: Option<Kind>,
    text: String,
}

/// A function that quotes names and values in the format of the output.
type Quote = fn(&str) -> String;

/// Returns the lines that show a difference: additions begin with `+`, removals with `-`, changes with `~`.
pub fn lines(difference: &Difference) -> Vec<String> {
    let lines = statements(difference, str::to_owned).into_iter().map(|line| {
        let sign = match line.kind {
            Some(Kind::Added) => "+ ",
            Some(Kind::Removed) => "- ",
            Some(Kind::Changed) => "~ ",
            None => "",
        };
        let text = line.text.replace(['\n', '\t'], " ");
        format!("{:width$}{sign}{text}", "", width = 2 * line.depth)
    });
    lines.collect()
}

/// Renders the difference as Markdown: a table of counts, then lists.
pub fn markdown(difference: &Difference) -> String {
    if difference.is_empty() {
        return "No differences found. Manifests are not compared.\n".to_owned();
    }
    let mut out = String::from("| | added | removed | changed |\n|---|---|---|---|\n");
    let channels = || difference.packages.iter().flat_map(|package| &package.channels);
    let rows: [(&str, Vec<Kind>); 5] = [
        (
            "packages",
            difference.packages.iter().map(|package| package.kind).collect(),
        ),
        ("channels", channels().map(|channel| channel.kind).collect()),
        (
            "channel entries",
            channels()
                .flat_map(|channel| channel.entries.iter().map(|entry| entry.kind))
                .collect(),
        ),
        ("bundles", difference.bundles.iter().map(|bundle| bundle.kind).collect()),
        (
            "other parts",
            difference.details.iter().map(|detail| detail.kind).collect(),
        ),
    ];
    for (name, kinds) in rows {
        let count = |wanted: Kind| kinds.iter().filter(|kind| **kind == wanted).count();
        let (added, removed, changed) = (count(Kind::Added), count(Kind::Removed), count(Kind::Changed));
        out.push_str(&format!("| {name} | {added} | {removed} | {changed} |\n"));
    }
    out.push('\n');
    for line in statements(difference, code) {
        let word = match line.kind {
            Some(Kind::Added) => "**added** ",
            Some(Kind::Removed) => "**removed** ",
            Some(Kind::Changed) => "**changed** ",
            None => "",
        };
        out.push_str(&format!("{:width$}- {word}{}\n", "", line.text, width = 2 * line.depth));
    }
    out
}

/// Renders a string as Markdown code, whatever it contains.
fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let longest = text
        .split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest == 0 {
        format!("{fence}{text}{fence}")
    } else {
        format!("{fence} {text} {fence}")
    }
}

fn statements(difference: &Difference, quote: Quote) -> Vec<Line> {
    let mut lines = Vec::new();
    for package in &difference.packages {
        of_package(package, quote, &mut lines);
    }
    for bundle in &difference.bundles {
        of_bundle(bundle, quote, &mut lines);
    }
    for detail in &difference.details {
        of_detail(detail, quote, &mut lines);
    }
    lines
}

fn of_package(package: &PackageDifference, quote: Quote, lines: &mut Vec<Line>) {
    lines.push(Line {
        depth: 0,
        kind: Some(package.kind),
        text: format!("package {}", quote(&package.name)),
    });
    lines.extend(package.default_channel.as_ref().map(|change| Line {
        depth: 1,
        kind: None,
        text: changed("default channel", change, quote),
    }));
    for channel in &package.channels {
        of_channel(channel, quote, lines);
    }
}

fn of_channel(channel: &ChannelDifference, quote: Quote, lines: &mut Vec<Line>) {
    let head = channel.head.as_ref().map(|change| changed("head", change, quote));
    let head = head.map_or(String::new(), |head| format!(": {head}"));
    lines.push(Line {
        depth: 1,
        kind: Some(channel.kind),
        text: format!("channel {}{head}", quote(&channel.name)),
    });
    lines.extend(channel.entries.iter().map(|entry| Line {
        depth: 2,
        kind: Some(entry.kind),
        text: of_entry(entry, quote),
    }));
}

fn of_entry(entry: &EntryDifference, quote: Quote) -> String {
    let mut parts = vec![quote(&entry.bundle)];
    parts.extend(entry.replaces.as_ref().map(|change| changed("replaces", change, quote)));
    if let Some(SetChange { added, removed }) = &entry.skips {
        let names = |names: &[String]| names.iter().map(|name| quote(name)).collect::<Vec<_>>().join(" ");
        match entry.kind {
            Kind::Added => parts.push(format!("skips {}", names(added))),
            Kind::Removed => parts.push(format!("skips {}", names(removed))),
            Kind::Changed => {
                if !added.is_empty() {
                    parts.push(format!("now skips {}", names(added)));
                }
                if !removed.is_empty() {
                    parts.push(format!("no longer skips {}", names(removed)));
                }
            }
        }
    }
    parts.join(", ")
}

fn of_bundle(bundle: &BundleDifference, quote: Quote, lines: &mut Vec<Line>) {
    let fields = [
        ("version", &bundle.version),
        ("image", &bundle.image),
        ("skipRange", &bundle.skip_range),
    ];
    let mut fields: Vec<String> = fields
        .iter()
        .filter_map(|(name, change)| Some(changed(name, change.as_ref()?, quote)))
        .collect();
    // The fields of an added or removed bundle fit on one line.
    let beside = if bundle.kind == Kind::Changed {
        String::new()
    } else {
        fields.drain(..).map(|field| format!(", {field}")).collect()
    };
    let package = match bundle.package.as_str() {
        "" => String::new(),
        package => format!(" of package {}", quote(package)),
    };
    lines.push(Line {
        depth: 0,
        kind: Some(bundle.kind),
        text: format!("bundle {}{package}{beside}", quote(&bundle.name)),
    });
    lines.extend(fields.into_iter().map(|text| Line {
        depth: 1,
        kind: None,
        text,
    }));
    for (name, change) in [("property", &bundle.properties), ("dependency", &bundle.dependencies)] {
        let Some(SetChange { added, removed }) = change else {
            continue;
        };
        let line = |kind: Kind, value: &TypedValue| Line {
            depth: 1,
            kind: Some(kind),
            text: format!("{name} {} {}", quote(&value.kind), quote(&value.value)),
        };
        lines.extend(removed.iter().map(|value| line(Kind::Removed, value)));
        lines.extend(added.iter().map(|value| line(Kind::Added, value)));
    }
}

fn of_detail(found: &DetailDifference, quote: Quote, lines: &mut Vec<Line>) {
    let detail = &found.detail;
    let mut text = detail.what.clone();
    if !detail.name.is_empty() {
        text.push_str(&format!(" {}", quote(&detail.name)));
    }
    if !detail.package.is_empty() {
        text.push_str(&format!(" of package {}", quote(&detail.package)));
    }
    lines.push(Line {
        depth: 0,
        kind: Some(found.kind),
        text,
    });
    let Some(SetChange { added, removed }) = &found.values else {
        return;
    };
    let line = |kind: Kind, value: &String| Line {
        depth: 1,
        kind: Some(kind),
        text: quote(value),
    };
    lines.extend(removed.iter().map(|value| line(Kind::Removed, value)));
    lines.extend(added.iter().map(|value| line(Kind::Added, value)));
}

fn changed(name: &str, change: &Change, quote: Quote) -> String {
    match (&change.before, &change.after) {
        (Some(before), Some(after)) => format!("{name} {} -> {}", quote(before), quote(after)),
        (None, Some(after)) => format!("{name} {}", quote(after)),
        (Some(before), None) => format!("{name} no longer {}", quote(before)),
        (None, None) => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_code_can_contain_any_text() {
        assert_eq!(code("k.v1|<b>"), "`k.v1|<b>`");
        assert_eq!(code("a`b\n``c"), "``` a`b ``c ```");
    }

    #[test]
    fn unchanged_fields_are_omitted() {
        let same = Difference::default();
        assert!(lines(&same).is_empty());
        assert_eq!(markdown(&same), "No differences found. Manifests are not compared.\n");
    }
}
