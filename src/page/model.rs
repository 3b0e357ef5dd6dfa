//! A package in memory, with everything that its pages show.

use super::access::{self, Access};
use super::crd_fields::Definition;
use super::csv_facts::{self, Api, Facts};
use super::findings::{self, Finding};
use super::icon::Icon;
use super::lifecycle::{self, Line};
use super::path;
use super::probe::Sizes;
use super::relations::{Needed, Relations};
use super::workload::{self, Deployment, Webhook};
use crate::catalog::file_based::document::Document;
use crate::catalog::file_based::{Deprecation, RelatedImage, Schema};
use crate::catalog::published::published;
use crate::catalog::{Bundle, BundleId, Catalog, Channel, Package, olm_v1};
use crate::csv::Csv;
use crate::image::Reference;
use crate::index::open::{Described, DescribedPackage};
use crate::olm::property::{DEPRECATED, holds_manifests};
use crate::steps::Content;
use crate::version::parse_tolerant;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The data about a package that is read from the index.
#[derive(Debug)]
pub(super) struct Input<'c> {
    pub(super) package: &'c Package,
    pub(super) described: DescribedPackage,
    /// The bundles in its channels.
    pub(super) bundles: Vec<(BundleId, &'c Bundle, Described)>,
    /// The bundles whose images the program tried to read, each with the reason if reading failed.
    pub(super) image_reads: HashMap<BundleId, Result<(), String>>,
    pub(super) sizes: Sizes,
}

/// A package.
#[derive(Debug)]
pub(super) struct Model<'c> {
    pub(super) package: &'c Package,
    pub(super) catalog: &'c Catalog,
    pub(super) icon: Option<Icon>,
    /// The deprecation message, if the package is deprecated.
    pub(super) deprecated: Option<String>,
    /// The deprecated channels, each with a message.
    pub(super) deprecated_channels: BTreeMap<String, String>,
    /// The support periods of versions.
    pub(super) lines: Vec<Line>,
    /// The versions, newest first.
    pub(super) versions: Vec<Release>,
    /// The sizes of the images of all versions.
    pub(super) sizes: Sizes,
    /// The bundle that OLM v1 installs from the default channel or, if there is none, from any channel.
    chosen_by_olm_v1: Option<BundleId>,
    /// The position of each bundle in `versions`.
    places: HashMap<BundleId, usize>,
    /// The position of each bundle in `versions`, by name.
    names: HashMap<String, usize>,
}

/// A version.
#[derive(Debug)]
pub(super) struct Release {
    pub(super) id: BundleId,
    /// The name of the bundle.
    pub(super) name: String,
    /// The version, or the bundle name if there is no version.
    pub(super) version: String,
    /// The bundle image.
    pub(super) image: String,
    /// Whether the bundle image could be read; `None` if the program did not try to read it.
    pub(super) image_read: Option<Result<(), String>>,
    /// Whether the catalog contains the ClusterServiceVersion or a summary of it.
    pub(super) has_csv: bool,
    /// The path of the page from the root.
    pub(super) path: String,
    pub(super) facts: Facts,
    pub(super) owned: Vec<Api>,
    pub(super) required: Vec<Api>,
    /// The definitions, sorted by name.
    pub(super) definitions: Vec<Arc<Definition>>,
    /// The permissions, or the reason why they are unknown; `None` if the catalog does not contain the manifests.
    pub(super) access: Option<Result<Access, String>>,
    pub(super) deployments: Vec<Deployment>,
    pub(super) webhooks: Vec<Webhook>,
    pub(super) images: Vec<RelatedImage>,
    /// The dependencies, with links relative to the page of a version.
    pub(super) needs: Vec<Needed>,
    pub(super) findings: Option<Vec<Finding>>,
    pub(super) deprecated: Option<String>,
    /// The reasons why OLM v1 does not install the version.
    pub(super) refused_by_olm_v1: Vec<String>,
    /// The channels that contain the version.
    pub(super) channels: Vec<InChannel>,
}

