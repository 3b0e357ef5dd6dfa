//! The limits of the number and the length of links in layers.

use super::*;

#[test]
fn the_length_of_links_is_limited() {
    const LONGEST: usize = 4096;
    let linked = |target: &str| {
        let mut tar = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(EntryType::Symlink);
        header.set_size(0);
        tar.append_link(&mut header, "lnk", target).unwrap();
        read(&image_of_layers(vec![layer(tar.into_inner().unwrap())]))
    };
    assert_eq!(linked(&"x".repeat(LONGEST)), Ok(files(&[])));
    let error = linked(&"x".repeat(LONGEST + 1)).unwrap_err();
    assert!(
        error.contains("the length of the target of the symbolic link lnk exceeds the limit of 4096 bytes"),
        "{error}"
    );
}

#[test]
fn links_in_a_path_are_limited() {
    let chain = |links: usize| {
        let names: Vec<String> = (0..=links).map(|number| format!("l{number}")).collect();
        let links = names.windows(2).map(|pair| symlink(&pair[0], &pair[1]));
        let mut entries: Vec<TarEntry<'_>> = links.collect();
        entries.push(file("l0/x", b""));
        read(&linked_image(&[&entries]))
    };
    assert_eq!(chain(255), Ok(files(&[])));
    let error = chain(256).unwrap_err();
    assert!(
        error.contains("the number of symbolic links in the path l0/x exceeds the limit of 255"),
        "{error}"
    );
}

/// A layer of many members, each with a link to `target`.
fn layer_of_links(count: usize, target: &str, path: impl Fn(usize) -> String) -> Layer {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for number in 0..count {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(EntryType::Symlink);
        header.set_size(0);
        tar.append_link(&mut header, path(number), target).unwrap();
    }
    layer(tar.into_inner().unwrap().finish().unwrap())
}

#[test]
fn the_links_of_an_image_are_limited_in_total() {
    // 64 MiB are the paths and targets of 16,000 such links.
    let target = "x".repeat(4000);
    let links = |layer: usize, count| layer_of_links(count, &target, move |number| format!("l{layer}-{number}"));
    let below = |upper| read(&image_of_layers(vec![links(0, 8_000), upper]));
    assert_eq!(below(links(1, 8_000)), Ok(files(&[])));
    let error = below(links(1, 9_000)).unwrap_err();
    assert!(
        error.contains("the total length of the symbolic links exceeds the limit of 67108864 bytes"),
        "{error}"
    );
}

#[test]
fn the_names_in_paths_through_links_are_limited_in_total() {
    // Each path has 1,600 names in the target of its link.
    let target = "a/../".repeat(800);
    let through = |count| {
        let link = layer_of_links(1, &target, |_| "l".to_owned());
        read(&image_of_layers(vec![
            link,
            layer_of_links(count, "x", |number| format!("l/{number}")),
        ]))
    };
    assert_eq!(through(4_000), Ok(files(&[])));
    let error = through(7_000).unwrap_err();
    assert!(
        error.contains("the number of names in paths through symbolic links (counted up to l/")
            && error.contains("exceeds the limit of 10000000"),
        "{error}"
    );
}
