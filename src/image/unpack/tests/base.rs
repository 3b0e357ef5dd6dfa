//! Base images: damaged layers, and the program in them.

use super::*;

/// Returns whether a base image contains `bin/opm`. Its layers have the digests that its config states.
fn has_program(layers: &[&[TarEntry<'_>]]) -> bool {
    let layers = layers.iter().map(|entries| {
        let tar = tar_with_links(entries);
        let diff_id = Some(Digest::of(&tar));
        Layer {
            diff_id,
            ..layer(gzip(&tar))
        }
    });
    check_base(&image_of_layers(layers.collect()), "bin/opm", u64::MAX).unwrap()
}

#[test]
fn the_program_of_a_base_image_is_found_through_links() {
    let opm = |folder: &'static str| file(folder, b"program");
    for layers in [
        &[&[opm("bin/opm")][..]][..],
        &[&[symlink("bin", "usr/bin"), opm("usr/bin/opm")]],
        &[
            &[opm("tools/opm")],
            &[symlink("bin", "/opt/bin"), symlink("opt/bin", "../tools")],
        ],
        &[&[symlink("bin", "usr/bin")], &[opm("bin/opm")]],
        &[&[symlink("bin/opm", "../registry")]],
        &[&[symlink("bin", "a")], &[file(".wh.bin", b"")], &[opm("bin/opm")]],
        // It is unclear where the file is.
        &[&[symlink("bin", "a"), file(".wh.bin", b"")]],
    ] {
        assert!(has_program(layers), "{layers:?}");
    }
    for layers in [
        &[&[opm("usr/bin/opm")][..]][..],
        &[&[symlink("bin", "usr/bin"), opm("opt/opm")]],
        &[&[opm("bin/opm")], &[file("bin/.wh.opm", b"")]],
        &[&[opm("bin/opm")], &[symlink("bin", "usr/bin")]],
        &[&[("bin/opm", EntryType::Directory, b"")]],
    ] {
        assert!(!has_program(layers), "{layers:?}");
    }
}

#[test]
fn a_base_image_that_no_runtime_unpacks_is_rejected() {
    let tar = tar_of(&[file("bin/opm", &[b'x'; 10_000])]);
    let (whole, cut) = (gzip(&tar), &tar[..5000]);
    let checked = |stored: &[u8], diff_id: &[u8]| {
        let diff_id = Some(Digest::of(diff_id));
        let layer = Layer {
            diff_id,
            ..layer(stored.to_vec())
        };
        let digest = layer.descriptor.digest;
        check_base(&image_of_layers(vec![layer]), "bin/opm", 1 << 20).map_err(|error| {
            let error = error.to_string();
            assert!(error.contains(&format!("layer {digest}")), "{error}");
            error
        })
    };
    assert_eq!(checked(&whole, &tar), Ok(true));
    assert_eq!(checked(&tar, &tar), Ok(true), "not compressed");
    for (stored, diff_id, problem) in [
        (whole[..whole.len() - 9].to_vec(), &tar[..], "is truncated"),
        (gzip(cut), cut, "is truncated"),
        (whole, cut, "(uncompressed) has the digest"),
        (b"neither gzip nor tar".to_vec(), &tar, "is truncated"),
        (gzip(&[b'x'; 1024]), &[b'x'; 1024], "is damaged"),
        (gzip(&vec![0; 2 << 20]), &tar, "exceeds the limit"),
    ] {
        let error = checked(&stored, diff_id).unwrap_err();
        assert!(error.contains(problem), "{problem}: {error}");
    }
    // A path that opmx does not read, and a compression that it does not support.
    let outside = tar_of(&[file("../x", b"")]);
    assert_eq!(checked(&gzip(&outside), &outside), Ok(true));
    assert!(checked(&gzip(&outside), &tar).unwrap_err().contains("(uncompressed)"));
    assert_eq!(checked(&[0x28, 0xb5, 0x2f, 0xfd], &tar), Ok(true));
}
