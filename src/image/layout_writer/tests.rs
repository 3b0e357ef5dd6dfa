use super::*;
use crate::image::layer_writer::tests::noise;
use crate::image::layout::{Layouts, read_layout};
use crate::image::{Blob, Digest, Platform};
use crate::image::{EntryContent, ImageConfig, LayerEntry, build, extract_file, layer_from_files, validate};

/// Returns an image with one file and, if `large` is set, a second layer that is too large for memory.
pub(in crate::image) fn image(content: &str, large: bool) -> Image {
    let entry = |path: &str, content: Vec<u8>| LayerEntry {
        path: path.to_owned(),
        mode: 0o644,
        content: EntryContent::Bytes(content),
    };
    let mut layers = vec![layer_from_files(&[entry("manifests/a.yaml", content.as_bytes().to_vec())], 0).unwrap()];
    if large {
        layers.push(layer_from_files(&[entry("database/index.db", noise(9 << 20))], 0).unwrap());
    }
    build(&ImageConfig::default(), layers).unwrap()
}

pub(in crate::image) fn assert_same(left: &Image, right: &Image) {
    assert_eq!(left.manifest(), right.manifest());
    assert_eq!(left.config(), right.config());
    assert_eq!(left.digest(), right.digest());
    validate(left).unwrap();
    validate(right).unwrap();
}

#[test]
fn an_image_is_read_back_by_tag_by_digest_and_as_the_only_one() {
    let directory = tempfile::tempdir().unwrap();
    let written = image("one", true);
    write_layout(&written, directory.path(), Some("v1")).unwrap();
    let digest = written.digest().to_string();
    for tag in [Some("v1"), Some(digest.as_str()), None] {
        let read = read_layout(directory.path(), tag, &Platform::default()).unwrap();
        assert_same(&read, &written);
        assert!(
            matches!(read.layers()[1].content, Blob::File(_)),
            "large layers stay where they are"
        );
        let database = directory.path().join("out");
        extract_file(&read, "database/index.db", &database, u64::MAX).unwrap();
        assert_eq!(fs::read(database).unwrap(), noise(9 << 20));
    }
    assert_eq!(
        Layouts::default().state(directory.path(), Some("v1")).unwrap(),
        TagState::Image(written.digest())
    );
}

#[test]
fn a_layer_that_appears_twice_is_loaded_once() {
    let directory = tempfile::tempdir().unwrap();
    let layer = image("one", false).layers()[0].clone();
    let written = build(&ImageConfig::default(), vec![layer.clone(), layer]).unwrap();
    write_layout(&written, directory.path(), None).unwrap();
    let read = read_layout(directory.path(), None, &Platform::default()).unwrap();
    assert_same(&read, &written);
    let [Blob::Memory(first), Blob::Memory(second)] = [0, 1].map(|at| &read.layers()[at].content) else {
        panic!("small layers belong in memory");
    };
    assert!(std::sync::Arc::ptr_eq(first, second));
}

#[test]
fn a_tag_is_replaced_and_others_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let (one, two, three) = (image("one", false), image("two", false), image("three", false));
    write_layout(&one, directory.path(), Some("v1")).unwrap();
    write_layout(&two, directory.path(), Some("v2")).unwrap();
    write_layout(&three, directory.path(), Some("v1")).unwrap();
    let read = |tag| read_layout(directory.path(), tag, &Platform::default());
    assert_same(&read(Some("v1")).unwrap(), &three);
    assert_same(&read(Some("v2")).unwrap(), &two);
    let error = read(None).unwrap_err().to_string();
    assert!(error.contains("2 images") && error.contains("v1, v2"), "{error}");
    let error = read(Some("v3")).unwrap_err().to_string();
    assert!(
        error.contains("the tag v3 was not found (available: v1, v2)"),
        "{error}"
    );
    write_layout(&one, directory.path(), None).unwrap();
    write_layout(&two, directory.path(), None).unwrap();
    assert_same(&read(None).unwrap(), &two);
}

#[test]
fn concurrent_writers_keep_each_others_tags() {
    let directory = tempfile::tempdir().unwrap();
    let count = 16;
    std::thread::scope(|scope| {
        for number in 0..count {
            let directory = directory.path();
            scope.spawn(move || {
                let written = image(&format!("content {number}"), false);
                write_layout(&written, directory, Some(&format!("v{number}"))).unwrap();
            });
        }
    });
    for number in 0..count {
        let read = read_layout(directory.path(), Some(&format!("v{number}")), &Platform::default()).unwrap();
        assert_eq!(read.digest(), image(&format!("content {number}"), false).digest());
    }
}

