//! The reasons why OLM v1 does not install a bundle.

use super::refusal::{Part, Refusal};
use super::{MODE, objects, webhooks};
use crate::catalog::Bundle;
use crate::csv::Csv;
use crate::kubernetes::GroupVersionKind;
use crate::kubernetes::names::is_dns1123_subdomain;
use crate::olm::dependency::{self, Dependency, Spelling};
use crate::olm::install_mode::INSTALL_MODES;
use crate::olm::property::{CONSTRAINT, GVK_REQUIRED, K8S_V1, LABEL, MEDIA_TYPE, PACKAGE_REQUIRED};
use crate::text::Path;
use serde_json::Value;
use std::collections::BTreeSet;

/// Returns the reasons that the properties, the ClusterServiceVersion and the objects of a bundle in a catalog give.
pub(crate) fn of_bundle(bundle: &Bundle, csv: Csv<'_>, objects: Option<&[&Value]>) -> Vec<Refusal> {
    let mut properties = bundle.properties.iter();
    let is_plain = properties.any(|property| {
        let value = || serde_json::from_str::<String>(&property.value);
        &*property.kind == MEDIA_TYPE && value().is_ok_and(|value| value == K8S_V1)
    });
    let required = bundle
        .properties
        .iter()
        .filter_map(|it| dependency(&it.kind, &it.value, Spelling::Property));
    let depends = bundle
        .dependencies
        .iter()
        .filter_map(|it| dependency(&it.kind, &it.value, Spelling::Dependency));
    let mut found: Vec<Refusal> = of_dependencies(required.chain(depends)).into_iter().collect();
    found.extend(is_plain.then(plain));
    if bundle.image.as_deref() == Some("") {
        let reason = "the catalog contains its manifests instead of its image";
        let help =
            "Push the image of the bundle, with the media type registry+v1, and add the bundle from the registry.";
        found.push(Refusal::new(Part::Metadata, reason, help));
    }
    found.extend(of_contents(csv, objects));
    found
}

/// Returns the reason that the media type `k8s+v1` gives.
pub(crate) fn plain() -> Refusal {
    let help = "Build the bundle with the media type registry+v1, and add that bundle to the catalog.";
    Refusal::new(Part::Metadata, "its media type is k8s+v1", help)
}

/// Returns the reason that the name of a package gives. An empty name belongs to another rule.
pub(crate) fn of_package(name: &str) -> Option<Refusal> {
    let help = "Publish the operator in a package whose name a ClusterExtension can contain.";
    of_name("package", name, help).filter(|_| !name.is_empty())
}

/// Returns the reason why a ClusterExtension cannot contain the name of a channel.
pub(crate) fn of_channel(name: &str) -> Option<Refusal> {
    let help = "Publish the bundles also in a channel whose name a ClusterExtension can contain.";
    of_name("channel", name, help)
}

fn of_name(what: &str, name: &str, help: &'static str) -> Option<Refusal> {
    if is_dns1123_subdomain(name) {
        return None;
    }
    let reason = format!(
        "a ClusterExtension cannot name the {what} {name:?}, because the name must consist of lowercase letters, \
         digits, hyphens and dots"
    );
    Some(Refusal::new(Part::Metadata, reason, help))
}

/// Returns the reason that the name of the file with the annotations gives.
pub(crate) fn of_annotations_file(name: &str) -> Refusal {
    let reason = format!("its annotations are in {name}, but OLM v1 reads only metadata/annotations.yaml");
    let help = "Rename the file to metadata/annotations.yaml.";
    Refusal::new(Part::Metadata, reason, help)
}

/// Returns the reason that the folder of the manifests, as the metadata names it, gives.
pub(crate) fn of_folder(folder: &str) -> Option<Refusal> {
    let parts = folder.split('/').filter(|part| !["", "."].contains(part));
    if parts.eq([FOLDER]) {
        return None;
    }
    let reason = format!("its manifests are in {folder:?}, but OLM v1 reads only the folder {FOLDER:?}");
    Some(Refusal::new(
        Part::Metadata,
        reason,
        "Move the manifests to the folder manifests.",
    ))
}

/// The folder in which OLM v1 finds the manifests of a bundle.
const FOLDER: &str = "manifests";

