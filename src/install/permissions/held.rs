//! The service account that applies an install, and its permissions, according to the state of a cluster.

use crate::cluster::{State, operator_groups};
use crate::kubernetes::rbac::Rule;
use crate::kubernetes::rbac::account::{Account, Grants, grants};
use serde_json::Value;

/// Returns the service account that the state specifies; by default, the account of the only OperatorGroup in the
/// namespace. Returns `None` if OLM installs with its own permissions.
pub(crate) fn account_of(state: &State, namespace: &str) -> Option<Account> {
    let of_group = || match operator_groups(&state.objects, namespace)[..] {
        [group] => group.pointer("/spec/serviceAccountName")?.as_str(),
        _ => None,
    };
    let name = state.service_account.as_deref().or_else(of_group)?;
    Some(Account {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    })
}

/// Returns the permissions of an account, and notes about references that could not be followed. The permissions come
/// from the grants in the state and the bindings that the state contains.
pub fn held(account: &Account, state: &State) -> (Grants, Vec<String>) {
    let (mut held, notes) = grants(&state.objects, account);
    let own = state.grants.iter().filter(|grant| {
        let namespace = if grant.namespace.is_empty() {
            &state.namespace
        } else {
            &grant.namespace
        };
        grant.service_account == account.name && *namespace == account.namespace
    });
    for rule in own.flat_map(|grant| &grant.rules) {
        let namespaces = rule.get("namespaces").and_then(Value::as_array);
        let mut namespaces = namespaces.into_iter().flatten().filter_map(Value::as_str).peekable();
        if namespaces.peek().is_none() {
            held.add(None, [Rule::read(rule)]);
        }
        for namespace in namespaces {
            held.add(Some(namespace), [Rule::read(rule)]);
        }
    }
    (held, notes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::state::Grant;
    use serde_json::json;

    #[test]
    fn grants_apply_in_their_namespace() {
        let account: Account = "operators/installer".parse().unwrap();
        let rule = |resource: &str, namespaces: &Value| json!({"apiGroups": [""], "resources": [resource], "verbs": ["get"], "namespaces": namespaces});
        let grant = |namespace: &str, rules: Vec<Value>| Grant {
            service_account: "installer".to_owned(),
            namespace: namespace.to_owned(),
            rules,
        };
        let state = State {
            namespace: "operators".to_owned(),
            grants: vec![
                grant("", vec![rule("nodes", &Value::Null), rule("pods", &json!(["a", "b"]))]),
                grant("elsewhere", vec![rule("secrets", &Value::Null)]),
            ],
            ..State::default()
        };
        let (held, notes) = held(&account, &state);
        assert_eq!((held.cluster.len(), held.namespaces.len(), notes.len()), (1, 2, 0));
        assert_eq!(held.within(Some("a")).len(), 2);
    }

    #[test]
    fn the_operator_group_determines_the_account() {
        let group = json!({"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "metadata": {"namespace": "operators", "name": "g"},
            "spec": {"serviceAccountName": "scoped"}});
        let mut state = State {
            objects: vec![group],
            ..State::default()
        };
        let named = |state: &State, namespace| account_of(state, namespace).map(|account| account.to_string());
        assert_eq!(named(&state, "operators").as_deref(), Some("operators/scoped"));
        assert_eq!(named(&state, "elsewhere"), None);
        state.service_account = Some("own".to_owned());
        assert_eq!(named(&state, "elsewhere").as_deref(), Some("elsewhere/own"));
    }
}
