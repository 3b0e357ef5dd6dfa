//! Checks the webhooks of a version: OLM refuses some before the installation, and does not set up some conversion
//! webhooks, for which it then waits.

use super::Cluster;
use super::failed_version::{FailedVersion, created, failed};
use crate::csv::Csv;
use crate::install::permissions::serving;
use crate::kubernetes::rbac::covering::TooComplex;
use crate::olm::install_mode::ALL_NAMESPACES;
use crate::olm::releases::{Feature, Olm};
use crate::olm::webhook::refused_definitions;
use crate::steps::{CRD, Step, StepStatus};
use serde_json::Value;

/// The list of the webhooks of a version.
const DEFINITIONS: [&str; 2] = ["spec", "webhookdefinitions"];

/// Returns the versions among these steps that fail because OLM refuses their webhooks. `statuses` are the final
/// statuses of the steps.
pub(super) fn refused(steps: &[Step], statuses: &[StepStatus], olm: &Olm) -> Vec<FailedVersion> {
    if !olm.does(Feature::AdmissionWebhook) {
        return Vec::new();
    }
    failed(steps, statuses, |_, csv| {
        Some((
            "InvalidWebhookDescription",
            refused_definitions(csv.list(&DEFINITIONS))?.to_owned(),
        ))
    })
}

/// Returns the versions among these steps that OLM never considers installed, because it does not set up their
/// webhooks: the installing account is not allowed to, or a version with conversion webhooks supports other install
/// modes than `AllNamespaces`. OLM ignores the error, and then waits for the webhook. It does not wait for a conversion
/// webhook if the CustomResourceDefinition itself specifies a complete one.
///
/// # Errors
/// Returns an error if comparing rules takes too many steps.
pub(super) fn waiting(
    steps: &[Step],
    statuses: &[StepStatus],
    cluster: &Cluster<'_>,
) -> Result<Vec<FailedVersion>, TooComplex> {
    let mut waiting = Vec::new();
    for (_, csv) in created(steps, statuses) {
        for definition in csv.list(&DEFINITIONS) {
            let Some(message) = cluster.unready_webhook(definition, csv, steps)? else {
                continue;
            };
            waiting.push(FailedVersion {
                phase: "Installing",
                ..FailedVersion::of(csv, "InstallWaiting", message)
            });
            break;
        }
    }
    Ok(waiting)
}

impl Cluster<'_> {
    /// Returns the message with which OLM waits for a webhook; `None` if it sets up the webhook.
    fn unready_webhook(&self, definition: &Value, csv: Csv<'_>, steps: &[Step]) -> Result<Option<String>, TooComplex> {
        let is_conversion = definition.get("type").and_then(Value::as_str) == Some("ConversionWebhook");
        let (feature, waiting) = if is_conversion {
            (
                Feature::ConversionWebhook,
                "Webhook install failed: conversionWebhook not ready",
            )
        } else {
            (Feature::AdmissionWebhook, "webhooks not installed")
        };
        if !self.olm.does(feature) || is_conversion && !unready_definition(definition, steps) {
            return Ok(None);
        }
        if is_conversion && !is_only_for_all_namespaces(csv) {
            return Ok(Some(format!(
                "{waiting}: CSVs with conversion webhooks must support only AllNamespaces"
            )));
        }
        let Some(installer) = &self.installer else {
            return Ok(None);
        };
        let refusal = installer.refusal(&serving::webhook(definition))?;
        Ok(refusal.map(|refusal| format!("{waiting}: {refusal}")))
    }
}

/// Whether the version supports all namespaces, or lists no install modes at all, and supports no other install mode.
fn is_only_for_all_namespaces(csv: Csv<'_>) -> bool {
    csv.list(&["spec", "installModes"]).iter().all(|mode| {
        let is_all = mode.get("type").and_then(Value::as_str) == Some(ALL_NAMESPACES);
        (mode.get("supported") == Some(&Value::Bool(true))) == is_all
    })
}

/// Whether the steps define a kind that a conversion webhook converts, without a complete webhook.
fn unready_definition(definition: &Value, steps: &[Step]) -> bool {
    let names = definition.get("conversionCRDs").and_then(Value::as_array);
    let converted: Vec<&str> = names.into_iter().flatten().filter_map(Value::as_str).collect();
    let mut kinds = steps.iter().filter(|step| step.resource.kind == CRD);
    kinds.any(|step| converted.contains(&&*step.resource.name) && !has_webhook(&step.resource.manifest))
}

/// Whether a definition specifies a webhook with a certificate.
fn has_webhook(definition: &Value) -> bool {
    let at = |path: &str| definition.pointer(path).and_then(Value::as_str);
    at("/spec/conversion/strategy") == Some("Webhook") && at("/spec/conversion/webhook/clientConfig/caBundle").is_some()
}

#[cfg(test)]
mod tests {
    use super::super::apply;
    use super::*;
    use crate::cluster::State;
    use crate::steps::tests::{content, csv, target};
    use crate::steps::{in_order, of_bundle};
    use serde_json::json;

