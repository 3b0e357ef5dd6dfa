//! The Deployments of a version as OLM creates them: with the configuration of the Subscription, and with the proxy of
//! the cluster. Both replace what the bundle sets.

use super::component::Component;
use serde_json::{Map, Value, json};

/// The environment variables for the proxy of a cluster, and the fields of the Proxy that OLM takes them from.
const PROXY: [(&str, &str); 3] = [
    ("HTTP_PROXY", "/status/httpProxy"),
    ("HTTPS_PROXY", "/status/httpsProxy"),
    ("NO_PROXY", "/status/noProxy"),
];

/// Changes a Deployment as OLM does. `subscription` is the Subscription of the version, and `proxy` the proxy of the
/// cluster.
pub(super) fn configure(deployment: &mut Value, subscription: Option<Component<'_>>, proxy: Option<Component<'_>>) {
    let none = Value::Null;
    let config = Component(subscription.and_then(|to| to.get("/spec/config")).unwrap_or(&none));
    let variables = variables(config, proxy);
    let pod = "/spec/template/spec";
    let containers = deployment
        .pointer_mut(&format!("{pod}/containers"))
        .and_then(Value::as_array_mut);
    for container in containers.into_iter().flatten().filter_map(Value::as_object_mut) {
        merge(container, "env", &variables, is_named_alike);
        merge(container, "envFrom", config.list("/envFrom"), PartialEq::eq);
        merge(container, "volumeMounts", config.list("/volumeMounts"), is_named_alike);
        replace(container, "resources", config);
    }
    if let Some(pod) = deployment.pointer_mut(pod).and_then(Value::as_object_mut) {
        merge(pod, "volumes", config.list("/volumes"), is_named_alike);
        merge(pod, "tolerations", config.list("/tolerations"), PartialEq::eq);
        replace(pod, "nodeSelector", config);
        affinity(pod, config);
    }
    for metadata in ["/metadata", "/spec/template/metadata"] {
        if let Some(metadata) = deployment.pointer_mut(metadata).and_then(Value::as_object_mut) {
            annotations(metadata, config);
        }
    }
}

/// Returns the environment variables that OLM sets in each container. If the configuration sets one of the variables
/// for the proxy, OLM sets none of them from the proxy of the cluster.
fn variables(config: Component<'_>, proxy: Option<Component<'_>>) -> Vec<Value> {
    let mut variables = config.list("/env").to_vec();
    let is_overridden = variables
        .iter()
        .any(|variable| PROXY.iter().any(|(name, _)| variable.get("name") == Some(&json!(name))));
    if let Some(proxy) = proxy.filter(|_| !is_overridden) {
        let set = PROXY
            .iter()
            .filter_map(|(name, field)| Some((name, proxy.some_text(field)?)));
        variables.extend(set.map(|(name, value)| json!({"name": name, "value": value})));
    }
    variables
}

fn is_named_alike(one: &Value, other: &Value) -> bool {
    one.get("name").is_some() && one.get("name") == other.get("name")
}

/// Adds items to a list; an item replaces the one that is the same.
fn merge(map: &mut Map<String, Value>, key: &str, items: &[Value], is_same: impl Fn(&Value, &Value) -> bool) {
    if items.is_empty() {
        return;
    }
    let list = map.entry(key).or_insert(Value::Null);
    if list.is_null() {
        *list = json!([]);
    }
    let Some(list) = list.as_array_mut() else { return };
    for item in items {
        match list.iter_mut().find(|own| is_same(own, item)) {
            Some(own) => own.clone_from(item),
            None => list.push(item.clone()),
        }
    }
}

fn replace(map: &mut Map<String, Value>, key: &str, config: Component<'_>) {
    if let Some(value) = config.get(&format!("/{key}")) {
        map.insert(key.to_owned(), value.clone());
    }
}

/// Replaces the parts of the affinity that the configuration sets; an empty part removes that of the bundle, and an
/// empty affinity all of it.
fn affinity(pod: &mut Map<String, Value>, config: Component<'_>) {
    let Some(parts) = config.get("/affinity").and_then(Value::as_object) else {
        return;
    };
    let given = parts.iter().filter(|(_, part)| !part.is_null());
    let own = pod.get("affinity").and_then(Value::as_object);
    let mut affinity = own.filter(|_| !parts.is_empty()).cloned().unwrap_or_default();
    affinity.extend(given.map(|(key, part)| (key.clone(), part.clone())));
    pod.insert("affinity".to_owned(), affinity.into());
}

