//! Fallback for registries without a referrers API: an image index that lists the referrers of a manifest, under a tag
//! derived from the manifest digest.

use crate::causes::with_causes;
use crate::image::digest::Digest;
use crate::image::document::Document;
use crate::image::error::ImageError;
use crate::image::manifest::{INDEX, IndexEntry, Manifest};
use crate::image::reference::{RegistryReference, fallback_tag};
use crate::image::registry::Deletion;
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
    let list = target.lookup(&repository.with_tag(&fallback_tag(subject))?).await?;
    match (list.map(|list| list.manifest()), refused) {
        (Some(Ok(Manifest::Index(entries))), _) => Ok(digests(entries)),
        (_, Some(error)) => Err(error),
        (_, None) => Ok(BTreeSet::new()),
    }
}

/// The number of times that a list is written before a change is given up because other clients keep replacing it.
const WRITES: usize = 5;

/// A change to the fallback list of the referrers of a manifest.
pub struct ListChange<'a> {
    /// The repository; the tag or digest of the reference is ignored.
    pub repository: &'a RegistryReference,
    /// The manifest to which the referrers refer.
    pub subject: Digest,
    /// The change.
    pub edit: ListEdit<'a>,
}

/// The change to the entries of a fallback list. All other entries are kept.
pub enum ListEdit<'a> {
    /// Adds these manifests.
    Add(&'a BTreeMap<Digest, Document>),
    /// Removes these manifests. A list that is then empty is deleted.
    Remove(&'a BTreeSet<Digest>),
}

/// The reason why a fallback list cannot be changed.
#[derive(Debug, thiserror::Error)]
enum ListError {
    /// A request to the registry failed.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The tag of the list belongs to something else, which must not be overwritten.
    #[error("the tag {tag} does not refer to a list of referrers, so it was left unchanged")]
    Taken {
        /// The tag.
        tag: String,
    },
    /// Other clients keep replacing the list.
    #[error("other clients replaced the list {WRITES} times in the meantime")]
    Replaced,
}

/// Changes fallback lists. Returns the changes that failed, each with the reason.
///
/// If another client changes a list at the same time, one of the two lists replaces the other. Therefore, every written
/// list is read again after a delay, and a change that was lost is repeated.
pub async fn change_lists<'c, 'a>(
    target: &Transports,
    changes: &'c [ListChange<'a>],
) -> Vec<(&'c ListChange<'a>, String)> {
    let mut failed = Vec::new();
    let mut open: Vec<&ListChange<'_>> = changes.iter().collect();
    for write in 1..=WRITES {
        let mut written = Vec::new();
        for change in open {
            match change.apply(target).await {
                Ok(true) => written.push(change),
                Ok(false) => {}
                Err(error) => failed.push((change, with_causes(&error))),
            }
        }
        open = written;
        if open.is_empty() || write == WRITES {
            break;
        }
        tokio::time::sleep(target.settle()).await;
    }
    failed.extend(open.into_iter().map(|change| (change, ListError::Replaced.to_string())));
    failed
}

impl ListChange<'_> {
    /// Reads the list and, unless it already contains the change, replaces it. Returns whether it was replaced.
    async fn apply(&self, target: &Transports) -> Result<bool, ListError> {
        let tag = fallback_tag(&self.subject);
        let reference = self.repository.with_tag(&tag).map_err(ImageError::from)?;
        let list = target.lookup_to_replace(&reference).await?;
        let known = list.as_ref().map(|list| entries(list, &self.subject));
        let new = match (&self.edit, known) {
            (ListEdit::Add(_), Some(None)) => return Err(ListError::Taken { tag }),
            (ListEdit::Add(referrers), known) => with_added(known.flatten().unwrap_or_default(), referrers),
            (ListEdit::Remove(deleted), Some(Some(known))) => with_removed(known, deleted),
            (ListEdit::Remove(_), _) => None,
        };
        let Some(new) = new else { return Ok(false) };
        if let Some(list) = list.filter(|_| new.is_empty()) {
            let list = self.repository.with_digest(&list.descriptor.digest);
            return Ok(target.delete_manifest(&list).await? == Deletion::Done);
        }
        let new = index(&new);
        // A list that cannot be read again would lose all its entries.
        let readable = new.manifest().map(drop);
        readable.map_err(|problem| problem.of(reference.as_written(), "the new list of referrers"))?;
        target.put_document(&reference, &new).await?;
        Ok(true)
    }
}

/// Returns the entries with the missing referrers added, or `None` if none is missing.
fn with_added(mut entries: Vec<Value>, referrers: &BTreeMap<Digest, Document>) -> Option<Vec<Value>> {
    let before = entries.len();
    for (digest, document) in referrers {
        if !entries.iter().any(|entry| names_digest(entry, digest)) {
            entries.push(entry(document));
        }
    }
    (entries.len() > before).then_some(entries)
}

/// Returns the entries without the deleted manifests, or `None` if no entry names them. An empty list is to be deleted
/// as well.
fn with_removed(mut entries: Vec<Value>, deleted: &BTreeSet<Digest>) -> Option<Vec<Value>> {
    let before = entries.len();
    entries.retain(|entry| !deleted.iter().any(|digest| names_digest(entry, digest)));
    (entries.len() < before || before == 0).then_some(entries)
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
    fn only_a_list_of_referrers_is_recognized_as_one() {
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
