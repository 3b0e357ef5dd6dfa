//! The files of a site, built package by package.

use super::catalogs::{catalogs_page, changes_page};
use super::data::{catalog_data, package_data};
use super::difference::difference_page;
use super::feed::{self, Entry, feed};
use super::frame::{File, Frame, Site, page};
use super::icon::Icon;
use super::images::Unread;
use super::list::{self, Row, list_pages};
use super::model::{Input, Model};
use super::package_page::package_page;
use super::probe::{Sizes, Unprobed};
use super::relations::Relations;
use super::version_page::version_pages;
use super::{PageError, SiteOptions};
use crate::catalog::{BundleId, Catalog, Package};
use crate::concurrent::lock;
use crate::index::open::{Describer, Index};
use askama::Template;
use std::collections::{BTreeSet, HashMap};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// The files that are the same in every site.
const ASSETS: [(&str, &str); 3] = [
    ("assets/opmx.css", include_str!("../../templates/page/assets/opmx.css")),
    ("assets/opmx.js", include_str!("../../templates/page/assets/opmx.js")),
    ("assets/opmx.svg", include_str!("../../templates/page/assets/opmx.svg")),
];
/// The script that reloads pages.
const RELOAD: (&str, &str) = (
    "assets/reload.js",
    include_str!("../../templates/page/assets/reload.js"),
);

/// The maximum number of threads that build pages. Additional threads would only wait for the thread that reads.
const MOST_THREADS: usize = 8;

#[derive(Template)]
#[template(path = "page/missing.html")]
struct MissingPage<'a> {
    frame: Frame<'a>,
}

/// The contents of a site, and the images that could not be read or looked up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// The number of packages.
    pub packages: usize,
    /// The number of versions.
    pub versions: usize,
    /// Packages of which a new installation gets no version.
    pub unpublished: Vec<Unpublished>,
    /// Bundles whose images could not be read.
    pub unread: Vec<Unread>,
    /// Images whose size could not be determined.
    pub unprobed: Vec<Unprobed>,
}

/// A package of which a new installation gets no version, unless the user names a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unpublished {
    /// The package.
    pub package: String,
    /// The reason.
    pub reason: String,
}

/// The data that packages contribute to the pages about all packages.
#[derive(Default)]
struct Collected {
    rows: Vec<Row>,
    entries: Vec<Entry>,
    error: Option<PageError>,
}

/// Receives the files of a site from several threads.
pub(super) trait Sink: Sync {
    /// Keeps a file. The same file may be passed again with the same content.
    ///
    /// # Errors
    /// Returns an error if the file cannot be kept.
    fn keep(&self, file: File) -> Result<(), PageError>;
}

