//! Manifests and image indexes in their stored form. Their bytes are never rewritten.

use super::digest::Digest;
use super::manifest::{Descriptor, INDEX, MANIFEST, Manifest};
use super::problem::ContentProblem;
use std::sync::Arc;

/// A manifest or image index in its stored form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The descriptor of the document, as in an image index.
    pub descriptor: Descriptor,
    /// The stored bytes.
    pub bytes: Arc<[u8]>,
}

impl Document {
    /// Creates a document from bytes with this media type.
    pub fn new(media_type: &str, bytes: impl Into<Arc<[u8]>>) -> Self {
        let bytes = bytes.into();
        Self {
            descriptor: Descriptor {
                media_type: media_type.to_owned(),
                digest: Digest::of(&bytes),
                size: bytes.len() as u64,
            },
            bytes,
        }
    }

    /// Creates a document from bytes and their declared media type, if any. If the bytes themselves state a media type,
    /// it takes precedence, as in registries.
    ///
    /// # Errors
    /// Returns an error if the bytes are neither a manifest nor an image index.
    pub(super) fn read(bytes: Vec<u8>, declared: Option<&str>) -> Result<Self, ContentProblem> {
        let media_type = match Manifest::parse(&bytes, declared)? {
            Manifest::Image(manifest) => manifest.media_type,
            Manifest::Index(_) => {
                let stated: serde_json::Value = serde_json::from_slice(&bytes)?;
                let stated = stated.get("mediaType").and_then(serde_json::Value::as_str);
                let declared = declared.filter(|declared| *declared != MANIFEST);
                stated.or(declared).unwrap_or(INDEX).to_owned()
            }
        };
        Ok(Self::new(&media_type, bytes))
    }

    /// Parses the document.
    ///
    /// # Errors
    /// Returns an error if the document is neither a manifest nor an image index.
    pub fn manifest(&self) -> Result<Manifest, ContentProblem> {
        Manifest::parse(&self.bytes, Some(&self.descriptor.media_type))
    }

    /// Returns the digest of the manifest or image index to which the document refers as its subject.
    pub(crate) fn subject(&self) -> Option<Digest> {
        // Image indexes may also have a subject, but their parsed form does not contain it.
        let value: serde_json::Value = serde_json::from_slice(&self.bytes).ok()?;
        value.pointer("/subject/digest")?.as_str()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::super::manifest::{DOCKER_INDEX, DOCKER_MANIFEST};
    use super::*;

    #[test]
    fn the_media_type_in_the_document_takes_precedence_over_the_declared_one() {
        let read = |text: &str, declared| Document::read(text.into(), declared).unwrap().descriptor.media_type;
        let index = r#"{"schemaVersion":2,"manifests":[]}"#;
        assert_eq!(read(index, None), INDEX);
        assert_eq!(read(index, Some(DOCKER_INDEX)), DOCKER_INDEX);
        let stated = format!(r#"{{"schemaVersion":2,"mediaType":"{INDEX}","manifests":[]}}"#);
        assert_eq!(read(&stated, Some(DOCKER_INDEX)), INDEX);
        let digest = Digest::of(b"");
        let config = format!(r#"{{"mediaType":"c","digest":"{digest}","size":0}}"#);
        let image = format!(r#"{{"schemaVersion":2,"config":{config},"layers":[]}}"#);
        assert_eq!(read(&image, None), MANIFEST);
        assert_eq!(read(&image, Some(DOCKER_MANIFEST)), DOCKER_MANIFEST);
        assert!(Document::read(b"{}".to_vec(), None).is_err());
    }
}
