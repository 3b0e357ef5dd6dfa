//! Images to be tagged: a single image, or images for several platforms.

use super::digest::Digest;
use super::document::Document;
use super::error::ImageError;
use super::image::Image;
use super::manifest::{Descriptor, INDEX};
use super::platform::Offer;
use super::problem::BuildProblem;
use serde_json::{Map, Value, json};

/// The keys for the platform in an image config and in the entries of an image index.
const PLATFORM_KEYS: [&str; 5] = ["architecture", "os", "os.version", "os.features", "variant"];

/// An image, or an image index with its images, to be written under one tag.
#[derive(Debug, Clone)]
pub struct Tagged {
    document: Document,
    /// The image indexes that the document references.
    indexes: Vec<Document>,
    images: Vec<Image>,
}

impl Offer {
    /// Returns the platform and digest of an image if its config specifies a platform.
    pub(super) fn of_image(image: &Image) -> Option<Self> {
        let (platform, digest) = (image.platform()?, image.digest());
        platform.is_real().then_some(Self { platform, digest })
    }
}

impl From<&Image> for Tagged {
    fn from(image: &Image) -> Self {
        Self {
            document: document_of(image),
            indexes: Vec::new(),
            images: vec![image.clone()],
        }
    }
}

impl Tagged {
    /// Creates an image index of these images, sorted by platform, so that its bytes do not depend on the order of
    /// `images`.
    ///
    /// # Errors
    /// Returns an error if the config of an image does not specify a platform, or two images have the same platform.
    pub fn for_platforms(images: Vec<Image>) -> Result<Self, ImageError> {
        let mut entries = Vec::with_capacity(images.len());
        for image in images {
            let image_digest = image.digest();
            let platform = image.platform();
            let platform = platform.ok_or(BuildProblem::NoPlatform { image: image_digest })?;
            let described = described_platform(&image);
            entries.push((platform, described, image));
        }
        entries.sort_by_cached_key(|(platform, described, _)| (platform.clone(), described.to_string()));
        let twice = entries
            .iter()
            .zip(entries.iter().skip(1))
            .find(|(one, next)| one.1 == next.1);
        if let Some(((platform, ..), _)) = twice {
            let platform = platform.clone();
            return Err(BuildProblem::SamePlatform { platform }.into());
        }
        let manifests: Vec<Value> = entries
            .iter()
            .map(|(_, described, image)| {
                let Descriptor {
                    media_type,
                    digest,
                    size,
                } = document_of(image).descriptor;
                json!({"mediaType": media_type, "digest": digest.to_string(), "size": size, "platform": described})
            })
            .collect();
        let index = json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests});
        Ok(Self {
            document: Document::new(INDEX, index.to_string().into_bytes()),
            indexes: Vec::new(),
            images: entries.into_iter().map(|(.., image)| image).collect(),
        })
    }

    /// Combines a manifest or image index in its stored form with the image indexes and images behind it, or with some
    /// of them. Only for layouts and archives: the image indexes are in any order, which registries may reject.
    pub(crate) fn stored(document: Document, indexes: Vec<Document>, images: Vec<Image>) -> Self {
        Self {
            document,
            indexes,
            images,
        }
    }

    /// Returns the digest that the tag will refer to.
    pub fn digest(&self) -> Digest {
        self.document.descriptor.digest
    }

    /// Returns the images, sorted by platform.
    pub fn images(&self) -> &[Image] {
        &self.images
    }

    /// Returns the document that the tag will refer to: the manifest of the single image, or the image index.
    pub(super) fn document(&self) -> &Document {
        &self.document
    }

    /// Iterates over the manifests and image indexes behind the image index.
    pub(super) fn behind(&self) -> impl Iterator<Item = Document> {
        let documents = self.images.iter().map(document_of).chain(self.indexes.iter().cloned());
        documents.filter(|document| document.descriptor.digest != self.digest())
    }

    /// Returns the name of the image or image index in messages.
    pub(super) fn origin(&self) -> String {
        match self.images.as_slice() {
            [image] if image.digest() == self.digest() => image.origin().to_owned(),
            _ => format!("the image index {}", self.digest()),
        }
    }
}

fn document_of(image: &Image) -> Document {
    Document {
        descriptor: Descriptor {
            media_type: image.media_type().to_owned(),
            digest: image.digest(),
            size: image.manifest().len() as u64,
        },
        bytes: image.manifest().into(),
    }
}

fn described_platform(image: &Image) -> Value {
    let config = image.config_value();
    let found = PLATFORM_KEYS.iter().filter_map(|key| {
        let value = config.get(key)?;
        Some(((*key).to_owned(), value.clone()))
    });
    Value::Object(found.collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causes::with_causes;
    use crate::image::manifest::MANIFEST;
    use crate::image::{ImageConfig, build};

    fn image(architecture: &str) -> Image {
        let config = ImageConfig {
            architecture: architecture.to_owned(),
            ..ImageConfig::default()
        };
        build(&config, Vec::new()).unwrap()
    }

    #[test]
    fn an_image_index_is_independent_of_the_order_of_its_images() {
        let of = |architectures: &[&str]| {
            let images = architectures.iter().map(|architecture| image(architecture));
            Tagged::for_platforms(images.collect()).unwrap()
        };
        let index = of(&["s390x", "amd64", "arm64"]);
        assert_eq!(index.digest(), of(&["arm64", "s390x", "amd64"]).digest());
        let value: Value = serde_json::from_slice(&index.document().bytes).unwrap();
        assert_eq!(value["mediaType"], INDEX);
        let first = &value["manifests"][0];
        assert_eq!(first["platform"], json!({"architecture": "amd64", "os": "linux"}));
        assert_eq!(
            (&first["mediaType"], &first["digest"]),
            (&json!(MANIFEST), &json!(image("amd64").digest().to_string()))
        );
        assert_eq!(index.behind().count(), 3);
    }

    #[test]
    fn a_single_image_is_tagged_without_an_index() {
        let image = image("amd64");
        let tagged = Tagged::from(&image);
        assert_eq!(tagged.digest(), image.digest());
        assert_eq!(tagged.document().descriptor.media_type, MANIFEST);
        assert_eq!(tagged.behind().count(), 0);
        assert_eq!(tagged.origin(), image.origin());
    }

    #[test]
    fn two_images_for_one_platform_are_rejected() {
        let error = Tagged::for_platforms(vec![image("arm64"), image("amd64"), image("arm64")]).unwrap_err();
        assert_eq!(
            with_causes(&error),
            "cannot build the image: two images have the platform linux/arm64"
        );
    }
}
