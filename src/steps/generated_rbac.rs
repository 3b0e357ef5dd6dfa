//! The RBAC objects that OLM generates from the permissions of a ClusterServiceVersion, with the same names and hashes
//! as in OLM.

use crate::csv::{self, Csv, owner};
use crate::kubernetes::GroupVersionKind;
use crate::kubernetes::rbac;
use crate::text::canonical;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha224};
use std::collections::BTreeMap;

/// The maximum length of a truncated name. A name that is not truncated may be one character longer.
const LONGEST_NAME: usize = 63;
/// The default account of every namespace.
const DEFAULT_ACCOUNT: &str = "default";

/// An object without `apiVersion` and `kind`, as a plan step contains it.
pub(super) struct Generated {
    pub(super) gvk: GroupVersionKind,
    pub(super) manifest: Value,
}

/// The permissions of one service account.
#[derive(Default)]
struct Account<'a> {
    /// Entries of `permissions`, for the namespace of the plan.
    permissions: Vec<Permission<'a>>,
    /// Entries of `clusterPermissions`.
    cluster: Vec<Permission<'a>>,
}

/// An entry of the permissions of a service account.
struct Permission<'a> {
    rules: &'a Value,
    /// The rules in the form that the name and the hash of the role are made from. It can be long, so it is made once.
    hashed_rules: String,
}

impl<'a> Permission<'a> {
    fn of(entry: &'a Value) -> Self {
        let rules = entry.get("rules").unwrap_or(&Value::Null);
        Self {
            rules,
            hashed_rules: rules_text(rules),
        }
    }
}

/// Returns the objects for a version whose fields have been normalized by their types. Accounts are sorted by name; OLM
/// uses a random order.
pub(super) fn generate(csv: Csv<'_>, namespace: &str) -> Vec<Generated> {
    let mut accounts: BTreeMap<&str, Account<'_>> = BTreeMap::new();
    for permission in csv.list(&["spec", "install", "spec", "permissions"]) {
        let account = accounts.entry(account_of(permission)).or_default();
        account.permissions.push(Permission::of(permission));
    }
    for permission in csv.list(&["spec", "install", "spec", "clusterPermissions"]) {
        let account = accounts.entry(account_of(permission)).or_default();
        account.cluster.push(Permission::of(permission));
    }
    let owner = Owner { csv, namespace };
    accounts
        .iter()
        .flat_map(|(name, account)| owner.objects(name, account))
        .collect()
}

fn account_of(permission: &Value) -> &str {
    let name = permission.get("serviceAccountName").and_then(Value::as_str);
    name.unwrap_or_default()
}

/// The version that owns the objects, and the namespace of the plan.
struct Owner<'a> {
    csv: Csv<'a>,
    namespace: &'a str,
}

