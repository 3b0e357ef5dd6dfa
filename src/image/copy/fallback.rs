//! Fallback for registries without a referrers API: an image index that lists the referrers of a manifest, under a tag
//! derived from the manifest digest.

use crate::image::digest::Digest;
use crate::image::document::Document;
use crate::image::error::ImageError;
use crate::image::manifest::{INDEX, IndexEntry, Manifest};
use crate::image::reference::{RegistryReference, fallback_tag};
use crate::image::transport::Transports;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the referrers of a manifest, from the referrers API of the registry or from the fallback tag.
///
/// # Errors
/// Returns an error if a request to the registry fails, or access is refused.
pub async fn referrers(
    target: &Transports,
    repository: &RegistryReference,
    subject: &Digest,
) -> Result<BTreeSet<Digest>, ImageError> {
    let digests = |entries: Vec<IndexEntry>| entries.into_iter().map(|entry| entry.descriptor.digest).collect();
    let refused = match target.referrers(&repository.with_digest(subject)).await {
        Ok(Some(entries)) => return Ok(digests(entries)),
        Ok(None) => None,
        // Some registries refuse access instead of reporting that they do not support the request. Their fallback lists
        // are valid.
        Err(error) if error.is_login() => Some(error),
        Err(error) => return Err(error),
    };
    let list = target.find(&repository.with_tag(&fallback_tag(subject))?).await?;
    match (list.map(|list| list.manifest()), refused) {
        (Some(Ok(Manifest::Index(entries))), _) => Ok(digests(entries)),
        (_, Some(error)) => Err(error),
        (_, None) => Ok(BTreeSet::new()),
    }
}

/// The reason why a fallback list cannot be changed.
#[derive(Debug, thiserror::Error)]
pub(super) enum ListError {
    /// A request to the registry failed.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The tag of the list belongs to something else, which must not be overwritten.
    #[error("the tag {tag} refers to something other than a list of referrers, so it is left unchanged")]
    Taken {
        /// The tag.
        tag: String,
    },
}

/// Returns the entries of a fallback list, or `None` if the document is not a fallback list. The document may be the
/// image itself, for example, because some tools tag images in the same way. The entries of an image index have
/// platforms, but the entries of a fallback list do not.
fn entries(list: &Document, subject: &Digest) -> Option<Vec<Value>> {
    if list.descriptor.digest == *subject {
        return None;
    }
    let Ok(Manifest::Index(known)) = list.manifest() else {
        return None;
    };
    if known.iter().any(|entry| entry.platform.is_some()) {
        return None;
    }
    let list: Value = serde_json::from_slice(&list.bytes).ok()?;
    list.get("manifests")?.as_array().cloned()
}

fn names_digest(entry: &Value, digest: &Digest) -> bool {
    entry.get("digest").and_then(Value::as_str) == Some(digest.to_string().as_str())
}

fn index(entries: &[Value]) -> Document {
    let index = json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries});
    Document::new(INDEX, index.to_string().into_bytes())
}

/// Adds manifests to the fallback list of the referrers of `subject`, and keeps the existing entries.
pub(super) async fn list(
    target: &Transports,
    repository: &RegistryReference,
    subject: &Digest,
    referrers: &BTreeMap<Digest, Document>,
) -> Result<(), ListError> {
    let tag = fallback_tag(subject);
    let reference = repository.with_tag(&tag).map_err(ImageError::from)?;
    let mut entries = match target.find(&reference).await? {
        Some(known) => entries(&known, subject).ok_or(ListError::Taken { tag })?,
        None => Vec::new(),
    };
    let before = entries.len();
    for (digest, document) in referrers {
        if !entries.iter().any(|entry| names_digest(entry, digest)) {
            entries.push(entry(document));
        }
    }
    if entries.len() == before {
        return Ok(());
    }
    target.put_document(&reference, &index(&entries)).await?;
    Ok(())
}

/// Removes deleted manifests from the fallback list of the referrers of `subject`, and deletes the list if it is
/// then empty.
///
/// # Errors
/// Returns an error if a request to the registry fails.
pub async fn unlist(
    target: &Transports,
    repository: &RegistryReference,
    subject: &Digest,
    deleted: &BTreeSet<Digest>,
) -> Result<(), ImageError> {
    let reference = repository.with_tag(&fallback_tag(subject))?;
    let Some(list) = target.find(&reference).await? else {
        return Ok(());
    };
    let Some(known) = entries(&list, subject) else {
        return Ok(());
    };
    let is_deleted = |entry: &&Value| deleted.iter().any(|digest| names_digest(entry, digest));
    let left: Vec<Value> = known.iter().filter(|entry| !is_deleted(entry)).cloned().collect();
    if left.is_empty() {
        target
            .delete_manifest(&repository.with_digest(&list.descriptor.digest))
            .await?;
    } else if left.len() < known.len() {
        target.put_document(&reference, &index(&left)).await?;
    }
    Ok(())
}

/// Returns the list entry for a referrer.
fn entry(document: &Document) -> Value {
    let descriptor = &document.descriptor;
    let mut entry = Map::new();
    entry.insert("mediaType".to_owned(), json!(descriptor.media_type));
    entry.insert("digest".to_owned(), json!(descriptor.digest.to_string()));
    entry.insert("size".to_owned(), json!(descriptor.size));
    if let Ok(Manifest::Image(manifest)) = document.manifest() {
        let artifact_type = manifest.artifact_type.unwrap_or(manifest.config.media_type);
        entry.insert("artifactType".to_owned(), json!(artifact_type));
        if !manifest.annotations.is_empty() {
            entry.insert("annotations".to_owned(), json!(manifest.annotations));
        }
    }
    Value::Object(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_list_of_referrers_is_a_list() {
        let subject = Digest::of(b"subject");
        let entry = json!({"mediaType": INDEX, "digest": subject.to_string(), "size": 1});
        let list = index(std::slice::from_ref(&entry));
        assert_eq!(entries(&list, &subject).unwrap(), std::slice::from_ref(&entry));
        assert_eq!(entries(&list, &list.descriptor.digest), None);
        let mut image = entry;
        image["platform"] = json!({"os": "linux", "architecture": "amd64"});
        assert_eq!(entries(&index(&[image]), &subject), None);
        let other = Document::new("application/json", b"{}".to_vec());
        assert_eq!(entries(&other, &subject), None);
    }
}
