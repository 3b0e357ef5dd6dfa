//! Builds images from layers, either from scratch or on top of a base image.

use super::digest::Digest;
use super::error::ImageError;
use super::image::{Image, Layer};
use super::manifest::{CONFIG, Descriptor, LAYER_GZIP, LAYER_TAR, MANIFEST};
use super::problem::{BuildProblem, ContentProblem};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The metadata and runtime settings of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageConfig {
    /// Labels of the config.
    pub labels: BTreeMap<String, String>,
    /// Annotations of the manifest.
    pub annotations: BTreeMap<String, String>,
    /// The program and its fixed arguments; may be empty.
    pub entrypoint: Vec<String>,
    /// The default arguments, which users of the image may override.
    pub command: Vec<String>,
    /// Exposed ports, such as `50051/tcp`.
    pub exposed_ports: Vec<String>,
    /// Environment variables as `NAME=value`.
    pub environment: Vec<String>,
    /// User, or user and group, such as `1001` or `1001:0`; empty for root.
    pub user: String,
    /// The working directory of the program; empty for the root directory.
    pub working_directory: String,
    /// The operating system, by its Go name, such as `linux`.
    pub os: String,
    /// The processor architecture, by its Go name, such as `amd64`.
    pub architecture: String,
    /// The build time, in seconds since 1970.
    pub epoch: u64,
}

impl Default for ImageConfig {
    /// Sets only the platform, to `linux/amd64`. The platform does not depend on the current machine, so that a build
    /// depends only on its input.
    fn default() -> Self {
        Self {
            labels: BTreeMap::new(),
            annotations: BTreeMap::new(),
            entrypoint: Vec::new(),
            command: Vec::new(),
            exposed_ports: Vec::new(),
            environment: Vec::new(),
            user: String::new(),
            working_directory: String::new(),
            os: "linux".to_owned(),
            architecture: "amd64".to_owned(),
            epoch: 0,
        }
    }
}

/// Builds an image from scratch. Its bytes depend only on the arguments.
///
/// # Errors
/// Returns an error if the digest of a layer's uncompressed content is unknown.
pub fn build(config: &ImageConfig, layers: Vec<Layer>) -> Result<Image, ImageError> {
    let base = json!({
        "created": rfc3339(config.epoch),
        "architecture": config.architecture,
        "os": config.os,
        "config": {},
        "rootfs": {"type": "layers", "diff_ids": []},
        "history": [],
    });
    assemble(base, BTreeMap::new(), config, Vec::new(), layers)
}

/// Adds layers on top of a base image. Keeps the platform of the base image, and the fields of its config that `config`
/// does not set.
///
/// # Errors
/// Returns an error in the same cases as [`build`], or if the config of the base image is not an image config.
pub fn append(base: &Image, config: &ImageConfig, layers: Vec<Layer>) -> Result<Image, ImageError> {
    let mut value = base.config_value().clone();
    let expected = base.layers().len();
    let found = value
        .pointer("/rootfs/diff_ids")
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    if found != expected || !value.is_object() {
        return Err(ContentProblem::DiffIds { expected, found }.of(base.origin(), "the config"));
    }
    object(&mut value).insert("created".to_owned(), rfc3339(config.epoch).into());
    assemble(
        value,
        base.annotations().clone(),
        config,
        base.layers().to_vec(),
        layers,
    )
}

fn assemble(
    mut value: Value,
    mut annotations: BTreeMap<String, String>,
    config: &ImageConfig,
    mut layers: Vec<Layer>,
    added: Vec<Layer>,
) -> Result<Image, ImageError> {
    fill_config(section(&mut value, "config"), config);
    let created = value.get("created").cloned().unwrap_or_default();
    for layer in &added {
        let digest = layer.descriptor.digest;
        let diff_id = layer.diff_id.ok_or(BuildProblem::DiffId { layer: digest })?;
        list(section(&mut value, "rootfs"), "diff_ids").push(diff_id.to_string().into());
        let step = json!({"created": created, "created_by": "opmx"});
        list(object(&mut value), "history").push(step);
    }
    layers.extend(added);
    annotations.extend(config.annotations.clone());
    let config_bytes = value.to_string().into_bytes();
    let mut manifest = json!({
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": descriptor(&Descriptor {
            media_type: CONFIG.to_owned(),
            digest: Digest::of(&config_bytes),
            size: config_bytes.len() as u64,
        }),
        "layers": layers.iter().map(|layer| descriptor(&layer.descriptor)).collect::<Vec<_>>(),
    });
    if !annotations.is_empty() {
        object(&mut manifest).insert("annotations".to_owned(), json!(annotations));
    }
    let manifest = manifest.to_string().into_bytes();
    let origin = format!("the image {}", Digest::of(&manifest));
    let blobs = layers.into_iter().map(|layer| layer.content).collect();
    Image::new(origin, Some(MANIFEST), manifest, config_bytes, blobs)
}

