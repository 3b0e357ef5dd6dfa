//! Sets of validators by the names that people know them under.

use super::validators::{CONFORMA, CONFORMA_IMAGES, MULTIARCH, OTHERS, VALIDATORS};

/// A set of validators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Suite {
    /// The name, as `operatorhub`.
    pub name: &'static str,
    /// The names of its validators.
    pub validators: &'static [&'static str],
    /// What it looks at, in a few words.
    pub about: &'static str,
}

/// Every suite but `all`.
pub(crate) static SUITES: &[Suite] = &[
    Suite {
        name: "operatorhub",
        validators: &["operatorhubv2", "capabilities", "categories"],
        about: "what a public catalog asks of an operator's page",
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
        about: "the same",
    },
    Suite {
        name: "objects",
        validators: &["object", "operatorgroup", "package-manifest"],
        about: "objects that get in the way of a cluster's upkeep",
    },
    Suite {
        name: "community",
        validators: &["community"],
        about: "what the community catalog asks for",
    },
    Suite {
        name: MULTIARCH,
        validators: &[MULTIARCH],
        about: "the platforms of the images, which their registries are asked for",
    },
    Suite {
        name: "konflux",
        validators: &[CONFORMA, CONFORMA_IMAGES],
        about: "the policy by which Konflux releases bundles; registries are asked for the related images",
    },
    Suite {
        name: "capabilities",
        validators: &["capabilities"],
        about: "the capability level",
    },
    Suite {
        name: "categories",
        validators: &["categories"],
        about: "the categories",
    },
];

/// The validators of a suite; `all` are those of every suite that needs nothing but the bundle, and that catalogs ask
/// for, so without `multiarch` and `konflux`.
/// operator-sdk's own names of single validators and of its suite are known, too.
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

/// The names of all suites, `all` first.
pub fn names() -> Vec<&'static str> {
    std::iter::once("all")
        .chain(SUITES.iter().map(|suite| suite.name))
        .collect()
}
