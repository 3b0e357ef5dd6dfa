//! Validates many bundles in one run, each from its folder or image.

use super::bundle_checks::{Validation, refused, unreadable, validate};
use super::fix::{Fixing, fix};
use super::judge::Selection;
use super::platforms::{images, index_platforms, platforms};
use super::policy::judge_image;
use super::request::Request;
use super::stages::Finding;
use super::validators::{CONFORMA, CONFORMA_IMAGES, MULTIARCH};
use crate::bundle::location::{LoadError, Location, LocationError};
use crate::causes::with_causes;
use crate::concurrent;
use crate::files::FileError;
use crate::image::{ImageError, Reference, Transports};
use futures_util::Stream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The number of bundles that are validated concurrently. Their files are in memory during this time.
const AT_ONCE: usize = 8;

/// Settings for loading and validating bundles.
pub(crate) struct Asked<'a> {
    /// The transports for images.
    pub transports: &'a Transports,
    /// The checks to run.
    pub request: Arc<Request>,
    /// The findings to report.
    pub selection: Selection,
    /// Whether the bundles are fixed first.
    pub fix_mode: FixMode,
}

/// What to do with findings that can be fixed without a human decision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum FixMode {
    /// Findings are only reported.
    #[default]
    Off,
    /// Findings are fixed in memory: the reported findings are those of the fixed bundle, and the files on disk are not
    /// changed.
    Trial,
    /// Findings are fixed in the files of the folder.
    Files,
}

/// The result for one bundle.
#[derive(Debug)]
pub(crate) struct Checked {
    /// The findings. If the bundle cannot be read, the error is the only finding.
    pub validation: Validation,
    /// The fixes.
    pub fixing: Fixing,
    /// The reason why there is no bundle to validate.
    pub unreadable: Option<UnreadableError>,
}

/// The reason why there is no bundle to validate.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UnreadableError {
    /// The name refers to neither a folder nor an image.
    #[error(transparent)]
    Location(#[from] LocationError),
    /// The name refers to a file.
    #[error("{} is a file, not a bundle", path.display())]
    File {
        /// The file.
        path: PathBuf,
    },
    /// A fix was requested for a bundle that is not a folder.
    #[error("{name} is an image, but only the files of a folder can be fixed")]
    Image {
        /// The image.
        name: String,
    },
    /// The folder or image cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A fixed file cannot be written.
    #[error(transparent)]
    Write(#[from] FileError),
}

/// Validates the bundles with these names, several at a time, and returns the results in the order of the names. A
/// bundle that cannot be read does not affect the other bundles. Must be called inside a runtime, because CPU-bound
/// work runs on the threads of the runtime.
pub(crate) fn check_all<'a>(names: Vec<String>, asked: &'a Asked<'a>) -> impl Stream<Item = Checked> + 'a {
    // A folder that is named twice must not be fixed concurrently.
    let at_once = if asked.fix_mode == FixMode::Files { 1 } else { AT_ONCE };
    concurrent::in_order(names, at_once, move |name| check_named(name, asked))
}

async fn check_named(name: String, asked: &Asked<'_>) -> Checked {
    match look_at(&name, asked).await {
        Ok((mut validation, fixing)) => {
            validation.bundle = name;
            let findings = &mut validation.findings;
            findings.retain_mut(|finding| asked.selection.keep(&mut finding.diagnostic));
            Checked {
                validation,
                fixing,
                unreadable: None,
            }
        }
        Err(error) => Checked {
            validation: unreadable(name, with_causes(&error)),
            fixing: Fixing::default(),
            unreadable: Some(error),
        },
    }
}

async fn look_at(name: &str, asked: &Asked<'_>) -> Result<(Validation, Fixing), UnreadableError> {
    if Path::new(name).is_file() {
        let path = PathBuf::from(name);
        return Err(UnreadableError::File { path });
    }
    let location: Location = name.parse()?;
    let directory = match &location {
        Location::Directory(directory) => directory.clone(),
        Location::Image(_) if asked.fix_mode == FixMode::Off => PathBuf::new(),
        Location::Image(_) => return Err(UnreadableError::Image { name: name.to_owned() }),
    };
    let tree = match location.load(asked.transports, asked.request.limits.tree).await {
        Ok(tree) => tree,
        Err(error) => {
            let refused = refusal(name, &error).ok_or(error)?;
            return Ok((refused, Fixing::default()));
        }
    };
    let tree = Arc::new(tree);
    let mut request = Arc::clone(&asked.request);
    let asks = |validator| asked.request.validators.contains(&validator);
    if let Location::Image(reference) = &location
        && asks(CONFORMA)
    {
        Arc::make_mut(&mut request).options.bundle_platforms = index_platforms(reference, asked.transports).await;
    }
    if asks(MULTIARCH) || asks(CONFORMA_IMAGES) {
        let (tree, limits, in_annotations) = (Arc::clone(&tree), request.limits.text, asks(CONFORMA_IMAGES));
        let images = on_a_thread(move || images(&tree, in_annotations, &limits)).await?;
        Arc::make_mut(&mut request).options.platforms = Some(platforms(images, asked.transports).await);
    }
    let (selection, fix_mode) = (asked.selection.clone(), asked.fix_mode);
    let looking = on_a_thread(move || match fix_mode {
        FixMode::Off => Ok((Fixing::default(), validate(&tree, &request))),
        FixMode::Trial => Ok(fix(Arc::unwrap_or_clone(tree), &request, &selection)),
        FixMode::Files => {
            let (fixing, validation) = fix(Arc::unwrap_or_clone(tree), &request, &selection);
            fixing.write(&directory)?;
            Ok((fixing, validation))
        }
    });
    let looked: Result<_, FileError> = looking.await?;
    let (fixing, mut validation) = looked?;
    if let (Some(terms), Location::Image(Reference::Registry(image))) = (&asked.request.policy, &location) {
        let refused = judge_image(terms, image.as_written());
        validation.findings.extend(refused.map(|diagnostic| Finding {
            validator: None,
            diagnostic,
        }));
    }
    Ok((validation, fixing))
}

async fn on_a_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, LoadError> {
    let result = tokio::task::spawn_blocking(work).await;
    result.map_err(|_| LoadError::Interrupted)
}

/// Returns a finding if the error is about files that no bundle may contain. Returns `None` for any other error,
/// because the bundle then cannot be read.
fn refusal(name: &str, error: &LoadError) -> Option<Validation> {
    match error {
        LoadError::Tree(tree) | LoadError::Image(ImageError::Tree(tree)) => refused(name, tree),
        _ => None,
    }
}
