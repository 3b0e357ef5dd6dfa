//! Finds bundles that clusters with a given OLM cannot use, and the consequences for clusters that follow their
//! channels.

use super::features::{self, Needed};
use super::stops::{Scope, Stops};
use super::{constraints, dependencies};
use crate::catalog::updates::updates;
use crate::catalog::{BundleId, Catalog, Channel};
use crate::database::listed::remove_unlisted;
use crate::diagnostic::{self, Diagnostic};
use crate::index::open::{Index, OpenError};
use crate::olm::constraint::Key;
use crate::olm::property;
use crate::olm::property::CONSTRAINT;
use crate::olm::releases::{Feature, Olm, Since, Support, support};
use crate::rules::{self, Severity};
use std::collections::{BTreeMap, BTreeSet};

/// Adds findings about the requirements that `olm` reads from bundles but that the index does not satisfy. If `olm` is
/// a release, also adds findings about the bundles that clusters with this release cannot use.
///
/// # Errors
/// Returns an error if the index cannot be read or changes while it is being read.
pub fn add_for_olm(findings: &mut Vec<Diagnostic>, index: &Index, olm: &Olm) -> Result<(), OpenError> {
    let catalog = index.catalog_without_skip_ranges()?;
    findings.extend(constraints::with_faulty_rules(&catalog, olm));
    let mut seen = catalog.clone();
    if matches!(index, Index::Database(_)) {
        remove_unlisted(seen.to_mut());
    }
    findings.extend(dependencies::without_provider(&seen, olm));
    diagnostic::sort(findings);
    if *olm == Olm::Proposed {
        return Ok(());
    }
    // The findings for clusters report the same problems with their consequences.
    let same = [&rules::INDEX_MESSAGE_SIZE, &rules::CATALOG_MESSAGE_SIZE];
    findings.retain(|finding| !same.contains(&finding.rule));
    findings.extend(for_cluster(index, olm)?);
    diagnostic::sort(findings);
    Ok(())
}

/// Returns the findings about bundles that the clusters cannot use as intended, in a fixed order. Bundles that are
/// never newly installed are not reported: bundles in no channel and, if OLM supports deprecation, deprecated bundles.
///
/// # Errors
/// Returns an error if the index cannot be read or changes while it is being read.
fn for_cluster(index: &Index, olm: &Olm) -> Result<Vec<Diagnostic>, OpenError> {
    let catalog = index.catalog()?;
    let channels = catalog.packages.iter().flat_map(|package| &package.channels);
    let offered: BTreeSet<BundleId> = channels
        .flat_map(|channel| channel.entries.iter().map(|entry| entry.bundle))
        .collect();
    let mut lacking = BTreeMap::new();
    for id in offered {
        let Some(bundle) = catalog.bundle(id) else { continue };
        let needs = features::of_bundle(index, bundle)?;
        if !needs.iter().any(|needed| needed.feature == DEPRECATED) || !olm.does(DEPRECATED) {
            lacking.insert(id, lacks(olm, needs));
        }
    }
    let refused: BTreeSet<BundleId> = lacking
        .iter()
        .filter(|(_, lacks)| {
            lacks
                .iter()
                .any(|(row, _)| row.rule.is_some_and(|rule| rule.severity == Severity::Error))
        })
        .map(|(id, _)| *id)
        .collect();
    let stops = stops(&catalog, &refused);
    let mut findings = Vec::new();
    for (id, lacks) in lacking {
        let Some(bundle) = catalog.bundle(id) else { continue };
        for (row, how) in lacks {
            let Some(rule) = row.rule else { continue };
            let mut message = format!("bundle {:?} {how}, and {olm} {}", bundle.name, row.instead);
            match (row.since, olm) {
                (Since::Release(first), Olm::Release(_)) => {
                    message.push_str(&format!(" (supported since OLM {first})"));
                }
                (Since::After(last), Olm::Release(_)) => {
                    message.push_str(&format!(" (supported since a release after OLM {last})"));
                }
                _ => {}
            }
            if rule.severity == Severity::Error {
                for stop in stops.get(&id).into_iter().flatten() {
                    message.push_str("; ");
                    message.push_str(stop);
                }
            }
            let finding = Diagnostic::new(rule, message);
            findings.push(match row.feature {
                Feature::OtherConstraint => finding.help(Key::usage()),
                _ => finding,
            });
        }
    }
    diagnostic::sort(&mut findings);
    Ok(findings)
}

