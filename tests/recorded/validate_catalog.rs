//! Catalogs written by opm are valid, and bundles alone are not.

use flate2::read::GzDecoder;
use opmx::catalog::file_based::check::check;
use opmx::catalog::file_based::limits::CatalogLimits;
use std::fs;
use std::io::Read;
use std::path::PathBuf;

/// The recordings with a file of this name, and its content.
fn recorded(goldens: &str, file: &str) -> Option<Vec<(PathBuf, Vec<u8>)>> {
    let folder = crate::shared::folder(goldens)?;
    let folders = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<_> = folders
        .filter_map(|path| Some((fs::read(path.join(file)).ok()?, path)))
        .collect();
    all.sort();
    assert!(!all.is_empty());
    Some(all.into_iter().map(|(content, path)| (path, content)).collect())
}

/// The rules of the errors in a catalog of one file.
fn errors(content: &[u8]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("catalog.json"), content).unwrap();
    let findings = check(folder.path(), CatalogLimits::default()).unwrap().findings;
    let errors = findings.iter().filter(|finding| finding.is_error());
    errors.map(ToString::to_string).collect()
}

#[test]
fn published_catalogs_are_valid() {
    let Some(catalogs) = recorded("goldens/grpc", "catalog.json.gz") else {
        return;
    };
    for (path, packed) in &catalogs {
        let mut content = Vec::new();
        GzDecoder::new(&packed[..]).read_to_end(&mut content).unwrap();
        assert_eq!(errors(&content), [""; 0], "{}", path.display());
    }
    println!("{} catalogs are valid", catalogs.len());
}

#[test]
fn rendered_catalogs_are_valid_and_bundles_alone_are_not() {
    let Some(catalogs) = recorded("goldens/render", "render.json") else {
        return;
    };
    let (mut valid, mut bundles) = (0, 0);
    for (path, content) in &catalogs {
        let errors = errors(content);
        if path.join("image.txt").exists() {
            let [missing, unlisted] = &errors[..] else {
                panic!("{}: {errors:?}", path.display());
            };
            assert!(missing.contains("catalog-package-missing") || missing.contains("catalog-bundle-unlisted"));
            assert!(unlisted.contains("catalog-bundle-unlisted") || unlisted.contains("catalog-package-missing"));
            bundles += 1;
        } else {
            assert_eq!(errors, [""; 0], "{}", path.display());
            valid += 1;
        }
    }
    println!("{valid} catalogs are valid, {bundles} bundles are none");
    assert!(valid > 0 && bundles > 0);
}
