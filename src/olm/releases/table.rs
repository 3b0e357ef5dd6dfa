//! The table of the features of OLM, in which every row names its source.
//!
//! If no source names the release that introduced a feature, its row says so: [`Since::After`] if it is known that
//! older releases lack the feature, and otherwise [`Since::Unsaid`], for which nothing is reported.

use super::{Feature, Release, Since, Support};
use crate::olm::intent::INTENT;
use crate::olm::property;
use crate::rules::{self, Rule};

const fn since(minor: u64, patch: u64) -> Since {
    Since::Release(Release { minor, patch })
}

const fn after(minor: u64, patch: u64) -> Since {
    Since::After(Release { minor, patch })
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
const CONSOLE: &str = "the changelog, which ends with 0.18.0, does not mention it; on 2021-08-05, OLM did not support \
                       it yet (operator-framework/operator-registry, #743)";
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
    kind("ConsoleCLIDownload", after(18, 0), CONSOLE),
    kind("ConsoleLink", after(18, 0), CONSOLE),
    kind(
        "ConsolePlugin",
        after(29, 0),
        "#3551, which was opened on 2025-04-07, after the release of 0.29.0 (#3435)",
    ),
    kind("ConsoleQuickStart", after(18, 0), CONSOLE),
    kind(
        "NetworkPolicy",
        after(29, 0),
        "OLM's table of kinds, which got it after ConsolePlugin; also operator-framework/operator-registry, #1675 of \
         2025-05-17",
    ),
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
