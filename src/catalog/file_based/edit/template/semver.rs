//! Semver templates: image lists from which channels are generated.

use super::{TemplateEditError, TemplateEditor, field};
use crate::catalog::file_based::template::Kind;
use crate::shape::nearest;
use serde_json::{Map, Value};

use crate::catalog::file_based::template::ARCHETYPES;

impl TemplateEditor {
    /// Adds an image to the end of lists in a semver template. Returns the lists that did not contain it before.
    ///
    /// # Errors
    /// Returns an error if a list does not exist, or the template is not a semver template.
    pub fn add_image(&mut self, image: &str, streams: &[String]) -> Result<Vec<String>, TemplateEditError> {
        self.require(Kind::Semver)?;
        let mut added = Vec::new();
        for stream in streams {
            self.require_stream(stream)?;
            let capital = field(&self.value, "schema").is_some_and(|(key, _)| key.starts_with('S'));
            let Some(root) = self.value.as_object_mut() else {
                continue;
            };
            let stream_of_root = member(root, stream, capital, Value::Object(Map::new()));
            if !stream_of_root.is_object() {
                *stream_of_root = Value::Object(Map::new());
            }
            let Some(of_stream) = stream_of_root.as_object_mut() else {
                continue;
            };
            let bundles = member(of_stream, "bundles", capital, Value::Array(Vec::new()));
            if !bundles.is_array() {
                *bundles = Value::Array(Vec::new());
            }
            let Some(bundles) = bundles.as_array_mut() else {
                continue;
            };
            if bundles.iter().any(|bundle| is_of(bundle, image)) {
                continue;
            }
            let key = bundles
                .last()
                .and_then(|last| field(last, "image"))
                .map(|(key, _)| key.clone());
            let key = key.unwrap_or_else(|| spelled("image", capital));
            bundles.push(Value::Object(Map::from_iter([(key, image.into())])));
            added.push(stream.clone());
        }
        Ok(added)
    }

    /// Removes an image from one list of a semver template, or from all of them. Returns the changed lists. A list that
    /// becomes empty is removed.
    ///
    /// # Errors
    /// Returns an error if the list does not exist, none of the lists contains the image, or the template is not a
    /// semver template.
    pub fn remove_image(&mut self, image: &str, stream: Option<&str>) -> Result<Vec<String>, TemplateEditError> {
        self.require(Kind::Semver)?;
        if let Some(stream) = stream {
            self.require_stream(stream)?;
        }
        let mut removed = Vec::new();
        for name in ARCHETYPES
            .into_iter()
            .filter(|name| stream.is_none_or(|stream| stream == *name))
        {
            let Some(key) = field(&self.value, name).map(|(key, _)| key.clone()) else {
                continue;
            };
            let of_stream = self.value.get_mut(&key).and_then(Value::as_object_mut);
            let bundles = of_stream.and_then(|of_stream| {
                let key = of_stream
                    .keys()
                    .find(|key| key.eq_ignore_ascii_case("bundles"))
                    .cloned()?;
                of_stream.get_mut(&key)?.as_array_mut()
            });
            let Some(bundles) = bundles else { continue };
            let before = bundles.len();
            bundles.retain(|bundle| !is_of(bundle, image));
            if bundles.len() == before {
                continue;
            }
            removed.push(name.to_owned());
            if bundles.is_empty()
                && let Some(root) = self.value.as_object_mut()
            {
                root.shift_remove(&key);
            }
        }
        if !removed.is_empty() {
            return Ok(removed);
        }
        let (file, image) = (self.path.clone(), image.to_owned());
        let others = self.streams_with(&image);
        Err(match stream {
            Some(stream) if !others.is_empty() => TemplateEditError::OtherStream {
                file,
                image,
                stream: stream.to_owned(),
                others,
            },
            _ => TemplateEditError::Image {
                nearest: nearest(&image, self.images.iter().map(String::as_str)).map(str::to_owned),
                file,
                image,
            },
        })
    }

    /// Returns the lists that contain an image.
    fn streams_with(&self, image: &str) -> Vec<&'static str> {
        let contains = |name: &&str| {
            let stream = field(&self.value, name).and_then(|(_, stream)| field(stream, "bundles"));
            let bundles = stream.and_then(|(_, bundles)| bundles.as_array());
            bundles.is_some_and(|bundles| bundles.iter().any(|bundle| is_of(bundle, image)))
        };
        ARCHETYPES.into_iter().filter(contains).collect()
    }

    fn require_stream(&self, stream: &str) -> Result<(), TemplateEditError> {
        if ARCHETYPES.contains(&stream) {
            return Ok(());
        }
        Err(TemplateEditError::Stream {
            file: self.path.clone(),
            stream: stream.to_owned(),
        })
    }
}

fn is_of(bundle: &Value, image: &str) -> bool {
    field(bundle, "image").and_then(|(_, known)| known.as_str()) == Some(image)
}

/// Returns a key with the capitalization of the template's keys.
fn spelled(key: &str, capital: bool) -> String {
    let mut letters = key.chars();
    match letters.next() {
        Some(first) if capital => first.to_uppercase().chain(letters).collect(),
        _ => key.to_owned(),
    }
}

/// Returns the value of a key that may be capitalized. If the key is absent, adds it with the value `new`.
fn member<'v>(map: &'v mut Map<String, Value>, name: &str, capital: bool, new: Value) -> &'v mut Value {
    let known = map.keys().find(|key| key.eq_ignore_ascii_case(name)).cloned();
    map.entry(known.unwrap_or_else(|| spelled(name, capital)))
        .or_insert(new)
}
