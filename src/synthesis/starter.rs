//! The first `metadata/olm.yaml` of a bundle. Values that follow from the manifests are filled in. All other keys are
//! comments, so that the next command asks only for the author's decisions.

use super::decisions::Decisions;
use super::operator::{self, Found, UnknownVersion};
use super::outside::{Resolved, resolve};
use super::{Synthesis, Unresolved, install_modes, samples, synthesize};
use crate::bundle::olm_yaml::FIELDS;
use crate::bundle::olm_yaml::annotations::OF_DEPLOYMENT;
use crate::bundle::versioned_name::version_in_name;
use crate::bundle::{Bundle, MediaType, mentions};
use crate::diagnostic::Diagnostic;
use crate::kubernetes::names::{fault_of_csv_name, fault_of_dns1123_label};
use crate::kubernetes::served::ServedResources;
use crate::manifest::{Object, of_kind};
use crate::olm::annotation::EXAMPLES;
use crate::olm::install_mode::ALL_NAMESPACES;
use crate::text::{self, Limits};
use serde_json::{Value, json};
use std::fmt::Write;

/// The values that the author specifies on the command line.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// The package name.
    pub package: Option<String>,
    /// The version.
    pub version: Option<String>,
    /// Sample custom resources.
    pub samples: Vec<Object>,
    /// The known APIs of other bundles.
    pub sources: ServedResources,
}

/// The text of a new `olm.yaml`, and the inferred values.
#[derive(Debug)]
pub struct Starter {
    /// The specified package; by default, the name of the operator's Deployment.
    pub package: Option<String>,
    /// What the package was inferred from, such as `the name of Deployment/etcd-operator`. `None` if it was specified.
    pub package_source: Option<String>,
    /// The version of the manifests, if the author specified none.
    pub inferred_version: Option<Found>,
    /// The reason why the version is unknown, if the author specified none and the manifests have none.
    pub unknown_version: Option<UnknownVersion>,
    /// The first Kubernetes version that serves every API that the manifests use.
    pub kube_version: &'static str,
    /// The API that determines this version, with the object that has it, or with its use by OLM.
    pub kube_version_source: String,
    /// The text of `metadata/olm.yaml`.
    pub olm_yaml: String,
    /// The required keys that the text contains only as comments.
    pub open: Vec<&'static str>,
    /// The fault of the package name, such as its length.
    pub package_fault: Option<String>,
    /// The name of the bundle and its fault, if the package name has none.
    pub name_fault: Option<(String, String)>,
    /// The resources whose kinds were found in a source.
    pub resolved: Vec<Resolved>,
    /// The remaining decisions for the author.
    pub decisions: Decisions,
    /// Findings about the samples.
    pub diagnostics: Vec<Diagnostic>,
}

/// Infers values from the manifests, and writes a first `olm.yaml`.
pub fn start(objects: &[Object], known: &Known) -> Starter {
    let inferred_package = infer_package(objects).filter(|_| known.package.is_none());
    let (package, package_source) = match inferred_package {
        Some((package, source)) => (Some(package), Some(source)),
        None => (known.package.clone(), None),
    };
    let (inferred_version, unknown_version) = match operator::version(objects) {
        _ if known.version.is_some() => (None, None),
        Ok(found) => (Some(found), None),
        Err(reason) => (None, Some(reason)),
    };
    let version = known
        .version
        .clone()
        .or_else(|| inferred_version.as_ref().map(|found| found.version.clone()));
    let name = package
        .as_ref()
        .zip(version.as_ref())
        .map(|(package, version)| format!("{package}.v{}", version_in_name(version)));
    let package_fault = package.as_deref().and_then(fault_of_dns1123_label);
    let name_fault = name
        .as_ref()
        .filter(|_| package_fault.is_none())
        .and_then(|name| Some((name.clone(), fault_of_csv_name(name)?)));
    let synthesis = from_manifests_alone(objects);
    // If a resource has several kinds, the author must choose.
    let (resolved, _) = resolve(&synthesis.unresolved, &known.sources);
    let is_about =
        |found: &Resolved, entry: &Unresolved| found.hint.group == entry.group && found.hint.resource == entry.resource;
    let hints: Vec<Value> = resolved.iter().map(|found| found.hint.to_value()).collect();
    let mut decisions = Decisions::of(&synthesis, objects);
    decisions
        .unresolved
        .retain(|entry| !resolved.iter().any(|found| is_about(found, entry)));
    if !install_modes::inferred_mode(objects, ALL_NAMESPACES) {
        decisions.widened.clear();
    }
    let (examples, diagnostics) = samples::examples(&known.samples, &synthesis.provided);
    let unless_empty = |list: Vec<Value>| (!list.is_empty()).then_some(list);
    let mut filled: Vec<Inferred> = [
        ("name", name.map(Value::from)),
        ("version", version.map(Value::from)),
        ("displayName", package.as_deref().map(|package| title(package).into())),
        (
            "annotations",
            unless_empty(examples).map(|examples| json!({ EXAMPLES: examples })),
        ),
        ("apis", unless_empty(hints).map(Value::from)),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key, value?)))
    .collect();
    filled.extend(inferred(objects));
    // `olm.yaml` takes precedence over annotations, so it must not override them with guesses.
    filled.retain(|(key, _)| !is_annotated(objects, key));
    let open = FIELDS
        .iter()
        .filter(|field| field.presence.is_required() && !filled.iter().any(|(key, _)| *key == field.key))
        .map(|field| field.key)
        .collect();
    Starter {
        olm_yaml: write(&filled, &decisions.unresolved),
        package,
        package_source,
        inferred_version,
        unknown_version,
        kube_version: infer_kube_version(objects),
        kube_version_source: match needed_kube_version(objects) {
            Some(needed) => format!("{} ({})", needed.object.gvk().api_version(), needed.object.label()),
            None => "apiextensions.k8s.io/v1, which OLM itself needs".to_owned(),
        },
        open,
        package_fault,
        name_fault,
        resolved,
        decisions,
        diagnostics,
    }
}

