//! Checks for values in typographic quotes, which YAML reads as part of the value.

use crate::bundle::{Bundle, is_csv};
use crate::diagnostic::Diagnostic;
use crate::manifest::Object;
use crate::rules;
use crate::text::Path;
use serde_json::Value;

/// The opening and closing quotes.
const QUOTES: [(char, char); 3] = [('“', '”'), ('„', '“'), ('‘', '’')];

/// Checks the manifests. A ClusterServiceVersion contains prose, which may begin and end with such quotes.
pub(super) fn check(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    for object in bundle.objects.iter().filter(|object| !is_csv(object)) {
        let (document, _) = object.document();
        let text = document.source().text();
        if QUOTES.iter().any(|(opening, _)| text.contains(*opening)) {
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
}
