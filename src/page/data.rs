//! The content of the pages as JSON: `catalog.json`, and a file for each package.

use super::csv_facts::{Api, Facts};
use super::frame::{File, Site};
use super::list::Row;
use super::model::{Model, Release};
use super::path;
use super::probe::Sizes;
use super::relations::{Dependent, Needed, Relations};
use crate::visible;
use serde::Serialize;
use serde_json::{Value, json};

/// The version of the format of `catalog.json`, and of the format of the package files.
pub(super) const FORM: i64 = 1;

/// Returns the data of all packages.
pub(super) fn catalog_data(site: &Site, rows: &[Row]) -> File {
    let packages = rows.iter().map(|row| {
        json!({
            "name": row.name,
            "displayName": row.display_name,
            "provider": row.provider,
            "summary": row.summary,
            "version": row.version.as_ref().ok(),
            "capabilityLevel": row.capability,
            "infrastructureFeatures": row.features,
            "deprecated": row.deprecated,
            "versions": row.versions,
            "page": row.path,
            "data": path::package_data(&row.name),
        })
    });
    let packages: Vec<Value> = packages.collect();
    let data = json!({"form": FORM, "title": site.title, "source": site.source, "packages": packages});
    file("catalog.json".to_owned(), &data)
}

/// Returns the data of a package.
pub(super) fn package_data(model: &Model<'_>, relations: &Relations) -> File {
    let name = &*model.package.name;
    let channels: Vec<Value> = model
        .package
        .channels
        .iter()
        .map(|channel| {
            let entries = channel.entries.iter().map(|entry| {
                let bundle = model.version(entry.bundle).map(|version| version.name.as_str());
                json!({
                    "bundle": bundle.unwrap_or_default(),
                    "replaces": entry.replaces.as_deref(),
                    "skips": entry.skips.iter().map(|name| &**name).collect::<Vec<_>>(),
                    "skipRange": entry.skip_range.as_deref(),
                })
            });
            json!({
                "name": &*channel.name,
                "head": channel.head.as_deref(),
                "deprecated": model.deprecated_channels.get(&*channel.name),
                "entries": entries.collect::<Vec<_>>(),
            })
        })
        .collect();
    let dependents = relations.dependents(name, "");
    let needed_by = dependents.first.iter().map(|dependent| {
        let Dependent {
            package, wish, intent, ..
        } = dependent;
        json!({"package": package, "needs": wish, "intent": intent})
    });
    let data = json!({
        "form": FORM,
        "name": name,
        "displayName": model.display_name(),
        "defaultChannel": model.package.default_channel.as_deref(),
        "deprecated": model.deprecated,
        "channels": channels,
        "versions": model.versions.iter().map(|release| version(release, &model.sizes)).collect::<Vec<_>>(),
        "neededBy": needed_by.collect::<Vec<_>>(),
        "moreNeededBy": dependents.more,
    });
    file(path::package_data(name), &data)
}

fn version(version: &Release, sizes: &Sizes) -> Value {
    let Facts {
        summary,
        provider,
        capability,
        categories,
        keywords,
        features,
        install_modes,
        created_at,
        ..
    } = &version.facts;
    let supported = install_modes.iter().filter(|(_, supported)| *supported);
    let images = version.images.iter().map(|image| {
        let mut data = json!({"name": image.name, "image": image.image});
        if let Some(size) = sizes.of(&image.image) {
            data["bytes"] = size.bytes.into();
            data["platforms"] = size.platforms.clone().into();
        }
        data
    });
    json!({
        "bundle": version.name,
        "version": version.version,
        "image": version.image,
        "page": version.path,
        "deprecated": version.deprecated,
        "channels": version.channels.iter().map(|channel| channel.name.as_str()).collect::<Vec<_>>(),
        "summary": summary,
        "provider": provider,
        "capabilityLevel": capability,
        "categories": categories,
        "keywords": keywords,
        "infrastructureFeatures": features,
        "installModes": supported.map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        "createdAt": created_at,
        "owned": version.owned.iter().map(api).collect::<Vec<_>>(),
        "required": version.required.iter().map(api).collect::<Vec<_>>(),
        "relatedImages": images.collect::<Vec<_>>(),
        "needs": version.needs.iter().map(need).collect::<Vec<_>>(),
        "hasManifests": version.has_manifests(),
    })
}

fn api(api: &Api) -> Value {
    json!({"group": api.group, "version": api.version, "kind": api.kind})
}

fn need(need: &Needed) -> Value {
    let providers: Vec<&str> = need
        .providers
        .iter()
        .map(|provider| provider.package.as_str())
        .collect();
    json!({"what": need.wish, "intent": need.intent, "packages": providers, "morePackages": need.more_providers})
}

/// Returns a JSON file in which hidden characters are escaped.
fn file(path: String, data: &impl Serialize) -> File {
    // Serializing strings, numbers and lists cannot fail.
    let json = serde_json::to_string_pretty(data).unwrap_or_default();
    (path, (visible::json(&json).into_owned() + "\n").into_bytes())
}