impl Owner<'_> {
    fn objects(&self, account: &str, given: &Account<'_>) -> Vec<Generated> {
        let csv = self.csv.name();
        let mut objects = Vec::new();
        if account != DEFAULT_ACCOUNT {
            let mut metadata = json!({"name": account});
            if !given.permissions.is_empty() {
                metadata["namespace"] = self.namespace.into();
            }
            metadata["ownerReferences"] = self.references();
            objects.push(Generated {
                gvk: GroupVersionKind::new("", "v1", "ServiceAccount"),
                manifest: json!({"metadata": metadata}),
            });
        }
        let permission_text = |permission: &Permission<'_>| {
            format!(
                "{{\"serviceAccountName\":{},\"rules\":{}}}",
                text(account),
                permission.hashed_rules
            )
        };
        let named = |permission: &Permission<'_>| {
            let hashed = format!(
                "{{\"name\":{},\"permission\":{}}}",
                text(csv),
                permission_text(permission)
            );
            name(&format!("{csv}-{account}"), &hashed)
        };
        let roles: Vec<_> = given.permissions.iter().map(|entry| (named(entry), entry)).collect();
        let named = |permission: &Permission<'_>| {
            let hashed = format!(
                "{{\"name\":{},\"namespace\":{},\"permission\":{}}}",
                text(csv),
                text(self.namespace),
                permission_text(permission)
            );
            name(csv, &hashed)
        };
        let cluster_roles: Vec<_> = given.cluster.iter().map(|entry| (named(entry), entry)).collect();
        objects.extend(
            roles
                .iter()
                .map(|(name, permission)| self.role("Role", name, permission)),
        );
        objects.extend(roles.iter().map(|(name, _)| self.binding("Role", name, account)));
        objects.extend(
            cluster_roles
                .iter()
                .map(|(name, permission)| self.role("ClusterRole", name, permission)),
        );
        objects.extend(
            cluster_roles
                .iter()
                .map(|(name, _)| self.binding("ClusterRole", name, account)),
        );
        objects
    }

    fn role(&self, kind: &str, name: &str, permission: &Permission<'_>) -> Generated {
        let mut metadata = self.metadata(name, &hash(&permission.hashed_rules));
        if kind == "Role" {
            metadata.insert("namespace".to_owned(), self.namespace.into());
            metadata.insert("ownerReferences".to_owned(), self.references());
        }
        Generated {
            gvk: GroupVersionKind::new(rbac::GROUP, "v1", kind),
            manifest: json!({"metadata": metadata, "rules": permission.rules}),
        }
    }

    /// Returns a binding. The binding of a ClusterRole also has a namespace, but no owner reference.
    fn binding(&self, kind: &str, name: &str, account: &str) -> Generated {
        let hashed = format!(
            "{{\"RoleRef\":{{\"apiGroup\":{},\"kind\":{},\"name\":{}}},\"Subjects\":[{{\"kind\":\"ServiceAccount\",\
             \"name\":{},\"namespace\":{}}}]}}",
            text(rbac::GROUP),
            text(kind),
            text(name),
            text(account),
            text(self.namespace),
        );
        let mut metadata = self.metadata(name, &hash(&hashed));
        metadata.insert("namespace".to_owned(), self.namespace.into());
        if kind == "Role" {
            metadata.insert("ownerReferences".to_owned(), self.references());
        }
        Generated {
            gvk: GroupVersionKind::new(rbac::GROUP, "v1", format!("{kind}Binding")),
            manifest: json!({
                "metadata": metadata,
                "roleRef": {"apiGroup": rbac::GROUP, "kind": kind, "name": name},
                "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": self.namespace}],
            }),
        }
    }

    fn metadata(&self, name: &str, hash: &str) -> Map<String, Value> {
        let [owner, namespace, kind] = owner::LABELS;
        let labels = json!({
            owner: self.csv.name(),
            kind: csv::KIND,
            namespace: self.namespace,
            "olm.permissions.hash": hash,
        });
        Map::from_iter([("labels".to_owned(), labels), ("name".to_owned(), name.into())])
    }

    /// Returns a reference that does not block the deletion of the version, with the version's `apiVersion` unchanged.
    fn references(&self) -> Value {
        json!([{
            "apiVersion": self.csv.text(&["apiVersion"]),
            "blockOwnerDeletion": false,
            "controller": false,
            "kind": csv::KIND,
            "name": self.csv.name(),
            "uid": "",
        }])
    }
}

/// Appends a hash to a base. The base is truncated if both together are too long, not counting the hyphen.
fn name(base: &str, hashed: &str) -> String {
    let hash = hash(&format!("{hashed}\n"));
    let kept = if base.len() + hash.len() > LONGEST_NAME {
        &base[..base.floor_char_boundary(LONGEST_NAME.saturating_sub(hash.len() + 1))]
    } else {
        base
    };
    format!("{kept}-{hash}")
}

fn hash(text: &str) -> String {
    base62(&Sha224::digest(text.as_bytes()))
}

