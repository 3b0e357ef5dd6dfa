//! The kinds and versions of the resources in RBAC rules, as reported by CRDs and clusters.

use super::GroupVersionKind;
use super::version::compare_priority;
use crate::value::{list, text_at};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// One version of a resource.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServedResource {
    /// The group, version and kind.
    pub gvk: GroupVersionKind,
    /// The plural name, as in RBAC rules.
    pub resource: String,
    /// Whether objects of the resource are namespaced, if the source specifies this.
    pub namespaced: Option<bool>,
}

/// Returns the resources that a document lists: a CustomResourceDefinition, an `APIResourceList` or an
/// `APIGroupDiscoveryList` of a cluster, or a list of such documents. Returns `None` for all other documents.
pub fn read(document: &Value) -> Option<Vec<ServedResource>> {
    let text = |key: &str| document.get(key).and_then(Value::as_str).unwrap_or_default();
    match (text("apiVersion"), text("kind")) {
        (version, "CustomResourceDefinition") if version.starts_with("apiextensions.k8s.io/") => Some(of_crd(document)),
        (_, "APIResourceList") => Some(of_resource_list(document)),
        (version, "APIGroupDiscoveryList") if version.starts_with("apidiscovery.k8s.io/") => {
            Some(list(document, "items").iter().flat_map(of_group).collect())
        }
        (version, "APIGroupDiscovery") if version.starts_with("apidiscovery.k8s.io/") => Some(of_group(document)),
        (_, kind) if kind.ends_with("List") => {
            let items = list(document, "items");
            let read: Vec<_> = items.iter().filter_map(read).collect();
            (!read.is_empty()).then(|| read.concat())
        }
        _ => None,
    }
}

/// Whether a line is the head of the table that `kubectl api-resources` prints.
pub fn is_table_head(line: &str) -> bool {
    let mut columns = line.split_whitespace();
    let is_first = columns.next() == Some("NAME");
    let others: Vec<&str> = columns.collect();
    is_first && others.contains(&"APIVERSION") && others.contains(&"KIND")
}

/// Parses the output table of `kubectl api-resources`. Returns `None` if the text is not such a table.
pub fn read_table(text: &str) -> Option<Vec<ServedResource>> {
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    if !is_table_head(lines.next()?) {
        return None;
    }
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        // Short names may be absent, so the columns are counted from NAMESPACED, which is true or false.
        let namespaced = words.iter().skip(2).position(|word| ["true", "false"].contains(word))? + 2;
        let gvk = GroupVersionKind::from_api_version(words.get(namespaced - 1)?, words.get(namespaced + 1)?);
        Some(ServedResource {
            gvk,
            resource: (*words.first()?).to_owned(),
            namespaced: Some(words.get(namespaced) == Some(&"true")),
        })
    };
    Some(lines.filter_map(row).collect())
}

fn of_crd(crd: &Value) -> Vec<ServedResource> {
    let (group, kind) = (text_at(crd, "/spec/group"), text_at(crd, "/spec/names/kind"));
    let spec = crd.get("spec").unwrap_or(crd);
    let served = list(spec, "versions")
        .iter()
        .filter(|version| version.get("served") != Some(&Value::Bool(false)));
    let mut versions: Vec<&str> = served.map(|version| text_at(version, "/name")).collect();
    if versions.is_empty() {
        versions.push(text_at(crd, "/spec/version"));
    }
    versions
        .into_iter()
        .map(|version| ServedResource {
            gvk: GroupVersionKind::new(group, version, kind),
            resource: text_at(crd, "/spec/names/plural").to_owned(),
            namespaced: of_scope(text_at(crd, "/spec/scope")),
        })
        .collect()
}

/// Whether objects of this scope are namespaced.
fn of_scope(scope: &str) -> Option<bool> {
    match scope {
        "Namespaced" => Some(true),
        "Cluster" => Some(false),
        _ => None,
    }
}

