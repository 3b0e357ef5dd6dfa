//! The features of OLM, both in its releases and in proposals: a table in which every row names its source, and
//! [`Olm`], which queries the table.
//!
//! If no source names the release that introduced a feature, its row says so ([`Since::Unsaid`]), and nothing is
//! reported about the feature.

use super::intent::INTENT;
use super::property;
use crate::rules::{self, Rule};
use crate::version::parse_tolerant;
use semver::Version;
use std::fmt;
use std::str::FromStr;

/// A release of OLM. The major version is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release {
    /// The minor version.
    pub minor: u64,
    /// The patch version.
    pub patch: u64,
}

/// The release that introduced a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// All releases have the feature.
    Always,
    /// Newer releases have the feature, but no source names the first one.
    Unsaid,
    /// The first release with the feature.
    Release(Release),
    /// No release has the feature, but a proposal describes it.
    Proposed,
    /// No release has the feature.
    Never,
}

/// A feature of OLM that a bundle may need, or that an operator in a cluster uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// Unpacking the image of the bundle.
    BundleImage,
    /// Unpacking an image of the media type `k8s+v1`, which contains no ClusterServiceVersion.
    PlainImage,
    /// Unpacking an image whose manifests have more than [`crate::olm::limits::CONFIG_MAP`] bytes.
    LargeImage,
    /// Unpacking an image whose manifests have more than [`crate::olm::limits::CONFIG_MAP`] bytes even when compressed.
    HugeImage,
    /// Reading a bundle from a message of more than `olm::limits::MESSAGE` bytes.
    LargeMessage,
    /// Satisfying a dependency of this type.
    Dependency(&'static str),
    /// Satisfying a dependency of a type that is not in the table.
    OtherDependency,
    /// Installing a bundle without a dependency whose intent allows this.
    Intent,
    /// Reading a constraint with this key, or with this field of a key.
    Constraint(&'static str),
    /// Reading a constraint with a key that is not defined in [`crate::olm::constraint`].
    OtherConstraint,
    /// Acting on a property of this type.
    Property(&'static str),
    /// Installing manifests of this kind.
    Kind(&'static str),
    /// Installing manifests of a kind that is not in the table.
    OtherKind,
    /// Installing a CustomResourceDefinition of `apiextensions.k8s.io/v1`.
    DefinitionV1,
    /// Setting up a validating or mutating webhook.
    AdmissionWebhook,
    /// Setting up a conversion webhook.
    ConversionWebhook,
    /// Holding back an update while the operator reports the condition `Upgradeable` as False.
    UpgradeableCondition,
    /// Holding back an update while the operator reports the condition `Upgrading`.
    UpgradingCondition,
    /// Reading the conditions in a `Condition`, the resource of the proposal.
    ProposedCondition,
    /// Leaving an update that conditions hold back out of the plan.
    UpdateOutsidePlan,
}

/// A row of the table.
#[derive(Debug)]
pub struct Support {
    /// The feature.
    pub feature: Feature,
    /// The releases with the feature.
    pub since: Since,
    /// The rule that reports a missing feature; `None` if no bundle needs the feature. If the rule is an error, an OLM
    /// without the feature cannot install the bundle; if it is a warning, such an OLM installs the bundle, but not as
    /// its author intended.
    pub rule: Option<&'static Rule>,
    /// The behavior of an OLM without the feature, as a sentence without its subject.
    pub instead: &'static str,
    /// The source of this information.
    pub source: &'static str,
}

/// The newest release in the table, as of July 2026.
pub const NEWEST: Release = Release { minor: 46, patch: 0 };
/// The oldest release that the table covers. An older release may lack more features than the table shows.
pub const OLDEST: Release = Release { minor: 14, patch: 0 };

const fn since(minor: u64, patch: u64) -> Since {
    Since::Release(Release { minor, patch })
}

const fn row(
    feature: Feature,
    since: Since,
    rule: &'static Rule,
    instead: &'static str,
    source: &'static str,
) -> Support {
    Support {
        feature,
        since,
        rule: Some(rule),
        instead,
        source,
    }
}

/// Returns the row of a feature that no bundle needs.
const fn of_clusters(feature: Feature, since: Since, instead: &'static str, source: &'static str) -> Support {
    Support {
        feature,
        since,
        rule: None,
        instead,
        source,
    }
}

const fn dependency(kind: &'static str, since: Since, source: &'static str) -> Support {
    let instead = "ignores it and installs the operator without the dependency";
    row(
        Feature::Dependency(kind),
        since,
        &rules::CLUSTER_DEPENDENCY,
        instead,
        source,
    )
}

const fn kind(kind: &'static str, since: Since, source: &'static str) -> Support {
    let instead = "does not install this kind, so the install plan fails";
    row(
        Feature::Kind(kind),
        since,
        &rules::CLUSTER_MANIFEST_KIND,
        instead,
        source,
    )
}

// The changelog, and each pull request that is cited without a repository, belong to the repository
// operator-framework/operator-lifecycle-manager.
const BEFORE: &str = "in all releases of the changelog";
const UNSAID: &str = "in the current sources of OLM; the changelog ends with 0.18.0 and does not mention it";

/// The table.
pub static SUPPORT: &[Support] = &[
    row(
        Feature::BundleImage,
        since(14, 0),
        &rules::CLUSTER_BUNDLE_IMAGE,
        "installs only manifests that are in the index itself",
        "changelog of 0.14.0: \"Unpack bundles\" (#1215)",
    ),
    row(
        Feature::PlainImage,
        Since::Proposed,
        &rules::CLUSTER_MEDIA_TYPE,
        "unpacks registry+v1 images only, and finds no ClusterServiceVersion in this one",
        "proposal plain-k8s-bundles, which no release implements",
    ),
    row(
        Feature::LargeImage,
        since(19, 0),
        &rules::CLUSTER_BUNDLE_SIZE,
        "unpacks them uncompressed into a ConfigMap, which is limited to 1048576 bytes",
        "#2240, which compresses them; the release: FAQ of operator-framework/operator-sdk (#5559)",
    ),
    row(
        Feature::HugeImage,
        Since::Never,
        &rules::CLUSTER_BUNDLE_SIZE,
        "unpacks them into a ConfigMap, which is limited to 1048576 bytes",
        "default limit of opm alpha bundle extract",
    ),
    row(
        Feature::LargeMessage,
        Since::Never,
        &rules::CLUSTER_MESSAGE_SIZE,
        "rejects messages of more than 4194304 bytes",
        "default of gRPC clients, which OLM does not change",
    ),
    dependency(
        property::GVK,
        Since::Always,
        "changelog of 0.13.0: required APIs in the gRPC API (#1101)",
    ),
    dependency(
        property::PACKAGE,
        since(16, 1),
        "changelog of 0.16.1: resolver also for dependencies on packages and versions (#1652)",
    ),
    dependency(
        property::LABEL,
        since(16, 1),
        "changelog of 0.16.1: \"Add label dependency type\" (#1687)",
    ),
    dependency(
        property::CONSTRAINT,
        since(20, 0),
        "#2506 and #2418; the release: operator-framework/olm-docs (#220)",
    ),
    row(
        Feature::OtherDependency,
        Since::Never,
        &rules::CLUSTER_DEPENDENCY,
        "ignores it",
        "the resolver drops dependencies of other types",
    ),
    row(
        Feature::OtherConstraint,
        Since::Never,
        &rules::CLUSTER_CONSTRAINT,
        "rejects it, and resolves nothing in the namespace",
        "the constraint parser allows no other keys; \"none\" became \"not\" with version 0.12.0 of \
         operator-framework/api (#2603)",
    ),
    row(
        Feature::Intent,
        Since::Proposed,
        &rules::CLUSTER_INTENT,
        "always requires the package",
        "proposal olm-optional-dependency-declaration, which no release implements",
    ),
    row(
        Feature::Constraint(INTENT),
        Since::Proposed,
        &rules::CLUSTER_CONSTRAINT,
        "rejects it, and resolves nothing in the namespace",
        "the constraint parser allows no other keys; proposal olm-optional-dependency-declaration",
    ),
    row(
        Feature::Property(property::OPTIONAL_MANIFESTS),
        Since::Proposed,
        &rules::CLUSTER_PROPERTY,
        "requires all manifests",
        "proposal optional-manifest, which no release implements",
    ),
    row(
        Feature::Property(property::MAX_OPENSHIFT_VERSION),
        since(18, 0),
        &rules::CLUSTER_PROPERTY,
        "allows OpenShift to be updated to a version that the operator does not support",
        "changelog of 0.18.0: \"Block OpenShift upgrades while incompatible operators are installed\" (#2081)",
    ),
    row(
        Feature::Property(property::DEPRECATED),
        since(16, 1),
        &rules::CLUSTER_PROPERTY,
        "offers the bundle like any other",
        "changelog of 0.16.1: \"filtering deprecated bundles in resolver\" (#1699)",
    ),
    kind("ClusterServiceVersion", Since::Always, BEFORE),
    kind("CustomResourceDefinition", Since::Always, BEFORE),
    kind("Service", Since::Always, BEFORE),
    kind("ServiceAccount", Since::Always, BEFORE),
    kind("Role", Since::Always, BEFORE),
    kind("RoleBinding", Since::Always, BEFORE),
    kind("ClusterRole", Since::Always, BEFORE),
    kind("ClusterRoleBinding", Since::Always, BEFORE),
    kind(
        "PrometheusRule",
        since(14, 1),
        "changelog of 0.14.1: Prometheus custom resources (#1253)",
    ),
    kind(
        "ServiceMonitor",
        since(14, 1),
        "changelog of 0.14.1: Prometheus custom resources (#1253)",
    ),
    kind(
        "Secret",
        since(15, 0),
        "changelog of 0.15.0: \"support secrets from bundle\" (#1447)",
    ),
    kind(
        "ConfigMap",
        since(15, 0),
        "changelog of 0.15.0: \"support configmap creation from the bundle\" (#1434)",
    ),
    kind("PriorityClass", since(16, 0), "changelog of 0.16.0 (#1577)"),
    kind("PodDisruptionBudget", since(16, 0), "changelog of 0.16.0 (#1577)"),
    kind("VerticalPodAutoscaler", since(16, 0), "changelog of 0.16.0 (#1577)"),
    kind("ConsoleYAMLSample", since(18, 0), "changelog of 0.18.0 (#1616)"),
    kind("ConsoleCLIDownload", Since::Unsaid, UNSAID),
    kind("ConsoleLink", Since::Unsaid, UNSAID),
    kind("ConsolePlugin", Since::Unsaid, UNSAID),
    kind("ConsoleQuickStart", Since::Unsaid, UNSAID),
    kind("NetworkPolicy", Since::Unsaid, UNSAID),
    kind(
        "PodMonitor",
        Since::Never,
        "OLM's table of kinds, which lacks it; operator-registry's table, which opm and OLM v1 use, contains it",
    ),
    kind("Subscription", Since::Unsaid, UNSAID),
    row(
        Feature::OtherKind,
        Since::Never,
        &rules::CLUSTER_MANIFEST_KIND,
        "does not install this kind, so the install plan fails",
        "OLM's table of kinds, which sets the status UnsupportedResource for other kinds",
    ),
    row(
        Feature::DefinitionV1,
        since(15, 0),
        &rules::CLUSTER_MANIFEST_KIND,
        "installs those of apiextensions.k8s.io/v1beta1 only",
        "changelog of 0.15.0: \"support v1 CRD objects\" (#1416)",
    ),
    row(
        Feature::AdmissionWebhook,
        since(15, 0),
        &rules::CLUSTER_WEBHOOK,
        "installs the operator without it",
        "changelog of 0.15.0: admission webhooks (#1436)",
    ),
    row(
        Feature::ConversionWebhook,
        since(16, 1),
        &rules::CLUSTER_WEBHOOK,
        "installs the operator without it",
        "changelog of 0.16.1: \"Add Conversion Webhook support\" (#1649)",
    ),
    of_clusters(
        Feature::UpgradeableCondition,
        since(18, 0),
        "updates the operator regardless of it",
        "changelog of 0.18.0: support for this condition and for overrides (#1885, #1911)",
    ),
    of_clusters(
        Feature::UpgradingCondition,
        Since::Proposed,
        "ignores it",
        "proposal operator-conditions; releases support only Upgradeable",
    ),
    of_clusters(
        Feature::ProposedCondition,
        Since::Proposed,
        "ignores it",
        "proposal operator-conditions; releases read an OperatorCondition instead",
    ),
    of_clusters(
        Feature::UpdateOutsidePlan,
        Since::Proposed,
        "plans the update, and then leaves the new version in the phase Pending",
        "proposal operator-conditions; releases check the conditions only after the plan",
    ),
];

impl Feature {
    /// Returns the feature of installing manifests of this kind.
    pub(crate) fn of_kind(kind: &str) -> Self {
        let mut rows = SUPPORT.iter().map(|row| row.feature);
        rows.find(|feature| matches!(feature, Self::Kind(known) if *known == kind))
            .unwrap_or(Self::OtherKind)
    }
}

/// Returns the row of a feature, if the table contains it; see [`Feature::of_kind`] for kinds.
pub(crate) fn support(feature: Feature) -> Option<&'static Support> {
    SUPPORT.iter().find(|support| support.feature == feature)
}

/// The OLM that a query refers to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Olm {
    /// An OLM with the features of the proposals and of every release.
    #[default]
    Proposed,
    /// Any release: has every feature that some release has, but none that only the proposals describe.
    AnyRelease,
    /// A specific version.
    Release(Version),
}

/// A string that does not name an OLM.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "use registry+v1 for any release of OLM, {PROPOSED} for the OLM that the proposals describe, or a version of OLM \
     from 0.{} to 0.{}, such as 0.28.0{}",
    OLDEST.minor, NEWEST.minor, .numbered.then_some("; OpenShift and the later OLM v1 have separate version numbers").unwrap_or_default()
)]
pub struct UnknownOlm {
    /// Whether the string is a version, but not one of OLM.
    pub numbered: bool,
}