/// Encodes bytes as one big-endian number in base 62: digits, lowercase letters, uppercase letters.
fn base62(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 62] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let mut number: Vec<u32> = bytes.iter().copied().map(u32::from).collect();
    let mut digits = Vec::new();
    while number.iter().any(|byte| *byte != 0) {
        let mut rest = 0;
        for byte in &mut number {
            let value = rest << 8 | *byte;
            *byte = value / 62;
            rest = value % 62;
        }
        digits.extend(DIGITS.get(rest as usize).copied().map(char::from));
    }
    if digits.is_empty() {
        digits.push('0');
    }
    digits.iter().rev().collect()
}

/// Formats rules in the field order that is used for the hashes: the verbs come first, and are always present.
fn rules_text(rules: &Value) -> String {
    let Some(rules) = rules.as_array() else {
        return "null".to_owned();
    };
    let rule = |rule: &Value| {
        let mut fields = vec![format!(
            "\"verbs\":{}",
            canonical::to_string(rule.get("verbs").unwrap_or(&Value::Null))
        )];
        for field in ["apiGroups", "resources", "resourceNames", "nonResourceURLs"] {
            let list = rule
                .get(field)
                .filter(|list| list.as_array().is_some_and(|list| !list.is_empty()));
            fields.extend(list.map(|list| format!("\"{field}\":{}", canonical::to_string(list))));
        }
        format!("{{{}}}", fields.join(","))
    };
    let rules: Vec<String> = rules.iter().map(rule).collect();
    format!("[{}]", rules.join(","))
}

fn text(text: &str) -> String {
    canonical::to_string(&Value::from(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_encoded_in_base_62() {
        assert_eq!(base62(&[]), "0");
        assert_eq!(base62(&[0, 61]), "Z");
        assert_eq!(base62(&[0, 62]), "10");
        assert_eq!(base62(&[1, 0]), "48");
        let length = hash("").len();
        assert!((36..=38).contains(&length), "{length}");
    }

    #[test]
    fn a_long_base_is_truncated_before_its_hash() {
        let hash = hash("x\n").len();
        assert_eq!(name(&"a".repeat(100), "x").len(), 63);
        assert_eq!(name(&"a".repeat(64 - hash), "x").len(), 63);
        assert_eq!(
            name(&"a".repeat(63 - hash), "x").len(),
            64,
            "nothing is cut where the two fit without the hyphen"
        );
        assert_eq!(name(&"ä".repeat(100), "x").len(), 63 - (62 - hash) % 2);
    }

    #[test]
    fn the_default_account_is_not_created_and_cluster_accounts_have_no_namespace() {
        let rules = json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]);
        let permission = |account: &str| json!({"serviceAccountName": account, "rules": rules});
        let csv = json!({"apiVersion": "v1alpha1", "metadata": {"name": "memo.v1"}, "spec": {"install": {"spec": {
            "permissions": [permission("b"), permission("default"), permission("b")],
            "clusterPermissions": [permission("a"), permission("b")],
        }}}});
        let generated = generate(Csv(&csv), "ns");
        let kinds: Vec<_> = generated.iter().map(|object| object.gvk.kind.as_str()).collect();
        assert_eq!(
            kinds,
            [
                "ServiceAccount",
                "ClusterRole",
                "ClusterRoleBinding",
                "ServiceAccount",
                "Role",
                "Role",
                "RoleBinding",
                "RoleBinding",
                "ClusterRole",
                "ClusterRoleBinding",
                "Role",
                "RoleBinding",
            ]
        );
        let metadata = |index: usize| &generated[index].manifest["metadata"];
        assert_eq!(
            (metadata(0)["name"].as_str(), metadata(0).get("namespace")),
            (Some("a"), None)
        );
        assert_eq!(metadata(3)["namespace"], "ns");
        assert_eq!(metadata(3)["ownerReferences"][0]["apiVersion"], "v1alpha1");
        assert_eq!(metadata(2)["namespace"], "ns");
        assert_eq!(metadata(1).get("namespace"), None);
        assert_eq!(
            metadata(4)["name"],
            metadata(5)["name"],
            "two entries of one account are two steps"
        );
    }
}