/// The pairs of versions to compare, each with the older version first; the newest pair comes first.
pub(super) type Compared = Vec<(BundleId, BundleId)>;

/// A channel that contains a version.
#[derive(Debug)]
pub(super) struct InChannel {
    pub(super) name: String,
    /// The anchor of the channel on the page of the package.
    pub(super) id: String,
    pub(super) is_head: bool,
}

impl Release {
    /// Whether the catalog contains the manifests.
    pub(super) fn has_manifests(&self) -> bool {
        self.access.is_some()
    }

    /// Returns the definition of an API that the version includes.
    pub(super) fn definition(&self, name: &str) -> Option<&Arc<Definition>> {
        let place = self
            .definitions
            .binary_search_by(|definition| definition.name.as_str().cmp(name));
        self.definitions.get(place.ok()?)
    }
}

/// Whether an image is referenced by digest, so that it cannot be replaced.
pub(super) fn is_pinned(image: &str) -> bool {
    image
        .parse::<Reference>()
        .is_ok_and(|reference| reference.digest().is_some())
}

/// Returns the anchor of a channel on the page of its package.
pub(super) fn channel_id(channel: &str) -> String {
    format!("channel-{}", path::anchor(channel))
}

impl<'c> Model<'c> {
    /// Builds the model of a package.
    pub(super) fn new(catalog: &'c Catalog, input: Input<'c>, relations: &Relations) -> Self {
        let Input {
            package,
            described,
            bundles,
            mut image_reads,
            sizes,
        } = input;
        let (deprecated, deprecated_channels, deprecated_bundles) = deprecations(&described.deprecations);
        let mut channels_of: HashMap<BundleId, Vec<&Channel>> = HashMap::new();
        for channel in &package.channels {
            for entry in &channel.entries {
                channels_of.entry(entry.bundle).or_default().push(channel);
            }
        }
        let lines = lines(&described.others);
        let mut definitions = HashMap::new();
        let mut versions: Vec<Release> = Vec::new();
        let mut icons: HashMap<BundleId, String> = HashMap::new();
        for (id, bundle, read) in bundles {
            let csv: Value = read
                .csv
                .as_deref()
                .and_then(|csv| serde_json::from_str(csv).ok())
                .unwrap_or_default();
            if let Some(icon) = csv.pointer("/spec/icon/0/base64data").and_then(Value::as_str) {
                icons.insert(id, icon.to_owned());
            }
            let mut version = version(
                package,
                (id, bundle),
                &csv,
                &read,
                &described.description,
                &mut definitions,
            );
            version.channels = channels_of
                .get(&id)
                .into_iter()
                .flatten()
                .map(|channel| InChannel {
                    name: channel.name.to_string(),
                    id: channel_id(&channel.name),
                    is_head: channel.head.as_ref() == Some(&bundle.name),
                })
                .collect();
            version.facts.rows.extend(lifecycle::facts(&lines, &version.version));
            version.needs = relations.needs(id, &path::up(&version.path));
            version.image_read = image_reads.remove(&id);
            version.deprecated = version
                .deprecated
                .or_else(|| deprecated_bundles.get(&*bundle.name).cloned());
            versions.push(version);
        }
        versions.sort_by_cached_key(|version| {
            let parsed = parse_tolerant(&version.version);
            (Reverse(parsed), Reverse(version.name.clone()))
        });
        let places = versions
            .iter()
            .enumerate()
            .map(|(place, version)| (version.id, place))
            .collect();
        let names = versions.iter().enumerate().rev();
        let names = names.map(|(place, version)| (version.name.clone(), place)).collect();
        let mut model = Self {
            package,
            catalog,
            icon: None,
            deprecated,
            deprecated_channels,
            lines,
            versions,
            sizes,
            chosen_by_olm_v1: None,
            places,
            names,
        };
        let default = model.default_channel();
        let channels = default.map_or(&package.channels[..], std::slice::from_ref);
        model.chosen_by_olm_v1 = olm_v1::chosen(catalog, channels, |bundle| {
            deprecated_bundles.contains_key(&*bundle.name)
        });
        let of_head = || icons.get(&model.representative()?.id).map(String::as_str);
        model.icon = described
            .icon
            .as_deref()
            .and_then(Icon::read)
            .or_else(|| of_head().and_then(Icon::read));
        model
    }