/// Describes a property or a dependency, if OLM v1 rejects bundles with it. OLM v1 ignores dependencies on labels.
pub(crate) fn dependency(kind: &str, json: &str, spelling: Spelling) -> Option<String> {
    let is_rejected = match spelling {
        Spelling::Property => [GVK_REQUIRED, PACKAGE_REQUIRED, CONSTRAINT].contains(&kind),
        Spelling::Dependency => kind != LABEL,
    };
    if !is_rejected {
        return None;
    }
    let reading = dependency::read(kind, json, spelling).ok().flatten();
    Some(match reading.and_then(|reading| reading.dependency) {
        Some(Dependency::Package(package)) => format!("package {:?}", package.name),
        Some(Dependency::Api(api)) => described(&api),
        Some(Dependency::Constraint(_)) => "a constraint".to_owned(),
        Some(Dependency::Label(_)) | None => format!("a value of type {kind:?}"),
    })
}

/// Describes an API that a bundle requires.
pub(crate) fn described(api: &GroupVersionKind) -> String {
    format!("{} ({})", api.kind, api.api_version())
}

/// Returns the reason that the dependencies give, which are described by [`dependency`] and [`described`].
pub(crate) fn of_dependencies(dependencies: impl IntoIterator<Item = String>) -> Option<Refusal> {
    let dependencies: BTreeSet<String> = dependencies.into_iter().collect();
    if dependencies.is_empty() {
        return None;
    }
    let dependencies: Vec<String> = dependencies.into_iter().collect();
    let reason = format!("it has dependencies ({})", dependencies.join(", "));
    let help = "Remove the dependencies, and document what users have to install beforehand.";
    Some(Refusal::new(Part::Metadata, reason, help))
}

/// Returns the reasons that the ClusterServiceVersion and the objects of a bundle give. Without objects, the
/// ClusterServiceVersion may be incomplete, so what it does not contain gives no reason.
pub(crate) fn of_contents(csv: Csv<'_>, objects: Option<&[&Value]>) -> Vec<Refusal> {
    let mut found = Vec::new();
    install_modes(csv, objects.is_some(), &mut found);
    if !csv.list(&["spec", "apiservicedefinitions", "owned"]).is_empty() {
        let part = Part::Csv(Path::from("spec.apiservicedefinitions.owned"));
        let help = "Define the APIs with CustomResourceDefinitions.";
        found.push(Refusal::new(part, "it serves APIs through an APIService", help));
    }
    deployments(csv, &mut found);
    webhooks::check(csv, &mut found);
    if let Some(list) = objects {
        objects::check(csv, list, &mut found);
    }
    found
}

fn install_modes(csv: Csv<'_>, is_complete: bool, found: &mut Vec<Refusal>) {
    let path = Path::from("spec.installModes");
    let is_listed = !csv.list(&["spec", "installModes"]).is_empty();
    if !csv.supports(MODE) && (is_listed || is_complete && !csv.0.is_null()) {
        let reason = "it does not support the install mode AllNamespaces";
        let help = "Make the operator support the install mode AllNamespaces, and set it to supported. With its feature \
                    gate SingleOwnNamespaceInstallSupport, OLM v1 also installs operators in OwnNamespace and \
                    SingleNamespace, if the ClusterExtension sets watchNamespace.";
        found.push(Refusal::new(Part::Csv(path.clone()), reason, help));
    }
    let others = INSTALL_MODES.into_iter().filter(|mode| *mode != MODE);
    if webhooks::convert(csv) && others.into_iter().any(|mode| csv.supports(mode)) {
        let reason = "it has a conversion webhook, but supports install modes other than AllNamespaces";
        let help = "Support only the install mode AllNamespaces.";
        found.push(Refusal::new(Part::Csv(path), reason, help));
    }
}

