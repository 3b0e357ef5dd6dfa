//! Checks whether the registries of a mirror can be reached.

use super::copy_work::{CopyResult, CopyState};
use super::naming::CATALOG;
use super::plan::Plan;
use crate::image::{ImageError, Reference, RegistryReference, Transports};
use std::collections::BTreeMap;

/// Checks that the target registry of a plan can be reached and accepts the login. A wrong address, certificate or
/// login is thus reported once, instead of once per image.
///
/// # Errors
/// Returns an error if the registry cannot be reached, or if it rejects the login.
pub async fn reach(plan: &Plan, target: &Transports) -> Result<(), ImageError> {
    let mut places = plan
        .images
        .iter()
        .filter_map(|image| Some((image.destination.as_deref()?, image.digest)));
    let Some((repository, digest)) = places.next() else {
        return Ok(());
    };
    let repository = RegistryReference::of_repository(repository)?;
    match target.ping(&repository).await {
        Err(error) if error.is_unreachable() => Err(error),
        // Some registries refuse this request, but accept requests for images.
        Err(error) if error.is_login() => {
            let image = Reference::Registry(repository.with_digest(&digest));
            let is_refused = target.state(&image).await.is_err_and(|error| error.is_login());
            if is_refused { Err(error) } else { Ok(()) }
        }
        _ => Ok(()),
    }
}

/// Sends a request to each registry that failed images come from. Returns the registries that cannot be reached, each
/// with the error of its request. This one error explains why all images from the registry failed.
pub async fn unreachable_sources(result: &CopyResult, source: &Transports) -> BTreeMap<String, ImageError> {
    let failed = result.items.iter().filter(|item| item.state == CopyState::Failed);
    let mut registries: BTreeMap<String, RegistryReference> = BTreeMap::new();
    for item in failed.filter(|item| !item.name.starts_with(CATALOG)) {
        if let Ok(Reference::Registry(reference)) = item.name.parse() {
            registries.entry(reference.registry().to_owned()).or_insert(reference);
        }
    }
    let mut unreachable = BTreeMap::new();
    for (registry, reference) in registries {
        if let Err(error) = source.ping(&reference).await
            && error.is_unreachable()
        {
            unreachable.insert(registry, error);
        }
    }
    unreachable
}
