//! Tests of Services, webhooks, conversions and CRD versions.

use super::*;

#[test]
fn webhook_ports_survive_a_round_trip() {
    let labels = [json!({"app": "op"}), json!({"app": "op", "part": "second"})];
    let deployments = json!([
        deployment("op", "default", &labels[0]),
        deployment("second-op", "default", &labels[1])
    ]);
    let mut csv = with("/spec/install/spec/deployments", deployments);
    let webhooks = json!([
        webhook(
            "MutatingAdmissionWebhook",
            "a.ex.com",
            "second-op",
            &json!({"containerPort": 443, "targetPort": 9443})
        ),
        webhook(
            "ValidatingAdmissionWebhook",
            "b.ex.com",
            "second-op",
            &json!({"containerPort": 443, "targetPort": "other"})
        ),
        webhook(
            "ValidatingAdmissionWebhook",
            "c.ex.com",
            "second-op",
            &json!({"containerPort": 8443, "targetPort": 9443})
        ),
    ]);
    set(&mut csv, "/spec/webhookdefinitions", webhooks.clone());
    let (back, plain, findings) = round_trip(&csv, &[]);
    let mut expected = webhooks;
    expected.sort_all_objects();
    assert_eq!(back["spec"]["webhookdefinitions"], expected);
    assert!(findings.is_empty(), "{findings:#?}");
    let services = String::from_utf8(plain.get("manifests/second-op.service.yaml").unwrap().to_vec()).unwrap();
    assert_eq!(
        services.matches("kind: Service\n").count(),
        2,
        "one port cannot lead to two places: {services}"
    );

    let lone = webhook("ValidatingAdmissionWebhook", "a.ex.com", "second-op", &json!({}));
    set(&mut csv, "/spec/webhookdefinitions", json!([lone]));
    let (back, _, findings) = round_trip(&csv, &[]);
    let entry = &back["spec"]["webhookdefinitions"][0];
    assert_eq!(
        (&entry["containerPort"], &entry["targetPort"]),
        (&json!(443), &json!(443))
    );
    assert!(findings.is_empty(), "{findings:#?}");
}

#[test]
fn a_service_requires_distinct_pod_labels() {
    let ports = json!({"containerPort": 443});
    let mut csv = with(
        "/spec/webhookdefinitions",
        json!([webhook("ValidatingAdmissionWebhook", "a.ex.com", "op", &ports)]),
    );
    let same = json!({"app": "op"});
    let deployments = json!([
        deployment("op", "default", &same),
        deployment("other", "default", &same)
    ]);
    set(&mut csv, "/spec/install/spec/deployments", deployments);
    let path = || "spec.webhookdefinitions[0].deploymentName".to_owned();
    assert_eq!(refusals(&csv, &[]), [("convert-pod-labels", path())]);
    csv["spec"]["webhookdefinitions"][0]["deploymentName"] = json!("absent");
    assert_eq!(refusals(&csv, &[]), [("convert-deployment-unknown", path())]);
}

#[test]
fn a_service_that_olm_would_create_is_used_or_omitted() {
    let ports = json!({"containerPort": 443, "targetPort": 9443});
    let webhooks = json!([webhook("ValidatingAdmissionWebhook", "a.ex.com", "op", &ports)]);
    let csv = with("/spec/webhookdefinitions", webhooks.clone());
    let service = |target: u64| {
        let ports = json!([{"port": 443, "targetPort": target}]);
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "op-service"}, "spec": {"selector": {"app": "op"}, "ports": ports}})
    };
    for (target, said, files) in [
        (9443, "convert-object-not-shipped", 6),
        (8080, "convert-file-left-out", 6),
    ] {
        let (back, plain, findings) = round_trip(&csv, &[service(target)]);
        assert_eq!(back["spec"]["webhookdefinitions"].as_array().map(Vec::len), Some(1));
        assert_eq!(ids(&findings), BTreeSet::from([said, "convert-field-added"]));
        assert_eq!(plain.len(), files, "{plain:?}");
    }
}

