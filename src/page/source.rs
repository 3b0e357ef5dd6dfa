//! How a site names the indexes that it is built from.

use crate::image::Reference;
use crate::index::location::IndexLocation;
use std::path::Path;

/// Returns the name of an index for the pages: the reference of an image, and only the last component of a path. The
/// rest of a path would differ between the machines that build the site.
pub(super) fn shown(index: &str) -> String {
    let last = |path: &Path| {
        let named = path.file_name().map(ToOwned::to_owned);
        named.or_else(|| Some(path.canonicalize().ok()?.file_name()?.to_owned()))
    };
    let shown = match index.parse() {
        Ok(IndexLocation::File(path)) => last(&path).map(|name| name.to_string_lossy().into_owned()),
        Ok(IndexLocation::Image(Reference::Layout { directory, tag })) => last(&directory).map(|name| {
            let directory = name.into();
            Reference::Layout { directory, tag }.to_string()
        }),
        Ok(IndexLocation::Image(Reference::Archive { file, tag })) => last(&file).map(|name| {
            let file = name.into();
            Reference::Archive { file, tag }.to_string()
        }),
        Ok(IndexLocation::Image(Reference::Registry(_))) | Err(_) => None,
    };
    shown.unwrap_or_else(|| index.to_owned())
}

/// Whether an index is an image in a registry, which other clusters and programs can also read.
pub(super) fn is_in_registry(index: &str) -> bool {
    matches!(index.parse(), Ok(IndexLocation::Image(Reference::Registry(_))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_component_of_a_path_is_shown() {
        for (index, expected) in [
            ("/home/me/fbc/", "fbc"),
            ("./fbc", "fbc"),
            ("/home/me/index.db", "index.db"),
            ("oci:/home/me/layout:v1", "oci:layout:v1"),
            ("oci-archive:/home/me/index.tar:v1", "oci-archive:index.tar:v1"),
            (
                "registry.example.com/garden/index:v1",
                "registry.example.com/garden/index:v1",
            ),
        ] {
            assert_eq!(shown(index), expected);
        }
        assert!(is_in_registry("registry.example.com/garden/index:v1"));
        assert!(!is_in_registry("testdata/catalog") && !is_in_registry("oci:layout:v1"));
    }
}