/// Builds all files of the site of an index.
///
/// # Errors
/// Returns an error if the index cannot be read, or a file cannot be kept.
pub(super) fn build(index: &Index, options: &SiteOptions<'_>, sink: &dyn Sink) -> Result<Summary, PageError> {
    let catalog = index.catalog()?;
    let catalog: &Catalog = &catalog;
    if let Some(images) = options.images {
        images.transports.forget_unreachable();
    }
    let site = options.site();
    let relations = Relations::of(catalog);
    let describer = Describer::new(index)?;
    let collected = Mutex::new(Collected::default());
    let threads = thread::available_parallelism().map_or(1, |threads| threads.get().min(MOST_THREADS));
    let (mut unread, mut unprobed) = (Vec::new(), Vec::new());
    let read = thread::scope(|scope| {
        let (sender, receiver) = sync_channel(0);
        let receiver = Arc::new(Mutex::new(receiver));
        let surroundings = (&site, &relations);
        let collected = &collected;
        for _ in 0..threads {
            let receiver = Arc::clone(&receiver);
            let work = move || work(catalog, &receiver, surroundings, sink, collected);
            // If the system allows no more threads, the existing threads do the work.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        // If this receiver were kept, the sender would not notice when all threads have ended.
        drop(receiver);
        for package in &catalog.packages {
            // After an error, further work is useless.
            if lock(collected).error.is_some() {
                break;
            }
            let mut input = input(&describer, catalog, package)?;
            if let Some(images) = options.images {
                input.image_reads = images.complete(&mut input.bundles);
                unread.extend(unread_images(&input));
            }
            if let Some(probe) = options.probe {
                let related = input.bundles.iter().flat_map(|(_, _, read)| &read.related_images);
                let (sizes, failed) = probe.look(related.map(|image| image.image.as_str()));
                input.sizes = sizes;
                unprobed.extend(failed);
            }
            if sender.send(input).is_err() {
                return Err(PageError::Threads);
            }
        }
        Ok::<_, PageError>(())
    });
    read?;
    let Collected {
        mut rows,
        mut entries,
        error,
    } = collected.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = error {
        return Err(error);
    }
    list::sort(&mut rows);
    feed::latest(&mut entries);
    let site = Site {
        has_feed: !entries.is_empty(),
        ..site
    };
    for file in list_pages(&site, &rows)? {
        sink.keep(file)?;
    }
    sink.keep(catalog_data(&site, &rows))?;
    if site.has_feed {
        sink.keep(feed(&site, &entries)?)?;
    }
    sink.keep(missing_page(&site)?)?;
    // Tells hosts of static pages not to process the files.
    sink.keep((".nojekyll".to_owned(), Vec::new()))?;
    if let Some((name, before)) = options.compare {
        sink.keep(changes_page(&site, name, before, catalog)?)?;
    }
    if !options.beside.is_empty() {
        let own = std::iter::once((options.source_name, catalog));
        let beside = options.beside.iter().map(|(name, catalog)| (name.as_str(), catalog));
        let catalogs: Vec<(&str, &Catalog)> = own.chain(beside).collect();
        sink.keep(catalogs_page(&site, &catalogs)?)?;
    }
    let reload = options.live.then_some(RELOAD);
    for (path, content) in ASSETS.into_iter().chain(reload) {
        sink.keep((path.to_owned(), content.as_bytes().to_vec()))?;
    }
    index.check_unchanged()?;
    Ok(Summary {
        packages: rows.len(),
        versions: rows.iter().map(|row| row.versions).sum(),
        unpublished: unpublished(&rows),
        unread,
        unprobed,
    })
}

/// Returns the packages of which a new installation gets no version.
fn unpublished(rows: &[Row]) -> Vec<Unpublished> {
    let found = rows.iter().filter_map(|row| {
        Some(Unpublished {
            package: row.name.clone(),
            reason: row.version.as_ref().err()?.clone(),
        })
    });
    found.collect()
}

/// Returns the bundles of a package whose images could not be read.
fn unread_images<'i>(input: &'i Input<'_>) -> impl Iterator<Item = Unread> + 'i {
    input.bundles.iter().filter_map(|(id, bundle, _)| {
        let reason = input.image_reads.get(id)?.as_ref().err()?;
        Some(Unread {
            bundle: bundle.name.to_string(),
            image: bundle.image.as_deref().unwrap_or_default().to_owned(),
            reason: reason.clone(),
        })
    })
}

/// Reads a package.
fn input<'c>(describer: &Describer<'_>, catalog: &'c Catalog, package: &'c Package) -> Result<Input<'c>, PageError> {
    let described = describer.package(&package.name)?;
    let entries = package.channels.iter().flat_map(|channel| &channel.entries);
    let ids: BTreeSet<BundleId> = entries.map(|entry| entry.bundle).collect();
    let known = ids.into_iter().filter_map(|id| Some((id, catalog.bundle(id)?)));
    let bundles: Result<Vec<_>, PageError> = known
        .map(|(id, bundle)| Ok((id, bundle, describer.bundle(&described, bundle)?)))
        .collect();
    Ok(Input {
        package,
        bundles: bundles?,
        described,
        image_reads: HashMap::new(),
        sizes: Sizes::default(),
    })
}

/// Builds the pages of packages until there are no more packages. If building a page fails, records the first error.
fn work<'c>(
    catalog: &'c Catalog,
    receiver: &Mutex<Receiver<Input<'c>>>,
    (site, relations): (&Site, &Relations),
    sink: &dyn Sink,
    collected: &Mutex<Collected>,
) {
    loop {
        let received = lock(receiver).recv();
        let Ok(input) = received else { return };
        let model = Model::new(catalog, input, relations);
        let made = package_files(site, &model, relations, sink);
        let mut collected = lock(collected);
        match made {
            Ok(()) => {
                collected.rows.push(Row::of(&model));
                collected.entries.extend(feed::entries(&model));
                feed::latest(&mut collected.entries);
            }
            // Continue to receive packages, so that the thread that reads them does not wait forever.
            Err(error) => collected.error = collected.error.take().or(Some(error)),
        }
    }
}

fn package_files(site: &Site, model: &Model<'_>, relations: &Relations, sink: &dyn Sink) -> Result<(), PageError> {
    if let Some(file) = model.icon.as_ref().and_then(Icon::file) {
        sink.keep(file)?;
    }
    let compared = model.compared();
    sink.keep(package_page(site, model, relations, &compared)?)?;
    sink.keep(package_data(model, relations))?;
    version_pages(site, model, &compared, |file| sink.keep(file))?;
    for (from, to) in &compared {
        if let (Some(from), Some(to)) = (model.version(*from), model.version(*to)) {
            sink.keep(difference_page(site, model, from, to)?)?;
        }
    }
    Ok(())
}

/// Renders the page that servers show if a page is missing. Servers show it at any address, so its links begin at the
/// root of the server.
fn missing_page(site: &Site) -> Result<File, askama::Error> {
    let mut frame = Frame::new(site, "404.html", "Page not found");
    frame.up = site.base_path().to_owned();
    page("404.html", &MissingPage { frame })
}
