//! The APIs that a bundle provides and requires.

use super::field::Field;
use super::{Api, Provided, RecordError};
use serde_json::Value;
use std::collections::BTreeSet;

const CRD_VERSIONS: [&str; 2] = ["apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"];

pub(super) struct Bundle<'a> {
    pub(super) origin: &'a str,
    pub(super) name: &'a str,
    pub(super) csv: &'a Field<'a>,
}

impl Bundle<'_> {
    /// Returns the owned API services and, depending on `which`, either every version of every custom resource
    /// definition among the manifests, or only the versions that the `ClusterServiceVersion` owns. All owned custom
    /// resource definitions must be among the manifests.
    pub(super) fn provided(&self, objects: &[&Value], which: Provided) -> Result<BTreeSet<Api>, RecordError> {
        let defined = self.defined(objects)?;
        let mut owned = self.crds("owned")?;
        let missing: Vec<_> = owned.difference(&defined).cloned().collect();
        if missing.is_empty() {
            return match which {
                Provided::Defined => Ok(defined),
                Provided::Owned => {
                    owned.extend(self.api_services("owned")?);
                    Ok(owned)
                }
            };
        }
        Err(RecordError::OwnedApiMissing {
            origin: self.origin.to_owned(),
            bundle: self.name.to_owned(),
            missing,
            defined: defined.into_iter().collect(),
        })
    }

    /// Returns every version of every custom resource definition among the manifests, and the owned API services,
    /// without checking the owned custom resource definitions.
    pub(super) fn defined(&self, objects: &[&Value]) -> Result<BTreeSet<Api>, RecordError> {
        let mut defined = BTreeSet::new();
        for object in objects {
            let version = object["apiVersion"].as_str().unwrap_or_default();
            if object["kind"] == "CustomResourceDefinition" && CRD_VERSIONS.contains(&version) {
                defined.extend(crd_versions(&Field::of(self.origin, object), version)?);
            }
        }
        defined.extend(self.api_services("owned")?);
        Ok(defined)
    }

    /// Returns the custom resource definitions and API services that the `ClusterServiceVersion` requires.
    pub(super) fn required(&self) -> Result<BTreeSet<Api>, RecordError> {
        let mut required = self.crds("required")?;
        required.extend(self.api_services("required")?);
        Ok(required)
    }

    fn crds(&self, which: &str) -> Result<BTreeSet<Api>, RecordError> {
        let list = self.csv.at("spec").at("customresourcedefinitions").at(which);
        let describe = |item: Field<'_>| {
            let name = item.at("name").text()?;
            let Some((plural, group)) = name.split_once('.') else {
                return Err(RecordError::CrdName {
                    origin: self.origin.to_owned(),
                    bundle: self.name.to_owned(),
                    name: name.to_owned(),
                    path: item.at("name").path().to_owned(),
                });
            };
            Ok(api(group, item.at("version").text()?, item.at("kind").text()?, plural))
        };
        list.maps()?.into_iter().map(describe).collect()
    }

    fn api_services(&self, which: &str) -> Result<BTreeSet<Api>, RecordError> {
        let list = self.csv.at("spec").at("apiservicedefinitions").at(which);
        let describe = |item: Field<'_>| {
            let text = |key| item.at(key).text();
            Ok(api(text("group")?, text("version")?, text("kind")?, text("name")?))
        };
        list.maps()?.into_iter().map(describe).collect()
    }
}

fn crd_versions(crd: &Field<'_>, api_version: &str) -> Result<Vec<Api>, RecordError> {
    let spec = crd.at("spec");
    let mut versions = Vec::new();
    for version in spec.at("versions").maps()? {
        versions.push(version.at("name").text()?.to_owned());
    }
    if api_version.ends_with("v1beta1") {
        let single = spec.at("version").text()?;
        if !single.is_empty() {
            versions.push(single.to_owned());
        }
    }
    let (names, group) = (spec.at("names"), spec.at("group").text()?);
    let (kind, plural) = (names.at("kind").text()?, names.at("plural").text()?);
    Ok(versions
        .iter()
        .map(|version| api(group, version, kind, plural))
        .collect())
}

fn api(group: &str, version: &str, kind: &str, plural: &str) -> Api {
    Api {
        group: group.to_owned(),
        version: version.to_owned(),
        kind: kind.to_owned(),
        plural: plural.to_owned(),
    }
}
