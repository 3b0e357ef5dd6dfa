//! Turns a bundle into the steps of its InstallPlan, and determines the size of the plan.

pub(crate) mod content;
mod csv_manifest;
mod decoded;
mod generated_rbac;
pub mod optional;
mod size;

pub use content::Content;
pub use csv_manifest::Repetition;
pub(crate) use csv_manifest::annotation;
pub(crate) use decoded::{decoded, group_of};
pub use size::{excess, inline_finding, size};

use crate::csv::{self, Csv};
use crate::kubernetes::GroupVersionKind;
use crate::olm::property::OPTIONAL_MANIFESTS;
use crate::olm::releases::{Feature, Olm};
use crate::shape;
use crate::text::canonical;
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// The kind of a step that creates a Secret of a bundle. A step of kind `Secret` copies the pull secret of a catalog.
pub(crate) const BUNDLE_SECRET: &str = "BundleSecret";
/// The kind of objects that define APIs.
pub const CRD: &str = "CustomResourceDefinition";

/// The origin and the target of an install.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Target {
    /// The namespace of the plan.
    pub namespace: String,
    /// The CatalogSource of the bundle.
    pub catalog: String,
    /// The namespace of the CatalogSource.
    pub catalog_namespace: String,
    /// The number of times that the annotation of the version lists dependencies.
    pub repetition: Repetition,
    /// The version of OLM that installs the bundle.
    pub olm: Olm,
}

/// A step of an InstallPlan.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// The ClusterServiceVersion that the step belongs to.
    pub resolving: String,
    /// The object that the step creates.
    pub resource: StepResource,
    /// Whether the install can succeed without the object.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// The status of the step.
    pub status: StepStatus,
    /// The namespace for the object.
    #[serde(skip)]
    pub place: Place,
}

/// The namespace for the object of a step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Place {
    /// The namespace of the plan, regardless of the object, for the kinds that OLM knows.
    #[default]
    Plan,
    /// A specific namespace, for the content of an `Install`, which can be of any kind.
    Own(String),
}

impl Step {
    /// Returns the namespace for the object, if its kind is namespaced.
    pub fn namespace<'a>(&'a self, of_plan: &'a str) -> &'a str {
        match &self.place {
            Place::Plan => of_plan,
            Place::Own(namespace) => namespace,
        }
    }

    /// Returns the step for an object. The manifest contains the fields in the spelling of their types, in which OLM
    /// creates them.
    pub fn of(resolving: &str, object: Value, target: &Target) -> Self {
        let read = match decoded(&object) {
            Cow::Owned(read) => Some(read),
            Cow::Borrowed(_) => None,
        };
        let object = read.unwrap_or(object);
        let gvk = kind_of(&object);
        Self {
            resolving: resolving.to_owned(),
            resource: StepResource {
                source_name: target.catalog.clone(),
                source_namespace: target.catalog_namespace.clone(),
                group: gvk.group,
                version: gvk.version,
                kind: if gvk.kind == "Secret" {
                    BUNDLE_SECRET.to_owned()
                } else {
                    gvk.kind
                },
                name: name_of(&object).to_owned(),
                manifest: object,
            },
            optional: false,
            status: StepStatus::Unknown,
            place: Place::Plan,
        }
    }
}

/// The object of a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepResource {
    /// The CatalogSource of the bundle.
    pub source_name: String,
    /// The namespace of the CatalogSource.
    pub source_namespace: String,
    /// The API group; `""` for the core group, or if the `apiVersion` of the object has no slash.
    pub group: String,
    /// The API version.
    pub version: String,
    /// The kind; `BUNDLE_SECRET` for a Secret.
    pub kind: String,
    /// `metadata.name`, or `metadata.generateName`.
    pub name: String,
    /// The object; serialized as a JSON string.
    #[serde(serialize_with = "as_text")]
    pub manifest: Value,
}

fn as_text<S: Serializer>(manifest: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&canonical::to_string(manifest))
}

/// The status of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum StepStatus {
    /// The status is not known yet.
    Unknown,
    /// The object does not exist yet, and must be created.
    NotPresent,
    /// The object already existed.
    Present,
    /// The object was created.
    Created,
    /// The object is optional and could not be created.
    NotCreated,
    /// A CustomResourceDefinition was created, but its API is not served yet.
    WaitingForApi,
    /// OLM does not install objects of this kind.
    UnsupportedResource,
}

impl fmt::Display for StepStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, formatter)
    }
}

/// The reason why there are no steps.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The ClusterServiceVersion lacks its `apiVersion` or `kind`.
    #[error("bundle CSV {bundle} missing {field}")]
    Missing {
        /// The bundle.
        bundle: String,
        /// `APIVersion` or `Kind`.
        field: &'static str,
    },
    /// OLM cannot read the ClusterServiceVersion.
    #[error("OLM cannot read the ClusterServiceVersion of bundle {bundle}")]
    Shape {
        /// The bundle.
        bundle: String,
        /// The cause.
        source: shape::Problem,
    },
    /// OLM does not know the install strategy, which it reads to generate the RBAC objects.
    #[error(
        "OLM creates no InstallPlan for bundle {bundle}, because spec.install.strategy is {strategy:?}; OLM knows only {}",
        csv::STRATEGY
    )]
    Strategy {
        /// The bundle.
        bundle: String,
        /// The strategy.
        strategy: String,
    },
}

