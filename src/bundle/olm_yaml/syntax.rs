//! The strings of `olm.yaml` with a specific syntax.

use crate::kubernetes::names;
use crate::rules;
use crate::shape::Syntax;
use crate::version::parse_strict;

/// The maximum length of a release that a cluster accepts.
const RELEASE_LENGTH: usize = 20;

/// The name of a `ClusterServiceVersion`.
pub(super) static NAME: Syntax = Syntax {
    rule: &rules::CSV_NAME_FORMAT,
    fault: names::fault_of_csv_name,
    pattern: r"^$|^(?=.{1,63}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
    longest: None,
};

/// A strict semantic version.
pub(super) static VERSION: Syntax = Syntax {
    rule: &rules::OLM_VERSION,
    fault: |text| {
        parse_strict(text)
            .err()
            .map(|reason| format!("is not a semantic version: {reason}"))
    },
    pattern: r"^$|^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$",
    longest: None,
};

/// A release: identifiers separated by dots, as in the pre-release of a semantic version.
pub(super) static RELEASE: Syntax = Syntax {
    rule: &rules::OLM_RELEASE,
    fault: |text| {
        if text.len() > RELEASE_LENGTH {
            return Some(format!("is longer than {RELEASE_LENGTH} characters"));
        }
        let error = semver::Prerelease::new(text).err()?;
        Some(format!("is not a release: {error}"))
    },
    pattern: r"^$|^(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*$",
    longest: Some(RELEASE_LENGTH),
};
