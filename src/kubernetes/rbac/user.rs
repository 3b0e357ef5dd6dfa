//! What a person may do, from the bindings of a cluster.

use super::account::{Account, Grants, grants_to};
use super::{ALL, GROUP, Rule};
use serde_json::{Value, json};

/// The group whose members the API server lets do everything, whatever is bound to it.
const MASTERS: &str = "system:masters";
/// The group that everybody is in who says who he is.
const AUTHENTICATED: &str = "system:authenticated";
/// How the API server calls the user of a service account.
const ACCOUNT_PREFIX: &str = "system:serviceaccount:";

/// A user, as the API server sees one: a name, and the groups that come with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct User {
    /// The name; `None` for whoever is in the groups.
    pub name: Option<String>,
    /// The groups, without those that the API server adds.
    pub groups: Vec<String>,
}

impl User {
    /// The service account that it is, where it is one.
    pub fn account(&self) -> Option<Account> {
        let name = self.name.as_deref()?;
        name.starts_with(ACCOUNT_PREFIX).then(|| name.parse().ok())?
    }

    /// How messages name it.
    pub fn label(&self) -> String {
        match &self.name {
            Some(name) => name.clone(),
            None => format!("a member of {}", self.groups.join(", ")),
        }
    }

    /// The subjects of a binding for it: the user, or the groups where no user is named.
    pub fn subjects(&self) -> Vec<Value> {
        let subject = |kind: &str, name: &str| json!({"apiGroup": GROUP, "kind": kind, "name": name});
        match (self.account(), &self.name) {
            (Some(account), _) => {
                vec![json!({"kind": "ServiceAccount", "name": account.name, "namespace": account.namespace})]
            }
            (None, Some(name)) => vec![subject("User", name)],
            (None, None) => self.groups.iter().map(|group| subject("Group", group)).collect(),
        }
    }

    /// Whether a subject of a binding is this user, or a group that it is in. `namespace` is where the binding is.
    fn is(&self, subject: &Value, namespace: Option<&str>) -> bool {
        let text = |key: &str| subject.get(key).and_then(Value::as_str).unwrap_or_default();
        let name = text("name");
        let own = match text("kind") {
            "User" => self.name.as_deref() == Some(name),
            "Group" => name == AUTHENTICATED || self.groups.iter().any(|group| group == name),
            _ => false,
        };
        own || self.account().is_some_and(|account| account.is(subject, namespace))
    }
}

/// What the bindings among `objects` give to a user, and what of them cannot be followed. A member of `system:masters`
/// may do everything.
pub fn grants_of<'a>(objects: impl IntoIterator<Item = &'a Value>, user: &User) -> (Grants, Vec<String>) {
    let (mut held, notes) = grants_to(objects, |subject, namespace| user.is(subject, namespace));
    if user.groups.iter().any(|group| group == MASTERS) {
        let urls = Rule {
            non_resource_urls: vec![ALL.to_owned()],
            verbs: vec![ALL.to_owned()],
            ..Rule::default()
        };
        held.add(None, [Rule::new(ALL, ALL, &[ALL]), urls]);
    }
    (held, notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(name: Option<&str>, groups: &[&str]) -> User {
        User {
            name: name.map(str::to_owned),
            groups: groups.iter().map(|group| (*group).to_owned()).collect(),
        }
    }

    #[test]
    fn users_are_found_by_their_name_and_by_their_groups() {
        let alice = user(Some("alice"), &["dev"]);
        for (kind, name, is) in [
            ("User", "alice", true),
            ("User", "dev", false),
            ("Group", "dev", true),
            ("Group", "system:authenticated", true),
            ("Group", "system:serviceaccounts", false),
            ("ServiceAccount", "alice", false),
        ] {
            let subject = json!({"kind": kind, "name": name, "namespace": "ns"});
            assert_eq!(alice.is(&subject, Some("ns")), is, "{kind} {name}");
        }
        assert_eq!(alice.subjects()[0]["kind"], "User");
        assert_eq!(user(None, &["dev", "ops"]).subjects().len(), 2);
        assert_eq!(user(None, &["dev", "ops"]).label(), "a member of dev, ops");
    }

    #[test]
    fn the_user_of_a_service_account_is_the_account() {
        let robot = user(Some("system:serviceaccount:ns:sa"), &[]);
        let subject = json!({"kind": "ServiceAccount", "name": "sa"});
        assert!(robot.is(&subject, Some("ns")) && !robot.is(&subject, Some("other")));
        assert!(robot.is(&json!({"kind": "Group", "name": "system:serviceaccounts:ns"}), None));
        assert_eq!(robot.subjects()[0]["namespace"], "ns");
        assert_eq!(user(Some("ns/sa"), &[]).account(), None);
    }

    #[test]
    fn masters_may_do_everything() {
        let (held, _) = grants_of(&[], &user(None, &["system:masters"]));
        assert_eq!(held.within(Some("any")).len(), 2);
    }
}
