//! Replacement of images in a bundle, based on a map that is read from a file.
//!
//! The file contains lines `FROM TO`, a list of names and images as JSON or YAML, or objects that list the mirrors of
//! registries for a cluster: `ImageDigestMirrorSet`, `ImageTagMirrorSet` and `ImageContentSourcePolicy`.

use super::edit::EditError;
use super::image_use::{self, ImageUse};
use super::mentions;
use super::pin;
use super::references::reference;
use super::{Bundle, BundleLimits};
use crate::causes::with_causes;
use crate::diagnostic::Diagnostic;
use crate::image::Reference;
use crate::source::{Place, SourceFile};
use crate::text::{self, Document, Limits, Path, kind_of};
use crate::tree::Tree;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The kinds of objects that list mirrors, each with the field of `spec` that contains the list.
const MIRROR_SETS: [(&str, &str); 3] = [
    ("ImageDigestMirrorSet", "imageDigestMirrors"),
    ("ImageTagMirrorSet", "imageTagMirrors"),
    ("ImageContentSourcePolicy", "repositoryDigestMirrors"),
];

/// Images and their replacements.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImageMap {
    /// Registries, folders of repositories, repositories and images, each with its replacement.
    places: BTreeMap<String, Target>,
    /// Images, by the names that a bundle uses for them.
    names: BTreeMap<String, String>,
    /// Mirrors. A mirror that matches no image of the bundle is not reported as unused.
    mirrors: BTreeMap<String, Target>,
}

/// A replacement, and its place in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Target {
    to: String,
    place: Place,
}

/// A replaced image.
struct Moved<'m> {
    /// The entry of the map.
    from: &'m str,
    /// The replacement.
    image: String,
    /// The place of the entry.
    place: &'m Place,
}

/// An error while replacing images.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapImagesError {
    /// An entry of the map gives no valid image.
    #[error(transparent)]
    Map(#[from] ImageMapError),
    /// A file of the bundle cannot be edited.
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// An error while reading an image map.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {message}")]
pub struct ImageMapError {
    /// The place of the error.
    pub place: Place,
    /// A description of the error.
    pub message: String,
}

/// The result of applying a map to a bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mapped {
    /// The replaced images as written in the bundle, each with its replacement.
    pub images: BTreeMap<String, String>,
    /// The images and names in the map that the bundle does not use.
    pub unused: Vec<String>,
}

impl ImageMap {
    /// Parses a map from the content of a file. `name` is the path to show in errors.
    ///
    /// # Errors
    /// Returns an error that points at the line if the content is not an image map.
    pub fn read(name: &str, bytes: &[u8], limits: &Limits) -> Result<Self, ImageMapError> {
        let text = String::from_utf8_lossy(bytes);
        let is_structured = text.trim_start().starts_with(['[', '{'])
            || text
                .lines()
                .any(|line| line.starts_with("kind:") || line.starts_with("- "));
        if is_structured {
            Self::of_documents(name, bytes, limits)
        } else {
            Self::of_lines(name, &text)
        }
    }

