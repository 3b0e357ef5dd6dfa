//! Many bundles in one go: each from its folder or image to its findings.

use super::platforms::{images, platforms};
use super::run::{Request, Selection, Validated, Validation, refused, unreadable, validate_bundle};
use super::validators::MULTIARCH;
use crate::bundle::location::{LoadError, Location, LocationError};
use crate::image::{ImageError, Transports};
use crate::tree::TreeLimits;
use futures_util::{Stream, StreamExt, stream};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bundles looked at in one go. Their files are in memory while they are.
const AT_ONCE: usize = 8;

/// How bundles are reached, and what is asked of them.
pub struct Asked<'a> {
    /// The way to images.
    pub transports: &'a Transports,
    /// How much a bundle may hold.
    pub limits: TreeLimits,
    /// What is to be looked at.
    pub request: Arc<Request>,
    /// What is to be said of it.
    pub selection: Selection,
}

/// What became of one bundle.
#[derive(Debug)]
pub struct Checked {
    /// What was found. Where the bundle cannot be read, that is the one finding.
    pub validation: Validation,
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
    /// The folder or image cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// Looks at the bundles of these names, several at a time, and tells of them in their order. What keeps one from being
/// read does not stop the others. Must run inside a runtime: the work of the processor goes to its threads.
pub fn check_all<'a>(names: Vec<String>, asked: &'a Asked<'a>) -> impl Stream<Item = Checked> + 'a {
    stream::iter(names)
        .map(move |name| check_named(name, asked))
        .buffered(AT_ONCE)
}

async fn check_named(name: String, asked: &Asked<'_>) -> Checked {
    match look_at(&name, asked).await {
        Ok(mut validation) => {
            validation.bundle = name;
            asked.selection.apply(&mut validation);
            Checked {
                validation,
                unreadable: None,
            }
        }
        Err(error) => Checked {
            validation: unreadable(name, error.to_string()),
            unreadable: Some(error),
        },
    }
}

async fn look_at(name: &str, asked: &Asked<'_>) -> Result<Validation, UnreadableError> {
    if Path::new(name).is_file() {
        let path = PathBuf::from(name);
        return Err(UnreadableError::File { path });
    }
    let location: Location = name.parse()?;
    let tree = match location.load(asked.transports, asked.limits).await {
        Ok(tree) => tree,
        Err(error) => return refusal(name, &error).ok_or_else(|| error.into()),
    };
    let tree = Arc::new(tree);
    let mut request = Arc::clone(&asked.request);
    if request.validators.contains(&MULTIARCH) {
        let (tree, limits) = (Arc::clone(&tree), request.limits);
        let images = on_a_thread(move || images(&tree, &limits)).await?;
        Arc::make_mut(&mut request).options.platforms = Some(platforms(images, asked.transports).await);
    }
    let Validated { validation, .. } = on_a_thread(move || validate_bundle(&tree, &request)).await?;
    Ok(validation)
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
