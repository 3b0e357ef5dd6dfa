//! Lists the images that selected bundles in an index need, each with the bundles that need it, and its role in each
//! bundle.

use crate::bundle::mentions::unlisted_in;
use crate::catalog::selection::{Selection, SelectionError};
use crate::catalog::{Bundle, BundleId, Catalog, Text, manifests};
use crate::database::read::ReadError;
use crate::image::Reference;
use crate::index::open::{DocumentImage, Index, OpenError};
use crate::olm::property;
use crate::resolver::closure::{self, Closure, Follow, Reason, Unsatisfied};
use crate::version::{VersionRange, parse_strict};
use semver::Version;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The selection of bundles.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// The packages and channels. If none are specified, bundles outside all channels are included.
    pub selection: Selection,
    /// The version range of the bundles; `None` for all versions.
    pub version: Option<VersionRange>,
    /// The dependencies to follow. All bundles in the index that satisfy them are included.
    pub follow: Follow,
}

/// The images found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Images {
    /// The images, sorted by reference.
    pub images: Vec<Image>,
    /// The dependencies that were followed, but that no bundle in the index satisfies.
    pub unsatisfied: Vec<Unsatisfied>,
    /// The images that the manifests of bundles mention, but that none of these bundles lists as a related image or
    /// runs in a container, each with the names of the bundles. They are not in `images`, unless another bundle needs
    /// them.
    pub unlisted: Unlisted,
}

/// Images that bundles mention but do not list, each with the names of these bundles.
pub type Unlisted = BTreeMap<String, BTreeSet<String>>;

/// An image that bundles need.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    /// The image reference, as stored in the index.
    pub image: String,
    /// The part of the reference that identifies the image.
    pub named_by: NamedBy,
    /// The bundles that need the image, sorted by name.
    pub bundles: Vec<Use>,
    /// The other documents of the catalog that name the image, sorted.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub documents: BTreeSet<DocumentUse>,
}

/// The use of an image in a document whose schema is unknown to OLM.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct DocumentUse {
    /// The schema of the document.
    pub schema: String,
    /// The package that the document belongs to; empty if it names none.
    pub package: String,
}

/// The use of an image in a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Use {
    /// The name of the bundle.
    pub name: String,
    /// The package of the bundle; `None` if the bundle is not in any channel.
    #[serde(skip)]
    pub package: Option<String>,
    /// The role of the image in the bundle.
    pub role: Role,
    /// The reasons why the bundle is included although it was not selected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
}

/// The role of an image in a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The image is the bundle image.
    Bundle,
    /// A deployment of the operator runs the image. This is known only if the index contains the ClusterServiceVersion.
    Operator,
    /// The bundle lists the image as a related image.
    Related,
}

/// The part of a reference that identifies the image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NamedBy {
    /// A digest, which always identifies the same image.
    Digest,
    /// A tag, which may later refer to another image.
    Tag,
    /// Neither a digest nor a tag, so the reference is to the tag `latest`.
    Nothing,
}

/// An error while listing images.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImagesError {
    /// The index cannot be read.
    #[error(transparent)]
    Index(Box<OpenError>),
    /// The index does not contain the selection.
    #[error(transparent)]
    Selection(#[from] SelectionError),
}

impl From<OpenError> for ImagesError {
    fn from(error: OpenError) -> Self {
        Self::Index(Box::new(error))
    }
}

impl Role {
    /// Returns the name of the role in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bundle => "bundle",
            Self::Operator => "operator",
            Self::Related => "related",
        }
    }
}

impl NamedBy {
    /// Returns the name of the kind of reference in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Digest => "digest",
            Self::Tag => "tag",
            Self::Nothing => "nothing",
        }
    }

    fn of(image: &str) -> Self {
        let name = image.rsplit('/').next().unwrap_or_default();
        match image.parse::<Reference>() {
            Ok(reference) if reference.digest().is_some() => Self::Digest,
            _ if image.contains('@') => Self::Digest,
            _ if name.contains(':') => Self::Tag,
            _ => Self::Nothing,
        }
    }
}

