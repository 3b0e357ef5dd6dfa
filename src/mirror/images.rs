//! The images that chosen bundles of an index need, each with the bundles and its role in them.

use crate::catalog::selection::{Selection, SelectionError};
use crate::catalog::{Bundle, BundleId, Catalog};
use crate::image::Reference;
use crate::index::open::{Index, OpenError};
use crate::olm::intent::Intent;
use crate::olm::property;
use crate::resolver::Needs;
use crate::version::{VersionRange, parse_strict};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Which bundles are looked at.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// Packages and channels. Where it names none, bundles that are in no channel are looked at, too.
    pub selection: Selection,
    /// Only bundles whose version is in the range.
    pub version: Option<VersionRange>,
    /// Follow dependencies of these intents, to all bundles of the index that satisfy them.
    pub intents: Vec<Intent>,
}

/// The images found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Images {
    /// Sorted by reference.
    pub images: Vec<Image>,
    /// Dependencies that were followed and that no bundle of the index satisfies.
    pub unsatisfied: Vec<Unsatisfied>,
}

/// An image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    /// The reference as stored.
    pub image: String,
    /// Which part of the reference says which image it is.
    pub named_by: NamedBy,
    /// The bundles that need it, sorted by name.
    pub bundles: Vec<Use>,
}

/// What an image is for in a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Use {
    /// The bundle.
    pub name: String,
    /// The role.
    pub role: Role,
}

/// The role of an image in a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It is the bundle.
    Bundle,
    /// A deployment of the operator runs it. Only known where the index keeps the ClusterServiceVersion.
    Operator,
    /// The bundle lists it as an image that the operator may use.
    Related,
}

/// Which part of a reference says which image it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NamedBy {
    /// A digest: it is always the same image.
    Digest,
    /// A tag, which may move.
    Tag,
    /// Neither: what the registry takes for the latest.
    Nothing,
}

/// A dependency that no bundle of the index satisfies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsatisfied {
    /// The bundle that has it.
    pub bundle: String,
    /// Its type.
    pub kind: String,
    /// Its JSON text as stored.
    pub value: String,
    /// Why nobody can tell what it asks for.
    pub problem: Option<String>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ImagesError {
    /// The index cannot be read.
    #[error(transparent)]
    Index(Box<OpenError>),
    /// The index does not hold what was chosen.
    #[error(transparent)]
    Selection(#[from] SelectionError),
}

impl From<OpenError> for ImagesError {
    fn from(error: OpenError) -> Self {
        Self::Index(Box::new(error))
    }
}

impl Role {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bundle => "bundle",
            Self::Operator => "operator",
            Self::Related => "related",
        }
    }
}

impl NamedBy {
    /// The word for it.
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

/// The images of the bundles that are chosen: the bundle images themselves, and what their deployments and related
/// images name.
///
/// # Errors
/// When the index is damaged or does not hold what was chosen.
pub fn images(index: &Index, query: &Query) -> Result<Images, ImagesError> {
    let catalog = index.catalog_without_skip_ranges().map_err(OpenError::from)?;
    let (bundles, unsatisfied) = chosen(&catalog, query)?;
    let related = index.related_images(&catalog, &bundles)?;
    let mut found: BTreeMap<String, Vec<Use>> = BTreeMap::new();
    // By their ids, bundles come sorted by name.
    for id in bundles {
        let Some(bundle) = catalog.bundle(id) else { continue };
        let none = Vec::new();
        let images = related.get(&id).unwrap_or(&none);
        let mut roles: BTreeMap<&str, Role> = images.iter().map(|image| (image.as_str(), Role::Related)).collect();
        let runs = if images.is_empty() {
            Vec::new()
        } else {
            index.csv(bundle.manifests)?.map(|csv| run_by(&csv)).unwrap_or_default()
        };
        for image in &runs {
            if let Some(role) = roles.get_mut(image.as_str()) {
                *role = Role::Operator;
            }
        }
        let own = own_images(bundle);
        roles.extend(own.iter().map(|image| (image.as_str(), Role::Bundle)));
        for (image, role) in roles.into_iter().filter(|(image, _)| !image.is_empty()) {
            let name = bundle.name.to_string();
            found.entry(image.to_owned()).or_default().push(Use { name, role });
        }
    }
    let images = found.into_iter().map(|(image, bundles)| Image {
        named_by: NamedBy::of(&image),
        image,
        bundles,
    });
    Ok(Images {
        images: images.collect(),
        unsatisfied,
    })
}

/// The images that a bundle itself is: where it is stored by reference, and where one that is stored inline came from.
fn own_images(bundle: &Bundle) -> Vec<String> {
    let properties = bundle.properties.iter();
    let origins = properties
        .filter(|property| &*property.kind == property::IMAGE)
        .filter_map(|property| serde_json::from_str::<String>(&property.value).ok());
    origins.chain(bundle.image.as_deref().map(ToOwned::to_owned)).collect()
}

/// The images that the deployments of a ClusterServiceVersion run. One that cannot be read runs none.
fn run_by(csv: &str) -> Vec<String> {
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
    }
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Container {
        image: String,
    }
    let csv: Csv = serde_json::from_str(csv).unwrap_or_default();
    let pods = csv.spec.install.spec.deployments.into_iter();
    pods.map(|deployment| deployment.spec.template.spec)
        .flat_map(|pod| [pod.init_containers, pod.containers])
        .flatten()
        .flatten()
        .map(|container| container.image)
        .collect()
}

/// The bundles that are chosen and those that they depend on.
fn chosen(catalog: &Catalog, query: &Query) -> Result<(BTreeSet<BundleId>, Vec<Unsatisfied>), SelectionError> {
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
        let every = (0..catalog.bundles.len()).filter_map(|at| u32::try_from(at).ok());
        found.extend(every.map(BundleId).filter(fits));
    }
    let mut unsatisfied = Vec::new();
    if query.intents.is_empty() {
        return Ok((found, unsatisfied));
    }
    let mut needs = Needs::new(catalog);
    let mut waiting: Vec<BundleId> = found.iter().copied().collect();
    while let Some(id) = waiting.pop() {
        let Some(bundle) = catalog.bundle(id) else { continue };
        for need in needs.of(id) {
            if !query.intents.contains(&need.intent) {
                continue;
            }
            let (satisfying, problem) = match need.bundles {
                Ok(bundles) => (bundles, None),
                Err(reason) => (Vec::new(), Some(reason)),
            };
            if satisfying.is_empty() {
                unsatisfied.push(Unsatisfied {
                    bundle: bundle.name.to_string(),
                    kind: need.stored.kind.to_string(),
                    value: need.stored.value.to_string(),
                    problem,
                });
            }
            waiting.extend(satisfying.into_iter().filter(|id| found.insert(*id)));
        }
    }
    unsatisfied.sort_by(|one, other| (&one.bundle, &one.value).cmp(&(&other.bundle, &other.value)));
    Ok((found, unsatisfied))
}

fn in_range(bundle: &Bundle, range: &VersionRange) -> bool {
    let version = bundle.version.as_deref().map(parse_strict);
    version.is_some_and(|version| version.is_ok_and(|version| range.contains(&version)))
}