/// Returns the steps of a bundle in OLM's order: the version, the other objects, and the generated RBAC objects.
/// `replaces` is the version to upgrade from; empty if there is none. [`in_order`] sorts the steps of a plan.
///
/// # Errors
/// Returns an error if OLM could not read the ClusterServiceVersion or does not know its install strategy.
pub fn of_bundle(content: &Content, target: &Target, replaces: &str) -> Result<Vec<Step>, StepError> {
    let bundle = &content.name;
    let original = Csv(&content.csv);
    for (key, field) in [("apiVersion", "APIVersion"), ("kind", "Kind")] {
        if original.text(&[key]).is_empty() {
            return Err(StepError::Missing {
                bundle: bundle.clone(),
                field,
            });
        }
    }
    let manifest = csv_manifest::manifest(content, &target.namespace, replaces, target.repetition);
    let manifest = manifest.map_err(|source| StepError::Shape {
        bundle: bundle.clone(),
        source,
    })?;
    let strategy = Csv(&manifest).text(&["spec", "install", "strategy"]);
    // Of an installed version, a dump keeps neither the strategy nor the Deployments.
    let is_reduced = strategy.is_empty() && Csv(&manifest).deployments().is_empty();
    if strategy != csv::STRATEGY && !is_reduced {
        return Err(StepError::Strategy {
            bundle: bundle.clone(),
            strategy: strategy.to_owned(),
        });
    }
    let resolving = original.name();
    let optional = if target.olm.does(Feature::Property(OPTIONAL_MANIFESTS)) {
        optional::named(content)
    } else {
        Vec::new()
    };
    let generated = generated_rbac::generate(Csv(&manifest), &target.namespace);
    let mut steps = vec![Step::of(resolving, manifest, target)];
    steps.extend(content.objects.iter().map(|object| Step {
        optional: optional::is_optional(object, &optional),
        ..Step::of(resolving, object.clone(), target)
    }));
    steps.extend(generated.into_iter().map(|object| {
        // Only the step contains the kind, not the manifest.
        let mut step = Step::of(resolving, object.manifest, target);
        step.resource.group = object.gvk.group;
        step.resource.version = object.gvk.version;
        step.resource.kind = object.gvk.kind;
        step
    }));
    Ok(steps)
}

/// Sorts steps into the order of a plan: first all versions, then all CustomResourceDefinitions, then all other
/// objects. Within each group, the order stays the same.
#[must_use]
pub fn in_order(mut steps: Vec<Step>) -> Vec<Step> {
    steps.sort_by_key(|step| match step.resource.kind.as_str() {
        csv::KIND => 0,
        CRD => 1,
        _ => 2,
    });
    steps
}

fn kind_of(object: &Value) -> GroupVersionKind {
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    GroupVersionKind::from_api_version(text("apiVersion"), text("kind"))
}

fn name_of(object: &Value) -> &str {
    let metadata = |key: &str| {
        object
            .get("metadata")?
            .get(key)?
            .as_str()
            .filter(|name| !name.is_empty())
    };
    metadata("name")
        .or_else(|| metadata("generateName"))
        .unwrap_or_default()
}

#[cfg(test)]
pub(crate) mod tests {
    pub(crate) use super::content::tests::content;
    use super::*;
    use crate::causes::with_causes;
    use crate::olm::property::Property;
    use serde_json::json;

    pub(crate) fn target() -> Target {
        Target {
            namespace: "operators".to_owned(),
            catalog: "catalog".to_owned(),
            catalog_namespace: "olm".to_owned(),
            repetition: Repetition::Once,
            olm: Olm::default(),
        }
    }

