//! Images that would have the same name at the target of a mirror.

use super::naming::{catalog_of, shown};
use super::plan::{Plan, PlannedImage};
use crate::image::{Reference, RegistryReference};
use std::collections::BTreeMap;

/// The error for two images that would have the same name at the target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{first} and {second} would both be copied to {destination}")]
pub struct TakenError {
    /// The common destination.
    pub destination: String,
    /// The first image.
    pub first: String,
    /// The second image.
    pub second: String,
    /// The reason why the names are equal.
    pub reason: SameName,
}

/// The reason why two images would have the same name at the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SameName {
    /// The images have the same name in different registries.
    Registries,
    /// The paths of the images were shortened to the same path.
    Shortened,
    /// A catalog outside a registry is named after its file or folder.
    File,
    /// The path or tag of an image was requested.
    Requested,
}

/// Checks that no two images in a plan have the same name at the target.
///
/// # Errors
/// Returns an error if two images have the same name.
pub fn require_names(plan: &Plan) -> Result<(), TakenError> {
    let catalogs = plan.catalog_names();
    let name = |image: &PlannedImage| shown(&image.source, &catalogs).to_owned();
    let mut taken: BTreeMap<String, &PlannedImage> = BTreeMap::new();
    for image in &plan.images {
        let Some(repository) = &image.destination else { continue };
        for tag in &image.tags {
            let destination = format!("{repository}:{tag}");
            if let Some(first) = taken.insert(destination.clone(), image) {
                return Err(TakenError {
                    destination,
                    first: name(first),
                    second: name(image),
                    reason: reason(plan, first, image),
                });
            }
        }
    }
    Ok(())
}

/// Returns the reason why two images have the same name.
fn reason(plan: &Plan, first: &PlannedImage, second: &PlannedImage) -> SameName {
    if first.path.is_some() || second.path.is_some() {
        return SameName::Requested;
    }
    match (reference(plan, first), reference(plan, second)) {
        (Some(first), Some(second)) if first.full_repository() == second.full_repository() => SameName::Requested,
        (Some(first), Some(second)) if first.registry() == second.registry() => SameName::Shortened,
        (Some(_), Some(_)) => SameName::Registries,
        _ => SameName::File,
    }
}

/// Returns the reference of an image, or of the index that a catalog image was built from. Returns `None` for an image
/// outside a registry.
fn reference(plan: &Plan, image: &PlannedImage) -> Option<RegistryReference> {
    let catalog = catalog_of(plan, image).and_then(|place| plan.catalogs.get(place));
    let source = match catalog {
        // The name of a file or folder may look like a reference.
        Some(catalog) => catalog.digest.map(|_| &catalog.source)?,
        None => &image.source,
    };
    match source.parse() {
        Ok(Reference::Registry(reference)) => Some(reference),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Digest;
    use crate::mirror::naming::CATALOG;
    use crate::mirror::placed::{PlacedError, placed};
    use crate::mirror::plan::{ImageRole, PlannedCatalog, Use};
    use crate::mirror::request::Naming;
    use std::collections::BTreeSet;

    fn image(source: &str, role: ImageRole, path: Option<&str>) -> PlannedImage {
        PlannedImage {
            source: source.to_owned(),
            origins: BTreeSet::from([source.to_owned()]),
            digest: Digest::of(source.as_bytes()),
            media_type: String::new(),
            platforms: BTreeSet::new(),
            platforms_left_out: BTreeSet::new(),
            bytes: 0,
            uses: vec![Use {
                role,
                package: None,
                bundle: None,
                name: None,
            }],
            path: path.map(str::to_owned),
            destination: None,
            tags: BTreeSet::from(["v1".to_owned()]),
            extras: BTreeSet::new(),
        }
    }

    fn of_catalogs(sources: [(&str, bool); 2]) -> (Vec<PlannedCatalog>, Vec<PlannedImage>) {
        let catalogs = sources.map(|(source, is_image)| PlannedCatalog {
            source: source.to_owned(),
            digest: is_image.then(|| Digest::of(source.as_bytes())),
            kept: Vec::new(),
            rebuilt: true,
            serves: false,
            folder: None,
            database: false,
            digest_after: Digest::of(source.as_bytes()),
            path: None,
            destination: None,
            objects: Vec::new(),
        });
        let images = catalogs.iter().enumerate().map(|(place, catalog)| PlannedImage {
            digest: catalog.digest_after,
            ..image(&format!("{CATALOG}{place}"), ImageRole::Catalog, None)
        });
        let images = images.collect();
        (catalogs.into(), images)
    }

    fn of_images(images: [(&str, Option<&str>); 2]) -> (Vec<PlannedCatalog>, Vec<PlannedImage>) {
        let images = images.map(|(source, path)| image(source, ImageRole::Related, path));
        (Vec::new(), images.into())
    }

    fn refused((catalogs, images): (Vec<PlannedCatalog>, Vec<PlannedImage>), most_parts: usize) -> TakenError {
        let plan = Plan {
            catalogs,
            images,
            ..Plan::empty(None)
        };
        let naming = Naming {
            target: "mirror.example.com/olm".parse().unwrap(),
            keep_host: false,
            most_parts,
        };
        match placed(plan, Some(&naming)) {
            Err(PlacedError::Taken(error)) => error,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_reason_explains_how_two_images_get_different_names() {
        let files = refused(of_catalogs([("one/index.db", false), ("two/index.db", false)]), 0);
        assert_eq!(
            files.to_string(),
            "one/index.db and two/index.db would both be copied to mirror.example.com/olm/index:v1"
        );
        assert_eq!(files.reason, SameName::File);
        let one_file = of_catalogs([("two.example.com/index:v1", true), ("two.example.com/index", false)]);
        assert_eq!(refused(one_file, 0).reason, SameName::File);
        let catalogs = of_catalogs([("one.example.com/index:v1", true), ("two.example.com/index:v1", true)]);
        assert_eq!(refused(catalogs, 0).reason, SameName::Registries);
        let hosts = of_images([("one.example.com/a/b:v1", None), ("two.example.com/a/b:v1", None)]);
        assert_eq!(refused(hosts, 0).reason, SameName::Registries);
        let short = of_images([("one.example.com/a/b:v1", None), ("one.example.com/a-b:v1", None)]);
        assert_eq!(refused(short, 1).reason, SameName::Shortened);
        let tags = of_catalogs([("one.example.com/cat:v0", true), ("one.example.com/cat:v1", true)]);
        assert_eq!(refused(tags, 0).reason, SameName::Requested);
        let requested = of_images([("one.example.com/a/b:v1", Some("x")), ("two.example.com/x:v1", None)]);
        assert_eq!(refused(requested, 0).reason, SameName::Requested);
    }
}
