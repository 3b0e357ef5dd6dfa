//! Adding rendered bundles to a catalog or a template.

use super::Packages;
use crate::catalog::file_based::Bundle;
use crate::catalog::file_based::draft::{NewBundle, Placement};
use crate::catalog::file_based::edit::template::{TemplateBundle, TemplateEditor};
use crate::catalog::file_based::edit::{CatalogEditError, Edited, Editor};
use crate::catalog::file_based::migrate::Level;
use crate::index::render::bundle::RenderedBundle;
use semver::Version;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Returns the bundles with their images, in the form that `level` selects.
fn to_add(bundles: &[(String, RenderedBundle)], level: Level) -> Result<Vec<TemplateBundle>, CatalogEditError> {
    let bundles = bundles.iter().map(|(image, rendered)| {
        let bundle = rendered.to_add(level).map_err(CatalogEditError::Write)?;
        let image = image.clone();
        Ok(TemplateBundle { image, bundle })
    });
    bundles.collect()
}

/// A change to a catalog or a template.
pub(super) struct Change {
    pub(super) edited: Edited,
    /// The channels that each bundle was added to.
    pub(super) added: Vec<(String, Vec<String>)>,
    /// The new packages, if the catalog already contained other packages.
    pub(super) started: Vec<String>,
    /// The new channels of existing packages, each after its package.
    pub(super) channels: BTreeSet<(String, String)>,
}

impl Change {
    fn new(edited: Edited, added: Vec<(String, Vec<String>)>) -> Self {
        Self {
            edited,
            added,
            started: Vec::new(),
            channels: BTreeSet::new(),
        }
    }

    /// Returns the new file, if there is exactly one.
    pub(super) fn new_file(&self) -> Option<PathBuf> {
        let mut new = self.edited.files.iter().filter(|(_, file)| file.before.is_none());
        match (new.next(), new.next()) {
            (Some((path, _)), None) => Some(self.edited.folder.join(path)),
            _ => None,
        }
    }
}

pub(super) fn in_catalog(
    mut editor: Editor,
    packages: &Packages,
    placement: &Placement,
    level: Option<Level>,
) -> Result<Change, CatalogEditError> {
    let mut added = Vec::new();
    let known: Vec<String> = editor.packages().into_iter().map(str::to_owned).collect();
    let started = packages
        .keys()
        .filter(|package| !known.is_empty() && !known.contains(package));
    let started = started.cloned().collect();
    let mut new_channels = BTreeSet::new();
    for (package, bundles) in packages {
        let level = match level {
            Some(level) => level,
            // By default, the new bundles have the same form as the existing bundles of their package or, if the
            // package is new, of the catalog.
            None => editor.level(package)?.unwrap_or_default(),
        };
        let bundles: Vec<NewBundle> = to_add(bundles, level)?
            .into_iter()
            .map(|bundle| bundle.bundle)
            .collect();
        let before: BTreeSet<String> = editor.channels(package).into_iter().map(str::to_owned).collect();
        let channels = editor.add(package, &bundles, placement)?;
        let new = channels.iter().flatten().filter(|channel| !before.contains(*channel));
        new_channels.extend(
            new.filter(|_| !before.is_empty())
                .map(|channel| (package.clone(), channel.clone())),
        );
        let names = bundles.iter().map(|bundle| bundle.entry.name.clone());
        added.extend(names.zip(channels));
    }
    Ok(Change {
        edited: editor.finish()?,
        added,
        started,
        channels: new_channels,
    })
}

pub(super) fn in_basic_template(
    mut editor: TemplateEditor,
    packages: &Packages,
    placement: &Placement,
    versions: &BTreeMap<String, Version>,
) -> Result<Change, CatalogEditError> {
    let mut added = Vec::new();
    for (package, bundles) in packages {
        let bundles = to_add(bundles, Level::None)?;
        let channels = editor.add(package, &bundles, placement, versions)?.into_iter();
        let names = bundles.iter().map(|bundle| bundle.bundle.entry.name.clone());
        added.extend(names.zip(channels));
    }
    Ok(Change::new(editor.finish()?, added))
}

/// `known` contains the bundles of the images in the template.
pub(super) fn in_semver_template(
    mut editor: TemplateEditor,
    packages: &Packages,
    lists: &[String],
    known: BTreeMap<String, RenderedBundle>,
) -> Result<Change, CatalogEditError> {
    let known = known.into_iter().map(|(image, rendered)| (image, rendered.bundle));
    let mut bundles: BTreeMap<String, Bundle> = known.collect();
    let mut added = Vec::new();
    for (image, rendered) in packages.values().flatten() {
        let lists = editor.add_image(image, lists)?;
        added.push((rendered.entry.name.clone(), lists));
        bundles.insert(image.clone(), rendered.bundle.clone());
    }
    if editor.is_changed() {
        editor.check(&bundles)?;
    }
    Ok(Change::new(editor.finish()?, added))
}
