//! The list of packages, and the data that its script searches.

use super::feed::created;
use super::frame::{File, Frame, HOME, Site, page};
use super::icon::{Icon, letter};
use super::markdown;
use super::model::{Model, Release, is_pinned};
use super::path;
use crate::visible;
use askama::Template;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The number of characters of a description to search.
const SEARCHED: usize = 1200;

/// The number of versions of a package to search, from the newest.
const SEARCHED_VERSIONS: usize = 100;

/// A package in the list.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) display_name: String,
    pub(super) path: String,
    pub(super) icon: Option<String>,
    pub(super) letter: String,
    /// The version that a new installation gets, or the reason why it gets none.
    pub(super) version: Result<String, String>,
    pub(super) provider: String,
    pub(super) summary: String,
    pub(super) capability: String,
    pub(super) features: Vec<String>,
    pub(super) deprecated: bool,
    pub(super) versions: usize,
    pub(super) searched: Searched,
}

/// The data of a package for the script. The names are short because they are repeated for every package.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Searched {
    /// The searched fields: name, display name, keywords, provider, kinds and definitions of APIs, text and bundles.
    n: String,
    d: String,
    k: Vec<String>,
    p: String,
    a: Vec<String>,
    t: String,
    b: Vec<String>,
    /// The time of creation in UTC; empty if unknown.
    c: String,
    /// The number of versions.
    v: usize,
    /// The values of the package for each filter, by the key of the filter.
    f: BTreeMap<&'static str, BTreeSet<String>>,
}

/// A filter of the list.
struct Facet {
    key: &'static str,
    name: &'static str,
    values: Vec<FacetValue>,
}

struct FacetValue {
    name: String,
    count: usize,
}

/// The key and the name of each filter.
const FACETS: [(&str, &str); 9] = [
    ("category", "Category"),
    ("provider", "Provider"),
    ("capability", "Capability level"),
    ("feature", "Infrastructure feature"),
    ("mode", "Install mode"),
    ("channel", "Channel"),
    ("group", "API group"),
    ("status", "Status"),
    ("images", "Images"),
];

#[derive(Template)]
#[template(path = "page/list.html")]
struct ListPage<'a> {
    frame: Frame<'a>,
    rows: &'a [Row],
    facets: Vec<Facet>,
    versions: usize,
}

impl Row {
    /// Returns the row of a package.
    pub(super) fn of(model: &Model<'_>) -> Self {
        let shown = model.representative();
        let facts = shown.map(|version| version.facts.clone()).unwrap_or_default();
        let deprecated = model.deprecated.is_some() || shown.is_some_and(|version| version.deprecated.is_some());
        let or = |values: &[String], other: &str| -> BTreeSet<String> {
            if values.is_empty() {
                BTreeSet::from([other.to_owned()])
            } else {
                values.iter().cloned().collect()
            }
        };
        let single =
            |value: &str, other: &str| BTreeSet::from([if value.is_empty() { other } else { value }.to_owned()]);
        let modes = facts.install_modes.iter().filter(|(_, supported)| *supported);
        let owned = shown.map(|version| &version.owned[..]).unwrap_or_default();
        let images = shown.map(|version| &version.images[..]).unwrap_or_default();
        let named = match images.iter().all(|image| is_pinned(&image.image)) {
            _ if images.is_empty() => BTreeSet::new(),
            true => BTreeSet::from(["by digest only".to_owned()]),
            false => BTreeSet::from(["some by tag".to_owned()]),
        };
        let filters = BTreeMap::from([
            ("category", or(&facts.categories, "Other")),
            ("provider", single(&facts.provider, "unknown")),
            ("capability", single(&facts.capability, "unknown")),
            ("feature", facts.features.iter().cloned().collect()),
            ("mode", modes.map(|(name, _)| name.clone()).collect()),
            (
                "channel",
                model
                    .package
                    .channels
                    .iter()
                    .map(|channel| channel.name.to_string())
                    .collect(),
            ),
            (
                "group",
                owned
                    .iter()
                    .map(|api| api.group.clone())
                    .filter(|group| !group.is_empty())
                    .collect(),
            ),
            ("status", single(if deprecated { "deprecated" } else { "" }, "current")),
            ("images", named),
        ]);
        let lower = |text: &str| text.to_lowercase();
        Self {
            name: model.package.name.to_string(),
            display_name: model.display_name().to_owned(),
            path: path::package(&model.package.name),
            icon: model.icon.as_ref().and_then(Icon::address_in_list),
            letter: letter(model.display_name()),
            version: model.unpublished().map_or_else(
                || Ok(shown.map(|version| version.version.clone()).unwrap_or_default()),
                Err,
            ),
            versions: model.versions.len(),
            searched: Searched {
                n: lower(&model.package.name),
                d: lower(model.display_name()),
                k: facts.keywords.iter().map(|word| lower(word)).collect(),
                p: lower(&facts.provider),
                a: owned
                    .iter()
                    .flat_map(|api| [lower(&api.kind), lower(&api.definition)])
                    .collect(),
                t: lower(&markdown::shortened(
                    &format!("{} {}", facts.summary, facts.description),
                    SEARCHED,
                )),
                b: bundles(&model.versions).map(|name| lower(&name)).collect(),
                c: created(&facts.created_at)
                    .map(|time| time.to_string())
                    .unwrap_or_default(),
                v: model.versions.len(),
                f: filters,
            },
            provider: facts.provider,
            summary: facts.summary,
            capability: facts.capability,
            features: facts.features,
            deprecated,
        }
    }
}