/// Returns the images of the selected bundles: the bundle images, the images of their deployments, and their related
/// images. Also returns the images that documents of unknown schemas name, if they belong to the packages of these
/// bundles, or everything is selected.
///
/// # Errors
/// Returns an error if the index is damaged or does not contain the selection.
pub fn images(index: &Index, query: &Query) -> Result<Images, ImagesError> {
    let catalog = index.catalog_without_skip_ranges().map_err(OpenError::from)?;
    let chosen = chosen(&catalog, query)?;
    let preferred = Selection {
        packages: query
            .follow
            .preferences
            .named()
            .into_iter()
            .map(str::to_owned)
            .collect(),
        channels: Vec::new(),
    };
    // A preference for a package that does not exist would have no effect.
    preferred.of(&catalog)?;
    // If everything is selected, following dependencies cannot add any bundles.
    let is_everything = query.selection == Selection::default() && query.version.is_none();
    let nothing = Follow::default();
    let follow = if is_everything { &nothing } else { &query.follow };
    let closure = closure::of_bundles(&catalog, &chosen, follow);
    Ok(of_closure(index, &catalog, closure, is_everything)?)
}

/// Returns the images of all bundles in an index.
///
/// # Errors
/// Returns an error if the index is damaged.
pub(super) fn all_images(index: &Index) -> Result<Images, OpenError> {
    let catalog = index.catalog_without_skip_ranges()?;
    let every = closure::of_bundles(&catalog, &every_bundle(&catalog).collect(), &Follow::default());
    of_closure(index, &catalog, every, true)
}

/// `is_everything` includes the documents that belong to no package.
fn of_closure(
    index: &Index,
    catalog: &Catalog,
    closure: Closure<BundleId>,
    is_everything: bool,
) -> Result<Images, OpenError> {
    let Closure { members, unsatisfied } = closure;
    let bundles: BTreeSet<BundleId> = members.keys().copied().collect();
    let related = index.related_images(catalog, &bundles)?;
    let mut packages: BTreeMap<BundleId, &Text> = BTreeMap::new();
    for package in &catalog.packages {
        let entries = package.channels.iter().flat_map(|channel| &channel.entries);
        let selected = entries.filter(|entry| bundles.contains(&entry.bundle));
        packages.extend(selected.map(|entry| (entry.bundle, &package.name)));
    }
    let members_of: BTreeSet<&str> = packages.values().map(|name| &***name).collect();
    let mut found: BTreeMap<String, Vec<Use>> = BTreeMap::new();
    let mut unlisted = Unlisted::new();
    let mut documents: BTreeMap<String, BTreeSet<DocumentUse>> = BTreeMap::new();
    for DocumentImage { schema, package, image } in index.images_of_documents()? {
        if is_everything || members_of.contains(package.as_str()) {
            found.entry(image.clone()).or_default();
            documents
                .entry(image)
                .or_default()
                .insert(DocumentUse { schema, package });
        }
    }
    // IDs are in the order of names, so the bundles are sorted by name.
    for (id, reasons) in members {
        let Some(bundle) = catalog.bundle(id) else { continue };
        let none = Vec::new();
        let images = related.get(&id).unwrap_or(&none);
        let mut roles: BTreeMap<&str, Role> = images.iter().map(|image| (image.as_str(), Role::Related)).collect();
        let csv = index.csv(bundle.manifests)?;
        let used = csv.as_deref().map(used_by).unwrap_or_default();
        for (image, is_volume) in &used {
            // The related images in an index include the images of containers, but not those of volumes.
            if images.is_empty() || *is_volume {
                roles.insert(image, Role::Operator);
            } else if let Some(role) = roles.get_mut(image.as_str()) {
                *role = Role::Operator;
            }
        }
        let own = own_images(bundle);
        roles.extend(own.iter().map(|image| (image.as_str(), Role::Bundle)));
        for image in mentioned(index, bundle, csv.as_deref())? {
            if !roles.contains_key(image.as_str()) {
                unlisted.entry(image).or_default().insert(bundle.name.to_string());
            }
        }
        for (image, role) in roles.into_iter().filter(|(image, _)| !image.is_empty()) {
            let name = bundle.name.to_string();
            found.entry(image.to_owned()).or_default().push(Use {
                name,
                package: packages.get(&id).map(ToString::to_string),
                role,
                reasons: reasons.clone(),
            });
        }
    }
    let images = found.into_iter().map(|(image, bundles)| Image {
        named_by: NamedBy::of(&image),
        documents: documents.remove(&image).unwrap_or_default(),
        image,
        bundles,
    });
    Ok(Images {
        images: images.collect(),
        unsatisfied,
        unlisted,
    })
}

