//! Determines the features of OLM that a bundle needs.

use crate::bundle::MediaType;
use crate::bundle::size::unpacked_size;
use crate::catalog::manifests;
use crate::catalog::{Bundle, Property};
use crate::database::read::ReadError;
use crate::index::open::{Index, OpenError};
use crate::olm::constraint::{self, PackageConstraint};
use crate::olm::dependency::Spelling;
use crate::olm::dependency::{Dependency, DependencyKind, Reading};
use crate::olm::intent::Intent;
use crate::olm::limits::{CONFIG_MAP, MESSAGE};
use crate::olm::problem::Problem;
use crate::olm::property::{self, CONSTRAINT, DEPRECATED, LABEL, MAX_OPENSHIFT_VERSION, OPTIONAL_MANIFESTS, PACKAGE};
use crate::olm::releases::Feature;
use crate::text::Step;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// A feature that a bundle needs, and the reason, as a sentence without its subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Needed {
    pub(super) feature: Feature,
    pub(super) how: String,
}

/// Returns the needs of the bundle, as far as the index shows them: the needs of manifests that the index does not
/// contain are unknown, so they are omitted.
pub(super) fn of_bundle(index: &Index, bundle: &Bundle) -> Result<Vec<Needed>, OpenError> {
    let mut found = Found::default();
    let image = bundle.image.as_deref().filter(|image| !image.is_empty());
    if let Some(image) = image {
        found.add(
            Feature::BundleImage,
            format!("is stored as a reference to its image {image}"),
        );
        if media_type(bundle).as_deref() == Some(MediaType::K8sV1.as_str()) {
            let how = format!("is a k8s+v1 bundle that is stored as a reference to its image {image}");
            found.add(Feature::PlainImage, how);
        }
    }
    for dependency in &bundle.dependencies {
        found.dependency(dependency);
    }
    for property in &bundle.properties {
        found.property(property);
    }
    let read = index.with_manifests(bundle.manifests, |csv, objects| {
        found.sizes(image.is_some(), csv, objects);
        found.objects(objects);
        found.webhooks(csv.unwrap_or_default());
    });
    match read {
        // The check of the index itself reports unreadable manifests.
        Ok(()) | Err(OpenError::Read(ReadError::Manifests { .. })) => Ok(found.needs),
        Err(error) => Err(error),
    }
}

fn media_type(bundle: &Bundle) -> Option<String> {
    let mark = bundle
        .properties
        .iter()
        .find(|property| &*property.kind == property::MEDIA_TYPE)?;
    serde_json::from_str(&mark.value).ok()
}

#[derive(Debug, Default)]
struct Found {
    needs: Vec<Needed>,
}

impl Found {
    fn add(&mut self, feature: Feature, how: String) {
        let needed = Needed { feature, how };
        if !self.needs.contains(&needed) {
            self.needs.push(needed);
        }
    }

    fn dependency(&mut self, stored: &Property) {
        let value: Value = serde_json::from_str(&stored.value).unwrap_or_default();
        let Some(kind) = DependencyKind::of(&stored.kind, Spelling::Dependency) else {
            let how = format!("has a dependency of type {:?}", &*stored.kind);
            return self.add(Feature::OtherDependency, how);
        };
        let Reading { dependency, problems } = kind.read(&value, stored.value.len(), Spelling::Dependency);
        match dependency {
            Some(Dependency::Package(PackageConstraint { name, intent, .. })) => {
                self.add(Feature::Dependency(PACKAGE), format!("depends on package {name:?}"));
                if intent != Intent::Required {
                    let how = format!("depends on package {name:?} with the intent {:?}", intent.name());
                    self.add(Feature::Intent, how);
                }
            }
            Some(Dependency::Label(label)) => {
                let how = format!("depends on a bundle with the label {label:?}");
                self.add(Feature::Dependency(LABEL), how);
            }
            Some(Dependency::Api(_)) => {}
            Some(Dependency::Constraint(_)) | None => self.constraint(&problems),
        }
    }

    fn property(&mut self, property: &Property) {
        if &*property.kind == CONSTRAINT {
            let value: Value = serde_json::from_str(&property.value).unwrap_or_default();
            self.constraint(&constraint::read(&value, property.value.len()).1);
        }
        for known in [OPTIONAL_MANIFESTS, MAX_OPENSHIFT_VERSION, DEPRECATED] {
            if &*property.kind == known {
                self.add(Feature::Property(known), format!("has the property {known}"));
            }
        }
    }

    fn constraint(&mut self, problems: &[Problem]) {
        let how = format!("has a dependency of type {CONSTRAINT}");
        self.add(Feature::Dependency(CONSTRAINT), how);
        let mut keys = BTreeSet::new();
        for problem in problems {
            if let (Some(feature), Some(Step::Key(key))) = (problem.required_feature(), problem.path.steps().last()) {
                keys.insert((key, feature));
            }
        }
        for (key, feature) in keys {
            let how = format!("has a dependency of type {CONSTRAINT} with the key {key:?}");
            self.add(feature, how);
        }
    }

    fn sizes(&mut self, by_image: bool, csv: Option<&str>, objects: &[&str]) {
        let plain: usize = objects.iter().map(|object| object.len()).sum();
        if !by_image {
            let message = plain.saturating_add(csv.map_or(0, str::len));
            if message > MESSAGE {
                self.add(Feature::LargeMessage, format!("needs a message of {message} bytes"));
            }
            return;
        }
        if plain <= CONFIG_MAP {
            return;
        }
        self.add(Feature::LargeImage, format!("has manifests of {plain} bytes"));
        let compressed: usize = objects.iter().map(|object| unpacked_size(object.as_bytes())).sum();
        if compressed > CONFIG_MAP {
            let how = format!("has manifests of {compressed} bytes after compression");
            self.add(Feature::HugeImage, how);
        }
    }

    fn objects(&mut self, objects: &[&str]) {
        let kinds: BTreeSet<_> = objects.iter().map(|object| manifests::kind(object)).collect();
        for kind in kinds.iter().filter(|kind| !kind.is_empty()) {
            self.add(Feature::of_kind(kind), format!("ships an object of the kind {kind}"));
        }
        let definition = |object: &str| {
            manifests::kind(object) == "CustomResourceDefinition"
                && api_version(object).as_deref() == Some("apiextensions.k8s.io/v1")
        };
        if objects.iter().any(|object| definition(object)) {
            let how = "ships a CustomResourceDefinition of apiextensions.k8s.io/v1".to_owned();
            self.add(Feature::DefinitionV1, how);
        }
    }

    fn webhooks(&mut self, csv: &str) {
        #[derive(Deserialize, Default)]
        #[serde(default)]
        struct Csv {
            spec: Spec,
        }
        #[derive(Deserialize, Default)]
        #[serde(default)]
        struct Spec {
            webhookdefinitions: Vec<Webhook>,
        }
        #[derive(Deserialize, Default)]
        #[serde(default)]
        struct Webhook {
            r#type: String,
        }
        let csv: Csv = serde_json::from_str(csv).unwrap_or_default();
        for webhook in csv.spec.webhookdefinitions {
            match webhook.r#type.as_str() {
                "ConversionWebhook" => self.add(Feature::ConversionWebhook, "has a conversion webhook".to_owned()),
                _ => self.add(Feature::AdmissionWebhook, "has an admission webhook".to_owned()),
            }
        }
    }
}

fn api_version(object: &str) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Versioned {
        api_version: Option<String>,
    }
    serde_json::from_str::<Versioned>(object).ok()?.api_version
}
