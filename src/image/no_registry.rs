//! Replaces registry access in builds without the `registry` feature: all requests return an error.

#![expect(clippy::unused_self, reason = "the methods must match those of the registry client")]

use super::cache::Cache;
use super::digest::Digest;
use super::document::Document;
use super::error::ImageError;
use super::image::Image;
use super::manifest::{ImageManifest, IndexEntry};
use super::options::ImageOptions;
use super::platform::{Offer, Platform};
use super::progress::Progress;
use super::reference::RegistryReference;
use super::tag_state::TagState;
use super::tagged_image::Tagged;
use serde_json::Value;
use std::collections::BTreeSet;
use std::future::{Ready, ready};
use std::sync::Arc;

pub(super) struct Registry;

type Refused<T> = Ready<Result<T, ImageError>>;

fn refused<T>(reference: &RegistryReference) -> Refused<T> {
    ready(Err(ImageError::NoRegistry {
        image: reference.to_string(),
    }))
}

impl Registry {
    pub(super) fn new(_: &ImageOptions, _: Option<Cache>, _: Arc<dyn Progress>) -> Self {
        Self
    }

    pub(super) fn pull(&self, reference: &RegistryReference, _: &Platform) -> Refused<Image> {
        refused(reference)
    }

    pub(super) fn push(&self, _: &Tagged, reference: &RegistryReference, _: Option<TagState>) -> Refused<()> {
        refused(reference)
    }

    pub(super) fn state(&self, reference: &RegistryReference) -> Refused<TagState> {
        refused(reference)
    }

    pub(super) fn resolve(&self, reference: &RegistryReference) -> Refused<Digest> {
        refused(reference)
    }

    pub(super) fn stored(&self, reference: &RegistryReference) -> Refused<Document> {
        refused(reference)
    }

    pub(super) fn find(&self, reference: &RegistryReference) -> Refused<Option<Document>> {
        refused(reference)
    }

    pub(super) fn lookup(&self, reference: &RegistryReference) -> Refused<Option<Document>> {
        refused(reference)
    }

    pub(super) fn tags(&self, reference: &RegistryReference) -> Refused<Option<BTreeSet<String>>> {
        refused(reference)
    }

    pub(super) fn referrers(&self, reference: &RegistryReference) -> Refused<Option<Vec<IndexEntry>>> {
        refused(reference)
    }

    pub(super) fn config_of(&self, reference: &RegistryReference, _: &ImageManifest) -> Refused<Option<Value>> {
        refused(reference)
    }

    pub(super) fn offers(&self, reference: &RegistryReference) -> Refused<Vec<Offer>> {
        refused(reference)
    }
}
