//! `crd`: checks CustomResourceDefinitions the way the API server validates them on creation.

mod conversion;
mod resource;
mod schema;
mod versions;

use super::bundle::is_crd;
use super::metadata::{self, Namespace};
use super::{Input, address, found};
use crate::diagnostic::Diagnostic;
use crate::kubernetes::names::{is_dns1035_label, is_dns1123_subdomain};
use crate::manifest::Object;
use crate::rules::{self, Rule};
use crate::text::Path;
use serde_json::Value;

/// The annotation that a CRD of a Kubernetes API group needs.
const APPROVED: &str = "api-approved.kubernetes.io";

pub(super) fn check(input: &Input<'_>, findings: &mut Vec<Diagnostic>) {
    for object in &input.bundle.objects {
        definition(object, input.options.reference, findings);
    }
}

/// Checks an object if it is a CRD that OLM can read.
pub(in crate::validation) fn definition(object: &Object, reference: bool, findings: &mut Vec<Diagnostic>) {
    if !is_crd(object) {
        return;
    }
    let mut report = Report {
        object,
        reference,
        findings: &mut *findings,
    };
    names(&mut report);
    versions::check(&mut report);
    preserved(&mut report);
    conversion::check(&mut report);
    if !reference {
        schema::check(&mut report);
    }
    metadata::check(object, Namespace::None, &rules::CRD_METADATA, findings);
}

/// A CRD and the findings about it.
struct Report<'a> {
    object: &'a Object,
    reference: bool,
    findings: &'a mut Vec<Diagnostic>,
}

impl<'a> Report<'a> {
    fn add(&mut self, rule: &'static Rule, path: &Path, message: impl Into<String>) {
        self.findings.push(found(rule, self.object, path, message));
    }

    fn add_with_help(&mut self, rule: &'static Rule, path: &Path, message: impl Into<String>, help: &str) {
        self.findings.push(found(rule, self.object, path, message).help(help));
    }

    fn get(&self, path: &Path) -> Option<&'a Value> {
        path.get(self.object.value()).filter(|value| !value.is_null())
    }

    fn text(&self, path: &Path) -> &'a str {
        self.get(path).and_then(Value::as_str).unwrap_or_default()
    }

    fn list(&self, path: &Path) -> &'a [Value] {
        self.get(path)
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// Returns whether the CRD is a `v1beta1` CRD, in which more fields are optional and some are in different places.
    fn is_beta(&self) -> bool {
        self.object.gvk().version == "v1beta1"
    }

    /// Returns whether a cluster would keep fields that the schema does not know. `v1beta1` does so by default.
    fn keeps_unknown_fields(&self) -> bool {
        let written = self.get(&Path::from("spec.preserveUnknownFields"));
        written.map_or(self.is_beta(), |value| value == &Value::Bool(true))
    }
}

fn names(report: &mut Report<'_>) {
    let object = report.object;
    let group = report.text(&Path::from("spec.group"));
    let plural = report.text(&Path::from("spec.names.plural"));
    let name = Path::from("metadata.name");
    if !is_dns1123_subdomain(object.name()) {
        let message = format!("{:?} is not a valid name", object.name());
        report.add(&rules::CRD_NAME, &name, message);
    }
    if object.name() != format!("{plural}.{group}") {
        let message = format!("the name must be {plural}.{group}, from spec.names.plural and spec.group");
        report.add(&rules::CRD_NAME, &name, message);
    }
    let path = Path::from("spec.group");
    if group.is_empty() {
        report.add(&rules::CRD_GROUP, &path, "spec.group is not set");
    } else if !is_dns1123_subdomain(group) {
        let message = format!("{group:?} is not a valid group");
        report.add(&rules::CRD_GROUP, &path, message);
    } else if !group.contains('.') {
        report.add(&rules::CRD_GROUP, &path, format!("the group {group} has no dot"));
    }
    let path = Path::from("spec.scope");
    match report.text(&path) {
        "Namespaced" | "Cluster" => {}
        "" if report.is_beta() => {}
        "" => report.add(&rules::CRD_SCOPE, &path, "spec.scope is not set"),
        scope => report.add(&rules::CRD_SCOPE, &path, format!("{scope:?} is not a scope")),
    }
    names_of_kind(report);
    approval(report, group);
}

