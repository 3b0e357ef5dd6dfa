//! Compares the components of an operator with the resolved content. Each object of the resolved bundle, and each
//! object that OLM generates from the bundle, is compared field by field with the object in the cluster. Fields that
//! the API server and OLM set are ignored.

mod observed;
mod walk;

pub use observed::ObservedObjects;

use super::configured::configure;
use super::filled_in::{Surroundings, stored};
use crate::csv::{self, Csv};
use crate::install::apis::Apis;
use crate::kubernetes::rbac;
use crate::steps::Content;
use crate::steps::{self, BUNDLE_SECRET, Step, StepError, Target};
use crate::text::canonical;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use walk::Walk;

/// The maximum number of characters of a value that is shown in full.
const LONGEST: usize = 60;

/// A field of a component that differs from the resolved content.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The kind of the component.
    pub kind: String,
    /// The namespace of the component; empty if the component is cluster-scoped.
    pub namespace: String,
    /// The name of the component.
    pub name: String,
    /// The path of the field; empty if the component itself is missing.
    pub path: String,
    /// The resolved value; `None` if the resolved object does not set the field.
    pub resolved: Option<Value>,
    /// The value in the cluster; `None` if the field is absent there.
    pub found: Option<Value>,
}

impl Difference {
    /// Returns the component, as `Kind namespace/name`.
    pub fn component(&self) -> String {
        let slash = if self.namespace.is_empty() { "" } else { "/" };
        format!("{} {}{slash}{}", self.kind, self.namespace, self.name)
    }

    /// Describes the difference in a short phrase.
    pub fn words(&self) -> String {
        let short = |value: &Value| {
            let text = canonical::to_string(value);
            match text.char_indices().nth(LONGEST) {
                Some((end, _)) => format!("{}...", &text[..end]),
                None => text,
            }
        };
        match (&self.resolved, &self.found) {
            // The content of a Secret is never shown.
            _ if self.kind == "Secret" && !self.path.is_empty() => format!("{} differs from the bundle", self.path),
            _ if self.path.is_empty() => "is missing".to_owned(),
            (Some(resolved), Some(found)) => {
                format!(
                    "{} is {}, but the bundle specifies {}",
                    self.path,
                    short(found),
                    short(resolved)
                )
            }
            (Some(resolved), None) => format!("{} is missing, but the bundle specifies {}", self.path, short(resolved)),
            (None, found) => {
                let found = found.as_ref().map(short).unwrap_or_default();
                format!("{} is {found}, which the bundle does not set", self.path)
            }
        }
    }
}

/// The result of a comparison.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    /// The differences, in the order of the components.
    pub differences: Vec<Difference>,
    /// Kinds that have no objects in the dumps. Components of these kinds cannot be compared.
    pub unknown: BTreeSet<String>,
}

/// Compares the objects of a cluster with the objects that a bundle installs there. `installed` is the name of the
/// installed version, and `namespace` is its namespace.
///
/// # Errors
/// Returns an error if OLM could not read the ClusterServiceVersion of the bundle.
pub fn compare(
    resolved: &Content,
    installed: &str,
    namespace: &str,
    cluster: &ObservedObjects<'_>,
) -> Result<Comparison, StepError> {
    let csv = cluster.version(namespace, installed);
    let target = Target {
        namespace: namespace.to_owned(),
        ..Target::default()
    };
    let replaces = csv.map_or("", |csv| csv.text("/spec/replaces"));
    let steps = steps::in_order(steps::of_bundle(resolved, &target, replaces)?);
    let around = Surroundings { csv };
    let apis = Apis::default().with_steps(&steps);
    let mut comparison = Comparison::default();
    let mut expected: Vec<Expected> = steps
        .iter()
        .map(|step| Expected::of_step(step, namespace, &apis))
        .collect();
    let (subscription, proxy) = (cluster.subscription(namespace, installed), cluster.proxy());
    for mut deployment in deployments(resolved, namespace) {
        configure(&mut deployment.object, subscription, proxy);
        expected.push(deployment);
    }
    for expected in expected {
        if !cluster.knows(&expected) {
            comparison.unknown.insert(expected.kind);
            continue;
        }
        match cluster.counterpart(&expected, &resolved.name) {
            None => comparison.differences.push(expected.difference("", None, None)),
            Some(found) => Walk {
                expected: &expected,
                around,
                differences: &mut comparison.differences,
            }
            .object(found),
        }
    }
    Ok(comparison)
}

/// An object that should be in the cluster.
struct Expected {
    group: String,
    kind: String,
    namespace: String,
    name: String,
    object: Value,
    /// Whether OLM generated the object's name, which differs between OLM releases.
    is_generated: bool,
}

impl Expected {
    fn of_step(step: &Step, namespace: &str, apis: &Apis) -> Self {
        let resource = &step.resource;
        let kind = match resource.kind.as_str() {
            BUNDLE_SECRET => "Secret",
            kind => kind,
        };
        let gvk = crate::kubernetes::GroupVersionKind::new(&*resource.group, &*resource.version, kind);
        let namespaced = kind == csv::KIND || kind == "Subscription" || apis.resource(&gvk).1;
        Self {
            group: resource.group.clone(),
            kind: kind.to_owned(),
            namespace: if namespaced {
                namespace.to_owned()
            } else {
                String::new()
            },
            name: resource.name.clone(),
            is_generated: resource.group == rbac::GROUP && resource.manifest.get("kind").is_none(),
            object: stored(kind, resource.manifest.clone()),
        }
    }

    fn difference(&self, path: &str, resolved: Option<Value>, found: Option<Value>) -> Difference {
        Difference {
            kind: self.kind.clone(),
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            path: path.to_owned(),
            resolved,
            found,
        }
    }
}

/// Returns the Deployments that OLM creates for a version.
fn deployments(resolved: &Content, namespace: &str) -> Vec<Expected> {
    let typed = crate::shape::typed(&resolved.csv, &csv::SHAPE).unwrap_or_default();
    let all = Csv(&typed).deployments().iter();
    let one = |entry: &Value| {
        let name = entry.get("name").and_then(Value::as_str).unwrap_or_default();
        let mut metadata = Map::from_iter([("name".to_owned(), json!(name))]);
        metadata.extend(entry.get("label").map(|labels| ("labels".to_owned(), labels.clone())));
        Expected {
            group: "apps".to_owned(),
            kind: "Deployment".to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            object: json!({"metadata": metadata, "spec": entry.get("spec")}),
            is_generated: false,
        }
    };
    all.map(one).collect()
}

#[cfg(test)]
mod tests;
