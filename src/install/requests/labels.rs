//! The operator labels that an install propagates: from Subscriptions to their InstallPlan, and from the InstallPlan to
//! every object that it creates.

use crate::cluster::State;
use crate::cluster::labels::{self, LabelStyle};
use crate::cluster::requested;
use crate::resolver::Resolution;
use crate::steps::Step;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};

/// Returns the keys of the operator labels on the Subscriptions that a resolution updates. An operator is included only
/// if the cluster has an `Operator` for it in the API version of the proposal. A Subscription that represents an
/// `Operator` gets the label of that `Operator`.
pub fn projected(resolution: &Resolution, state: &State) -> BTreeSet<String> {
    let operators: Vec<&str> = state.objects.iter().filter_map(requested::proposed_operator).collect();
    let mut keys = BTreeSet::new();
    if operators.is_empty() {
        return keys;
    }
    let mut subscriptions: HashMap<&str, &Value> = HashMap::new();
    for object in &state.objects {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        if text("/metadata/namespace") == state.namespace && text("/kind") == "Subscription" {
            subscriptions.entry(text("/metadata/name")).or_insert(object);
        }
    }
    for updated in &resolution.updated_subscriptions {
        if operators.contains(&&*updated.name) {
            keys.insert(labels::key(LabelStyle::Shipped, &updated.name));
        }
        let subscription = subscriptions.get(&*updated.name);
        let labels = subscription.and_then(|object| object.pointer("/metadata/labels")?.as_object());
        for key in labels.into_iter().flat_map(|labels| labels.keys()) {
            let one = [(key.clone(), Value::Null)].into_iter().collect();
            let mut named = labels::operators(Some(&one));
            if named.any(|named| operators.iter().any(|operator| labels::is_name_of(named, operator))) {
                keys.insert(key.clone());
            }
        }
    }
    keys
}

/// Adds labels to the objects of steps.
pub fn put(keys: &BTreeSet<String>, steps: &mut [Step]) {
    for step in steps.iter_mut().filter(|_| !keys.is_empty()) {
        let Some(object) = step.resource.manifest.as_object_mut() else {
            continue;
        };
        let metadata = object.entry("metadata").or_insert_with(|| json!({}));
        let Some(metadata) = metadata.as_object_mut() else {
            continue;
        };
        let labels = metadata.entry("labels").or_insert_with(|| json!({}));
        if let Some(labels) = labels.as_object_mut() {
            labels.extend(keys.iter().map(|key| (key.clone(), json!(""))));
        }
    }
}
