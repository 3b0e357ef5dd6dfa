//! Determines which content of a copy is already in the target registry.

use super::appended_layers::{count_lost, has_layers_of};
use super::content::Contents;
use super::{Copy, Item, State, fallback};
use crate::causes::with_causes;
use crate::concurrent;
use crate::image::digest::Digest;
use crate::image::error::ImageError;
use crate::image::reference::{Reference, RegistryReference};
use crate::image::tag_state::TagState;
use crate::image::transport::Transports;
use futures_util::StreamExt;
use std::collections::{BTreeMap, BTreeSet};
use std::future::ready;

/// The content of the target registry before a copy.
pub(super) struct Found {
    /// The new repositories. Their content need not be looked up.
    new: BTreeSet<String>,
    /// Whether each looked-up blob or manifest is in its repository, or the reason why this is unknown.
    content: BTreeMap<Content, Result<bool, String>>,
    /// For each item, its tags that refer to other manifests, each with the digest of that manifest.
    pub(super) replaced: Vec<BTreeMap<String, Digest>>,
    /// For each item, the number of layers that only these other manifests have, if other clients add layers.
    pub(super) lost: Vec<usize>,
    /// The repositories and tags of manifests that contain all layers of an item, and more.
    kept: BTreeSet<(String, String)>,
}

/// The names of an item in its repository.
#[derive(Default)]
struct Names {
    /// Whether all names refer to the last manifest of the item.
    is_named: bool,
    /// The tags that refer to other manifests.
    replaced: BTreeMap<String, Digest>,
    /// The number of layers that only these manifests have, if other clients add layers.
    lost: usize,
    /// The tags that refer to manifests with all layers of the item.
    kept: BTreeSet<String>,
}

/// Content in a repository.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Content {
    kind: Kind,
    digest: Digest,
    repository: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Manifest,
    Blob,
}

/// Looks up the items of a copy in the target registry. An item is present only if all its names, manifests and blobs
/// are present: a registry may have lost some of them since an earlier copy, or may have received only some platforms.
/// Each name, manifest and blob is requested at most once. Returns the state of each item; `None` means that it must be
/// copied.
pub(super) async fn look(
    copy: &Copy,
    planned: &Contents<'_>,
    target: &Transports,
    parallel: usize,
) -> (Found, Vec<Option<State>>) {
    let new = new_repositories(copy, target, parallel).await;
    let looks = concurrent::in_order(&copy.items, parallel, |item| async {
        if item.root().is_some() && new.contains(item.to.repository()) {
            return Ok(Names::default());
        }
        let named = named(copy, item, planned, target).await;
        named.map_err(|error| with_causes(&error))
    });
    let named: Vec<Result<Names, String>> = looks.collect().await;
    let (mut replaced, mut lost, mut kept) = (Vec::new(), Vec::new(), BTreeSet::new());
    let mut all_named = Vec::new();
    for (item, named) in copy.items.iter().zip(named) {
        let (is_named, named) = match named {
            Ok(named) => (Ok(named.is_named), named),
            Err(why) => (Err(why), Names::default()),
        };
        all_named.push(is_named);
        replaced.push(named.replaced);
        lost.push(named.lost);
        let repository = item.to.repository();
        kept.extend(named.kept.into_iter().map(|tag| (repository.to_owned(), tag)));
    }
    let items = || copy.items.iter().zip(&all_named);
    let mut wanted: BTreeMap<Content, &RegistryReference> = BTreeMap::new();
    for (item, _) in items().filter(|(_, named)| **named == Ok(true)) {
        wanted.extend(contents(item).map(|content| (content, &item.to)));
    }
    let looks = concurrent::unordered(wanted, parallel, |(content, repository)| async move {
        let is_there = is_there(&content, repository, target).await;
        (content, is_there.map_err(|error| with_causes(&error)))
    });
    let content = looks.collect().await;
    let found = Found {
        new,
        content,
        replaced,
        lost,
        kept,
    };
    let state = |(item, named): (&Item, &Result<bool, String>)| match named {
        Ok(true) => found.state(item),
        Ok(false) => None,
        Err(why) => Some(State::Failed(why.clone())),
    };
    let states = items().map(state).collect();
    (found, states)
}

impl Found {
    /// Whether a repository was new before the copy.
    pub(super) fn is_new(&self, repository: &str) -> bool {
        self.new.contains(repository)
    }

    /// Returns the repositories that contain a blob.
    pub(super) fn repositories(&self, digest: &Digest) -> impl Iterator<Item = &str> {
        let range = self.content.range(Content::new(Kind::Blob, *digest, "")..);
        let blob = range.take_while(move |(content, _)| content.is_blob(digest));
        let blob = blob.filter(|(_, is_there)| **is_there == Ok(true));
        blob.map(|(content, _)| content.repository.as_str())
    }

