//! Stands for the registries in a library without the feature `registry`: nothing can be asked of them.

#![expect(clippy::unused_self, reason = "the calls are those of the registries")]

use super::cache::Cache;
use super::digest::Digest;
use super::error::ImageError;
use super::image::Image;
use super::options::ImageOptions;
use super::platform::{Offer, Platform};
use super::progress::Progress;
use super::reference::RegistryReference;
use super::tag_state::TagState;
use super::tagged_image::Tagged;
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

    pub(super) fn offers(&self, reference: &RegistryReference) -> Refused<Vec<Offer>> {
        refused(reference)
    }
}
