//! Catalog templates: short descriptions of a catalog that name bundles by their images.
//!
//! [`Template::read`] says which bundles a template needs; whoever can fetch them renders them and hands them to
//! [`Template::documents`]. Three types are known: a catalog whose bundles are still to be rendered ([`Kind::Basic`]),
//! lists of bundles whose channels follow from their versions ([`Kind::Semver`]), and a whole catalog in which bundles
//! get stand-ins ([`Kind::Substitutes`]). [`convert`] makes a template of a catalog.

mod basic;
pub mod convert;
mod error;
mod input;
mod semver;
mod substitutes;

pub use error::{TemplateError, TemplateProblem};
pub use semver::ARCHETYPES;

use super::document::Document;
use super::load::{At, LoadError, Loaded, Loader};
use super::read::CatalogLimits;
use super::{Blob, Bundle, Schema};
use input::Input;

/// A type of template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A catalog whose bundles have only their images.
    Basic,
    /// Lists of bundles, from which channels are generated.
    Semver,
    /// A catalog, and bundles that stand in for others of it.
    Substitutes,
}

/// All types.
pub const KINDS: [Kind; 3] = [Kind::Basic, Kind::Semver, Kind::Substitutes];

impl Kind {
    /// The word for it on a command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Semver => "semver",
            Self::Substitutes => "substitutes",
        }
    }

    /// The schema of such a template.
    pub const fn schema(self) -> &'static str {
        match self {
            Self::Basic => "olm.template.basic",
            Self::Semver => "olm.semver",
            Self::Substitutes => "olm.template.substitutes",
        }
    }

    pub(super) fn of_schema(schema: &str) -> Option<Self> {
        KINDS.into_iter().find(|kind| kind.schema() == schema)
    }
}

/// A template that was read.
#[derive(Debug)]
pub struct Template {
    /// The bundles that it needs, each once, in the order of the text.
    pub images: Vec<Image>,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Basic(basic::Basic),
    Semver(semver::Semver),
    Substitutes(substitutes::Substitutes),
}

/// A bundle that a template names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The reference of its image, or its folder, as it is written.
    pub reference: String,
    /// Where it stands.
    pub at: At,
}

/// A document of the catalog that a template describes.
#[derive(Debug, Clone)]
pub enum TemplateDocument {
    /// As it stands in the template.
    Written(Document),
    /// Made of the template and its bundles.
    Generated(Blob),
}

impl Template {
    /// Reads a template from the text of a file; `name` is what errors call it. Where no type is wanted, its schema
    /// says which one it is; a catalog without such a schema is a basic template in its older form.
    ///
    /// # Errors
    /// When the text is no template, or not one of the wanted type.
    pub fn read(name: &str, bytes: &[u8], wanted: Option<Kind>, limits: CatalogLimits) -> Result<Self, TemplateError> {
        let input = Input::read(name, bytes, limits)?;
        let schema = input.schema()?;
        let kind = match (wanted, Kind::of_schema(&schema)) {
            (Some(wanted), Some(found)) if wanted != found => {
                let problem = TemplateProblem::OtherSchema { wanted, schema };
                return Err(input.wrong(0, "schema", problem));
            }
            (_, Some(found)) => found,
            (Some(Kind::Basic), None) => return basic::read_stream(&input),
            (None, None) if !matches!(Schema::from(schema.as_str()), Schema::Other(_)) => {
                return basic::read_stream(&input);
            }
            (Some(wanted), None) => {
                let problem = TemplateProblem::OtherSchema { wanted, schema };
                return Err(input.wrong(0, "schema", problem));
            }
            (None, None) => {
                let problem = TemplateProblem::UnknownSchema { schema };
                return Err(input.wrong(0, "schema", problem));
            }
        };
        input.single()?;
        match kind {
            Kind::Basic => basic::read(&input),
            Kind::Semver => semver::read(&input),
            Kind::Substitutes => substitutes::read(&input),
        }
    }

    /// The documents of the catalog; `rendered` has the bundle of each of [`Template::images`].
    ///
    /// # Errors
    /// When the bundles do not fit the template.
    pub fn documents(self, rendered: Vec<Bundle>) -> Result<Vec<TemplateDocument>, TemplateError> {
        match self.content {
            Content::Basic(basic) => Ok(basic.documents(rendered)),
            Content::Semver(semver) => semver.documents(&self.images, rendered),
            Content::Substitutes(substitutes) => substitutes.documents(&self.images, rendered),
        }
    }
}

impl TemplateDocument {
    /// The document.
    ///
    /// # Errors
    /// When it holds what JSON cannot.
    pub fn document(&self) -> Result<Document, serde_json::Error> {
        match self {
            Self::Written(document) => Ok(document.clone()),
            Self::Generated(blob) => Document::from_json(&serde_json::to_string(blob)?),
        }
    }
}

/// The catalog that documents make.
///
/// # Errors
/// When they do not fit together.
pub fn load(documents: &[TemplateDocument]) -> Result<Loaded, LoadError> {
    let mut loader = Loader::default();
    for (number, made) in documents.iter().enumerate() {
        // What cannot be written was refused before.
        if let Ok(document) = made.document() {
            loader.add(number, None, &document)?;
        }
    }
    loader.finish()
}

#[cfg(test)]
mod tests;
