//! Replaces rules in the roles of a bundle, in the author's text.

use super::BundleLimits;
use super::edit::{EditError, Edits};
use crate::manifest::Object;
use crate::tree::Tree;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A rule of a role and its replacement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Replaced<'a> {
    /// The Role or ClusterRole.
    pub(crate) role: &'a Object,
    /// The position of the rule.
    pub(crate) rule: usize,
    /// The replacement rules.
    pub(crate) by: &'a [Value],
}

/// Replaces the rules. If each rule has exactly one replacement, only the lists that differ are rewritten. Otherwise,
/// the replaced rules lose their comments.
///
/// # Errors
/// Returns an error if the form of a file does not allow the edit, or if the file exceeds a limit.
pub(crate) fn replace_rules(
    tree: &mut Tree,
    replaced: &[Replaced<'_>],
    limits: &BundleLimits,
) -> Result<(), EditError> {
    let mut by_role: BTreeMap<_, (&Object, BTreeMap<usize, &[Value]>)> = BTreeMap::new();
    for one in replaced {
        let (document, root) = one.role.document();
        let key = (one.role.file(), document.number(), root.to_string());
        let of_role = by_role.entry(key).or_insert_with(|| (one.role, BTreeMap::new()));
        of_role.1.insert(one.rule, one.by);
    }
    let mut edits = Edits::default();
    for (role, rules) in by_role.into_values() {
        let (document, root) = role.document();
        let list = root.key("rules");
        if rules.values().all(|by| by.len() == 1) {
            let new = rules
                .iter()
                .filter_map(|(index, by)| Some((list.index(*index), by.first()?)));
            for (path, new) in new {
                let empty = Map::new();
                for (key, value) in new.as_object().unwrap_or(&empty) {
                    if path.key(key).get(document.value()) != Some(value) {
                        edits.set(document, &path, key, value);
                    }
                }
            }
        } else {
            let old = role.list(&["rules"]).iter().enumerate();
            let whole = old.flat_map(|(index, old)| match rules.get(&index) {
                Some(by) => by.to_vec(),
                None => vec![old.clone()],
            });
            edits.set(document, root, "rules", &whole.collect());
        }
    }
    edits.apply(tree, limits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::MANIFESTS;
    use crate::manifest::{self, Layout};
    use crate::tree::TreeLimits;
    use serde_json::json;

    const ROLES: &str = "\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: one}
rules: # all of them
- apiGroups: [a]
  # everything
  resources:
  - '*' # yes
  verbs: [get]
- {apiGroups: [b], resources: ['*'], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: two}
rules:
- {apiGroups: [a, b], resources: ['*'], verbs: [get]}
- {apiGroups: [c], resources: [c], verbs: [get]}
";

    #[test]
    fn rules_are_replaced_one_by_one_or_all_together_and_other_text_is_kept() {
        let limits = BundleLimits::default();
        let mut tree = Tree::new("op");
        tree.insert("manifests/roles.yaml", ROLES.into(), &TreeLimits::default())
            .unwrap();
        let read = |tree: &Tree| manifest::read(tree, MANIFESTS, Layout::Nested, &limits.text).objects;
        let roles = read(&tree);
        let rule =
            |group: &str, resource: &str| json!({"apiGroups": [group], "resources": [resource], "verbs": ["get"]});
        let (of_a, of_b) = ([rule("a", "as")], [rule("b", "bs")]);
        let both = [rule("a", "as"), rule("b", "*")];
        let replaced = |role: usize, rule: usize, by| Replaced {
            role: &roles[role],
            rule,
            by,
        };
        let all = [replaced(0, 0, &of_a[..]), replaced(0, 1, &of_b), replaced(1, 0, &both)];
        replace_rules(&mut tree, &all, &limits).unwrap();
        let after = read(&tree);
        assert_eq!(after[0].list(&["rules"]), [rule("a", "as"), rule("b", "bs")]);
        assert_eq!(
            after[1].list(&["rules"]),
            [rule("a", "as"), rule("b", "*"), rule("c", "c")]
        );
        let text = std::str::from_utf8(tree.get("manifests/roles.yaml").unwrap()).unwrap();
        for kept in [
            "rules: # all of them\n- apiGroups: [a]\n  # everything\n",
            "metadata: {name: two}\n",
        ] {
            assert!(text.contains(kept), "{text}");
        }
    }
}
