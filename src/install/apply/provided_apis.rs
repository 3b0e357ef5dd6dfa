//! Checks whether the OperatorGroup of a version can provide the version's APIs. OLM records the APIs that an
//! OperatorGroup provides in an annotation, and OperatorGroups with a common namespace must not provide the same API.
//!
//! Source: `ReconcileAPIIntersection` in OLM.

use super::requirements::listed;
use crate::cluster::all_operator_groups;
use crate::csv::Csv;
use crate::install::permissions::{Targets, of_group};
use crate::kubernetes::GroupVersionKind;
use serde_json::Value;
use std::collections::BTreeSet;

/// Returns the reason and the message with which OLM refuses a version in `group` because of the APIs that the version
/// owns. `targets` are the target namespaces of the group.
pub(super) fn refusal(
    csv: Csv<'_>,
    group: Csv<'_>,
    targets: &Targets,
    objects: &[Value],
) -> Option<(&'static str, String)> {
    let owned = csv.apis("owned");
    let provided = provided(group);
    let added: Vec<GroupVersionKind> = owned.iter().filter(|api| !provided.contains(*api)).cloned().collect();
    let conflict = conflict(&owned, group, targets, objects);
    let is_static = group.get(&["spec", "staticProvidedAPIs"]) == Some(&Value::Bool(true));
    // OLM adds the APIs to the annotation or removes those with a conflict from it, unless the annotation is static.
    let changed = match &conflict {
        None => added,
        Some((_, common)) if added.is_empty() => common.clone(),
        Some(_) => Vec::new(),
    };
    if is_static && !changed.is_empty() {
        let message = format!(
            "static provided api operatorgroup cannot be modified by these apis: {}",
            listed(&changed)
        );
        return Some(("CannotModifyStaticOperatorGroupProvidedAPIs", message));
    }
    let (other, common) = conflict?;
    let message = format!(
        "intersecting operatorgroups provide the same apis: the OperatorGroup {}/{} provides {}",
        home(other),
        other.name(),
        listed(&common)
    );
    Some(("InterOperatorGroupOwnerConflict", message))
}

/// Returns the first other OperatorGroup that has a namespace in common with `group` and provides some of these APIs,
/// with these APIs.
fn conflict<'a>(
    owned: &[GroupVersionKind],
    group: Csv<'_>,
    targets: &Targets,
    objects: &'a [Value],
) -> Option<(Csv<'a>, Vec<GroupVersionKind>)> {
    let watched = watched(group, targets);
    let identity = |group: Csv<'_>| (home(group).to_owned(), group.name().to_owned());
    let others = all_operator_groups(objects).filter(|other| identity(*other) != identity(group));
    others
        .filter_map(|other| {
            let provided = provided(other);
            let common: Vec<GroupVersionKind> = owned.iter().filter(|api| provided.contains(*api)).cloned().collect();
            (!common.is_empty()).then_some((other, common))
        })
        .find(|(other, _)| intersect(&watched, &self::watched(*other, &of_group(*other, objects))))
}

/// The namespaces that an OperatorGroup watches.
enum Watched {
    All,
    /// An empty list if the namespaces are unknown, because then nothing is known to be in common.
    These(BTreeSet<String>),
}

/// Returns the namespaces that OLM compares: the target namespaces and, if these are listed, that of the OperatorGroup.
fn watched(group: Csv<'_>, targets: &Targets) -> Watched {
    match targets {
        Targets::All => Watched::All,
        Targets::Selected => Watched::These(BTreeSet::new()),
        Targets::Namespaces(names) => {
            let own = (!names.is_empty()).then(|| home(group).to_owned());
            Watched::These(names.iter().cloned().chain(own).collect())
        }
    }
}

fn intersect(one: &Watched, other: &Watched) -> bool {
    match (one, other) {
        (Watched::All, Watched::All) => true,
        (Watched::All, Watched::These(names)) | (Watched::These(names), Watched::All) => !names.is_empty(),
        (Watched::These(one), Watched::These(other)) => !one.is_disjoint(other),
    }
}

/// Returns the APIs in the annotation of an OperatorGroup. OLM ignores spaces, and entries with fewer than three parts.
fn provided(group: Csv<'_>) -> BTreeSet<GroupVersionKind> {
    let written = group
        .text(&["metadata", "annotations", "olm.providedAPIs"])
        .replace(' ', "");
    let api = |entry: &str| {
        let mut parts = entry.splitn(3, '.');
        let (kind, version, group) = (parts.next()?, parts.next()?, parts.next()?);
        Some(GroupVersionKind::new(group, version, kind))
    };
    written.split(',').filter_map(api).collect()
}

fn home(group: Csv<'_>) -> &str {
    group.text(&["metadata", "namespace"])
}

#[cfg(test)]
mod tests {
    use super::super::apply;
    use super::*;
    use crate::cluster::State;
    use crate::olm::releases::Olm;
    use crate::steps::tests::{content, csv, target};
    use crate::steps::{in_order, of_bundle};
    use serde_json::json;

    fn group(name: &str, namespace: &str, targets: &[&str], provided: &str) -> Value {
        json!({"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup",
            "metadata": {"name": name, "namespace": namespace, "annotations": {"olm.providedAPIs": provided}},
            "spec": {}, "status": {"namespaces": targets}})
    }

