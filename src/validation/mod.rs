//! Rules about a bundle. A rule checks and reports, but never prevents other rules from running.
//!
//! `bundle validate` runs all rules, stage by stage, and the [`validators`] of the requested suites. All other
//! operations, such as building, adding and rendering, call [`judge`], which runs [`check`] (the rules that keep a
//! bundle out of an index) and no validators.

mod accounts;
mod annotations;
mod api_server;
pub(crate) mod batch;
mod bundle_checks;
mod capitalization;
mod constraint;
mod content;
mod converted;
mod crd_fields;
mod dependencies;
mod fields;
pub mod fix;
mod fixed_names;
mod icon;
mod images;
mod index_needs;
mod json;
mod judge;
mod load;
mod namespaces;
mod network_policies;
mod optional_manifests;
mod owner_labels;
mod plain;
mod platforms;
pub mod policy;
mod properties;
mod ranges;
mod reference;
mod rejected;
mod request;
mod stages;
pub mod suites;
mod synthesized;
mod typographic_quotes;
pub mod validators;

pub(crate) use bundle_checks::rule_named;
pub use bundle_checks::{Validation, refused, unreadable, validate};
pub(crate) use constraint::cel_problems;
pub use converted::convert_valid;
pub(crate) use json::ValidationJson;
pub(crate) use judge::weigh;
pub use judge::{Judged, Selection, Strictness, judge, judge_files, judge_shipped};
pub use platforms::{images, platforms};
pub(crate) use rejected::rejected_deployments;
pub use request::{Reference, Request};

pub use stages::Finding;
use stages::{FORMAT, INDEX, LOAD};

use crate::bundle::{Bundle, BundleReading, MediaType};
use crate::diagnostic::{self, Diagnostic};
use crate::rules::Gate;
use crate::synthesis::own_certificates;

/// Runs the rules that every bundle must pass before it becomes an image: the rules about the format and, for
/// `registry+v1`, the requirements of an index. The synthesis performs additional checks on a `k8s+v1` bundle.
pub fn check(bundle: &Bundle) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for (_, check) in checks(bundle.media_type) {
        check(bundle, &mut findings);
    }
    diagnostic::sort(&mut findings);
    findings
}

/// A group of rules at every gate.
type Check = fn(&Bundle, &mut Vec<Diagnostic>);

/// Returns the checks at every gate for bundles of this type, in their order, each with its stage.
fn checks(media_type: MediaType) -> impl Iterator<Item = (Option<&'static str>, Check)> {
    const EVERY: &[(Option<&str>, Check)] = &[
        (FORMAT, annotations::check),
        (FORMAT, dependencies::check),
        (None, |bundle, found| found.extend(ranges::skip_range(bundle))),
        (None, properties::check),
        (None, optional_manifests::check),
        (FORMAT, capitalization::check),
    ];
    const REGISTRY: &[(Option<&str>, Check)] = &[
        (LOAD, load::several_csvs),
        (LOAD, load::metadata_objects),
        (None, fields::check),
        (None, icon::check),
        (INDEX, index_needs::check),
    ];
    const PLAIN: &[(Option<&str>, Check)] = &[(INDEX, |bundle, found| {
        index_needs::defined_by_crds(bundle, found);
    })];
    let own = match media_type {
        MediaType::RegistryV1 => REGISTRY,
        MediaType::K8sV1 => PLAIN,
    };
    EVERY.iter().chain(own).copied()
}

/// Runs the rules for authors that need neither the synthesis nor a suite, in addition to [`check`]. The errors among
/// them also apply to every `k8s+v1` bundle.
fn check_for_authors(bundle: &Bundle, found: &mut Vec<Diagnostic>) {
    if bundle.media_type == MediaType::RegistryV1 {
        own_certificates::check_csv(bundle, found);
        accounts::check_csv(bundle, found);
        namespaces::check(bundle, found);
    }
    images::check(bundle, found);
    network_policies::check(bundle, found);
    owner_labels::check(bundle, found);
    typographic_quotes::check(bundle, found);
    api_server::check(bundle, found);
}

/// Returns all findings for the author of a bundle: from reading the bundle, from the rules, and from synthesizing its
/// CSV.
pub fn check_reading(reading: &BundleReading) -> Vec<Diagnostic> {
    judge(reading, &Strictness::at(Gate::Authoring)).findings
}
