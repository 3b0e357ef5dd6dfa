//! Computes the rows of a bundle in a file-based catalog.

use crate::bundle::stated::StatedAt;
use crate::catalog::file_based::RelatedImage;
use crate::catalog::file_based::document::Document;
use crate::catalog::file_based::manifests::Manifests as Documents;
use crate::catalog::file_based::migrate::fields_beside;
use crate::catalog::{self, Property};
use crate::database::record::stored::Stored;
use crate::database::record::{Api, Manifests, Record, Rows};
use crate::kubernetes::GroupVersionKind;
use crate::olm::annotation::SUBSTITUTES_FOR;
use crate::text::canonical;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The position of a bundle in its package.
pub(super) struct Membership<'a> {
    pub(super) package: &'a str,
    pub(super) channels: BTreeSet<String>,
    /// The edges that the database stores for the bundle. The skip range and the other edges may come from different
    /// entries.
    pub(super) replaces: Option<&'a str>,
    pub(super) skips: Vec<&'a str>,
    pub(super) skip_range: Option<&'a str>,
}

/// The data of a bundle that its rows do not contain.
pub(super) struct Beside {
    /// The related images whose names are not in the ClusterServiceVersion.
    pub(super) unnamed: Vec<String>,
    /// The fields of `olm.csv.metadata` that are not in the ClusterServiceVersion.
    pub(super) metadata: BTreeSet<String>,
}

/// Returns the rows of a bundle, and what they do not contain.
pub(super) fn read(
    origin: &str,
    bundle: &catalog::Bundle,
    membership: Membership<'_>,
    document: &Document,
    package: Option<&Document>,
) -> Result<(Record, Beside), serde_json::Error> {
    let documents = Documents::of(document);
    let objects: Vec<Value> = documents
        .objects
        .iter()
        .map(|object| serde_json::from_str(object))
        .collect::<Result<_, _>>()?;
    let csv = match (&documents.csv, &documents.metadata) {
        (Some(csv), _) => serde_json::from_str(csv)?,
        (None, Some(metadata)) => serde_json::from_str(&metadata.csv(document, package))?,
        (None, None) => Value::Null,
    };
    let image = bundle.image.as_deref().unwrap_or_default();
    let stored = Stored::read(&bundle.name, &csv, objects.iter().collect(), image);
    let plurals = plurals(&csv, &stored);
    let related = document.related_images()?;
    let named = csv["spec"]["relatedImages"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let is_named = |image: &RelatedImage| {
        let same = |named: &Value| named["image"] == image.image && named["name"] == image.name;
        image.name.is_empty() || named.iter().any(same)
    };
    let unnamed = related
        .iter()
        .filter(|image| !is_named(image))
        .map(|image| image.image.clone())
        .collect();
    let metadata = fields_beside(document, &csv)?;
    let mut images: BTreeSet<String> = related.into_iter().map(|image| image.image).collect();
    images.extend((!image.is_empty()).then(|| image.to_owned()));
    images.remove("");
    let record = Record {
        origin: origin.to_owned(),
        name: bundle.name.to_string(),
        package: membership.package.to_owned(),
        version: bundle.version.as_deref().unwrap_or_default().to_owned(),
        bundle_path: image.to_owned(),
        replaces: membership.replaces.unwrap_or_default().to_owned(),
        skips: membership.skips.into_iter().map(str::to_owned).collect(),
        substitutes: csv["metadata"]["annotations"][SUBSTITUTES_FOR]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        channels: membership.channels,
        default_channel: None,
        stated: StatedAt::new(),
        manifests: manifests(&csv, &objects),
        rows: Rows {
            skip_range: membership.skip_range.unwrap_or_default().to_owned(),
            related_images: images,
            provided: apis(&bundle.properties, &plurals),
            required: if csv.is_null() {
                apis(&bundle.dependencies, &plurals)
            } else {
                stored.required
            },
            dependencies: pairs(&bundle.dependencies),
            properties: pairs(&bundle.properties),
        },
    };
    Ok((record, Beside { unnamed, metadata }))
}

fn pairs(values: &[Property]) -> Vec<(String, String)> {
    values
        .iter()
        .map(|value| (value.kind.to_string(), value.value.to_string()))
        .collect()
}

/// Returns the APIs that properties or dependencies name. Unknown plural names are empty.
fn apis(values: &[Property], plurals: &BTreeMap<GroupVersionKind, String>) -> BTreeSet<Api> {
    let kinds = values.iter().filter_map(Property::group_version_kind);
    let api = |kind: GroupVersionKind| Api {
        plural: plurals.get(&kind).cloned().unwrap_or_default(),
        group: kind.group,
        version: kind.version,
        kind: kind.kind,
    };
    kinds.map(api).collect()
}

/// Returns the plural names of the kinds that a bundle defines, owns and requires.
fn plurals(csv: &Value, stored: &Stored) -> BTreeMap<GroupVersionKind, String> {
    let known = stored.provided.iter().chain(&stored.required);
    let known = known.map(|api| {
        (
            GroupVersionKind::new(&*api.group, &*api.version, &*api.kind),
            api.plural.clone(),
        )
    });
    let owned = csv["spec"]["customresourcedefinitions"]["owned"].as_array();
    let owned = owned.into_iter().flatten().filter_map(|owned| {
        let (plural, group) = owned["name"].as_str()?.split_once('.')?;
        let kind = GroupVersionKind::new(group, owned["version"].as_str()?, owned["kind"].as_str()?);
        Some((kind, plural.to_owned()))
    });
    // Definitions in manifests take precedence over the list of owned kinds.
    let mut plurals: BTreeMap<GroupVersionKind, String> = owned.collect();
    plurals.extend(known);
    plurals
}

/// Returns all objects in the form that a database stores. A ClusterServiceVersion generated from metadata is not
/// included.
fn manifests(csv: &Value, objects: &[Value]) -> Manifests {
    let mut text = Vec::new();
    let mut own = None;
    for object in objects {
        let start = text.len();
        canonical::write(object, &mut text);
        text.push(b'\n');
        if own.is_none() && object == csv {
            own = Some(start..text.len());
        }
    }
    let bundle = 0..text.len();
    let csv = own.unwrap_or_else(|| {
        let start = text.len();
        if !csv.is_null() {
            canonical::write(csv, &mut text);
            text.push(b'\n');
        }
        start..text.len()
    });
    Manifests { text, csv, bundle }
}