/// Returns the searched names of bundles: those of heads and of the newest versions. A version that is not part of the
/// name follows it.
fn bundles(versions: &[Release]) -> impl Iterator<Item = String> {
    let versions = versions.iter().enumerate().filter(|(place, version)| {
        *place < SEARCHED_VERSIONS || version.channels.iter().any(|channel| channel.is_head)
    });
    versions.map(|(_, Release { name, version, .. })| {
        if name.contains(version.as_str()) {
            name.clone()
        } else {
            format!("{name} {version}")
        }
    })
}

/// Sorts rows by display name, as in the list.
pub(super) fn sort(rows: &mut [Row]) {
    rows.sort_by_cached_key(|row| (row.display_name.to_lowercase(), row.name.clone()));
}

/// Renders the list, and the data for its script.
///
/// # Errors
/// Returns an error if the template cannot be rendered.
pub(super) fn list_pages(site: &Site, rows: &[Row]) -> Result<[File; 2], askama::Error> {
    let facets = FACETS.iter().filter_map(|(key, name)| facet(key, name, rows));
    let filled = ListPage {
        frame: Frame::new(site, HOME, &site.title),
        rows,
        facets: facets.collect(),
        versions: rows.iter().map(|row| row.versions).sum(),
    };
    let searched: Vec<&Searched> = rows.iter().map(|row| &row.searched).collect();
    // Values from a database can always be serialized as JSON.
    let json = serde_json::to_string(&searched).unwrap_or_default();
    let script = format!(
        "window.opmxPackages = {};\n",
        visible::json(&json).replace('<', "\\u003c")
    );
    Ok([
        page(HOME, &filled)?,
        ("assets/search.js".to_owned(), script.into_bytes()),
    ])
}

/// Returns a filter, or `None` if all packages have the same values.
fn facet(key: &'static str, name: &'static str, rows: &[Row]) -> Option<Facet> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for value in rows.iter().filter_map(|row| row.searched.f.get(key)).flatten() {
        *counts.entry(value).or_default() += 1;
    }
    let told_apart = counts.len() > 1 || counts.values().any(|count| *count < rows.len());
    let mut values: Vec<FacetValue> = counts
        .into_iter()
        .map(|(name, count)| FacetValue {
            name: name.to_owned(),
            count,
        })
        .collect();
    values.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.name.cmp(&other.name)));
    told_apart.then_some(Facet { key, name, values })
}
