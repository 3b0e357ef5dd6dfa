//! Guesses the package of a document that cannot be read.

use crate::catalog::file_based::Schema;
use crate::text::{self, Limits};

/// Returns the package whose contents are incomplete because a document cannot be read, or `None` if the document does
/// not seem to be a package, channel or bundle. A wrong guess only delays findings until the document can be read.
pub(super) fn package(text: &str, is_json: bool) -> Option<String> {
    let field = |name| {
        if is_json {
            in_json(text, name)
        } else {
            in_yaml(text, name)
        }
    };
    let name = match Schema::from(&*field("schema")?) {
        Schema::Package => field("name"),
        Schema::Channel | Schema::Bundle => field("package"),
        _ => None,
    };
    name.filter(|name| !name.is_empty())
}

/// Returns the first string in a field with this name.
fn in_json(text: &str, name: &str) -> Option<String> {
    let key = format!("\"{name}\"");
    text.match_indices(&key).find_map(|(at, _)| {
        let value = text.get(at + key.len()..)?.trim_start().strip_prefix(':')?;
        serde_json::Deserializer::from_str(value).into_iter().next()?.ok()
    })
}

/// Returns the string in a line of the outermost map.
fn in_yaml(text: &str, name: &str) -> Option<String> {
    let is_of_field = |line: &&str| line.strip_prefix(name).is_some_and(|value| value.starts_with(':'));
    let line = text.lines().find(is_of_field)?;
    let reading = text::read("", line.as_bytes(), &Limits::default());
    Some(reading.documents.first()?.value().get(name)?.as_str()?.to_owned())
}