fn deployments(csv: Csv<'_>, found: &mut Vec<Refusal>) {
    let mut names = BTreeSet::new();
    for (index, deployment) in csv.deployments().iter().enumerate() {
        let name = deployment.get("name").and_then(Value::as_str).unwrap_or_default();
        let path = Path::from("spec.install.spec.deployments").index(index).key("name");
        let mut report = |reason, help| found.push(Refusal::new(Part::Csv(path.clone()), reason, help));
        if !is_dns1123_subdomain(name) {
            let reason = format!("the name {name:?} of a deployment is not valid");
            report(reason, "Use a name of lowercase letters, digits, hyphens and dots.");
        } else if !names.insert(name) {
            let reason = format!("two deployments have the name {name:?}");
            report(reason, "Give each deployment its own name.");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{ManifestsId, Property};
    use crate::olm::webhook::ADMISSION;
    use serde_json::json;

    fn bundle(properties: &[(&str, Value)], dependencies: &[(&str, Value)], image: &str) -> Bundle {
        let property = |(kind, value): &(&str, Value)| Property::new(*kind, value.to_string());
        Bundle {
            name: "rake.v1.0.0".into(),
            version: None,
            image: Some(image.into()),
            properties: properties.iter().map(property).collect(),
            dependencies: dependencies.iter().map(property).collect(),
            manifests: ManifestsId(0),
        }
    }

    fn csv(spec: &Value) -> Value {
        let mut csv = json!({"kind": "ClusterServiceVersion", "spec": {
            "installModes": [{"type": "AllNamespaces", "supported": true}],
            "install": {"spec": {"deployments": [{"name": "rake"}]}},
        }});
        let spec = spec.as_object().unwrap().clone();
        csv["spec"].as_object_mut().unwrap().extend(spec);
        csv
    }

    fn look(found: &[Refusal], expected: &str) {
        let is_expected = match expected {
            "" => found.is_empty(),
            _ => matches!(found, [only] if only.reason.contains(expected)),
        };
        assert!(is_expected, "expected {expected:?}: {found:?}");
    }

    #[test]
    fn each_limit_on_the_metadata_of_a_bundle_is_a_reason() {
        const IMAGE: &str = "registry.example.com/rake:v1";
        let api = json!({"group": "example.com", "version": "v1", "kind": "Rake"});
        let package = json!({"packageName": "soil", "versionRange": ">1.0.0"});
        for (bundle, expected) in [
            (bundle(&[], &[], IMAGE), ""),
            (bundle(&[], &[(LABEL, json!({"label": "l"}))], IMAGE), ""),
            (bundle(&[("olm.package", package.clone())], &[], IMAGE), ""),
            (
                bundle(&[(GVK_REQUIRED, api.clone())], &[], IMAGE),
                "(Rake (example.com/v1))",
            ),
            (bundle(&[], &[("olm.gvk", api)], IMAGE), "(Rake (example.com/v1))"),
            (bundle(&[(PACKAGE_REQUIRED, package)], &[], IMAGE), "(package \"soil\")"),
            (
                bundle(&[(CONSTRAINT, json!({}))], &[], IMAGE),
                "(a value of type \"olm.constraint\")",
            ),
            (bundle(&[(MEDIA_TYPE, json!(K8S_V1))], &[], IMAGE), "k8s+v1"),
            (bundle(&[], &[], ""), "instead of its image"),
        ] {
            look(&of_bundle(&bundle, Csv(&csv(&json!({}))), None), expected);
        }
        for (name, expected) in [("u.x-y", ""), ("", ""), ("My_Pkg", "\"My_Pkg\"")] {
            look(&of_package(name).into_iter().collect::<Vec<_>>(), expected);
        }
        for (folder, expected) in [
            ("manifests", ""),
            ("./manifests/", ""),
            ("deploy/manifests/", "in \"deploy/manifests/\""),
            ("", "in \"\""),
        ] {
            look(&of_folder(folder).into_iter().collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn each_limit_on_the_manifests_of_a_bundle_is_a_reason() {
        let mode = |name: &str| json!({"type": name, "supported": true});
        let webhook = |kind: &str, changes: &Value| {
            let mut webhook = json!({
                "type": kind, "generateName": "v.example.com", "deploymentName": "rake", "containerPort": 443,
            });
            webhook
                .as_object_mut()
                .unwrap()
                .extend(changes.as_object().unwrap().clone());
            webhook
        };
        let webhooks = |webhooks: &[Value]| csv(&json!({ "webhookdefinitions": webhooks }));
        let rule = |group: &str, resource: &str| {
            let rule = json!({"apiGroups": [group], "resources": [resource]});
            webhooks(&[webhook("ValidatingAdmissionWebhook", &json!({"rules": [rule]}))])
        };
        let owned = json!({"owned": [{"name": "rakes.example.com"}]});
        let converting = |modes: &[&str], number: usize| {
            let modes: Vec<Value> = modes.iter().map(|name| mode(name)).collect();
            let webhooks = (0..number).map(|index| {
                let changes = json!({"generateName": format!("c{index}"), "conversionCRDs": ["rakes.example.com"]});
                webhook("ConversionWebhook", &changes)
            });
            let webhooks: Vec<Value> = webhooks.collect();
            csv(&json!({
                "installModes": modes, "webhookdefinitions": webhooks, "customresourcedefinitions": owned,
            }))
        };
        let definition = |preserve: bool| {
            json!({"kind": "CustomResourceDefinition", "metadata": {"name": "rakes.example.com"},
                "spec": {"preserveUnknownFields": preserve}})
        };
        let kind = |kind: &str| json!({ "kind": kind });
        let named = |name: &str| webhook("ValidatingAdmissionWebhook", &json!({ "generateName": name }));
        let mutating = |name: &str| webhook("MutatingAdmissionWebhook", &json!({ "generateName": name }));
        let both = ["AllNamespaces", "OwnNamespace"];
        for (csv, objects, expected) in [
            (csv(&json!({})), vec![kind("Service"), kind("NetworkPolicy")], ""),
            (
                csv(&json!({"installModes": [mode("OwnNamespace")]})),
                vec![],
                "mode AllNamespaces",
            ),
            (csv(&json!({"installModes": []})), vec![], "mode AllNamespaces"),
            (csv(&json!({})), vec![kind("Job"), kind("Job")], "of the kind Job"),
            (csv(&json!({})), vec![kind("Subscription")], "of the kind Subscription"),
            (
                csv(&json!({"apiservicedefinitions": {"owned": [{"name": "v1.example.com"}]}})),
                vec![],
                "APIService",
            ),
            (converting(&["AllNamespaces"], 1), vec![definition(false)], ""),
            (
                converting(&["AllNamespaces"], 1),
                vec![definition(true)],
                "preserves unknown fields",
            ),
            (
                converting(&["AllNamespaces"], 2),
                vec![definition(false)],
                "several webhooks convert",
            ),
            (converting(&both, 1), vec![definition(false)], "conversion webhook"),
            (
                converting(&["AllNamespaces"], 0),
                vec![],
                "does not contain this CustomResource",
            ),
            (
                converting(&["AllNamespaces"], 0),
                vec![definition(true), definition(true)],
                "more than once",
            ),
            (
                webhooks(&[webhook("ConversionWebhook", &json!({"conversionCRDs": ["x"]}))]),
                vec![],
                "does not own",
            ),
            (rule("apps", "deployments"), vec![], ""),
            (rule("apps", "*"), vec![], ""),
            (rule("*", "pods"), vec![], "the API group \"*\""),
            (
                rule("olm.operatorframework.io", "x"),
                vec![],
                "\"olm.operatorframework.io\"",
            ),
            (
                rule(ADMISSION, "ValidatingWebhookConfigurations"),
                vec![],
                "\"ValidatingWebhook",
            ),
            (rule(ADMISSION, "validatingadmissionpolicies"), vec![], ""),
            (webhooks(&[named("v.r.io"), mutating("v.r.io")]), vec![], ""),
            (
                webhooks(&[named("v.r.io"), named("v.r.io-")]),
                vec![],
                "have the name \"v.r.io\"",
            ),
            (
                webhooks(&[named("v.io-")]),
                vec![],
                "\"v.io-\" of a webhook has fewer than three parts",
            ),
            (
                webhooks(&[webhook("MutatingAdmissionWebhook", &json!({"containerPort": null}))]),
                vec![],
                "\"v.example.com\" has no containerPort",
            ),
            (webhooks(&[named("V_")]), vec![], "\"V_\" of a webhook is not valid"),
            (
                webhooks(&[webhook("MutatingAdmissionWebhook", &json!({"deploymentName": "hoe"}))]),
                vec![],
                "deployment \"hoe\"",
            ),
            (
                csv(&json!({"install": {"spec": {"deployments": [{"name": "a"}, {"name": "a"}]}}})),
                vec![],
                "two deployments",
            ),
        ] {
            let objects: Vec<&Value> = objects.iter().collect();
            look(&of_contents(Csv(&csv), Some(&objects)), expected);
        }
        look(&of_contents(Csv(&Value::Null), None), "");
        let owning = converting(&["AllNamespaces"], 0);
        look(&of_contents(Csv(&owning), None), "");
    }
}
