//! The objects in a document, as `kubectl get -o yaml` and the API server write them.

use serde_json::{Map, Value};

/// Takes the objects out of a document: the items of a list, or the one object that it is. An item of a list such as
/// `PodList` gets the kind and API version that the list has in common for all. What is no object stays out, and is
/// returned.
pub fn take(document: Value, objects: &mut Vec<Value>) -> Option<Value> {
    let Value::Object(mut map) = document else {
        return Some(document);
    };
    let text = |key: &str| map.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (kind, api_version) = (text("kind"), text("apiVersion"));
    match (kind.strip_suffix("List"), map.remove("items")) {
        (Some(item_kind), Some(Value::Array(items))) => {
            let (objects_in, others): (Vec<_>, Vec<_>) = items.into_iter().partition(Value::is_object);
            objects.extend(objects_in.into_iter().filter_map(|item| match item {
                Value::Object(item) => Some(completed(item, item_kind, &api_version)),
                _ => None,
            }));
            others.into_iter().next()
        }
        (_, items) => {
            if let Some(items) = items {
                map.insert("items".to_owned(), items);
            }
            let is_object = !kind.is_empty() && !api_version.is_empty();
            if is_object {
                objects.push(Value::Object(map));
                None
            } else {
                Some(Value::Object(map))
            }
        }
    }
}

/// An item with kind and API version in front, where it does not say them itself.
fn completed(mut item: Map<String, Value>, kind: &str, api_version: &str) -> Value {
    if kind.is_empty() || (item.contains_key("kind") && item.contains_key("apiVersion")) {
        return Value::Object(item);
    }
    let mut whole = Map::new();
    for (key, of_list) in [("apiVersion", api_version), ("kind", kind)] {
        let own = item.shift_remove(key);
        whole.insert(key.to_owned(), own.unwrap_or_else(|| Value::from(of_list)));
    }
    whole.extend(item);
    Value::Object(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn taken(document: Value) -> (Vec<Value>, Option<Value>) {
        let mut objects = Vec::new();
        let rest = take(document, &mut objects);
        (objects, rest)
    }

    #[test]
    fn lists_are_opened_and_objects_taken_as_they_are() {
        let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}});
        assert_eq!(taken(pod.clone()), (vec![pod.clone()], None));
        let list = json!({"apiVersion": "v1", "kind": "List", "items": [pod, pod]});
        assert_eq!(taken(list), (vec![pod.clone(), pod.clone()], None));
        let bare = json!({"apiVersion": "v1", "kind": "PodList", "items": [{"metadata": {"name": "a"}}]});
        assert_eq!(taken(bare), (vec![pod], None));
        // An object of a kind that ends like a list, and one that has items of its own.
        let named = json!({"apiVersion": "example.com/v1", "kind": "AllowList", "spec": {}});
        assert_eq!(taken(named.clone()), (vec![named], None));
        let volume = json!({"apiVersion": "v1", "kind": "Menu", "items": [1], "metadata": {}});
        assert_eq!(taken(volume.clone()), (vec![volume], None));
    }

    #[test]
    fn what_is_no_object_is_given_back() {
        for other in [json!("text"), json!([1]), json!({"a": 1}), json!({"kind": "Pod"})] {
            assert_eq!(taken(other.clone()), (Vec::new(), Some(other)));
        }
        let list = json!({"apiVersion": "v1", "kind": "List", "items": [7]});
        assert_eq!(taken(list), (Vec::new(), Some(json!(7))));
    }
}
