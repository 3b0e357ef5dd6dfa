//! The entries of `apis` in `olm.yaml` for resources that only the new manifests use. They are comments for the author,
//! as in the first `olm.yaml` of a bundle.

use crate::bundle::OLM_YAML;
use crate::source::line_break;
use crate::synthesis::Unresolved;
use crate::synthesis::starter::write_stubs;
use crate::text::{self, Document, Limits, Path};
use serde_json::Value;

/// The key of the entries, as a comment.
const PLACEHOLDER: &str = "# apis:";

/// Returns the resources whose kinds are unknown now, but were known in the previous release or not needed there.
pub(super) fn new(is: &[Unresolved], was: &[Unresolved]) -> Vec<Unresolved> {
    let is_old = |entry: &Unresolved| {
        let mut before = was.iter();
        before.any(|old| old.group == entry.group && old.resource == entry.resource)
    };
    is.iter().filter(|entry| !is_old(entry)).cloned().collect()
}

/// Returns the text of `olm.yaml` with comments for these resources, or `None` if nothing changes. Resources that a
/// comment already names are skipped.
pub(super) fn added(olm: &str, unresolved: &[Unresolved]) -> Option<String> {
    // The comments are indented like the entries above them.
    let lines: String = olm.lines().map(|line| format!("{}\n", line.trim())).collect();
    let is_open = |entry: &&Unresolved| {
        let known = format!("# - group: {}\n#   resource: {}\n", entry.group, entry.resource);
        entry.entry.is_none() && !lines.contains(&known)
    };
    let open: Vec<Unresolved> = unresolved.iter().filter(is_open).cloned().collect();
    if open.is_empty() || olm.trim_start().starts_with('{') {
        return None;
    }
    let mut stubs = String::new();
    write_stubs(&mut stubs, &open);
    let newline = line_break(olm);
    let stubs = stubs.replace('\n', newline);
    let read = |text: &str| {
        let mut documents = text::read(OLM_YAML, text.as_bytes(), &Limits::default()).documents;
        (!documents.is_empty()).then(|| documents.swap_remove(0))
    };
    let before = in_block_style(read(olm)?, read)?;
    let olm = before.source().text();
    let apis = Path::root().key("apis");
    let mut changed = olm.to_owned();
    if apis.get(before.value()).is_some() {
        let end = before.place(&apis).span.end;
        let written = olm[..end].trim_end().len();
        let line = olm[written..].find('\n').map_or(olm.len(), |at| written + at + 1);
        let stubs = indented(&stubs, indentation(&olm[before.key_place(&apis).span.end..line]));
        changed.insert_str(line, &below(&olm[..line], &stubs, newline));
    } else if let Some((start, line)) = placeholder(olm) {
        changed.replace_range(start..start + line.len(), &format!("{PLACEHOLDER}{newline}{stubs}"));
    } else {
        let lines = format!("{newline}{PLACEHOLDER}{newline}{stubs}");
        changed.push_str(&below(olm, &lines, newline));
    }
    // The comments must not change a value.
    read(&changed)
        .is_some_and(|after| after.value() == before.value())
        .then_some(changed)
}

/// Rewrites `apis` in block style if it is written in brackets, where comments could not become entries. Returns `None`
/// if its form does not allow this.
fn in_block_style(olm: Document, read: impl Fn(&str) -> Option<Document>) -> Option<Document> {
    let apis = Path::root().key("apis");
    let list = olm.place(&apis);
    let newline = line_break(olm.source().text());
    let Some(entries) = apis.get(olm.value()).and_then(Value::as_array) else {
        return Some(olm);
    };
    if !list.text().starts_with('[') {
        return Some(olm);
    }
    let entries: String = (0..entries.len())
        .map(|index| format!("{newline}- {}", olm.place(&apis.index(index)).text().trim_end()))
        .collect();
    let mut text = olm.source().text().to_owned();
    // A comment between the brackets would be lost.
    let is_simple = !list.text().contains('#');
    let colon = text[..list.span.start].trim_end().len();
    text.replace_range(colon..list.span.start + list.text().trim_end().len(), &entries);
    let mut value = olm.value().clone();
    if entries.is_empty() {
        value["apis"] = Value::Null;
    }
    read(&text).filter(|block| is_simple && *block.value() == value)
}