/// The property that excludes a bundle from new installations.
const DEPRECATED: Feature = Feature::Property(property::DEPRECATED);

/// Returns the needs that this OLM does not meet.
fn lacks(olm: &Olm, needs: Vec<Needed>) -> Vec<(&'static Support, String)> {
    let rows = needs.into_iter().filter_map(|Needed { feature, how }| {
        let row = support(feature)?;
        (!olm.has(row)).then_some((row, how))
    });
    let mut rows: Vec<_> = rows.collect();
    // An OLM that ignores all constraints never refuses a bundle because of a constraint. For an excessive size, a
    // single finding is enough.
    let has = |rows: &[(&Support, String)], feature| rows.iter().any(|(row, _)| row.feature == feature);
    if has(&rows, Feature::Dependency(CONSTRAINT)) {
        rows.retain(|(row, _)| !matches!(row.feature, Feature::OtherConstraint | Feature::Constraint(_)));
    }
    if has(&rows, Feature::LargeImage) {
        rows.retain(|(row, _)| row.feature != Feature::HugeImage);
    }
    rows
}

/// Returns, for each refused bundle, the consequences for its channels.
fn stops(catalog: &Catalog, refused: &BTreeSet<BundleId>) -> BTreeMap<BundleId, Vec<String>> {
    let mut stops: BTreeMap<BundleId, Vec<String>> = BTreeMap::new();
    for package in &catalog.packages {
        let mut of_package = Stops::default();
        for channel in &package.channels {
            add_stops(catalog, channel, refused, &mut of_package);
        }
        for (id, described) in of_package.described(&package.name) {
            stops.entry(id).or_default().extend(described);
        }
    }
    stops
}

