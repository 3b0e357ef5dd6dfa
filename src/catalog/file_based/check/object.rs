//! The manifests inside a bundle. Each manifest is decoded, checked and dropped.

use super::found::Found;
use super::reader::{Fields, Reader};
use super::scratch::Scratch;
use crate::catalog::file_based::manifests::decode;
use crate::olm::limits::{MESSAGE as LARGEST_MESSAGE, OBJECT as LARGEST_OBJECT};
use crate::rules;
use crate::steps::{self, Content};
use crate::text::{self, Document, Path};
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;

/// The data that is kept in memory from a manifest.
pub(super) struct Object {
    /// The size of the manifest in bytes.
    size: usize,
    /// The manifest itself, if the bundle has no image.
    kept: Vec<u8>,
    /// The name, if the manifest is a ClusterServiceVersion.
    csv: Option<String>,
}

#[derive(Deserialize)]
struct Manifest<'a> {
    #[serde(borrow, default)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    metadata: Metadata<'a>,
}

#[derive(Default, Deserialize)]
struct Metadata<'a> {
    #[serde(borrow, default)]
    name: Cow<'a, str>,
}

/// Checks the value of a property `olm.bundle.object`. Returns `None` if the value is empty or cannot be decoded.
/// `inline` specifies whether the manifests of the bundle are only in its properties.
pub(super) fn read(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    path: &Path,
    inline: bool,
    work: &mut Scratch,
) -> Option<Object> {
    let before = reader.found.len();
    let data = reader.text(fields, "data", path);
    let reference = reader.text(fields, "ref", path);
    let subject = format!("{path} of {}", reader.subject);
    if reader.found.len() > before {
        return None;
    }
    if data.is_empty() && !reference.is_empty() {
        let message = format!("{subject} refers to the file {reference:?} instead of containing a manifest");
        reader.report(Found::new(
            &rules::CATALOG_OBJECT_REF,
            message,
            reader.at(&path.key("ref")),
        ));
        return None;
    }
    let at = reader.at(&path.key(fields.written("data")));
    work.decoded.clear();
    if let Err(error) = decode(&data, &mut work.decoded) {
        let message = format!(
            "the data of {subject} is not base64: {}",
            error.to_string().trim_end_matches('.')
        );
        reader.report(Found::new(&rules::CATALOG_OBJECT, message, at));
        return None;
    }
    let bytes = &work.decoded[..];
    let mut csv = None;
    match identity(bytes, &work.limits) {
        Ok((kind, _)) if kind.is_empty() => {
            let message = format!("the data of {subject} is not a manifest: it has no kind");
            reader.report(Found::new(&rules::CATALOG_OBJECT_CONTENT, message, at));
        }
        Ok((kind, name)) => csv = (kind == "ClusterServiceVersion").then(|| name.into_owned()),
        Err(problem) => {
            let message = format!("the data of {subject} is neither JSON nor YAML: {problem}");
            reader.report(Found::new(&rules::CATALOG_OBJECT, message, at));
        }
    }
    Some(Object {
        size: bytes.len(),
        kept: if inline { bytes.to_vec() } else { Vec::new() },
        csv,
    })
}

/// Returns the kind and name of a manifest; empty strings if it has none.
fn identity<'a>(bytes: &'a [u8], limits: &text::Limits) -> Result<(Cow<'a, str>, Cow<'a, str>), String> {
    if let Some(finding) = text::excess(&[(String::new(), bytes)], limits) {
        return Err(finding.message);
    }
    if bytes.trim_ascii_start().starts_with(b"{")
        && let Ok(manifest) = serde_json::from_slice::<Manifest<'a>>(bytes)
    {
        return Ok((manifest.kind, manifest.metadata.name));
    }
    let reading = text::read("", bytes, limits);
    if let Some(finding) = reading.diagnostics.iter().find(|finding| finding.is_error()) {
        return Err(finding.message.clone());
    }
    let value = reading.documents.first().map(text::Document::value);
    let of = |pointer: &str| {
        let value = value.and_then(|value| value.pointer(pointer));
        Cow::Owned(value.and_then(Value::as_str).unwrap_or_default().to_owned())
    };
    Ok((of("/kind"), of("/metadata/name")))
}

/// The manifests of a bundle.
#[derive(Debug, Default)]
pub(super) struct Objects {
    /// The number of properties that contain, or should contain, a manifest.
    pub(super) count: usize,
    size: usize,
    csv_size: usize,
    kept: Vec<Vec<u8>>,
    csv: Option<Path>,
}

impl Objects {
    pub(super) fn add(&mut self, reader: &mut Reader<'_>, object: Option<Object>, bundle: &str, path: &Path) {
        self.count += 1;
        let Some(object) = object else {
            return;
        };
        self.size = self.size.saturating_add(object.size);
        self.kept.push(object.kept);
        let Some(name) = object.csv else {
            return;
        };
        let at = reader.at(path);
        if let Some(first) = &self.csv {
            let message = format!("{} contains a second ClusterServiceVersion, {name:?}", reader.subject);
            let finding = Found::new(&rules::CATALOG_OBJECT_CONTENT, message, at);
            let first = reader.at(first);
            reader.report(finding.also(first, "the first one"));
            return;
        }
        self.csv = Some(path.clone());
        self.csv_size = object.size;
        if name != bundle {
            let message = format!("{} contains the ClusterServiceVersion {name:?}", reader.subject);
            reader.report(Found::new(&rules::CATALOG_OBJECT_CONTENT, message, at));
        }
    }

    /// Reports manifests that are too large for a message to clients or for an InstallPlan. This concerns only bundles
    /// without an image: for a bundle with an image, messages and InstallPlans contain only the name of the image.
    pub(super) fn check_size(&self, reader: &mut Reader<'_>, bundle: &str, limits: &text::Limits) {
        let at = || reader.id.at("properties");
        let message = self.size.saturating_add(self.csv_size);
        let mut findings = Vec::new();
        if message > LARGEST_MESSAGE {
            let said = format!(
                "{} needs a message of {message} bytes, but clients accept at most {LARGEST_MESSAGE} bytes",
                reader.subject
            );
            findings.push(Found::new(&rules::CATALOG_MESSAGE_SIZE, said, at()));
        }
        let content = || {
            let read = |bytes: &Vec<u8>| text::read("", bytes, limits).documents.into_iter().next();
            let objects = self.kept.iter().filter_map(read).map(Document::into_value);
            Content::of_objects(bundle, objects)
        };
        if let Some(size) = steps::excess(self.kept.iter().map(Vec::as_slice), content) {
            let said = format!(
                "the InstallPlan of {} has a size of {size} bytes, but a cluster stores objects of at most \
                 {LARGEST_OBJECT} bytes, so OLM cannot install the bundle",
                reader.subject
            );
            findings.push(Found::new(&rules::CATALOG_MANIFESTS_SIZE, said, at()));
        }
        reader.found.extend(findings);
    }
}
