//! Manifests, configs and indexes of images, and image references.

use super::words;
use opmx::image::{Blob, Digest, Image, Platform, Reference, read_layout, validate};
use std::fs;
use std::path::Path;

const CONFIG: &str = r#"{"architecture":"amd64","os":"linux","config":{"Labels":{"a":"b"}},"rootfs":{"type":"layers","diff_ids":["LAYER"]}}"#;
const MANIFEST: &str = r#"{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"CONFIG","size":SIZE},"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar","digest":"LAYER","size":1024}],"annotations":{"a":"b"}}"#;
const INDEX: &str = r#"{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"MANIFEST","size":LENGTH,"platform":{"architecture":"arm64","os":"linux"},"annotations":{"org.opencontainers.image.ref.name":"v1"}},{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"MANIFEST","size":LENGTH}]}"#;
const REFERENCES: [&str; 5] = [
    "registry.example.com:5000/team/app:v1@sha256:0000000000000000000000000000000000000000000000000000000000000000",
    "docker://app",
    "oci:some/folder:v1",
    "oci-archive:file.tar@sha256:0000000000000000000000000000000000000000000000000000000000000000",
    "[::1]:5000/a/b",
];

/// An empty tar file.
const LAYER: [u8; 1024] = [0; 1024];

/// Returns the documents of a valid image: config, manifest, index.
fn sound() -> [String; 3] {
    let config = CONFIG.replace("LAYER", &Digest::of(&LAYER).to_string());
    let manifest = manifest_of(config.as_bytes());
    let index = INDEX
        .replace("MANIFEST", &Digest::of(manifest.as_bytes()).to_string())
        .replace("LENGTH", &manifest.len().to_string());
    [config, manifest, index]
}

fn manifest_of(config: &[u8]) -> String {
    MANIFEST
        .replace("LAYER", &Digest::of(&LAYER).to_string())
        .replace("CONFIG", &Digest::of(config).to_string())
        .replace("SIZE", &config.len().to_string())
}

/// Reads any bytes as a config, as a manifest with a media type, and as what a layout names.
pub fn document(media_type: Option<&str>, bytes: &[u8]) {
    let [config, ..] = sound();
    image(media_type, bytes, config.as_bytes());
    image(None, manifest_of(bytes).as_bytes(), bytes);
    layout(bytes);
}

/// Reads a valid document with a word replaced by any string.
pub fn word(which: usize, word: usize, text: &str) {
    let documents = sound();
    document(
        None,
        words::replaced(&documents[which % documents.len()], word, text).as_bytes(),
    );
    reference(&words::replaced(REFERENCES[which % REFERENCES.len()], word, text));
}

fn image(media_type: Option<&str>, manifest: &[u8], config: &[u8]) {
    let blobs = vec![Blob::Memory(LAYER.into())];
    if let Ok(image) = Image::new("registry.example.com/image:v1", media_type, manifest, config, blobs) {
        assert_eq!(image.digest(), Digest::of(manifest));
        assert_eq!((image.manifest(), image.config()), (manifest, config));
        assert_eq!(image.layers().len(), 1);
        let labels = image.labels();
        assert!(labels.iter().all(|(key, value)| image.label(key) == Some(value)));
        let _ = (image.platform(), image.annotations(), validate(&image));
    }
}

/// Reads a layout whose index names only these bytes.
fn layout(bytes: &[u8]) {
    thread_local! {
        static FOLDER: tempfile::TempDir = tempfile::tempdir().unwrap();
    }
    FOLDER.with(|folder| {
        let folder = folder.path();
        let blobs = folder.join("blobs/sha256");
        let [config, manifest, _] = sound();
        if !blobs.is_dir() {
            fs::create_dir_all(&blobs).unwrap();
            fs::write(folder.join("oci-layout"), r#"{"imageLayoutVersion":"1.0.0"}"#).unwrap();
            for blob in [config.as_bytes(), manifest.as_bytes(), &LAYER] {
                fs::write(blobs.join(Digest::of(blob).hex()), blob).unwrap();
            }
        }
        let index = |digest: &Digest| {
            format!(
                r#"{{"schemaVersion":2,"manifests":[{{"mediaType":"","digest":"{digest}","size":{}}}]}}"#,
                bytes.len()
            )
        };
        let named = Digest::of(bytes);
        let blob = blobs.join(named.hex());
        let known = blob.exists();
        fs::write(&blob, bytes).unwrap();
        for (written, named) in [(index(&named).as_bytes(), Some(named)), (bytes, None)] {
            fs::write(folder.join("index.json"), written).unwrap();
            for platform in [Platform::default(), "windows/s390x".parse().unwrap()] {
                read(folder, &platform, named);
            }
        }
        if !known {
            fs::remove_file(&blob).unwrap();
        }
    });
}

/// Checks that an image that can be read has the bytes of its digest.
fn read(folder: &Path, platform: &Platform, named: Option<Digest>) {
    for tag in [None, Some("v1")] {
        if let Ok(image) = read_layout(folder, tag, platform) {
            assert_eq!(image.digest(), Digest::of(image.manifest()));
            assert!(named.is_none_or(|named| image.source_digest() == named));
            let _ = validate(&image);
        }
    }
}

/// Parses any string as a reference.
pub fn reference(text: &str) {
    let _ = (text.parse::<Platform>(), text.parse::<Digest>());
    let Ok(reference) = text.parse::<Reference>() else {
        return;
    };
    assert_eq!(reference.to_string().parse().as_ref(), Ok(&reference), "{text:?}");
    let digest = Digest::of(b"");
    let pinned = reference.with_digest(&digest);
    assert_eq!(pinned.digest(), Some(digest), "{text:?}");
    assert_eq!(pinned.to_string().parse().as_ref(), Ok(&pinned), "{text:?}");
}