/// Returns the indentation of the first item of a list in block style.
fn indentation(list: &str) -> &str {
    let mut lines = list.lines().skip(1);
    let first = lines
        .find(|line| line.trim_start().starts_with('-'))
        .unwrap_or_default();
    &first[..first.len() - first.trim_start().len()]
}

fn indented(lines: &str, indentation: &str) -> String {
    let lines = lines.split_inclusive('\n');
    lines.map(|line| format!("{indentation}{line}")).collect()
}

/// Returns the offset of the placeholder's line, and the line with its line break.
fn placeholder(olm: &str) -> Option<(usize, &str)> {
    let mut start = 0;
    for line in olm.split_inclusive('\n') {
        if line.starts_with(PLACEHOLDER) {
            return Some((start, line));
        }
        start += line.len();
    }
    None
}

/// Returns lines to write below `above`, whose last line may have no line break.
fn below(above: &str, lines: &str, newline: &str) -> String {
    let end = if above.is_empty() || above.ends_with('\n') {
        ""
    } else {
        newline
    };
    format!("{end}{lines}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(resource: &str) -> Unresolved {
        Unresolved {
            group: "example.com".to_owned(),
            resource: resource.to_owned(),
            kind: "…",
            version: "…",
            of_platform: false,
            of_own_group: false,
            entry: None,
            place: None,
        }
    }

    fn with(olm: &str) -> String {
        let changed = added(olm, &[entry("foos")]).unwrap_or_else(|| olm.to_owned());
        assert_eq!(added(&changed, &[entry("foos")]), None, "a second time");
        changed
    }

    const STUB: &str = "# - group: example.com\n#   resource: foos\n#   kind: …\n#   version: …\n#   dependency: required  # OLM installs a provider; use optional if the operator runs without it\n";

    #[test]
    fn comments_are_placed_where_the_entries_belong() {
        assert_eq!(with("name: a\n"), format!("name: a\n\n# apis:\n{STUB}"));
        assert_eq!(with("name: a"), format!("name: a\n\n# apis:\n{STUB}"));
        let example = "# apis: [{group: a, resource: b}]\nname: a\n";
        assert_eq!(with(example), format!("# apis:\n{STUB}name: a\n"));
        let list = "apis:\n- {group: a, resource: b}\n\nname: a\n";
        assert_eq!(
            with(list),
            format!("apis:\n- {{group: a, resource: b}}\n{STUB}\nname: a\n")
        );
        let text = "name: a\r\n";
        assert_eq!(with(text), format!("name: a\n\n# apis:\n{STUB}").replace('\n', "\r\n"));
        assert_eq!(with("{name: a}\n"), "{name: a}\n");
    }

    #[test]
    fn uncommented_stubs_are_entries_of_the_list() {
        for olm in [
            "apis:\n  - {group: a, resource: b}\nname: a\n",
            "apis:\n  # ours\n  - group: a\n    resource: b\n\nname: a\n",
            "apis: [{group: a, resource: b}] # ours\nname: a\n",
            "apis: [\n  {group: a, resource: b},\n]\nname: a\n",
            "apis: []\nname: a\n",
            "name: a\napis: [{group: a, resource: b}]",
        ] {
            let old = text::read(OLM_YAML, olm.as_bytes(), &Limits::default());
            let known = old.documents[0].value()["apis"].as_array().unwrap().clone();
            let changed = with(olm);
            let uncommented: String = changed
                .lines()
                .map(|line| match line.split_once("# ") {
                    Some((indentation, entry)) if entry.starts_with(['-', ' ']) => format!("{indentation}{entry}\n"),
                    _ => format!("{line}\n"),
                })
                .collect();
            let new = text::read(OLM_YAML, uncommented.as_bytes(), &Limits::default());
            let value = new.documents[0].value();
            let apis = value["apis"].as_array().unwrap();
            assert_eq!(apis[..known.len()], known, "{changed}");
            assert_eq!(apis[known.len()]["resource"], "foos", "{changed}");
            assert_eq!(value["name"], "a", "{changed}");
        }
        let commented = "apis: [\n  {group: a, resource: b}, # ours\n]\n";
        assert_eq!(with(commented), commented);
    }

    #[test]
    fn further_comments_are_added_to_existing_ones() {
        let once = with("# apis:\nname: a\n");
        let twice = added(&once, &[entry("foos"), entry("bars")]).unwrap();
        assert_eq!(
            twice,
            format!("# apis:\n{}{STUB}name: a\n", STUB.replace("foos", "bars"))
        );
    }
}
