//! Manifests from the source that `--from` specifies.

use super::decisions;
use crate::bundle::{MANIFESTS, is_csv};
use crate::cli::arguments::LimitArguments;
use crate::cli::error::CommandError;
use crate::cli::{Context, input};
use crate::manifest::{Manifests, Object};
use crate::synthesis::import::{Intake, IntakeError, PassedOver};
use crate::terminal::shell::word;
use std::io;
use std::path::Path;

/// Reads manifests without the objects `excluded` from a folder, a file or standard input (`-`), and reports skipped
/// files. `command` is a command line that could read the manifests from a pipe, such as `opmx bundle init etcd`.
pub(super) fn read(
    from: &Path,
    excluded: &[String],
    command: &str,
    limits: &LimitArguments,
    context: &Context<'_>,
) -> Result<(Intake, Manifests), CommandError> {
    let taken = if from == Path::new(input::STDIN) {
        Intake::from_stream(input::announced(context), io::stdin().lock(), &limits.tree())
    } else {
        Intake::from_path(from, &limits.tree())
    };
    let read = taken.and_then(|mut intake| {
        let mut manifests = intake.manifests(&limits.text())?;
        let excluded = intake.exclude(excluded, &mut manifests, &limits.bundle())?;
        Ok((intake, manifests, excluded))
    });
    let (intake, manifests, excluded) = read.map_err(|error| advised(error, command))?;
    for passed_over in intake.passed_over() {
        let (path, why) = match passed_over {
            PassedOver::NoManifest(path) => (path, "which contains no manifest"),
            PassedOver::Unlisted(path) => (path, "which no kustomization lists"),
        };
        context.printer.status(format_args!("skipped {path}, {why}"));
    }
    for object in excluded {
        context.printer.status(format_args!("excluded {}", object.label()));
    }
    Ok((intake, manifests))
}

/// Returns the hint to convert a bundle with a ClusterServiceVersion, which contains the metadata of the operator.
pub(super) fn converting(bundle: &Path) -> String {
    let bundle = word(&bundle.display().to_string());
    format!(
        "convert the bundle: opmx bundle convert {bundle} OUT --to k8s+v1; then import the manifests of each release: \
         opmx bundle update OUT --from FROM"
    )
}

/// Returns the error about ClusterServiceVersions among imported manifests, and the options that exclude them.
pub(super) fn csv_among(manifests: &Manifests) -> Option<(CommandError, String)> {
    let csvs: Vec<&Object> = manifests.objects.iter().filter(|object| is_csv(object)).collect();
    let message = format!(
        "{} contains a ClusterServiceVersion, but opmx infers it from the manifests",
        csvs.first()?.file()
    );
    Some((CommandError::failure(message), decisions::exclusions(csvs)))
}

fn advised(error: IntakeError, command: &str) -> CommandError {
    let error = match error {
        IntakeError::Tree(error) => return error.into(),
        IntakeError::File(error) => return error.into(),
        IntakeError::Edit(error) => return error.into(),
        IntakeError::NoObject { ref nearest, .. } => {
            let hint = match nearest {
                Some(nearest) => format!("did you mean {nearest}?"),
                None => "specify the object as KIND/NAME".to_owned(),
            };
            return CommandError::missing(error.to_string()).hint(hint);
        }
        error => error,
    };
    let pipe = |program: String| format!("{program} | {command} --from -");
    let hint = match &error {
        IntakeError::Url { url } if url.starts_with("oci://") => {
            format!(
                "render the chart first: {}",
                pipe(format!("helm template NAME {} --include-crds", word(url)))
            )
        }
        IntakeError::Url { url } => format!("download it first: {}", pipe(format!("curl -fsSL {}", word(url)))),
        IntakeError::Kustomization { folder, .. } => {
            let folder = word(&folder.display().to_string());
            format!("render it first: {}", pipe(format!("kubectl kustomize {folder}")))
        }
        IntakeError::KustomizationFile { file } => {
            let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = word(&folder.unwrap_or(Path::new(".")).display().to_string());
            format!("render it first: {}", pipe(format!("kubectl kustomize {folder}")))
        }
        IntakeError::Bundle { folder, has_csv: true } => converting(folder),
        IntakeError::Bundle { folder, .. } => {
            let folder = word(&folder.display().to_string());
            format!("use its manifests: --from {folder}/{MANIFESTS}")
        }
        IntakeError::Item { .. } => "remove the object from the input".to_owned(),
        IntakeError::Absent { .. } => "correct the entry, or add the file".to_owned(),
        IntakeError::Chart { path } => {
            let chart = word(&path.display().to_string());
            format!(
                "render it first: {}",
                pipe(format!("helm template NAME {chart} --include-crds"))
            )
        }
        _ => "check the output of the preceding command, or the content of the folder".to_owned(),
    };
    CommandError::failure(error.to_string()).hint(hint)
}
