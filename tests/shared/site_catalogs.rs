//! File-based catalogs for generating sites.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::fmt::Write;

/// The text in every field that accepts free text.
pub(crate) const SCRIPT: &str =
    "</title></script><script>alert(1)</script><img src=x onerror=alert(1)>\u{202e}\u{2028}\" onload=\"alert(1)\" x='";

/// A malicious catalog.
pub(crate) fn hostile() -> String {
    let icon = STANDARD
        .encode("<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"><script>alert(1)</script></svg>");
    let example =
        json!([{"apiVersion": "example.com/v1", "kind": SCRIPT, "metadata": {"name": SCRIPT}, "spec": SCRIPT}]);
    let csv = json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": "evil.v1.0.0", "annotations": {
            "alm-examples": example.to_string(),
            "categories": SCRIPT,
            "capabilities": SCRIPT,
            "createdAt": "2026-01-01T00:00:00Z",
            "containerImage": SCRIPT,
            "repository": "javascript:alert(1)",
            "support": SCRIPT,
            "operators.openshift.io/valid-subscription": json!([SCRIPT]).to_string(),
        }},
        "spec": {
            "displayName": SCRIPT,
            "description": format!("# {SCRIPT}\n\n[x](javascript:alert(1)) ![y](https://evil.example.com/y.png)\n\n<iframe src=\"https://evil.example.com\"></iframe>\n\n{}", "long ".repeat(200_000)),
            "keywords": [SCRIPT],
            "provider": {"name": SCRIPT, "url": "javascript:alert(1)"},
            "links": [{"name": SCRIPT, "url": "data:text/html,x"}, {"name": "ok", "url": "https://example.com"}],
            "maintainers": [{"name": SCRIPT, "email": "a@b?cc=c"}],
            "version": "1.0.0",
            "installModes": [{"type": SCRIPT, "supported": true}],
            "customresourcedefinitions": {"owned": [
                {"name": "pads.example.com", "version": "v1", "kind": SCRIPT, "displayName": SCRIPT, "description": SCRIPT}]},
            "webhookdefinitions": [{"generateName": SCRIPT, "type": SCRIPT, "deploymentName": SCRIPT, "rules": [{"operations": [SCRIPT], "resources": [SCRIPT]}]}],
            "install": {"strategy": "deployment", "spec": {
                "permissions": [{"serviceAccountName": SCRIPT, "rules": [{"apiGroups": [""], "resources": [SCRIPT], "verbs": [SCRIPT]}]}],
                "deployments": [{"name": SCRIPT, "spec": {"template": {"spec": {"containers": [
                    {"name": SCRIPT, "image": SCRIPT, "env": [{"name": SCRIPT, "value": SCRIPT}]}]}}}}]}},
        }
    });
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "pads.example.com"},
        "spec": {"group": SCRIPT, "names": {"kind": SCRIPT, "plural": SCRIPT}, "versions": [{"name": SCRIPT, "served": true, "storage": true,
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {
                SCRIPT: {"type": SCRIPT, "description": SCRIPT, "default": SCRIPT, "pattern": SCRIPT}}}}}}}]},
    });
    let object =
        |object: &Value| json!({"type": "olm.bundle.object", "value": {"data": STANDARD.encode(object.to_string())}});
    let channel = format!("stable{SCRIPT}");
    let bundle = format!("evil{SCRIPT}/../..");
    let documents = [
        json!({"schema": "olm.package", "name": "evil", "defaultChannel": channel, "description": SCRIPT,
            "icon": {"base64data": icon, "mediatype": "image/png"}}),
        json!({"schema": "olm.channel", "package": "evil", "name": channel, "entries": [
            {"name": bundle, "replaces": SCRIPT, "skips": [format!("skipped{SCRIPT}")]}]}),
        json!({"schema": "olm.bundle", "package": "evil", "name": bundle, "image": "registry.example.com/evil:v1", "properties": [
            {"type": "olm.package", "value": {"packageName": "evil", "version": "1.0.0"}},
            {"type": "olm.package.required", "value": {"packageName": SCRIPT, "versionRange": ">=1.0.0"}},
            {"type": "olm.constraint", "value": {"failureMessage": SCRIPT, "cel": {"rule": "true"}}},
            object(&csv), object(&definition)],
            "relatedImages": [{"name": SCRIPT, "image": SCRIPT}]}),
        json!({"schema": "olm.deprecations", "package": "evil", "entries": [
            {"reference": {"schema": "olm.package"}, "message": SCRIPT},
            {"reference": {"schema": "olm.channel", "name": channel}, "message": SCRIPT}]}),
    ];
    documents.map(|document| document.to_string()).join("\n")
}

