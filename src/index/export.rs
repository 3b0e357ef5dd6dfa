//! Exports the packages of an index as package manifests, the layout that preceded bundle images:
//! `PACKAGE/VERSION/*.yaml`, with the channels in `PACKAGE/package.yaml`.
//!
//! A `k8s+v1` bundle is exported in the form that OLM installs: the synthesized CSV and the objects that stay next to
//! it. Source: the legacy support of the plain-k8s-bundles proposal, and opm's `index export`.

use super::open::{Index, OpenError};
use crate::bundle::location::{LoadError, Location};
use crate::bundle::{self, BundleLimits, MANIFESTS, MediaType};
use crate::catalog::{Bundle, BundleId, Catalog, Package, Text};
use crate::concurrent::{self, lock};
use crate::conversion::convert;
use crate::csv::{self, Csv};
use crate::diagnostic::{self, Diagnostic};
use crate::files::{FileError, FolderOutput, NewFolder, NewFolderError, finish_change};
use crate::image::{ReferenceError, Transports};
use crate::kubernetes::GroupVersionKind;
use crate::olm::annotation::INDEX_PROPERTIES;
use crate::olm::property::{CHANNEL, DEPRECATED, GVK, GVK_REQUIRED, IMAGE, MEDIA_TYPE, PACKAGE, holds_manifests};
use crate::olm::spelling::is_requirement;
use crate::shape::nearest;
use crate::text;
use crate::tree::{Tree, TreeError, TreeLimits};
use futures_util::StreamExt;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The options for an export.
#[derive(Debug, Clone, Default)]
pub struct ExportOptions {
    /// The packages to export; all packages of the index if empty.
    pub packages: Vec<String>,
    /// The size limits of a bundle.
    pub limits: BundleLimits,
    /// The number of bundle images fetched at once.
    pub parallel: usize,
}

/// A package that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedPackage {
    /// The name of the package.
    pub name: String,
    /// The folder of the package.
    pub folder: PathBuf,
    /// The number of bundles in the package.
    pub bundles: usize,
    /// The dependencies and properties that package manifests cannot represent.
    pub lost: Vec<Lost>,
}

/// A dependency or property that is in the index but not in the manifests of its bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// The bundle.
    pub bundle: String,
    /// `dependency` or `property`.
    pub what: &'static str,
    /// The type of the dependency or property.
    pub kind: String,
    /// The value, as JSON.
    pub value: String,
}

/// An error that prevents an export. In this case, no package was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The index cannot be read.
    #[error(transparent)]
    Index(Box<OpenError>),
    /// The package does not exist.
    #[error("the index has no package {package:?}")]
    UnknownPackage {
        /// The requested name.
        package: String,
        /// The package with the most similar name.
        nearest: Option<String>,
    },
    /// A name is not a valid folder name.
    #[error("{name:?} is not a valid folder name, so package {package:?} cannot be exported")]
    Name {
        /// The package.
        package: String,
        /// The invalid name of the package or of one of its bundles.
        name: String,
    },
    /// The index contains neither the manifests nor the image of a bundle.
    #[error("the index contains neither the manifests nor the image of bundle {bundle}")]
    NoContent {
        /// The bundle.
        bundle: String,
    },
    /// The image of a bundle in the index is not a valid reference.
    #[error("bundle {bundle} has an invalid image reference {image:?}")]
    Reference {
        /// The bundle.
        bundle: String,
        /// The stored string.
        image: String,
        /// The problem with the reference.
        source: ReferenceError,
    },
    /// The image of a bundle cannot be read.
    #[error("bundle {bundle} cannot be exported")]
    Load {
        /// The bundle.
        bundle: String,
        /// The error from loading the image.
        source: Box<LoadError>,
    },
    /// The image of a bundle contains no CSV, and none can be synthesized from it.
    #[error("bundle {bundle} cannot be exported: its image has errors")]
    Findings {
        /// The bundle.
        bundle: String,
        /// The findings about the image.
        diagnostics: Vec<Diagnostic>,
    },
    /// A stored object is not JSON.
    #[error("an object of bundle {bundle} in the index is not JSON")]
    Object {
        /// The bundle.
        bundle: String,
        /// The problem with the object.
        source: serde_json::Error,
    },
    /// The target already exists or cannot be created.
    #[error(transparent)]
    Folder(#[from] NewFolderError),
    /// A file of a bundle has an invalid path, or exceeds a limit.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The files cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl From<OpenError> for ExportError {
    fn from(error: OpenError) -> Self {
        Self::Index(Box::new(error))
    }
}

