//! The bundles that OLM v1 chooses from a catalog, and those that it does not install.

use super::{Bundle, BundleId, Catalog, Channel};
use crate::csv::Csv;
use crate::olm::install_mode::{ALL_NAMESPACES, INSTALL_MODES};
use crate::olm::property::{CONSTRAINT, GVK_REQUIRED, K8S_V1, LABEL, MEDIA_TYPE, PACKAGE_REQUIRED};
use crate::version::parse_strict;
use semver::{BuildMetadata, Prerelease, Version};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The install mode in which OLM v1 installs operators.
pub(crate) const MODE: &str = ALL_NAMESPACES;

/// Returns the bundle that OLM v1 installs from these channels if no version is requested: the highest version, whether
/// or not it is a head. Bundles that `is_deprecated` marks, by a document `olm.deprecations`, come last. If the chosen
/// bundle cannot be installed, OLM v1 does not try another one.
pub(crate) fn chosen<'c>(
    catalog: &Catalog,
    channels: impl IntoIterator<Item = &'c Channel>,
    is_deprecated: impl Fn(&Bundle) -> bool,
) -> Option<BundleId> {
    let entries = channels.into_iter().flat_map(|channel| &channel.entries);
    let ids: BTreeSet<BundleId> = entries.map(|entry| entry.bundle).collect();
    let bundles = ids.into_iter().filter_map(|id| Some((id, catalog.bundle(id)?)));
    // Of equal bundles, the first one wins.
    let best = bundles.min_by_key(|(_, bundle)| (is_deprecated(bundle), Reverse(Rank::of(bundle))));
    best.map(|(id, _)| id)
}

/// The order of versions: by precedence, then by the release in the build metadata. A string that is not a version has
/// the lowest rank.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    version: Option<Version>,
    release: Option<Prerelease>,
}

impl Rank {
    fn of(bundle: &Bundle) -> Self {
        let mut version = bundle.version.as_deref().and_then(|version| parse_strict(version).ok());
        let build = version
            .as_mut()
            .map(|version| std::mem::replace(&mut version.build, BuildMetadata::EMPTY));
        let release = build.and_then(|build| Prerelease::new(&build).ok());
        Self {
            version,
            release: release.filter(|release| !release.is_empty()),
        }
    }
}

