//! The features of OLM, both in its releases and in proposals. [`Olm`] queries the table [`SUPPORT`].

mod table;

pub use table::SUPPORT;

use super::property;
use crate::rules::Rule;
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
    /// No release up to this one has the feature. A later release has it, but no source names the first one.
    After(Release),
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
            | (Since::Release(_) | Since::After(_), Self::AnyRelease | Self::Proposed)
            | (Since::Proposed, Self::Proposed) => true,
            (Since::Proposed | Since::Never, _) => false,
            (Since::Release(release), Self::Release(version)) => *version >= Version::from(release),
            (Since::After(release), Self::Release(version)) => *version > Version::from(release),
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
mod tests;
