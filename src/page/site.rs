//! The files of a site, made package by package.

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
use super::relations::Relations;
use super::version_page::version_pages;
use super::{PageError, SiteOptions};
use crate::catalog::{BundleId, Catalog, Package};
use crate::index::open::{Describer, Index};
use askama::Template;
use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// What stands in a site as it is.
const ASSETS: [(&str, &str); 3] = [
    ("assets/opmx.css", include_str!("../../templates/page/assets/opmx.css")),
    ("assets/opmx.js", include_str!("../../templates/page/assets/opmx.js")),
    ("assets/opmx.svg", include_str!("../../templates/page/assets/opmx.svg")),
];
/// What makes pages load themselves anew.
const RELOAD: (&str, &str) = (
    "assets/reload.js",
    include_str!("../../templates/page/assets/reload.js"),
);

/// Threads that make pages; more would wait for the one that reads.
const MOST_THREADS: usize = 8;

#[derive(Template)]
#[template(path = "page/missing.html")]
struct MissingPage<'a> {
    frame: Frame<'a>,
}

/// How much there is in a site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Packages.
    pub packages: usize,
    /// Versions.
    pub versions: usize,
    /// Bundles whose images could not be read.
    pub unread: Vec<Unread>,
}

/// What packages leave for the pages about all of them.
#[derive(Default)]
struct Collected {
    rows: Vec<Row>,
    entries: Vec<Entry>,
    error: Option<PageError>,
}

/// Takes the files of a site, from several threads.
pub(super) trait Sink: Sync {
    /// Keeps a file. One of the same path may come again, with the same content.
    ///
    /// # Errors
    /// When it cannot be kept.
    fn keep(&self, file: File) -> Result<(), PageError>;
}

/// Makes all files of the site of an index.
///
/// # Errors
/// When the index cannot be read, or a file cannot be kept.
pub(super) fn build(index: &Index, options: &SiteOptions<'_>, sink: &dyn Sink) -> Result<Summary, PageError> {
    let catalog = index.catalog()?;
    let catalog: &Catalog = &catalog;
    let site = options.site();
    let relations = Relations::of(catalog);
    let describer = Describer::new(index)?;
    let collected = Mutex::new(Collected::default());
    let threads = thread::available_parallelism().map_or(1, |threads| threads.get().min(MOST_THREADS));
    let mut unread = Vec::new();
    let read = thread::scope(|scope| {
        let (sender, receiver) = sync_channel(0);
        let receiver = Arc::new(Mutex::new(receiver));
        let surroundings = (&site, &relations);
        let collected = &collected;
        for _ in 0..threads {
            let receiver = Arc::clone(&receiver);
            let work = move || work(catalog, &receiver, surroundings, sink, collected);
            // Where the system allows no more threads, those that there are do the work.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        // Whoever sends hears that nobody receives any more.
        drop(receiver);
        for package in &catalog.packages {
            // What is made after an error is for nobody.
            if lock(collected).error.is_some() {
                break;
            }
            let mut input = input(&describer, catalog, package)?;
            if let Some(images) = options.images {
                unread.extend(images.complete(&mut input.bundles));
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
    for file in list_pages(&site, &rows)? {
        sink.keep(file)?;
    }
    sink.keep(catalog_data(&site, &rows))?;
    sink.keep(feed(&site, &entries)?)?;
    sink.keep(missing_page(&site)?)?;
    // Servers of pages that would build something of the files leave them as they are.
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
        unread,
    })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
    })
}

/// Makes the pages of packages until there are no more, or one fails.
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
            // The others go on with what they have, so that the one that reads does not wait for nobody.
            Err(error) => collected.error = collected.error.take().or(Some(error)),
        }
    }
}

fn package_files(site: &Site, model: &Model<'_>, relations: &Relations, sink: &dyn Sink) -> Result<(), PageError> {
    if let Some(Icon::File { path, content }) = &model.icon {
        sink.keep((path.clone(), content.clone()))?;
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

/// The page that servers show for one that is not there. They show it at any address, so its links begin at the root of
/// the server.
fn missing_page(site: &Site) -> Result<File, askama::Error> {
    let mut frame = Frame::new(site, "404.html", "No such page");
    frame.up = site.base_path().to_owned();
    page("404.html", &MissingPage { frame })
}
