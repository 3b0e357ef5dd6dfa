//! Merging several catalogs into one.

mod parts;
mod values;

use super::{CatalogEditError, Editor, result};
use crate::catalog::file_based::Subject;
use crate::catalog::file_based::limits::CatalogLimits;
use crate::catalog::file_based::load::At;
use crate::catalog::file_based::read::Handle;
use crate::catalog::file_based::{Key, Schema};
use crate::diagnostic::Diagnostic;
use crate::files::{self, NewFolder};
use crate::kubernetes::names::is_dns1123_label;
use crate::text::{self, Document, Path as TextPath};
use parts::{Part, ranges};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use values::Clash;

/// A difference between catalogs.
#[derive(Debug, Clone)]
pub struct Conflict {
    /// The subject of the documents.
    pub subject: Subject,
    /// The field or entry that differs; `None` if the whole document differs.
    pub part: Option<String>,
    /// The fields that differ inside that field, entry or document.
    pub fields: Vec<String>,
    /// The positions of the values that differ.
    pub at: Vec<At>,
}

impl fmt::Display for Conflict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(part) = &self.part {
            write!(formatter, "{part} of ")?;
        }
        write!(formatter, "{}", self.subject)?;
        if !self.fields.is_empty() {
            write!(formatter, ": {}", self.fields.join(", "))?;
        }
        let places: Vec<String> = self.at.iter().map(At::to_string).collect();
        write!(formatter, " ({})", places.join(", "))
    }
}

/// A catalog that was merged.
#[derive(Debug, Clone)]
pub struct Merged {
    /// The packages.
    pub packages: Vec<MergedPackage>,
    /// The errors in the new catalog, which the sources also have.
    pub findings: Vec<Diagnostic>,
}

/// A package of the new catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedPackage {
    /// The name of the package; empty for documents without a package.
    pub name: String,
    /// The positions of the catalogs that contain the package.
    pub catalogs: Vec<usize>,
}

/// A source catalog.
struct Source {
    editor: Editor,
    /// The byte range of each document in its file, by the position of the document's handle.
    ranges: HashMap<usize, Range<u64>>,
    /// The positions of each package's handles.
    packages: BTreeMap<String, Vec<usize>>,
}

/// Merges the catalogs in `folders` into one at `output`, which contains PACKAGE/catalog.yaml or PACKAGE/catalog.json
/// for each package. The folder appears only when it is complete. Documents that only one catalog contains, or that are
/// the same in all catalogs, keep their bytes. Channels and deprecations contain the entries of all catalogs; where
/// catalogs differ, the `preferred` catalog takes precedence.
///
/// # Errors
/// Returns an error if `output` already exists, the catalogs differ in a part that `preferred` does not decide, or the
/// new catalog would have errors that none of the sources has.
pub fn merge(
    folders: &[PathBuf],
    preferred: Option<usize>,
    output: &Path,
    limits: CatalogLimits,
) -> Result<Merged, CatalogEditError> {
    let mut sources = Vec::with_capacity(folders.len());
    for folder in folders {
        let editor = Editor::open(folder, limits)?;
        let ranges = ranges(&editor);
        let mut packages: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, handle) in editor.catalog.handles.iter().enumerate() {
            packages.entry(handle.package.to_string()).or_default().push(index);
        }
        sources.push(Source {
            editor,
            ranges,
            packages,
        });
    }
    let names: BTreeSet<String> = sources
        .iter()
        .flat_map(|source| source.packages.keys().cloned())
        .collect();
    let new = NewFolder::new(output)?;
    let mut conflicts = Vec::new();
    let mut packages = Vec::new();
    for name in names {
        if !name.is_empty() && !is_dns1123_label(&name) {
            return Err(CatalogEditError::Name { package: name });
        }
        let mut merging = Merging {
            preferred,
            conflicts: &mut conflicts,
            parts: Vec::new(),
            last: HashMap::new(),
            others: HashMap::new(),
        };
        let catalogs = merging.package(&name, &sources)?;
        merging.parts.sort_by_key(|(behind, _)| *behind);
        let files = parts::files(merging.parts.into_iter().map(|(_, part)| part).collect());
        let written = files.iter().map(|(file, content)| (*file, content.as_slice()));
        files::place(&new.path().join(&name), written)?;
        packages.push(MergedPackage { name, catalogs });
    }
    if !conflicts.is_empty() {
        return Err(CatalogEditError::Conflicts { conflicts });
    }
    for source in &sources {
        source.editor.catalog.check_unchanged()?;
    }
    let findings = result::check_new(new.path(), output, folders, limits)?;
    new.commit()?;
    Ok(Merged { packages, findings })
}

/// A package that is being merged.
struct Merging<'s> {
    preferred: Option<usize>,
    conflicts: &'s mut Vec<Conflict>,
    /// The documents of the new package, each with its sort key. For a document of the first catalog, the key is its
    /// own position in this list; any other document has the key of the document that it follows.
    parts: Vec<(usize, Part)>,
    /// The position of the last document of each schema in the first catalog, separately for JSON and YAML.
    last: HashMap<(Schema, bool), usize>,
    /// The documents of unknown schemas, each with the position of the first catalog that contains it.
    others: HashMap<String, usize>,
}

/// A document of one of the catalogs.
#[derive(Clone, Copy)]
struct Found<'s> {
    catalog: usize,
    source: &'s Source,
    index: usize,
    handle: &'s Handle,
}

