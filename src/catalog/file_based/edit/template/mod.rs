//! Editing a catalog template: one file, of which only the changed text is replaced.

mod basic;
mod semver;

pub use basic::TemplateBundle;

use super::{CatalogEditError, Edited, result};
use crate::catalog::file_based::Bundle;
use crate::catalog::file_based::error::CatalogError;
use crate::catalog::file_based::folder::LEVELS;
use crate::catalog::file_based::limits::CatalogLimits;
use crate::catalog::file_based::template::{Kind, Template, TemplateError, TemplateProblem};
use crate::files::{self, FileChange, FileError, open_regular};
use crate::text::{self, Document, Limits};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The reason why a template cannot be edited. Nothing has changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateEditError {
    /// The file is not a template, or would not be one after the change.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The file is a catalog used as a template, as supported by older versions of opm.
    #[error("{} is a basic template without the schema olm.template.basic, so it cannot be edited", file.display())]
    Older {
        /// The file.
        file: PathBuf,
    },
    /// The requested change does not apply to templates of this type.
    #[error("{}: this change is not supported in a {} template", file.display(), kind.word())]
    Unsupported {
        /// The file.
        file: PathBuf,
        /// The type of the template.
        kind: Kind,
    },
    /// No entry has the name of these bundles in channels.
    #[error("{}: {}", file.display(), unnamed(bundles, *names))]
    Unnamed {
        /// The file.
        file: PathBuf,
        /// The bundles.
        bundles: Vec<String>,
        /// Whether any entry of a bundle has a name.
        names: bool,
    },
    /// The list does not exist.
    #[error("{}: {stream:?} is not one of the lists of a semver template", file.display())]
    Stream {
        /// The file.
        file: PathBuf,
        /// The name.
        stream: String,
    },
    /// The list does not contain the image, but other lists do.
    #[error("{}: the list {stream} does not contain the image {image:?}, but {} contains it", file.display(), others.join(" and "))]
    OtherStream {
        /// The file.
        file: PathBuf,
        /// The reference.
        image: String,
        /// The list.
        stream: String,
        /// The lists that contain the image.
        others: Vec<&'static str>,
    },
    /// No list contains the image.
    #[error("{}: no bundle has the image {image:?}", file.display())]
    Image {
        /// The file.
        file: PathBuf,
        /// The reference.
        image: String,
        /// The most similar image.
        nearest: Option<String>,
    },
}

/// A template that is being edited.
#[derive(Debug)]
pub struct TemplateEditor {
    path: PathBuf,
    limits: CatalogLimits,
    before: Vec<u8>,
    kind: Kind,
    images: Vec<String>,
    document: Document,
    /// The new content.
    value: Value,
    /// Whether published bundles have been added, whose faults were reported then.
    adds_published: bool,
}

impl TemplateEditor {
    /// Opens a template file, and removes files that a killed process left next to it.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or is not a template.
    pub fn open(path: &Path, limits: CatalogLimits) -> Result<Self, CatalogEditError> {
        // A killed process may have left a change to this template and several catalogs unfinished.
        files::finish_changes_above(path, LEVELS + 1)?;
        let fail = |error| FileError::new("read", path, error);
        files::remove_leftovers_beside(&path.canonicalize().map_err(fail)?);
        let mut before = Vec::new();
        let most = u64::try_from(limits.document_bytes).unwrap_or(u64::MAX);
        let file = open_regular(path).map_err(fail)?;
        file.take(most.saturating_add(1))
            .read_to_end(&mut before)
            .map_err(fail)?;
        let name = path.display().to_string();
        let images = images(&name, &before, limits);
        let reading = text::read(&name, &before, &of_template(limits));
        let mut documents = reading.documents.into_iter();
        let document = documents.find(|document| !document.value().is_null());
        let schema = document
            .as_ref()
            .and_then(|document| field(document.value(), "schema")?.1.as_str());
        let kind = schema.and_then(Kind::of_schema);
        let problem = match &images {
            Err(TemplateEditError::Template(error)) => Some(&*error.problem),
            _ => None,
        };
        let file = path.to_owned();
        let images = match (kind, problem) {
            // No bundle has been added yet.
            (Some(_), Some(TemplateProblem::NoBundles)) => Vec::new(),
            // The file is part of a catalog, not a template.
            (None, Some(TemplateProblem::RenderedBundle { .. })) => {
                return Err(CatalogError::NotAFolder { file }.into());
            }
            _ => images?,
        };
        let (Some(document), Some(kind)) = (document, kind) else {
            return Err(TemplateEditError::Older { file }.into());
        };
        Ok(Self {
            path: path.to_owned(),
            limits,
            before,
            kind,
            images,
            value: document.value().clone(),
            document,
            adds_published: false,
        })
    }

