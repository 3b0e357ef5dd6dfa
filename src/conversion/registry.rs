//! Converts plain manifests into a CSV and the objects to ship with it.

use super::files::{Files, is_read, path_in, path_of, with_one_document};
use super::{Conversion, annotations, optional};
use crate::bundle::olm_yaml::Olm;
use crate::bundle::{Bundle, MANIFESTS, MediaType, OLM_YAML};
use crate::diagnostic::{Diagnostic, has_errors};
use crate::manifest::Object;
use crate::rules;
use crate::synthesis::{Shipping, synthesize_for};
use crate::text::{Limits, Path};
use crate::tree::{Tree, TreeError};
use serde_json::Value;

/// Keys of `olm.yaml` that affect the CSV but are not copied to it.
const HINTS: [&str; 2] = ["apis", "extraServiceAccounts"];

/// Converts a `k8s+v1` bundle.
pub(super) fn convert(
    tree: &Tree,
    bundle: &Bundle,
    reading: &[Diagnostic],
    target: &str,
    limits: &Limits,
) -> Result<Conversion, TreeError> {
    let synthesis = synthesize_for(bundle, reading, Shipping::RegistryV1);
    let mut findings = reading.to_vec();
    let kept: Vec<(&Object, &Value)> = synthesis
        .outcomes
        .iter()
        .filter_map(|outcome| Some((&outcome.object, outcome.shipped()?)))
        .collect();
    findings.extend(synthesis.diagnostics.iter().cloned());
    let Some(csv) = synthesis.csv.as_ref().filter(|_| !has_errors(&findings)) else {
        return Ok(Conversion {
            tree: None,
            diagnostics: findings,
        });
    };
    let mut files = Files::default();
    let folder = format!("{MANIFESTS}/");
    for (path, content) in tree.iter() {
        let inside = path.strip_prefix(&folder);
        if path == OLM_YAML || inside.is_some_and(is_read) {
            continue;
        }
        if inside.is_some_and(|inside| !inside.contains('/') && !inside.starts_with('.')) {
            let message = format!("{path} is omitted, because OLM would treat it as a manifest");
            findings.push(Diagnostic::new(&rules::CONVERT_FILE_LEFT_OUT, message));
        } else {
            files.put(path, content);
        }
    }
    annotations::carry(tree, &mut files, MediaType::RegistryV1, limits);
    let message = "the entries of olm.manifests.optional lose the namespaces that their manifests lose, because OLM \
                   sets the install namespace";
    optional::carry(tree, bundle, &mut files, &mut findings, message, |value| {
        synthesis.optional_manifests(value)
    });
    let name = csv
        .pointer("/metadata/name")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let file = format!("{}.clusterserviceversion", super::short_name(bundle, name));
    files.write(&file, std::slice::from_ref(csv));
    let single = with_one_document(tree, kept.iter().map(|(object, _)| *object), limits);
    for (object, value) in kept {
        let path = path_of(tree, object);
        let content = tree.get(path).unwrap_or_default();
        let inside = path.strip_prefix(&folder).unwrap_or(path);
        let alone = single.contains(path) && object.document().1.is_root();
        if alone
            && value == object.value()
            && !inside.contains('/')
            && !inside.starts_with('.')
            && files.get(path).is_none()
        {
            files.put(path, content);
            continue;
        }
        let gvk = object.gvk();
        let parts = [object.name(), &gvk.group, &gvk.version, &gvk.kind.to_lowercase()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        files.write(&parts.join("_"), std::slice::from_ref(value));
    }
    say_what_is_lost(tree, bundle, &files, &mut findings);
    Ok(Conversion {
        tree: Some(files.into_tree(target)?),
        diagnostics: findings,
    })
}

/// Reports the author's hints and comments, which are not kept.
fn say_what_is_lost(tree: &Tree, bundle: &Bundle, files: &Files, findings: &mut Vec<Diagnostic>) {
    if let Some(document) = &bundle.olm {
        for key in HINTS.into_iter().filter(|key| Olm::new(document).get(&[key]).is_some()) {
            let message = format!("{key} of {OLM_YAML} is omitted, because it is no longer needed");
            let finding = Diagnostic::new(&rules::CONVERT_HINTS_LOST, message);
            findings.push(finding.at(document.key_place(&Path::root().key(key))));
        }
    }
    let commented: Vec<&str> = tree
        .iter()
        .filter(|(path, _)| {
            let mut named = bundle
                .properties
                .iter()
                .map(|property| property.entry().0.source().name());
            *path == OLM_YAML
                || path.starts_with(&format!("{MANIFESTS}/"))
                || named.any(|name| path_in(tree, name) == *path)
        })
        .filter(|(path, content)| files.get(path) != Some(content) && has_comment(content))
        .map(|(path, _)| path)
        .collect();
    if !commented.is_empty() {
        let message = format!("the comments in {} are omitted", commented.join(", "));
        findings.push(Diagnostic::new(&rules::CONVERT_COMMENTS_LOST, message));
    }
}

fn has_comment(content: &[u8]) -> bool {
    let text = String::from_utf8_lossy(content);
    text.lines().any(|line| line.trim_start().starts_with('#'))
}
