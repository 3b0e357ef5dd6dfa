//! Checks objects against the Kubernetes field definitions of their kinds.

use super::check::{Checker, Fault, Problem, takes};
use super::{Shape, TEXTS, nearest};
use crate::kubernetes::fields::{Fields, Type};
use crate::text::{Path, Step};
use serde_json::Value;

/// Returns at most `most` problems with an object: values of the wrong type, for which the API server rejects the
/// object, and unknown fields, which the API server drops. Field names are case-sensitive, and `null` is treated as an
/// absent field.
pub(crate) fn check_builtin(value: &Value, fields: Fields, most: usize) -> Vec<Problem> {
    let mut checker = Checker::new(false, most);
    checker.builtin(value, &Type::Object(fields));
    checker.into_found()
}

/// Suggests where the last key of an invalid path belongs, in an object with these fields. If exactly one sibling field
/// can have such a key, the key belongs below that field; otherwise, it belongs in the nearest enclosing object that
/// can have it.
pub(crate) fn elsewhere(fields: Fields, path: &Path) -> Option<Path> {
    let (Some(Step::Key(name)), Some(parent)) = (path.steps().last(), path.parent()) else {
        return None;
    };
    let mut around = vec![(Path::root(), fields)];
    let mut here = Path::root();
    let root = Type::Object(fields);
    let mut at = &root;
    for step in parent.steps() {
        at = match (at, step) {
            (Type::Object(fields), Step::Key(key)) => fields.get(key)?,
            (Type::Map(value), Step::Key(_)) => value,
            (Type::List(item), Step::Index(_)) => item,
            _ => return None,
        };
        here.push(step.clone());
        if let Type::Object(fields) = at {
            around.push((here.clone(), *fields));
        }
    }
    let (path, fields) = around.pop()?;
    let mut inside = fields
        .names()
        .filter(|field| matches!(fields.get(field), Some(Type::Object(inner)) if inner.get(name).is_some()));
    if let (Some(field), None) = (inside.next(), inside.next()) {
        return Some(path.key(field).key(name));
    }
    let outer = around.iter().rev().find(|(_, fields)| fields.get(name).is_some());
    outer.map(|(path, _)| path.key(name))
}

impl Checker {
    fn builtin(&mut self, value: &Value, wanted: &Type) {
        match (wanted, value) {
            _ if self.is_done() => {}
            (_, Value::Null) | (Type::Any, _) | (Type::Number, Value::Number(_)) => {}
            (Type::List(wanted), Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.inside(index, |checker| checker.builtin(item, wanted));
                }
            }
            (Type::Map(wanted), Value::Object(map)) => {
                for (key, value) in map {
                    self.inside(key.as_str(), |checker| checker.builtin(value, wanted));
                }
            }
            // The API server replaces an empty string with the default.
            (Type::Choice(choices), Value::String(text)) => {
                if !text.is_empty() && !choices.contains(&text.as_str()) {
                    self.report(Fault::Choice {
                        text: text.clone(),
                        choices,
                    });
                }
            }
            (Type::Object(fields), Value::Object(map)) => {
                for (key, value) in map {
                    self.inside(key.as_str(), |checker| match fields.get(key) {
                        Some(wanted) => checker.builtin(value, wanted),
                        None => checker.report(Fault::UnknownKey {
                            nearest: nearest(key, fields.names()).or_else(|| completed(key, *fields)),
                            known: fields.names().collect(),
                        }),
                    });
                }
            }
            _ => {
                let shape = shape(wanted);
                if !takes(&shape, value) {
                    self.wrong_type(value, &shape);
                }
            }
        }
    }
}

/// Returns the only field whose name starts with `name`, or is a prefix of `name`.
fn completed(name: &str, fields: Fields) -> Option<&'static str> {
    let begins = |long: &str, short: &str| {
        let start = long.get(..short.len());
        short.len() > 3 && start.is_some_and(|start| start.eq_ignore_ascii_case(short))
    };
    let only = |fits: &dyn Fn(&str) -> bool| {
        let mut found = fields.names().filter(|field| fits(field));
        found.next().filter(|_| found.next().is_none())
    };
    only(&|field| begins(field, name)).or_else(|| only(&|field| begins(name, field)))
}

