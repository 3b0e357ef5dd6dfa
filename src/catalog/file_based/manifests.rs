//! The manifests of a bundle in a file-based catalog, and the substitute for a ClusterServiceVersion that only the
//! bundle's image contains.

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

/// The fields of `olm.csv.metadata`, each with the corresponding field of a ClusterServiceVersion's `spec`.
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
    /// The ClusterServiceVersion, if the objects include one.
    pub csv: Option<String>,
    /// All objects as JSON, in the order of the properties.
    pub objects: Vec<String>,
    /// The substitute for a missing ClusterServiceVersion.
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
    /// Returns the manifests of an `olm.bundle` document. Manifests that cannot be decoded are omitted, because the
    /// check reports them.
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

/// Returns the manifest in a property, as JSON.
pub(super) fn object(value: &RawValue) -> Option<String> {
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

/// Parses the JSON manifest in the base64 string `data`. `values` counts the values of all manifests of a bundle.
///
/// # Errors
/// Returns an error if the string is not base64-encoded JSON, or the manifests contain too many values.
pub(crate) fn parse(data: &str, values: &Values) -> Result<Value, String> {
    let mut bytes = Vec::new();
    decode(data, &mut bytes).map_err(|error| error.to_string())?;
    let mut reader = serde_json::Deserializer::from_slice(&bytes);
    let value = values.next(Limits::MOST_DEPTH).deserialize(&mut reader);
    let value = value.and_then(|value| reader.end().map(|()| value));
    value.map_err(|error| match values.refusal() {
        Some(_) => "the manifests contain too many keys and values".to_owned(),
        None => error.to_string(),
    })
}

/// Decodes the base64 in `data`, which may contain line breaks, and appends the result to `decoded`.
///
/// # Errors
/// Returns an error if `data` is not base64.
pub(crate) fn decode(data: &str, decoded: &mut Vec<u8>) -> Result<(), DecodeError> {
    let broken = memchr::memchr2(b'\r', b'\n', data.as_bytes()).is_some();
    if broken {
        return STANDARD.decode_vec(data.replace(['\r', '\n'], ""), decoded);
    }
    STANDARD.decode_vec(data, decoded)
}

impl Metadata {
    /// Returns the metadata, or `None` if there is no such property, or more than one.
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

    /// Returns the display name.
    pub(crate) fn display_name(&self) -> Option<&str> {
        self.value.get("displayName")?.as_str()
    }

    /// Returns the ClusterServiceVersion in the form that other catalog servers create: with all fields that user
    /// interfaces show, but nothing to install. Name and images are copied from the bundle, icon and description from
    /// its package.
    pub(crate) fn csv(&self, bundle: &Document, package: Option<&Document>) -> String {
        let mut metadata = Map::new();
        metadata.insert("name".to_owned(), bundle.text("name").into());
        for field in ["labels", "annotations"] {
            put(&mut metadata, field, self.value.get(field).cloned());
        }
        let mut spec = Map::new();
        spec.insert("install".to_owned(), nothing_to_install());
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

/// The install strategy of a ClusterServiceVersion that [`Metadata::csv`] creates. An operator's own
/// ClusterServiceVersion has a list of deployments.
fn nothing_to_install() -> Value {
    json!({"strategy": "deployment", "spec": {"deployments": null}})
}

/// Returns whether [`Metadata::csv`] created a ClusterServiceVersion.
pub(crate) fn is_stand_in(csv: &str) -> bool {
    let csv: Value = serde_json::from_str(csv).unwrap_or_default();
    csv.pointer("/spec/install") == Some(&nothing_to_install())
}

/// Sets a field, or omits it if its value is empty.
fn put(map: &mut Map<String, Value>, field: &str, value: Option<Value>) {
    let empty = match &value {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        // An empty map is kept, because other catalog servers also send it.
        Some(Value::Object(_) | Value::Bool(_) | Value::Number(_)) => false,
    };
    if let (Some(value), false) = (value, empty) {
        map.insert(field.to_owned(), value);
    }
}

/// Returns the icon of a package, in the format of a ClusterServiceVersion.
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