/// An operator of the garden: name, description, category, capability level, number of versions.
type Operator = (&'static str, &'static str, &'static str, &'static str, u32);

const GARDEN: [Operator; 14] = [
    (
        "sprinkler",
        "Waters beds by schedule and by the moisture of their soil",
        "Irrigation",
        "Auto Pilot",
        9,
    ),
    (
        "greenhouse",
        "Runs greenhouses: air, light and warmth",
        "Climate",
        "Deep Insights",
        5,
    ),
    (
        "compost",
        "Turns compost heaps when their heat asks for it",
        "Soil",
        "Full Lifecycle",
        4,
    ),
    (
        "well",
        "Pumps water from wells into tanks",
        "Irrigation",
        "Seamless Upgrades",
        3,
    ),
    (
        "trellis",
        "Ties up climbing plants as they grow",
        "Plants",
        "Basic Install",
        2,
    ),
    (
        "orchard",
        "Plans pruning and harvest of fruit trees",
        "Plants",
        "Full Lifecycle",
        4,
    ),
    (
        "nursery",
        "Raises seedlings and hands them to other operators",
        "Plants",
        "Seamless Upgrades",
        3,
    ),
    ("lantern", "Lights paths from dusk to dawn", "Light", "Basic Install", 2),
    (
        "kettle",
        "Keeps warm water ready for the gardeners",
        "Kitchen",
        "Basic Install",
        1,
    ),
    (
        "gate",
        "Opens gates to those who may pass",
        "Security",
        "Seamless Upgrades",
        3,
    ),
    ("meter", "Measures rain, wind and sun", "Climate", "Deep Insights", 4),
    ("sweeper", "Sweeps leaves off paths", "Cleaning", "Basic Install", 2),
    ("rake", "Rakes gravel into patterns", "Cleaning", "Basic Install", 1),
    ("hedge", "Trims hedges to a shape", "Plants", "Full Lifecycle", 3),
];

/// A garden with everything that pages can show.
pub(crate) fn garden_catalog() -> String {
    let mut documents = String::new();
    for (place, operator) in GARDEN.iter().enumerate() {
        package(operator, place, operator.4, &mut documents);
    }
    documents
}

/// The same with an older version of its first package.
pub(crate) fn older_garden() -> String {
    let mut documents = String::new();
    for (place, operator) in GARDEN.iter().enumerate().filter(|(place, _)| *place != 9) {
        package(operator, place, operator.4.saturating_sub(1).max(1), &mut documents);
    }
    documents
}

