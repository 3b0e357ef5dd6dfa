//! The validators of the Operator Framework by their names, corrected where they are wrong.
//!
//! A validator looks at one `registry+v1` bundle and reports; none stops the others. With [`Options::reference`] each
//! behaves as the original does, faults and all, for those who need the same verdict.

use crate::bundle::Bundle;
use crate::diagnostic::Diagnostic;
use crate::tree::Tree;
use semver::Version;

/// What some validators can be told.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The Kubernetes version that the bundle must run on: APIs that it no longer serves are errors.
    pub kubernetes_version: Option<Version>,
    /// Categories to allow, in place of the usual list.
    pub categories: Option<Vec<String>>,
    /// Name and content of the Dockerfile of the index that the bundle is meant for (`community`).
    pub index_dockerfile: Option<(String, String)>,
    /// Judge exactly as the original validators do, also where they are wrong.
    pub reference: bool,
}

/// What a validator looks at.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The bundle, as far as it could be read.
    pub bundle: &'a Bundle,
    /// All files of its directory or image: their sizes count, and a package manifest may be among them.
    pub files: &'a Tree,
    /// What the caller asked for.
    pub options: &'a Options,
}

/// One validator of the Operator Framework.
#[derive(Debug)]
pub struct Validator {
    /// Its name there, as `operatorhubv2`.
    pub name: &'static str,
    /// Looks at the bundle and adds what it finds.
    pub check: fn(&Input<'_>, &mut Vec<Diagnostic>),
}

/// All validators, in the order in which they run.
pub static VALIDATORS: &[Validator] = &[];

/// The validators that every bundle must pass.
pub const DEFAULT: &[&str] = &["csv", "crd", "bundle"];

/// Runs the validators of these names, each finding with the validator that made it. What two of them say about the
/// same place is said once, by the first, unless the original verdict is wanted.
pub fn run(input: &Input<'_>, names: &[&str]) -> Vec<(&'static str, Diagnostic)> {
    let mut all: Vec<(&'static str, Diagnostic)> = Vec::new();
    for validator in VALIDATORS.iter().filter(|validator| names.contains(&validator.name)) {
        let mut findings = Vec::new();
        (validator.check)(input, &mut findings);
        for finding in findings {
            if input.options.reference || all.iter().all(|(_, earlier)| *earlier != finding) {
                all.push((validator.name, finding));
            }
        }
    }
    all
}