    /// Returns how an operator with these webhooks, install modes and objects fails with an OLM.
    fn failed_with(
        webhooks: &Value,
        modes: &[&str],
        objects: Vec<Value>,
        olm: &str,
    ) -> Option<(&'static str, &'static str, String)> {
        let mut version = csv("memo.v1");
        let complete = webhooks.as_array().unwrap().iter().cloned().map(|mut webhook| {
            webhook["admissionReviewVersions"] = json!(["v1"]);
            webhook["sideEffects"] = json!("None");
            webhook
        });
        version["spec"]["webhookdefinitions"] = complete.collect();
        let supported = |mode: &&str| json!({"type": mode, "supported": true});
        version["spec"]["installModes"] = modes.iter().map(supported).collect();
        let steps = in_order(of_bundle(&content(version, objects), &target(), "").unwrap());
        let applied = apply(&steps, "operators", &State::default(), &olm.parse().unwrap()).unwrap();
        assert_eq!(applied.succeeds(), applied.failed.is_empty());
        let failed = applied.failed.into_iter();
        failed
            .map(|failed| (failed.phase, failed.reason, failed.message))
            .next()
    }

    fn admission(kind: &str, name: &str, rule: &Value) -> Value {
        json!({"type": format!("{kind}AdmissionWebhook"), "generateName": name, "rules": [rule]})
    }

    #[test]
    fn a_version_fails_if_olm_refuses_the_rules_of_its_webhooks() {
        let message = |groups: &[&str], resources: &[&str], olm: &str| {
            let harmless = admission("Mutating", "first", &json!({"apiGroups": ["apps"], "resources": ["*"]}));
            let rule = json!({"apiGroups": groups, "resources": resources});
            let webhooks = json!([harmless, admission("Validating", "second", &rule)]);
            failed_with(&webhooks, &["AllNamespaces"], Vec::new(), olm).map(|(phase, reason, message)| {
                assert_eq!((phase, reason), ("Failed", "InvalidWebhookDescription"));
                message
            })
        };
        let admission = ["admissionregistration.k8s.io"];
        for (groups, resources, expected) in [
            (
                &["apps", "*"][..],
                &["pods"][..],
                Some("webhook rules cannot include all groups"),
            ),
            (
                &["operators.coreos.com"],
                &["*"],
                Some("webhook rules cannot include the OLM group"),
            ),
            (
                &admission,
                &["ValidatingWebhookConfiguration"],
                Some(
                    "webhook rules cannot include MutatingWebhookConfiguration or ValidatingWebhookConfiguration resources",
                ),
            ),
            (&admission, &["validatingadmissionpolicies"], None),
            (&["apps"], &["*"], None),
        ] {
            for olm in ["proposed", "0.46.0"] {
                assert_eq!(message(groups, resources, olm).as_deref(), expected, "{groups:?}");
            }
        }
        assert_eq!(
            message(&["*"], &["pods"], "0.14.0"),
            None,
            "this release ignores webhooks"
        );
    }

    #[test]
    fn a_version_fails_if_two_of_its_webhooks_have_the_same_name() {
        let rule = json!({"apiGroups": ["apps"], "resources": ["deployments"]});
        let failed = |first: &str, second: &str| {
            let webhooks = json!([
                admission("Mutating", first, &rule),
                admission("Validating", second, &rule)
            ]);
            failed_with(&webhooks, &["AllNamespaces"], Vec::new(), "0.46.0")
        };
        assert_eq!(failed("one.example.com", "other.example.com"), None);
        let message = "CSV contains repeated WebhookDescription name".to_owned();
        let expected = Some(("Failed", "InvalidWebhookDescription", message));
        assert_eq!(failed("one.example.com", "one.example.com"), expected);
    }

    #[test]
    fn olm_waits_forever_for_a_conversion_webhook_unless_only_all_namespaces_are_supported() {
        let webhooks =
            json!([{"type": "ConversionWebhook", "generateName": "memos", "conversionCRDs": ["memos.example.com"]}]);
        let failed = |modes: &[&str], conversion: Value| {
            let definition = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": CRD,
                "metadata": {"name": "memos.example.com"},
                "spec": {"group": "example.com", "names": {"kind": "Memo", "plural": "memos"}, "scope": "Namespaced",
                    "versions": [{"name": "v1", "served": true, "storage": true}], "conversion": conversion}});
            failed_with(&webhooks, modes, vec![definition], "0.46.0")
        };
        let webhook = |client: Value| json!({"strategy": "Webhook", "webhook": {"clientConfig": client}});
        assert_eq!(failed(&["AllNamespaces"], json!({"strategy": "None"})), None);
        let message = "Webhook install failed: conversionWebhook not ready: CSVs with conversion webhooks must support only \
                       AllNamespaces";
        let expected = Some(("Installing", "InstallWaiting", message.to_owned()));
        assert_eq!(
            failed(&["AllNamespaces", "OwnNamespace"], json!({"strategy": "None"})),
            expected
        );
        assert_eq!(failed(&["OwnNamespace"], webhook(json!({}))), expected);
        assert_eq!(failed(&["OwnNamespace"], webhook(json!({"caBundle": "Cg=="}))), None);
    }
}
