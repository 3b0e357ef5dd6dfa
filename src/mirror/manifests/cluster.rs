//! Manifests of cluster objects.

use super::ManifestOptions;
use super::named::Named;
use crate::index::image::CONFIGS_PATH;
use crate::text::to_yaml;
use serde_json::{Map, Value, json};
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

pub(super) fn catalog_source(object: &Named<'_>) -> Option<String> {
    let catalog = object.catalog;
    let image = catalog.destination.as_ref()?;
    let mut spec = object.spec();
    for other_source in ["address", "configMap"] {
        spec.shift_remove(other_source);
    }
    spec.insert("sourceType".to_owned(), "grpc".into());
    spec.insert("image".to_owned(), image.as_str().into());
    let pod = map_at(&mut spec, "grpcPodConfig")?;
    pod.entry("securityContextConfig")
        .or_insert_with(|| "restricted".into());
    pod.shift_remove("extractContent");
    let rebuilt = (catalog.rebuilt && !catalog.serves).then_some(CONFIGS_PATH);
    if let Some(folder) = catalog.folder.as_deref().or(rebuilt) {
        pod.insert("extractContent".to_owned(), json!({"catalogDir": folder}));
    }
    if can_move(image) {
        let poll = map_at(map_at(&mut spec, "updateStrategy")?, "registryPoll")?;
        poll.entry("interval")
            .or_insert_with(|| format!("{POLL_MINUTES}m").into());
    } else {
        spec.shift_remove("updateStrategy");
    }
    Some(to_yaml(&json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "CatalogSource",
        "metadata": object.metadata(),
        "spec": spec,
    })))
}

pub(super) fn cluster_catalog(object: &Named<'_>) -> Option<String> {
    let image = object.catalog.destination.as_ref()?;
    let mut spec = object.spec();
    let source = map_at(&mut spec, "source")?;
    source.insert("type".to_owned(), "Image".into());
    let source = map_at(source, "image")?;
    source.insert("ref".to_owned(), image.as_str().into());
    if can_move(image) {
        source
            .entry("pollIntervalMinutes")
            .or_insert_with(|| POLL_MINUTES.into());
    } else {
        source.shift_remove("pollIntervalMinutes");
    }
    Some(to_yaml(&json!({
        "apiVersion": "olm.operatorframework.io/v1",
        "kind": "ClusterCatalog",
        "metadata": object.metadata(),
        "spec": spec,
    })))
}

/// Returns the map in a field. Any other value is replaced with an empty map.
fn map_at<'m>(map: &'m mut Map<String, Value>, key: &str) -> Option<&'m mut Map<String, Value>> {
    let value = map.entry(key).or_insert(Value::Null);
    if !value.is_object() {
        *value = json!({});
    }
    value.as_object_mut()
}

/// The interval in minutes at which a cluster looks for a new image under the tag of a catalog. Without an interval, a
/// cluster never reads an updated mirror.
const POLL_MINUTES: u32 = 30;

/// Whether a later copy can move the reference to another image. A cluster refuses to poll a digest.
fn can_move(image: &str) -> bool {
    !image.contains('@')
}