/// The name of [`Olm::Proposed`] in options.
const PROPOSED: &str = "proposed";

impl Olm {
    /// Returns the newest release in the table.
    pub fn newest() -> Self {
        Self::Release(NEWEST.into())
    }

    /// Returns whether this OLM has the feature, as far as is known.
    pub fn has(&self, support: &Support) -> bool {
        match (support.since, self) {
            (Since::Always | Since::Unsaid, _)
            | (Since::Release(_), Self::AnyRelease | Self::Proposed)
            | (Since::Proposed, Self::Proposed) => true,
            (Since::Proposed | Since::Never, _) => false,
            (Since::Release(release), Self::Release(version)) => *version >= Version::from(release),
        }
    }

    /// Returns whether this OLM has the feature, as far as is known.
    pub fn does(&self, feature: Feature) -> bool {
        support(feature).is_some_and(|row| self.has(row))
    }

    /// Returns whether the install plans of this OLM can install objects of a kind, as far as is known.
    pub fn installs(&self, api_version: &str, kind: &str) -> bool {
        let is_definition = (api_version, kind) == ("apiextensions.k8s.io/v1", "CustomResourceDefinition");
        self.does(Feature::of_kind(kind)) && (!is_definition || self.does(Feature::DefinitionV1))
    }

    /// Returns a caution if the table does not cover this version fully.
    pub(crate) fn caution(&self) -> Option<String> {
        let Self::Release(version) = self else { return None };
        if *version < Version::from(OLDEST) {
            Some(format!(
                "opmx has incomplete information about OLM before {OLDEST}; {self} may lack more features than \
                 reported"
            ))
        } else if (version.major, version.minor) > (0, NEWEST.minor) {
            Some(format!(
                "opmx knows OLM up to 0.{}; {self} is assumed to behave the same",
                NEWEST.minor
            ))
        } else {
            None
        }
    }
}