/// Reads a list of the resources in one group version, or in several. `kubectl api-resources -o json` repeats the group
/// version in each resource.
fn of_resource_list(document: &Value) -> Vec<ServedResource> {
    let of_list = GroupVersionKind::from_api_version(text_at(document, "/groupVersion"), "");
    list(document, "resources")
        .iter()
        .map(|resource| {
            let own = |path: &str, of_list: &str| match text_at(resource, path) {
                "" => of_list.to_owned(),
                own => own.to_owned(),
            };
            // If the list has a group and version, the group and version of each resource are ignored, because they
            // describe the kind of a request body.
            let (group, version) = if of_list.version.is_empty() {
                (own("/group", ""), own("/version", ""))
            } else {
                (of_list.group.clone(), of_list.version.clone())
            };
            ServedResource {
                gvk: GroupVersionKind::new(group, version, text_at(resource, "/kind")),
                resource: text_at(resource, "/name").to_owned(),
                namespaced: resource.get("namespaced").and_then(Value::as_bool),
            }
        })
        .filter(|served| !served.resource.contains('/'))
        .collect()
}

fn of_group(item: &Value) -> Vec<ServedResource> {
    let group = text_at(item, "/metadata/name");
    let versions = list(item, "versions").iter();
    versions
        .flat_map(|version| {
            let resources = list(version, "resources").iter();
            resources.map(move |resource| ServedResource {
                gvk: GroupVersionKind::new(
                    group,
                    text_at(version, "/version"),
                    text_at(resource, "/responseKind/kind"),
                ),
                resource: text_at(resource, "/resource").to_owned(),
                namespaced: of_scope(text_at(resource, "/scope")),
            })
        })
        .collect()
}

/// The resources from several sources, in lookup order.
#[derive(Debug, Clone, Default)]
pub struct ServedResources {
    known: BTreeMap<(String, String), Vec<(String, GroupVersionKind)>>,
}

/// The kind of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// No source lists the resource.
    Unknown,
    /// The kind, in the highest-priority version of the first source that lists the resource.
    Found {
        /// Kind.
        kind: String,
        /// Version.
        version: String,
        /// The source.
        source: String,
    },
    /// The sources list several kinds for this name.
    Conflict {
        /// Each kind, with the first source that names it.
        kinds: Vec<(String, String)>,
    },
}

impl ServedResources {
    /// Adds the resources of a source.
    pub fn add(&mut self, source: &str, resources: Vec<ServedResource>) {
        for served in resources {
            let named = |text: &String| !text.is_empty();
            if [&served.gvk.version, &served.gvk.kind, &served.resource]
                .into_iter()
                .all(named)
            {
                let key = (served.gvk.group.clone(), served.resource);
                self.known.entry(key).or_default().push((source.to_owned(), served.gvk));
            }
        }
    }

    /// Returns the resources of a group, each with the first kind that a source names.
    pub fn of_group(&self, group: &str) -> impl Iterator<Item = (String, String)> {
        let of_group = self.known.iter().filter(move |((of, _), _)| of == group);
        of_group.filter_map(|((_, resource), known)| Some((resource.clone(), known.first()?.1.kind.clone())))
    }

    /// Determines the kind of a resource in a group. Among several versions in one source, the version with the highest
    /// priority wins: stable before beta before alpha, then the higher number.
    pub fn resolve(&self, group: &str, resource: &str) -> Resolution {
        let Some(known) = self.known.get(&(group.to_owned(), resource.to_owned())) else {
            return Resolution::Unknown;
        };
        let kinds: BTreeSet<&str> = known.iter().map(|(_, gvk)| gvk.kind.as_str()).collect();
        if kinds.len() > 1 {
            let first = |kind: &&str| {
                let source = known
                    .iter()
                    .find(|(_, gvk)| gvk.kind == *kind)
                    .map(|(source, _)| source.clone());
                ((*kind).to_owned(), source.unwrap_or_default())
            };
            return Resolution::Conflict {
                kinds: kinds.iter().map(first).collect(),
            };
        }
        let first = known.first().map(|(source, _)| source);
        let of_first = known.iter().filter(|(source, _)| Some(source) == first);
        match of_first.min_by(|(_, left), (_, right)| compare_priority(&left.version, &right.version)) {
            Some((source, gvk)) => Resolution::Found {
                kind: gvk.kind.clone(),
                version: gvk.version.clone(),
                source: source.clone(),
            },
            None => Resolution::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn lines_of(resources: Option<Vec<ServedResource>>) -> Vec<String> {
        let resources = resources.expect("a document that names resources");
        let line = |served: ServedResource| format!("{}: {}", served.resource, served.gvk);
        resources.into_iter().map(line).collect()
    }

    #[test]
    fn crds_of_both_versions_declare_what_they_serve() {
        let crd = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "spec": {"group": "example.com", "names": {"kind": "Foo", "plural": "foos"}, "versions": [
                {"name": "v1", "served": true}, {"name": "v1beta1", "served": false}, {"name": "v2alpha1", "served": true}]}
        });
        assert_eq!(
            lines_of(read(&crd)),
            ["foos: example.com v1 Foo", "foos: example.com v2alpha1 Foo"]
        );
        let old = json!({
            "apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition",
            "spec": {"group": "example.com", "version": "v1", "names": {"kind": "Foo", "plural": "foos"}}
        });
        let list = json!({"apiVersion": "v1", "kind": "List", "items": [old, {"kind": "ConfigMap"}]});
        assert_eq!(lines_of(read(&list)), ["foos: example.com v1 Foo"]);
        assert_eq!(read(&json!({"apiVersion": "v1", "kind": "ConfigMap"})), None);
        assert_eq!(
            read(&json!({"apiVersion": "v1", "kind": "ConfigMapList", "items": []})),
            None
        );
        assert_eq!(read(&json!([])), None);
    }

