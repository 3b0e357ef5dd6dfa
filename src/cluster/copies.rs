//! Objects that the input contains more than once, for example in two overlapping dumps.

use super::State;
use serde_json::Value;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Removes all but the last copy of each object, which has the same `apiVersion`, kind, namespace and name. Returns
/// the objects whose copies differ, as `Kind namespace/name`.
///
/// Objects of dumps follow those of a what-if file, and also replace the conditions that the file lists separately.
pub fn drop_copies(state: &mut State) -> Vec<String> {
    let mut differing = Vec::new();
    let mut last: HashMap<[String; 4], &Value> = HashMap::new();
    let mut kept = Vec::new();
    let all = || state.conditions.iter().chain(&state.objects).rev();
    for object in all() {
        let Some(key) = key(object) else {
            kept.push(true);
            continue;
        };
        match last.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(object);
                kept.push(true);
            }
            Entry::Occupied(entry) => {
                if *entry.get() != object {
                    let [_, kind, namespace, name] = entry.key();
                    let separator = if namespace.is_empty() { "" } else { "/" };
                    differing.push(format!("{kind} {namespace}{separator}{name}"));
                }
                kept.push(false);
            }
        }
    }
    if kept.contains(&false) {
        let mut kept = kept.into_iter().rev();
        let mut is_kept = |_: &Value| kept.next().unwrap_or(true);
        state.conditions.retain(&mut is_kept);
        state.objects.retain(is_kept);
    }
    differing.sort_unstable();
    differing.dedup();
    differing
}

/// Returns what identifies an object; `None` if it has no name.
fn key(object: &Value) -> Option<[String; 4]> {
    let text = |path: &str| {
        object
            .pointer(path)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let name = Some(text("/metadata/name")).filter(|name| !name.is_empty())?;
    Some([text("/apiVersion"), text("/kind"), text("/metadata/namespace"), name])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_last_copy_of_an_object_is_kept() {
        let object = |version: &str, name: &str, value: u8| json!({"apiVersion": version, "kind": "Rake", "metadata": {"name": name, "namespace": "garden"}, "value": value});
        let nameless = json!({"apiVersion": "v1", "kind": "Rake"});
        let mut state = State {
            conditions: vec![object("v1", "a", 1), object("v1", "d", 1)],
            objects: vec![
                object("v1", "a", 2),
                object("v1", "b", 1),
                object("v2", "b", 1),
                nameless.clone(),
                nameless.clone(),
                object("v1", "b", 1),
            ],
            ..State::default()
        };
        assert_eq!(drop_copies(&mut state), ["Rake garden/a"]);
        assert_eq!(state.conditions, [object("v1", "d", 1)]);
        let kept = [
            object("v1", "a", 2),
            object("v2", "b", 1),
            nameless.clone(),
            nameless,
            object("v1", "b", 1),
        ];
        assert_eq!(state.objects, kept);
        assert!(drop_copies(&mut state).is_empty());
    }
}