/// Adds the refused bundles of a channel that block new installations or updates.
fn add_stops(catalog: &Catalog, channel: &Channel, refused: &BTreeSet<BundleId>, stops: &mut Stops) {
    let is_head = |id: BundleId| catalog.bundle(id).map(|bundle| &bundle.name) == channel.head.as_ref();
    let mut held: BTreeMap<BundleId, Vec<String>> = BTreeMap::new();
    for update in updates(catalog, channel) {
        // A bundle that is itself refused is not installed on any cluster.
        if refused.contains(&update.to)
            && !refused.contains(&update.from)
            && let Some(from) = catalog.bundle(update.from)
        {
            held.entry(update.to).or_default().push(format!("{:?}", from.name));
        }
    }
    let entries = channel.entries.iter().map(|entry| entry.bundle);
    for id in entries.filter(|id| refused.contains(id)) {
        let held = held.remove(&id).unwrap_or_default();
        stops.add(Scope::Channel(&channel.name), id, is_head(id), &held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::check::tests::database;
    use crate::database::read::Database;

    /// Package k has one channel, stable: k.v3 replaces k.v2, which replaces k.v1 and skips k.vghost.
    const THREE: &str = "
        INSERT INTO operatorbundle VALUES ('k.v3', NULL, NULL, '', '', '3', 'k.v2', '', '');
        UPDATE channel SET head_operatorbundle_name = 'k.v3';
        UPDATE channel_entry SET depth = depth + 1;
        INSERT INTO channel_entry VALUES (9, 'stable', 'k', 'k.v3', 1, 0);
    ";
    const BY_REFERENCE: &str = "
        INSERT INTO properties VALUES ('olm.bundle.mediatype', '\"k8s+v1\"', 'k.v2', '2', 'registry.example.com/k:2');
    ";

    fn found(cluster: &str, changes: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = database(folder.path(), &changes.concat());
        let findings = for_cluster(&Database::open(&path).unwrap().into(), &cluster.parse().unwrap()).unwrap();
        findings
            .iter()
            .map(|finding| format!("{}: {}", finding.rule.id, finding.message))
            .collect()
    }

    const REFUSED: &str = "cluster-media-type: bundle \"k.v2\" is a k8s+v1 bundle that is stored as a reference to its \
        image registry.example.com/k:2, and every released OLM unpacks registry+v1 images only, and finds no \
        ClusterServiceVersion in this one";

    #[test]
    fn a_head_that_cannot_be_installed_blocks_new_installations_and_lower_versions() {
        let stops = "; in channel \"stable\" of package \"k\", new installations fail, and clusters with \"k.v1\" cannot be updated";
        assert_eq!(found("registry+v1", &[BY_REFERENCE]), [format!("{REFUSED}{stops}")]);
        assert_eq!(found("registry+v1", &[]), Vec::<String>::new());
    }

    #[test]
    fn an_unusable_bundle_in_the_middle_blocks_only_those_without_another_path() {
        let held = "; in channel \"stable\" of package \"k\", clusters with \"k.v1\" cannot be updated";
        assert_eq!(
            found("registry+v1", &[BY_REFERENCE, THREE]),
            [format!("{REFUSED}{held}")]
        );
        let passed = "UPDATE operatorbundle SET skiprange = '<3.0.0' WHERE name = 'k.v3';";
        assert_eq!(found("registry+v1", &[BY_REFERENCE, THREE, passed]), [REFUSED]);
    }

    #[test]
    fn bundles_in_no_channel_do_not_affect_clusters() {
        let alone = "DELETE FROM channel_entry; DELETE FROM channel; DELETE FROM package;";
        assert_eq!(found("registry+v1", &[BY_REFERENCE, alone]), Vec::<String>::new());
    }

    #[test]
    fn a_deprecated_bundle_is_no_problem_if_olm_knows_deprecations() {
        let deprecated = "INSERT INTO properties VALUES ('olm.deprecated', '{}', 'k.v1', '1', NULL);
            UPDATE operatorbundle SET bundle = '{\"kind\":\"StatefulSet\"}' WHERE name = 'k.v1';";
        assert_eq!(found("registry+v1", &[deprecated]), Vec::<String>::new());
        assert_eq!(found("0.16.1", &[deprecated]), Vec::<String>::new());
        let found = found("0.16.0", &[deprecated]);
        assert!(found.len() == 2 && found[0].contains("StatefulSet"), "{found:?}");
    }

    #[test]
    fn the_first_release_with_support_is_named_if_there_is_one() {
        let large =
            "UPDATE operatorbundle SET bundle = '{\"x\":\"' || hex(zeroblob(600000)) || '\"}' WHERE name = 'k.v2';";
        assert_eq!(
            found("v0.18", &[large]),
            [
                "cluster-bundle-size: bundle \"k.v2\" has manifests of 1200008 bytes, and OLM 0.18.0 unpacks them \
                 uncompressed into a ConfigMap, which is limited to 1048576 bytes (supported since OLM 0.19.0); in \
                 channel \"stable\" of package \"k\", new installations fail, and clusters with \"k.v1\" cannot be \
                 updated"
            ]
        );
        assert_eq!(found("0.19", &[large]), Vec::<String>::new());
        let noise =
            "UPDATE operatorbundle SET bundle = '{\"x\":\"' || hex(randomblob(1200000)) || '\"}' WHERE name = 'k.v2';";
        let found = found("0.19", &[noise]);
        assert!(
            found.len() == 1 && found[0].contains("bytes after compression"),
            "{found:?}"
        );
    }

    #[test]
    fn bundles_that_olm_does_not_see_need_and_provide_nothing() {
        let needs = |bundle: &str, version: &str| {
            format!(
                "INSERT INTO dependencies VALUES ('olm.package', '{{\"packageName\":\"absent\",\"version\":\">=1.0.0\"}}',
                     '{bundle}', '{version}', NULL);"
            )
        };
        let missing = |change: &str| {
            let folder = tempfile::tempdir().unwrap();
            let index: Index = Database::open(&database(folder.path(), change)).unwrap().into();
            let mut findings = Vec::new();
            add_for_olm(&mut findings, &index, &Olm::Proposed).unwrap();
            findings
                .iter()
                .filter(|finding| *finding.rule == rules::INDEX_DEPENDENCY)
                .count()
        };
        let unlisted = "UPDATE operatorbundle SET bundlepath = NULL WHERE name = 'k.v1';";
        assert_eq!(missing(&needs("k.v1", "1")), 1);
        assert_eq!(missing(&[&needs("k.v1", "1"), unlisted].concat()), 0);
    }

    #[test]
    fn constraints_are_ignored_before_they_are_known_and_rejected_if_not_understood() {
        let constraint =
            |value: &str| format!("INSERT INTO dependencies VALUES ('olm.constraint', '{value}', 'k.v1', '1', NULL);");
        let none = constraint(r#"{"all":{"constraints":[{"none":{"constraints":[]}}]}}"#);
        let not = constraint(r#"{"all":{"constraints":[{"not":{"constraints":[]}}]}}"#);
        let ids = |cluster: &str, change: &str| -> Vec<String> {
            let found = found(cluster, &[change]);
            let ids = found
                .iter()
                .map(|finding| finding.split(':').next().unwrap().to_owned());
            ids.collect()
        };
        assert_eq!(ids("0.19.1", &none), ["cluster-dependency"]);
        assert_eq!(ids("0.28", &none), ["cluster-constraint"]);
        assert_eq!(ids("0.28", &not), Vec::<String>::new());
    }

    #[test]
    fn dependencies_properties_and_manifests_are_compared_with_the_table() {
        let change = r#"
            UPDATE operatorbundle SET bundle = '{"kind":"ClusterServiceVersion","spec":{"webhookdefinitions":
                [{"type":"ConversionWebhook"},{"type":"MutatingAdmissionWebhook"}]}}
                {"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition"}
                {"kind":"VerticalPodAutoscaler"} {"kind":"StatefulSet"} {"kind":"NetworkPolicy"}' WHERE name = 'k.v1';
            INSERT INTO dependencies VALUES
                ('olm.package', '{"packageName":"p","version":">1.0.0","intent":"recommended"}', 'k.v1', '1', NULL),
                ('olm.label', '{"label":"l"}', 'k.v1', '1', NULL), ('olm.gvk', '{}', 'k.v1', '1', NULL),
                ('olm.crd', '{}', 'k.v1', '1', NULL);
            INSERT INTO properties VALUES ('olm.manifests.optional', '{}', 'k.v1', '1', NULL), ('olm.maxOpenShiftVersion', '"4.9"', 'k.v1', '1', NULL);
        "#;
        let what = |cluster: &str| -> Vec<String> {
            let found = found(cluster, &[change]);
            let what = found.iter().filter(|finding| finding.contains("\"k.v1\" "));
            what.map(|finding| {
                let (_, rest) = finding.split_once("\"k.v1\" ").unwrap();
                rest.split(", and ").next().unwrap().to_owned()
            })
            .collect()
        };
        let always = [
            "has a dependency of type \"olm.crd\"",
            "depends on package \"p\" with the intent \"recommended\"",
            "ships an object of the kind StatefulSet",
            "has the property olm.manifests.optional",
        ];
        assert_eq!(what("registry+v1"), always);
        assert_eq!(what("0.46.0"), always);
        assert_eq!(
            what("0.14.0"),
            [
                "depends on a bundle with the label \"l\"",
                "depends on package \"p\"",
                "has a dependency of type \"olm.crd\"",
                "depends on package \"p\" with the intent \"recommended\"",
                "ships a CustomResourceDefinition of apiextensions.k8s.io/v1",
                "ships an object of the kind NetworkPolicy",
                "ships an object of the kind StatefulSet",
                "ships an object of the kind VerticalPodAutoscaler",
                "has the property olm.manifests.optional",
                "has the property olm.maxOpenShiftVersion",
                "has a conversion webhook",
                "has an admission webhook",
            ]
        );
    }
}
