//! Versions of OpenShift in bundles: the last version that an operator supports, and the versions whose catalogs
//! contain it.

use super::property::{MAX_OPENSHIFT_VERSION, Property};
use crate::version::parse_tolerant;
use serde_json::Value;

/// The annotation of a bundle, and label of an index image, that selects the versions of OpenShift whose catalogs
/// contain it.
pub(crate) const VERSIONS: &str = "com.redhat.openshift.versions";

/// Lists that are accepted although a value must not contain commas. Both mean `v4.5`.
const LISTS: [&str; 2] = ["v4.5,v4.6", "v4.6,v4.5"];

/// Returns why OpenShift cannot read the value of a property `olm.maxOpenShiftVersion`; `None` if it can.
pub(crate) fn max_version_problem(value: &Value) -> Option<String> {
    read_max_version(value).err()
}

/// Returns the last version of OpenShift, as major and minor version, that the properties of an installed operator
/// allow; `None` if they allow every version.
///
/// # Errors
/// Returns the reason why OpenShift cannot read it.
pub(crate) fn max_version(properties: &[Property]) -> Result<Option<(u64, u64)>, String> {
    let mut values = properties
        .iter()
        .filter(|property| property.kind == MAX_OPENSHIFT_VERSION);
    let Some(first) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(format!("its property {MAX_OPENSHIFT_VERSION} occurs more than once"));
    }
    let max =
        read_max_version(&first.value).map_err(|problem| format!("its property {MAX_OPENSHIFT_VERSION} {problem}"));
    max.map(Some)
}

/// Reads a value, or returns the reason why OpenShift cannot read it.
fn read_max_version(value: &Value) -> Result<(u64, u64), String> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    // OpenShift also accepts a value with additional quotes.
    let text = text.trim_matches('"');
    if text.is_empty() {
        return Err("is empty".to_owned());
    }
    let Some(version) = parse_tolerant(text) else {
        return Err(format!("is {value}, which is not a version"));
    };
    if version.patch != 0 || !version.pre.is_empty() {
        return Err(format!("is {value}, but must consist of a major and a minor version"));
    }
    Ok((version.major, version.minor))
}

/// Whether a value of [`VERSIONS`] is valid: a first version, a range, or a single version after an equals sign.
pub(crate) fn selects_versions(value: &str) -> bool {
    if LISTS.contains(&value) {
        return true;
    }
    if let Some(only) = value.strip_prefix('=') {
        return minor(only).is_some();
    }
    let Some((first, last)) = value.split_once('-') else {
        return minor(value).is_some();
    };
    matches!((minor(first), minor(last)), (Some(first), Some(last)) if first <= last)
}

/// Parses a version such as `v4.20`.
fn minor(text: &str) -> Option<(u64, u64)> {
    let (major, minor) = text.strip_prefix('v')?.split_once('.')?;
    let number = |digits: &str| {
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse().ok()).flatten()
    };
    Some((number(major)?, number(minor)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_a_major_and_a_minor_version_limit_openshift() {
        for value in [
            json!("4.20"),
            json!("v4.20"),
            json!("4.20.0"),
            json!("\"4.20\""),
            json!(4.2),
            json!("4"),
        ] {
            assert_eq!(max_version_problem(&value), None, "{value}");
        }
        for value in [
            "",
            "\"\"",
            "4.x",
            "4.20.3",
            "4.20-rc",
            "4.20.0-rc.1",
            "4.20+1",
            ">=4.20",
            "4.20 4.21",
        ] {
            assert!(max_version_problem(&json!(value)).is_some(), "{value}");
        }
        for value in [json!([4, 20]), json!({"version": "4.20"}), json!(true), json!(null)] {
            assert!(max_version_problem(&value).is_some(), "{value}");
        }
    }

    #[test]
    fn versions_are_selected_by_a_first_version_a_range_or_a_single_version() {
        for value in [
            "v4.12",
            "v4.12-v4.19",
            "v4.19-v5.0",
            "v4.12-v4.12",
            "=v4.12",
            "v4.5,v4.6",
        ] {
            assert!(selects_versions(value), "{value}");
        }
        for value in [
            "",
            "4.12",
            "v4",
            "v4.12.1",
            "v4.12-",
            "v4.12, v4.19-",
            "v4.12,v4.13",
            "v4.19-v4.12",
            "v4.12 - v4.19",
            "=v4.12-v4.13",
            ">=v4.12",
            "v4.+1",
            "latest",
        ] {
            assert!(!selects_versions(value), "{value}");
        }
    }
}
