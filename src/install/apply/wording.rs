//! OLM's description of the request that the API server refused.

use crate::csv;
use crate::install::handling::{self, Handling};
use crate::steps::{BUNDLE_SECRET, CRD, Step};

/// Returns the words that OLM puts before the API server's answer to a request. They depend on the kind, and some
/// mention an update although the object is created. Returns `None` for a new CustomResourceDefinition.
pub(super) fn doing(step: &Step, verb: &str) -> Option<String> {
    let (kind, name) = (step.resource.kind.as_str(), &step.resource.name);
    let creating = verb == "create";
    let what = match kind {
        CRD if creating => return None,
        CRD => "updating CRD:".to_owned(),
        csv::KIND => "creating csv".to_owned(),
        "Service" => "updating service:".to_owned(),
        "ConfigMap" => "updating configmap:".to_owned(),
        BUNDLE_SECRET => "updating secret:".to_owned(),
        "ServiceAccount" if creating => "creating service account:".to_owned(),
        "ServiceAccount" if verb == "get" => "getting older version of service account:".to_owned(),
        "ServiceAccount" => "updating service account:".to_owned(),
        _ if handling::of_step(step) == Handling::Updated => match verb {
            "create" => "creating unstructured object".to_owned(),
            "get" => "getting unstructured object".to_owned(),
            _ => "updating unstructured object".to_owned(),
        },
        kind => {
            let verb = if creating { "creating" } else { "updating" };
            format!("{verb} {}", kind.to_lowercase())
        }
    };
    Some(format!("error {what} {name}"))
}
