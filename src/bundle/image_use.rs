//! The images that a bundle names: in its Deployments, and as related images.

use super::references::listed;
use super::{Bundle, MediaType};
use crate::manifest::{Object, of_kind};
use crate::source::Place;
use crate::text::{Document, Path};
use serde_json::Value;
use std::ops::Range;

/// The prefix of environment variables that tell an operator which images to run.
pub(crate) const RELATED_IMAGE: &str = "RELATED_IMAGE_";

/// The lists of containers in a pod template.
pub const CONTAINERS: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];

/// A place where a bundle names an image.
#[derive(Debug, Clone)]
pub struct ImageUse {
    /// The name of the image at this place: the name of the container or volume, of the variable without its prefix, or
    /// of the related image.
    pub name: String,
    /// The reference as written.
    pub image: String,
    pub(super) document: Document,
    pub(super) path: Path,
    /// The bytes of the reference in the string.
    pub(super) part: Range<usize>,
    /// Whether the string refers to this image alone.
    is_alone: bool,
    role: Role,
}

/// The role of an image at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Container,
    Volume,
    Variable,
    Related,
    Mention,
    Example,
}

impl ImageUse {
    /// Creates an [`ImageUse`] for an image that the string at `path` only mentions, at the byte `start`.
    pub(super) fn within(
        document: &Document,
        path: Path,
        name: &str,
        (start, image): (usize, &str),
        is_alone: bool,
    ) -> Self {
        Self {
            name: name.to_owned(),
            image: image.to_owned(),
            document: document.clone(),
            path,
            part: start..start + image.len(),
            is_alone,
            role: Role::Mention,
        }
    }

    /// Whether this is an entry of the related images.
    pub fn is_related(&self) -> bool {
        self.role == Role::Related
    }

    /// Whether this is the image of a container.
    pub(crate) fn is_container(&self) -> bool {
        self.role == Role::Container
    }

    /// Whether the files of the image are mounted as a volume.
    pub(crate) fn is_volume(&self) -> bool {
        self.role == Role::Volume
    }

    /// Whether the image is in the value of a variable `RELATED_IMAGE_*`.
    pub fn is_variable(&self) -> bool {
        self.role == Role::Variable
    }

    /// Whether the image is only mentioned, in a place where tools do not look for images.
    pub(super) fn is_mention(&self) -> bool {
        matches!(self.role, Role::Mention | Role::Example)
    }

    /// Whether the image is in an example of a custom resource.
    pub fn is_in_example(&self) -> bool {
        self.role == Role::Example
    }

    /// Returns a mention as the image of an example.
    pub(super) fn in_example(self) -> Self {
        Self {
            role: Role::Example,
            ..self
        }
    }

    /// Whether the string refers to this image alone, rather than mentioning it in a longer text.
    pub fn is_alone(&self) -> bool {
        self.is_alone
    }

    /// Returns the path of the string inside its document.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the place of the string.
    pub fn place(&self) -> Place {
        self.document.place(&self.path)
    }
}

/// Returns the images of a Deployment: the images of all containers and volumes, and the images in the variables
/// `RELATED_IMAGE_*`.
pub(crate) fn of_deployment(deployment: &Object) -> Vec<ImageUse> {
    let (document, root) = deployment.document();
    let pod = ["spec", "template", "spec"]
        .iter()
        .fold(root.clone(), |path, key| path.key(key));
    placed(document, in_pod(document.value(), &pod))
}

/// Returns the images that a bundle names: in its Deployments, and as related images.
pub fn of_bundle(bundle: &Bundle) -> Vec<ImageUse> {
    let mut uses = Vec::new();
    if bundle.media_type == MediaType::K8sV1 {
        let deployments = of_kind(&bundle.objects, "apps", "Deployment");
        uses.extend(deployments.flat_map(of_deployment));
        if let Some(olm) = &bundle.olm {
            uses.extend(placed(olm, related(olm.value(), &Path::root())));
        }
    } else if let Some(csv) = bundle.csv() {
        uses.extend(of_csv(csv));
    }
    uses
}

/// Returns the images that a CSV names: in the Deployments of its install strategy, and as related images.
pub(crate) fn of_csv(csv: &Object) -> Vec<ImageUse> {
    let (document, root) = csv.document();
    placed(document, in_csv(document.value(), root))
}

