//! `metadata/annotations.yaml` as a command asks for it: package, channels and default channel over what is there.

use super::annotations::{self, Annotations};
use super::{MediaType, OLM_YAML};
use crate::text;
use crate::tree::{Tree, TreeError};
use std::collections::BTreeMap;

/// The file of a bundle with its annotations, where none has another name.
pub const ANNOTATIONS_YAML: &str = "metadata/annotations.yaml";

/// What a bundle is to say of its place in an index; what is absent stays as it is.
#[derive(Debug, Clone, Default)]
pub struct AskedAnnotations {
    /// The package.
    pub package: Option<String>,
    /// The channels.
    pub channels: Vec<String>,
    /// The channel for those who name none.
    pub default_channel: Option<String>,
}

/// Why annotations cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum AnnotationError {
    /// Neither the bundle nor the caller says the package and its channels.
    #[error("the package and its channels are not known")]
    Unknown,
    /// The bundle says something else.
    #[error("{ANNOTATIONS_YAML} says {found:?} for {key}, the options say {wanted:?}")]
    Differs {
        /// The annotation.
        key: String,
        /// What the bundle says.
        found: String,
        /// What was asked for.
        wanted: String,
    },
    /// The bundle is too large with the file.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

impl AskedAnnotations {
    /// All annotations of the bundle: what is asked for, then what is there, then what every bundle has.
    ///
    /// # Errors
    /// When package or channels are not known.
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
        let (Some(package), Some(channels)) = (package, channels) else {
            return Err(AnnotationError::Unknown);
        };
        let default_channel = self
            .default_channel
            .clone()
            .or_else(|| of(annotations::DEFAULT_CHANNEL));
        let mut values = annotations::standard(media_type, &package, &channels, default_channel.as_deref());
        for (key, value) in present.into_iter().flat_map(Annotations::values) {
            values.entry(key.clone()).or_insert_with(|| value.clone());
        }
        Ok(values)
    }

    /// All annotations of the bundle in `tree`, as [`over`](Self::over) says.
    ///
    /// # Errors
    /// When package or channels are not known.
    pub fn of(&self, tree: &Tree, limits: &text::Limits) -> Result<BTreeMap<String, String>, AnnotationError> {
        self.over(present(tree, limits).as_ref(), media_type(tree))
    }

    /// Writes the file into a bundle, unless nothing is asked for. Where the bundle says something else already, that
    /// is an error unless `overwrite` is set.
    ///
    /// # Errors
    /// When the bundle says something else, or too little.
    pub fn write_into(
        &self,
        tree: &mut Tree,
        overwrite: bool,
        limits: &super::BundleLimits,
    ) -> Result<(), AnnotationError> {
        if self.package.is_none() && self.channels.is_empty() && self.default_channel.is_none() {
            return Ok(());
        }
        let present = present(tree, &limits.text);
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
        let text = super::generate::annotations_yaml(&values);
        tree.insert(ANNOTATIONS_YAML, text.into_bytes(), &limits.tree)?;
        Ok(())
    }
}

fn present(tree: &Tree, limits: &text::Limits) -> Option<Annotations> {
    let content = tree.get(ANNOTATIONS_YAML)?;
    let reading = text::read(ANNOTATIONS_YAML, content, limits);
    Annotations::from_document(reading.documents.first()?)
}

fn media_type(tree: &Tree) -> MediaType {
    if tree.get(OLM_YAML).is_some() {
        MediaType::K8sV1
    } else {
        MediaType::RegistryV1
    }
}
