//! The annotations that a command requests. The requested package, channels and default channel override the values in
//! `metadata/annotations.yaml`.

use super::annotations::{self, Annotations};
use super::{MANIFESTS, MediaType, OLM_YAML};
use crate::diagnostic;
use crate::manifest::{self, Layout};
use crate::text;
use crate::tree::{Tree, TreeError};
use std::collections::BTreeMap;
use std::fmt;

/// The default path of the annotations file in a bundle.
pub const ANNOTATIONS_YAML: &str = "metadata/annotations.yaml";

/// The annotations requested for a bundle. Annotations that are not requested stay unchanged.
#[derive(Debug, Clone, Default)]
pub struct AskedAnnotations {
    /// The package.
    pub package: Option<String>,
    /// The channels.
    pub channels: Vec<String>,
    /// The default channel.
    pub default_channel: Option<String>,
}

/// An error while writing annotations.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnnotationError {
    /// Neither the bundle nor the caller specifies the package or its channels.
    #[error("the {0} unknown")]
    Unknown(UnknownAnnotations),
    /// The bundle already sets a value that differs from the requested value.
    #[error("{key} is {found:?} in {ANNOTATIONS_YAML}, but the options specify {wanted:?}")]
    Differs {
        /// The annotation.
        key: String,
        /// The value in the bundle.
        found: String,
        /// The requested value.
        wanted: String,
    },
    /// The existing annotations cannot be read, so they would be lost. Contains the problem and its place.
    #[error("the existing annotations cannot be read: {0}")]
    Unreadable(String),
    /// The requested default channel is not a channel of the bundle.
    #[error("the default channel {default_channel} is not one of the channels of the bundle: {channels}")]
    DefaultChannel {
        /// The requested default channel.
        default_channel: String,
        /// The channels, separated by commas.
        channels: String,
    },
    /// The bundle has no manifests.
    #[error("{origin} contains no manifests")]
    NoManifests {
        /// The folder of the bundle.
        origin: String,
    },
    /// The manifests are a Helm chart.
    #[error("{origin} contains a Helm chart, which cannot be added to an index")]
    Chart {
        /// The folder of the bundle.
        origin: String,
    },
    /// The manifests include no `ClusterServiceVersion`, and there is no `olm.yaml`.
    #[error("{origin} contains plain manifests without a ClusterServiceVersion or metadata/olm.yaml")]
    Plain {
        /// The folder of the bundle.
        origin: String,
    },
    /// The annotations file makes the bundle exceed a limit.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// The required annotations that neither the bundle nor the caller specifies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownAnnotations {
    /// The package.
    Package,
    /// The channels.
    Channels,
    /// The package and its channels.
    Both,
}

impl fmt::Display for UnknownAnnotations {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Package => "package is",
            Self::Channels => "channels of the package are",
            Self::Both => "package and its channels are",
        })
    }
}