/// Checks `spec.names`; `singular` and `listKind` are derived from the kind if they are absent.
fn names_of_kind(report: &mut Report<'_>) {
    let names = Path::from("spec.names");
    let kind = report.text(&names.key("kind"));
    for field in ["plural", "kind"] {
        if report.text(&names.key(field)).is_empty() {
            let message = format!("spec.names.{field} is not set");
            report.add(&rules::CRD_NAMES_REQUIRED, &names.key(field), message);
        }
    }
    let mut check = |path: &Path, name: &str, capitals: bool| {
        let lower = name.to_lowercase();
        if !name.is_empty() && !is_dns1035_label(if capitals { &lower } else { name }) {
            let message = format!("{name:?} is not a valid name");
            report
                .findings
                .push(found(&rules::CRD_NAMES_FORMAT, report.object, path, message));
        }
    };
    for (field, capitals) in [
        ("plural", false),
        ("singular", false),
        ("kind", true),
        ("listKind", true),
    ] {
        let path = names.key(field);
        let name = path.get(report.object.value()).and_then(Value::as_str);
        check(&path, name.unwrap_or_default(), capitals);
    }
    for field in ["shortNames", "categories"] {
        let path = names.key(field);
        let items = path.get(report.object.value()).and_then(Value::as_array);
        for (index, name) in items.into_iter().flatten().enumerate() {
            check(&path.index(index), name.as_str().unwrap_or_default(), false);
        }
    }
    let path = names.key("listKind");
    if !kind.is_empty() && report.text(&path) == kind {
        report.add(&rules::CRD_NAMES_FORMAT, &path, "kind and listKind are the same");
    }
}

/// Checks the approval of groups below `k8s.io` and `kubernetes.io`, which belong to Kubernetes.
fn approval(report: &mut Report<'_>, group: &str) {
    let below = |root: &str| {
        group
            .strip_suffix(root)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    if !below("k8s.io") && !below("kubernetes.io") {
        return;
    }
    let path = Path::from("metadata.annotations").key(APPROVED);
    let approved = report.text(&path);
    let link = || {
        let host = approved
            .split_once("://")
            .is_some_and(|(_, host)| !host.starts_with('/') && !host.is_empty());
        host && address::check_url(approved).is_ok()
    };
    if approved.is_empty() {
        let message = format!("the group {group} belongs to Kubernetes, but there is no annotation {APPROVED}");
        report.add(&rules::CRD_API_APPROVED, &Path::from("spec.group"), message);
    } else if !approved.starts_with("unapproved") && !link() {
        let message = format!("the annotation {APPROVED} must be a link or begin with unapproved");
        report.add(&rules::CRD_API_APPROVED, &path, message);
    }
}

fn preserved(report: &mut Report<'_>) {
    let path = Path::from("spec.preserveUnknownFields");
    // The original also rejects a v1beta1 CRD that does not set the field, because in v1beta1 the default is true.
    let explicit = report.get(&path) == Some(&Value::Bool(true));
    if explicit || report.reference && report.keeps_unknown_fields() {
        let message = "spec.preserveUnknownFields must not be true";
        report.add(&rules::CRD_PRESERVE_UNKNOWN_FIELDS, &path, message);
    }
    if report.keeps_unknown_fields()
        && versions::schemas(report)
            .iter()
            .any(|path| has_default(report.get(path)))
    {
        let message = "the schema has defaults, which need spec.preserveUnknownFields: false";
        report.add(&rules::CRD_DEFAULTS_NEED_PRUNING, &path, message);
    }
}

/// Returns whether a schema has a default, at any depth. A property named `default` is not a default.
fn has_default(schema: Option<&Value>) -> bool {
    match schema {
        Some(Value::Object(map)) => map.iter().any(|(key, value)| match key.as_str() {
            "default" => true,
            "properties" | "patternProperties" | "definitions" => {
                let schemas = value.as_object();
                schemas.is_some_and(|schemas| schemas.values().any(|schema| has_default(Some(schema))))
            }
            "enum" | "example" => false,
            _ => has_default(Some(value)),
        }),
        Some(Value::Array(items)) => items.iter().any(|item| has_default(Some(item))),
        _ => false,
    }
}