#[test]
fn a_matching_conversion_stanza_is_unchanged() {
    let service = json!({"name": "hook", "namespace": "ns", "path": "/convert"});
    let webhook = json!({"clientConfig": {"service": service}, "conversionReviewVersions": ["v1"]});
    let crd = crd("v1", Some(json!({"strategy": "Webhook", "webhook": webhook})));
    let csv = conversion_csv("/convert");
    let (back, plain, findings) = round_trip(&csv, std::slice::from_ref(&crd));
    assert_eq!(plain.get("manifests/0.yaml"), Some(to_yaml(&crd).as_bytes()));
    let service = plain.get("manifests/op.service.yaml").unwrap();
    let service = String::from_utf8_lossy(service);
    assert!(service.contains("name: hook\n  namespace: ns\n"), "{service}");
    let mut expected = csv.clone();
    expected.sort_all_objects();
    assert_eq!(back, expected);
    assert!(findings.is_empty(), "{findings:#?}");
}

#[test]
fn a_missing_or_different_conversion_stanza_is_taken_from_the_csv() {
    let service = json!({"name": "hook", "namespace": "ns", "path": "/other"});
    let new = json!({"strategy": "Webhook", "webhook": {"clientConfig": {"service": service}, "conversionReviewVersions": ["v1"]}});
    let old = json!({"strategy": "Webhook", "webhookClientConfig": {"service": service}, "conversionReviewVersions": ["v1beta1"]});
    for crd in [
        crd("v1", None),
        crd("v1", Some(new)),
        crd("v1beta1", None),
        crd("v1beta1", Some(old)),
    ] {
        let csv = conversion_csv("/convert");
        let (back, _, findings) = round_trip(&csv, &[crd]);
        let mut expected = csv.clone();
        expected.sort_all_objects();
        assert_eq!(back, expected);
        assert_eq!(ids(&findings), BTreeSet::from(["convert-crd-changed"]));
    }
}

#[test]
fn the_list_of_owned_versions_survives_without_unserved_ones() {
    let crd = crd("v1", None);
    let mut csv = with("/spec/customresourcedefinitions", json!({"owned": owned(&["v1"])}));
    let (back, mut plain, findings) = round_trip(&csv, std::slice::from_ref(&crd));
    assert_eq!(
        back["spec"]["customresourcedefinitions"]["owned"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    assert!(
        findings
            .iter()
            .all(|finding| finding.path.as_deref() == Some("spec.install.spec.permissions"))
    );
    let olm = String::from_utf8(plain.get(bundle::OLM_YAML).unwrap().to_vec()).unwrap();
    assert!(
        olm.contains("  unlisted:\n  - name: foos.ex.com\n    version: v1beta1\n"),
        "{olm}"
    );
    let slip = olm.replace("version: v1beta1", "version: v1beta2").into_bytes();
    plain.insert(bundle::OLM_YAML, slip, &TreeLimits::UNLIMITED).unwrap();
    let errors = convert_tree(&plain).diagnostics;
    let errors: Vec<_> = errors.into_iter().filter(Diagnostic::is_error).collect();
    assert_eq!(ids(&errors), BTreeSet::from(["olm-overlay-unmatched"]));

    set(
        &mut csv,
        "/spec/customresourcedefinitions",
        json!({"owned": owned(&["v1alpha1", "v1beta1", "v1"])}),
    );
    csv["spec"]["customresourcedefinitions"]["owned"][2]["displayName"] = json!("A Foo");
    let (back, _, findings) = round_trip(&csv, &[crd]);
    let listed = back["spec"]["customresourcedefinitions"]["owned"].as_array().unwrap();
    assert_eq!(listed[0]["displayName"], "A Foo");
    assert_eq!(listed.len(), 2);
    let lost = findings.iter().find(|finding| finding.rule.id == "convert-field-lost");
    assert_eq!(
        lost.unwrap().path.as_deref(),
        Some("spec.customresourcedefinitions.owned[0]")
    );
}
