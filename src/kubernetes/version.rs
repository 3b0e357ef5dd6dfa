//! The order of API versions: stable before beta before alpha, then higher numbers first.

use std::cmp::{Ordering, Reverse};

/// Orders versions by Kubernetes' priority, the most preferred first.
/// Names that are not Kubernetes versions come last, in byte order.
pub(crate) fn compare_priority(left: &str, right: &str) -> Ordering {
    match (parse(left), parse(right)) {
        (Some(left), Some(right)) => Reverse(left).cmp(&Reverse(right)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => left.cmp(right),
    }
}

/// Whether a string is the name of a Kubernetes version, such as `v1` or `v1beta1`.
pub(crate) fn is_version(text: &str) -> bool {
    parse(text).is_some()
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Stability {
    Alpha,
    Beta,
    Stable,
}

fn parse(version: &str) -> Option<(Stability, u64, u64)> {
    let rest = version.strip_prefix('v')?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (major, suffix) = rest.split_at(digits);
    let (stability, minor) = if suffix.is_empty() {
        (Stability::Stable, "0")
    } else if let Some(minor) = suffix.strip_prefix("beta") {
        (Stability::Beta, minor)
    } else {
        (Stability::Alpha, suffix.strip_prefix("alpha")?)
    };
    let number = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| text.parse().ok())
            .flatten()
    };
    Some((stability, number(major)?, number(minor)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stable_versions_precede_beta_alpha_and_others() {
        let mut versions = vec![
            "foo1",
            "v1alpha1",
            "v3beta1",
            "v11alpha2",
            "v2",
            "v10",
            "v12alpha1",
            "v1",
            "foo10",
            "v11beta2",
            "v10beta3",
        ];
        versions.sort_by(|left, right| compare_priority(left, right));
        let expected = [
            "v10",
            "v2",
            "v1",
            "v11beta2",
            "v10beta3",
            "v3beta1",
            "v12alpha1",
            "v11alpha2",
            "v1alpha1",
            "foo1",
            "foo10",
        ];
        assert_eq!(versions, expected);
    }
}
