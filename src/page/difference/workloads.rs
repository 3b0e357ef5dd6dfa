//! Changes to all settings of Deployments and webhooks, except for images, which are compared separately.

use super::super::change::{Change, of_maps};
use super::super::model::Release;
use super::super::workload::{Deployment, Webhook};
use serde_json::Value;
use std::collections::BTreeMap;

/// Settings by path.
type Settings = BTreeMap<String, String>;

/// The keys that may identify the items of a list. The first key that has a different value in each item is used.
const KEYS: [&str; 4] = ["mountPath", "name", "containerPort", "key"];
/// The containers of a pod.
const CONTAINERS: [&str; 2] = ["initContainers", "containers"];
/// The prefix of the paths of pod settings in a Deployment.
const POD: &str = "template.spec.";

/// Compares the Deployments.
pub(super) fn deployments(before: &Release, after: &Release) -> Vec<Change> {
    let settings = |version: &Release| -> BTreeMap<String, Settings> {
        let all = version
            .deployments
            .iter()
            .flat_map(|deployment| of_deployment(deployment, version));
        all.collect()
    };
    of_named(&settings(before), &settings(after))
}

/// Compares the webhooks.
pub(super) fn webhooks(before: &Release, after: &Release) -> Vec<Change> {
    let settings =
        |version: &Release| -> BTreeMap<String, Settings> { version.webhooks.iter().map(of_webhook).collect() };
    of_named(&settings(before), &settings(after))
}

/// Compares the settings of objects by name. An object that only one version contains is a single change.
fn of_named(before: &BTreeMap<String, Settings>, after: &BTreeMap<String, Settings>) -> Vec<Change> {
    let names = |all: &BTreeMap<String, Settings>| -> Settings {
        all.keys().map(|name| (name.clone(), String::new())).collect()
    };
    let mut changes = of_maps(&names(before), &names(after), false);
    for (name, old) in before {
        let Some(new) = after.get(name) else { continue };
        changes.extend(of_maps(old, new, false).into_iter().map(|change| Change {
            what: format!("{name}, {}", change.what),
            ..change
        }));
    }
    changes
}

/// Returns the settings of a Deployment and of each of its containers.
fn of_deployment(deployment: &Deployment, version: &Release) -> Vec<(String, Settings)> {
    let is_image = |text: &str| version.images.iter().any(|image| image.image == text);
    let name = &deployment.name;
    let mut spec = deployment.spec.clone();
    let mut all = Vec::new();
    for list in CONTAINERS {
        let place = spec.pointer_mut(&format!("/template/spec/{list}"));
        let containers = place.map(Value::take);
        for container in containers.as_ref().and_then(Value::as_array).into_iter().flatten() {
            let mut settings = Settings::new();
            flatten(container, "", &is_image, &mut settings);
            let own = settings.remove("name").unwrap_or_default();
            all.push((format!("{name}: {own}"), settings));
        }
    }
    let mut settings = Settings::new();
    flatten(&spec, "", &is_image, &mut settings);
    let settings = settings.into_iter().map(|(path, value)| {
        let path = path.strip_prefix(POD).map_or_else(|| path.clone(), str::to_owned);
        (path, value)
    });
    all.push((name.clone(), settings.collect()));
    all
}

fn of_webhook(webhook: &Webhook) -> (String, Settings) {
    let mut settings = Settings::new();
    let mut spec = webhook.spec.clone();
    if let Some(spec) = spec.as_object_mut() {
        spec.retain(|key, _| !["generateName", "type", "rules"].contains(&key.as_str()));
    }
    flatten(&spec, "", &|_| false, &mut settings);
    if !webhook.rules.is_empty() {
        settings.insert("rules".to_owned(), webhook.rules.join("; "));
    }
    (format!("{} ({})", webhook.name, webhook.kind), settings)
}

/// Collects the values inside a value, by path. A list without objects is a single value. All images get the same
/// value, because images are compared separately.
fn flatten(value: &Value, path: &str, is_image: &dyn Fn(&str) -> bool, settings: &mut Settings) {
    let below = |key: &str| {
        if path.is_empty() {
            key.to_owned()
        } else {
            format!("{path}.{key}")
        }
    };
    match value {
        Value::Null => {}
        Value::Object(fields) if !fields.is_empty() => {
            for (key, field) in fields {
                flatten(field, &below(key), is_image, settings);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            let key = KEYS.iter().find(|key| identifies(key, items));
            for (place, item) in items.iter().enumerate() {
                let name = key.map_or_else(|| place.to_string(), |key| text(&item[*key]));
                flatten(item, &format!("{path}[{name}]"), is_image, settings);
            }
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(text).collect();
            settings.insert(path.to_owned(), items.join(" "));
        }
        Value::String(text) if is_image(text) => {
            settings.insert(path.to_owned(), "an image".to_owned());
        }
        value => {
            settings.insert(path.to_owned(), text(value));
        }
    }
}

/// Whether a key has a different value in each of the items.
fn identifies(key: &str, items: &[Value]) -> bool {
    let values: Vec<&Value> = items.iter().filter_map(|item| item.get(key)).collect();
    let is_unique = |(place, value): (usize, &&Value)| !values.iter().take(place).any(|other| other == value);
    values.len() == items.len() && values.iter().enumerate().all(is_unique)
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The changes from one pod to another, as lines.
    fn lines(before: &Value, after: &Value) -> Vec<String> {
        let settings = |pod: &Value| {
            let mut settings = Settings::new();
            flatten(pod, "", &|text| text.starts_with("registry/"), &mut settings);
            BTreeMap::from([("rake".to_owned(), settings)])
        };
        let changes = of_named(&settings(before), &settings(after));
        let lines = changes.iter().map(|change| {
            let Change {
                mark,
                what,
                before,
                after,
                ..
            } = change;
            format!("{mark} {what}: {before} -> {after}")
        });
        lines.collect()
    }

    #[test]
    fn every_setting_is_compared_by_path() {
        let before = json!({
            "args": ["--leader-elect"], "image": "registry/a:1",
            "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
            "ports": [{"containerPort": 80}],
            "volumeMounts": [{"mountPath": "/a", "name": "x"}, {"mountPath": "/b", "name": "x"}],
        });
        let after = json!({
            "args": ["--leader-elect", "--v=2"], "image": "registry/a:2",
            "env": [{"name": "B", "value": "3"}, {"name": "A", "value": "1"}],
            "ports": [{"containerPort": 80, "protocol": "TCP"}],
            "volumeMounts": [{"mountPath": "/a", "name": "x"}],
            "securityContext": {"runAsNonRoot": true},
        });
        assert_eq!(
            lines(&before, &after),
            [
                "~ rake, args: --leader-elect -> --leader-elect --v=2",
                "~ rake, env[B].value: 2 -> 3",
                "+ rake, ports[80].protocol:  -> TCP",
                "+ rake, securityContext.runAsNonRoot:  -> true",
                "− rake, volumeMounts[/b].mountPath: /b -> ",
                "− rake, volumeMounts[/b].name: x -> ",
            ]
        );
        assert_eq!(lines(&before, &before), Vec::<String>::new());
    }
}
