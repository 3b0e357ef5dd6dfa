//! Manifests that configure a cluster for a mirror: mirror sets and catalogs as Kubernetes objects, and configuration
//! files for container engines.

mod cluster;
mod engines;
mod named;
mod scopes;

pub use scopes::{Rules, Scope, rules};

use super::plan::{CatalogKind, Plan};
use crate::kubernetes::names::is_dns1123_label;
use named::named;
use std::collections::{BTreeMap, BTreeSet};

/// The default name of the mirror sets.
pub const NAME: &str = "opmx-mirror";

/// A kind of manifest to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ManifestKind {
    /// An ImageDigestMirrorSet, for images that are pulled by digest.
    Idms,
    /// An ImageTagMirrorSet, for images that are pulled by tag.
    Itms,
    /// An ImageContentSourcePolicy, for older releases of OpenShift.
    Icsp,
    /// A CatalogSource for each catalog.
    CatalogSource,
    /// A ClusterCatalog for each catalog.
    ClusterCatalog,
    /// `registries.conf`, for CRI-O, podman and skopeo.
    RegistriesConf,
    /// `hosts.toml` for each registry, for containerd.
    HostsToml,
    /// A mapping file with a line `SOURCE=DESTINATION` for each image and tag.
    Mapping,
}

/// The options for writing manifests.
#[derive(Debug, Clone)]
pub struct ManifestOptions {
    /// The kinds of manifests.
    pub kinds: BTreeSet<ManifestKind>,
    /// The scope of the sources in mirror rules.
    pub scope: Scope,
    /// Whether to never contact the source, even if the mirror does not contain an image.
    pub never_contact_source: bool,
    /// The name of the mirror sets.
    pub name: String,
    /// The namespace of the CatalogSources; `None` for the namespaces that they have on the cluster of the plan.
    pub namespace: Option<String>,
    /// The names of the catalog objects, by the source of the catalog.
    pub catalog_names: BTreeMap<String, String>,
}

impl ManifestOptions {
    /// Returns the options for writing these kinds of manifests, with a rule for each repository and default names.
    pub fn new(kinds: impl IntoIterator<Item = ManifestKind>) -> Self {
        Self {
            kinds: kinds.into_iter().collect(),
            scope: Scope::default(),
            never_contact_source: false,
            name: NAME.to_owned(),
            namespace: None,
            catalog_names: BTreeMap::new(),
        }
    }
}

/// The generated manifests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifests {
    /// The files, by path.
    pub files: BTreeMap<String, String>,
    /// Remarks about the rules that the files cannot express, or express more broadly than requested.
    pub remarks: Vec<String>,
}

/// An error while generating manifests.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// A name that Kubernetes would reject.
    #[error(
        "{name:?} is not a valid object name: expected at most 63 lowercase letters, digits and hyphens, beginning and \
         ending with a letter or digit"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// A name that Kubernetes would reject for the Service that OLM creates for a CatalogSource.
    #[error(
        "{name:?} cannot be the name of a CatalogSource, because OLM creates a Service of this name: expected at most 63 \
         lowercase letters, digits and hyphens, beginning with a letter and ending with a letter or digit"
    )]
    SourceName {
        /// The name.
        name: String,
    },
    /// A namespace that Kubernetes would reject.
    #[error("the namespace {namespace:?} {fault}")]
    Namespace {
        /// The namespace.
        namespace: String,
        /// The problem with the name.
        fault: String,
    },
    /// Two catalogs with the same name.
    #[error("the catalogs {first} and {second} would both have the name {name}")]
    Same {
        /// The name.
        name: String,
        /// The first catalog.
        first: String,
        /// The second catalog.
        second: String,
    },
    /// A name for a catalog that is not in the plan.
    #[error("the plan does not contain the catalog {source_name}")]
    Unknown {
        /// The source of the catalog.
        source_name: String,
    },
    /// The images of the plan have no destinations.
    #[error("the plan does not specify a target, so its images have no destinations")]
    Nowhere,
}

