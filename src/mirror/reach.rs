//! Whether the registry of a target can be reached at all.

use super::plan::Plan;
use crate::image::{ImageError, Reference, RegistryReference, Transports};

/// Checks that the registry of a plan with places at a target can be reached and accepts the login, so that a wrong
/// address, certificate or login is one error instead of one for each image.
///
/// # Errors
/// Returns an error if there is no connection to the registry, or it requires a different login.
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
        // Some registries refuse this request, but not those for images.
        Err(error) if error.is_login() => {
            let image = Reference::Registry(repository.with_digest(&digest));
            let is_refused = target.state(&image).await.is_err_and(|error| error.is_login());
            if is_refused { Err(error) } else { Ok(()) }
        }
        _ => Ok(()),
    }
}
