//! Reads manifests from the images of bundles if the catalog does not contain them.

use super::reason::reason;
use crate::bundle::BundleLimits;
use crate::bundle::location::Location;
use crate::catalog::{Bundle, BundleId};
use crate::causes::with_causes;
use crate::concurrent;
use crate::image::{Reference, Transports};
use crate::index::open::Described;
use crate::install::content::of_files;
use crate::text::canonical;
use crate::tree::Tree;
use futures_util::StreamExt;
use std::collections::HashMap;
use tokio::runtime::Runtime;

/// The number of images to read concurrently.
const AT_ONCE: usize = 4;

/// Access to the images of bundles.
#[derive(Clone, Copy)]
pub struct Images<'a> {
    /// The connections to registries.
    pub transports: &'a Transports,
    /// The runtime for network requests.
    pub runtime: &'a Runtime,
    /// Limits on the content of a bundle.
    pub limits: BundleLimits,
}

/// A bundle whose image could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The bundle.
    pub bundle: String,
    /// The image.
    pub image: String,
    /// The reason.
    pub reason: String,
}

impl Images<'_> {
    /// For bundles whose manifests are not in the index, reads the manifests from the bundle images. Returns the
    /// bundles whose images the program tried to read, each with the reason if reading failed.
    pub(super) fn complete(
        &self,
        bundles: &mut [(BundleId, &Bundle, Described)],
    ) -> HashMap<BundleId, Result<(), String>> {
        let wanted = bundles.iter_mut().filter_map(|(id, bundle, described)| {
            let image = bundle.image.as_deref().filter(|image| !image.is_empty())?;
            described.objects.is_empty().then_some((*id, image, described))
        });
        let load = |(id, image, described): (BundleId, &'_ str, _)| {
            let image = image.to_owned();
            async move { (id, described, self.load(&image).await.map(|tree| (image, tree))) }
        };
        self.runtime.block_on(async {
            let mut reads = HashMap::new();
            let mut loaded = concurrent::in_order(wanted, AT_ONCE, load);
            while let Some((id, described, tree)) = loaded.next().await {
                let read = tree.and_then(|(image, tree)| self.read(&image, &tree, described));
                reads.insert(id, read);
            }
            reads
        })
    }

    /// Loads the files of an image in a registry. Rejects all other references that an untrusted catalog may contain.
    async fn load(&self, image: &str) -> Result<Tree, String> {
        let reference: Reference = image.parse().map_err(|error| with_causes(&error))?;
        if !matches!(reference, Reference::Registry(_)) {
            return Err("it is not in a registry".to_owned());
        }
        let location = Location::Image(reference);
        let loaded = location.load(self.transports, self.limits.tree).await;
        loaded.map_err(|error| reason(&error, image))
    }

    fn read(&self, image: &str, tree: &Tree, described: &mut Described) -> Result<(), String> {
        let content = of_files(tree, Some(image), &self.limits.text);
        let (content, _) = content.map_err(|error| with_causes(&error))?;
        let csv = canonical::to_string(&content.csv);
        described.objects = std::iter::once(csv.clone())
            .chain(content.objects.iter().map(canonical::to_string))
            .collect();
        described.csv = Some(csv);
        Ok(())
    }
}
