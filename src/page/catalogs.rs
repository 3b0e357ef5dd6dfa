//! Pages that look at more than one catalog: what has changed since another one, and several side by side.

use super::change::{Change, Part, part};
use super::frame::{File, Frame, Site, page};
use super::path;
use crate::catalog::difference::{self, Kind};
use crate::catalog::{Catalog, Package};
use askama::Template;
use std::collections::BTreeSet;

#[derive(Template)]
#[template(path = "page/changes.html")]
struct ChangesPage<'a> {
    frame: Frame<'a>,
    before: &'a str,
    parts: Vec<Part>,
}

#[derive(Template)]
#[template(path = "page/catalogs.html")]
struct CatalogsPage<'a> {
    frame: Frame<'a>,
    names: Vec<&'a str>,
    rows: Vec<Row<'a>>,
}

struct Row<'a> {
    package: &'a str,
    path: Option<String>,
    cells: Vec<String>,
    /// Whether the catalogs have different versions.
    differs: bool,
}

/// What has changed since another catalog.
///
/// # Errors
/// As [`page`].
pub(super) fn changes_page(site: &Site, name: &str, before: &Catalog, after: &Catalog) -> Result<File, askama::Error> {
    let difference = difference::difference(before, after);
    let (mut packages, mut heads, mut versions) = (Vec::new(), Vec::new(), Vec::new());
    for package in &difference.packages {
        let path = path::package(&package.name);
        match package.kind {
            Kind::Added => packages.push(Change::added(&package.name).leading_to(Some(path.clone()))),
            Kind::Removed => packages.push(Change::removed(&package.name)),
            Kind::Changed => {}
        }
        if let (Some(change), Kind::Changed) = (&package.default_channel, package.kind) {
            let text = |value: &Option<String>| value.clone().unwrap_or_default();
            let what = format!("{}, default channel", package.name);
            heads.push(Change::changed(what, text(&change.before), text(&change.after)).leading_to(Some(path.clone())));
        }
        for channel in package.channels.iter().filter(|_| package.kind == Kind::Changed) {
            let what = format!("{}, channel {}", package.name, channel.name);
            match (channel.kind, &channel.head) {
                (Kind::Added, _) => heads.push(Change::added(what).leading_to(Some(path.clone()))),
                (Kind::Removed, _) => heads.push(Change::removed(what).leading_to(Some(path.clone()))),
                (Kind::Changed, Some(head)) => {
                    let text = |value: &Option<String>| value.clone().unwrap_or_default();
                    let change = Change::changed(what, text(&head.before), text(&head.after));
                    heads.push(change.leading_to(Some(path.clone())));
                }
                (Kind::Changed, None) => {}
            }
        }
    }
    for bundle in &difference.bundles {
        let package = after.channel_of(&bundle.name).map(|(package, _)| package);
        let page = package.map(|package| path::version(&package, &bundle.name));
        match bundle.kind {
            Kind::Added => versions.push(Change::added(&bundle.name).leading_to(page)),
            Kind::Removed => versions.push(Change::removed(&bundle.name)),
            Kind::Changed => {
                let image = bundle.image.as_ref();
                let text = |value: Option<&Option<String>>| value.cloned().flatten().unwrap_or_default();
                let change = Change::changed(
                    &bundle.name,
                    text(image.map(|change| &change.before)),
                    text(image.map(|change| &change.after)),
                );
                versions.push(change.leading_to(page));
            }
        }
    }
    let parts = [
        part("Packages", packages),
        part("Channels", heads),
        part("Versions", versions),
    ];
    let path = "changes.html";
    let filled = ChangesPage {
        frame: Frame::new(site, path, "Changes"),
        before: name,
        parts: parts.into_iter().flatten().collect(),
    };
    page(path, &filled)
}

/// Several catalogs beside each other; the pages are those of the first one.
///
/// # Errors
/// As [`page`].
pub(super) fn catalogs_page(site: &Site, catalogs: &[(&str, &Catalog)]) -> Result<File, askama::Error> {
    let own = catalogs.first().map(|(_, catalog)| *catalog);
    let packages = catalogs.iter().flat_map(|(_, catalog)| &catalog.packages);
    let names: BTreeSet<&str> = packages.map(|package| &*package.name).collect();
    let rows = names.into_iter().map(|package| {
        let cells = catalogs.iter().map(|(_, catalog)| {
            let found = catalog.package(package);
            found.map(|package| head_of(catalog, package)).unwrap_or_default()
        });
        let cells: Vec<String> = cells.collect();
        Row {
            package,
            path: own.and_then(|own| own.package(package)).map(|_| path::package(package)),
            differs: cells.windows(2).any(|pair| pair[0] != pair[1]),
            cells,
        }
    });
    let path = "catalogs.html";
    let filled = CatalogsPage {
        frame: Frame::new(site, path, "Catalogs side by side"),
        names: catalogs.iter().map(|(name, _)| *name).collect(),
        rows: rows.collect(),
    };
    page(path, &filled)
}

/// The version that a new installation gets.
fn head_of(catalog: &Catalog, package: &Package) -> String {
    let head = crate::catalog::published::published(catalog, &package.name, None).ok();
    let bundle = head.and_then(|head| catalog.bundle(catalog.find(head)?));
    let version = bundle.and_then(|bundle| bundle.version.as_deref().filter(|version| !version.is_empty()));
    version.or(head).unwrap_or("no head").to_owned()
}