/// Writes packages into separate folders below `folder`. Either all folders appear, with complete content, or none.
///
/// # Errors
/// Returns an error if a package is not in the index, its folder already exists, a bundle cannot be fetched, or the
/// files cannot be written.
pub async fn export(
    index: Index,
    folder: &Path,
    transports: &Transports,
    options: &ExportOptions,
) -> Result<Vec<ExportedPackage>, ExportError> {
    let catalog = index
        .catalog_without_skip_ranges()
        .map_err(OpenError::from)?
        .into_owned();
    // Threads cannot share a connection to a database.
    let index = &Mutex::new(index);
    let packages = chosen(&catalog, &options.packages)?;
    finish_change(folder)?;
    for package in &packages {
        if !is_name(&package.name) {
            return Err(ExportError::Name {
                package: package.name.to_string(),
                name: package.name.to_string(),
            });
        }
        NewFolder::require_free(&folder.join(&*package.name))?;
    }
    let output = FolderOutput::new(folder)?;
    let mut exported = Vec::new();
    for package in packages {
        let new = output.path().join(&*package.name);
        let folders = folders(package, &catalog)?;
        let mut fetched = concurrent::in_order(&folders, options.parallel, |(version, bundle)| async move {
            (version, manifests(index, bundle, transports, options).await)
        });
        let mut lost = Vec::new();
        while let Some((version, manifests)) = fetched.next().await {
            let manifests = manifests?;
            if let Some(bundle) = folders.get(version) {
                lost.extend(without_place(bundle, &manifests));
            }
            manifests.place_in(&new.join(version))?;
        }
        drop(fetched);
        let channels = text::to_yaml(&channels(package));
        let mut tree = Tree::new("");
        tree.insert("package.yaml", channels.into_bytes(), &options.limits.tree)?;
        tree.place_in(&new)?;
        exported.push(ExportedPackage {
            name: package.name.to_string(),
            folder: folder.join(&*package.name),
            bundles: folders.len(),
            lost,
        });
    }
    lock(index).check_unchanged()?;
    output.commit()?;
    Ok(exported)
}

