//! The validators of the Operator Framework by name, with their errors corrected.
//!
//! A validator checks one `registry+v1` bundle and reports, but never prevents other validators from running. With
//! [`ValidatorOptions::reference`], each validator behaves as the original does, including its faults, for users who
//! need the same verdict.

mod address;
mod bundle;
mod capabilities;
mod community;
mod conforma;
mod crd;
pub(super) mod csv;
mod examples;
mod good_practices;
mod hub;
mod install_modes;
pub(super) mod metadata;
mod multiarch;
mod objects;
mod olm_v1;
mod operator_group;
mod package_manifest;
mod removed_apis;
mod same_shape;

pub(super) use bundle::total_size;
pub(super) use crd::definition;

use crate::bundle::Bundle;
use crate::csv::Csv;
use crate::diagnostic::Diagnostic;
use crate::image::Platform;
use crate::manifest::Object;
use crate::rules::Rule;
use crate::synthesis::Shipping;
use crate::text::Path;
use crate::tree::Tree;
use semver::Version;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

/// Images by name, each with its platforms, or with the reason why its platforms are unknown.
pub type Platforms = BTreeMap<String, Result<BTreeSet<Platform>, String>>;

/// Options of some validators.
#[derive(Debug, Clone, Default)]
pub struct ValidatorOptions {
    /// The Kubernetes version that the bundle must run on: APIs that this version no longer serves are errors.
    pub kubernetes_version: Option<Version>,
    /// The allowed categories; `None` for the default list.
    pub categories: Option<Vec<String>>,
    /// The name and content of the Dockerfile of the index that the bundle is meant for (`community`).
    pub index_dockerfile: Option<(String, String)>,
    /// The platforms of each of the bundle's images, or the reason why they are unknown. Without this option,
    /// `multiarch` and `conforma-images` report nothing. [`platforms`](super::platforms) queries the registries.
    pub platforms: Option<Platforms>,
    /// The platforms of the bundle's own image, if it is an index of images (`conforma`).
    pub bundle_platforms: Option<BTreeSet<Platform>>,
    /// The registries or repositories that images may come from; `None` for all (`conforma`).
    pub allowed_registries: Option<Vec<String>>,
    /// The form in which a bundle of plain manifests will be shipped (`olm-v1`).
    pub shipping: Shipping,
    /// Whether to judge exactly as the original validators do, including their errors.
    pub reference: bool,
}

/// The input of a validator.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The bundle, as far as it could be read.
    pub bundle: &'a Bundle,
    /// All files of the bundle's directory or image, for the total size and the package manifest.
    pub files: &'a Tree,
    /// The options that the caller chose.
    pub options: &'a ValidatorOptions,
}

/// The name of a validator. To get one, parse a string, or ask [`validators_of`](super::suites::validators_of) for
/// those of a suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValidatorName(pub(super) &'static str);

impl ValidatorName {
    /// Returns the name as a string.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

/// The error for a string that is not the name of a validator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no validator {name:?}")]
pub struct UnknownValidator {
    /// The string.
    pub name: String,
}

impl FromStr for ValidatorName {
    type Err = UnknownValidator;