    /// Returns the version of a bundle.
    pub(super) fn version(&self, id: BundleId) -> Option<&Release> {
        self.versions.get(*self.places.get(&id)?)
    }

    /// Returns the version of the bundle with this name.
    pub(super) fn named(&self, name: &str) -> Option<&Release> {
        self.versions.get(*self.names.get(name)?)
    }

    /// Returns the head of a channel.
    pub(super) fn head(&self, channel: &Channel) -> Option<&Release> {
        self.named(channel.head.as_deref()?)
    }

    /// Returns the channel that is used if the user specifies none.
    pub(super) fn default_channel(&self) -> Option<&'c Channel> {
        let named = self.package.default_channel.as_deref();
        let named = named.and_then(|name| self.package.channel(name));
        named.or(match &self.package.channels[..] {
            [only] => Some(only),
            _ => None,
        })
    }

    /// Returns the reason why a new installation that names no channel gets no version, if there is one.
    pub(super) fn unpublished(&self) -> Option<String> {
        let head = published(self.catalog, &self.package.name, None);
        head.err().map(|error| error.to_string())
    }

    /// Returns the version that represents the package: the head of the default channel or, if there is none, the
    /// newest version.
    pub(super) fn representative(&self) -> Option<&Release> {
        let head = self.default_channel().and_then(|channel| self.head(channel));
        head.or_else(|| self.versions.first())
    }

    /// Returns the version that OLM v1 installs if the user does not request a version.
    pub(super) fn chosen_by_olm_v1(&self) -> Option<&Release> {
        self.version(self.chosen_by_olm_v1?)
    }

    /// Returns the display name.
    pub(super) fn display_name(&self) -> &str {
        let shown = self.representative().map(|version| version.facts.display_name.as_str());
        shown.filter(|name| !name.is_empty()).unwrap_or(&self.package.name)
    }

    /// Returns the pairs of versions to compare: the updates that OLM makes, and the replacements that the versions
    /// name.
    pub(super) fn compared(&self) -> Compared {
        let mut pairs = BTreeSet::new();
        for channel in &self.package.channels {
            for entry in &channel.entries {
                let replaced = entry.replaces.as_deref().and_then(|name| self.named(name));
                pairs.extend(replaced.map(|from| (from.id, entry.bundle)));
            }
            let taken = crate::catalog::updates::updates(self.catalog, channel);
            pairs.extend(taken.iter().map(|update| (update.from, update.to)));
        }
        let known = |id: &BundleId| self.places.contains_key(id);
        pairs.retain(|(from, to)| known(from) && known(to) && from != to);
        let mut pairs: Vec<(BundleId, BundleId)> = pairs.into_iter().collect();
        let place = |id: BundleId| self.places.get(&id).copied();
        pairs.sort_by_key(|(from, to)| (place(*to), place(*from)));
        pairs
    }
}

/// Returns the support periods from a catalog, or none if several documents define them.
fn lines(documents: &[Document]) -> Vec<Line> {
    let mut about = documents
        .iter()
        .filter(|document| document.schema() == Some(Schema::Lifecycles));
    let (Some(one), None) = (about.next(), about.next()) else {
        return Vec::new();
    };
    let versions = one
        .field("versions")
        .and_then(|field| serde_json::from_str::<Value>(field.get()).ok());
    lifecycle::lines(&json!({ "versions": versions }))
}

/// The deprecation messages of the package, its channels and its bundles.
type Deprecations = (Option<String>, BTreeMap<String, String>, BTreeMap<String, String>);