/// Returns the dependencies and properties of a bundle that are in the index but not in the manifests: package
/// manifests have no other files that could contain them. The ClusterServiceVersion contains the required and provided
/// APIs, and the version of the package.
fn without_place(bundle: &Bundle, manifests: &Tree) -> Vec<Lost> {
    let objects = manifests.iter().flat_map(|(path, content)| {
        let documents = text::read(path, content, &text::Limits::default()).documents;
        documents.into_iter().map(|document| document.value().clone())
    });
    let csv = objects.into_iter().find(|object| object["kind"] == csv::KIND);
    let csv = csv.unwrap_or_default();
    let required = ["customresourcedefinitions", "apiservicedefinitions"].map(|section| {
        let list = Csv(&csv).list(&["spec", section, "required"]);
        let of_group = |entry: &Value| {
            let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
            let group = text("name").split_once('.').map_or("", |(_, group)| group);
            let group = if entry.get("group").is_some() {
                text("group")
            } else {
                group
            };
            GroupVersionKind::new(group, text("version"), text("kind"))
        };
        list.iter().map(of_group).collect::<Vec<_>>()
    });
    let in_csv = |value: &str| {
        let api: Option<GroupVersionKind> = serde_json::from_str(value).ok();
        api.is_some_and(|api| required.iter().flatten().any(|known| *known == api))
    };
    let annotation = csv
        .pointer("/metadata/annotations")
        .and_then(|all| all.get(INDEX_PROPERTIES));
    let annotated: Vec<crate::olm::property::Property> = annotation
        .and_then(Value::as_str)
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default();
    let said = |kind: &str, value: &str| {
        let value: Value = serde_json::from_str(value).unwrap_or_default();
        annotated.iter().any(|known| known.kind == kind && known.value == value)
    };
    let dependencies = bundle.dependencies.iter().map(|dependency| ("dependency", dependency));
    let properties = bundle.properties.iter().filter(|property| {
        let kind = &*property.kind;
        !is_requirement(kind)
            && !holds_manifests(kind)
            && ![PACKAGE, GVK, MEDIA_TYPE, IMAGE, DEPRECATED, CHANNEL].contains(&kind)
    });
    dependencies
        .chain(properties.map(|property| ("property", property)))
        .filter(|(_, entry)| !([GVK, GVK_REQUIRED].contains(&&*entry.kind) && in_csv(&entry.value)))
        .filter(|(_, entry)| !said(&entry.kind, &entry.value))
        .map(|(what, entry)| Lost {
            bundle: bundle.name.to_string(),
            what,
            kind: entry.kind.to_string(),
            // The value is parsed and written again, because the index escapes more characters than JSON requires.
            value: serde_json::from_str(&entry.value)
                .map_or_else(|_| entry.value.to_string(), |value: Value| value.to_string()),
        })
        .collect()
}

fn chosen<'c>(catalog: &'c Catalog, names: &[String]) -> Result<Vec<&'c Package>, ExportError> {
    if names.is_empty() {
        return Ok(catalog.packages.iter().collect());
    }
    let names: BTreeSet<&String> = names.iter().collect();
    let packages = names.into_iter().map(|name| match catalog.package(name) {
        Some(package) => Ok(package),
        None => Err(ExportError::UnknownPackage {
            package: name.clone(),
            nearest: nearest(name, catalog.packages.iter().map(|package| &*package.name)).map(str::to_owned),
        }),
    });
    packages.collect()
}

/// Returns the folders of the bundles that are in a channel. Each folder is named after the version of the bundle, or
/// after the bundle itself if the version is not unique or is not a valid file name.
fn folders<'c>(package: &Package, catalog: &'c Catalog) -> Result<BTreeMap<String, &'c Bundle>, ExportError> {
    let entries = package.channels.iter().flat_map(|channel| &channel.entries);
    let ids: BTreeSet<BundleId> = entries.map(|entry| entry.bundle).collect();
    let bundles: Vec<_> = ids.into_iter().filter_map(|id| catalog.bundle(id)).collect();
    let mut versions: BTreeMap<Option<&Text>, usize> = BTreeMap::new();
    for bundle in &bundles {
        *versions.entry(bundle.version.as_ref()).or_default() += 1;
    }
    let mut folders = BTreeMap::new();
    for bundle in bundles {
        let version = bundle.version.as_ref().filter(|version| is_name(version));
        let name = version.filter(|version| versions.get(&Some(*version)) == Some(&1));
        let name = name.unwrap_or(&bundle.name);
        if !is_name(name) || folders.insert(name.to_string(), bundle).is_some() {
            return Err(ExportError::Name {
                package: package.name.to_string(),
                name: name.to_string(),
            });
        }
    }
    Ok(folders)
}

/// Returns whether a string of the index is a valid file name that does not lead to another folder.
fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('.') && !text.contains(['/', '\\', '\0']) && text.len() <= 255
}

fn channels(package: &Package) -> Value {
    let channels = package.channels.iter().map(|channel| {
        let head = channel.head.as_deref().unwrap_or_default();
        json!({ "name": &*channel.name, "currentCSV": head })
    });
    json!({
        "packageName": &*package.name,
        "channels": channels.collect::<Vec<_>>(),
        "defaultChannel": package.default_channel.as_deref().unwrap_or_default(),
    })
}