    fn from_str(name: &str) -> Result<Self, UnknownValidator> {
        names()
            .find(|known| known.0 == name)
            .ok_or_else(|| UnknownValidator { name: name.to_owned() })
    }
}

/// Returns the names of all validators.
pub(super) fn names() -> impl Iterator<Item = ValidatorName> {
    VALIDATORS.iter().chain(OTHERS).map(|validator| validator.name)
}

/// A validator.
#[derive(Debug)]
pub struct Validator {
    /// The name, such as `operatorhubv2`.
    pub name: ValidatorName,
    /// Checks the bundle and adds the findings.
    pub check: fn(&Input<'_>, &mut Vec<Diagnostic>),
}

/// The validators of the Operator Framework, in the order in which they run.
pub static VALIDATORS: &[Validator] = &[
    Validator {
        name: CSV,
        check: csv::check,
    },
    Validator {
        name: CRD,
        check: crd::check,
    },
    Validator {
        name: ValidatorName("bundle"),
        check: bundle::check,
    },
    Validator {
        name: ValidatorName("operatorhubv2"),
        check: hub::check,
    },
    Validator {
        name: ValidatorName("capabilities"),
        check: capabilities::check_capabilities,
    },
    Validator {
        name: ValidatorName("categories"),
        check: capabilities::check_categories,
    },
    Validator {
        name: FIRST_HUB,
        check: hub::check_first,
    },
    Validator {
        name: REMOVED_APIS,
        check: removed_apis::check,
    },
    Validator {
        name: ValidatorName("good-practices"),
        check: good_practices::check,
    },
    Validator {
        name: ValidatorName("object"),
        check: objects::check,
    },
    Validator {
        name: ValidatorName("operatorgroup"),
        check: operator_group::check,
    },
    Validator {
        name: ValidatorName("package-manifest"),
        check: package_manifest::check,
    },
    Validator {
        name: ValidatorName("community"),
        check: community::check,
    },
    Validator {
        name: MULTIARCH,
        check: multiarch::check,
    },
];

/// Validators that are not part of the Operator Framework; they run after those of [`VALIDATORS`].
pub static OTHERS: &[Validator] = &[
    Validator {
        name: CONFORMA,
        check: conforma::check,
    },
    Validator {
        name: CONFORMA_IMAGES,
        check: conforma::check_images,
    },
    Validator {
        name: OLM_V1,
        check: olm_v1::check,
    },
];

/// The validator that needs [`ValidatorOptions::platforms`].
pub const MULTIARCH: ValidatorName = ValidatorName("multiarch");

/// The validator of a release policy, which is stricter than any catalog.
pub const CONFORMA: ValidatorName = ValidatorName("conforma");

/// The part of the release policy that needs [`ValidatorOptions::platforms`].
pub const CONFORMA_IMAGES: ValidatorName = ValidatorName("conforma-images");

/// The validator of what OLM v1 installs, which is less than what earlier releases install.
pub const OLM_V1: ValidatorName = ValidatorName("olm-v1");

pub(super) const CSV: ValidatorName = ValidatorName("csv");
pub(super) const CRD: ValidatorName = ValidatorName("crd");
/// The first form of `operatorhubv2`.
pub(super) const FIRST_HUB: ValidatorName = ValidatorName("operatorhub");
pub(super) const REMOVED_APIS: ValidatorName = ValidatorName("alpha-deprecated-apis");

/// The validators that every bundle must pass.
pub const DEFAULT: &[ValidatorName] = &[CSV, CRD, ValidatorName("bundle")];

/// Runs the validators with these names; returns each finding with the name of its validator. If two validators report
/// the same finding about the same place, only the first report is kept, unless the original verdict is requested.
pub fn run(input: &Input<'_>, names: &[ValidatorName]) -> Vec<(&'static str, Diagnostic)> {
    let mut all = Vec::new();
    let mut said = BTreeSet::new();
    let known = VALIDATORS.iter().chain(OTHERS);
    for validator in known.filter(|validator| names.contains(&validator.name)) {
        let mut findings = Vec::new();
        (validator.check)(input, &mut findings);
        for finding in findings {
            let place = finding.place.as_ref();
            let place = place.map(|place| (place.source.name().to_owned(), place.span.start));
            let new = said.insert((finding.rule.id, place, finding.message.clone()));
            if new || input.options.reference {
                all.push((validator.name.0, finding));
            }
        }
    }
    all
}

/// Returns a finding about the value at `path` of an object, or about its absence.
pub(super) fn found(rule: &'static Rule, object: &Object, path: &Path, message: impl Into<String>) -> Diagnostic {
    let finding = Diagnostic::new(rule, message).object(object.label());
    finding.path(path).at(object.place(path))
}

/// Returns the CSV of the bundle, both as an object and as a view.
fn csv_of<'a>(input: &Input<'a>) -> Option<(&'a Object, Csv<'a>)> {
    let object = input.bundle.csv()?;
    Some((object, Csv(object.value())))
}

/// Returns the rules of the permissions that the CSV requests, with their paths.
fn permission_rules(csv: Csv<'_>) -> impl Iterator<Item = (Path, &Value)> {
    ["permissions", "clusterPermissions"].into_iter().flat_map(move |list| {
        let permissions = csv.list(&["spec", "install", "spec", list]).iter().enumerate();
        permissions.flat_map(move |(index, permission)| {
            let path = Path::from("spec.install.spec").key(list).index(index).key("rules");
            let rules = permission.get("rules").and_then(Value::as_array);
            let rules = rules.into_iter().flatten().enumerate();
            rules.map(move |(number, rule)| (path.index(number), rule))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_validators_are_accepted() {
        for validator in VALIDATORS.iter().chain(OTHERS) {
            assert_eq!(validator.name.as_str().parse(), Ok(validator.name));
        }
        for name in ["", "operatorhub3", "CSV"] {
            let unknown = UnknownValidator { name: name.to_owned() };
            assert_eq!(name.parse::<ValidatorName>(), Err(unknown));
        }
    }
}