    /// Returns the type of the template.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the image references of the bundles.
    pub fn images(&self) -> &[String] {
        &self.images
    }

    fn require(&self, kind: Kind) -> Result<(), TemplateEditError> {
        if self.kind == kind {
            return Ok(());
        }
        Err(self.unsupported())
    }

    /// Returns the error for a change that is not supported in a template of this type.
    pub fn unsupported(&self) -> TemplateEditError {
        TemplateEditError::Unsupported {
            file: self.path.clone(),
            kind: self.kind,
        }
    }

    /// Returns whether the template has changed.
    pub fn is_changed(&self) -> bool {
        *self.document.value() != self.value
    }

    /// Makes sure that the changed template can be rendered. `bundles` contains the bundle of each image.
    ///
    /// # Errors
    /// Returns an error if the form of the text does not allow the change, or the bundles do not fit together.
    pub fn check(&self, bundles: &BTreeMap<String, Bundle>) -> Result<(), CatalogEditError> {
        let text = text::revise(&self.document, &self.value)?;
        let template = Template::read(&self.path.display().to_string(), text.as_bytes(), None, self.limits)
            .map_err(TemplateEditError::from)?;
        let images = template.images.iter();
        let rendered: Vec<Bundle> = images
            .filter_map(|image| bundles.get(&image.reference).cloned())
            .collect();
        template.documents(rendered).map_err(TemplateEditError::from)?;
        Ok(())
    }

    /// Returns the changed file, which is still a template.
    ///
    /// # Errors
    /// Returns an error if the form of the text does not allow the change, the change introduces errors in the
    /// channels, or the file would no longer be a template.
    pub fn finish(self) -> Result<Edited, CatalogEditError> {
        let (mut files, mut findings) = (BTreeMap::new(), Vec::new());
        if self.is_changed() {
            let name = self.path.display().to_string();
            let after = text::revise(&self.document, &self.value)?.into_bytes();
            images(&name, &after, self.limits)?;
            let reading = text::read(&name, &after, &of_template(self.limits));
            let mut documents = reading.documents.iter();
            if let Some(changed) = documents.find(|document| !document.value().is_null())
                && self.kind == Kind::Basic
            {
                let documents = (&self.document, changed);
                findings = result::check_entries(&self.path, documents, self.adds_published, self.limits)?;
            }
            let change = FileChange {
                before: Some(self.before),
                after: Some(after),
            };
            let name = self.path.file_name().unwrap_or_default();
            files.insert(name.to_string_lossy().into_owned(), change);
        }
        let folder = self.path.parent().unwrap_or(Path::new("")).to_owned();
        Ok(Edited {
            shown: folder.clone(),
            folder,
            files,
            findings,
            is_template: true,
        })
    }
}

/// Returns the image references of the bundles of a template.
fn images(name: &str, text: &[u8], limits: CatalogLimits) -> Result<Vec<String>, TemplateEditError> {
    let template = Template::read(name, text, None, limits)?;
    Ok(template.images.into_iter().map(|image| image.reference).collect())
}

fn of_template(limits: CatalogLimits) -> Limits {
    Limits {
        values: limits.template_values,
        ..limits.of_document()
    }
}

/// Returns the problem that no entry has the names of these bundles.
fn unnamed(bundles: &[String], names: bool) -> String {
    let quoted: Vec<String> = bundles.iter().map(|name| format!("{name:?}")).collect();
    let (list, has) = match quoted.as_slice() {
        [_] => ("a channel lists the bundle", "this name"),
        _ => ("channels list the bundles", "these names"),
    };
    let bundles = quoted.join(", ");
    if names {
        format!("{list} {bundles}, but no olm.bundle entry has {has}")
    } else {
        format!("{list} {bundles}, but the olm.bundle entries have no names, so it is unclear which of them are meant")
    }
}

/// Returns a field with its name as written; the name may be capitalized.
fn field<'v>(map: &'v Value, name: &str) -> Option<(&'v String, &'v Value)> {
    map.as_object()?.iter().find(|(key, _)| key.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests;
