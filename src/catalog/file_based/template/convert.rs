//! A catalog as a template.

use super::Kind;
use super::error::{TemplateError, TemplateProblem};
use super::input::Input;
use crate::catalog::file_based::Schema;
use crate::catalog::file_based::document::Document;
use crate::catalog::file_based::read::CatalogLimits;
use crate::text::Path;
use serde::Serialize;

/// A template that holds a catalog.
#[derive(Debug, Serialize)]
pub struct Converted {
    schema: &'static str,
    entries: Vec<Document>,
    #[serde(skip_serializing_if = "Option::is_none")]
    substitutions: Option<[(); 0]>,
}

/// Makes a template of a catalog, which is the text of a file; `name` is what errors call it. In a basic template
/// bundles keep only their images; a semver template cannot be made of a catalog, because its channels are another's.
///
/// # Errors
/// When the text is no catalog, or a bundle has no image that could stand for it.
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
