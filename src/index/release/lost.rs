//! The content of a catalog that a release would drop, because it is not in the template.

use crate::catalog::file_based::Schema;
use crate::catalog::file_based::edit::{Wanted, is_same};
use crate::catalog::file_based::template::Kind;
use crate::value::is_empty;
use serde_json::Value;

/// Returns the parts of the documents in a catalog that are not in the documents `wanted`, and that were not in the
/// documents `before`, which the template described before the release. Bundles, and documents that are removed as a
/// whole, are omitted.
pub(super) fn lost(documents: &[Value], wanted: &[Wanted], before: &[Value], kind: Kind) -> Vec<String> {
    let mut parts = Vec::new();
    for now in documents {
        let schema = Schema::from(now["schema"].as_str().unwrap_or_default());
        let wanted = wanted.iter().find_map(|wanted| match wanted {
            Wanted::Document(wanted) if schema != Schema::Bundle && is_same(wanted, now) => Some(wanted),
            _ => None,
        });
        let Some(wanted) = wanted else { continue };
        let mut now = now.clone();
        if kind == Kind::Semver && schema == Schema::Package {
            // They come from the head of the default channel.
            for field in ["icon", "description"] {
                now[field] = wanted[field].clone();
            }
        }
        let before = before.iter().find(|before| is_same(before, &now));
        let of = format!("{schema} {}", now["name"].as_str().unwrap_or_default());
        let mut paths = Vec::new();
        compare("", (&now, Some(wanted), before), &mut paths);
        parts.extend(paths.into_iter().map(|path| format!("{path} of {}", of.trim_end())));
    }
    parts
}

/// Adds the paths of all values inside `now` that are neither in `wanted` nor in `before`.
fn compare(path: &str, (now, wanted, before): (&Value, Option<&Value>, Option<&Value>), paths: &mut Vec<String>) {
    if Some(now) == wanted || Some(now) == before || is_empty(now) {
        return;
    }
    match (now, wanted) {
        (Value::Object(now), Some(Value::Object(wanted))) => {
            for (key, value) in now {
                let path = if path.is_empty() {
                    key.clone()
                } else {
                    format!("{path}.{key}")
                };
                let before = before.and_then(|before| before.get(key));
                compare(&path, (value, wanted.get(key), before), paths);
            }
        }
        (Value::Array(now), Some(Value::Array(wanted))) => {
            let before = before.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            for item in now
                .iter()
                .filter(|item| !wanted.contains(item) && !before.contains(item))
            {
                let name = name(item);
                let path = format!("{path}[{}]", name.as_deref().unwrap_or("…"));
                let same = |other: &&Value| name.is_some() && self::name(other) == name;
                match wanted.iter().find(same) {
                    Some(wanted) => compare(&path, (item, Some(wanted), before.iter().find(same)), paths),
                    None => paths.push(path),
                }
            }
        }
        _ => paths.push(path.to_owned()),
    }
}

/// Returns the name of an entry of a channel, of a deprecation, or of a string in a list.
fn name(item: &Value) -> Option<String> {
    let text = |pointer: &str| item.pointer(pointer).and_then(Value::as_str);
    let referred = || {
        let name = text("/reference/name").filter(|name| !name.is_empty());
        name.or_else(|| text("/reference/schema"))
    };
    let name = item.as_str().or_else(|| text("/name")).or_else(referred)?;
    Some(name.to_owned())
}
