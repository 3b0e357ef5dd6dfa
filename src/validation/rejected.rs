//! Finds the Deployments of a ClusterServiceVersion that the API server rejects, for plans.

use super::{api_server, fields};
use crate::diagnostic::Diagnostic;
use crate::manifest::{Manifests, Object};
use crate::rules::{self, Rule};
use crate::text::{Path, Step};
use serde_json::Value;
use std::collections::BTreeMap;

/// The rules about Deployments whose violations the API server rejects.
const REJECTED: [&Rule; 5] = [
    &rules::OBJECT_FIELD_VALUE,
    &rules::DEPLOYMENT_CONTAINERS,
    &rules::DEPLOYMENT_PORT,
    &rules::DEPLOYMENT_SELECTOR,
    &rules::CONTENT_METADATA,
];

/// Returns the Deployments of a ClusterServiceVersion that the API server rejects, by their indexes in the install
/// strategy, each with the first reason: the path of the value, and what is wrong with it.
pub(crate) fn rejected_deployments(csv: &Value) -> BTreeMap<usize, String> {
    let mut manifests = Manifests::default();
    manifests.read_value("", csv.clone());
    let list = Path::from("spec.install.spec.deployments");
    let mut rejected = BTreeMap::new();
    for object in &manifests.objects {
        let mut findings = Vec::new();
        fields::deployments(object, &mut findings);
        api_server::deployments(object, &mut findings);
        for finding in findings.iter().filter(|finding| is_rejected(object, finding)) {
            let Some(path) = finding.path.as_deref().map(Path::parse) else {
                continue;
            };
            let Some(below) = path.steps().strip_prefix(list.steps()) else {
                continue;
            };
            let Some((Step::Index(index), inside)) = below.split_first() else {
                continue;
            };
            let inside: Path = inside.iter().cloned().collect();
            // Some messages begin with the path.
            let problem = match finding.message.strip_prefix(&path.to_string()) {
                Some(rest) => format!("{inside}{rest}"),
                None => format!("{inside}: {}", finding.message),
            };
            rejected.entry(*index).or_insert(problem);
        }
    }
    rejected
}

fn is_rejected(csv: &Object, finding: &Diagnostic) -> bool {
    let path = finding.path.as_deref().map(Path::parse);
    let value = path.as_ref().and_then(|path| path.get(csv.value()));
    if *finding.rule == rules::DEPLOYMENT_IMAGE {
        // The API server accepts any other string.
        return value.is_none_or(|image| image.is_null() || image == "");
    }
    // A probe may use a port name that the container does not have. Names of ports themselves are checked.
    let is_probed_name = *finding.rule == rules::DEPLOYMENT_PORT
        && value.is_some_and(Value::is_string)
        && path.is_some_and(|path| path.steps().last() == Some(&Step::from("port")));
    REJECTED.contains(&finding.rule) && !is_probed_name
}
