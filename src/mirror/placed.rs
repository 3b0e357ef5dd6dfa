//! Plans whose images have destinations at a target.

use super::naming::{CATALOG, catalog_of, main_tag, path_of, shown};
use super::plan::{Plan, PlanError, PlannedImage};
use super::request::{Naming, Place};
use super::taken::{TakenError, require_names};
use crate::image::{Digest, Reference};
use std::collections::{BTreeMap, BTreeSet};

/// The reason why a plan has no destinations at a target.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlacedError {
    /// The plan was created for another target.
    #[error("the target of the plan is {planned}, not {asked}")]
    Other {
        /// The target of the plan.
        planned: String,
        /// The requested target.
        asked: String,
    },
    /// The plan was created with another naming of images.
    #[error("the plan copies {image} to {planned} instead of {asked}")]
    Names {
        /// The first image whose name differs.
        image: String,
        /// The repository in the plan.
        planned: String,
        /// The repository with the requested naming.
        asked: String,
    },
    /// Two images would have the same name at the target.
    #[error(transparent)]
    Taken(#[from] TakenError),
    /// Neither the plan nor the caller specifies a target.
    #[error("the plan does not specify a target")]
    Nowhere,
    /// An image has no destination at the target.
    #[error("cannot determine the names of the images at the target")]
    Plan(#[from] PlanError),
}

/// Adds destinations to a plan. A plan that already has a target keeps its destinations, and no other target or names
/// are accepted.
///
/// # Errors
/// Returns an error if the plan is for another target or has other names, no target is specified, or two images would
/// have the same name.
pub fn placed(mut plan: Plan, naming: Option<&Naming>) -> Result<Plan, PlacedError> {
    let naming = match (&plan.to, naming) {
        (None, None) => return Err(PlacedError::Nowhere),
        (Some(_), None) => return Ok(plan),
        (Some(planned), Some(naming)) if *planned == naming.target.to_string() => {
            require_same_names(&plan, naming)?;
            return Ok(plan);
        }
        (Some(planned), Some(naming)) => {
            return Err(PlacedError::Other {
                planned: planned.clone(),
                asked: naming.target.to_string(),
            });
        }
        (None, Some(naming)) => naming,
    };
    plan.to = Some(naming.target.to_string());
    for place in 0..plan.images.len() {
        let destination = destination(&plan, &plan.images[place], naming);
        plan.images[place].destination = destination;
    }
    for place in 0..plan.catalogs.len() {
        let image = plan.images.iter().find(|image| catalog_of(&plan, image) == Some(place));
        let destination = image.and_then(|image| {
            let (repository, tag) = (image.destination.as_ref()?, main_tag(&image.tags, &image.digest)?);
            Some(format!("{repository}:{tag}"))
        });
        plan.catalogs[place].destination = destination;
    }
    plan.check_places()?;
    spread(&mut plan);
    require_names(&plan)?;
    Ok(plan)
}

/// Checks that a naming other than the default gives the destinations that the plan already has.
fn require_same_names(plan: &Plan, naming: &Naming) -> Result<(), PlacedError> {
    if !naming.keep_host && naming.most_parts == 0 {
        return Ok(());
    }
    for image in &plan.images {
        let asked = destination(plan, image, naming);
        if asked != image.destination {
            return Err(PlacedError::Names {
                image: shown(&image.source, &plan.catalog_names()).to_owned(),
                planned: image.destination.clone().unwrap_or_default(),
                asked: asked.unwrap_or_default(),
            });
        }
    }
    Ok(())
}

/// Returns the repository of an image at a target, or `None` for an image that is not in a registry and is not a
/// catalog.
fn destination(plan: &Plan, image: &PlannedImage, naming: &Naming) -> Option<String> {
    let place = Place {
        repository: image.path.clone(),
        tag: None,
    };
    if let Some(catalog) = catalog_of(plan, image).and_then(|place| plan.catalogs.get(place)) {
        return Some(naming.catalog(&catalog.source, catalog.digest.is_some(), &place));
    }
    match image.source.parse() {
        Ok(Reference::Registry(source)) if !image.source.starts_with(CATALOG) => {
            Some(naming.repository(&source, &place))
        }
        _ => None,
    }
}

/// Records the repositories of all manifests and blobs.
pub(super) fn spread(plan: &mut Plan) {
    let mut of_manifests: BTreeMap<Digest, BTreeSet<String>> = BTreeMap::new();
    let mut of_blobs: BTreeMap<Digest, BTreeSet<String>> = BTreeMap::new();
    for image in &plan.images {
        let repository = match (&image.destination, image.source.parse()) {
            (Some(destination), _) => path_of(destination),
            (None, Ok(Reference::Registry(source))) => path_of(&source.full_repository()),
            (None, _) => path_of(&image.source),
        };
        for digest in plan.all_behind(image) {
            of_manifests.entry(digest).or_default().insert(repository.clone());
            let blobs = plan.manifests.get(&digest).map(|manifest| &manifest.blobs);
            for blob in blobs.into_iter().flatten() {
                of_blobs.entry(*blob).or_default().insert(repository.clone());
            }
        }
    }
    for (digest, manifest) in &mut plan.manifests {
        manifest.repositories = of_manifests.remove(digest).unwrap_or_default();
    }
    for (digest, blob) in &mut plan.blobs {
        blob.repositories = of_blobs.remove(digest).unwrap_or_default();
    }
}