/// Adds the annotations of the configuration that the bundle does not set.
fn annotations(metadata: &mut Map<String, Value>, config: Component<'_>) {
    let Some(added) = config.get("/annotations").and_then(Value::as_object) else {
        return;
    };
    let own = metadata.get("annotations").and_then(Value::as_object);
    let mut annotations = added.clone();
    annotations.extend(own.cloned().unwrap_or_default());
    metadata.insert("annotations".to_owned(), annotations.into());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deployment(container: &Value, pod: Value) -> Value {
        let mut spec = pod;
        spec["containers"] = json!([container]);
        json!({"metadata": {"name": "d"}, "spec": {"template": {"metadata": {}, "spec": spec}}})
    }

    /// Configures a Deployment, and returns the container and the pod.
    fn configured(container: &Value, pod: Value, config: &Value, proxy: Option<&Value>) -> (Value, Value) {
        let mut deployment = deployment(container, pod);
        let subscription = json!({"spec": {"config": config}});
        configure(&mut deployment, Some(Component(&subscription)), proxy.map(Component));
        let mut pod = deployment["spec"]["template"]["spec"].take();
        let container = pod["containers"][0].take();
        pod.as_object_mut().unwrap().shift_remove("containers");
        (container, pod)
    }

    #[test]
    fn variables_of_the_subscription_and_the_proxy_replace_those_of_the_bundle() {
        let own = json!({"env": [{"name": "HTTP_PROXY", "value": "own"}, {"name": "A", "value": "own"}]});
        let proxy = json!({"status": {"httpProxy": "http://proxy.example.com", "noProxy": "", "httpsProxy": "s"}});
        let env = |config: &Value, proxy: Option<&Value>| {
            let (container, _) = configured(&own, json!({}), config, proxy);
            let env = container["env"].as_array().unwrap().iter();
            let env = env.map(|variable| format!("{}={}", variable["name"], variable["value"]).replace('"', ""));
            env.collect::<Vec<_>>().join(" ")
        };
        let none = json!({});
        assert_eq!(env(&none, None), "HTTP_PROXY=own A=own");
        assert_eq!(
            env(&none, Some(&proxy)),
            "HTTP_PROXY=http://proxy.example.com A=own HTTPS_PROXY=s"
        );
        let other = json!({"env": [{"name": "A", "value": "new"}, {"name": "B", "value": "new"}]});
        assert_eq!(env(&other, None), "HTTP_PROXY=own A=new B=new");
        let overridden = json!({"env": [{"name": "NO_PROXY", "value": ""}]});
        assert_eq!(env(&overridden, Some(&proxy)), "HTTP_PROXY=own A=own NO_PROXY=");
    }

    #[test]
    fn lists_are_merged_and_other_settings_replaced() {
        let container =
            json!({"resources": {"limits": {"cpu": "1"}}, "volumeMounts": [{"name": "v", "mountPath": "/a"}]});
        let pod = json!({"nodeSelector": {"a": "b"}, "tolerations": [{"key": "t"}],
            "affinity": {"nodeAffinity": {"x": 1}, "podAffinity": {"x": 1}}});
        let config = json!({"resources": {}, "volumeMounts": [{"name": "v", "mountPath": "/b"}],
            "volumes": [{"name": "w"}], "envFrom": [{"prefix": "p"}], "nodeSelector": {"c": "d"},
            "tolerations": [{"key": "t"}, {"key": "u"}], "affinity": {"podAffinity": {"y": 1}}});
        let (container, pod) = configured(&container, pod, &config, None);
        assert_eq!(
            container,
            json!({"resources": {}, "volumeMounts": [{"name": "v", "mountPath": "/b"}], "envFrom": [{"prefix": "p"}]})
        );
        let expected = json!({"nodeSelector": {"c": "d"}, "tolerations": [{"key": "t"}, {"key": "u"}],
            "affinity": {"nodeAffinity": {"x": 1}, "podAffinity": {"y": 1}}, "volumes": [{"name": "w"}]});
        assert_eq!(pod, expected);
    }

    #[test]
    fn an_empty_affinity_removes_that_of_the_bundle() {
        let pod = json!({"affinity": {"nodeAffinity": {"x": 1}}});
        let (_, pod) = configured(&json!({}), pod, &json!({"affinity": {}}), None);
        assert_eq!(pod, json!({"affinity": {}}));
    }

    #[test]
    fn annotations_of_the_bundle_take_precedence() {
        let mut deployment = deployment(&json!({}), json!({}));
        deployment["metadata"]["annotations"] = json!({"a": "own"});
        let subscription = json!({"spec": {"config": {"annotations": {"a": "new", "b": "new"}}}});
        configure(&mut deployment, Some(Component(&subscription)), None);
        assert_eq!(deployment["metadata"]["annotations"], json!({"a": "own", "b": "new"}));
        let template = &deployment["spec"]["template"]["metadata"]["annotations"];
        assert_eq!(*template, json!({"a": "new", "b": "new"}));
    }
}
