//! Catalog templates: a template is a short description of a catalog, and names bundles by their images.
//!
//! [`Template::read`] returns the bundles that a template needs; the caller renders them and passes them to
//! [`Template::documents`]. There are three types of templates. [`Kind::Basic`] is a catalog that specifies only the
//! image of each bundle. [`Kind::Semver`] lists bundles, and channels are generated from their versions.
//! [`Kind::Substitutes`] is a whole catalog with substitutes for some of its bundles. [`convert`] converts a catalog to
//! a template.

mod basic;
pub mod convert;
mod error;
mod input;
mod semver;
mod substitutes;

pub use error::{TemplateError, TemplateProblem};
pub use semver::ARCHETYPES;

use super::document::Document;
use super::limits::CatalogLimits;
use super::load::{At, LoadError, Loaded, Loader};
use super::{Blob, Bundle, Schema};
use input::Input;

/// A type of template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A catalog that specifies only the image of each bundle.
    Basic,
    /// Lists of bundles, from which channels are generated.
    Semver,
    /// A catalog, and bundles that substitute for others in it.
    Substitutes,
}

/// All types.
pub const KINDS: [Kind; 3] = [Kind::Basic, Kind::Semver, Kind::Substitutes];

impl Kind {
    /// Returns the name of the type on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Semver => "semver",
            Self::Substitutes => "substitutes",
        }
    }

    /// Returns the schema of templates of this type.
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

/// A parsed template.
#[derive(Debug)]
pub struct Template {
    /// The bundles that the template needs, without duplicates, in the order of the text.
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
    /// The image reference or the folder, as written.
    pub reference: String,
    /// The position of the image.
    pub at: At,
}

/// A document of the catalog that a template describes.
#[derive(Debug, Clone)]
pub enum TemplateDocument {
    /// A document as written in the template.
    Written(Document),
    /// A document generated from the template and its bundles.
    Generated(Blob),
}

impl Template {
    /// Reads a template from the text of a file; `name` is the file name in errors. If no type is requested, the schema
    /// determines it; a catalog without such a schema is a basic template in the older form.
    ///
    /// # Errors
    /// Returns an error if the text is not a template, or not a template of the requested type.
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
            (None, None) if Schema::from(schema.as_str()).is_of_olm() => {
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

    /// Returns the documents of the catalog; `rendered` must contain one bundle for each of [`Template::images`], in
    /// the same order.
    ///
    /// # Errors
    /// Returns an error if the bundles do not fit the template.
    pub fn documents(self, rendered: Vec<Bundle>) -> Result<Vec<TemplateDocument>, TemplateError> {
        match self.content {
            Content::Basic(basic) => Ok(basic.documents(rendered)),
            Content::Semver(semver) => semver.documents(&self.images, rendered),
            Content::Substitutes(substitutes) => substitutes.documents(&self.images, rendered),
        }
    }
}

impl TemplateDocument {
    /// Returns the document.
    ///
    /// # Errors
    /// Returns an error if the document contains data that JSON cannot represent.
    pub fn document(&self) -> Result<Document, serde_json::Error> {
        match self {
            Self::Written(document) => Ok(document.clone()),
            Self::Generated(blob) => Document::from_json(&serde_json::to_string(blob)?),
        }
    }
}

/// Loads the catalog that documents form.
///
/// # Errors
/// Returns an error if the documents are inconsistent.
pub fn load(documents: &[TemplateDocument]) -> Result<Loaded, LoadError> {
    let mut loader = Loader::default();
    for (number, made) in documents.iter().enumerate() {
        // Data that cannot be written has already caused an error.
        if let Ok(document) = made.document() {
            loader.add(number, None, &document)?;
        }
    }
    loader.finish()
}

#[cfg(test)]
mod tests;