    pub(crate) fn csv(name: &str) -> Value {
        json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion", "metadata": {"name": name},
            "spec": {"version": "1.0.0", "install": {"strategy": "deployment", "spec": {"deployments": [], "permissions": [
                {"serviceAccountName": "sa", "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]}]}}}})
    }

    /// Returns an entry of the install strategy that the API server accepts as a Deployment.
    pub(crate) fn deployment(name: &str) -> Value {
        json!({"name": name, "spec": {"selector": {"matchLabels": {"app": name}}, "template": {
            "metadata": {"labels": {"app": name}},
            "spec": {"containers": [{"name": "manager", "image": "registry.example.com/manager:1"}]}}}})
    }

    pub(crate) fn object(api_version: &str, kind: &str, name: &str) -> Value {
        json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}})
    }

    #[test]
    fn versions_precede_definitions_and_other_objects_keep_their_order() {
        let objects = vec![
            object("v1", "Service", "b"),
            object("apiextensions.k8s.io/v1", CRD, "c"),
            object("v1", "Secret", "a"),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "g-"}}),
        ];
        let of = |name: &str| of_bundle(&content(csv(name), objects.clone()), &target(), "").unwrap();
        let steps = in_order([of("one.v1"), of("two.v1")].concat());
        let shown: Vec<_> = steps
            .iter()
            .map(|step| format!("{} {}", step.resolving, step.resource.kind))
            .collect();
        let rest = [
            "Service",
            "BundleSecret",
            "ConfigMap",
            "ServiceAccount",
            "Role",
            "RoleBinding",
        ];
        let rest = |name: &'static str| rest.iter().map(move |kind| format!("{name} {kind}"));
        let first = ["one.v1 ClusterServiceVersion", "two.v1 ClusterServiceVersion"].map(str::to_owned);
        let second = ["one.v1 CustomResourceDefinition", "two.v1 CustomResourceDefinition"].map(str::to_owned);
        let expected: Vec<_> = first
            .into_iter()
            .chain(second)
            .chain(rest("one.v1"))
            .chain(rest("two.v1"))
            .collect();
        assert_eq!(shown, expected);
        assert_eq!(steps[6].resource.name, "g-");
    }

    #[test]
    fn a_version_with_an_unknown_install_strategy_has_no_steps() {
        let mut csv = csv("memo.v1");
        csv["spec"]["install"]["strategy"] = json!("helm");
        let error = of_bundle(&content(csv, Vec::new()), &target(), "").unwrap_err();
        let expected = "OLM creates no InstallPlan for bundle memo.v1, because spec.install.strategy is \"helm\"; OLM knows \
                        only deployment";
        assert_eq!(error.to_string(), expected);
        let mut csv = super::tests::csv("memo.v1");
        csv["spec"]["install"] = json!({"spec": {"deployments": [deployment("memo")]}});
        let error = of_bundle(&content(csv.clone(), Vec::new()), &target(), "").unwrap_err();
        assert!(error.to_string().contains("spec.install.strategy is \"\""), "{error}");
        // An installed version in a dump has no install strategy at all.
        csv["spec"]["install"] = Value::Null;
        assert!(of_bundle(&content(csv, Vec::new()), &target(), "").is_ok());
    }

    #[test]
    fn manifests_have_the_fields_that_olm_reads() {
        let mut role = object("rbac.authorization.k8s.io/v1", "ClusterRole", "r");
        role["Rules"] = json!([{"Resources": ["secrets"], "verbs": ["get"]}]);
        let steps = of_bundle(&content(csv("memo.v1"), vec![role]), &target(), "").unwrap();
        let rules = &steps[1].resource.manifest["rules"];
        assert_eq!(rules, &json!([{"resources": ["secrets"], "verbs": ["get"]}]));
    }

    #[test]
    fn optional_objects_are_marked() {
        let mut content = content(
            csv("memo.v1"),
            vec![
                object("monitoring.coreos.com/v1", "ServiceMonitor", "a"),
                object("v1", "Service", "a"),
            ],
        );
        let named = json!({"manifests": [
            {"group": "monitoring.coreos.com", "kind": "ServiceMonitor", "name": "a"}, {"kind": "Service", "name": "a"}]});
        content.properties = vec![Property {
            kind: optional::PROPERTY.to_owned(),
            value: named,
        }];
        let steps = of_bundle(&content, &target(), "").unwrap();
        let marked: Vec<_> = steps
            .iter()
            .filter(|step| step.optional)
            .map(|step| &*step.resource.kind)
            .collect();
        assert_eq!(marked, ["ServiceMonitor"]);
        let written = serde_json::to_value(&steps[1]).unwrap();
        assert_eq!(
            (&written["optional"], &written["status"]),
            (&json!(true), &json!("Unknown"))
        );
        assert!(
            written["resource"]["manifest"]
                .as_str()
                .unwrap()
                .starts_with("{\"apiVersion\"")
        );
        assert_eq!(serde_json::to_value(&steps[0]).unwrap().get("optional"), None);
    }

    #[test]
    fn a_version_unreadable_by_olm_has_no_steps() {
        let mut broken = csv("memo.v1");
        broken["kind"] = json!("");
        let error = |csv: Value| with_causes(&of_bundle(&content(csv, Vec::new()), &target(), "").unwrap_err());
        assert_eq!(error(broken.clone()), "bundle CSV memo.v1 missing Kind");
        broken["apiVersion"] = json!(null);
        assert_eq!(error(broken), "bundle CSV memo.v1 missing APIVersion");
        let mut broken = csv("memo.v1");
        broken["spec"]["keywords"] = json!("all");
        assert_eq!(
            error(broken),
            "OLM cannot read the ClusterServiceVersion of bundle memo.v1: spec.keywords must be a list, not a string"
        );
    }
}