fn deprecations(written: &[Deprecation]) -> Deprecations {
    let (mut package, mut channels, mut bundles) = (None, BTreeMap::new(), BTreeMap::new());
    for Deprecation { reference, message } in written {
        let name = reference.name.clone();
        match reference.schema {
            Some(Schema::Package) => package = Some(message.clone()),
            Some(Schema::Channel) => {
                channels.insert(name, message.clone());
            }
            Some(Schema::Bundle) => {
                bundles.insert(name, message.clone());
            }
            _ => {}
        }
    }
    (package, channels, bundles)
}

/// The definitions that the versions of a package share.
type Definitions = HashMap<(String, String), Arc<Definition>>;

fn version(
    package: &Package,
    (id, bundle): (BundleId, &Bundle),
    csv: &Value,
    read: &Described,
    description: &str,
    known: &mut Definitions,
) -> Release {
    let objects: Vec<Value> = read
        .objects
        .iter()
        .filter_map(|object| serde_json::from_str(object).ok())
        .collect();
    let mut definitions: Vec<Arc<Definition>> = objects
        .iter()
        .filter_map(Definition::read)
        .map(|definition| {
            let key = (definition.name.clone(), definition.digest.clone());
            Arc::clone(known.entry(key).or_insert_with(|| Arc::new(definition)))
        })
        .collect();
    definitions.sort_by(|one, other| one.name.cmp(&other.name));
    definitions.dedup_by(|one, other| one.name == other.name);
    let has_manifests = !objects.is_empty() && Csv(csv).get(&["spec", "install"]).is_some();
    let refused = {
        let objects: Vec<&Value> = objects.iter().collect();
        let refusals = olm_v1::refusals::of_bundle(bundle, Csv(csv), has_manifests.then_some(&objects[..]));
        refusals.into_iter().map(|refusal| refusal.reason).collect()
    };
    let content = has_manifests.then(|| content(package, bundle, csv, objects));
    let is_deprecated = bundle.properties.iter().any(|property| &*property.kind == DEPRECATED);
    let version = bundle.version.as_deref().filter(|version| !version.is_empty());
    Release {
        id,
        name: bundle.name.to_string(),
        version: version.unwrap_or(&bundle.name).to_owned(),
        image: bundle.image.as_deref().unwrap_or_default().to_owned(),
        image_read: None,
        has_csv: !csv.is_null(),
        path: path::version(&package.name, &bundle.name),
        facts: Facts::read(bundle, csv, description),
        owned: csv_facts::apis(bundle, csv, "owned"),
        required: csv_facts::apis(bundle, csv, "required"),
        definitions,
        access: content.as_ref().map(access::access),
        deployments: workload::deployments(csv),
        webhooks: workload::webhooks(csv),
        images: read.related_images.clone(),
        needs: Vec::new(),
        findings: content.and_then(|_| findings::findings(package, bundle, &read.objects)),
        deprecated: is_deprecated.then(String::new),
        refused_by_olm_v1: refused,
        channels: Vec::new(),
    }
}

/// Returns the bundle in the form that OLM uses.
fn content(package: &Package, bundle: &Bundle, csv: &Value, objects: Vec<Value>) -> Content {
    let is_csv = |object: &Value| object.get("kind").and_then(Value::as_str) == Some(crate::csv::KIND);
    let properties = bundle
        .properties
        .iter()
        .filter(|property| !holds_manifests(&property.kind));
    let properties = properties.map(|property| {
        let value: Value = serde_json::from_str(&property.value).unwrap_or_default();
        crate::olm::property::Property::new(&*property.kind, value)
    });
    Content {
        name: bundle.name.to_string(),
        package: package.name.to_string(),
        csv: csv.clone(),
        objects: objects.into_iter().filter(|object| !is_csv(object)).collect(),
        properties: properties.collect(),
        served: None,
    }
}