/// Returns the reasons why OLM v1 does not install a bundle, each as a clause about the bundle. What `csv` does not
/// state gives no reason, because a catalog may contain only a part of a ClusterServiceVersion, or none.
pub(crate) fn refusals(bundle: &Bundle, csv: Csv<'_>) -> Vec<&'static str> {
    let mut properties = bundle.properties.iter();
    let is_plain = properties.any(|property| {
        let value = || serde_json::from_str::<String>(&property.value);
        &*property.kind == MEDIA_TYPE && value().is_ok_and(|value| value == K8S_V1)
    });
    let supports_all = csv.supports(MODE);
    let supports_other = INSTALL_MODES.into_iter().any(|mode| mode != MODE && csv.supports(mode));
    let mut webhooks = csv.list(&["spec", "webhookdefinitions"]).iter();
    let converts = webhooks.any(|webhook| webhook.get("type").is_some_and(|kind| kind == "ConversionWebhook"));
    let refusals = [
        (has_dependencies(bundle), "it has dependencies"),
        (
            !csv.list(&["spec", "installModes"]).is_empty() && !supports_all,
            "it does not support the install mode AllNamespaces",
        ),
        (
            converts && supports_other,
            "it has a conversion webhook, but supports install modes other than AllNamespaces",
        ),
        (
            !csv.list(&["spec", "apiservicedefinitions", "owned"]).is_empty(),
            "it serves APIs through an APIService",
        ),
        (is_plain, "its media type is k8s+v1"),
        (
            bundle.image.as_deref() == Some(""),
            "the catalog contains its manifests instead of its image",
        ),
    ];
    let held = refusals.into_iter().filter(|(is_held, _)| *is_held);
    held.map(|(_, reason)| reason).collect()
}

/// Returns whether a bundle has dependencies of a type that OLM v1 rejects. It ignores dependencies on labels.
fn has_dependencies(bundle: &Bundle) -> bool {
    const REJECTED: [&str; 3] = [GVK_REQUIRED, PACKAGE_REQUIRED, CONSTRAINT];
    let mut properties = bundle.properties.iter();
    let mut dependencies = bundle.dependencies.iter();
    properties.any(|property| REJECTED.contains(&&*property.kind))
        || dependencies.any(|dependency| &*dependency.kind != LABEL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{ChannelEntry, ManifestsId, Property};
    use serde_json::{Value, json};

    fn bundle(properties: &[(&str, Value)], dependencies: &[&str], image: &str) -> Bundle {
        let property = |kind: &str, value: &Value| Property::new(kind, value.to_string());
        Bundle {
            name: "rake.v1.0.0".into(),
            version: None,
            image: Some(image.into()),
            properties: properties.iter().map(|(kind, value)| property(kind, value)).collect(),
            dependencies: dependencies.iter().map(|kind| property(kind, &json!({}))).collect(),
            manifests: ManifestsId(0),
        }
    }

    #[test]
    fn the_highest_version_is_chosen_unless_it_is_deprecated() {
        let versions = ["1.9.0+2", "1.10.0", "1.9.0+10", "2.0.0-rc.1", "latest"];
        let bundles = versions.map(|version| Bundle {
            name: version.into(),
            version: Some(version.into()),
            ..bundle(&[], &[], "registry.example.com/rake")
        });
        let catalog = Catalog {
            packages: Vec::new(),
            bundles: bundles.into(),
        };
        let entry = |bundle| ChannelEntry {
            bundle: BundleId(bundle),
            replaces: None,
            skips: Vec::new(),
            skip_range: None,
        };
        let channel = |bundles: &[u32]| Channel {
            name: "stable".into(),
            head: Some("latest".into()),
            entries: bundles.iter().map(|bundle| entry(*bundle)).collect(),
        };
        let chosen = |channels: &[Channel], deprecated: &[&str]| {
            let id = chosen(&catalog, channels, |bundle| deprecated.contains(&&*bundle.name))?;
            Some(catalog.bundle(id)?.name.to_string())
        };
        let all = [channel(&[0, 1]), channel(&[2, 3, 4])];
        for (deprecated, expected) in [
            (&[][..], "2.0.0-rc.1"),
            (&["2.0.0-rc.1"], "1.10.0"),
            (&["2.0.0-rc.1", "1.10.0"], "1.9.0+10"),
            (&["2.0.0-rc.1", "1.10.0", "1.9.0+10", "1.9.0+2"], "latest"),
            (&versions, "2.0.0-rc.1"),
        ] {
            assert_eq!(chosen(&all, deprecated).as_deref(), Some(expected));
        }
        assert_eq!(chosen(&all[..1], &[]).as_deref(), Some("1.10.0"));
        assert_eq!(chosen(&[], &[]), None);
    }

    #[test]
    fn each_limit_of_olm_v1_is_a_reason() {
        const IMAGE: &str = "registry.example.com/rake:v1";
        let mode = |name: &str| json!({"type": name, "supported": true});
        let csv = |spec: Value| json!({ "spec": spec });
        let all = csv(json!({"installModes": [mode("AllNamespaces")]}));
        let own = csv(json!({"installModes": [mode("OwnNamespace")]}));
        let converting = |modes: &[&str]| {
            let modes: Vec<Value> = modes.iter().map(|name| mode(name)).collect();
            csv(json!({"installModes": modes, "webhookdefinitions": [{"type": "ConversionWebhook"}]}))
        };
        let serving = csv(json!({"apiservicedefinitions": {"owned": [{"name": "v1.example.com"}]}}));
        let usual = || bundle(&[], &[], IMAGE);
        for (bundle, csv, expected) in [
            (usual(), Value::Null, ""),
            (usual(), all.clone(), ""),
            (usual(), converting(&["AllNamespaces"]), ""),
            (bundle(&[], &[LABEL], IMAGE), all.clone(), ""),
            (bundle(&[], &["olm.package"], IMAGE), all.clone(), "has dependencies"),
            (
                bundle(&[(GVK_REQUIRED, json!({}))], &[], IMAGE),
                all.clone(),
                "has dependencies",
            ),
            (usual(), own, "does not support the install mode AllNamespaces"),
            (
                usual(),
                converting(&["AllNamespaces", "OwnNamespace"]),
                "conversion webhook",
            ),
            (usual(), serving, "APIService"),
            (
                bundle(&[(MEDIA_TYPE, json!(K8S_V1))], &[], IMAGE),
                all.clone(),
                "k8s+v1",
            ),
            (bundle(&[], &[], ""), all, "instead of its image"),
        ] {
            let found = refusals(&bundle, Csv(&csv));
            let is_expected = match expected {
                "" => found.is_empty(),
                _ => matches!(found[..], [only] if only.contains(expected)),
            };
            assert!(is_expected, "expected {expected:?}: {found:?}");
        }
    }
}
