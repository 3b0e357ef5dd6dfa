//! Returns the rows of [`database::list`](crate::database::list) for a file-based catalog.

use crate::catalog::file_based::error::CatalogError;
use crate::catalog::file_based::load::{Loaded, heads};
use crate::catalog::file_based::manifests::{Manifests, Metadata};
use crate::catalog::manifests::display_name;
use crate::catalog::{Catalog, Channel, ManifestsId, Package, order};
use crate::database::list::{BundleRow, ChannelRow, PackageRow};
use crate::index::open::OpenCatalog;
use crate::olm::property;

/// Returns the packages, sorted by name.
///
/// # Errors
/// Returns an error if a document cannot be read again.
pub fn packages(open: &OpenCatalog) -> Result<Vec<PackageRow>, CatalogError> {
    let catalog = &open.loaded.catalog;
    let rows = catalog.packages.iter().map(|package| {
        let channel = package
            .default_channel
            .as_deref()
            .and_then(|name| package.channel(name));
        let head = channel.and_then(|channel| {
            let id = channel.entries.first().filter(|_| channel.head.is_some())?.bundle;
            catalog.bundle(id)
        });
        let shown = head.map(|head| shown_name(open, head.manifests));
        Ok(PackageRow {
            name: package.name.to_string(),
            display_name: shown.transpose()?.flatten(),
            default_channel: package.default_channel.as_deref().map(str::to_owned),
        })
    });
    rows.collect()
}

/// Returns the channels of all packages or of one package, sorted by package and name.
pub fn channels(loaded: &Loaded, package: Option<&str>) -> Vec<ChannelRow> {
    let channels = of_package(&loaded.catalog, package);
    channels
        .map(|(package, channel)| ChannelRow {
            package: package.name.to_string(),
            channel: channel.name.to_string(),
            head: channel.head.as_deref().map(str::to_owned),
        })
        .collect()
}

/// Returns the names of the bundles that could be the head of each channel, in the order of [`channels`]; a valid
/// channel has exactly one such bundle.
pub(crate) fn possible_heads(loaded: &Loaded, package: Option<&str>) -> Vec<Vec<String>> {
    let name = |id| loaded.catalog.bundle(id).map(|bundle| bundle.name.to_string());
    let of_channel = |channel: &Channel| {
        let mut names: Vec<String> = heads(&loaded.catalog, channel).into_iter().filter_map(name).collect();
        names.sort();
        names
    };
    of_package(&loaded.catalog, package)
        .map(|(_, channel)| of_channel(channel))
        .collect()
}

/// Returns the bundles of all channels or of the channels of one package, sorted by package and channel; within a
/// channel, from the head downwards.
pub fn bundles(loaded: &Loaded, package: Option<&str>) -> Vec<BundleRow> {
    let mut rows = Vec::new();
    for (package, channel) in of_package(&loaded.catalog, package) {
        for entry in order::entries(&loaded.catalog, channel) {
            let Some(bundle) = loaded.catalog.bundle(entry.bundle) else {
                continue;
            };
            let text = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
            let mut declared = bundle
                .properties
                .iter()
                .filter(|property| &*property.kind == property::MEDIA_TYPE);
            let declared = declared
                .next()
                .and_then(|property| serde_json::from_str(&property.value).ok());
            rows.push(BundleRow {
                package: package.name.to_string(),
                channel: channel.name.to_string(),
                bundle: bundle.name.to_string(),
                version: text(bundle.version.as_deref()),
                replaces: text(entry.replaces.as_deref()),
                skips: entry.skips.iter().map(ToString::to_string).collect(),
                skip_range: text(entry.skip_range.as_deref()),
                image: text(bundle.image.as_deref()),
                media_type: declared.unwrap_or_else(|| property::REGISTRY_V1.to_owned()),
            });
        }
    }
    rows
}

fn of_package<'a>(catalog: &'a Catalog, name: Option<&'a str>) -> impl Iterator<Item = (&'a Package, &'a Channel)> {
    let packages = catalog.packages.iter();
    let wanted = packages.filter(move |package| name.is_none_or(|name| name == &*package.name));
    wanted.flat_map(|package| package.channels.iter().map(move |channel| (package, channel)))
}

/// Returns the display name of a bundle, from its manifests or from the metadata that replaces them.
fn shown_name(open: &OpenCatalog, id: ManifestsId) -> Result<Option<String>, CatalogError> {
    let handle = usize::try_from(id.0)
        .ok()
        .and_then(|number| open.files.handles.get(number));
    let Some(handle) = handle else { return Ok(None) };
    let manifests = Manifests::of(&open.files.document(handle)?);
    let shown = manifests.metadata.as_ref().and_then(Metadata::display_name);
    Ok(shown
        .map(str::to_owned)
        .or_else(|| display_name(manifests.csv.as_deref()?)))
}
