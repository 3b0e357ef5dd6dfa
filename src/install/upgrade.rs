//! Which installed version a bundle upgrades.

use crate::cluster::State;
use crate::cluster::conditions::{InstalledOperator, installed_in};
use crate::csv::Csv;
use crate::olm::annotation::SKIP_RANGE;
use crate::steps::Content;
use crate::version::{VersionRange, parse_strict};
use serde_json::Value;
use std::collections::HashMap;

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
    let packages = Packages::of(state);
    let is_in_range = |operator: &InstalledOperator<'_>| {
        let version = operator.version.and_then(|version| parse_strict(version).ok());
        let range = range.as_ref().filter(|_| packages.is_of_package(operator, content));
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
pub(super) fn is_upgraded(
    operator: &InstalledOperator<'_>,
    content: &Content,
    replaces: &str,
    packages: &Packages<'_>,
) -> bool {
    let own = operator.name;
    let is_named = || own == replaces || skips(Csv(&content.csv), own);
    own != content.name && (is_named() || packages.is_of_package(operator, content))
}

fn skips(csv: Csv<'_>, name: &str) -> bool {
    let skips = csv.get(&["spec", "skips"]).and_then(Value::as_array);
    let mut skips = skips.into_iter().flatten();
    skips.any(|skipped| skipped.as_str() == Some(name))
}

/// The packages of the Subscriptions that installed versions, by the name of the version.
pub(super) struct Packages<'a>(HashMap<&'a str, &'a str>);

impl<'a> Packages<'a> {
    /// Reads the Subscriptions of a cluster. Those of the what-if file take precedence, then the first one counts.
    pub(super) fn of(state: &'a State) -> Self {
        let written = state.subscriptions.iter();
        let written = written.filter_map(|to| Some((to.installed_csv.as_deref()?, to.package.as_str())));
        let found = state.objects.iter().filter_map(|object| {
            let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str);
            let is_subscription = text("/kind") == Some("Subscription");
            let found = || Some((text("/status/installedCSV")?, text("/spec/name")?));
            is_subscription.then(found).flatten()
        });
        let mut packages = HashMap::new();
        for (version, package) in written.chain(found) {
            packages.entry(version).or_insert(package);
        }
        Self(packages)
    }

    fn is_of_package(&self, operator: &InstalledOperator<'_>, content: &Content) -> bool {
        let package = operator.package.or(self.0.get(operator.name).copied());
        package == Some(content.package.as_str())
    }
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
