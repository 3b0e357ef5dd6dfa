//! Images of published bundles that mirrors would miss: each finding is about an image, not about text that looks like
//! one.

use opmx::bundle;
use opmx::bundle::mentions::unlisted;
use opmx::image::Reference;
use opmx::text::Limits;
use opmx::tree::{Tree, TreeLimits};
use std::collections::BTreeSet;
use std::path::Path;

/// The images named outside containers and lists, over all bundles below a folder.
fn missed(folder: &Path) -> (usize, BTreeSet<String>) {
    let (mut read, mut images) = (0, BTreeSet::new());
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.unwrap();
        if entry.file_name() != "manifests" || !entry.file_type().is_dir() {
            continue;
        }
        let tree = Tree::from_directory(entry.path().parent().unwrap(), &TreeLimits::default()).unwrap();
        let Some(bundle) = bundle::read(&tree, &Limits::default()).bundle else {
            continue;
        };
        read += 1;
        images.extend(unlisted(&bundle).into_iter().map(|places| places[0].image.clone()));
    }
    (read, images)
}

#[test]
fn images_reported_as_missing_from_mirrors_are_images() {
    let Some(folder) = crate::shared::folder("corpus") else {
        return;
    };
    let (read, images) = missed(&folder);
    for image in &images {
        println!("{image}");
    }
    println!("{read} bundles, {} images", images.len());
    assert!(read >= 117, "{read}");
    for image in &images {
        let Ok(Reference::Registry(reference)) = image.parse() else {
            panic!("{image}");
        };
        // Every one was looked at: a repository has no extension of a file, and a tag is no port or mode.
        let tag = reference.tag().unwrap_or_default();
        assert!(!["ro", "rw", "z", "Z"].contains(&tag), "{image}");
    }
}