/// The key of `olm.yaml` for the related images.
pub(super) const RELATED_IMAGES: &str = "relatedImages";

/// A key of `olm.yaml` with its value.
pub(super) type Inferred = (&'static str, Value);

/// Returns the values that follow from the manifests alone, and that may change in a later release.
pub(super) fn inferred(objects: &[Object]) -> Vec<Inferred> {
    let mut inferred = vec![
        ("minKubeVersion", infer_kube_version(objects).into()),
        ("installModes", install_modes::inferred(objects)),
    ];
    let images = infer_related_images(objects);
    if !images.is_empty() {
        inferred.push((RELATED_IMAGES, images.into()));
    }
    inferred
}

/// Whether an annotation of a Deployment sets a key of `olm.yaml`.
pub(super) fn is_annotated(objects: &[Object], key: &str) -> bool {
    let known = OF_DEPLOYMENT.iter().find(|annotation| annotation.field == key);
    let mut deployments = of_kind(objects, "apps", "Deployment");
    known.is_some_and(|known| {
        deployments.any(|deployment| deployment.text(&["metadata", "annotations", known.key]).is_some())
    })
}

/// Names that say nothing about the operator.
const GENERIC: [&str; 4] = ["controller", "controller-manager", "manager", "operator"];

/// Infers the package, and returns it with its source: the name of the only Deployment, or the common prefix of several
/// names. If the name says nothing about the operator, uses the namespace.
fn infer_package(objects: &[Object]) -> Option<(String, String)> {
    let mut names = of_kind(objects, "apps", "Deployment").map(Object::name);
    let first = names.next()?.to_owned();
    let common = names.fold(first, |common, name| {
        let letters = common.chars().zip(name.chars());
        let same = letters.take_while(|(left, right)| left == right);
        same.map(|(left, _)| left).collect()
    });
    let mut labels: Vec<String> = of_kind(objects, "apps", "Deployment").map(Object::label).collect();
    labels.dedup();
    let is_shared = labels.len() > 1;
    let labels = labels.join(" and ");
    let scaffold = common.strip_suffix("-controller-manager").unwrap_or(&common);
    let package = scaffold.trim_end_matches(['-', '.']);
    if !package.is_empty() && !GENERIC.contains(&package) {
        let source = if is_shared {
            format!("the common start of the names of {labels}")
        } else {
            format!("the name of {labels}")
        };
        return Some((package.to_owned(), source));
    }
    let mut namespaces = of_kind(objects, "apps", "Deployment").map(Object::namespace);
    let namespace = namespaces.next().flatten()?;
    let is_own = namespace != "default" && !namespace.starts_with("kube-");
    let package = namespace.strip_suffix("-system").unwrap_or(namespace);
    (is_own && namespaces.all(|other| other == Some(namespace)))
        .then(|| (package.to_owned(), format!("the namespace of {labels}")))
}

/// The first Kubernetes version that runs current releases of OLM, whose own APIs need `apiextensions.k8s.io/v1`.
const OF_OLM: &str = "1.16.0";

/// The first Kubernetes version that serves the API of an object.
pub(crate) struct NeededKubeVersion<'a> {
    /// The minor version.
    pub(crate) minor: u64,
    /// The version.
    pub(crate) version: &'static str,
    /// The object.
    pub(crate) object: &'a Object,
}

