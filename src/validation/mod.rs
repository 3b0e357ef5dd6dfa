//! Rules over a bundle. A rule looks and reports; it never stops the others.
//!
//! `bundle validate` runs all of them, stage by stage, and the [`validators`] of the suites that are asked for.
//! Everything else asks [`judge`]: building, adding, rendering. It runs [`check`], the rules that keep a bundle out of
//! an index, and no validators.

mod accounts;
mod annotations;
mod certificates;
mod constraint;
mod content;
mod crd_fields;
mod dependencies;
mod fields;
pub mod fix;
mod images;
mod index_needs;
mod judge;
mod load;
pub mod many;
mod network_policies;
mod plain;
mod platforms;
pub mod policy;
mod properties;
mod ranges;
mod reference;
mod request;
mod run;
mod stages;
pub mod suites;
mod synthesized;
pub mod validators;

pub use judge::{Judged, Selection, Strictness, judge, judge_files};
pub use platforms::{images, platforms};
pub use request::{Reference, Request};
pub(crate) use run::rule_named;
pub use run::{Validated, Validation, refused, unreadable, validate};

pub use stages::Finding;

use crate::bundle::{Bundle, BundleReading, MediaType};
use crate::diagnostic::{self, Diagnostic};
use crate::rules::Gate;

/// Findings of one rule that are made at each step. What is wrong more often is wrong in the same way, and nobody reads
/// all of it.
const MOST_OF_A_RULE: usize = 1_000;

/// The rules that every bundle must pass before it becomes an image: its format, and for `registry+v1` what the index
/// will ask of it. A `k8s+v1` bundle is checked further by its synthesis.
pub fn check(bundle: &Bundle) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    annotations::check(bundle, &mut findings);
    dependencies::check(bundle, &mut findings);
    properties::check(bundle, &mut findings);
    findings.extend(ranges::skip_range(bundle));
    match bundle.media_type {
        MediaType::RegistryV1 => {
            load::several_csvs(bundle, &mut findings);
            fields::check(bundle, &mut findings);
            index_needs::check(bundle, &mut findings);
        }
        MediaType::K8sV1 => drop(index_needs::defined_by_crds(bundle, &mut findings)),
    }
    diagnostic::sort(&mut findings);
    findings
}

/// Everything that its author is told about a bundle: by reading it, by the rules, and by synthesizing its CSV.
pub fn check_reading(reading: &BundleReading) -> Vec<Diagnostic> {
    judge(reading, &Strictness::at(Gate::Authoring)).findings
}