impl FromStr for Olm {
    type Err = UnknownOlm;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            property::REGISTRY_V1 => return Ok(Self::AnyRelease),
            PROPOSED => return Ok(Self::Proposed),
            _ => {}
        }
        match parse_tolerant(text) {
            Some(version) if version.major == 0 => Ok(Self::Release(version)),
            version => Err(UnknownOlm {
                numbered: version.is_some(),
            }),
        }
    }
}

impl From<Release> for Version {
    fn from(release: Release) -> Self {
        Self::new(0, release.minor, release.patch)
    }
}

impl fmt::Display for Release {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "0.{}.{}", self.minor, self.patch)
    }
}

impl fmt::Display for Olm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Proposed => formatter.write_str("OLM as the proposals describe it"),
            Self::AnyRelease => formatter.write_str("every released OLM"),
            Self::Release(version) => write!(formatter, "OLM {version}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lacking(olm: &str) -> Vec<Feature> {
        let olm: Olm = olm.parse().unwrap();
        let lacking = SUPPORT.iter().filter(|row| !olm.has(row));
        lacking.map(|row| row.feature).collect()
    }

    #[test]
    fn every_feature_has_one_row_with_a_source_and_a_rule() {
        for (number, row) in SUPPORT.iter().enumerate() {
            let first = SUPPORT.iter().position(|other| other.feature == row.feature);
            assert_eq!(first, Some(number), "{:?} appears twice", row.feature);
            assert!(!row.source.is_empty() && !row.instead.is_empty(), "{:?}", row.feature);
            assert!(
                row.rule.is_none_or(|rule| rule.id.starts_with("cluster-")),
                "{:?}",
                row.feature
            );
            if let Since::Release(release) = row.since {
                assert!((OLDEST..=NEWEST).contains(&release), "{:?}", row.feature);
            }
        }
    }

    #[test]
    fn a_newer_olm_supports_everything_an_older_one_does() {
        let versions = [
            "0.5", "0.14", "0.14.1", "0.15", "0.16", "v0.16.1", "0.18.0", "0.19", "0.20", "0.46", "0.99",
        ];
        for pair in versions.windows(2) {
            let (older, newer) = (lacking(pair[0]), lacking(pair[1]));
            assert!(newer.iter().all(|feature| older.contains(feature)), "{pair:?}");
        }
        assert_eq!(lacking("0.99"), lacking("registry+v1"));
    }

    #[test]
    fn the_first_release_with_a_feature_has_it_and_the_previous_one_does_not() {
        let lacks = |olm: &str, feature| lacking(olm).contains(&feature);
        for (feature, before, first) in [
            (Feature::BundleImage, "0.13.0", "0.14.0"),
            (Feature::Dependency(property::LABEL), "0.16.0", "v0.16.1"),
            (Feature::LargeImage, "0.18.3", "0.19"),
            (Feature::Dependency(property::CONSTRAINT), "0.19.1", "0.20.0"),
        ] {
            assert!(lacks(before, feature) && !lacks(first, feature), "{feature:?}");
        }
        assert!(lacks("0.20.0-rc.1", Feature::Dependency(property::CONSTRAINT)));
        assert!(lacks("registry+v1", Feature::PlainImage) && !lacks("registry+v1", Feature::BundleImage));
    }

    #[test]
    fn the_proposals_support_everything_that_releases_do_and_more() {
        let (proposed, released) = (lacking("proposed"), lacking("registry+v1"));
        assert!(proposed.iter().all(|feature| released.contains(feature)));
        for feature in [
            Feature::Intent,
            Feature::Constraint(INTENT),
            Feature::PlainImage,
            Feature::Property(property::OPTIONAL_MANIFESTS),
        ] {
            assert!(
                released.contains(&feature) && !proposed.contains(&feature),
                "{feature:?}"
            );
        }
        assert!(proposed.contains(&Feature::HugeImage), "nobody proposes this");
        assert_eq!("proposed".parse(), Ok(Olm::default()));
    }

    #[test]
    fn an_unknown_olm_version_is_rejected_with_the_valid_ones() {
        for (wrong, numbered) in [
            ("4.12", true),
            ("1.0.0", true),
            ("k8s+v1", false),
            ("", false),
            ("new", false),
        ] {
            let error = wrong.parse::<Olm>().unwrap_err();
            assert_eq!(error, UnknownOlm { numbered }, "{wrong}");
            let said = error.to_string();
            assert!(said.contains("registry+v1") && said.contains("0.14 to 0.46"), "{said}");
            assert_eq!(said.contains("OpenShift"), numbered, "{said}");
        }
    }

    #[test]
    fn versions_outside_the_table_are_accepted_with_a_note() {
        let caution = |text: &str| text.parse::<Olm>().unwrap().caution();
        for known in ["registry+v1", "0.14.0", "0.28", "0.46.3"] {
            assert_eq!(caution(known), None, "{known}");
        }
        assert!(caution("0.13").unwrap().contains("before 0.14.0"));
        assert!(caution("0.47.0").unwrap().contains("up to 0.46; OLM 0.47.0"));
    }
}
