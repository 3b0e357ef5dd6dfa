//! The page of a version, and the pages of the APIs that the version defines.

use super::crd_fields::Definition;
use super::csv_facts::{Api, Example, group_version};
use super::frame::{File, Frame, Site, page};
use super::model::{Model, Release, is_pinned};
use super::package_page::{Comparison, VersionLink, comparison};
use super::path;
use super::probe::Size;
use crate::catalog::{BundleId, olm_v1};
use crate::olm::install_mode::{ALL_NAMESPACES, MULTI_NAMESPACE, OWN_NAMESPACE, SINGLE_NAMESPACE};
use askama::Template;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

#[derive(Template)]
#[template(path = "page/version.html")]
struct VersionPage<'a> {
    frame: Frame<'a>,
    package: &'a str,
    display_name: &'a str,
    version: &'a Release,
    modes: Vec<Mode<'a>>,
    owned: Vec<ApiPart<'a>>,
    images: Vec<Image<'a>>,
    probed: bool,
    differences: Vec<Comparison>,
}

struct Mode<'a> {
    name: &'a str,
    supported: bool,
    meaning: &'static str,
    is_of_olm_v1: bool,
}

struct ApiPart<'a> {
    id: String,
    api: &'a Api,
    group_version: String,
    fields: Option<String>,
    examples: Vec<ExamplePart<'a>>,
}

struct ExamplePart<'a> {
    id: String,
    json_id: String,
    name: &'a str,
    description: &'a str,
    yaml: &'a str,
    json: &'a str,
}

struct Image<'a> {
    reference: &'a str,
    name: &'a str,
    pinned: bool,
    shared: usize,
    size: Option<&'a Size>,
}

#[derive(Template)]
#[template(path = "page/api.html")]
struct ApiPage<'a> {
    frame: Frame<'a>,
    package: &'a str,
    definition: &'a Definition,
    used_by: Vec<VersionLink>,
}

/// A definition with the versions that include it.
type Brought<'a> = (&'a Arc<Definition>, Vec<&'a Release>);

/// Renders the pages of all versions of a package, and the pages of the APIs that these versions define.
///
/// # Errors
/// Returns an error if the template cannot be rendered.
pub(super) fn version_pages(
    site: &Site,
    model: &Model<'_>,
    compared: &[(BundleId, BundleId)],
    mut write: impl FnMut(File) -> Result<(), super::PageError>,
) -> Result<(), super::PageError> {
    let mut users: HashMap<&str, usize> = HashMap::new();
    for version in &model.versions {
        let images: BTreeSet<&str> = version.images.iter().map(|image| image.image.as_str()).collect();
        for image in images {
            *users.entry(image).or_default() += 1;
        }
    }
    let mut compared_with: HashMap<BundleId, Vec<(BundleId, BundleId)>> = HashMap::new();
    for (from, to) in compared {
        for id in [from, to] {
            compared_with.entry(*id).or_default().push((*from, *to));
        }
    }
    for version in &model.versions {
        let compared = compared_with.get(&version.id).map_or(&[][..], Vec::as_slice);
        write(version_page(site, model, version, compared, &users)?)?;
    }
    let mut definitions: BTreeMap<(&str, &str), Brought<'_>> = BTreeMap::new();
    for version in &model.versions {
        for definition in &version.definitions {
            let key = (definition.name.as_str(), definition.digest.as_str());
            definitions
                .entry(key)
                .or_insert((definition, Vec::new()))
                .1
                .push(version);
        }
    }
    for (definition, versions) in definitions.into_values() {
        write(api_page(site, model, definition, &versions)?)?;
    }
    Ok(())
}

fn version_page(
    site: &Site,
    model: &Model<'_>,
    version: &Release,
    compared: &[(BundleId, BundleId)],
    users: &HashMap<&str, usize>,
) -> Result<File, askama::Error> {
    let display_name = match version.facts.display_name.as_str() {
        "" => &*model.package.name,
        name => name,
    };
    let title = format!("{display_name} {}", version.version);
    let images = version.images.iter().map(|image| Image {
        reference: &image.image,
        name: &image.name,
        pinned: is_pinned(&image.image),
        shared: users
            .get(image.image.as_str())
            .map_or(0, |users| users.saturating_sub(1)),
        size: model.sizes.of(&image.image),
    });
    let modes = version.facts.install_modes.iter().map(|(name, supported)| Mode {
        name,
        supported: *supported,
        meaning: meaning(name),
        is_of_olm_v1: name == olm_v1::MODE,
    });
    let filled = VersionPage {
        frame: Frame::new(site, &version.path, title),
        package: &model.package.name,
        display_name,
        version,
        modes: modes.collect(),
        owned: owned(model, version),
        images: images.collect(),
        probed: model.sizes.probed,
        differences: compared
            .iter()
            .filter_map(|(from, to)| comparison(model, *from, *to))
            .collect(),
    };
    page(&version.path, &filled)
}

/// Explains an install mode.
fn meaning(mode: &str) -> &'static str {
    match mode {
        ALL_NAMESPACES => "The operator watches all namespaces.",
        SINGLE_NAMESPACE => "The operator watches one namespace other than its own.",
        OWN_NAMESPACE => "The operator watches its own namespace.",
        MULTI_NAMESPACE => "The operator watches several namespaces.",
        _ => "",
    }
}

fn owned<'a>(model: &Model<'_>, version: &'a Release) -> Vec<ApiPart<'a>> {
    let mut ids: BTreeSet<String> = BTreeSet::new();
    let parts = version.owned.iter().enumerate().map(|(number, api)| {
        let mut id = format!(
            "api-{}",
            path::anchor(&format!("{}.{}.{}", api.kind, api.group, api.version))
        );
        if !ids.insert(id.clone()) {
            id = format!("{id}~{number}");
        }
        let fields = version
            .definition(&api.definition)
            .map(|definition| api_link(model, definition));
        let examples = api.examples.iter().enumerate();
        ApiPart {
            group_version: group_version(&api.group, &api.version),
            examples: examples
                .map(|(example_number, example)| example_part(example, number, example_number))
                .collect(),
            api,
            fields,
            id,
        }
    });
    parts.collect()
}

fn example_part(example: &Example, api: usize, number: usize) -> ExamplePart<'_> {
    ExamplePart {
        id: format!("example-{api}-{number}"),
        json_id: format!("example-{api}-{number}-json"),
        name: &example.name,
        description: &example.description,
        yaml: &example.yaml,
        json: &example.json,
    }
}

/// Returns the link to the page of an API from the page of a version.
fn api_link(model: &Model<'_>, definition: &Definition) -> String {
    let path = path::api(&model.package.name, &definition.name, &definition.digest);
    format!("apis/{}", path.rsplit('/').next().unwrap_or_default())
}

fn api_page(
    site: &Site,
    model: &Model<'_>,
    definition: &Definition,
    versions: &[&Release],
) -> Result<File, askama::Error> {
    let path = path::api(&model.package.name, &definition.name, &definition.digest);
    let used_by = versions.iter().map(|version| VersionLink {
        bundle: version.name.clone(),
        version: version.version.clone(),
        path: format!("../{}", version.path.rsplit('/').next().unwrap_or_default()),
    });
    let title = format!("{} · {}", definition.kind, model.display_name());
    let filled = ApiPage {
        frame: Frame::new(site, &path, title),
        package: &model.package.name,
        definition,
        used_by: used_by.collect(),
    };
    page(&path, &filled)
}