/// Writes the fields that are set, with the keys and in the order of the OCI image specification.
fn fill_config(section: &mut Map<String, Value>, config: &ImageConfig) {
    let mut set = |key: &str, value: Value| section.insert(key.to_owned(), value);
    if !config.user.is_empty() {
        set("User", config.user.clone().into());
    }
    if !config.entrypoint.is_empty() {
        set("Entrypoint", json!(config.entrypoint));
    }
    // As in a Dockerfile, a new entrypoint drops the arguments of the old entrypoint.
    if !config.command.is_empty() {
        set("Cmd", json!(config.command));
    } else if !config.entrypoint.is_empty() {
        section.shift_remove("Cmd");
    }
    if !config.working_directory.is_empty() {
        section.insert("WorkingDir".to_owned(), config.working_directory.clone().into());
    }
    if !config.exposed_ports.is_empty() {
        let ports = section_of(section, "ExposedPorts");
        ports.extend(config.exposed_ports.iter().map(|port| (port.clone(), json!({}))));
    }
    if !config.environment.is_empty() {
        let environment = list(section, "Env");
        for variable in &config.environment {
            let name = variable.split_inclusive('=').next().unwrap_or_default();
            environment.retain(|old| !old.as_str().unwrap_or_default().starts_with(name));
            environment.push(variable.clone().into());
        }
    }
    if !config.labels.is_empty() {
        let labels = section_of(section, "Labels");
        labels.extend(
            config
                .labels
                .iter()
                .map(|(key, value)| (key.clone(), value.clone().into())),
        );
        labels.sort_keys();
    }
}

/// Returns the manifest entry for a layer or the config. OCI media types replace Docker media types, because the
/// manifest is an OCI manifest.
fn descriptor(descriptor: &Descriptor) -> Value {
    let media_type = match descriptor.media_type.as_str() {
        "application/vnd.docker.image.rootfs.diff.tar.gzip" => LAYER_GZIP,
        "application/vnd.docker.image.rootfs.diff.tar" => LAYER_TAR,
        other => other,
    };
    json!({"mediaType": media_type, "digest": descriptor.digest.to_string(), "size": descriptor.size})
}

fn object(value: &mut Value) -> &mut Map<String, Value> {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    match value {
        Value::Object(object) => object,
        _ => unreachable!("it was converted to an object"),
    }
}

fn section<'a>(value: &'a mut Value, key: &str) -> &'a mut Map<String, Value> {
    section_of(object(value), key)
}

fn section_of<'a>(map: &'a mut Map<String, Value>, key: &str) -> &'a mut Map<String, Value> {
    object(map.entry(key).or_insert(Value::Null))
}

fn list<'a>(map: &'a mut Map<String, Value>, key: &str) -> &'a mut Vec<Value> {
    let value = map.entry(key).or_insert(Value::Null);
    if !value.is_array() {
        *value = Value::Array(Vec::new());
    }
    match value {
        Value::Array(list) => list,
        _ => unreachable!("it was converted to a list"),
    }
}