    fn of_lines(name: &str, text: &str) -> Result<Self, ImageMapError> {
        let source = SourceFile::new(name, text);
        let mut map = Self::default();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let place = Place::new(&source, start..start + line.trim_end().len());
            start += line.len();
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |message: String| ImageMapError {
                place: place.clone(),
                message,
            };
            let words: Vec<&str> = match line.split_once('=') {
                Some((from, to)) => vec![from.trim(), to.trim()],
                None => line.split_whitespace().collect(),
            };
            let [from, to] = words[..] else {
                return Err(wrong(format!("expected FROM TO or FROM=TO, found {line:?}")));
            };
            for image in [from, to] {
                if !is_image(image) {
                    return Err(wrong(format!(
                        "{image:?} is not a valid reference to an image in a registry"
                    )));
                }
            }
            let target = Target {
                to: to.to_owned(),
                place: place.clone(),
            };
            if let Some(Target { to: other, .. }) = map.places.insert(from.to_owned(), target)
                && other != to
            {
                return Err(wrong(format!("{from} is mapped to {to} here, but to {other} above")));
            }
        }
        Ok(map)
    }

    fn of_documents(name: &str, bytes: &[u8], limits: &Limits) -> Result<Self, ImageMapError> {
        let reading = text::read(name, bytes, limits);
        if let Some(finding) = reading.diagnostics.into_iter().find(Diagnostic::is_error) {
            let whole = || Place::new(&SourceFile::new(name, ""), 0..0);
            return Err(ImageMapError {
                place: finding.place.unwrap_or_else(whole),
                message: finding.message,
            });
        }
        let mut map = Self::default();
        for document in reading.documents {
            match document.value() {
                Value::Null => {}
                Value::Array(items) => {
                    for index in 0..items.len() {
                        map.add_name(&document, &Path::root().index(index))?;
                    }
                }
                _ => map.add_mirrors(&document)?,
            }
        }
        Ok(map)
    }

    /// Adds an entry from a list of names and images.
    fn add_name(&mut self, document: &Document, item: &Path) -> Result<(), ImageMapError> {
        let (name, image) = (
            text_at(document, &item.key("name"))?,
            text_at(document, &item.key("image"))?,
        );
        let wrong = |message: String| ImageMapError {
            place: document.place(item),
            message,
        };
        if !is_image(image) {
            return Err(wrong(format!(
                "{image:?} is not a valid reference to an image in a registry"
            )));
        }
        if let Some(other) = self.names.insert(plain(name), image.to_owned())
            && other != image
        {
            return Err(wrong(format!("{name} is mapped to {image} here, but to {other} above")));
        }
        Ok(())
    }

    /// Adds the mirrors listed in an object.
    fn add_mirrors(&mut self, document: &Document) -> Result<(), ImageMapError> {
        let kind = text_at(document, &Path::from("kind"))?;
        let Some((_, field)) = MIRROR_SETS.iter().find(|(known, _)| *known == kind) else {
            let kinds: Vec<&str> = MIRROR_SETS.iter().map(|(kind, _)| *kind).collect();
            return Err(ImageMapError {
                place: document.place(&Path::from("kind")),
                message: format!(
                    "the kind {kind} defines no mirrors; expected one of {}",
                    kinds.join(", ")
                ),
            });
        };
        let list = Path::from("spec").key(field);
        let length = list.get(document.value()).and_then(Value::as_array).map_or(0, Vec::len);
        for index in 0..length {
            let item = list.index(index);
            let source = text_at(document, &item.key("source"))?;
            let first = item.key("mirrors").index(0);
            let mirror = text_at(document, &first)?;
            let is_allowed = |character: char| character.is_ascii_alphanumeric() || "._-:/@".contains(character);
            if !mirror.chars().all(is_allowed) {
                return Err(ImageMapError {
                    place: document.place(&first),
                    message: format!("{mirror:?} is not a registry or repository"),
                });
            }
            // Several objects may name the same source; the first mirror of the first object wins, as in a cluster.
            self.mirrors.entry(source.to_owned()).or_insert_with(|| Target {
                to: mirror.to_owned(),
                place: document.place(&first),
            });
        }
        Ok(())
    }

    /// Returns the replacement for an image. The longest matching entry wins.
    fn of(&self, image: &str) -> Option<Moved<'_>> {
        let qualified_image = qualified(image);
        let mut found: Option<(usize, Moved<'_>)> = None;
        for (from, Target { to, place }) in self.mirrors.iter().chain(&self.places) {
            if let Some((length, image)) = moved_in_any_spelling(image, &qualified_image, from, to)
                && found.as_ref().is_none_or(|(longest, _)| *longest <= length)
            {
                found = Some((length, Moved { from, image, place }));
            }
        }
        found.map(|(_, moved)| moved)
    }
}

impl Moved<'_> {
    /// Checks that the replacement of a valid image is a valid image.
    fn check(&self, original: &str) -> Result<(), ImageMapError> {
        if original.parse::<Reference>().is_err() {
            return Ok(());
        }
        let problem = match self.image.parse() {
            Ok(Reference::Registry(_)) => return Ok(()),
            Ok(_) => format!("{:?} is not an image in a registry", self.image),
            Err(error) => with_causes(&error),
        };
        Err(ImageMapError {
            place: self.place.clone(),
            message: format!("{} cannot replace the image {original}: {problem}", self.from),
        })
    }
}

/// Returns an image with its registry and its complete repository, both of which a reference to Docker Hub may omit.
fn qualified(image: &str) -> String {
    reference(image).map_or_else(|| image.to_owned(), |reference| reference.qualified())
}

