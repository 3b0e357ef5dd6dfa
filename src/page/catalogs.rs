//! Pages about more than one catalog: the changes since an older catalog, and several catalogs side by side.

use super::change::{Change, Part, part};
use super::frame::{File, Frame, Site, page};
use super::path;
use super::source;
use crate::catalog::difference::{self, Kind};
use crate::catalog::{Catalog, Package};
use askama::Template;
use std::collections::BTreeSet;

#[derive(Template)]
#[template(path = "page/changes.html")]
struct ChangesPage<'a> {
    frame: Frame<'a>,
    before: String,
    parts: Vec<Part>,
}

#[derive(Template)]
#[template(path = "page/catalogs.html")]
struct CatalogsPage<'a> {
    frame: Frame<'a>,
    names: Vec<&'a str>,
    /// Two tables: the packages whose versions differ, and all other packages.
    tables: [Table<'a>; 2],
}

struct Table<'a> {
    id: &'static str,
    title: &'static str,
    rows: Vec<Row<'a>>,
}

struct Row<'a> {
    package: &'a str,
    path: Option<String>,
    cells: Vec<Cell>,
}

/// The version of a package in one catalog; empty if the catalog does not contain the package.
#[derive(Default)]
struct Cell {
    version: String,
    path: Option<String>,
}

/// Renders the page with the changes since an older catalog.
///
/// # Errors
/// Returns an error if the template cannot be rendered.
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
        let is_listed = after.find_in(&bundle.package, &bundle.name).is_some();
        let page = is_listed.then(|| path::version(&bundle.package, &bundle.name));
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
        before: source::shown(name),
        parts: parts.into_iter().flatten().collect(),
    };
    page(path, &filled)
}

/// Renders the page that shows several catalogs side by side. Its links lead to the pages of the first catalog.
///
/// # Errors
/// Returns an error if the template cannot be rendered.
pub(super) fn catalogs_page(site: &Site, catalogs: &[(&str, &Catalog)]) -> Result<File, askama::Error> {
    let own = catalogs.first().map(|(_, catalog)| *catalog);
    let packages = catalogs.iter().flat_map(|(_, catalog)| &catalog.packages);
    let names: BTreeSet<&str> = packages.map(|package| &*package.name).collect();
    let rows = names.into_iter().map(|package| {
        let cells = catalogs.iter().map(|(_, catalog)| {
            let found = catalog.package(package);
            found.map_or_else(Cell::default, |package| head_of(catalog, package, own))
        });
        Row {
            package,
            path: own.and_then(|own| own.package(package)).map(|_| path::package(package)),
            cells: cells.collect(),
        }
    });
    let differs = |row: &Row<'_>| row.cells.windows(2).any(|pair| pair[0].version != pair[1].version);
    let (different, same): (Vec<Row<'_>>, Vec<Row<'_>>) = rows.partition(differs);
    let path = "catalogs.html";
    let filled = CatalogsPage {
        frame: Frame::new(site, path, "Catalogs side by side"),
        names: catalogs.iter().map(|(name, _)| *name).collect(),
        tables: [
            Table {
                id: "different",
                title: "Different",
                rows: different,
            },
            Table {
                id: "same",
                title: "The same in all catalogs",
                rows: same,
            },
        ],
    };
    page(path, &filled)
}

/// Returns the version that a new installation gets, with a link to the page of this version if the first catalog
/// contains a bundle with the same name.
fn head_of(catalog: &Catalog, package: &Package, own: Option<&Catalog>) -> Cell {
    let head = crate::catalog::published::published(catalog, &package.name, None).ok();
    let bundle = head.and_then(|head| catalog.bundle(catalog.find_in(&package.name, head)?));
    let version = bundle.and_then(|bundle| bundle.version.as_deref().filter(|version| !version.is_empty()));
    let has_page = |head: &str| own.is_some_and(|own| own.find_in(&package.name, head).is_some());
    Cell {
        version: version.or(head).unwrap_or("no head").to_owned(),
        path: head
            .filter(|head| has_page(head))
            .map(|head| path::version(&package.name, head)),
    }
}