/// Returns the images that the manifests of a bundle mention, but do not list. `csv` is the ClusterServiceVersion of
/// the bundle in the index.
fn mentioned(index: &Index, bundle: &Bundle, csv: Option<&str>) -> Result<BTreeSet<String>, OpenError> {
    let Some(csv) = csv.filter(|csv| !csv.is_empty()) else {
        return Ok(BTreeSet::new());
    };
    let read = index.with_manifests(bundle.manifests, |_, objects| {
        let other = objects.iter().filter(|object| manifests::kind(object) == "ConfigMap");
        unlisted_in(&std::iter::once(csv).chain(other.copied()).collect::<Vec<_>>())
    });
    match read {
        // The check of the index itself reports unreadable manifests.
        Err(OpenError::Read(ReadError::Manifests { .. })) => Ok(unlisted_in(&[csv])),
        read => read,
    }
}

/// Returns the images of the bundle itself: the image stored for the bundle and, if the bundle is stored inline, its
/// original image.
fn own_images(bundle: &Bundle) -> Vec<String> {
    let properties = bundle.properties.iter();
    let origins = properties
        .filter(|property| &*property.kind == property::IMAGE)
        .filter_map(|property| serde_json::from_str::<String>(&property.value).ok());
    origins.chain(bundle.image.as_deref().map(ToOwned::to_owned)).collect()
}

/// Returns the images of the deployments in a ClusterServiceVersion, or none if it cannot be parsed. Each image comes
/// with whether it is mounted as a volume instead of run.
fn used_by(csv: &str) -> Vec<(String, bool)> {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Csv {
        spec: CsvSpec,
    }
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct CsvSpec {
        install: Install,
    }
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Install {
        spec: Strategy,
    }
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Strategy {
        deployments: Vec<Deployment>,
    }
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Deployment {
        spec: DeploymentSpec,
    }
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct DeploymentSpec {
        template: Template,
    }
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Template {
        spec: Pod,
    }
    #[derive(Deserialize, Default)]
    #[serde(default, rename_all = "camelCase")]
    struct Pod {
        init_containers: Option<Vec<Container>>,
        containers: Option<Vec<Container>>,
        volumes: Option<Vec<Volume>>,
    }
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Container {
        image: String,
    }
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Volume {
        image: Option<ImageVolume>,
    }
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct ImageVolume {
        reference: String,
    }
    let csv: Csv = serde_json::from_str(csv).unwrap_or_default();
    let mut images = Vec::new();
    for deployment in csv.spec.install.spec.deployments {
        let pod = deployment.spec.template.spec;
        let containers = [pod.init_containers, pod.containers].into_iter().flatten().flatten();
        images.extend(containers.map(|container| (container.image, false)));
        let volumes = pod.volumes.into_iter().flatten();
        images.extend(volumes.filter_map(|volume| Some((volume.image?.reference, true))));
    }
    images
}

/// Returns the selected bundles.
fn chosen(catalog: &Catalog, query: &Query) -> Result<BTreeSet<BundleId>, SelectionError> {
    let channels = query.selection.of(catalog)?;
    let all = query.selection == Selection::default();
    let fits = |id: &BundleId| match (&query.version, catalog.bundle(*id)) {
        (None, _) => true,
        (Some(range), Some(bundle)) => in_range(bundle, range),
        (Some(_), None) => false,
    };
    let members = channels.iter().flat_map(|(_, channel)| &channel.entries);
    let mut found: BTreeSet<BundleId> = members.map(|entry| entry.bundle).filter(fits).collect();
    if all {
        found.extend(every_bundle(catalog).filter(fits));
    }
    Ok(found)
}

fn every_bundle(catalog: &Catalog) -> impl Iterator<Item = BundleId> {
    let every = (0..catalog.bundles.len()).filter_map(|at| u32::try_from(at).ok());
    every.map(BundleId)
}

/// Returns the versions of the selected bundles in ascending order. Versions that are not semantic versions are
/// omitted.
///
/// # Errors
/// Returns an error if the catalog does not contain the selection.
pub fn versions(catalog: &Catalog, selection: &Selection) -> Result<Vec<String>, SelectionError> {
    let query = Query {
        selection: selection.clone(),
        ..Query::default()
    };
    let chosen = chosen(catalog, &query)?;
    let bundles = chosen.iter().filter_map(|id| catalog.bundle(*id));
    let versions = bundles.filter_map(|bundle| parse_strict(bundle.version.as_deref()?).ok());
    let versions: BTreeSet<Version> = versions.collect();
    Ok(versions.iter().map(Version::to_string).collect())
}

fn in_range(bundle: &Bundle, range: &VersionRange) -> bool {
    let version = bundle.version.as_deref().map(parse_strict);
    version.is_some_and(|version| version.is_ok_and(|version| range.contains(&version)))
}
