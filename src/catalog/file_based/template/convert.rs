//! Converting a catalog to a template.

use super::Kind;
use super::error::{TemplateError, TemplateProblem};
use super::input::Input;
use crate::catalog::file_based::Schema;
use crate::catalog::file_based::document::Document;
use crate::catalog::file_based::limits::CatalogLimits;
use crate::text::Path;
use serde::Serialize;

/// A template with the content of a catalog.
#[derive(Debug, Serialize)]
pub struct Converted {
    schema: &'static str,
    entries: Vec<Document>,
    #[serde(skip_serializing_if = "Option::is_none")]
    substitutions: Option<[(); 0]>,
}

/// Converts a catalog, specified as the text of a file, to a template; `name` is the file name in errors. In a basic
/// template, bundles keep only their images; a catalog cannot be converted to a semver template, because such a
/// template generates its own channels.
///
/// # Errors
/// Returns an error if the text is not a catalog, or a bundle has no image that could represent it.
pub fn convert(name: &str, bytes: &[u8], kind: Kind, limits: CatalogLimits) -> Result<Converted, TemplateError> {
    let input = Input::read(name, bytes, limits)?;
    let mut entries = Vec::with_capacity(input.documents.len());
    for number in 0..input.documents.len() {
        let document = input.blob(number, &Path::root())?;
        if let Some(kind) = input.kind_at(number, &Path::root()) {
            let schema = kind.schema().to_owned();
            return Err(input.wrong(number, "schema", TemplateProblem::Template { schema }));
        }
        entries.push(if kind == Kind::Basic && document.schema() == Some(Schema::Bundle) {
            let image = input.image(number, &Path::from("image"))?.reference;
            let bundle = serde_json::json!({"schema": Schema::Bundle.name(), "image": image}).to_string();
            Document::from_json(&bundle).unwrap_or(document)
        } else {
            document
        });
    }
    Ok(Converted {
        schema: kind.schema(),
        entries,
        substitutions: (kind == Kind::Substitutes).then_some([]),
    })
}