fn placed<'v>(document: &Document, images: impl IntoIterator<Item = NamedImage<'v>>) -> Vec<ImageUse> {
    let images = images.into_iter().map(|found| ImageUse {
        name: found.name.to_owned(),
        image: found.image.to_owned(),
        document: document.clone(),
        path: found.path,
        part: found.start..found.start + found.image.len(),
        is_alone: found.is_alone,
        role: found.role,
    });
    images.collect()
}

/// An image that a manifest names.
pub(crate) struct NamedImage<'v> {
    /// The image as written.
    pub(crate) image: &'v str,
    /// The path of the string that contains the image.
    pub(crate) path: Path,
    name: &'v str,
    start: usize,
    is_alone: bool,
    role: Role,
}

/// Like [`of_csv`], for the CSV that is the value at `root`.
pub(crate) fn in_csv<'v>(value: &'v Value, root: &Path) -> Vec<NamedImage<'v>> {
    let at = |from: Path, keys: &[&str]| keys.iter().fold(from, |path, key| path.key(key));
    let spec = root.key("spec");
    let list = at(spec.clone(), &["install", "spec", "deployments"]);
    let deployments = (0..length(value, &list)).map(|index| at(list.index(index), &["spec", "template", "spec"]));
    let mut images: Vec<NamedImage<'_>> = deployments.flat_map(|pod| in_pod(value, &pod)).collect();
    images.extend(related(value, &spec));
    images
}

/// Returns the images of the pod template at a path: the images of all containers, the images in the variables
/// `RELATED_IMAGE_*`, and the images that are mounted as volumes.
fn in_pod<'v>(value: &'v Value, pod: &Path) -> Vec<NamedImage<'v>> {
    let text = |path: &Path| text(value, path);
    let mut images = Vec::new();
    let mut add = |path: Path, name: &'v str, role: Role| {
        let whole = text(&path);
        let parts = if role == Role::Variable {
            listed(whole)
        } else {
            vec![(0, whole)]
        };
        images.extend(
            parts
                .into_iter()
                .filter(|(_, image)| !image.is_empty())
                .map(|(start, image)| NamedImage {
                    image,
                    path: path.clone(),
                    name,
                    start,
                    is_alone: image == whole,
                    role,
                }),
        );
    };
    for field in CONTAINERS {
        let list = pod.key(field);
        for index in 0..length(value, &list) {
            let container = list.index(index);
            add(container.key("image"), text(&container.key("name")), Role::Container);
            let variables = container.key("env");
            for index in 0..length(value, &variables) {
                let variable = variables.index(index);
                if let Some(name) = text(&variable.key("name")).strip_prefix(RELATED_IMAGE) {
                    add(variable.key("value"), name, Role::Variable);
                }
            }
        }
    }
    let volumes = pod.key("volumes");
    for index in 0..length(value, &volumes) {
        let volume = volumes.index(index);
        add(
            volume.key("image").key("reference"),
            text(&volume.key("name")),
            Role::Volume,
        );
    }
    images
}

/// Returns the entries of the field `relatedImages` of a map, including those without an image.
///
/// An index lists related images as opm does, in `database/record/images.rs`, and therefore rejects values of the wrong
/// type.
pub(crate) fn related_entries<'v>(value: &'v Value, map: &Path) -> impl Iterator<Item = NamedImage<'v>> + use<'v> {
    let list = map.key("relatedImages");
    let entries = (0..length(value, &list)).map(move |index| list.index(index));
    entries.map(|entry| {
        let path = entry.key("image");
        NamedImage {
            image: text(value, &path),
            name: text(value, &entry.key("name")),
            path,
            start: 0,
            is_alone: true,
            role: Role::Related,
        }
    })
}

fn related<'v>(value: &'v Value, map: &Path) -> impl Iterator<Item = NamedImage<'v>> {
    related_entries(value, map).filter(|entry| !entry.image.is_empty())
}

fn length(value: &Value, list: &Path) -> usize {
    list.get(value).and_then(Value::as_array).map_or(0, Vec::len)
}

fn text<'v>(value: &'v Value, path: &Path) -> &'v str {
    path.get(value).and_then(Value::as_str).unwrap_or_default()
}