#[test]
fn a_folder_that_is_not_a_layout_is_reported() {
    let directory = tempfile::tempdir().unwrap();
    let error = read_layout(directory.path(), Some("v1"), &Platform::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("an OCI image layout (index.json"), "{error}");
    fs::write(directory.path().join(INDEX_FILE), "{").unwrap();
    let error = read_layout(directory.path(), Some("v1"), &Platform::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("index.json is invalid"), "{error}");
    let error = write_layout(&image("one", false), directory.path(), Some("v1"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("index.json is invalid"), "{error}");
}

#[test]
fn an_unreadable_index_is_never_overwritten() {
    use std::os::unix::fs::symlink;
    let directory = tempfile::tempdir().unwrap();
    let index = directory.path().join(INDEX_FILE);
    let refused = |expected: &str| {
        let error = write_layout(&image("one", false), directory.path(), Some("v1")).unwrap_err();
        let error = error.to_string();
        assert!(error.contains(INDEX_FILE) && error.contains(expected), "{error}");
    };
    for content in ["", "{", "[]", r#"{"manifests": 1}"#] {
        fs::write(&index, content).unwrap();
        refused("index.json is ");
        assert_eq!(fs::read_to_string(&index).unwrap(), content);
    }
    fs::remove_file(&index).unwrap();
    symlink("nowhere", &index).unwrap();
    refused("cannot read");
    fs::remove_file(&index).unwrap();
    symlink(INDEX_FILE, &index).unwrap();
    refused("cannot read");
    fs::remove_file(&index).unwrap();
    fs::create_dir(&index).unwrap();
    refused("cannot read");
    fs::remove_dir(&index).unwrap();
    write_layout(&image("one", false), directory.path(), Some("v1")).unwrap();
}

#[test]
fn a_layout_may_have_more_tags_than_an_image_index_has_entries() {
    let directory = tempfile::tempdir().unwrap();
    let (one, two) = (image("one", false), image("two", false));
    write_layout(&one, directory.path(), Some("t0")).unwrap();
    let path = directory.path().join(INDEX_FILE);
    let mut index: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let entries = index["manifests"].as_array_mut().unwrap();
    for number in 1..1000 {
        let mut entry = entries[0].clone();
        entry["annotations"][REF_NAME] = format!("t{number}").into();
        entries.push(entry);
    }
    fs::write(&path, index.to_string()).unwrap();
    write_layout(&two, directory.path(), Some("new")).unwrap();
    let read = |tag: &str| read_layout(directory.path(), Some(tag), &Platform::default()).unwrap();
    assert_same(&read("t5"), &one);
    assert_same(&read("new"), &two);
    assert_same(&read(&two.digest().to_string()), &two);
}

#[test]
fn an_index_that_could_not_be_read_again_is_not_written() {
    let directory = tempfile::tempdir().unwrap();
    let written = image("one", false);
    write_layout(&written, directory.path(), Some("v1")).unwrap();
    let path = directory.path().join(INDEX_FILE);
    let mut index: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let length = usize::try_from(LAYOUT_INDEX_LIMIT).unwrap() - index.to_string().len() - 50;
    index["annotations"] = json!({ "note": "x".repeat(length) });
    fs::write(&path, index.to_string()).unwrap();
    let error = write_layout(&written, directory.path(), Some("v2")).unwrap_err();
    assert!(error.to_string().contains("index.json exceeds the limit"), "{error}");
    let read = read_layout(directory.path(), Some("v1"), &Platform::default()).unwrap();
    assert_same(&read, &written);
}

#[test]
fn damaged_blobs_are_rejected() {
    let directory = tempfile::tempdir().unwrap();
    let written = image("one", true);
    write_layout(&written, directory.path(), Some("v1")).unwrap();
    let damage = |digest: &Digest, content: &[u8]| fs::write(blob_path(directory.path(), digest), content).unwrap();
    let read = || read_layout(directory.path(), Some("v1"), &Platform::default()).and_then(|image| validate(&image));
    let large = &written.layers()[1].descriptor;
    let original = fs::read(blob_path(directory.path(), &large.digest)).unwrap();
    let mut flipped = original.clone();
    flipped[1000] ^= 1;
    damage(&large.digest, &flipped);
    read().unwrap_err();
    damage(&large.digest, &original[..1000]);
    assert!(read().unwrap_err().to_string().contains("has 1000 bytes instead of"));
    damage(&large.digest, &original);
    read().unwrap();
    let config = written.config_descriptor();
    damage(&config.digest, &vec![b' '; usize::try_from(config.size).unwrap()]);
    assert!(read().unwrap_err().to_string().contains("the config has the digest"));
}

#[test]
fn a_platform_is_selected_in_an_index_and_found_by_its_digest() {
    let directory = tempfile::tempdir().unwrap();
    let (amd64, arm64) = (image("amd64", false), image("arm64", false));
    write_layout(&amd64, directory.path(), Some("amd64")).unwrap();
    write_layout(&arm64, directory.path(), Some("arm64")).unwrap();
    let entry = |image: &Image, architecture: &str| {
        json!({"mediaType": image.media_type(), "digest": image.digest().to_string(), "size": image.manifest().len(),
            "platform": {"os": "linux", "architecture": architecture}})
    };
    let manifests = [entry(&amd64, "amd64"), entry(&arm64, "arm64")];
    let index = json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests}).to_string();
    let digest = Digest::of(index.as_bytes());
    fs::write(blob_path(directory.path(), &digest), &index).unwrap();
    let entry = json!({"mediaType": INDEX, "digest": digest.to_string(), "size": index.len()});
    let top = json!({"schemaVersion": 2, "manifests": [entry]});
    fs::write(directory.path().join(INDEX_FILE), top.to_string()).unwrap();
    let read =
        |tag: Option<&str>, platform: &str| read_layout(directory.path(), tag, &platform.parse().unwrap()).unwrap();
    assert_same(&read(None, "arm64"), &arm64);
    assert_same(&read(None, "s390x"), &amd64);
    assert_eq!(read(None, "arm64").source_digest(), digest);
    assert_same(&read(Some(&arm64.digest().to_string()), "amd64"), &arm64);
}
