//! Tags that several images of one repository would have at the target of a mirror.

use super::plan::{Plan, PlannedImage};
use crate::image::Reference;
use std::collections::{BTreeMap, BTreeSet};

/// A tag that references give to images with different digests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contested {
    /// The repository and the tag.
    pub name: String,
    /// The images, by digest.
    pub images: BTreeSet<String>,
}

/// The repository of an image at its source, its requested path and its repository at the target, and a tag.
type Name = (String, Option<String>, Option<String>, String);

/// Removes contested tags from the images that are only referenced by digest: they are pulled by digest and also have a
/// tag of their digest, so nothing needs the contested tag. An image that is pulled by the tag keeps it.
pub(super) fn drop_contested(plan: &mut Plan) -> Vec<Contested> {
    let mut named: BTreeMap<Name, Vec<usize>> = BTreeMap::new();
    for (place, image) in plan.images.iter().enumerate() {
        let Some((repository, _)) = image.source.split_once('@') else {
            continue;
        };
        for tag in &image.tags {
            let key = (
                repository.to_owned(),
                image.path.clone(),
                image.destination.clone(),
                tag.clone(),
            );
            named.entry(key).or_default().push(place);
        }
    }
    let mut contested = Vec::new();
    for ((repository, _, _, tag), places) in named.into_iter().filter(|(_, places)| places.len() > 1) {
        let images = places.iter().filter_map(|place| plan.images.get(*place));
        let images = images.map(|image| image.source.clone()).collect();
        let mut is_dropped = false;
        for place in places {
            if let Some(image) = plan.images.get_mut(place)
                && is_only_by_digest(image, &tag)
            {
                image.tags.remove(&tag);
                is_dropped = true;
            }
        }
        if is_dropped {
            contested.push(Contested {
                name: format!("{repository}:{tag}"),
                images,
            });
        }
    }
    contested
}

/// Returns whether all references to an image have a digest, and one of them also has this tag.
fn is_only_by_digest(image: &PlannedImage, tag: &str) -> bool {
    let origins: Vec<Reference> = image.origins.iter().filter_map(|origin| origin.parse().ok()).collect();
    !image.is_catalog()
        && origins.iter().all(|origin| origin.digest().is_some())
        && origins.iter().any(|origin| origin.tag() == Some(tag))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Digest;
    use crate::mirror::naming::{digest_tag, tags};
    use crate::mirror::plan::{ImageRole, Use};
    use crate::mirror::request::Place;

    fn image(content: &str, origins: &[String]) -> PlannedImage {
        let digest = Digest::of(content.as_bytes());
        let own_tags = origins.iter().flat_map(|origin| match origin.parse() {
            Ok(Reference::Registry(reference)) => tags(&reference, &Place::default()),
            other => panic!("{other:?}"),
        });
        PlannedImage {
            source: format!("registry.example.com/op@{digest}"),
            origins: origins.iter().cloned().collect(),
            digest,
            media_type: String::new(),
            platforms: BTreeSet::new(),
            platforms_left_out: BTreeSet::new(),
            bytes: 0,
            uses: vec![Use {
                role: ImageRole::Related,
                package: None,
                bundle: None,
                name: None,
            }],
            path: None,
            destination: None,
            tags: own_tags.collect(),
            extras: BTreeSet::new(),
        }
    }

    fn by_digest(content: &str) -> String {
        format!("registry.example.com/op:v1@{}", Digest::of(content.as_bytes()))
    }

    fn tags_after(images: Vec<PlannedImage>) -> (Vec<Vec<String>>, Vec<Contested>) {
        let mut plan = Plan {
            images,
            ..Plan::empty(None)
        };
        let contested = drop_contested(&mut plan);
        let tags = plan.images.iter().map(|image| image.tags.iter().cloned().collect());
        (tags.collect(), contested)
    }

    #[test]
    fn images_pulled_by_digest_lose_a_shared_tag() {
        let digest_tag = |content: &str| digest_tag(&Digest::of(content.as_bytes()));
        let (tags, contested) = tags_after(vec![image("a", &[by_digest("a")]), image("b", &[by_digest("b")])]);
        assert_eq!(tags, [[digest_tag("a")], [digest_tag("b")]]);
        assert_eq!(contested.len(), 1);
        assert_eq!(contested[0].name, "registry.example.com/op:v1");
        assert_eq!(contested[0].images.len(), 2);

        let (tags, contested) = tags_after(vec![image("a", &[by_digest("a")])]);
        assert_eq!(tags, [[digest_tag("a"), "v1".to_owned()]]);
        assert_eq!(contested, []);
    }

    #[test]
    fn an_image_pulled_by_a_shared_tag_keeps_it() {
        let by_tag = "registry.example.com/op:v1".to_owned();
        let (tags, contested) = tags_after(vec![
            image("a", &[by_digest("a"), by_tag]),
            image("b", &[by_digest("b")]),
        ]);
        assert!(tags[0].contains(&"v1".to_owned()), "{tags:?}");
        assert!(!tags[1].contains(&"v1".to_owned()), "{tags:?}");
        assert_eq!(contested.len(), 1);
    }
}