    #[test]
    fn discovery_documents_of_all_formats_are_read() {
        let old = json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "cert-manager.io/v1", "resources": [
            {"name": "certificates", "kind": "Certificate", "namespaced": true},
            {"name": "certificates/status", "kind": "Certificate"},
            {"name": "scaled", "kind": "Scale", "group": "autoscaling", "version": "v1"}]});
        assert_eq!(
            lines_of(read(&old)),
            [
                "certificates: cert-manager.io v1 Certificate",
                "scaled: cert-manager.io v1 Scale"
            ]
        );
        let flat = json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "", "resources": [
            {"name": "pods", "kind": "Pod", "version": "v1"},
            {"name": "issuers", "kind": "Issuer", "group": "cert-manager.io", "version": "v1"}]});
        assert_eq!(
            lines_of(read(&flat)),
            ["pods:  v1 Pod", "issuers: cert-manager.io v1 Issuer"]
        );
        let new = json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": [
            {"metadata": {"name": "cert-manager.io"}, "versions": [{"version": "v1", "resources": [
                {"resource": "issuers", "responseKind": {"group": "", "version": "", "kind": "Issuer"}, "subresources": []}]}]}]});
        assert_eq!(lines_of(read(&new)), ["issuers: cert-manager.io v1 Issuer"]);
    }

    #[test]
    fn the_table_of_kubectl_is_read_with_and_without_short_names() {
        let table = "\
NAME            SHORTNAMES   APIVERSION           NAMESPACED   KIND          VERBS
pods            po           v1                   true         Pod           create,get
certificates    cert,certs   cert-manager.io/v1   true         Certificate   create,get
clusterissuers               cert-manager.io/v1   false        ClusterIssuer
";
        assert_eq!(
            lines_of(read_table(table)),
            [
                "pods:  v1 Pod",
                "certificates: cert-manager.io v1 Certificate",
                "clusterissuers: cert-manager.io v1 ClusterIssuer"
            ]
        );
        assert_eq!(read_table("apiVersion: v1\n"), None);
        assert_eq!(read_table(""), None);
    }

    fn served(version: &str, kind: &str) -> ServedResource {
        ServedResource {
            gvk: GroupVersionKind::new("example.com", version, kind),
            resource: "foos".to_owned(),
            namespaced: None,
        }
    }

    #[test]
    fn the_first_source_wins_with_its_highest_priority_version() {
        let mut sources = ServedResources::default();
        assert_eq!(sources.resolve("example.com", "foos"), Resolution::Unknown);
        sources.add(
            "a",
            vec![
                served("v1alpha1", "Foo"),
                served("v1beta2", "Foo"),
                served("v1beta1", "Foo"),
            ],
        );
        sources.add("b", vec![served("v1", "Foo"), served("", "Foo")]);
        let found = Resolution::Found {
            kind: "Foo".to_owned(),
            version: "v1beta2".to_owned(),
            source: "a".to_owned(),
        };
        assert_eq!(sources.resolve("example.com", "foos"), found);
        assert_eq!(sources.resolve("example.com", "bars"), Resolution::Unknown);
        sources.add("c", vec![served("v1", "Fool")]);
        let kinds = vec![("Foo".to_owned(), "a".to_owned()), ("Fool".to_owned(), "c".to_owned())];
        assert_eq!(sources.resolve("example.com", "foos"), Resolution::Conflict { kinds });
    }
}
