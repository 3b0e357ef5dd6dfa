//! Basic templates: catalogs that specify only the image of each bundle.

use super::error::{TemplateError, TemplateProblem};
use super::input::Input;
use super::{Content, Image, Template, TemplateDocument};
use crate::catalog::file_based::{Blob, Bundle, Schema};
use crate::text::Path;
use std::collections::HashMap;

/// The documents in the order of the template.
#[derive(Debug)]
pub(super) struct Basic(Vec<Item>);

#[derive(Debug)]
enum Item {
    /// A document that is copied unchanged.
    Other(TemplateDocument),
    /// The next bundle.
    Bundle,
}

/// Reads the form that has a template schema, with the documents in a list.
pub(super) fn read(input: &Input) -> Result<Template, TemplateError> {
    let [_, entries] = input.fields(&Path::root(), ["schema", "entries"])?;
    let entries = entries.map_or(Ok(Vec::new()), |path| input.items(0, &path))?;
    of_entries(input, entries.into_iter().map(|path| (0, path)))
}

/// Reads the older form, which is a stream of catalog documents.
pub(super) fn read_stream(input: &Input) -> Result<Template, TemplateError> {
    let documents = (0..input.documents.len()).map(|number| (number, Path::root()));
    of_entries(input, documents)
}

fn of_entries(input: &Input, entries: impl Iterator<Item = (usize, Path)>) -> Result<Template, TemplateError> {
    let (mut images, mut read) = (Vec::new(), Vec::new());
    let mut lines: HashMap<String, usize> = HashMap::new();
    for (number, path) in entries {
        let document = input.blob(number, &path)?;
        if document.schema() != Some(Schema::Bundle) {
            if input.kind_at(number, &path).is_some() {
                let schema = document.text("schema");
                return Err(input.wrong(number, path, TemplateProblem::Several { schema }));
            }
            read.push(Item::Other(TemplateDocument::Written(document)));
            continue;
        }
        let image = bundle(input, number, &path)?;
        if let Some(&line) = lines.get(&image.reference) {
            let problem = TemplateProblem::RepeatedImage {
                image: image.reference,
                line,
            };
            return Err(input.wrong(number, path.key("image"), problem));
        }
        lines.insert(image.reference.clone(), image.at.line);
        images.push(image);
        read.push(Item::Bundle);
    }
    let content = Content::Basic(Basic(read));
    Ok(Template { images, content })
}

/// Returns the image of a bundle. Refuses fields other than the image and the optional name.
fn bundle(input: &Input, number: usize, path: &Path) -> Result<Image, TemplateError> {
    for (name, value) in input.map(number, path)? {
        // Programs that write all fields leave these empty.
        let is_empty = value.is_null() || value.as_str() == Some("") || value.as_array().is_some_and(Vec::is_empty);
        if !["schema", "image", "name"].contains(&name.as_str()) && !is_empty {
            let problem = TemplateProblem::RenderedBundle { field: name.clone() };
            return Err(input.wrong(number, path.key(name), problem));
        }
    }
    input.image(number, &path.key("image"))
}

impl Basic {
    /// Returns the documents, with each bundle at its position.
    pub(super) fn documents(self, rendered: Vec<Bundle>) -> Vec<TemplateDocument> {
        let mut rendered = rendered.into_iter();
        let entries = self.0.into_iter();
        entries
            .filter_map(|entry| match entry {
                Item::Other(made) => Some(made),
                Item::Bundle => Some(TemplateDocument::Generated(Blob::Bundle(rendered.next()?))),
            })
            .collect()
    }
}
