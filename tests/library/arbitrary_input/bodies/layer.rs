//! Layers: nothing leads out of the folder or the tree, limits hold, and every way of unpacking gives the same files.

use flate2::Compression;
use flate2::write::GzEncoder;
use opmx::image::{Blob, Digest, Image, extract_file, extract_folder, tree_of, validate};
use opmx::tree::{Tree, TreeLimits};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

/// A member of a tar file: path, type byte, link target, declared size if it differs from that of the content, content.
pub type Member = (Vec<u8>, u8, Vec<u8>, Option<u16>, Vec<u8>);

/// The type bytes, including those for long names and extended attributes.
const TYPES: &[u8] = b"0\x0005012346gxLKS7DV";

/// Reads any bytes as a layer.
pub fn raw(bytes: &[u8]) {
    check(&[bytes.to_vec()]);
}

/// Reads any members in layers, compressed or not.
pub fn members(layers: &[Vec<Member>], compressed: bool) {
    let layers: Vec<Vec<u8>> = layers
        .iter()
        .take(4)
        .map(|members| {
            let tar: Vec<u8> = members.iter().take(20).flat_map(entry).chain([0; 1024]).collect();
            if !compressed {
                return tar;
            }
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(&tar).unwrap();
            encoder.finish().unwrap()
        })
        .collect();
    check(&layers);
}

/// Returns a header with a valid checksum, and the content.
fn entry((path, kind, link, size, content): &Member) -> Vec<u8> {
    let mut header = [0_u8; 512];
    let mut put = |at: usize, length: usize, bytes: &[u8]| {
        let length = length.min(bytes.len());
        header[at..at + length].copy_from_slice(&bytes[..length]);
    };
    let name = &path[path.len().saturating_sub(100)..];
    put(0, 100, name);
    put(345, 155, &path[..path.len() - name.len()]);
    for at in [100, 108, 116] {
        put(at, 8, b"0000644\0");
    }
    let size = size.map_or(content.len(), usize::from);
    put(124, 12, format!("{size:011o}\0").as_bytes());
    put(136, 12, b"00000000000\0");
    put(148, 8, b"        ");
    put(156, 1, &[TYPES[usize::from(*kind) % TYPES.len()]]);
    put(157, 100, link);
    put(257, 8, b"ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let padding = content.len().next_multiple_of(512) - content.len();
    [&header[..], content, &vec![0; padding]].concat()
}

fn check(layers: &[Vec<u8>]) {
    let image = image(layers);
    let limits = TreeLimits {
        files: 30,
        total_bytes: 8 << 10,
        ..TreeLimits::default()
    };
    let tree = tree_of(&image, &|_| true, &limits);
    if let Ok(tree) = &tree {
        assert!(tree.len() <= limits.files);
        assert!(tree.iter().map(|(_, content)| content.len() as u64).sum::<u64>() <= limits.total_bytes);
        let plain = |path: &str| path.split('/').all(|part| !["", ".", ".."].contains(&part)) && !path.contains('\0');
        assert!(tree.iter().all(|(path, _)| plain(path)), "{tree:?}");
    }
    let outside = tempfile::tempdir().unwrap();
    let folder = outside.path().join("folder");
    fs::create_dir(&folder).unwrap();
    let extracted = extract_folder(&image, "", &folder, 1 << 20);
    let names: Vec<_> = fs::read_dir(outside.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["folder"]);
    if let (Ok(tree), Ok(())) = (&tree, extracted) {
        assert_eq!(files_of(&folder), files_of_tree(tree));
    }
    if let Ok(tree) = &tree
        && let Some((path, content)) = tree.iter().next()
    {
        // It does not read all members, and refuses links that others hide.
        let file = outside.path().join("file");
        if extract_file(&image, path, &file, 1 << 20).is_ok() {
            assert_eq!(fs::read(file).unwrap(), content, "{path}");
        }
    }
    let _ = validate(&image);
}

fn image(layers: &[Vec<u8>]) -> Image {
    let digests: Vec<String> = layers.iter().map(|layer| Digest::of(layer).to_string()).collect();
    let config = json!({"architecture": "amd64", "os": "linux", "rootfs": {"type": "layers", "diff_ids": digests}});
    let config = config.to_string();
    let descriptor = |(layer, digest): (&Vec<u8>, &String)| json!({"mediaType": "application/vnd.oci.image.layer.v1.tar", "digest": digest, "size": layer.len()});
    let manifest = json!({
        "schemaVersion": 2,
        "config": {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": Digest::of(config.as_bytes()).to_string(), "size": config.len()},
        "layers": layers.iter().zip(&digests).map(descriptor).collect::<Vec<_>>(),
    });
    let blobs = layers
        .iter()
        .map(|layer| Blob::Memory(layer.as_slice().into()))
        .collect();
    Image::new(
        "image",
        None,
        manifest.to_string().into_bytes(),
        config.into_bytes(),
        blobs,
    )
    .unwrap()
}

fn files_of_tree(tree: &Tree) -> BTreeMap<String, Vec<u8>> {
    tree.iter()
        .map(|(path, content)| (path.to_owned(), content.to_vec()))
        .collect()
}

/// Returns the files below a folder, which contains only files and folders.
fn files_of(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
                continue;
            }
            assert!(entry.file_type().unwrap().is_file(), "{entry:?}");
            let path = entry.path();
            let relative = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            files.insert(relative, fs::read(&path).unwrap());
        }
    }
    files
}