/// A catalog with awkward text: long names without spaces, wide code, gaps between heading levels, two accounts.
pub(crate) fn awkward() -> String {
    let long = "averylongnamewithoutanyspacesinside".repeat(4);
    let code = "wide ".repeat(60);
    let rule = json!({"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch", "create", "update", "patch", "delete"]});
    let named =
        json!({"apiGroups": ["oauth.openshift.io"], "resources": ["*"], "resourceNames": ["one"], "verbs": ["*"]});
    let account = |name: &str, rules: Value| json!({"serviceAccountName": name, "rules": rules});
    let csv = json!({
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
        "metadata": {"name": "awkward.v1.0.0", "annotations": {"description": long}},
        "spec": {
            "displayName": long, "version": "1.0.0", "provider": {"name": long},
            "description": format!("### First\n\n###### Deep\n\n    {code}\n\n| {long} | {long} |\n|---|---|\n| {long} | b |\n\n```\n{code}\n```\n\n# Last\n"),
            "installModes": [{"type": "AllNamespaces", "supported": true}],
            "install": {"strategy": "deployment", "spec": {
                "clusterPermissions": [account("first", json!([rule])), account("second", json!([named]))],
                "deployments": [
                    {"name": "first", "spec": {"template": {"spec": {"serviceAccountName": "first", "containers": [{"name": "a", "image": format!("registry.example.com/{long}:v1")}]}}}},
                    {"name": "second", "spec": {"template": {"spec": {"serviceAccountName": "second", "containers": [{"name": "a", "image": "registry.example.com/a:v1"}]}}}}]}},
        }
    });
    let documents = [
        json!({"schema": "olm.package", "name": "awkward", "defaultChannel": "stable"}),
        json!({"schema": "olm.channel", "package": "awkward", "name": "stable", "entries": [{"name": "awkward.v1.0.0"}]}),
        json!({"schema": "olm.bundle", "package": "awkward", "name": "awkward.v1.0.0", "image": "registry.example.com/awkward:v1", "properties": [
            {"type": "olm.package", "value": {"packageName": "awkward", "version": "1.0.0"}},
            {"type": "olm.bundle.object", "value": {"data": STANDARD.encode(csv.to_string())}}],
            "relatedImages": [{"name": long, "image": format!("registry.example.com/{long}:v1")}]}),
    ];
    documents.map(|document| document.to_string()).join("\n")
}

/// Packages with this many versions each, for measuring sizes.
pub(crate) fn many(packages: usize, versions: u32) -> String {
    let mut documents = String::new();
    for number in 0..packages {
        let name: &str = Box::leak(format!("operator-{number}").into_boxed_str());
        let (_, about, category, level, _) = GARDEN[number % GARDEN.len()];
        package(
            &(name, about, category, level, versions),
            number,
            versions,
            &mut documents,
        );
    }
    documents
}

fn package(operator: &Operator, place: usize, versions: u32, documents: &mut String) {
    let (name, ..) = operator;
    let bundle = |version: u32| format!("{name}.v1.{version}.0");
    let hue = place * 47 % 360;
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 40 40\"><rect width=\"40\" height=\"40\" fill=\"hsl({hue} 55% 92%)\"/>\
         <path d=\"M20 34C20 22 {0} 20 8 10c12-2 16 6 16 12 2-4 4-7 9-8-2 8-9 9-11 20z\" fill=\"hsl({hue} 45% 34%)\"/></svg>",
        8 + place % 6
    );
    let mut write = |document: Value| {
        // Writing to a string cannot fail.
        let _ = writeln!(documents, "{document}");
    };
    write(
        json!({"schema": "olm.package", "name": name, "defaultChannel": "stable",
        "icon": {"base64data": STANDARD.encode(svg), "mediatype": "image/svg+xml"}}),
    );
    let entries = |from: u32| -> Vec<Value> {
        let entries = (from..versions).map(|version| {
            let mut entry = json!({"name": bundle(version)});
            if version > from {
                entry["replaces"] = bundle(version - 1).into();
            }
            if version % 4 == 3 {
                entry["skips"] = json!([bundle(version - 2)]);
            }
            if version == versions - 1 && version > 2 {
                entry["skipRange"] = format!(">=1.{from}.0 <1.{version}.0").into();
            }
            entry
        });
        entries.collect()
    };
    write(json!({"schema": "olm.channel", "package": name, "name": "stable", "entries": entries(0)}));
    if versions > 2 {
        write(json!({"schema": "olm.channel", "package": name, "name": "fast", "entries": entries(versions / 2)}));
    }
    for version in 0..versions {
        write(release(operator, place, version));
    }
    if versions > 4 {
        let phases = |year: u32| {
            json!([{"name": "Full support", "startDate": format!("{year}-01-01"), "endDate": format!("{year}-06-30")},
                {"name": "Maintenance", "startDate": format!("{year}-07-01"), "endDate": format!("{}-12-31", year + 40)}])
        };
        let platforms = json!([{"name": "openshift", "versions": ["4.20", "4.21"]}]);
        write(
            json!({"schema": "io.openshift.operators.lifecycles.v1alpha1", "package": name, "versions": [
            {"name": "1.3", "phases": phases(2026), "platformCompatibility": platforms},
            {"name": "1.2", "phases": phases(2025), "platformCompatibility": platforms}]}),
        );
    }
    if place == 7 {
        write(json!({"schema": "olm.deprecations", "package": name, "entries": [
            {"reference": {"schema": "olm.package"}, "message": "Use meter, which also lights paths."}]}));
    }
    if versions > 4 {
        write(json!({"schema": "olm.deprecations", "package": name, "entries": [
            {"reference": {"schema": "olm.bundle", "name": bundle(0)}, "message": "It forgets its schedule."}]}));
    }
}

