//! Objects that the input contains more than once, for example in two overlapping dumps.

use super::State;
use crate::kubernetes::version::compare_priority;
use serde_json::Value;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Removes all but one copy of each object, which has the same API group, kind, namespace and name. Returns the objects
/// whose copies differ, as `Kind namespace/name`.
///
/// The copy in the most stable version of the API is kept, and the last one among several. Objects of dumps follow
/// those of a what-if file, and also replace the conditions that the file lists separately.
pub fn drop_copies(state: &mut State) -> Vec<String> {
    let all: Vec<&Value> = state.conditions.iter().chain(&state.objects).collect();
    let mut chosen: HashMap<[String; 4], usize> = HashMap::new();
    let mut kept = vec![true; all.len()];
    let mut differing = Vec::new();
    for (index, object) in all.iter().enumerate() {
        let Some(key) = key(object) else { continue };
        match chosen.entry(key) {
            Entry::Vacant(entry) => drop(entry.insert(index)),
            Entry::Occupied(mut entry) => {
                let before = all[*entry.get()];
                let order = compare_priority(version(object), version(before));
                if order.is_eq() && !are_same(before, object) {
                    let [_, kind, namespace, name] = entry.key();
                    let separator = if namespace.is_empty() { "" } else { "/" };
                    differing.push(format!("{kind} {namespace}{separator}{name}"));
                }
                let dropped = if order.is_gt() { index } else { entry.insert(index) };
                kept[dropped] = false;
            }
        }
    }
    if kept.contains(&false) {
        let mut kept = kept.into_iter();
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
    let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let name = Some(text("/metadata/name")).filter(|name| !name.is_empty())?;
    let group = text("/apiVersion").split_once('/').map_or("", |(group, _)| group);
    let key = [group, text("/kind"), text("/metadata/namespace"), name];
    Some(key.map(str::to_owned))
}

fn version(object: &Value) -> &str {
    let api_version = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    api_version.split_once('/').map_or(api_version, |(_, version)| version)
}

/// Whether two copies agree. kubectl omits the managed fields from its output, and other tools do not.
fn are_same(one: &Value, other: &Value) -> bool {
    let plain = |object: &Value| {
        let mut object = object.clone();
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.shift_remove("managedFields");
        }
        object
    };
    one == other || plain(one) == plain(other)
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
        let kept = [object("v1", "a", 2), object("v2", "b", 1), nameless.clone(), nameless];
        assert_eq!(state.objects, kept);
        assert!(drop_copies(&mut state).is_empty());
    }

    #[test]
    fn copies_that_differ_only_in_managed_fields_or_in_the_version_do_not_differ() {
        let object =
            |version: &str| json!({"apiVersion": version, "kind": "Rake", "metadata": {"name": "a"}, "value": version});
        let mut managed = object("example.com/v1");
        managed["metadata"]["managedFields"] = json!([{"manager": "kubectl"}]);
        let mut state = State {
            objects: vec![
                object("example.com/v1"),
                managed.clone(),
                object("example.com/v1beta1"),
                object("example.org/v1"),
            ],
            ..State::default()
        };
        assert_eq!(drop_copies(&mut state), [""; 0]);
        assert_eq!(state.objects, [managed, object("example.org/v1")]);
    }
}
