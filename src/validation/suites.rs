//! Sets of validators, by their common names.

use super::validators::{self, CONFORMA, CONFORMA_IMAGES, MULTIARCH, OLM_V1, REMOVED_APIS, ValidatorName};

/// A set of validators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Suite {
    /// The name, such as `operatorhub`.
    pub name: &'static str,
    /// The names of the validators.
    pub validators: &'static [ValidatorName],
    /// A short description of the checks.
    pub about: &'static str,
}

/// The name of operator-sdk's suite.
const OPERATOR_FRAMEWORK: &str = "operatorframework";

/// Every suite but `all`.
pub(crate) static SUITES: &[Suite] = &[
    Suite {
        name: "operatorhub",
        validators: &[
            ValidatorName("operatorhubv2"),
            ValidatorName("capabilities"),
            ValidatorName("categories"),
        ],
        about: "requirements of OperatorHub.io for the page of an operator, including capability level and categories",
    },
    Suite {
        name: "good-practices",
        validators: &[ValidatorName("good-practices")],
        about: "resource requests, descriptions, channel names",
    },
    Suite {
        name: "deprecated-apis",
        validators: &[REMOVED_APIS],
        about: "APIs that Kubernetes has removed",
    },
    Suite {
        name: "removed-apis",
        validators: &[REMOVED_APIS],
        about: "the same as deprecated-apis",
    },
    Suite {
        name: "objects",
        validators: &[
            ValidatorName("object"),
            ValidatorName("operatorgroup"),
            ValidatorName("package-manifest"),
        ],
        about: "objects that interfere with the maintenance of a cluster",
    },
    Suite {
        name: "community",
        validators: &[ValidatorName("community")],
        about: "the OpenShift versions that a bundle names, and their limit for bundles with APIs that OpenShift 4.9 \
                removed",
    },
    Suite {
        name: MULTIARCH.0,
        validators: &[MULTIARCH],
        about: "the platforms of the images, as reported by their registries",
    },
    Suite {
        name: "konflux",
        validators: &[CONFORMA, CONFORMA_IMAGES],
        about: "the release policy of Konflux for bundles; images are looked up in their registries",
    },
    Suite {
        name: CONFORMA.0,
        validators: &[CONFORMA],
        about: "the part of konflux that can be checked with the bundle alone",
    },
    Suite {
        name: OLM_V1.0,
        validators: &[OLM_V1],
        about: "what OLM v1 does not install: dependencies, install modes, kinds, webhooks",
    },
    Suite {
        name: "capabilities",
        validators: &[ValidatorName("capabilities")],
        about: "the capability level alone",
    },
    Suite {
        name: "categories",
        validators: &[ValidatorName("categories")],
        about: "the categories alone",
    },
];

/// Returns the validators of a suite. `all` stands for every suite except `multiarch` and `konflux`, which need
/// information from registries, `conforma`, whose rules only Konflux requires, and `olm-v1`, whose limits do not apply
/// to clusters with OLM v0. The names that operator-sdk uses for single validators and for its suite are also accepted.
pub fn validators_of(name: &str) -> Option<Vec<ValidatorName>> {
    match name {
        "all" => {
            let mut all: Vec<ValidatorName> = SUITES.iter().flat_map(|suite| suite.validators).copied().collect();
            all.sort_unstable();
            all.dedup();
            all.retain(|name| ![MULTIARCH, CONFORMA, CONFORMA_IMAGES, OLM_V1].contains(name));
            Some(all)
        }
        OPERATOR_FRAMEWORK => {
            let suites = ["operatorhub", "deprecated-apis", "good-practices"].into_iter();
            Some(suites.filter_map(validators_of).flatten().collect())
        }
        _ => match SUITES.iter().find(|suite| suite.name == name) {
            Some(suite) => Some(suite.validators.to_vec()),
            None => name.parse().ok().map(|name| vec![name]),
        },
    }
}

/// Returns the name of every suite with a short description, `all` first.
pub fn names() -> Vec<(&'static str, &'static str)> {
    std::iter::once((
        "all",
        "every suite except multiarch and konflux, which send requests to registries, conforma, a part of konflux, and \
         olm-v1",
    ))
    .chain(SUITES.iter().map(|suite| (suite.name, suite.about)))
    .collect()
}

/// Returns the other names that [`validators_of`] accepts: those of operator-sdk's suite, and of single validators.
pub fn other_names() -> Vec<&'static str> {
    let single = validators::names().map(ValidatorName::as_str);
    let names = std::iter::once(OPERATOR_FRAMEWORK).chain(single);
    names
        .filter(|name| SUITES.iter().all(|suite| suite.name != *name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_consist_of_validators() {
        for (suite, _) in names() {
            for name in validators_of(suite).unwrap() {
                assert_eq!(name.as_str().parse(), Ok(name), "{suite}");
            }
        }
        assert_eq!(validators_of("csv"), "csv".parse().ok().map(|name| vec![name]));
        assert_eq!(validators_of("unknown"), None);
    }
}