fn release(operator: &Operator, place: usize, version: u32) -> Value {
    let (name, about, category, level, _) = operator;
    let title: String = name[..1].to_uppercase() + &name[1..];
    let kind = title.replace('-', "");
    let (plural, group) = (format!("{}s", kind.to_lowercase()), "garden.example.com");
    let image = |of: &str| {
        format!(
            "registry.example.com/garden/{of}@sha256:{:064x}",
            place as u64 * 1000 + u64::from(version) + 1
        )
    };
    let example = json!([{"apiVersion": format!("{group}/v1"), "kind": kind, "metadata": {"name": "example"}, "spec": {"size": 3}}]);
    let mut rules = vec![
        json!({"apiGroups": [group], "resources": [plural], "verbs": ["get", "list", "watch", "update", "patch"]}),
        json!({"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get", "list", "watch", "create", "update"]}),
    ];
    if version > 1 {
        rules.push(json!({"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "list", "watch"]}));
    }
    let install = json!({"strategy": "deployment", "spec": {
                "permissions": [{"serviceAccountName": name, "rules": [{"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get", "create", "update"]}]}],
                "clusterPermissions": [{"serviceAccountName": name, "rules": rules}],
                "deployments": [{"name": format!("{name}-operator"), "spec": {"replicas": 1, "selector": {"matchLabels": {"app": name}}, "template": {
                    "metadata": {"labels": {"app": name}}, "spec": {"serviceAccountName": name, "containers": [
                        {"name": "manager", "image": image(name), "env": [{"name": "WATCH", "value": ""}],
                         "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": if version > 1 { "256Mi" } else { "128Mi" }}}}]}}}}]}});
    let webhook = json!({"type": "ValidatingAdmissionWebhook", "generateName": format!("v{name}.{group}"), "deploymentName": format!("{name}-operator"),
                "containerPort": 443, "targetPort": 9443, "sideEffects": "None", "admissionReviewVersions": ["v1"], "failurePolicy": if version > 1 { "Fail" } else { "Ignore" }, "webhookPath": "/validate",
                "rules": [{"apiGroups": [group], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": [plural]}]});
    let csv = json!({
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
        "metadata": {"name": format!("{name}.v1.{version}.0"), "annotations": {
            "alm-examples": example.to_string(), "capabilities": level, "categories": category,
            "createdAt": format!("2026-{:02}-{:02}T08:00:00Z", 1 + version % 12, 1 + place % 28),
            "description": about, "repository": "https://code.example.com/garden",
            "containerImage": image(name), "support": "Garden tools",
            "features.operators.openshift.io/disconnected": if place.is_multiple_of(3) { "true" } else { "false" },
            "features.operators.openshift.io/fips-compliant": if place.is_multiple_of(4) { "true" } else { "false" },
        }},
        "spec": {
            "displayName": title, "version": format!("1.{version}.0"), "minKubeVersion": "1.28.0", "maturity": "stable",
            "description": format!("# {title}\n\n{about}. It is one of the operators of the garden.\n\n## What it does\n\n- watches `{kind}` objects\n- reports what it *has done* in their status\n\n| setting | default |\n|---|---|\n| size | 3 |\n\nSee https://docs.example.com/garden for more."),
            "keywords": [name, "garden"], "provider": {"name": if place.is_multiple_of(2) { "Garden tools" } else { "Field hands" }, "url": "https://garden.example.com"},
            "links": [{"name": "Documentation", "url": "https://docs.example.com/garden"}],
            "maintainers": [{"name": "Gardeners", "email": "garden@example.com"}],
            "installModes": [{"type": "AllNamespaces", "supported": true}, {"type": "OwnNamespace", "supported": place.is_multiple_of(2)},
                {"type": "SingleNamespace", "supported": false}, {"type": "MultiNamespace", "supported": false}],
            "customresourcedefinitions": {"owned": [{"name": format!("{plural}.{group}"), "kind": kind, "version": "v1",
                "displayName": title, "description": format!("What a {name} is to do")}]},
            "install": install,
            "webhookdefinitions": [webhook],
        }
    });
    let mut size = json!({"type": "integer", "description": "How many there are.", "default": 3, "minimum": 1});
    if version > 0 {
        size["maximum"] = 20.into();
    }
    let mut fields = json!({"size": size,
        "schedule": {"type": "object", "required": ["at"], "description": "When it works.", "properties": {
            "at": {"type": "string", "pattern": "^[0-9]{2}:[0-9]{2}$", "description": "The time of the day."},
            "days": {"type": "array", "items": {"type": "string", "enum": ["weekdays", "weekends"]}}}},
        "beds": {"type": "array", "minItems": 1, "items": {"type": "object", "properties": {
            "name": {"type": "string", "maxLength": 63}, "area": {"x-kubernetes-int-or-string": true}}}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}}});
    if version == 0 {
        fields["legacy"] = json!({"type": "boolean"});
    }
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": format!("{plural}.{group}")},
        "spec": {"group": group, "scope": "Namespaced", "names": {"kind": kind, "plural": plural, "singular": kind.to_lowercase(), "listKind": format!("{kind}List")},
            "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "additionalPrinterColumns": [{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}],
                "schema": {"openAPIV3Schema": {"type": "object", "description": format!("What a {name} is to do."), "properties": {
                    "spec": {"type": "object", "properties": fields},
                    "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}}}}}}]},
    });
    let object =
        |object: &Value| json!({"type": "olm.bundle.object", "value": {"data": STANDARD.encode(object.to_string())}});
    let mut properties = vec![
        json!({"type": "olm.package", "value": {"packageName": name, "version": format!("1.{version}.0")}}),
        json!({"type": "olm.gvk", "value": {"group": group, "version": "v1", "kind": kind}}),
    ];
    if *name == "sprinkler" {
        properties
            .push(json!({"type": "olm.package.required", "value": {"packageName": "well", "versionRange": ">=1.0.0"}}));
        properties
            .push(json!({"type": "olm.gvk.required", "value": {"group": group, "version": "v1", "kind": "Meter"}}));
        properties.push(json!({"type": "olm.constraint", "value": {"failureMessage": "needs light", "any": {"constraints": [
            {"package": {"packageName": "lantern", "versionRange": ">=1.0.0"}}, {"cel": {"rule": "properties.exists(p, p.type == 'light')"}}]}}}));
    }
    properties.extend([object(&csv), object(&definition)]);
    json!({"schema": "olm.bundle", "package": name, "name": format!("{name}.v1.{version}.0"),
        "image": format!("registry.example.com/garden/{name}-bundle:v1.{version}.0"), "properties": properties,
        "relatedImages": [{"name": "manager", "image": image(name)}, {"name": "base", "image": "registry.example.com/garden/base:v1"}]})
}
