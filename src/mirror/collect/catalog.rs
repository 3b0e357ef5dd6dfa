//! Adds a requested catalog to a plan: the image of the kept part, and the images that its bundles use.

use super::opened::{Opened, Original};
use super::{CollectError, Collector, catalog_source, catalog_tag};
use crate::catalog::file_based::edit::CatalogEditError;
use crate::image::{Manifest, Platform, Reference, RegistryReference, Tagged};
use crate::index::catalog_image::{CatalogServer, build, of_copy};
use crate::index::image::CONFIGS_PATH;
use crate::index::location::CatalogFolder;
use crate::index::open::Index;
use crate::mirror::assembly::ImageNames;
use crate::mirror::filter::{Filtered, filter};
use crate::mirror::images::all_images;
use crate::mirror::naming::{digest_tag, main_tag, pinned_name, tags};
use crate::mirror::plan::{ImageRole, PlannedCatalog, Use};
use crate::mirror::request::{CatalogRequest, Place};
use crate::mirror::survey::{Subject, Survey, survey};
use crate::olm::label::CONFIGS_LABEL;
use std::collections::BTreeSet;
use std::path::Path;

/// The catalog image to copy.
struct Chosen {
    subject: Subject,
    tags: BTreeSet<String>,
    /// Whether the image was built from the kept part of the catalog.
    is_rebuilt: bool,
    /// The folder of the file-based catalog in an unchanged image without a program.
    folder: Option<String>,
    /// Whether the image contains a database.
    is_database: bool,
}