impl AskedAnnotations {
    /// Returns all annotations of the bundle. The requested package, channels and default channel override existing
    /// values. The media type and the folders always have the standard values. All other annotations stay unchanged,
    /// except an existing default channel that is not one of the channels, which is omitted.
    ///
    /// # Errors
    /// Returns an error if the package or its channels are unknown, or if the requested default channel is not one of
    /// the channels.
    pub fn over(
        &self,
        present: Option<&Annotations>,
        media_type: MediaType,
    ) -> Result<BTreeMap<String, String>, AnnotationError> {
        let of = |key: &str| present.and_then(|present| present.get(key)).map(str::to_owned);
        let package = self.package.clone().or_else(|| of(annotations::PACKAGE));
        let channels = match self.channels.as_slice() {
            [] => of(annotations::CHANNELS),
            channels => Some(channels.join(",")),
        };
        let (package, channels) = match (package, channels) {
            (Some(package), Some(channels)) => (package, channels),
            (None, Some(_)) => return Err(AnnotationError::Unknown(UnknownAnnotations::Package)),
            (Some(_), None) => return Err(AnnotationError::Unknown(UnknownAnnotations::Channels)),
            (None, None) => return Err(AnnotationError::Unknown(UnknownAnnotations::Both)),
        };
        let is_channel = |name: &str| channels.split(',').any(|channel| channel.trim() == name);
        let default_channel = match &self.default_channel {
            Some(name) if !is_channel(name) => {
                return Err(AnnotationError::DefaultChannel {
                    default_channel: name.clone(),
                    channels,
                });
            }
            Some(name) => Some(name.clone()),
            None => of(annotations::DEFAULT_CHANNEL).filter(|name| is_channel(name)),
        };
        let mut values = annotations::standard(media_type, &package, &channels, default_channel.as_deref());
        for (key, value) in present.into_iter().flat_map(Annotations::values) {
            if key != annotations::DEFAULT_CHANNEL {
                values.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
        Ok(values)
    }

    /// Returns all annotations of the bundle in `tree`, combined as in [`over`](Self::over).
    ///
    /// # Errors
    /// Returns an error as [`over`](Self::over) does, if the existing annotations cannot be read, and if the files are
    /// not those of a bundle that can be added to an index: if there are no manifests, or plain manifests or a Helm
    /// chart.
    pub fn of(&self, tree: &Tree, limits: &text::Limits) -> Result<BTreeMap<String, String>, AnnotationError> {
        check_manifests(tree, limits)?;
        self.over(existing_annotations(tree, limits)?.as_ref(), media_type(tree))
    }

    /// Writes the annotations file into a bundle if any annotations are requested. Existing values are changed only if
    /// `overwrite` is set.
    ///
    /// # Errors
    /// Returns an error if the bundle contains different values and `overwrite` is not set, if the existing annotations
    /// cannot be read, if the package or its channels are unknown, or if the file exceeds a limit.
    pub fn write_into(
        &self,
        tree: &mut Tree,
        overwrite: bool,
        limits: &super::BundleLimits,
    ) -> Result<(), AnnotationError> {
        if self.package.is_none() && self.channels.is_empty() && self.default_channel.is_none() {
            return Ok(());
        }
        let present = existing_annotations(tree, &limits.text)?;
        let values = self.over(present.as_ref(), media_type(tree))?;
        if let Some(present) = &present
            && !overwrite
            && let Some((key, wanted)) = values.iter().find(|(key, value)| present.get(key) != Some(value))
        {
            return Err(AnnotationError::Differs {
                key: key.clone(),
                found: present.get(key).unwrap_or("nothing").to_owned(),
                wanted: wanted.clone(),
            });
        }
        let text = annotations_text(tree, &values, &limits.text);
        tree.insert(ANNOTATIONS_YAML, text.into_bytes(), &limits.tree)?;
        Ok(())
    }
}

/// Returns the text of the annotations file with these annotations. The comments of the existing file are kept, unless
/// its form does not allow the change.
pub(crate) fn annotations_text(tree: &Tree, values: &BTreeMap<String, String>, limits: &text::Limits) -> String {
    let revised = tree.get(ANNOTATIONS_YAML).and_then(|content| {
        let reading = text::read(ANNOTATIONS_YAML, content, limits);
        let [document] = reading.documents.as_slice() else {
            return None;
        };
        let mut whole = document.value().clone();
        *whole.get_mut("annotations")? = serde_json::json!(values);
        text::revise(document, &whole).ok()
    });
    revised.unwrap_or_else(|| super::generate::annotations_yaml(values))
}

/// Returns the annotations in the file that [`write_into`](AskedAnnotations::write_into) writes, if it exists.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub(crate) fn existing_annotations(tree: &Tree, limits: &text::Limits) -> Result<Option<Annotations>, AnnotationError> {
    let Some(content) = tree.get(ANNOTATIONS_YAML) else {
        return Ok(None);
    };
    let name = format!("{}/{ANNOTATIONS_YAML}", tree.origin().trim_end_matches('/'));
    let reading = text::read(&name, content, limits);
    if let Some(error) = reading.diagnostics.iter().find(|finding| finding.is_error()) {
        let place = error.place.as_ref().map_or(name, ToString::to_string);
        return Err(AnnotationError::Unreadable(format!("{place}: {}", error.message)));
    }
    Ok(reading.documents.first().and_then(Annotations::from_document))
}

fn check_manifests(tree: &Tree, limits: &text::Limits) -> Result<(), AnnotationError> {
    let origin = tree.origin().to_owned();
    let contains = |folder: &str| tree.below(folder).next().is_some();
    if !contains(MANIFESTS) {
        return Err(AnnotationError::NoManifests { origin });
    }
    if media_type(tree) == MediaType::K8sV1 {
        return Ok(());
    }
    if tree.get(&format!("{MANIFESTS}/Chart.yaml")).is_some() && contains(&format!("{MANIFESTS}/templates")) {
        return Err(AnnotationError::Chart { origin });
    }
    let manifests = manifest::read(tree, MANIFESTS, Layout::Flat, limits);
    // A file that cannot be read might be the ClusterServiceVersion.
    if diagnostic::has_errors(&manifests.diagnostics) || manifests.objects.iter().any(super::is_csv) {
        return Ok(());
    }
    Err(AnnotationError::Plain { origin })
}

fn media_type(tree: &Tree) -> MediaType {
    if tree.get(OLM_YAML).is_some() {
        MediaType::K8sV1
    } else {
        MediaType::RegistryV1
    }
}