/// Returns the shape of a type, but not the shapes of its fields or items.
fn shape(wanted: &Type) -> Shape {
    match wanted {
        Type::Any => Shape::Any,
        Type::Text => Shape::Text,
        Type::Choice(choices) => Shape::Choice(choices),
        Type::Boolean => Shape::Boolean,
        Type::Integer => Shape::Integer,
        Type::Number => Shape::OneOf(&[], "a number"),
        Type::Quantity => Shape::Quantity,
        Type::IntOrString => Shape::IntOrString,
        Type::List(item) if **item == Type::Text => TEXTS,
        Type::List(_) => Shape::List(&Shape::Any),
        Type::Map(_) => Shape::Map(&[], &Shape::Any),
        Type::Object(_) => Shape::Object(&[]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn deployment() -> Fields {
        Fields::of_kind("apps/v1", "Deployment").unwrap()
    }

    /// Returns the problems reported for the pod template of a Deployment.
    fn messages(pod: &Value) -> Vec<String> {
        let value = json!({"spec": {"template": {"spec": pod}}});
        let found = check_builtin(&value, deployment(), usize::MAX);
        let without = |problem: Problem| {
            let advice = match problem.fault {
                Fault::UnknownKey { nearest, .. } => format!("; {}", nearest.unwrap_or("?")),
                _ => String::new(),
            };
            format!("{}{advice}", problem.message("it")).replace("spec.template.spec.", "")
        };
        found.into_iter().map(without).collect()
    }

    #[test]
    fn values_that_the_api_server_cannot_read_are_found() {
        let container = |fields: Value| messages(&json!({"containers": [fields]}));
        assert_eq!(
            messages(&json!({"containers": {"name": "a"}})),
            ["containers must be a list, not a map"]
        );
        assert_eq!(
            container(json!({"ports": [{"containerPort": "http"}]})),
            ["containers[0].ports[0].containerPort must be a whole number, not a string"]
        );
        assert_eq!(
            container(json!({"env": [{"name": "A", "value": 8080}, {"name": "B", "value": true}]})),
            [
                "containers[0].env[0].value must be a string, not a number",
                "containers[0].env[1].value must be a string, not true or false",
            ]
        );
        assert_eq!(
            container(json!({"args": "--leader-elect", "stdin": "yes"})),
            [
                "containers[0].args must be a list, not a string",
                "containers[0].stdin must be true or false, not a string",
            ]
        );
        assert_eq!(
            container(json!({"resources": {"limits": {"cpu": "half", "memory": true}}})),
            [
                "containers[0].resources.limits.cpu must be a quantity such as 500m or 1Gi, not \"half\"",
                "containers[0].resources.limits.memory must be a quantity such as 500m or 1Gi, not true or false",
            ]
        );
        assert_eq!(
            messages(&json!("pod")),
            ["spec.template.spec must be a map, not a string"]
        );
    }

    #[test]
    fn values_in_every_form_accepted_by_the_api_server_are_valid() {
        assert_eq!(
            messages(&json!({
                "containers": [{
                    "resources": {"limits": {"cpu": 1, "memory": "1Gi", "nvidia.com/gpu": "1"}, "requests": {"cpu": 0.5}},
                    "readinessProbe": {"httpGet": {"port": "http"}, "grpc": null},
                    "livenessProbe": {"httpGet": {"port": 8080}},
                }],
                "nodeSelector": {"any.example.com/key": "value"},
                "terminationGracePeriodSeconds": 10.0,
                "affinity": null,
                "volumes": [null],
            })),
            [""; 0]
        );
    }

    #[test]
    fn names_in_a_different_case_are_unknown() {
        assert_eq!(
            messages(&json!({"serviceaccountname": "op", "ServiceAccountName": "op"})),
            [
                "serviceaccountname is not a known key of it; serviceAccountName",
                "ServiceAccountName is not a known key of it; serviceAccountName",
            ]
        );
    }

    #[test]
    fn a_misplaced_field_is_found_in_its_surroundings() {
        let place = |path: &str| elsewhere(deployment(), &Path::parse(path)).map(|path| path.to_string());
        let found = |path: &str| place(path).unwrap_or_default();
        assert_eq!(found("spec.template.spec.replicas"), "spec.replicas");
        assert_eq!(
            found("spec.template.spec.containers[1].runAsUser"),
            "spec.template.spec.containers[1].securityContext.runAsUser"
        );
        assert_eq!(found("metadata.spec"), "spec");
        assert_eq!(found("spec.template.spec.containers[0].wrong"), "");
        assert_eq!(found("spec.template.containers"), "spec.template.spec.containers");
        assert_eq!(found("metadata.labels.replicas"), "");
    }

    #[test]
    fn the_number_of_findings_is_limited() {
        let wrong = json!({"a": 1, "b": 1, "spec": {"replicas": "3"}});
        assert_eq!(check_builtin(&wrong, deployment(), 2).len(), 2);
        assert_eq!(check_builtin(&wrong, deployment(), 0).len(), 0);
    }
}