impl Collector<'_> {
    /// Adds the kept part of a catalog; `place` is the position of the catalog in the plan.
    pub(super) async fn add_catalog(
        &mut self,
        place: usize,
        request: &CatalogRequest,
        opened: &Opened,
    ) -> Result<(), CollectError> {
        let (original, is_database, folder) = (&opened.original, opened.is_database, opened.folder());
        let filtered = self.filtered(opened, request)?;
        let limits = self.options.reading.limits.index.catalog;
        let index = Index::of_catalog(CatalogFolder::from(folder.as_path()), limits)
            .map_err(|error| CollectError::of_copy(&request.catalog, error))?;
        self.want_images_of(&index, request)?;
        drop(index);
        let chosen = match original {
            Some(original) if request.is_whole() && self.request.blocked.is_empty() => Chosen {
                is_database,
                folder: self.unserved_folder(original, is_database).await?,
                ..whole(original, place, request)
            },
            _ => self.rebuilt(&folder, place, original.as_ref(), request).await?,
        };
        let looked = survey(self.transports, std::slice::from_ref(&chosen.subject), 1).await;
        let looked = looked.into_iter().next().transpose();
        let Some(looked) = looked.map_err(|unsurveyed| unsurveyed.error)? else {
            return Ok(());
        };
        self.notes.unsatisfied.extend(filtered.unsatisfied.iter().cloned());
        self.notes.unreached.extend(filtered.unreached.iter().cloned());
        self.notes.unknown.extend(filtered.unknown.iter().cloned());
        self.assembly.add_reasons(filtered.because.clone());
        if let Some(why) = looked.without_platforms() {
            self.assembly.leave_out(&request.catalog, BTreeSet::new(), why);
            return Ok(());
        }
        if !chosen.is_rebuilt && !matches!(chosen.subject.reference, Reference::Registry(_)) {
            self.keep_whole(&chosen.subject.reference, place, &looked).await?;
            if self.options.extras {
                self.leave_referrers(&chosen.subject.reference, request, &looked)
                    .await?;
            }
        }
        self.add_catalog_image(original.as_ref(), request, filtered, chosen, &looked);
        Ok(())
    }

    /// Returns the folder of the file-based catalog in an image that starts no program.
    async fn unserved_folder(&self, original: &Original, is_database: bool) -> Result<Option<String>, CollectError> {
        if is_database {
            return Ok(None);
        }
        let image = self.transports.pull(&original.pinned).await?;
        let folder = image.label(CONFIGS_LABEL).unwrap_or(CONFIGS_PATH).to_owned();
        Ok((!image.starts_a_program()).then_some(folder))
    }

    /// Removes everything from the folder of a catalog except the requested part.
    fn filtered(&mut self, opened: &Opened, request: &CatalogRequest) -> Result<Filtered, CollectError> {
        let fail = |error: CatalogEditError| CollectError::filter(&request.catalog, error);
        let mut editor = opened.editor(&request.catalog, self.options.reading.limits.index.catalog)?;
        self.packages.extend(editor.packages().into_iter().map(str::to_owned));
        let filtered = filter(&mut editor, request).map_err(fail)?;
        editor.finish().map_err(fail)?.write()?;
        let is_kept = |name: &str| filtered.kept.iter().any(|kept| kept.package == name);
        let deprecated = opened.deprecated.iter().filter(|(package, _)| is_kept(package));
        self.notes
            .deprecated
            .extend(deprecated.map(|(_, bundle)| bundle.clone()));
        let lost_icons = opened.lost_icons.iter().filter(|lost| is_kept(&lost.package));
        self.notes.lost_icons.extend(lost_icons.cloned());
        Ok(filtered)
    }

    /// Builds the image of the kept part of a catalog.
    async fn rebuilt(
        &mut self,
        folder: &Path,
        place: usize,
        original: Option<&Original>,
        request: &CatalogRequest,
    ) -> Result<Chosen, CollectError> {
        let built = build(folder, &self.layout(place), self.transports, &self.options.building).await;
        let built = built.map_err(|error| error.named(&request.catalog))?;
        self.notes.findings.extend(of_copy(built.findings, &request.catalog));
        for doubt in built.doubts {
            if !self.notes.doubts.contains(&doubt) {
                self.notes.doubts.push(doubt);
            }
        }
        // An image without a program is the same for every platform.
        if let CatalogServer::Program(_) = &self.options.building.server {
            let without = |platforms: &mut dyn Iterator<Item = Platform>| -> Vec<Platform> {
                platforms
                    .filter(|platform| !built.platforms.contains(platform))
                    .collect()
            };
            let name = request.catalog.clone();
            if !request.platforms.is_empty() {
                self.notes
                    .lacking
                    .push((name, without(&mut request.platforms.iter().cloned())));
            } else if let Some(original) = original {
                let offers = self.transports.offers(&original.pinned).await?;
                self.notes
                    .lost
                    .push((name, without(&mut offers.into_iter().map(|offer| offer.platform))));
            }
        }
        let subject = Subject {
            reference: built.pinned,
            source: catalog_source(place),
            platforms: BTreeSet::new(),
        };
        Ok(Chosen {
            subject,
            tags: BTreeSet::new(),
            is_rebuilt: true,
            folder: None,
            is_database: false,
        })
    }

    /// Copies an unchanged catalog image to the layout next to the plan: only registries can be read from wherever the
    /// plan is copied.
    async fn keep_whole(&self, from: &Reference, place: usize, looked: &Survey) -> Result<(), CollectError> {
        let (mut indexes, mut images) = (Vec::new(), Vec::new());
        for digest in looked.manifests.keys() {
            let part = from.with_digest(digest);
            let document = self.transports.document(&part).await?;
            match document.manifest() {
                Ok(Manifest::Index(_)) => indexes.push(document),
                _ => images.push(self.transports.pull(&part).await?),
            }
        }
        let document = self.transports.document(from).await?;
        let tagged = Tagged::stored(document, indexes, images);
        self.transports.push(tagged, &self.layout(place)).await?;
        Ok(())
    }

    /// Records that the referrers of an unchanged catalog image in a layout or archive are not mirrored.
    async fn leave_referrers(
        &mut self,
        from: &Reference,
        request: &CatalogRequest,
        looked: &Survey,
    ) -> Result<(), CollectError> {
        let manifests = looked.manifests.keys().copied().collect();
        let count = self.transports.count_stored_referrers(from, manifests).await?;
        if count > 0 {
            let why = format!(
                "its referrers ({count}), such as signatures, are not mirrored, because it is not in a registry"
            );
            self.assembly.leave_out(&request.catalog, BTreeSet::new(), why);
        }
        Ok(())
    }

    /// Returns the place of a catalog image in the layout next to the plan.
    fn layout(&self, place: usize) -> Reference {
        Reference::Layout {
            directory: self.options.layout.clone(),
            tag: Some(catalog_tag(place)),
        }
    }

    fn add_catalog_image(
        &mut self,
        original: Option<&Original>,
        request: &CatalogRequest,
        filtered: Filtered,
        chosen: Chosen,
        looked: &Survey,
    ) {
        let naming = self.request.naming.as_ref();
        let destination = naming.map(|naming| naming.catalog(&request.catalog, original.is_some(), &request.place));
        let mut tags = chosen.tags;
        let written = || original.and_then(|original| original.written.tag()).map(str::to_owned);
        let tag = request.place.tag.clone().or_else(written);
        tags.insert(tag.unwrap_or_else(|| match original {
            Some(original) if original.written.digest().is_some() => digest_tag(&looked.digest),
            _ => "latest".to_owned(),
        }));
        let name = destination
            .as_ref()
            .zip(main_tag(&tags, &looked.digest))
            .map(|(destination, tag)| format!("{destination}:{tag}"));
        self.assembly.add_catalog(PlannedCatalog {
            source: request.catalog.clone(),
            digest: original.map(|original| original.digest),
            kept: filtered.kept,
            rebuilt: chosen.is_rebuilt,
            serves: chosen.is_rebuilt && matches!(self.options.building.server, CatalogServer::Program(_)),
            folder: chosen.folder,
            database: chosen.is_database,
            digest_after: looked.digest,
            path: request.place.repository.clone(),
            destination: name,
            objects: request.objects.clone(),
        });
        let use_of = Use {
            role: ImageRole::Catalog,
            package: None,
            bundle: None,
            name: None,
        };
        let source = match &chosen.subject.reference {
            Reference::Registry(image) => pinned_name(image, &looked.digest),
            _ => chosen.subject.source,
        };
        let names = ImageNames {
            source,
            origins: BTreeSet::from([request.catalog.clone()]),
            path: request.place.repository.clone(),
            destination,
            tags,
        };
        self.assembly.add_image(names, BTreeSet::from([use_of]), looked);
    }

    fn want_images_of(&mut self, index: &Index, request: &CatalogRequest) -> Result<(), CollectError> {
        let found = all_images(index).map_err(|error| CollectError::of_copy(&request.catalog, error))?;
        for (image, bundles) in found.unlisted {
            self.notes.unlisted.entry(image).or_default().extend(bundles);
        }
        for image in found.images {
            for document in image.documents {
                let use_of = Use {
                    role: ImageRole::Related,
                    package: Some(document.package).filter(|package| !package.is_empty()),
                    bundle: None,
                    name: None,
                };
                self.want(&image.image, use_of, &Place::default(), &request.platforms);
            }
            for used in image.bundles {
                let use_of = Use {
                    role: used.role.into(),
                    package: used.package,
                    bundle: Some(used.name),
                    name: None,
                };
                self.want(&image.image, use_of, &Place::default(), &request.platforms);
            }
        }
        Ok(())
    }
}

/// Returns the image of a catalog that is kept as a whole; `place` is the position of the catalog in the plan.
fn whole(original: &Original, place: usize, request: &CatalogRequest) -> Chosen {
    let registry = original.registry();
    Chosen {
        subject: Subject {
            reference: original.pinned.clone(),
            source: registry.map_or_else(|| catalog_source(place), RegistryReference::full_repository),
            platforms: request.platforms.clone(),
        },
        tags: registry.map(|image| tags(image, &request.place)).unwrap_or_default(),
        is_rebuilt: false,
        folder: None,
        is_database: false,
    }
}