/// Returns the image below `to` that corresponds to an image below `from`, and the length of the part of the qualified
/// image that `from` matches.
fn moved_in_any_spelling(image: &str, qualified_image: &str, from: &str, to: &str) -> Option<(usize, String)> {
    if let Some(moved) = moved(image, from, to) {
        let length = (qualified_image.len() + from.len()).saturating_sub(image.len());
        return Some((length, moved));
    }
    let qualified_from = qualified(from);
    [from, &qualified_from]
        .into_iter()
        .find_map(|from| Some((from.len(), moved(qualified_image, from, to)?)))
}

/// Returns the image below `to` that corresponds to an image below `from`.
fn moved(image: &str, from: &str, to: &str) -> Option<String> {
    let rest = match from.strip_prefix("*.") {
        // `*.` stands for all subdomains of a domain.
        Some(domain) => {
            let (host, _) = image.split_once('/')?;
            let name = host.strip_suffix(domain)?;
            name.ends_with('.').then(|| &image[host.len()..])?
        }
        None => image.strip_prefix(from)?,
    };
    // Without a path, a colon precedes a port instead of a tag.
    let last = to.rsplit_once('/').map(|(_, last)| last);
    let is_whole = last.is_some_and(|last| last.contains([':', '@']));
    match rest.chars().next() {
        None => Some(to.to_owned()),
        // The same host with another port is another registry.
        Some(':' | '@') if !from.contains('/') => None,
        // A target with a tag or digest replaces every image of the repository.
        Some(':' | '@') if is_whole => Some(to.to_owned()),
        Some('/' | ':' | '@') => Some(format!("{to}{rest}")),
        Some(_) => None,
    }
}

fn is_image(text: &str) -> bool {
    // A registry without a path is not a reference.
    matches!(text.parse(), Ok(Reference::Registry(_)))
        || matches!(format!("{text}/x").parse(), Ok(Reference::Registry(_)))
}

fn text_at<'d>(document: &'d Document, path: &Path) -> Result<&'d str, ImageMapError> {
    let value = path.get(document.value());
    let text = value.and_then(Value::as_str).filter(|text| !text.is_empty());
    text.ok_or_else(|| ImageMapError {
        place: document.place(path),
        message: match value {
            None => format!("{path} is missing"),
            Some(value) => format!("{path} is {}, not a non-empty string", kind_of(value)),
        },
    })
}

/// Normalizes a name: `AGENT_IMAGE`, `agent_image` and `agent-image` are the same.
fn plain(name: &str) -> String {
    name.to_lowercase().replace('_', "-")
}

/// Replaces the images in the Deployments, related images and annotations of a bundle according to the map. Also
/// replaces the images that arguments, variables, ConfigMaps and examples mention, but not those in comments.
///
/// # Errors
/// Returns an error if an entry of the map does not give a valid image, a changed file exceeds a limit, or its form
/// does not allow the edit.
pub fn map_images(
    tree: &mut Tree,
    bundle: &Bundle,
    map: &ImageMap,
    limits: &BundleLimits,
) -> Result<Mapped, MapImagesError> {
    let named = image_use::of_bundle(bundle);
    let mut by_name: BTreeMap<String, String> = BTreeMap::new();
    let mut used: BTreeSet<&str> = BTreeSet::new();
    for one in &named {
        // A name cannot distinguish the images of a list.
        if let Some((name, image)) = map.names.get_key_value(&plain(&one.name)).filter(|_| one.is_alone()) {
            used.insert(name);
            by_name.entry(one.image.clone()).or_insert_with(|| image.clone());
        }
    }
    let mut mapped = Mapped::default();
    let mut checked = Ok(());
    let mut target = |image: &str| {
        let found = match by_name.get(image) {
            Some(target) => Some(target.clone()),
            None => map.of(image).map(|moved| {
                if checked.is_ok() {
                    checked = moved.check(image);
                }
                used.insert(moved.from);
                moved.image
            }),
        };
        let target = found.filter(|target| target != image)?;
        mapped.images.insert(image.to_owned(), target.clone());
        Some(target)
    };
    let replacement = |one: &ImageUse| {
        let own = map
            .names
            .get(&plain(&one.name))
            .filter(|_| !one.is_mention() && one.is_alone());
        let image = target(&one.image)?;
        Some(own.cloned().unwrap_or(image))
    };
    let edits = pin::replacements(&mentions::replaceable(bundle), replacement);
    checked?;
    edits.apply(tree, limits)?;
    let entries = map.places.keys().chain(map.names.keys());
    mapped.unused = entries
        .filter(|entry| !used.contains(entry.as_str()))
        .cloned()
        .collect();
    Ok(mapped)
}

#[cfg(test)]
mod tests;
