//! Turns a resolution into the steps of its InstallPlan.

use super::catalogs::{Catalogs, SelectedError};
use crate::olm::releases::Olm;
use crate::resolver::{NewSubscription, Resolution, Selected};
use crate::steps::{Content, Place, Repetition, Step, StepError, StepResource, StepStatus, Target, of_bundle, size};
use serde_json::{Value, json};
use std::collections::HashSet;

/// OLM's API group.
const GROUP: &str = "operators.coreos.com";
/// The API version of Subscriptions.
const VERSION: &str = "v1alpha1";
const KIND: &str = "Subscription";

/// The reason why a resolution has no plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResolvedError {
    /// The manifests of a bundle are not available.
    #[error(transparent)]
    Selected(#[from] SelectedError),
    /// A bundle cannot be installed.
    #[error(transparent)]
    Step(#[from] StepError),
}

/// Returns the bundles that a resolution installs, sorted by name, with their manifests.
///
/// # Errors
/// Returns an error if the manifests of a bundle cannot be read.
pub fn contents<'a>(
    resolution: &'a Resolution,
    catalogs: &Catalogs,
) -> Result<Vec<(&'a Selected, Content)>, SelectedError> {
    let install: HashSet<&str> = resolution.install.iter().map(String::as_str).collect();
    let selected = resolution.selected.iter();
    let selected = selected.filter(|selected| install.contains(selected.name.as_str()));
    let mut bundles = catalogs.bundles();
    selected
        .map(|selected| Ok((selected, bundles.content(selected)?)))
        .collect()
}

/// Returns the steps of all bundles that a resolution installs into `namespace`, in the order of [`contents`]. The
/// steps of a bundle are followed by the step of the Subscription that OLM creates for the bundle, if any.
/// [`InstallPlan::new`](super::install_plan::InstallPlan::new) sorts the steps into the order of a plan. Also returns
/// the size in bytes of the steps with embedded manifests; for a bundle in its own image, the plan contains only
/// references.
///
/// # Errors
/// Returns an error if OLM could not read the manifests of a bundle.
pub fn steps(
    resolution: &Resolution,
    contents: &[(&Selected, Content)],
    namespace: &str,
    repetition: Repetition,
    olm: &Olm,
) -> Result<(Vec<Step>, usize), StepError> {
    let (mut steps, mut bytes) = (Vec::new(), 0);
    for (selected, content) in contents {
        let (catalog_namespace, catalog) = apart(&selected.catalog);
        let target = Target {
            namespace: namespace.to_owned(),
            catalog: catalog.to_owned(),
            catalog_namespace: catalog_namespace.to_owned(),
            repetition,
            olm: olm.clone(),
        };
        let replaces = selected.replaces.as_deref().unwrap_or_default();
        let own = of_bundle(content, &target, replaces)?;
        if content.served.is_some() {
            bytes += size(&own);
        }
        steps.extend(own);
        steps.extend(made_for(resolution, selected).map(|made| subscription(made, &target)));
    }
    Ok((steps, bytes))
}

/// Returns the Subscriptions that OLM creates for a selected bundle, as complete objects.
pub fn subscriptions(resolution: &Resolution, selected: &Selected, namespace: &str) -> Vec<Value> {
    let object = |made| {
        let mut object = manifest(made, namespace);
        object["apiVersion"] = format!("{GROUP}/{VERSION}").into();
        object["kind"] = KIND.into();
        object
    };
    made_for(resolution, selected).map(object).collect()
}

fn made_for<'a>(resolution: &'a Resolution, selected: &'a Selected) -> impl Iterator<Item = &'a NewSubscription> {
    let made = resolution.new_subscriptions.iter();
    made.filter(|made| made.starting_csv == selected.name && made.catalog == selected.catalog)
}

/// Splits `namespace/name`; the namespace is empty without a slash.
fn apart(catalog: &str) -> (&str, &str) {
    catalog.split_once('/').unwrap_or(("", catalog))
}

/// Returns the step of a Subscription. Its manifest has neither apiVersion nor kind, like all objects that OLM
/// generates.
fn subscription(made: &NewSubscription, target: &Target) -> Step {
    let mut manifest = manifest(made, &target.namespace);
    manifest["status"] = json!({"lastUpdated": null});
    Step {
        resolving: made.starting_csv.clone(),
        resource: StepResource {
            source_name: target.catalog.clone(),
            source_namespace: target.catalog_namespace.clone(),
            group: GROUP.to_owned(),
            version: VERSION.to_owned(),
            kind: KIND.to_owned(),
            name: made.name.clone(),
            manifest,
        },
        optional: false,
        status: StepStatus::Unknown,
        place: Place::Plan,
    }
}

/// Returns the metadata and the specification of a Subscription.
fn manifest(made: &NewSubscription, namespace: &str) -> Value {
    let (catalog_namespace, catalog) = apart(&made.catalog);
    json!({
        "metadata": {"name": made.name, "namespace": namespace},
        "spec": {
            "channel": made.channel,
            "installPlanApproval": made.install_plan_approval,
            "name": made.package,
            "source": catalog,
            "sourceNamespace": catalog_namespace,
            "startingCSV": made.starting_csv,
        },
    })
}