impl Found<'_> {
    fn part(self) -> Result<Part, CatalogEditError> {
        let range = self.source.ranges.get(&self.index).cloned().unwrap_or_default();
        Ok(Part::read(self.catalog, &self.source.editor, self.handle, range)?)
    }

    fn read(self) -> Result<Document, CatalogEditError> {
        self.source.editor.read(self.handle)
    }
}

impl Merging<'_> {
    /// Merges the documents of a package. Returns the positions of the catalogs that contain the package.
    fn package(&mut self, name: &str, sources: &[Source]) -> Result<Vec<usize>, CatalogEditError> {
        let mut catalogs = Vec::new();
        let mut versions: BTreeMap<(Key<'_>, &str), Vec<Found<'_>>> = BTreeMap::new();
        let mut order: Vec<Found<'_>> = Vec::new();
        for (catalog, source) in sources.iter().enumerate() {
            let own = source.packages.get(name).into_iter().flatten();
            let mut found: Vec<Found<'_>> = own
                .filter_map(|index| {
                    Some(Found {
                        catalog,
                        source,
                        index: *index,
                        handle: source.editor.catalog.handles.get(*index)?,
                    })
                })
                .collect();
            if found.is_empty() {
                continue;
            }
            source.editor.require_each_once(found.iter().map(|one| one.handle))?;
            found.sort_by_key(|one| (one.handle.file, one.handle.start));
            catalogs.push(catalog);
            for one in &found {
                versions.entry(identity(one.handle)).or_default().push(*one);
            }
            order.extend(found);
        }
        versions.retain(|_, all| identifies(all));
        let known: BTreeSet<(Key<'_>, &str)> = versions.keys().copied().collect();
        for one in order {
            let identity = identity(one.handle);
            if let Some(all) = versions.remove(&identity) {
                self.document(one, &all)?;
            } else if !known.contains(&identity) {
                self.other(one)?;
            }
        }
        Ok(catalogs)
    }

    /// Adds a document of an unknown schema that nothing identifies, unless another catalog contains the same document.
    fn other(&mut self, found: Found<'_>) -> Result<(), CatalogEditError> {
        let mut value = found.read()?.into_value();
        value.sort_all_objects();
        let first = *self.others.entry(value.to_string()).or_insert(found.catalog);
        if first == found.catalog {
            self.insert(found.part()?);
        }
        Ok(())
    }

    /// Adds a document, merged from all its versions.
    fn document(&mut self, first: Found<'_>, all: &[Found<'_>]) -> Result<(), CatalogEditError> {
        let mut part = first.part()?;
        for other in all.iter().skip(1) {
            if other.part()?.document != part.document {
                part.document = self.merged(first, all)?.into_bytes();
                break;
            }
        }
        self.insert(part);
        Ok(())
    }

    /// Returns the text of a document that is merged from all its versions.
    fn merged(&mut self, first: Found<'_>, all: &[Found<'_>]) -> Result<String, CatalogEditError> {
        let mut documents = Vec::with_capacity(all.len());
        for found in all {
            documents.push((found.catalog, found.read()?));
        }
        let versions = documents.iter().map(|(catalog, document)| (*catalog, document.value()));
        let versions: Vec<values::Version<'_>> = versions.collect();
        let (value, clashes) = values::merged(&first.handle.schema, &versions, self.preferred);
        let conflicts = clashes
            .into_iter()
            .map(|clash| conflict(first.handle, clash, &documents));
        self.conflicts.extend(conflicts);
        let base = first.read()?;
        let is_it = |(catalog, document): &&(usize, Document)| {
            Some(*catalog) == self.preferred && document.format() == base.format() && *document.value() == value
        };
        Ok(match documents.iter().find(is_it) {
            Some((_, preferred)) => preferred.source().text().to_owned(),
            None => text::revise(&base, &value)?,
        })
    }

    /// Adds a document. Documents of the first catalog keep their order. All other documents follow the last document
    /// of their schema in that catalog, or come last if there is none.
    fn insert(&mut self, part: Part) {
        let like = (part.schema.clone(), part.is_json);
        let of_first = self
            .parts
            .first()
            .is_none_or(|(_, first)| first.catalog() == part.catalog());
        let behind = if of_first {
            self.last.insert(like, self.parts.len());
            self.parts.len()
        } else {
            self.last.get(&like).copied().unwrap_or(usize::MAX)
        };
        self.parts.push((behind, part));
    }
}

/// Returns the sort key and the name of a document. The sort key of an unknown schema contains no name.
fn identity(handle: &Handle) -> (Key<'_>, &str) {
    (handle.key(), &handle.name)
}

/// Returns whether documents with the same identity are versions of one document. Documents of unknown schemas need not
/// have a name, and one catalog may contain several with the same name.
fn identifies(all: &[Found<'_>]) -> bool {
    let is_once = || {
        let catalogs: BTreeSet<usize> = all.iter().map(|found| found.catalog).collect();
        catalogs.len() == all.len()
    };
    all.first()
        .is_some_and(|first| first.handle.schema.is_unique() || (!first.handle.name.is_empty() && is_once()))
}

fn conflict(handle: &Handle, clash: Clash, documents: &[(usize, Document)]) -> Conflict {
    let at = |(catalog, path): &(usize, TextPath)| {
        let (_, document) = documents.iter().find(|(number, _)| number == catalog)?;
        let place = document.key_place(path);
        Some(At {
            file: PathBuf::from(place.source.name()),
            line: place.start().line,
        })
    };
    Conflict {
        subject: handle.subject(),
        part: clash.part,
        fields: clash.fields,
        at: clash.at.iter().filter_map(at).collect(),
    }
}

#[cfg(test)]
mod tests;
