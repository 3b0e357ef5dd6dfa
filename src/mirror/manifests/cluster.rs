//! Manifests of cluster objects.

use super::super::plan::PlannedCatalog;
use super::ManifestOptions;
use crate::index::image::CONFIGS_PATH;
use crate::text::to_yaml;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

type Mirrors = BTreeMap<String, BTreeSet<String>>;

fn entries(rules: &Mirrors, options: &ManifestOptions) -> Option<Vec<Value>> {
    let entry = |(source, mirrors): (&String, &BTreeSet<String>)| {
        let mut entry = json!({"mirrors": mirrors, "source": source});
        if options.never_contact_source {
            entry["mirrorSourcePolicy"] = json!("NeverContactSource");
        }
        entry
    };
    let entries: Vec<Value> = rules.iter().map(entry).collect();
    (!entries.is_empty()).then_some(entries)
}

pub(super) fn digest_mirror_set(rules: &Mirrors, options: &ManifestOptions) -> Option<String> {
    Some(to_yaml(&json!({
        "apiVersion": "config.openshift.io/v1",
        "kind": "ImageDigestMirrorSet",
        "metadata": {"name": options.name},
        "spec": {"imageDigestMirrors": entries(rules, options)?},
    })))
}

pub(super) fn tag_mirror_set(rules: &Mirrors, options: &ManifestOptions) -> Option<String> {
    Some(to_yaml(&json!({
        "apiVersion": "config.openshift.io/v1",
        "kind": "ImageTagMirrorSet",
        "metadata": {"name": options.name},
        "spec": {"imageTagMirrors": entries(rules, options)?},
    })))
}

pub(super) fn content_source_policy(rules: &Mirrors, options: &ManifestOptions) -> Option<String> {
    // An ImageContentSourcePolicy has no field `mirrorSourcePolicy`.
    let options = ManifestOptions {
        never_contact_source: false,
        ..options.clone()
    };
    Some(to_yaml(&json!({
        "apiVersion": "operator.openshift.io/v1alpha1",
        "kind": "ImageContentSourcePolicy",
        "metadata": {"name": options.name},
        "spec": {"repositoryDigestMirrors": entries(rules, &options)?},
    })))
}

pub(super) fn catalog_source(catalog: &PlannedCatalog, name: &str, options: &ManifestOptions) -> Option<String> {
    let mut pod = json!({"securityContextConfig": "restricted"});
    let rebuilt = (catalog.rebuilt && !catalog.serves).then_some(CONFIGS_PATH);
    if let Some(folder) = catalog.folder.as_deref().or(rebuilt) {
        pod["extractContent"] = json!({"catalogDir": folder});
    }
    let image = catalog.destination.as_ref()?;
    let mut spec = json!({"sourceType": "grpc", "image": image, "grpcPodConfig": pod});
    if can_move(image) {
        spec["updateStrategy"] = json!({"registryPoll": {"interval": format!("{POLL_MINUTES}m")}});
    }
    Some(to_yaml(&json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "CatalogSource",
        "metadata": {"name": name, "namespace": options.namespace},
        "spec": spec,
    })))
}

pub(super) fn cluster_catalog(catalog: &PlannedCatalog, name: &str) -> Option<String> {
    let image = catalog.destination.as_ref()?;
    let mut source = json!({"ref": image});
    if can_move(image) {
        source["pollIntervalMinutes"] = json!(POLL_MINUTES);
    }
    Some(to_yaml(&json!({
        "apiVersion": "olm.operatorframework.io/v1",
        "kind": "ClusterCatalog",
        "metadata": {"name": name},
        "spec": {"source": {"type": "Image", "image": source}},
    })))
}

/// The interval in minutes at which a cluster looks for a new image under the tag of a catalog. Without an interval, a
/// cluster never reads an updated mirror.
const POLL_MINUTES: u32 = 30;

/// Whether a later copy can move the reference to another image. A cluster refuses to poll a digest.
fn can_move(image: &str) -> bool {
    !image.contains('@')
}