/// Formats seconds since 1970 as an RFC 3339 time in UTC. A time after the year 9999 becomes the last second of that
/// year.
fn rfc3339(seconds: u64) -> String {
    let time = i64::try_from(seconds)
        .ok()
        .and_then(|seconds| Timestamp::from_second(seconds).ok());
    time.unwrap_or(Timestamp::MAX).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::platform::Platform;
    use crate::image::{EntryContent, LayerEntry, layer_from_files, tree_of, validate};
    use crate::tree::TreeLimits;

    fn layer(path: &str, content: &str) -> Layer {
        let entry = LayerEntry {
            path: path.to_owned(),
            mode: 0o644,
            content: EntryContent::Bytes(content.into()),
        };
        layer_from_files(&[entry], 0).unwrap()
    }

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(|text| (*text).to_owned()).collect()
    }

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
    }

    fn config() -> ImageConfig {
        ImageConfig {
            labels: map(&[("b", "2"), ("a", "1")]),
            annotations: map(&[("note", "x")]),
            entrypoint: texts(&["/bin/opmx"]),
            command: texts(&["serve"]),
            exposed_ports: texts(&["50051/tcp"]),
            environment: texts(&["HOME=/tmp", "A=1"]),
            user: "1001".to_owned(),
            working_directory: "/tmp".to_owned(),
            ..ImageConfig::default()
        }
    }

    #[test]
    fn settings_are_written_to_the_config() {
        let image = build(&config(), vec![layer("a", "1")]).unwrap();
        validate(&image).unwrap();
        assert_eq!(
            image.config_value()["config"].to_string(),
            r#"{"User":"1001","Entrypoint":["/bin/opmx"],"Cmd":["serve"],"WorkingDir":"/tmp","ExposedPorts":{"50051/tcp":{}},"Env":["HOME=/tmp","A=1"],"Labels":{"a":"1","b":"2"}}"#
        );
        assert_eq!(image.labels(), map(&[("a", "1"), ("b", "2")]));
        assert_eq!(image.label("a"), Some("1"));
        assert_eq!(image.annotations(), &map(&[("note", "x")]));
        assert_eq!(image.platform(), Some(Platform::default()));
        assert_eq!(
            image.digest(),
            build(&config(), vec![layer("a", "1")]).unwrap().digest()
        );
    }

    #[test]
    fn layers_on_a_base_keep_its_config() {
        let base = build(&config(), vec![layer("a", "1"), layer("b", "1")]).unwrap();
        let more = ImageConfig {
            labels: map(&[("b", "3")]),
            entrypoint: texts(&["/bin/opm"]),
            environment: texts(&["A=2"]),
            ..ImageConfig::default()
        };
        let image = append(&base, &more, vec![layer("b", "2")]).unwrap();
        validate(&image).unwrap();
        assert_eq!(
            image.config_value()["config"].to_string(),
            r#"{"User":"1001","Entrypoint":["/bin/opm"],"WorkingDir":"/tmp","ExposedPorts":{"50051/tcp":{}},"Env":["HOME=/tmp","A=2"],"Labels":{"a":"1","b":"3"}}"#
        );
        assert_eq!(image.annotations(), &map(&[("note", "x")]));
        assert_eq!(image.layers().len(), 3);
        assert_eq!(image.config_value()["history"].as_array().unwrap().len(), 3);
        let tree = tree_of(&image, &|_| true, &TreeLimits::default()).unwrap();
        assert_eq!(tree.get("b"), Some(b"2".as_slice()));
        assert_eq!(tree.len(), 2);
    }

    #[test]
    fn a_docker_base_is_converted_to_an_oci_image() {
        let base = build(&config(), vec![layer("a", "1")]).unwrap();
        let manifest = String::from_utf8(base.manifest().to_vec()).unwrap();
        let manifest = manifest
            .replace(MANIFEST, "application/vnd.docker.distribution.manifest.v2+json")
            .replace(CONFIG, "application/vnd.docker.container.image.v1+json")
            .replace(LAYER_GZIP, "application/vnd.docker.image.rootfs.diff.tar.gzip");
        let blobs = base.layers().iter().map(|layer| layer.content.clone()).collect();
        let docker = Image::new("docker", None, manifest.into_bytes(), base.config(), blobs).unwrap();
        assert_eq!(
            docker.media_type(),
            "application/vnd.docker.distribution.manifest.v2+json"
        );
        let image = append(&docker, &ImageConfig::default(), vec![layer("b", "2")]).unwrap();
        validate(&image).unwrap();
        assert_eq!(image.media_type(), MANIFEST);
        assert!(
            image
                .layers()
                .iter()
                .all(|layer| layer.descriptor.media_type == LAYER_GZIP)
        );
        assert_eq!(image.config_descriptor().media_type, CONFIG);
    }

    #[test]
    fn a_base_without_uncompressed_digests_is_rejected() {
        let config = br#"{"architecture":"amd64"}"#;
        let layer = layer("a", "1");
        let manifest = json!({
            "schemaVersion": 2,
            "config": descriptor(&Descriptor {
                media_type: CONFIG.to_owned(),
                digest: Digest::of(config),
                size: config.len() as u64,
            }),
            "layers": [descriptor(&layer.descriptor)],
        });
        let manifest = manifest.to_string().into_bytes();
        let base = Image::new("base", None, manifest, config.as_slice(), vec![layer.content]).unwrap();
        let error = append(&base, &ImageConfig::default(), Vec::new())
            .unwrap_err()
            .to_string();
        assert!(error.contains("the digests of 0 uncompressed layers"), "{error}");
        assert!(validate(&base).is_err());
    }

    #[test]
    fn times_are_formatted_as_calendar_dates() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(rfc3339(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(rfc3339(1_735_689_599), "2024-12-31T23:59:59Z");
        assert_eq!(rfc3339(4_102_444_800), "2100-01-01T00:00:00Z");
        assert_eq!(rfc3339(4_107_542_400), "2100-03-01T00:00:00Z");
    }
}
