//! The file of a new bundle in a catalog with one file for each bundle.

use super::{Editor, PackageDocuments};
use crate::catalog::file_based::Schema;
use crate::catalog::file_based::read::Handle;
use crate::kubernetes::names::is_dns1123_subdomain;
use std::collections::HashMap;
use std::path::Path;

impl Editor {
    /// Returns the file for a new bundle, by its path inside the folder, if each bundle of the package is alone in a
    /// file of its name. The file is next to that of the package's last bundle, and must not exist yet.
    pub(super) fn own_file(&self, documents: &PackageDocuments, name: &str) -> Option<String> {
        if !is_dns1123_subdomain(name) {
            return None;
        }
        let mut counts: HashMap<usize, usize> = HashMap::new();
        for handle in &self.catalog.handles {
            *counts.entry(handle.file).or_default() += 1;
        }
        let handles = documents.handles.iter();
        let handles = handles.filter_map(|index| self.catalog.handles.get(*index));
        let bundles: Vec<&Handle> = handles.filter(|handle| handle.schema == Schema::Bundle).collect();
        let has_own_file = |handle: &&Handle| {
            let stem = self.catalog.file(handle).file_stem().and_then(|stem| stem.to_str());
            stem == Some(&*handle.name) && counts.get(&handle.file) == Some(&1)
        };
        if !bundles.iter().all(has_own_file) {
            return None;
        }
        let sibling: &Path = self.catalog.file(bundles.last()?);
        let extension = sibling.extension()?.to_str()?;
        let file = sibling.with_file_name(format!("{name}.{extension}"));
        file.symlink_metadata().is_err().then(|| self.inside(&file))
    }
}
