//! Removes objects from the files of a bundle. Each object must be a separate YAML document.

use super::BundleLimits;
use super::edit::EditError;
use crate::manifest::Object;
use crate::source::line_break;
use crate::text::{Format, Path};
use crate::tree::Tree;
use std::collections::BTreeMap;
use std::ops::Range;

/// Whether an object can be removed: it must be a separate YAML document, not an item of a list.
pub(crate) fn can_be_cut(object: &Object) -> bool {
    let (document, root) = object.document();
    root.is_root() && document.format() == Format::Yaml
}

/// Replaces each object with a comment. Removes files that then contain only comments.
///
/// # Errors
/// Returns an error if a changed file exceeds a limit.
pub(crate) fn cut(tree: &mut Tree, objects: &[(&Object, String)], limits: &BundleLimits) -> Result<(), EditError> {
    let origin = format!("{}/", tree.origin().trim_end_matches('/'));
    let mut files: BTreeMap<String, Vec<(Range<usize>, &str)>> = BTreeMap::new();
    for (object, comment) in objects.iter().filter(|(object, _)| can_be_cut(object)) {
        let place = object.place(&Path::root());
        let path = object.file().strip_prefix(&origin).unwrap_or(object.file());
        let of_file = files.entry(path.to_owned()).or_default();
        of_file.push((place.span.clone(), comment));
    }
    for (path, mut cuts) in files {
        let content = tree.get(&path).map(<[u8]>::to_vec).unwrap_or_default();
        // A file that is not UTF-8 contains no objects.
        let mut text = String::from_utf8(content).unwrap_or_default();
        let line_end = line_break(&text);
        cuts.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
        for (span, comment) in cuts {
            let line_ends = text[span.end..].starts_with(['\n', '\r']) || span.end == text.len();
            let end = if line_ends { "" } else { line_end };
            text.replace_range(span, &format!("# {comment}{end}"));
        }
        let nothing = |line: &str| line.trim().is_empty() || line.starts_with("---") || line.trim().starts_with('#');
        if text.lines().all(nothing) {
            tree.remove(&path);
        } else {
            tree.insert(&path, text.into_bytes(), &limits.tree)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::MANIFESTS;
    use crate::manifest::{self, Layout};
    use crate::tree::TreeLimits;

    #[test]
    fn cut_documents_are_replaced_by_comments_and_empty_files_removed() {
        let object = |name: &str| format!("apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}");
        let several = format!(
            "# first\n{}\n---\n# second\n{}\n---\n{}",
            object("a"),
            object("b"),
            object("c")
        );
        let list = "kind: List\napiVersion: v1\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: d}}\n";
        let mut tree = Tree::new("op");
        for (path, text) in [("a.yaml", several.as_str()), ("b.yaml", &object("e")), ("c.yaml", list)] {
            let path = format!("{MANIFESTS}/{path}");
            tree.insert(&path, text.into(), &TreeLimits::default()).unwrap();
        }
        let limits = BundleLimits::default();
        let read = |tree: &Tree| manifest::read(tree, MANIFESTS, Layout::Nested, &limits.text).objects;
        let objects = read(&tree);
        let gone = ["b", "c", "d", "e"];
        let cuts: Vec<_> = objects
            .iter()
            .filter(|object| gone.contains(&object.name()))
            .map(|object| (object, format!("{} is gone", object.label())))
            .collect();
        cut(&mut tree, &cuts, &limits).unwrap();
        let left: Vec<String> = read(&tree).iter().map(|object| object.name().to_owned()).collect();
        assert_eq!(left, ["a", "d"], "an item of a list stays");
        assert_eq!(tree.get("manifests/b.yaml"), None);
        let text = std::str::from_utf8(tree.get("manifests/a.yaml").unwrap()).unwrap();
        let rest = "\n---\n# second\n# Pod/b is gone\n---\n# Pod/c is gone";
        assert_eq!(text, format!("# first\n{}{rest}", object("a")));
    }

    #[test]
    fn a_comment_uses_the_line_endings_of_its_file() {
        let text =
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: b\n";
        for text in [text.to_owned(), text.replace('\n', "\r\n")] {
            for name in ["a", "b"] {
                let mut tree = Tree::new("op");
                tree.insert("manifests/a.yaml", text.clone().into(), &TreeLimits::default())
                    .unwrap();
                let limits = BundleLimits::default();
                let objects = manifest::read(&tree, MANIFESTS, Layout::Nested, &limits.text).objects;
                let object = objects.iter().find(|object| object.name() == name).unwrap();
                cut(&mut tree, &[(object, "gone".to_owned())], &limits).unwrap();
                let left = String::from_utf8(tree.get("manifests/a.yaml").unwrap().to_vec()).unwrap();
                let lines = left.matches('\n').count();
                let expected = if text.contains('\r') { lines } else { 0 };
                assert_eq!(left.matches("\r\n").count(), expected, "{left:?}");
                assert!(!left.lines().any(str::is_empty), "{left:?}");
            }
        }
    }
}