/// Returns the first Kubernetes version that serves every API that the manifests use, with the first object that needs
/// it. Returns `None` if every version serves the APIs.
pub(crate) fn needed_kube_version(objects: &[Object]) -> Option<NeededKubeVersion<'_>> {
    const SINCE: [(&str, &str, u64, &str); 4] = [
        ("policy", "v1", 21, "1.21.0"),
        ("autoscaling", "v2", 23, "1.23.0"),
        ("admissionregistration.k8s.io", "v1", 16, "1.16.0"),
        ("apiextensions.k8s.io", "v1", 16, "1.16.0"),
    ];
    let needed = objects.iter().filter_map(|object| {
        let gvk = object.gvk();
        let mut known = SINCE.iter();
        let (.., minor, version) = known.find(|(group, version, ..)| gvk.group == *group && gvk.version == *version)?;
        Some(NeededKubeVersion {
            minor: *minor,
            version,
            object,
        })
    });
    needed.reduce(|first, next| if next.minor > first.minor { next } else { first })
}

fn infer_kube_version(objects: &[Object]) -> &'static str {
    needed_kube_version(objects).map_or(OF_OLM, |needed| needed.version)
}

/// Converts a package name such as `greenhouse-operator` to `Greenhouse Operator`.
fn title(package: &str) -> String {
    let words = package.split(['-', '.', '_']).filter(|word| !word.is_empty());
    let words: Vec<String> = words
        .map(|word| {
            let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
            format!("{}{rest}", first.to_uppercase())
        })
        .collect();
    words.join(" ")
}

/// Returns the images that a mirror would otherwise not contain, because no container uses them. Does not copy the
/// images of containers from the Deployments, because the copies would be outdated in the next release.
fn infer_related_images(objects: &[Object]) -> Vec<Value> {
    mentions::missing_entries(&bundle_of(objects))
}

/// Synthesizes a bundle that consists of these manifests alone.
pub(super) fn from_manifests_alone(objects: &[Object]) -> Synthesis {
    synthesize(&bundle_of(objects), &[])
}

/// Returns a bundle of these manifests alone.
pub(super) fn bundle_of(objects: &[Object]) -> Bundle {
    let reading = text::read(crate::bundle::OLM_YAML, b"{}", &Limits::default());
    Bundle {
        media_type: MediaType::K8sV1,
        olm: reading.documents.into_iter().next(),
        ..Bundle::of_manifests(objects.to_vec())
    }
}

/// Writes keys with known values as YAML, and all other keys as comments that show their structure.
fn write(filled: &[(&str, Value)], unresolved: &[Unresolved]) -> String {
    let mut out = String::from("# Information about this operator that its manifests do not contain.\n");
    for field in FIELDS {
        // Writing to a String cannot fail.
        let _ = write!(out, "\n# {}\n", field.about);
        match filled.iter().find(|(key, _)| *key == field.key) {
            Some((key, value)) => {
                let document = text::to_yaml(&json!({ *key: value }));
                out.push_str(document.trim_end());
                out.push('\n');
                if field.key == "apis" {
                    write_stubs(&mut out, unresolved);
                }
            }
            None if field.key == "apis" && !unresolved.is_empty() => {
                out.push_str("# apis:\n");
                write_stubs(&mut out, unresolved);
            }
            None => {
                let _ = writeln!(out, "# {}: {}", field.key, field.example);
            }
        }
    }
    out
}

/// Writes entries of `apis` for the author to complete.
pub(super) fn write_stubs(out: &mut String, unresolved: &[Unresolved]) {
    for entry in unresolved {
        let class = if entry.of_platform {
            "native  # the cluster must serve it; use optional if the operator runs without it"
        } else if entry.of_own_group {
            "required  # OLM installs a provider; use none if only other releases of this operator define it"
        } else {
            "required  # OLM installs a provider; use optional if the operator runs without it"
        };
        let _ = write!(
            out,
            "# - group: {}\n#   resource: {}\n#   kind: {}\n#   version: {}\n#   dependency: {class}\n",
            entry.group, entry.resource, entry.kind, entry.version
        );
    }
}
