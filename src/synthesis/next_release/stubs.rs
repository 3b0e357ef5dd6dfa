//! The entries of `apis` in `olm.yaml` for resources that only the new manifests use. They are comments for the author,
//! as in the first `olm.yaml` of a bundle.

use crate::bundle::OLM_YAML;
use crate::synthesis::Unresolved;
use crate::synthesis::starter::write_stubs;
use crate::text::{self, Limits, Path};

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
    let is_open = |entry: &&Unresolved| {
        let known = format!("# - group: {}\n#   resource: {}\n", entry.group, entry.resource);
        entry.entry.is_none() && !olm.replace("\r\n", "\n").contains(&known)
    };
    let open: Vec<Unresolved> = unresolved.iter().filter(is_open).cloned().collect();
    if open.is_empty() || olm.trim_start().starts_with('{') {
        return None;
    }
    let mut stubs = String::new();
    write_stubs(&mut stubs, &open);
    let read = |text: &str| {
        let mut documents = text::read(OLM_YAML, text.as_bytes(), &Limits::default()).documents;
        (!documents.is_empty()).then(|| documents.swap_remove(0))
    };
    let before = read(olm)?;
    let apis = Path::root().key("apis");
    let mut changed = olm.to_owned();
    if apis.get(before.value()).is_some() {
        let end = before.place(&apis).span.end;
        let written = olm[..end].trim_end().len();
        let line = olm[written..].find('\n').map_or(olm.len(), |at| written + at + 1);
        changed.insert_str(line, &below(&olm[..line], &stubs));
    } else if let Some((start, line)) = placeholder(olm) {
        changed.replace_range(start..start + line.len(), &format!("{PLACEHOLDER}\n{stubs}"));
    } else {
        changed.push_str(&below(olm, &format!("\n{PLACEHOLDER}\n{stubs}")));
    }
    if olm.contains("\r\n") {
        changed = changed.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    // The comments must not change a value.
    read(&changed)
        .is_some_and(|after| after.value() == before.value())
        .then_some(changed)
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
fn below(above: &str, lines: &str) -> String {
    let end = if above.is_empty() || above.ends_with('\n') {
        ""
    } else {
        "\n"
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
    fn comments_go_where_the_entries_belong() {
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
    fn further_comments_join_those_that_are_there() {
        let once = with("# apis:\nname: a\n");
        let twice = added(&once, &[entry("foos"), entry("bars")]).unwrap();
        assert_eq!(
            twice,
            format!("# apis:\n{}{STUB}name: a\n", STUB.replace("foos", "bars"))
        );
    }
}
