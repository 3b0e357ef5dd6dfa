//! Label selectors (`LabelSelector` of `meta/v1`, and the plain maps of Services).

use serde_json::{Map, Value};

/// Whether `labels` contains every pair of `wanted`.
pub(crate) fn contains_all(labels: &Map<String, Value>, wanted: &Map<String, Value>) -> bool {
    wanted.iter().all(|(key, value)| labels.get(key) == Some(value))
}

/// Whether a `LabelSelector` selects the labels. An empty selector selects everything; an expression with an unknown
/// operator selects nothing.
pub(crate) fn selects(selector: &Value, labels: &Map<String, Value>) -> bool {
    let pairs = selector.get("matchLabels").and_then(Value::as_object);
    let expressions = selector.get("matchExpressions").and_then(Value::as_array);
    pairs.is_none_or(|pairs| contains_all(labels, pairs))
        && expressions.is_none_or(|expressions| expressions.iter().all(|expression| holds(expression, labels)))
}

fn holds(expression: &Value, labels: &Map<String, Value>) -> bool {
    let Some(key) = expression.get("key").and_then(Value::as_str) else {
        return false;
    };
    let label = labels.get(key);
    let listed = || {
        let values = expression.get("values").and_then(Value::as_array);
        label.is_some_and(|label| values.is_some_and(|values| values.contains(label)))
    };
    match expression.get("operator").and_then(Value::as_str) {
        Some("In") => listed(),
        Some("NotIn") => !listed(),
        Some("Exists") => label.is_some(),
        Some("DoesNotExist") => label.is_none(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn labels() -> Map<String, Value> {
        json!({"app": "foo", "tier": "front"}).as_object().unwrap().clone()
    }

    #[test]
    fn labels_and_expressions_must_all_hold() {
        let selector = |value: Value| selects(&value, &labels());
        assert!(selector(json!({})));
        assert!(selector(json!({"matchLabels": {"app": "foo"}})));
        assert!(!selector(json!({"matchLabels": {"app": "bar"}})));
        let with = |operator: &str, key: &str| json!({"matchExpressions": [{"key": key, "operator": operator, "values": ["foo", "bar"]}]});
        assert!(selector(with("In", "app")) && !selector(with("In", "tier")) && !selector(with("In", "none")));
        assert!(!selector(with("NotIn", "app")) && selector(with("NotIn", "tier")) && selector(with("NotIn", "none")));
        assert!(selector(with("Exists", "app")) && !selector(with("Exists", "none")));
        assert!(!selector(with("DoesNotExist", "app")) && selector(with("DoesNotExist", "none")));
        assert!(!selector(with("Near", "app")));
    }
}
