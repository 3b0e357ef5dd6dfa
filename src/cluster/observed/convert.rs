//! Converts single OLM objects.

use super::home;
use crate::cluster::state::{Approval, CatalogSource, Installed, Subscription};
use crate::csv::Csv;
use crate::olm::annotation::PROPERTIES;
use crate::olm::property::{PACKAGE, Property};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;

pub(super) fn subscription(view: Csv<'_>) -> Subscription {
    let text = |keys: &[&str]| view.text(keys).to_owned();
    let given = |keys: &[&str]| Some(text(keys)).filter(|text| !text.is_empty());
    let installed_csv = given(&["status", "installedCSV"]);
    Subscription {
        name: view.name().to_owned(),
        package: text(&["spec", "name"]),
        channel: given(&["spec", "channel"]),
        catalog: text(&["spec", "source"]),
        catalog_namespace: text(&["spec", "sourceNamespace"]),
        starting_csv: given(&["spec", "startingCSV"]),
        current_csv: given(&["status", "currentCSV"]).or_else(|| installed_csv.clone()),
        installed_csv,
        install_plan_approval: match view.text(&["spec", "installPlanApproval"]) {
            "Manual" => Approval::Manual,
            _ => Approval::Automatic,
        },
        install_plan: None,
    }
}

/// Updates a Subscription as OLM does before resolving: the current version counts as installed as soon as it exists,
/// although the status shows this only a moment later.
pub(super) fn with_current_version(subscription: Subscription, versions: &BTreeSet<&str>) -> Subscription {
    let current = subscription.current_csv.as_deref();
    let arrived = current.filter(|current| versions.contains(current)).map(str::to_owned);
    Subscription {
        installed_csv: arrived.or(subscription.installed_csv),
        ..subscription
    }
}

pub(super) fn catalog(view: Csv<'_>) -> CatalogSource {
    CatalogSource {
        name: view.name().to_owned(),
        namespace: home(view).to_owned(),
        priority: view
            .get(&["spec", "priority"])
            .and_then(Value::as_i64)
            .unwrap_or_default(),
        source: Some(view.text(&["spec", "image"]).to_owned()).filter(|image| !image.is_empty()),
        packages: Vec::new(),
    }
}

/// The properties annotation.
#[derive(Deserialize)]
struct Annotation {
    #[serde(default)]
    properties: Vec<Property>,
}

pub(super) fn installed(view: Csv<'_>) -> Installed {
    let text = |keys: &[&str]| Some(view.text(keys).to_owned()).filter(|text| !text.is_empty());
    let annotation: Option<Annotation> = serde_json::from_str(view.text(&["metadata", "annotations", PROPERTIES])).ok();
    let csv = Installed {
        name: view.name().to_owned(),
        version: text(&["spec", "version"]),
        phase: text(&["status", "phase"]).unwrap_or(Installed::default().phase),
        replaces: text(&["spec", "replaces"]),
        ..Installed::default()
    };
    match annotation {
        Some(Annotation { properties }) => Installed {
            package: properties.iter().find_map(package),
            properties,
            ..csv
        },
        None => Installed {
            provides: view.apis("owned"),
            requires: view.apis("required"),
            without_properties_annotation: true,
            ..csv
        },
    }
}

fn package(property: &Property) -> Option<String> {
    let name = property.value.get("packageName").filter(|_| property.kind == PACKAGE)?;
    name.as_str().map(str::to_owned)
}
