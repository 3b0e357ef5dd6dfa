//! Many bundles in one go: each from its folder or image to its findings.

use super::fix::{Fixing, fix};
use super::judge::Selection;
use super::platforms::{images, index_platforms, platforms};
use super::policy::judge_image;
use super::request::Request;
use super::run::{Validated, Validation, refused, unreadable, validate_bundle};
use super::stages::Finding;
use super::validators::{CONFORMA, CONFORMA_IMAGES, MULTIARCH};
use crate::bundle::location::{LoadError, Location, LocationError};
use crate::causes::with_causes;
use crate::files::FileError;
use crate::image::{ImageError, Reference, Transports};
use futures_util::{Stream, StreamExt, stream};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bundles looked at in one go. Their files are in memory while they are.
const AT_ONCE: usize = 8;

/// How bundles are reached, and what is asked of them.
pub(crate) struct Asked<'a> {
    /// The way to images.
    pub transports: &'a Transports,
    /// What is to be looked at.
    pub request: Arc<Request>,
    /// What is to be said of it.
    pub selection: Selection,
    /// Whether the bundles are to be mended first.
    pub mending: Mending,
}

/// What becomes of what can be mended without a decision by a person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Mending {
    /// It is only reported.
    #[default]
    Off,
    /// It is mended in memory: the findings are those of the mended bundle, the files on disk stay.
    Trial,
    /// It is mended in the files of the folder.
    Files,
}

/// What became of one bundle.
#[derive(Debug)]
pub struct Checked {
    /// What was found. Where the bundle cannot be read, that is the one finding.
    pub validation: Validation,
    /// What was mended.
    pub fixing: Fixing,
    /// Why there is no bundle to look at.
    pub unreadable: Option<UnreadableError>,
}

/// Why there is no bundle to look at.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableError {
    /// The name is that of neither a folder nor an image.
    #[error(transparent)]
    Location(#[from] LocationError),
    /// The name is that of a file.
    #[error("{} is a file, not a bundle", path.display())]
    File {
        /// The file.
        path: PathBuf,
    },
    /// The bundle is to be mended, and is no folder.
    #[error("{name} is an image: what can be fixed are the files of a folder")]
    Image {
        /// The image.
        name: String,
    },
    /// The folder or image cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A mended file cannot be written.
    #[error(transparent)]
    Write(#[from] FileError),
}

/// Looks at the bundles of these names, several at a time, and tells of them in their order. What keeps one from being
/// read does not stop the others. Must run inside a runtime: the work of the processor goes to its threads.
pub(crate) fn check_all<'a>(names: Vec<String>, asked: &'a Asked<'a>) -> impl Stream<Item = Checked> + 'a {
    // A folder that is named twice is not to be mended by two at once.
    let at_once = if asked.mending == Mending::Files { 1 } else { AT_ONCE };
    stream::iter(names)
        .map(move |name| check_named(name, asked))
        .buffered(at_once)
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
        Location::Image(_) if asked.mending == Mending::Off => PathBuf::new(),
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
        let (tree, limits, only_related) = (Arc::clone(&tree), request.limits.text, !asks(MULTIARCH));
        let images = on_a_thread(move || images(&tree, only_related, &limits)).await?;
        Arc::make_mut(&mut request).options.platforms = Some(platforms(images, asked.transports).await);
    }
    let (selection, mending) = (asked.selection.clone(), asked.mending);
    let looking = on_a_thread(move || match mending {
        Mending::Off => Ok((Fixing::default(), validate_bundle(&tree, &request))),
        Mending::Trial => Ok(fix(Arc::unwrap_or_clone(tree), &request, &selection)),
        Mending::Files => {
            let (fixing, validated) = fix(Arc::unwrap_or_clone(tree), &request, &selection);
            fixing.write(&directory)?;
            Ok((fixing, validated))
        }
    });
    let looked: Result<_, FileError> = looking.await?;
    let (fixing, Validated { mut validation, .. }) = looked?;
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

/// Files that no bundle may hold are a finding; everything else keeps a bundle from being read.
fn refusal(name: &str, error: &LoadError) -> Option<Validation> {
    match error {
        LoadError::Tree(tree) | LoadError::Image(ImageError::Tree(tree)) => refused(name, tree),
        _ => None,
    }
}
