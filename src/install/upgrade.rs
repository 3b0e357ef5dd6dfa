//! Which installed version a bundle upgrades.

use crate::cluster::State;
use crate::cluster::conditions::{InstalledOperator, installed_in};
use crate::csv::Csv;
use crate::olm::annotation::SKIP_RANGE;
use crate::steps::Content;
use crate::version::{VersionRange, parse_strict};
use serde_json::Value;

/// Returns the name of the version that a bundle replaces in a namespace, which OLM writes to `spec.replaces`: the
/// installed version that the bundle names there or skips, by name or by range. If no such version is installed,
/// returns the version that the bundle names; `""` if it names none.
pub(super) fn replaced<'a>(content: &'a Content, state: &'a State, namespace: &str) -> &'a str {
    let csv = Csv(&content.csv);
    let named = csv.replaces();
    let installed = installed_in(state).into_iter();
    let here: Vec<InstalledOperator<'a>> = installed
        .filter(|operator| operator.namespace.is_none_or(|own| own == namespace))
        .collect();
    if here.iter().any(|operator| operator.name == named) {
        return named;
    }
    let range = csv.text(&["metadata", "annotations", SKIP_RANGE]);
    let range = Some(range).filter(|range| !range.is_empty());
    let range = range.and_then(|range| VersionRange::parse_as_olm(range).ok());
    let is_in_range = |operator: &InstalledOperator<'_>| {
        let version = operator.version.and_then(|version| parse_strict(version).ok());
        let range = range.as_ref().filter(|_| is_of_package(operator, content, state));
        range
            .zip(version)
            .is_some_and(|(range, version)| range.contains(&version))
    };
    let mut others = here.iter().filter(|operator| operator.name != content.name);
    let skipped = others.find(|operator| skips(csv, operator.name) || is_in_range(operator));
    skipped.map_or(named, |operator| operator.name)
}

/// Returns whether a bundle upgrades an installed version if it replaces the version `replaces`. A bundle upgrades the
/// version that it replaces, a version that it skips, or any other version of its package.
pub(super) fn is_upgraded(operator: &InstalledOperator<'_>, content: &Content, replaces: &str, state: &State) -> bool {
    let own = operator.name;
    let is_named = || own == replaces || skips(Csv(&content.csv), own);
    own != content.name && (is_named() || is_of_package(operator, content, state))
}

fn skips(csv: Csv<'_>, name: &str) -> bool {
    let skips = csv.get(&["spec", "skips"]).and_then(Value::as_array);
    let mut skips = skips.into_iter().flatten();
    skips.any(|skipped| skipped.as_str() == Some(name))
}

fn is_of_package(operator: &InstalledOperator<'_>, content: &Content, state: &State) -> bool {
    let package = operator.package.or(package_of(state, operator.name));
    package == Some(content.package.as_str())
}

/// Returns the package of the Subscription that installed this version.
fn package_of<'a>(state: &'a State, csv: &str) -> Option<&'a str> {
    let mut written = state.subscriptions.iter();
    let of_state = written.find(|to| to.installed_csv.as_deref() == Some(csv));
    of_state.map(|to| to.package.as_str()).or_else(|| {
        state.objects.iter().find_map(|object| {
            let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str);
            let installed = text("/kind") == Some("Subscription") && text("/status/installedCSV") == Some(csv);
            text("/spec/name").filter(|_| installed)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::state::Installed;
    use serde_json::json;

    #[test]
    fn a_bundle_replaces_the_installed_version_it_names_or_skips() {
        let csv = json!({
            "kind": "ClusterServiceVersion",
            "metadata": {"name": "rake.v3.0.0", "annotations": {"olm.skipRange": ">=1.0.0 <1.5.0"}},
            "spec": {"version": "3.0.0", "replaces": "rake.v2.0.0", "skips": ["rake.v1.9.0"]},
        });
        let mut content = Content::of_objects("rake.v3.0.0", [csv]).unwrap();
        content.package = "rake".to_owned();
        let of = |installed: &[(&str, &str, &str)]| {
            let installed = installed.iter().map(|(name, version, package)| Installed {
                name: (*name).to_owned(),
                version: Some((*version).to_owned()),
                package: Some((*package).to_owned()),
                ..Installed::default()
            });
            let state = State {
                namespace: "garden".to_owned(),
                installed: installed.collect(),
                ..State::default()
            };
            replaced(&content, &state, "garden").to_owned()
        };
        assert_eq!(of(&[]), "rake.v2.0.0");
        assert_eq!(of(&[("rake.v1.9.0", "1.9.0", "rake")]), "rake.v1.9.0");
        assert_eq!(of(&[("rake.v1.4.0", "1.4.0", "rake")]), "rake.v1.4.0");
        let both = [("rake.v1.4.0", "1.4.0", "rake"), ("rake.v2.0.0", "2.0.0", "rake")];
        assert_eq!(of(&both), "rake.v2.0.0");
        for other in [("rake.v1.6.0", "1.6.0", "rake"), ("hoe.v1.4.0", "1.4.0", "hoe")] {
            assert_eq!(of(&[other]), "rake.v2.0.0");
        }
    }
}