/// Generates manifests for a plan whose images have destinations at a target. If the plan was created without a target,
/// [`placed`](super::placed::placed) adds them.
///
/// # Errors
/// Returns an error if the plan has no target, or the name of an object to write is invalid or appears twice.
pub fn manifests(plan: &Plan, options: &ManifestOptions) -> Result<Manifests, ManifestError> {
    if plan.to.is_none() {
        return Err(ManifestError::Nowhere);
    }
    let writes = |kinds: &[ManifestKind]| kinds.iter().any(|kind| options.kinds.contains(kind));
    let named = |kind| -> Result<_, ManifestError> {
        let is_written = match kind {
            CatalogKind::CatalogSource => writes(&[ManifestKind::CatalogSource]),
            CatalogKind::ClusterCatalog => writes(&[ManifestKind::ClusterCatalog]),
        };
        if is_written {
            named(plan, options, kind)
        } else {
            Ok(Vec::new())
        }
    };
    let (sources, cluster_catalogs) = (named(CatalogKind::CatalogSource)?, named(CatalogKind::ClusterCatalog)?);
    if writes(&[ManifestKind::CatalogSource, ManifestKind::ClusterCatalog]) {
        let mut given = options.catalog_names.keys();
        let is_there = |source: &String| plan.catalogs.iter().any(|catalog| catalog.source == *source);
        if let Some(source) = given.find(|source| !is_there(source)) {
            let source_name = source.clone();
            return Err(ManifestError::Unknown { source_name });
        }
    }
    let are_sets = writes(&[ManifestKind::Idms, ManifestKind::Itms, ManifestKind::Icsp]);
    if are_sets && !is_dns1123_label(&options.name) {
        let name = options.name.clone();
        return Err(ManifestError::Name { name });
    }
    let mut made = Manifests::default();
    let rules = rules(plan, options.scope);
    for kind in &options.kinds {
        match kind {
            ManifestKind::Idms => made.add("idms.yaml", cluster::digest_mirror_set(&rules.by_digest, options)),
            ManifestKind::Itms => made.add("itms.yaml", cluster::tag_mirror_set(&rules.by_tag, options)),
            ManifestKind::Icsp => {
                made.add("icsp.yaml", cluster::content_source_policy(&rules.by_digest, options));
                if !rules.by_tag.is_empty() {
                    let remark = "an ImageContentSourcePolicy applies only to images that are pulled by digest; images that are pulled by tag require an ImageTagMirrorSet";
                    made.remarks.push(remark.to_owned());
                }
                if options.never_contact_source && !rules.by_digest.is_empty() {
                    let remark = "an ImageContentSourcePolicy cannot forbid the source registry; clusters still contact it for images that the mirror lacks";
                    made.remarks.push(remark.to_owned());
                }
            }
            ManifestKind::CatalogSource => {
                for source in &sources {
                    let path = format!("catalogsource-{}.yaml", source.name);
                    made.add(&path, cluster::catalog_source(source));
                }
            }
            ManifestKind::ClusterCatalog => {
                for object in &cluster_catalogs {
                    if object.catalog.database {
                        made.remarks.push(format!(
                            "no ClusterCatalog is written for {}, because it is a database, and OLM v1 reads only \
                             file-based catalogs",
                            object.catalog.source
                        ));
                        continue;
                    }
                    let path = format!("clustercatalog-{}.yaml", object.name);
                    made.add(&path, cluster::cluster_catalog(object));
                }
            }
            ManifestKind::RegistriesConf => made.add("registries.conf", engines::registries_conf(&rules, options)),
            ManifestKind::HostsToml => engines::hosts(plan, options, &mut made),
            ManifestKind::Mapping => made.add("mapping.txt", engines::mapping(plan)),
        }
    }
    made.remarks.extend(rules.remarks);
    Ok(made)
}

impl Manifests {
    /// Adds a file if it has content. Objects with the same name in different namespaces share a file.
    fn add(&mut self, path: &str, content: Option<String>) {
        let Some(content) = content else { return };
        match self.files.get_mut(path) {
            Some(file) => {
                file.push_str("---\n");
                file.push_str(&content);
            }
            None => drop(self.files.insert(path.to_owned(), content)),
        }
    }
}

#[cfg(test)]
mod tests;
