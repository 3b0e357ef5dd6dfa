//! `opmx bundle generate`: writing `annotations.yaml` and `bundle.Dockerfile` as opm does.

use super::{AnnotationArguments, FolderArguments};
use crate::bundle::generate::{annotations_yaml, dockerfile};
use crate::bundle::{ANNOTATIONS_YAML, DOCKERFILE, MANIFESTS, METADATA};
use crate::cli::Context;
use crate::cli::arguments::LimitArguments;
use crate::cli::error::{CommandResult, Status};
use crate::files::{self, FolderChange};
use crate::tree::Tree;
use clap::Args;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  Write the files for the bundle in the folder etcd
  $ opmx bundle generate etcd --package etcd --channels alpha,stable --default stable

  Use the options of opm's command
  $ opmx bundle generate -d etcd/manifests -p etcd -c alpha,stable -e stable";

/// Write annotations.yaml and bundle.Dockerfile, as opm does
///
/// The Dockerfile is for building the image with another tool; "opmx bundle build" needs no Dockerfile. The Dockerfile
/// is written to the working folder, and metadata/annotations.yaml to the folder of the bundle. Values that the options
/// do not set are taken from the existing annotations.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct GenerateArguments {
    #[command(flatten)]
    folder: FolderArguments,
    #[command(flatten)]
    annotations: AnnotationArguments,
    /// Copy manifests/ and metadata/ into this folder, and make the Dockerfile refer to the copies
    #[arg(short = 'u', long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// Base image of the Dockerfile
    #[arg(long, hide = true, value_name = "IMAGE", default_value = "scratch")]
    base_image: String,
    #[command(flatten)]
    limits: LimitArguments,
}

pub(crate) fn run(arguments: &GenerateArguments, context: &Context<'_>) -> CommandResult {
    let folder = arguments.folder.bundle();
    files::finish_change(&folder)?;
    let limits = arguments.limits.tree();
    let mut tree = Tree::from_directory(&folder, &limits)?;
    let asked = arguments.annotations.asked();
    let values = asked
        .of(&tree, &arguments.limits.text())
        .map_err(super::annotation_error)?;
    let out = arguments.output_dir.as_ref().unwrap_or(&folder);
    if arguments.output_dir.is_none() {
        tree = Tree::new(tree.origin());
    }
    tree.insert(ANNOTATIONS_YAML, annotations_yaml(&values).into_bytes(), &limits)?;
    let text = dockerfile(
        &arguments.base_image,
        &values,
        &below(out, MANIFESTS),
        &below(out, METADATA),
    );
    // This completes an interrupted change, whose files may still have temporary names, and must precede the
    // preparation of the Dockerfile.
    let change = FolderChange::new(out)?;
    tree.place_in(change.path())?;
    change.commit_with(files::prepare(Path::new(DOCKERFILE), text.as_bytes())?)?;
    let file = out.join(ANNOTATIONS_YAML);
    context
        .printer
        .status(format_args!("wrote {} and {DOCKERFILE}", file.display()));
    Ok(Status::Success)
}

/// Returns the path of `name` in `folder`, as written in the Dockerfile: relative to the working folder, where the
/// image is built.
fn below(folder: &Path, name: &str) -> String {
    let relative = std::env::current_dir()
        .ok()
        .and_then(|here| folder.strip_prefix(here).ok().map(Path::to_owned))
        .unwrap_or_else(|| folder.to_owned());
    let path = relative.join(name);
    path.strip_prefix(".").unwrap_or(&path).display().to_string()
}
