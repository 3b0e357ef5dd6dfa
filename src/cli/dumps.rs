//! What a cluster holds, as `kubectl get -o yaml` or `-o json` writes it.

use crate::cli::arguments::LimitArguments;
use crate::cli::error::CommandError;
use crate::cli::{Context, input};
use crate::cluster::objects;
use crate::diagnostic;
use crate::manifest::has_manifest_extension;
use crate::text::{self, kind_of};
use crate::tree::Tree;
use serde_json::Value;
use std::path::Path;

/// The objects in files, in the YAML and JSON files of folders, and in standard input where a name is `-`.
pub(crate) fn read(
    names: &[String],
    limits: &LimitArguments,
    context: &Context<'_>,
) -> Result<Vec<Value>, CommandError> {
    let mut found = Vec::new();
    for name in names {
        let path = Path::new(name);
        if path.is_dir() {
            let files = Tree::from_directory(path, &limits.tree())?;
            for (file, content) in files.iter().filter(|(file, _)| has_manifest_extension(file)) {
                let file = path.join(file).display().to_string();
                read_file(&file, content, limits, context, &mut found)?;
            }
        } else {
            let limit = limits.text().file_bytes;
            let (file, content) = input::read(name, limit, context)?;
            read_file(&file, &content, limits, context, &mut found)?;
        }
    }
    Ok(found)
}

fn read_file(
    name: &str,
    content: &[u8],
    limits: &LimitArguments,
    context: &Context<'_>,
    found: &mut Vec<Value>,
) -> Result<(), CommandError> {
    let reading = text::read(name, content, &limits.text());
    if diagnostic::has_errors(&reading.diagnostics) {
        context.printer.report(&reading.diagnostics);
        return Err(CommandError::failure(format!("{name} cannot be read")));
    }
    for document in reading.documents {
        let number = document.number() + 1;
        if let Some(other) = objects::take(document.into_value(), found) {
            let what = match &other {
                Value::Object(_) => "a map without apiVersion and kind",
                other => kind_of(other),
            };
            return Err(CommandError::failure(format!(
                "{name} holds {what} in document {number}, where a Kubernetes object is expected"
            ))
            .hint("give what \"kubectl get -o yaml\" prints"));
        }
    }
    Ok(())
}