    /// Returns the reason and message if an operator that owns the Memos of `example.com/v1` fails in the namespace
    /// `operators`, for a release of OLM and the proposed one.
    fn failed(groups: &[&Value]) -> Option<(&'static str, String)> {
        let mut version = csv("memo.v1");
        let supported = |mode: &str| json!({"type": mode, "supported": true});
        version["spec"]["installModes"] = ["AllNamespaces", "OwnNamespace", "SingleNamespace"]
            .map(supported)
            .into();
        let owned = json!([{"name": "memos.example.com", "kind": "Memo", "version": "v1"}]);
        version["spec"]["customresourcedefinitions"] = json!({"owned": owned});
        let steps = in_order(of_bundle(&content(version, Vec::new()), &target(), "").unwrap());
        let state = State {
            objects: groups.iter().copied().cloned().collect(),
            ..State::default()
        };
        let [released, proposed] = [Olm::newest(), Olm::Proposed].map(|olm| {
            let applied = apply(&steps, "operators", &state, &olm).unwrap();
            assert_eq!(applied.succeeds(), applied.failed.is_empty());
            let failed = applied.failed.into_iter();
            failed.map(|failed| (failed.reason, failed.message)).next()
        });
        assert_eq!(released, proposed);
        released
    }

    const MEMO: &str = "Memo.v1.example.com";

    #[test]
    fn a_version_fails_if_an_operator_group_with_a_common_namespace_provides_one_of_its_apis() {
        let conflict = |other: &str| {
            let message = format!(
                "intersecting operatorgroups provide the same apis: the OperatorGroup {other} provides Memo \
                 (example.com/v1)"
            );
            Some(("InterOperatorGroupOwnerConflict", message))
        };
        let own = group("own", "operators", &["operators"], "");
        let global = |provided: &str| group("global", "elsewhere", &[""], provided);
        assert_eq!(failed(&[&own, &global(MEMO)]), conflict("elsewhere/global"));
        let spaced = global(&format!("Other.v1.example.com, {MEMO}"));
        assert_eq!(failed(&[&spaced, &own]), conflict("elsewhere/global"));
        for provided in ["", "Memo.v2.example.com", "Memo.v1", "memo.v1.example.com"] {
            assert_eq!(failed(&[&own, &global(provided)]), None, "{provided}");
        }
        // The own annotation does not protect the version: OLM removes the API from it.
        let listed = group("own", "operators", &["operators"], MEMO);
        assert_eq!(failed(&[&listed, &global(MEMO)]), conflict("elsewhere/global"));
        assert_eq!(failed(&[&listed]), None);
    }

    #[test]
    fn the_namespaces_of_operator_groups_are_compared_as_in_olm() {
        let fails = |own: &[&str], other: &[&str]| {
            let own = group("own", "operators", own, "");
            // A group in another namespace may have the same name.
            let other = group("own", "team", other, MEMO);
            failed(&[&own, &other]).is_some()
        };
        for (own, other, expected) in [
            (&[""][..], &[""][..], true),
            (&[""], &["apps"], true),
            (&["operators"], &["apps"], false),
            (&["apps"], &["apps"], true),
            (&["operators"], &["operators", "apps"], true),
            (&["team"], &["apps"], true),
            (&["apps"], &["operators"], true),
        ] {
            assert_eq!(fails(own, other), expected, "{own:?} {other:?}");
        }
        // Without a status, the target namespaces follow from the specification.
        let mut own = group("own", "operators", &[], "");
        own["spec"] = json!({"targetNamespaces": ["operators"]});
        let mut other = group("other", "team", &[], MEMO);
        other["spec"] = json!({"targetNamespaces": ["operators"]});
        assert!(failed(&[&own, &other]).is_some());
        other["spec"] = json!({"targetNamespaces": ["apps"]});
        assert_eq!(failed(&[&own, &other]), None);
        other["spec"] = json!({"selector": {"matchLabels": {"team": "a"}}});
        assert_eq!(failed(&[&own, &other]), None, "the selected namespaces are unknown");
        other["spec"] = json!({});
        assert!(failed(&[&own, &other]).is_some());
    }

    #[test]
    fn a_version_fails_if_the_static_apis_of_its_operator_group_would_change() {
        let fixed = |provided: &str| {
            let mut own = group("own", "operators", &["operators"], provided);
            own["spec"] = json!({"staticProvidedAPIs": true});
            own
        };
        let message = "static provided api operatorgroup cannot be modified by these apis: Memo (example.com/v1)";
        let unchanged = Some(("CannotModifyStaticOperatorGroupProvidedAPIs", message.to_owned()));
        assert_eq!(failed(&[&fixed("")]), unchanged);
        assert_eq!(failed(&[&fixed(MEMO)]), None);
        let global = group("global", "elsewhere", &[""], MEMO);
        assert_eq!(failed(&[&fixed(MEMO), &global]), unchanged, "OLM would remove the API");
        let reason = failed(&[&fixed(""), &global]).unwrap().0;
        assert_eq!(reason, "InterOperatorGroupOwnerConflict");
    }
}
