//! `opmx bundle generate`: writing `annotations.yaml` and `bundle.Dockerfile` as opm does.

use super::output_folder::require_unmixed;
use super::{AnnotationArguments, FolderArguments};
use crate::bundle::generate::dockerfile;
use crate::bundle::{ANNOTATIONS_YAML, DOCKERFILE, MANIFESTS, METADATA, annotations_text};
use crate::cli::Context;
use crate::cli::arguments::LimitArguments;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::values::output;
use crate::files::{self, FolderChange};
use crate::tree::Tree;
use clap::Args;
use std::path::{Component, Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  Write the files for the bundle in the folder etcd
  $ opmx bundle generate etcd --package etcd --channels alpha,stable --default stable

  Use the options of opm's command
  $ opmx bundle generate -d etcd/manifests -p etcd -c alpha,stable -e stable";

/// The folder with the tests of an operator, in a bundle and in its image.
const SCORECARD: &str = "tests/scorecard";

/// The maximum size of an existing Dockerfile whose lines are compared.
const MOST_BYTES: usize = 1 << 20;

/// Write annotations.yaml and bundle.Dockerfile, as opm does
///
/// The Dockerfile is for building the image with another tool; "opmx bundle build" needs no Dockerfile. The Dockerfile
/// is written to the current directory, and metadata/annotations.yaml to the folder of the bundle. Values that the
/// options do not set are taken from the existing annotations; an existing default channel that is not one of the
/// channels is omitted.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct GenerateArguments {
    #[command(flatten)]
    folder: FolderArguments,
    #[command(flatten)]
    annotations: AnnotationArguments,
    /// Copy manifests/ and metadata/ into this folder, and make the Dockerfile refer to the copies
    ///
    /// It is an error if the manifests/ or metadata/ in this folder already contain other files.
    #[arg(short = 'u', long, value_name = "DIR", value_parser = output())]
    output_dir: Option<PathBuf>,
    /// Base image of the Dockerfile
    #[arg(long, hide = true, value_name = "IMAGE", default_value = "scratch")]
    base_image: String,
    #[command(flatten)]
    limits: LimitArguments,
}

pub(crate) fn run(arguments: &GenerateArguments, context: &Context<'_>) -> CommandResult {
    generate(arguments, true, context)
}

/// Runs the command as `opm alpha bundle generate`, which leaves other files in the output folder.
pub(crate) fn run_as_opm(arguments: &GenerateArguments, context: &Context<'_>) -> CommandResult {
    generate(arguments, false, context)
}

fn generate(arguments: &GenerateArguments, unmixed: bool, context: &Context<'_>) -> CommandResult {
    let folder = arguments.folder.bundle();
    files::finish_change(&folder)?;
    let limits = arguments.limits.tree();
    let mut tree = arguments.folder.tree(&limits)?;
    let asked = arguments.annotations.asked();
    let values = asked
        .of(&tree, &arguments.limits.text())
        .map_err(super::annotation_error)?;
    if let Some((key, _)) = values.iter().find(|(_, value)| value.contains(char::is_control)) {
        let message = format!("the annotation {key} has a control character, which no label in a Dockerfile can have");
        return Err(CommandError::failure(message));
    }
    let annotations = annotations_text(&tree, &values, &arguments.limits.text());
    let has_tests = tree.below(SCORECARD).next().is_some();
    let (out, manifests) = if let Some(out) = &arguments.output_dir {
        (out, out.join(MANIFESTS))
    } else {
        tree = Tree::new(tree.origin());
        (&folder, arguments.folder.manifests())
    };
    tree.insert(ANNOTATIONS_YAML, annotations.into_bytes(), &limits)?;
    let mut folders = vec![
        (relative(&manifests), MANIFESTS),
        (relative(&out.join(METADATA)), METADATA),
    ];
    if has_tests {
        folders.push((relative(&out.join(SCORECARD)), SCORECARD));
    }
    let text = dockerfile(&arguments.base_image, &values, &folders);
    let lost = lost_lines(Path::new(DOCKERFILE), &text);
    if unmixed && arguments.output_dir.is_some() {
        require_unmixed(&tree, out)?;
    }
    // This completes an interrupted change, whose files may still have temporary names, and must precede the
    // preparation of the Dockerfile.
    let change = FolderChange::new(out)?;
    tree.place_in(change.path())?;
    change.commit_with(files::prepare(Path::new(DOCKERFILE), text.as_bytes())?)?;
    if !lost.is_empty() {
        let lost = lost.join("; ");
        let printer = &context.printer;
        printer.warning(format_args!(
            "the new {DOCKERFILE} lacks lines of the previous one: {lost}"
        ));
    }
    let file = out.join(ANNOTATIONS_YAML);
    context
        .printer
        .status(format_args!("wrote {} and {DOCKERFILE}", file.display()));
    Ok(Status::Success)
}

/// Returns the lines of an existing file that its new text does not contain.
fn lost_lines(file: &Path, text: &str) -> Vec<String> {
    let known: Vec<&str> = text.lines().map(str::trim).collect();
    let existing = files::read_small(file, MOST_BYTES).unwrap_or_default();
    let existing = String::from_utf8_lossy(&existing);
    let lines = existing.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !known.contains(line))
        .map(str::to_owned)
        .collect()
}

/// Returns a path as written in the Dockerfile: relative to the current directory, where the image is built.
fn relative(path: &Path) -> String {
    let inside = std::env::current_dir()
        .ok()
        .and_then(|here| path.strip_prefix(here).ok());
    let parts = inside.unwrap_or(path).components();
    let plain: PathBuf = parts.filter(|part| *part != Component::CurDir).collect();
    if plain.as_os_str().is_empty() {
        return ".".to_owned();
    }
    plain.display().to_string()
}
