//! The permissions that the bindings of a cluster grant to a user.

use super::account::{Account, Grants, grants_to};
use super::{GROUP, Rule};
use serde_json::{Value, json};

/// The group whose members may do everything, regardless of bindings.
const MASTERS: &str = "system:masters";
/// The group of all authenticated users.
const AUTHENTICATED: &str = "system:authenticated";
/// The prefix of the user names of service accounts.
const ACCOUNT_PREFIX: &str = "system:serviceaccount:";

/// A user as identified by the API server: a name and groups.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct User {
    /// The name; `None` for any member of the groups.
    pub name: Option<String>,
    /// The groups, except for those that the API server adds.
    pub groups: Vec<String>,
}

impl User {
    /// Returns the service account, if the user is one.
    pub fn account(&self) -> Option<Account> {
        let name = self.name.as_deref()?;
        name.starts_with(ACCOUNT_PREFIX).then(|| name.parse().ok())?
    }

    /// Returns the name of the user for messages.
    pub fn label(&self) -> String {
        match &self.name {
            Some(name) => name.clone(),
            None => format!("a member of {}", self.groups.join(", ")),
        }
    }

    /// Returns the subjects of a binding for the user: the user, or the groups if the name is `None`.
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

    /// Returns all groups of the user, including those that the API server adds. Without a name and groups, nobody is
    /// meant, and there are no groups.
    pub(crate) fn all_groups(&self) -> Vec<String> {
        let mut all = self.groups.clone();
        match self.account() {
            Some(account) => all.extend(account.groups()),
            None if self.name.is_some() || !self.groups.is_empty() => all.push(AUTHENTICATED.to_owned()),
            None => {}
        }
        all
    }

    /// Whether a subject of a binding is this user, or a group that contains it. `namespace` is the namespace of the
    /// binding.
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

/// Returns the rules that the bindings among `objects` grant to a user, and a message for each binding that is ignored
/// because its role is not among the objects. A member of `system:masters` may do everything.
pub fn grants_of<'a>(objects: impl IntoIterator<Item = &'a Value>, user: &User) -> (Grants, Vec<String>) {
    let (mut held, notes) = grants_to(objects, |subject, namespace| user.is(subject, namespace));
    if user.groups.iter().any(|group| group == MASTERS) {
        held.add(None, Rule::everything());
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
    fn users_are_matched_by_name_and_groups() {
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
    fn members_of_system_masters_may_do_everything() {
        let (held, _) = grants_of(&[], &user(None, &["system:masters"]));
        assert_eq!(held.within(Some("any")).len(), 2);
    }
}
