//! The page of the book about the features of OLM's releases.

use super::cell;
use opmx::olm::releases::{Feature, NEWEST, OLDEST, SUPPORT, Since};

pub(super) fn page() -> String {
    let mut page = format!(
        "# OLM releases\n\nThis page lists which releases of OLM have the features that a bundle or an operator may need, \
         and what an OLM without the feature does. It covers the releases from {OLDEST} to {NEWEST}. `opmx index check INDEX --for \
         VERSION` reports the bundles of an index that need a feature that this release lacks, and `--olm VERSION` of \
         `opmx resolve` and `opmx plan` answers like that release.\n\nIn the column *since*, *all* means every release \
         in the table; *some release* means that the current release has the feature, but no source names the first \
         one; *after* a release means the same, and that no release up to this one has the feature; *proposed* means that a proposal describes the feature, but no release has it. Pull requests without \
         a repository belong to operator-framework/operator-lifecycle-manager. OLM v1 has separate version numbers \
         and is not covered.\n\n| feature | since | an OLM without it … | source | rule |\n|---|---|---|---|---|\n"
    );
    for support in SUPPORT {
        let since = match support.since {
            Since::Always => "all".to_owned(),
            Since::Unsaid => "some release".to_owned(),
            Since::After(release) => format!("after {release}"),
            Since::Release(release) => release.to_string(),
            Since::Proposed => "proposed".to_owned(),
            Since::Never => "none".to_owned(),
        };
        let rule = support
            .rule
            .map(|rule| format!(" [`{id}`](rules.md#{id})", id = rule.id));
        page += &format!(
            "| {} | {since} | {} | {} |{} |\n",
            name(support.feature),
            cell(support.instead),
            cell(support.source),
            rule.unwrap_or_default()
        );
    }
    page
}

fn name(feature: Feature) -> String {
    let name = match feature {
        Feature::BundleImage => "a bundle that is stored as a reference to its image",
        Feature::PlainImage => "a `k8s+v1` bundle that is stored as a reference to its image",
        Feature::LargeImage => "a bundle image whose manifests are larger than a ConfigMap",
        Feature::HugeImage => "a bundle image whose manifests are larger than a ConfigMap even when compressed",
        Feature::LargeMessage => "a bundle whose gRPC message is larger than the limit",
        Feature::Dependency(kind) => return format!("a dependency of type `{kind}`"),
        Feature::OtherDependency => "a dependency of any other type",
        Feature::Intent => "a dependency with an intent",
        Feature::Constraint(key) => return format!("a constraint with the key `{key}`"),
        Feature::OtherConstraint => "a constraint with an unknown key",
        Feature::Property(kind) => return format!("the property `{kind}`"),
        Feature::Kind(kind) => return format!("manifests of kind {kind}"),
        Feature::OtherKind => "manifests of any other kind",
        Feature::DefinitionV1 => "CustomResourceDefinitions of `apiextensions.k8s.io/v1`",
        Feature::AdmissionWebhook => "validating and mutating webhooks",
        Feature::ConversionWebhook => "conversion webhooks",
        Feature::UpgradeableCondition => "the condition `Upgradeable` in an OperatorCondition",
        Feature::UpgradingCondition => "the condition `Upgrading`",
        Feature::ProposedCondition => "a `Condition`, in which an operator reports conditions",
        Feature::UpdateOutsidePlan => "a plan without an update that conditions hold back",
    };
    name.to_owned()
}