    /// Returns the references under which the last manifest of an item is to be stored.
    pub(super) fn names(&self, item: &Item, root: &Digest) -> Result<Vec<RegistryReference>, ImageError> {
        let mut names = names(item, root)?;
        names.retain(|name| {
            let tag = name.tag().filter(|_| item.grows);
            tag.is_none_or(|tag| !self.kept.contains(&(item.to.repository().to_owned(), tag.to_owned())))
        });
        if names.is_empty() {
            names.push(item.to.with_digest(root));
        }
        Ok(names)
    }

    /// Whether a repository is known not to contain a blob.
    pub(super) fn lacks(&self, digest: &Digest, repository: &str) -> bool {
        let content = Content::new(Kind::Blob, *digest, repository);
        self.content.get(&content) == Some(&Ok(false))
    }

    fn state(&self, item: &Item) -> Option<State> {
        let mut is_whole = true;
        for content in contents(item) {
            match self.content.get(&content) {
                Some(Ok(is_there)) => is_whole &= is_there,
                Some(Err(why)) => return Some(State::Failed(why.clone())),
                None => is_whole = false,
            }
        }
        is_whole.then_some(State::Present)
    }
}

impl Content {
    fn new(kind: Kind, digest: Digest, repository: &str) -> Self {
        Self {
            kind,
            digest,
            repository: repository.to_owned(),
        }
    }

    fn is_blob(&self, digest: &Digest) -> bool {
        self.kind == Kind::Blob && self.digest == *digest
    }
}

/// Returns the content of an item, except the manifest to which its names refer.
fn contents(item: &Item) -> impl Iterator<Item = Content> {
    let behind = item.manifests.split_last().map_or(&[][..], |(_, behind)| behind);
    let manifests = behind.iter().map(|digest| (Kind::Manifest, digest));
    let all = manifests.chain(item.blobs.iter().map(|digest| (Kind::Blob, digest)));
    all.map(|(kind, digest)| Content::new(kind, *digest, item.to.repository()))
}

/// Determines which repositories are new. If this cannot be determined, all content is looked up.
async fn new_repositories(copy: &Copy, target: &Transports, parallel: usize) -> BTreeSet<String> {
    let repositories = copy.items.iter().map(|item| (item.to.repository(), &item.to));
    let repositories: BTreeMap<&str, &RegistryReference> = repositories.collect();
    let asked = concurrent::unordered(repositories, parallel, |(repository, reference)| async move {
        let is_new = target.is_new(reference).await;
        is_new.is_ok_and(|is_new| is_new).then(|| repository.to_owned())
    });
    asked.filter_map(ready).collect().await
}

/// Determines to what the names of an item refer. The item also counts as unnamed if it is not listed as a referrer of
/// its subject.
async fn named(copy: &Copy, item: &Item, planned: &Contents<'_>, target: &Transports) -> Result<Names, ImageError> {
    let mut named = Names {
        is_named: true,
        ..Names::default()
    };
    let Some(root) = item.root() else { return Ok(named) };
    for name in names(item, &root)? {
        let reference = Reference::Registry(name.clone());
        let state = target.state(&reference).await?;
        if state == TagState::Image(root) {
            continue;
        }
        if let (Some(tag), Some(digest)) = (name.tag(), state.digest()) {
            if item.grows
                && let Some(stored) = copy.manifests.get(&root)
                && let Some(found) = target.lookup(&name).await?
            {
                let document = planned.document(stored).await?;
                if has_layers_of(&found, &document) {
                    named.kept.insert(tag.to_owned());
                    continue;
                }
                named.lost += count_lost(&found, &document);
            }
            named.replaced.insert(tag.to_owned(), digest);
        }
        named.is_named = false;
    }
    if !named.kept.is_empty() {
        let pinned = Reference::Registry(item.to.with_digest(&root));
        named.is_named &= target.state(&pinned).await? == TagState::Image(root);
    }
    if let Some(subject) = item.subject.filter(|_| named.is_named) {
        let listed = fallback::referrers(target, &item.to, &subject).await?;
        named.is_named = listed.contains(&root);
    }
    Ok(named)
}

async fn is_there(content: &Content, repository: &RegistryReference, target: &Transports) -> Result<bool, ImageError> {
    match content.kind {
        Kind::Manifest => {
            let reference = Reference::Registry(repository.with_digest(&content.digest));
            Ok(target.state(&reference).await? == TagState::Image(content.digest))
        }
        // Registries usually keep a damaged blob even if it is uploaded again, so its size does not matter here.
        Kind::Blob => target.has_blob(repository, &content.digest, None).await,
    }
}

/// Returns the references under which the last manifest of an item is stored.
fn names(item: &Item, root: &Digest) -> Result<Vec<RegistryReference>, ImageError> {
    if item.tags.is_empty() {
        return Ok(vec![item.to.with_digest(root)]);
    }
    let tags = item.tags.iter();
    Ok(tags.map(|tag| item.to.with_tag(tag)).collect::<Result<_, _>>()?)
}
