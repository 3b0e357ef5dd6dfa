//! The findings of validation about a bundle in an index.

use crate::bundle::annotations::{CHANNELS, MANIFESTS, MEDIA_TYPE, METADATA, PACKAGE};
use crate::catalog::{Bundle, Package};
use crate::olm::property::REGISTRY_V1;
use crate::rules::Severity;
use crate::text;
use crate::tree::{Tree, TreeLimits};
use crate::validation::{Request, validate};
use serde_json::json;

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) severity: String,
    /// The CSS class for the severity.
    pub(super) class: &'static str,
    pub(super) rule: &'static str,
    pub(super) message: String,
    pub(super) object: String,
}

/// Returns the findings, most severe first, or `None` if the manifests exceed the limits of a bundle.
pub(super) fn findings(package: &Package, bundle: &Bundle, objects: &[String]) -> Option<Vec<Finding>> {
    let limits = TreeLimits::default();
    let mut tree = Tree::new(&*bundle.name);
    for (number, object) in objects.iter().enumerate() {
        // JSON is also YAML.
        let path = format!("manifests/{number:04}.yaml");
        tree.insert(&path, object.clone().into_bytes(), &limits).ok()?;
    }
    let channels: Vec<&str> = package.channels.iter().map(|channel| &*channel.name).collect();
    let annotations = json!({"annotations": {
        MEDIA_TYPE: REGISTRY_V1,
        MANIFESTS: "manifests/",
        METADATA: "metadata/",
        PACKAGE: &*package.name,
        CHANNELS: channels.join(","),
    }});
    let content = text::to_yaml(&annotations).into_bytes();
    tree.insert("metadata/annotations.yaml", content, &limits).ok()?;
    let mut found: Vec<(Severity, Finding)> = validate(&tree, &Request::default())
        .findings
        .into_iter()
        .map(|finding| {
            let diagnostic = finding.diagnostic;
            let severity = diagnostic.severity;
            let finding = Finding {
                severity: severity.to_string(),
                class: match severity {
                    Severity::Error => "danger",
                    Severity::Warning => "warning",
                    Severity::Info => "quiet",
                },
                rule: diagnostic.rule.id,
                message: diagnostic.message,
                object: diagnostic.object.unwrap_or_default(),
            };
            (severity, finding)
        })
        .collect();
    found.sort_by_key(|(severity, finding)| (rank(*severity), finding.rule));
    let mut found: Vec<Finding> = found.into_iter().map(|(_, finding)| finding).collect();
    found.dedup();
    Some(found)
}

fn rank(severity: Severity) -> u8 {
    match severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Info => 2,
    }
}
