//! The manifests of a bundle in a file-based catalog, and the ClusterServiceVersion that stands for one that only its
//! image holds.

use crate::catalog::file_based::document::Document;
use crate::catalog::file_based::{Identity, WrittenProperty};
use crate::catalog::manifests::kind;
use crate::csv;
use crate::olm::property::{BUNDLE_OBJECT, CSV_METADATA};
use crate::text::{self, Limits, Values};
use base64::engine::general_purpose::STANDARD;
use base64::{DecodeError, Engine};
use serde::Deserialize;
use serde::de::DeserializeSeed;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// Which field of `olm.csv.metadata` is which of a ClusterServiceVersion's `spec`.
const SPEC: [(&str, &str); 12] = [
    ("maturity", "maturity"),
    ("crdDescriptions", "customresourcedefinitions"),
    ("apiServiceDefinitions", "apiservicedefinitions"),
    ("nativeAPIs", "nativeAPIs"),
    ("minKubeVersion", "minKubeVersion"),
    ("displayName", "displayName"),
    ("description", "description"),
    ("keywords", "keywords"),
    ("maintainers", "maintainers"),
    ("provider", "provider"),
    ("links", "links"),
    ("installModes", "installModes"),
];

/// The manifests of one bundle.
#[derive(Debug, Default)]
pub struct Manifests {
    /// The ClusterServiceVersion, where one is among the objects.
    pub csv: Option<String>,
    /// All objects as JSON, in the order of the properties.
    pub objects: Vec<String>,
    /// What stands for the ClusterServiceVersion where there is none.
    pub metadata: Option<Metadata>,
}

/// The value of `olm.csv.metadata`, and the version of the bundle.
#[derive(Debug)]
pub struct Metadata {
    value: Map<String, Value>,
    version: String,
}

#[derive(Debug, Deserialize)]
struct ReadObject<'a> {
    #[serde(borrow)]
    data: Cow<'a, str>,
}

impl Manifests {
    /// Those of a document of schema `olm.bundle`. What cannot be decoded is left out; checking has complained about
    /// it.
    pub(crate) fn of(document: &Document) -> Self {
        let properties = document.properties().unwrap_or_default();
        let mut manifests = Self::default();
        for property in properties.iter().filter(|property| property.kind == BUNDLE_OBJECT) {
            let Some(object) = object(property.value) else {
                continue;
            };
            if manifests.csv.is_none() && kind(&object) == csv::KIND {
                manifests.csv = Some(object.clone());
            }
            manifests.objects.push(object);
        }
        if manifests.csv.is_none() {
            manifests.metadata = Metadata::of(&properties);
        }
        manifests
    }
}

/// The manifest in a property, as JSON.
fn object(value: &RawValue) -> Option<String> {
    let ReadObject { data } = serde_json::from_str(value.get()).ok()?;
    let mut bytes = Vec::new();
    decode(&data, &mut bytes).ok()?;
    let limits = Limits::default();
    if bytes.trim_ascii_start().starts_with(b"{") {
        let files = [(String::new(), bytes.as_slice())];
        return text::excess(&files, &limits)
            .is_none()
            .then(|| String::from_utf8(bytes).ok())?;
    }
    let reading = text::read("", &bytes, &limits);
    Some(reading.documents.first()?.value().to_string())
}

/// The manifest, which is JSON, that `data` holds in base64. `values` counts those of all manifests of a bundle.
///
/// # Errors
/// When it is none, or there are too many values.
pub(crate) fn parse(data: &str, values: &Values) -> Result<Value, String> {
    let mut bytes = Vec::new();
    decode(data, &mut bytes).map_err(|error| error.to_string())?;
    let mut reader = serde_json::Deserializer::from_slice(&bytes);
    let value = values.next(Limits::MOST_DEPTH).deserialize(&mut reader);
    let value = value.and_then(|value| reader.end().map(|()| value));
    value.map_err(|error| match values.refusal() {
        Some(_) => "the manifests hold too many keys and values".to_owned(),
        None => error.to_string(),
    })
}

/// Puts what `data` holds in base64, which may be broken over lines, behind `decoded`.
///
/// # Errors
/// When it is no base64.
pub(crate) fn decode(data: &str, decoded: &mut Vec<u8>) -> Result<(), DecodeError> {
    let broken = memchr::memchr2(b'\r', b'\n', data.as_bytes()).is_some();
    if broken {
        return STANDARD.decode_vec(data.replace(['\r', '\n'], ""), decoded);
    }
    STANDARD.decode_vec(data, decoded)
}

impl Metadata {
    /// None where there is none, or more than one.
    fn of(properties: &[WrittenProperty<'_>]) -> Option<Self> {
        let mut found = properties.iter().filter(|property| property.kind == CSV_METADATA);
        let (Some(metadata), None) = (found.next(), found.next()) else {
            return None;
        };
        Some(Self {
            value: serde_json::from_str(metadata.value.get()).ok()?,
            version: Identity::among(properties).version.unwrap_or_default(),
        })
    }

    /// The name that user interfaces show.
    pub(crate) fn display_name(&self) -> Option<&str> {
        self.value.get("displayName")?.as_str()
    }

    /// The ClusterServiceVersion as the servers of the field make it: all that user interfaces show, and nothing to
    /// install. Name and images come from the bundle, icon and description from its package.
    pub(crate) fn csv(&self, bundle: &Document, package: Option<&Document>) -> String {
        let mut metadata = Map::new();
        metadata.insert("name".to_owned(), bundle.text("name").into());
        for field in ["labels", "annotations"] {
            put(&mut metadata, field, self.value.get(field).cloned());
        }
        let mut spec = Map::new();
        let install = json!({"strategy": "deployment", "spec": {"deployments": null}});
        spec.insert("install".to_owned(), install);
        spec.insert("version".to_owned(), self.version.as_str().into());
        for (field, of_spec) in SPEC {
            put(&mut spec, of_spec, self.value.get(field).cloned());
        }
        if !spec.contains_key("description") {
            let description = package.map(|package| Value::from(package.text("description")));
            put(&mut spec, "description", description);
        }
        put(&mut spec, "icon", package.and_then(icon));
        put(&mut spec, "relatedImages", Some(related_images(bundle)));
        let csv = json!({
            "kind": csv::KIND,
            "apiVersion": "operators.coreos.com/v1alpha1",
            "metadata": metadata,
            "spec": spec,
        });
        csv.to_string()
    }
}

/// Sets a field, unless its value is empty: then it is left out.
fn put(map: &mut Map<String, Value>, field: &str, value: Option<Value>) {
    let empty = match &value {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        // The field that is an empty map is there, empty, in what the field's own server sends.
        Some(Value::Object(_) | Value::Bool(_) | Value::Number(_)) => false,
    };
    if let (Some(value), false) = (value, empty) {
        map.insert(field.to_owned(), value);
    }
}

/// The icon of a package, in the form of a ClusterServiceVersion.
fn icon(package: &Document) -> Option<Value> {
    let icon: Value = serde_json::from_str(package.field("icon")?.get()).ok()?;
    let of = |field: &str| icon.get(field).and_then(Value::as_str).unwrap_or_default();
    let (data, media_type) = (of("base64data"), of("mediatype"));
    (!data.is_empty() || !media_type.is_empty()).then(|| json!([{"base64data": data, "mediatype": media_type}]))
}

fn related_images(bundle: &Document) -> Value {
    let images = bundle.related_images().unwrap_or_default();
    let images = images
        .iter()
        .map(|image| json!({"name": image.name, "image": image.image}));
    images.collect()
}
