//! Sets of validators, by their common names.

use super::validators::{CONFORMA, CONFORMA_IMAGES, MULTIARCH, OTHERS, VALIDATORS};

/// A set of validators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Suite {
    /// The name, such as `operatorhub`.
    pub name: &'static str,
    /// The names of the validators.
    pub validators: &'static [&'static str],
    /// A short description of the checks.
    pub about: &'static str,
}

/// Every suite but `all`.
pub(crate) static SUITES: &[Suite] = &[
    Suite {
        name: "operatorhub",
        validators: &["operatorhubv2", "capabilities", "categories"],
        about: "requirements of OperatorHub.io for the page of an operator, including capability level and categories",
    },
    Suite {
        name: "good-practices",
        validators: &["good-practices"],
        about: "resource requests, descriptions, channel names",
    },
    Suite {
        name: "deprecated-apis",
        validators: &["alpha-deprecated-apis"],
        about: "APIs that Kubernetes has removed",
    },
    Suite {
        name: "removed-apis",
        validators: &["alpha-deprecated-apis"],
        about: "the same as deprecated-apis",
    },
    Suite {
        name: "objects",
        validators: &["object", "operatorgroup", "package-manifest"],
        about: "objects that interfere with the maintenance of a cluster",
    },
    Suite {
        name: "community",
        validators: &["community"],
        about: "requirements of the community catalog",
    },
    Suite {
        name: MULTIARCH,
        validators: &[MULTIARCH],
        about: "the platforms of the images, as reported by their registries",
    },
    Suite {
        name: "konflux",
        validators: &[CONFORMA, CONFORMA_IMAGES],
        about: "the release policy of Konflux for bundles; related images are looked up in their registries",
    },
    Suite {
        name: CONFORMA,
        validators: &[CONFORMA],
        about: "the part of konflux that can be checked with the bundle alone",
    },
    Suite {
        name: "capabilities",
        validators: &["capabilities"],
        about: "the capability level alone",
    },
    Suite {
        name: "categories",
        validators: &["categories"],
        about: "the categories alone",
    },
];

/// Returns the validators of a suite. `all` stands for every suite except `multiarch`, `konflux` and `conforma`, which
/// need information from registries. The names that operator-sdk uses for single validators and for its suite are also
/// accepted.
pub fn validators_of(name: &str) -> Option<Vec<&'static str>> {
    match name {
        "all" => {
            let mut all: Vec<&str> = SUITES.iter().flat_map(|suite| suite.validators).copied().collect();
            all.sort_unstable();
            all.dedup();
            all.retain(|name| ![MULTIARCH, CONFORMA, CONFORMA_IMAGES].contains(name));
            Some(all)
        }
        "operatorframework" => {
            let suites = ["operatorhub", "deprecated-apis", "good-practices"].into_iter();
            Some(suites.filter_map(validators_of).flatten().collect())
        }
        _ => match SUITES.iter().find(|suite| suite.name == name) {
            Some(suite) => Some(suite.validators.to_vec()),
            None => VALIDATORS
                .iter()
                .chain(OTHERS)
                .find(|validator| validator.name == name)
                .map(|validator| vec![validator.name]),
        },
    }
}

/// Returns the name of every suite with a short description, `all` first.
pub fn names() -> Vec<(&'static str, &'static str)> {
    std::iter::once((
        "all",
        "every suite except multiarch, konflux and conforma, which send requests to registries",
    ))
    .chain(SUITES.iter().map(|suite| (suite.name, suite.about)))
    .collect()
}
