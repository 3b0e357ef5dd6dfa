//! The file of a new bundle in a catalog with one file for each bundle.

use super::{Editor, PackageDocuments};
use crate::catalog::file_based::document::Document;
use crate::catalog::file_based::read::Handle;
use crate::catalog::file_based::{Identity, Schema};
use crate::kubernetes::names::is_dns1123_subdomain;
use serde_json::Value;
use std::collections::HashMap;
use std::path::PathBuf;

impl Editor {
    /// Returns the file for a new bundle, by its path inside the folder, if each bundle of the package is alone in a
    /// file. The file is named like those of the other bundles or, if their names follow no pattern, after the bundle.
    /// It must not exist yet.
    pub(super) fn own_file(&self, documents: &PackageDocuments, bundle: &Value) -> Option<String> {
        let name = bundle.get("name").and_then(Value::as_str)?;
        if !is_dns1123_subdomain(name) {
            return None;
        }
        let mut counts: HashMap<usize, usize> = HashMap::new();
        for handle in &self.catalog.handles {
            *counts.entry(handle.file).or_default() += 1;
        }
        let known = documents.handles.iter().zip(&documents.values);
        let known = known.filter_map(|(index, value)| Some((self.catalog.handles.get(*index)?, value)));
        let bundles: Vec<(&Handle, &Value)> = known.filter(|(handle, _)| handle.schema == Schema::Bundle).collect();
        if !bundles.iter().all(|(handle, _)| counts.get(&handle.file) == Some(&1)) {
            return None;
        }
        let paths: Option<Vec<String>> = bundles
            .iter()
            .map(|(handle, _)| {
                Some(
                    self.catalog
                        .file(handle)
                        .strip_prefix(&self.folder)
                        .ok()?
                        .to_str()?
                        .to_owned(),
                )
            })
            .collect();
        let paths = paths?;
        let version = version_of(bundle);
        let named = [("name", Some(name)), ("version", version.as_deref())];
        let named = named.into_iter().find_map(|(field, text)| {
            let text = text.filter(|text| is_file_name(text))?;
            let mut patterns = paths.iter().zip(&bundles).map(|(path, (_, value))| {
                let own = value.get(field)?.as_str()?;
                around(path, own).filter(|_| own != documents.name)
            });
            let first = patterns.next()??;
            patterns
                .all(|other| other.as_ref() == Some(&first))
                .then(|| first.join(text))
        });
        // Without a pattern, the file of a single bundle may be meant for all bundles.
        let named = named.or_else(|| {
            let sibling = PathBuf::from(paths.last().filter(|_| paths.len() > 1)?);
            let extension = sibling.extension()?.to_str()?;
            sibling
                .with_file_name(format!("{name}.{extension}"))
                .to_str()
                .map(str::to_owned)
        })?;
        let is_free = self.folder.join(&named).symlink_metadata().is_err() && !self.new_files.contains_key(&named);
        is_free.then_some(named)
    }
}

/// Returns the parts of a path around the text, or `None` if the text does not occur, or only as a part of a longer
/// number.
fn around<'p>(path: &'p str, text: &str) -> Option<Vec<&'p str>> {
    let parts: Vec<&str> = path.split(text).collect();
    let is_digit = |letter: char| letter.is_ascii_digit();
    let is_whole = |sides: &[&str]| matches!(sides, [before, after] if !before.ends_with(is_digit) && !after.starts_with(is_digit));
    (!text.is_empty() && parts.len() > 1 && parts.windows(2).all(is_whole)).then_some(parts)
}

/// Returns the version of a bundle in its document.
fn version_of(bundle: &Value) -> Option<String> {
    let document = Document::from_json(&bundle.to_string()).ok()?;
    Identity::among(&document.properties().ok()?).version
}

/// Whether a text can be part of the name of a file on every system.
fn is_file_name(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.+".contains(&byte);
    text.len() <= 100 && text.bytes().all(is_plain)
}
