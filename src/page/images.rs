//! Manifests that a catalog does not hold, from the images of its bundles.

use crate::bundle::BundleLimits;
use crate::bundle::location::Location;
use crate::catalog::Bundle;
use crate::causes::with_causes;
use crate::image::{Reference, Transports};
use crate::index::open::Described;
use crate::install::content::of_files;
use crate::text::canonical;
use crate::tree::Tree;
use futures_util::{StreamExt, stream};
use tokio::runtime::Runtime;

/// Images that are read at once.
const AT_ONCE: usize = 4;

/// How the images of bundles are reached.
#[derive(Clone, Copy)]
pub struct Images<'a> {
    /// The way to them.
    pub transports: &'a Transports,
    /// What waits for the network.
    pub runtime: &'a Runtime,
    /// How much a bundle may hold.
    pub limits: BundleLimits,
}

/// A bundle whose image could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The bundle.
    pub bundle: String,
    /// What is wrong.
    pub reason: String,
}

impl Images<'_> {
    /// Reads what the index does not hold of the bundles of a package. Returns what could not be read.
    pub(super) fn complete<Id>(&self, bundles: &mut [(Id, &Bundle, Described)]) -> Vec<Unread> {
        let wanted = bundles.iter_mut().filter_map(|(_, bundle, described)| {
            let image = bundle.image.as_deref().filter(|image| !image.is_empty())?;
            described.objects.is_empty().then_some((*bundle, image, described))
        });
        let load = |(bundle, image, described): (&'_ Bundle, &'_ str, _)| {
            let (name, image) = (bundle.name.to_string(), image.to_owned());
            async move { (name, described, self.load(&image).await.map(|tree| (image, tree))) }
        };
        let mut unread = Vec::new();
        self.runtime.block_on(async {
            let mut loaded = stream::iter(wanted).map(load).buffered(AT_ONCE);
            while let Some((bundle, described, tree)) = loaded.next().await {
                let read = tree.and_then(|(image, tree)| self.read(&image, &tree, described));
                unread.extend(read.err().map(|reason| Unread { bundle, reason }));
            }
        });
        unread
    }

    /// The files of an image in a registry: a catalog of a stranger names nothing else.
    async fn load(&self, image: &str) -> Result<Tree, String> {
        let reference: Reference = image.parse().map_err(|error| with_causes(&error))?;
        if !matches!(reference, Reference::Registry(_)) {
            return Err(format!("{image} is not an image in a registry"));
        }
        let location = Location::Image(reference);
        let loading = location.load(self.transports, self.limits.tree);
        loading.await.map_err(|error| with_causes(&error))
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
