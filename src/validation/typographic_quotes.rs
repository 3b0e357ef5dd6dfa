//! Checks for values in typographic quotes, which YAML reads as part of the value.

use crate::bundle::{Bundle, is_csv};
use crate::diagnostic::Diagnostic;
use crate::manifest::Object;
use crate::rules;
use crate::text::Path;
use memchr::memmem;
use serde_json::Value;
use std::collections::HashMap;

/// The opening and closing quotes.
const QUOTES: [(char, char); 3] = [('“', '”'), ('„', '“'), ('‘', '’')];
/// The bytes that each of the quotes begins with.
const BEGINNING: [u8; 2] = [0xE2, 0x80];

/// Checks the manifests. A ClusterServiceVersion contains prose, which may begin and end with such quotes.
pub(super) fn check(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    // A file may contain thousands of objects, and is searched only once.
    let mut searched: HashMap<*const str, bool> = HashMap::new();
    for object in bundle.objects.iter().filter(|object| !is_csv(object)) {
        let (document, _) = object.document();
        let text = document.source().text();
        let has_quotes = || memmem::find(text.as_bytes(), &BEGINNING).is_some();
        if *searched.entry(text).or_insert_with(has_quotes) {
            walk(object, object.value(), &mut Path::root(), findings);
        }
    }
}

fn walk(object: &Object, value: &Value, path: &mut Path, findings: &mut Vec<Diagnostic>) {
    match value {
        Value::String(string) => {
            if let Some(inside) = quoted(string) {
                let message = format!("the value of {path} includes its quotes, because they are typographic");
                let finding = Diagnostic::new(&rules::VALUE_QUOTES, message).object(object.label());
                let finding = finding.path(&*path).at(object.place(path));
                findings.push(finding.help(format!("Use plain quotes: {inside:?}.")));
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(index);
                walk(object, item, path, findings);
                path.pop();
            }
        }
        Value::Object(map) => {
            for (key, value) in map {
                path.push(key.as_str());
                walk(object, value, path, findings);
                path.pop();
            }
        }
        _ => {}
    }
}

/// Returns the text between the quotes that enclose a whole string.
fn quoted(string: &str) -> Option<&str> {
    QUOTES.iter().find_map(|(opening, closing)| {
        let inside = string.strip_prefix(*opening)?.strip_suffix(*closing)?;
        (!inside.contains([*opening, *closing])).then_some(inside)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::{Layout, Manifests};
    use crate::text::Limits;

    #[test]
    fn only_quotes_around_the_whole_string_are_reported() {
        for (string, wanted) in [
            ("“3”", Some("3")),
            ("„3“", Some("3")),
            ("‘a b’", Some("a b")),
            ("“a” and “b”", None),
            ("a “b”", None),
            ("“", None),
            ("\"3\"", None),
        ] {
            assert_eq!(quoted(string), wanted, "{string}");
        }
    }

    #[test]
    fn every_quote_begins_with_the_bytes_that_files_are_searched_for() {
        for quote in QUOTES.iter().flat_map(|(opening, closing)| [opening, closing]) {
            assert!(quote.to_string().as_bytes().starts_with(&BEGINNING), "{quote}");
        }
    }

    #[test]
    fn a_file_of_many_objects_is_searched_for_quotes_once() {
        // Searching the whole file for each object would read 40 GB three times.
        const OBJECTS: usize = 5000;
        let mut text = format!("# {}\n", "x".repeat(8 << 20));
        for number in 0..OBJECTS {
            let value = if number == OBJECTS - 1 { "“3”" } else { "3" };
            text +=
                &format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{number}}}\ndata: {{a: {value}}}\n");
        }
        let mut manifests = Manifests::default();
        manifests.read_file("a.yaml", text.as_bytes(), Layout::Nested, &Limits::default());
        let bundle = Bundle::of_manifests(manifests.objects);
        let mut findings = Vec::new();
        check(&bundle, &mut findings);
        let found: Vec<_> = findings.iter().map(|finding| finding.object.as_deref()).collect();
        assert_eq!(found, [Some("ConfigMap/c4999")]);
    }
}
