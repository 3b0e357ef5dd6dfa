//! What an index contains beside packages, channels and bundles: icons, descriptions, deprecations, related images, and
//! documents with other schemas. A database contains only icons and related images.

use super::open::{Describer, Index, OpenError};
use crate::catalog::Package;
use crate::catalog::difference::details::{Detail, Details, RELATED_IMAGES};
use crate::catalog::file_based::document::Document;
use crate::catalog::file_based::shown::Shown;
use crate::catalog::file_based::{Deprecation, Schema};
use crate::image::Digest;
use crate::text::canonical;
use serde_json::Value;
use std::collections::BTreeSet;

/// Reads the details of an index.
///
/// # Errors
/// Returns an error if the index is damaged or changes while it is being read.
pub fn details(index: &Index) -> Result<Details, OpenError> {
    let catalog = index.catalog()?;
    let describer = Describer::new(index)?;
    let mut found = Found::default();
    for package in &catalog.packages {
        let name = &*package.name;
        let described = describer.package(name)?;
        let mut icon = described.icon.clone();
        let head = default_head(package);
        let channels = package.channels.iter();
        let bundles: BTreeSet<_> = channels
            .flat_map(|channel| channel.entries.iter().map(|entry| entry.bundle))
            .collect();
        for bundle in bundles.into_iter().filter_map(|id| catalog.bundle(id)) {
            let of_bundle = describer.bundle(&described, bundle)?;
            if matches!(index, Index::Database(_)) && head == Some(&*bundle.name) {
                let shown = of_bundle.csv.as_deref().map(Shown::of_csv).unwrap_or_default();
                icon = shown.icon.map(|icon| icon.data);
            }
            let images = of_bundle.related_images.into_iter();
            let images = images.map(|image| format!("{} {}", image.name, image.image).trim_start().to_owned());
            found.add((name, RELATED_IMAGES, &bundle.name), true, images);
        }
        let digest = |text: &str| Digest::of(text.as_bytes()).to_string();
        if let Some(icon) = icon.filter(|icon| !icon.is_empty()) {
            found.add((name, "icon", ""), false, [digest(&icon)]);
        }
        if !described.description.is_empty() {
            found.add((name, "description", ""), false, [digest(&described.description)]);
        }
        for Deprecation { reference, message } in described.deprecations {
            let what = match reference.schema {
                Some(Schema::Channel) => "deprecation of channel",
                Some(Schema::Bundle) => "deprecation of bundle",
                _ => "deprecation",
            };
            found.add((name, what, &reference.name), true, [message]);
        }
        found.documents(name, &described.others);
    }
    found.documents("", &describer.package("")?.others);
    Ok(found.0)
}

fn default_head(package: &Package) -> Option<&str> {
    let default = package.default_channel.as_deref()?;
    package.channel(default)?.head.as_deref()
}

#[derive(Default)]
struct Found(Details);

impl Found {
    fn add(
        &mut self,
        (package, what, name): (&str, &str, &str),
        shown: bool,
        values: impl IntoIterator<Item = String>,
    ) {
        let detail = Detail {
            package: package.to_owned(),
            what: what.to_owned(),
            name: name.to_owned(),
        };
        let known = self.0.entry(detail).or_default();
        known.shown = shown;
        known.all.extend(values);
    }

    fn documents(&mut self, package: &str, documents: &[Document]) {
        for document in documents {
            let schema = document.schema().map(|schema| schema.to_string()).unwrap_or_default();
            // Only the meaning is compared, not the layout or the order of fields.
            let json = serde_json::to_string(document).unwrap_or_default();
            let value: Value = serde_json::from_str(&json).unwrap_or_default();
            let digest = Digest::of(canonical::as_written(&value, &json).as_bytes()).to_string();
            let name = format!("{schema} {}", document.text("name"));
            self.add((package, "document", name.trim_end()), false, [digest]);
        }
    }
}
