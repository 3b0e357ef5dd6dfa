//! Checks that install modes are valid and compatible with conversion webhooks.

use super::found;
use crate::csv::Csv;
use crate::diagnostic::Diagnostic;
use crate::manifest::Object;
use crate::olm::install_mode::{ALL_NAMESPACES, INSTALL_MODES};
use crate::rules;
use crate::text::Path;
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) fn check(object: &Object, csv: Csv<'_>, reference: bool, findings: &mut Vec<Diagnostic>) {
    let list = Path::from("spec.installModes");
    let modes: Vec<(&str, bool)> = csv.list(&["spec", "installModes"]).iter().map(mode).collect();
    conversion(object, csv, &modes, findings);
    if modes.is_empty() {
        let message = "spec.installModes is not set";
        findings.push(found(&rules::CSV_INSTALLMODES_MISSING, object, &list, message));
        return;
    }
    if !modes.iter().any(|(_, supported)| *supported) {
        let message = "no install mode is supported";
        findings.push(found(&rules::INSTALLMODES_NONE_SUPPORTED, object, &list, message));
    }
    // The original never reports repeated modes, although it tries to, and accepts any name as a mode.
    if reference {
        return;
    }
    let mut seen = BTreeMap::new();
    for (index, (name, _)) in modes.iter().enumerate() {
        let path = list.index(index).key("type");
        if !INSTALL_MODES.contains(name) {
            let message = format!("{name:?} is not an install mode");
            findings.push(found(&rules::INSTALLMODES_UNKNOWN, object, &path, message));
        } else if let Some(first) = seen.get(name) {
            let finding = found(
                &rules::INSTALLMODES_DUPLICATE,
                object,
                &path,
                format!("the install mode {name} is listed twice"),
            );
            let first = object.place(&list.index(*first).key("type"));
            findings.push(finding.also(first, "it is listed here first"));
        } else {
            seen.insert(*name, index);
        }
    }
}

fn mode(entry: &Value) -> (&str, bool) {
    (
        entry.get("type").and_then(Value::as_str).unwrap_or_default(),
        entry.get("supported").and_then(Value::as_bool).unwrap_or(false),
    )
}

/// Checks conversion webhooks: a CRD has one webhook for the whole cluster, so only `AllNamespaces` is possible.
fn conversion(object: &Object, csv: Csv<'_>, modes: &[(&str, bool)], findings: &mut Vec<Diagnostic>) {
    let wrong = modes
        .iter()
        .position(|(name, supported)| (*name == ALL_NAMESPACES) != *supported);
    let Some((wrong, (name, _))) = wrong.and_then(|index| Some((index, modes.get(index)?))) else {
        return;
    };
    let message = if *name == ALL_NAMESPACES {
        "a conversion webhook needs the install mode AllNamespaces, which this bundle does not support".to_owned()
    } else {
        format!("a conversion webhook conflicts with the install mode {name}")
    };
    for (index, webhook) in csv.list(&["spec", "webhookdefinitions"]).iter().enumerate() {
        let crds = webhook.get("conversionCRDs").and_then(Value::as_array);
        if crds.is_some_and(|crds| !crds.is_empty()) {
            let path = Path::from("spec.webhookdefinitions").index(index).key("conversionCRDs");
            let finding = found(
                &rules::CSV_CONVERSION_ALLNAMESPACES_ONLY,
                object,
                &path,
                message.clone(),
            );
            let mode = object.place(&Path::from("spec.installModes").index(wrong).key("supported"));
            findings.push(finding.also(mode, "the install mode is set here"));
        }
    }
}
