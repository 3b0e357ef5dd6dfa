mod base;
mod link_limits;

use super::*;
use crate::image::digest::Digest;
use crate::image::image::{Blob, Layer};
use crate::image::manifest::{Descriptor, LAYER_GZIP};
use crate::image::{ImageConfig, build};
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use tar::EntryType;

type TarEntry<'a> = (&'a str, EntryType, &'a [u8]);

fn file<'a>(path: &'a str, content: &'a [u8]) -> TarEntry<'a> {
    (path, EntryType::Regular, content)
}

fn tar_of(entries: &[TarEntry<'_>]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (path, kind, content) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(*kind);
        header.set_size(content.len() as u64);
        if !kind.is_file() {
            header.set_link_name("target").unwrap();
        }
        // The tar crate does not write paths outside the root.
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_cksum();
        tar.append(&header, *content).unwrap();
    }
    tar.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

fn layer(stored: Vec<u8>) -> Layer {
    Layer {
        descriptor: Descriptor {
            media_type: LAYER_GZIP.to_owned(),
            digest: Digest::of(&stored),
            size: stored.len() as u64,
        },
        diff_id: Some(Digest::of(b"not looked at")),
        content: Blob::Memory(stored.into()),
    }
}

fn image_of_layers(layers: Vec<Layer>) -> Image {
    build(&ImageConfig::default(), layers).unwrap()
}

fn image(layers: &[&[TarEntry<'_>]]) -> Image {
    image_of_layers(layers.iter().map(|entries| layer(gzip(&tar_of(entries)))).collect())
}

fn manifests(path: &str) -> bool {
    path.starts_with("manifests/")
}

fn read(image: &Image) -> Result<Vec<(String, String)>, String> {
    match tree_of(image, &manifests, &TreeLimits::default()) {
        Ok(tree) => Ok(tree
            .iter()
            .map(|(path, content)| (path.to_owned(), String::from_utf8_lossy(content).into_owned()))
            .collect()),
        Err(error) => Err(error.to_string()),
    }
}

fn files(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter()
        .map(|(path, content)| ((*path).to_owned(), (*content).to_owned()))
        .collect()
}

fn extract(image: &Image, path: &str, limit: u64) -> Result<String, String> {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("out");
    let extracted = extract_file(image, path, &target, limit);
    let left = std::fs::read_dir(directory.path()).unwrap().count();
    match extracted {
        Ok(()) => Ok(String::from_utf8_lossy(&std::fs::read(target).unwrap()).into_owned()),
        Err(error) => {
            assert_eq!(left, 0, "nothing may be left behind");
            Err(error.to_string())
        }
    }
}

#[test]
fn later_layers_replace_and_hide_files_of_earlier_ones() {
    let image = image(&[
        &[
            file("manifests/a", b"1"),
            file("manifests/b", b"1"),
            file("./manifests/c/d", b"1"),
            file("other", b"1"),
        ],
        &[
            file("/manifests/a", b"2"),
            file("manifests/.wh.b", b""),
            file("manifests/.wh.c", b""),
        ],
    ]);
    assert_eq!(read(&image), Ok(files(&[("manifests/a", "2")])));
    assert_eq!(extract(&image, "manifests/a", 1 << 20), Ok("2".to_owned()));
    assert_eq!(extract(&image, "/other", 1 << 20), Ok("1".to_owned()));
    for hidden in ["manifests/b", "manifests/c/d", "manifests/c", "nothing"] {
        let error = extract(&image, hidden, 1 << 20).unwrap_err();
        assert!(error.contains(&format!("the file /{hidden} was not found")), "{error}");
    }
}

#[test]
fn an_opaque_folder_hides_lower_layers_but_not_its_own() {
    let image = image(&[
        &[file("manifests/a", b"1"), file("manifests/sub/b", b"1")],
        &[
            file("manifests/c", b"2"),
            file("manifests/.wh..wh..opq", b""),
            file("manifests/d", b"2"),
        ],
    ]);
    assert_eq!(read(&image), Ok(files(&[("manifests/c", "2"), ("manifests/d", "2")])));
    assert!(extract(&image, "manifests/a", 1 << 20).is_err());
    assert_eq!(extract(&image, "manifests/c", 1 << 20), Ok("2".to_owned()));
}

#[test]
fn files_and_folders_can_replace_each_other() {
    let folder = ("manifests/b", EntryType::Directory, b"".as_slice());
    let image = image(&[
        &[
            file("manifests/a/x", b"1"),
            file("manifests/b", b"1"),
            file("manifests/c", b"1"),
        ],
        &[file("manifests/a", b"2"), folder, file("manifests/c/y", b"2")],
    ]);
    assert_eq!(read(&image), Ok(files(&[("manifests/a", "2"), ("manifests/c/y", "2")])));
    assert!(extract(&image, "manifests/a/x", 1 << 20).is_err());
    assert!(extract(&image, "manifests/b", 1 << 20).is_err());
}

#[test]
fn the_last_member_with_a_path_wins_within_a_layer() {
    let image = image(&[&[file("manifests/a", b"1"), file("./manifests/a", b"2")]]);
    assert_eq!(read(&image), Ok(files(&[("manifests/a", "2")])));
    assert_eq!(extract(&image, "manifests/a", 1 << 20), Ok("2".to_owned()));
}

#[test]
fn layers_may_be_uncompressed_regardless_of_the_media_type() {
    let image = image_of_layers(vec![layer(tar_of(&[file("manifests/a", b"1")]))]);
    assert_eq!(read(&image), Ok(files(&[("manifests/a", "1")])));
}

#[test]
fn paths_with_parent_components_are_rejected_wherever_they_are() {
    for path in ["../x", "manifests/../../x", "a/..", "/../etc/passwd"] {
        let image = image(&[&[file(path, b"1")]]);
        let error = read(&image).unwrap_err();
        assert!(
            error.contains("leads outside the folder") && error.contains(path),
            "{error}"
        );
        assert!(extract(&image, "x", 1 << 20).unwrap_err().contains("leads out"));
    }
}

#[test]
fn links_devices_and_pipes_are_rejected_where_files_are_expected() {
    for (kind, name) in [
        (EntryType::Symlink, "symbolic link"),
        (EntryType::Link, "hard link"),
        (EntryType::Char, "character device"),
        (EntryType::Block, "block device"),
        (EntryType::Fifo, "named pipe"),
    ] {
        let wanted = image(&[&[("manifests/a", kind, b"")]]);
        let error = read(&wanted).unwrap_err();
        assert!(error.contains(&format!("manifests/a is a {name}")), "{error}");
        let error = extract(&wanted, "manifests/a", 1 << 20).unwrap_err();
        assert!(error.contains(name), "{error}");
        let folder = image(&[&[("manifests", kind, b"")]]);
        assert!(read(&folder).unwrap_err().contains(&format!("manifests is a {name}")));
        assert!(extract(&folder, "manifests/a", 1 << 20).unwrap_err().contains(name));
        let elsewhere = image(&[&[("etc/a", kind, b""), file("manifests/b", b"1")]]);
        assert_eq!(read(&elsewhere), Ok(files(&[("manifests/b", "1")])));
        let replaced = image(&[&[("manifests/a", kind, b"")], &[file("manifests/a", b"2")]]);
        assert_eq!(read(&replaced), Ok(files(&[("manifests/a", "2")])));
    }
}

#[test]
fn a_gzip_bomb_is_stopped_during_decompression() {
    let limits = TreeLimits {
        files: 10,
        file_bytes: 1 << 10,
        total_bytes: 1 << 16,
    };
    let zeros = vec![0; 4 << 20];
    let bomb = image(&[&[file("somewhere/else", &zeros)]]);
    let error = tree_of(&bomb, &manifests, &limits).unwrap_err().to_string();
    assert!(
        error.contains("exceeds the limit of ") && error.contains("layer sha256:"),
        "{error}"
    );
    let error = extract(&bomb, "somewhere/else", 1 << 20).unwrap_err();
    assert!(error.contains("exceeds the limit of 1048576 bytes"), "{error}");
    let wanted = image(&[&[file("manifests/a", &zeros)]]);
    let error = tree_of(&wanted, &manifests, &limits).unwrap_err().to_string();
    assert!(
        error.contains("the size of manifests/a exceeds the limit of 1024 bytes"),
        "{error}"
    );
}

#[test]
fn too_many_or_too_large_files_are_stopped_while_reading() {
    let limits = TreeLimits {
        files: 2,
        file_bytes: 8,
        total_bytes: 12,
    };
    let many = image(&[
        &[file("manifests/a", b""), file("manifests/b", b"")],
        &[file("manifests/c", b"")],
    ]);
    let error = tree_of(&many, &manifests, &limits).unwrap_err().to_string();
    assert!(error.contains("the number of files exceeds the limit of 2"), "{error}");
    let large = image(&[&[file("manifests/a", b"12345678"), file("manifests/b", b"12345678")]]);
    let error = tree_of(&large, &manifests, &limits).unwrap_err().to_string();
    assert!(
        error.contains("the total size of the files (counted up to manifests/b) exceeds the limit of 12 bytes"),
        "{error}"
    );
}

#[test]
fn long_names_are_not_loaded_into_memory_whatever_their_declared_length() {
    let name = vec![b'a'; 2 << 20];
    let image = image(&[&[
        ("././@LongLink", EntryType::GNULongName, &name),
        file("manifests/a", b"1"),
    ]]);
    let error = read(&image).unwrap_err();
    assert!(error.contains("headers are larger than 1 MiB"), "{error}");
}

#[test]
fn sparse_files_are_rejected() {
    let image = image(&[&[("manifests/a", EntryType::GNUSparse, b"")]]);
    assert!(read(&image).is_err());
}

#[test]
fn a_truncated_layer_is_reported() {
    let noise = crate::image::layer_writer::tests::noise(40_000);
    let tar = tar_of(&[file("manifests/a", &noise), file("manifests/b", b"2")]);
    let compressed = gzip(&tar);
    for stored in [&compressed[..compressed.len() / 2], &tar[..tar.len() / 2], &tar[..700]] {
        let layer = layer(stored.to_vec());
        let digest = layer.descriptor.digest;
        let image = image_of_layers(vec![layer]);
        for error in [
            read(&image).unwrap_err(),
            extract(&image, "manifests/b", 1 << 20).unwrap_err(),
        ] {
            assert!(error.contains(&format!("layer {digest} is truncated")), "{error}");
        }
    }
}

#[test]
fn content_that_differs_from_the_manifest_is_rejected() {
    let stored = gzip(&tar_of(&[file("manifests/a", b"1")]));
    let mut other = layer(stored.clone());
    other.descriptor.digest = Digest::of(b"something else");
    let error = read(&image_of_layers(vec![other])).unwrap_err();
    assert!(error.contains("has the digest sha256:"), "{error}");
    let mut longer = layer(stored);
    longer.descriptor.size -= 1;
    let error = read(&image_of_layers(vec![longer])).unwrap_err();
    assert!(error.contains(" bytes instead of "), "{error}");
}

#[test]
fn zstd_and_unknown_formats_are_reported() {
    let zstd = image_of_layers(vec![layer(vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0])]);
    assert!(read(&zstd).unwrap_err().contains("compressed with zstd"));
    let noise = image_of_layers(vec![layer(vec![7; 2000])]);
    assert!(read(&noise).unwrap_err().contains("is damaged"));
}

proptest! {
    #[test]
    fn damaged_layers_never_panic(flips in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6), compressed: bool) {
        let mut stored = tar_of(&[file("manifests/a", b"1"), ("manifests/b", EntryType::Symlink, b""), file("manifests/c", b"3")]);
        if compressed {
            stored = gzip(&stored);
        }
        for (index, byte) in flips {
            let index = index.index(stored.len());
            stored[index] = byte;
        }
        let image = image_of_layers(vec![layer(stored)]);
        let _ = read(&image);
        let _ = extract(&image, "manifests/c", 1 << 20);
    }
}

/// Returns the files of a folder on disk, each with its content.
fn on_disk(folder: &Path) -> Vec<(String, String)> {
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter();
    let files = entries.map(Result::unwrap).filter(|entry| entry.file_type().is_file());
    let files = files.map(|file| {
        let path = file.path().strip_prefix(folder).unwrap().display().to_string();
        (path, std::fs::read_to_string(file.path()).unwrap())
    });
    files.collect()
}

fn extracted(image: &Image, inside: &str) -> Result<Vec<(String, String)>, ImageError> {
    let folder = tempfile::tempdir().unwrap();
    extract_folder(image, inside, folder.path(), 1 << 20)?;
    Ok(on_disk(folder.path()))
}

#[test]
fn a_folder_is_unpacked_layer_by_layer() {
    let directory = |path| (path, EntryType::Directory, &b""[..]);
    let image = image(&[
        &[
            file("configs/a/catalog.json", b"old"),
            file("configs/b/catalog.json", b"b"),
            file("configs/c/x", b"c"),
            file("configs/d", b"file"),
            file("other/x", b"x"),
            ("configs/link", EntryType::Symlink, b""),
        ],
        &[
            file("configs/a/catalog.json", b"new"),
            file("configs/.wh.b", b""),
            file("configs/c/.wh..wh..opq", b""),
            file("configs/c/y", b"y"),
            directory("configs/d"),
            file("configs/d/z", b"z"),
            file("configs/link", b"a file now"),
        ],
    ]);
    let text = |path: &str, content: &str| (path.to_owned(), content.to_owned());
    let expected = [
        text("a/catalog.json", "new"),
        text("c/y", "y"),
        text("d/z", "z"),
        text("link", "a file now"),
    ];
    assert_eq!(extracted(&image, "/configs").unwrap(), expected);
    assert_eq!(extracted(&image, "configs/a/").unwrap(), [text("catalog.json", "new")]);
    assert_eq!(extracted(&image, "/").unwrap().len(), 5);
}

#[test]
fn an_empty_folder_exists_unless_a_layer_hides_it() {
    let directory = |path| (path, EntryType::Directory, &b""[..]);
    let empty = [directory("configs")];
    for (upper, is_there) in [
        (file("x", b""), true),
        (file("configs/.wh..wh..opq", b""), true),
        (file(".wh.configs", b""), false),
        (file("configs", b""), false),
    ] {
        let found = extracted(&image(&[&empty, &[upper]]), "/configs");
        assert_eq!(found.is_ok_and(|files| files.is_empty()), is_there, "{upper:?}");
    }
}

#[test]
fn a_missing_folder_or_one_with_links_is_rejected() {
    let linked = image(&[&[file("configs/a", b""), ("configs/b", EntryType::Symlink, b"")]]);
    let error = extracted(&linked, "configs").unwrap_err().to_string();
    assert!(error.contains("configs/b"), "{error}");
    let error = extracted(&linked, "other").unwrap_err().to_string();
    assert!(error.contains("the content of /other was not found"), "{error}");
    let climbing = image(&[&[file("../configs/a", b"")]]);
    assert!(extracted(&climbing, "configs").is_err());
}

#[test]
fn the_folders_that_a_layer_creates_are_limited_like_its_files() {
    let stopped = |paths: &[&str]| {
        let entries: Vec<_> = paths.iter().map(|path| file(path, b"")).collect();
        let to = tempfile::tempdir().unwrap();
        let extracted = folder::extract_at_most(4, &image(&[&entries]), "/", to.path(), u64::MAX);
        extracted.map_err(|error| error.to_string())
    };
    assert_eq!(stopped(&["a/b/1", "a/b/2", "a/c/1", "d/1"]), Ok(()));
    for (paths, kind) in [
        (["a/b/1", "a/b/2", "a/c/1", "d/1", "d/2"], "files"),
        // Folders that are removed again took as long to create.
        (["a/b/1", "a", "a/b/1", "a/b", "a/b/1"], "folders"),
        (["1", "a/b/c/1", "2", "a/b/d/e/1", "3"], "folders"),
    ] {
        let error = stopped(&paths).unwrap_err();
        let expected = format!("the number of {kind} in / exceeds the limit of 4");
        assert!(error.ends_with(&expected), "{error}");
    }
}

#[test]
fn a_folder_in_or_below_a_link_is_rejected_and_not_partially_read() {
    let link = |path| (path, EntryType::Symlink, &b""[..]);
    let files = [file("configs/a", b"a"), file("data/b", b"b")];
    for (path, below) in [("configs/b", "configs/b/c"), ("configs", "configs/c"), ("root", "x")] {
        let linked = image(&[&[files[0], files[1]], &[link(path)], &[file(below, b"c")]]);
        let inside = if path == "root" { "root/configs" } else { "configs" };
        let error = extracted(&linked, inside).unwrap_err().to_string();
        let refusals = [
            format!("{path} is a symbolic link"),
            format!("{below} is a path through a symbolic link"),
        ];
        assert!(refusals.iter().any(|refusal| error.contains(refusal)), "{error}");
    }
    let replaced = image(&[&[link("configs")], &[("configs", EntryType::Directory, b""), files[0]]]);
    assert_eq!(extracted(&replaced, "configs").unwrap().len(), 1);
}

proptest! {
    #[test]
    fn an_unpacked_folder_equals_the_tree_of_the_image(
        layers in prop::collection::vec(
            prop::collection::vec(("[ab](/(\\.wh\\.)?[ab]){0,2}|[ab]/\\.wh\\.\\.wh\\.\\.opq", any::<bool>(), "[xyz]"), 0..6),
            1..4,
        )
    ) {
        let layers: Vec<Vec<TarEntry<'_>>> = layers
            .iter()
            .map(|entries| {
                let entries = entries.iter().map(|(path, folder, content)| match folder {
                    true => (path.as_str(), EntryType::Directory, &b""[..]),
                    false => file(path, content.as_bytes()),
                });
                entries.collect()
            })
            .collect();
        let layers: Vec<&[TarEntry<'_>]> = layers.iter().map(Vec::as_slice).collect();
        let image = image(&layers);
        let tree = tree_of(&image, &|_| true, &TreeLimits::default()).unwrap();
        let expected: Vec<(String, String)> = tree
            .iter()
            .map(|(path, content)| (path.to_owned(), String::from_utf8(content.to_vec()).unwrap()))
            .collect();
        let mut found = extracted(&image, "/").unwrap_or_default();
        found.sort();
        prop_assert_eq!(found, expected);
    }
}

/// Entries of a layer; the content of a link is its target.
fn tar_with_links(entries: &[TarEntry<'_>]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (path, kind, content) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(*kind);
        header.set_size(if kind.is_file() { content.len() as u64 } else { 0 });
        if !kind.is_file() {
            header.as_old_mut().linkname[..content.len()].copy_from_slice(content);
        }
        header.set_path(path).unwrap();
        header.set_cksum();
        tar.append(&header, if kind.is_file() { *content } else { b"" })
            .unwrap();
    }
    tar.into_inner().unwrap()
}

fn linked_image(layers: &[&[TarEntry<'_>]]) -> Image {
    image_of_layers(layers.iter().map(|entries| layer(tar_with_links(entries))).collect())
}

fn symlink<'a>(path: &'a str, target: &'a str) -> TarEntry<'a> {
    (path, EntryType::Symlink, target.as_bytes())
}

#[test]
fn members_that_reach_wanted_files_through_links_are_rejected() {
    let own = file("manifests/a", b"1");
    let hard = ("other", EntryType::Link, &b"lnk"[..]);
    let cases: [&[&[TarEntry<'_>]]; 10] = [
        &[&[own, symlink("lnk", "manifests"), file("lnk/a", b"2")]],
        &[&[own, symlink("lnk", "manifests")], &[file("lnk/a", b"2")]],
        &[&[own, symlink("lnk", "manifests")], &[file("lnk/.wh.a", b"")]],
        &[&[own, symlink("lnk", "manifests")], &[file("lnk/.wh..wh..opq", b"")]],
        &[&[
            own,
            symlink("x/y/lnk", "../../../../manifests/./"),
            file("x/y/lnk/a", b"2"),
        ]],
        &[&[own, symlink("x", "lnk"), symlink("lnk", "manifests"), file("x/a", b"2")]],
        &[&[
            own,
            symlink("x", "y"),
            symlink("x/z", "../manifests"),
            file("y/z/a", b"2"),
        ]],
        &[&[own, symlink("lnk", "manifests"), hard, file("other/a", b"2")]],
        &[&[own, symlink("root", "."), file("root/manifests/a", b"2")]],
        // The link below the folder that replaced a link is not the one at its target.
        &[
            &[
                own,
                symlink("a", "q"),
                ("a", EntryType::Directory, b""),
                symlink("a/b", "/manifests"),
            ],
            &[symlink("q/b", "/etc"), file("a/b/a", b"2")],
        ],
    ];
    for layers in cases {
        let image = linked_image(layers);
        let error = read(&image).unwrap_err();
        assert!(
            error.contains("is a path through a symbolic link"),
            "{layers:?}: {error}"
        );
        let error = extract(&image, "manifests/a", 1 << 20).unwrap_err();
        assert!(
            error.contains("is a path through a symbolic link"),
            "{layers:?}: {error}"
        );
        let error = extracted(&image, "manifests").unwrap_err().to_string();
        assert!(
            error.contains("is a path through a symbolic link"),
            "{layers:?}: {error}"
        );
    }
}

#[test]
fn a_file_that_a_link_adds_to_a_wanted_folder_is_rejected() {
    let layer = [
        file("manifests/a", b"1"),
        symlink("lnk", "/manifests"),
        file("lnk/b", b"2"),
    ];
    let image = linked_image(&[&layer]);
    assert!(
        read(&image)
            .unwrap_err()
            .contains("lnk/b is a path through a symbolic link")
    );
    assert!(extracted(&image, "manifests").is_err());
    assert_eq!(extract(&image, "manifests/a", 1 << 20), Ok("1".to_owned()));
}

#[test]
fn links_elsewhere_and_links_that_were_replaced_do_not_matter() {
    let image = linked_image(&[
        &[
            symlink("lib", "usr/lib"),
            symlink("var/run", "/run"),
            symlink("loop", "loop"),
            symlink("old", "manifests"),
            file("lib/x", b""),
            file("var/run/a", b""),
        ],
        &[file("lib/.wh.x", b""), file(".wh.old", b""), file("manifests/a", b"1")],
        &[file("old/a", b"2")],
    ]);
    assert_eq!(read(&image), Ok(files(&[("manifests/a", "1")])));
    assert_eq!(extract(&image, "manifests/a", 1 << 20), Ok("1".to_owned()));
    assert_eq!(
        extracted(&image, "manifests").unwrap(),
        [("a".to_owned(), "1".to_owned())]
    );
}

#[test]
fn links_that_are_unclear_or_never_end_are_rejected() {
    let endless = linked_image(&[&[symlink("a", "b"), symlink("b", "a"), file("a/x", b"")]]);
    let error = read(&endless).unwrap_err();
    assert!(
        error.contains("the number of symbolic links in the path a/x exceeds the limit of 255"),
        "{error}"
    );
    let hidden = linked_image(&[&[symlink("a", "manifests"), file(".wh.a", b"")]]);
    assert!(
        read(&hidden)
            .unwrap_err()
            .contains("whiteout of a link in the same layer")
    );
}

#[test]
fn a_file_of_which_a_folder_is_a_link_is_rejected_if_a_later_layer_may_change_it() {
    let lower = [symlink("database", "data")];
    let image = linked_image(&[
        &lower,
        &[file("database/index.db", b"1")],
        &[file("data/index.db", b"2")],
    ]);
    let error = extract(&image, "database/index.db", 1 << 20).unwrap_err();
    assert!(error.contains("through a symbolic link"), "{error}");
}

#[test]
fn sparse_files_in_extended_headers_are_rejected_with_their_layer() {
    let mut tar = tar::Builder::new(Vec::new());
    let name: (&str, &[u8]) = ("GNU.sparse.name", b"manifests/a");
    tar.append_pax_extensions([name]).unwrap();
    let mut header = tar::Header::new_ustar();
    header.set_size(0);
    header.set_path("x").unwrap();
    header.set_cksum();
    tar.append(&header, &b""[..]).unwrap();
    let sparse = layer(tar.into_inner().unwrap());
    let digest = sparse.descriptor.digest;
    let error = read(&image_of_layers(vec![sparse])).unwrap_err();
    assert!(
        error.contains(&format!("layer {digest}: manifests/a is a sparse file")),
        "{error}"
    );
}
