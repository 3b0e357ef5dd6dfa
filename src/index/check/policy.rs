//! Finds contents of an index that an administrator does not allow: the catalog itself, and the contents of its
//! bundles.

use super::listed::listed;
use crate::catalog::{BundleId, manifests};
use crate::csv;
use crate::database::read::ReadError;
use crate::diagnostic::{self, Diagnostic};
use crate::image::Reference;
use crate::index::location::IndexLocation;
use crate::index::open::{Index, OpenError};
use crate::rules;
use crate::validation::policy::{Judge, Setting, Terms, judge_catalog};
use serde_json::Value;
use std::collections::BTreeSet;

/// Returns all violations of a policy, in a fixed order. The policy is applied to the catalog itself if the catalog is
/// an image, and to the images and manifests of its bundles. A single warning names the bundles whose manifests the
/// index does not contain.
///
/// # Errors
/// Returns an error if the index cannot be read or changes while it is being read.
pub fn against_policy(index: &Index, location: &IndexLocation, terms: &Terms) -> Result<Vec<Diagnostic>, OpenError> {
    let mut findings = Vec::new();
    let judge = Judge::of(terms);
    if let IndexLocation::Image(Reference::Registry(image)) = location {
        findings.extend(judge_catalog(terms, &[image.as_written()]));
    }
    let catalog = index.catalog_without_skip_ranges()?;
    let every = (0..catalog.bundles.len()).filter_map(|at| u32::try_from(at).ok());
    let every: BTreeSet<BundleId> = every.map(BundleId).collect();
    let mut related = index.related_images(&catalog, &every)?;
    let mut unseen = Vec::new();
    for (id, bundle) in every.iter().filter_map(|id| Some((*id, catalog.bundle(*id)?))) {
        let name = &bundle.name;
        let about = |finding: Diagnostic| Diagnostic {
            message: format!("bundle {name:?}: {}", finding.message),
            ..finding
        };
        let mut images: BTreeSet<String> = related.remove(&id).unwrap_or_default().into_iter().collect();
        images.extend(bundle.image.as_deref().map(str::to_owned));
        images.remove("");
        findings.extend(images.iter().filter_map(|image| judge.image(image)).map(about));
        if !terms.ask_for_manifests() {
            continue;
        }
        let read = index.with_manifests(bundle.manifests, objects_of);
        let (csv, objects) = match read {
            Ok(read) => read,
            // The check of the index itself reports unreadable manifests.
            Err(OpenError::Read(ReadError::Manifests { .. })) => continue,
            Err(error) => return Err(error),
        };
        let csv = match csv {
            None if objects.is_empty() => {
                unseen.push(name.to_string());
                // A database may contain the ClusterServiceVersion without the other manifests.
                index
                    .csv(bundle.manifests)?
                    .and_then(|text| serde_json::from_str(&text).ok())
            }
            csv => csv,
        };
        let values: Vec<&Value> = objects.iter().collect();
        for broken in judge.bundle(csv.as_ref(), &values, &Setting::default()) {
            // Each image was already checked above.
            if *broken.rule == rules::POLICY_SOURCE {
                continue;
            }
            let object = csv.iter().chain(&objects).nth(broken.object);
            let text = |pointer: &str| {
                object
                    .and_then(|object| object.pointer(pointer)?.as_str())
                    .unwrap_or_default()
            };
            let label = format!("{}/{}", text("/kind"), text("/metadata/name"));
            let message = format!("{label}: {}", broken.message);
            findings.push(about(
                Diagnostic::new(broken.rule, message).object(label).path(&broken.path),
            ));
        }
    }
    if !unseen.is_empty() {
        let (bundles, them) = if unseen.len() == 1 {
            ("bundle", "its")
        } else {
            ("bundles", "their")
        };
        let message = format!(
            "the index contains no manifests of {} {bundles} ({}), so {them} kinds and permissions were not checked",
            unseen.len(),
            listed(&unseen)
        );
        findings.push(Diagnostic::new(&rules::POLICY_UNSEEN, message));
    }
    diagnostic::sort(&mut findings);
    Ok(findings)
}

/// Returns the ClusterServiceVersion and the other objects, except those that cannot be parsed.
fn objects_of(csv: Option<&str>, objects: &[&str]) -> (Option<Value>, Vec<Value>) {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    let others = objects.iter().filter(|text| manifests::kind(text) != csv::KIND);
    let csv = csv.and_then(read);
    (csv, others.filter_map(|text| read(text)).collect())
}
