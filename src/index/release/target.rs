//! Renders a template into one of its catalogs.

use super::ReleaseRequest;
use super::error::ReleaseError;
use super::lost::lost;
use crate::catalog::file_based::edit::{CatalogEditError, Edited, Editor, Wanted};
use crate::catalog::file_based::template::{Kind, Template, TemplateDocument};
use crate::catalog::file_based::{Blob, Bundle, Property, Schema};
use crate::catalog::release::Mapping;
use crate::index::render::bundle::RenderedBundle;
use crate::olm::property::PACKAGE;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A catalog that is rendered from a template.
pub(super) struct Target {
    /// The name of the catalog.
    pub(super) name: String,
    /// The folder of the package in the catalog.
    pub(super) folder: PathBuf,
    pub(super) editor: Editor,
    /// The names and versions of the bundles in the catalog, by image.
    pub(super) known: BTreeMap<String, (String, String)>,
}

/// Renders a template into one of its catalogs. Of the two templates, the first one is that of before the release.
pub(super) fn rendered_into(
    target: Target,
    (before, template): (Option<Template>, Template),
    bundles: &BTreeMap<String, RenderedBundle>,
    (mapping, package): (&Mapping, &str),
    request: &ReleaseRequest<'_>,
) -> Result<Edited, ReleaseError> {
    let own = request.bundle;
    let Target {
        name,
        folder,
        mut editor,
        known,
    } = target;
    let before = before
        .and_then(|before| described(before, &known, bundles, package))
        .unwrap_or_default();
    let images: Vec<String> = template.images.iter().map(|image| image.reference.clone()).collect();
    let rendered = images.iter().filter_map(|image| match known.get(image) {
        Some((name, version)) if image != own => Some(stand_in(package, name, version, image)),
        _ => bundles.get(image).map(|rendered| rendered.bundle.clone()),
    });
    let documents = template.documents(rendered.collect())?;
    let mut images = images.into_iter();
    let mut wanted = Vec::with_capacity(documents.len());
    for document in documents {
        wanted.push(match document {
            TemplateDocument::Generated(Blob::Bundle(_)) => {
                let image = images.next().unwrap_or_default();
                match bundles.get(&image) {
                    Some(bundle) if image == own || !known.contains_key(&image) => {
                        let new = bundle.to_add(request.level(&name)).map_err(CatalogEditError::Write)?;
                        Wanted::Document(new.document)
                    }
                    _ => Wanted::Bundle { image },
                }
            }
            document => Wanted::Document(value(&document).map_err(CatalogEditError::Write)?),
        });
    }
    if mapping.kind == Kind::Semver {
        keep(&editor, package, &mut wanted)?;
    }
    let mut content = lost(&editor.documents(package)?.values, &wanted, &before, mapping.kind);
    let leaving = editor.set_documents(package, wanted)?;
    content.extend(
        leaving
            .iter()
            .map(|(schema, name)| format!("{schema} {name}").trim_end().to_owned()),
    );
    if !content.is_empty() && !request.overwrite {
        return Err(ReleaseError::Foreign {
            catalog: folder,
            template: mapping.template.clone(),
            content,
        });
    }
    Ok(editor.finish()?)
}

/// Returns the documents that a template describes, except bundles; `None` if one of its bundles is unknown.
fn described(
    template: Template,
    known: &BTreeMap<String, (String, String)>,
    bundles: &BTreeMap<String, RenderedBundle>,
    package: &str,
) -> Option<Vec<Value>> {
    let bundle = |image: &String| match known.get(image) {
        Some((name, version)) => Some(stand_in(package, name, version, image)),
        None => bundles.get(image).map(|rendered| rendered.bundle.clone()),
    };
    let bundles: Option<Vec<Bundle>> = template.images.iter().map(|image| bundle(&image.reference)).collect();
    let documents = template.documents(bundles?).ok()?;
    let documents = documents.iter();
    let others = documents.filter(|document| !matches!(document, TemplateDocument::Generated(Blob::Bundle(_))));
    others.map(|document| value(document).ok()).collect()
}

fn value(document: &TemplateDocument) -> Result<Value, serde_json::Error> {
    serde_json::from_str(&serde_json::to_string(&document.document()?)?)
}

/// Returns the data that a template needs about a bundle that is already in the catalog.
fn stand_in(package: &str, name: &str, version: &str, image: &str) -> Bundle {
    let identity = json!({"packageName": package, "version": version}).to_string();
    Bundle {
        name: name.to_owned(),
        package: package.to_owned(),
        image: image.to_owned(),
        properties: Property::parse(PACKAGE, &identity).into_iter().collect(),
        related_images: Vec::new(),
    }
}

/// Keeps documents that a semver template cannot represent: deprecations, and documents with other schemas. A semver
/// template takes the icon and description of a package from the head of its default channel; if that head is already
/// in the catalog, the existing icon and description are kept.
fn keep(editor: &Editor, package: &str, wanted: &mut Vec<Wanted>) -> Result<(), CatalogEditError> {
    let documents = editor.documents(package)?.values;
    let schema = |value: &Value| Schema::from(value["schema"].as_str().unwrap_or_default());
    let is_generated = |value: &Value| matches!(schema(value), Schema::Package | Schema::Channel | Schema::Bundle);
    let others = documents.iter().filter(|value| !is_generated(value));
    wanted.extend(others.cloned().map(Wanted::Document));
    let is_package = |value: &&Value| value["schema"] == Schema::Package.name();
    let Some(known) = documents.iter().find(is_package) else {
        return Ok(());
    };
    for wanted in wanted.iter_mut() {
        if let Wanted::Document(value) = wanted
            && value["schema"] == Schema::Package.name()
            && value.get("icon").is_none()
            && value.get("description").is_none()
        {
            let default = value["defaultChannel"].clone();
            *value = known.clone();
            value["defaultChannel"] = default;
        }
    }
    Ok(())
}