/// Returns the manifests of a bundle, each under its file name.
async fn manifests(
    index: &Mutex<Index>,
    bundle: &Bundle,
    transports: &Transports,
    options: &ExportOptions,
) -> Result<Tree, ExportError> {
    let stored: Vec<String> = lock(index).with_manifests(bundle.manifests, |_, objects| {
        objects.iter().map(|&object| object.to_owned()).collect()
    })?;
    if !stored.is_empty() {
        return from_objects(&bundle.name, &stored, &options.limits.tree);
    }
    let Some(image) = bundle.image.as_deref().filter(|image| !image.is_empty()) else {
        let bundle = bundle.name.to_string();
        return Err(ExportError::NoContent { bundle });
    };
    let reference = image.parse().map_err(|source| ExportError::Reference {
        bundle: bundle.name.to_string(),
        image: image.to_owned(),
        source,
    })?;
    let tree = Location::Image(reference).load(transports, options.limits.tree).await;
    let tree = tree.map_err(|source| ExportError::Load {
        bundle: bundle.name.to_string(),
        source: source.into(),
    })?;
    from_image(&bundle.name, &tree, options)
}

fn from_objects(bundle: &str, stored: &[String], limits: &TreeLimits) -> Result<Tree, ExportError> {
    let mut tree = Tree::new("");
    for object in stored {
        let value: Value = serde_json::from_str(object).map_err(|source| ExportError::Object {
            bundle: bundle.to_owned(),
            source,
        })?;
        let content = text::to_yaml(&value).into_bytes();
        tree.insert(&file_name(&value, &tree), content, limits)?;
    }
    Ok(tree)
}

/// Returns the file name of a stored object: its name and kind, with a number if that name is already used.
fn file_name(object: &Value, taken: &Tree) -> String {
    let part = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (name, kind) = (part("/metadata/name"), part("/kind").to_lowercase());
    let plain = |character: char| {
        if character.is_ascii_alphanumeric() || "-_.".contains(character) {
            character
        } else {
            '_'
        }
    };
    let name: String = format!("{name}.{kind}")
        .trim_start_matches('.')
        .chars()
        .map(plain)
        .take(200)
        .collect();
    let mut file = format!("{name}.yaml");
    let mut number = 2;
    while taken.get(&file).is_some() {
        file = format!("{name}_{number}.yaml");
        number += 1;
    }
    file
}

/// Returns the manifests of a bundle image, either unchanged or after the synthesis.
fn from_image(name: &str, tree: &Tree, options: &ExportOptions) -> Result<Tree, ExportError> {
    let reading = bundle::read(tree, &options.limits.text);
    let refuse = |diagnostics: Vec<Diagnostic>| ExportError::Findings {
        bundle: name.to_owned(),
        diagnostics,
    };
    let converted = match &reading.bundle {
        Some(bundle) if bundle.media_type == MediaType::K8sV1 => {
            let converted = convert(tree, &reading, name, &options.limits.text)?;
            let tree = converted.map(|conversion| conversion.tree.ok_or(conversion.diagnostics));
            Some(tree.unwrap_or_else(|| Err(Vec::new())).map_err(refuse)?)
        }
        Some(_) => None,
        None => return Err(refuse(reading.diagnostics)),
    };
    if converted.is_none() && diagnostic::has_errors(&reading.diagnostics) {
        return Err(refuse(reading.diagnostics));
    }
    let mut manifests = Tree::new("");
    for (path, content) in converted.as_ref().unwrap_or(tree).iter() {
        if let Some(file) = path.strip_prefix(MANIFESTS).and_then(|rest| rest.strip_prefix('/')) {
            manifests.insert(file, content.to_vec(), &options.limits.tree)?;
        }
    }
    Ok(manifests)
}
