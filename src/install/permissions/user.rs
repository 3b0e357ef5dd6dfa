//! The permissions that a user needs to approve an install, and to install from a catalog.

use super::resource::roles_for;
use super::{Need, Permission, held, pending};
use crate::cluster::State;
use crate::csv::GROUP;
use crate::kubernetes::rbac::Rule;
use crate::kubernetes::rbac::account::Grants;
use crate::kubernetes::rbac::covering::{Granted, TooComplex};
use crate::kubernetes::rbac::user::{User, grants_of};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// The resource name of CatalogSources. The verb `install` on this resource lets a user install from a catalog.
const CATALOGS: &str = "catalogsources";
const INSTALL: &str = "install";

/// A CatalogSource, and whether a user may use it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CatalogUse {
    /// The namespace of the CatalogSource.
    pub namespace: String,
    /// The name of the CatalogSource.
    pub name: String,
    /// Whether the user holds the verb `install` on the CatalogSource.
    pub may_use: bool,
}

/// Returns the permissions of a user, and notes about references that could not be followed. The permissions come from
/// the bindings in a cluster and, for a service account, also from the grants in a what-if file.
pub fn held_by(user: &User, state: &State) -> (Grants, Vec<String>) {
    let (mut grants, mut notes) = grants_of(&state.objects, user);
    if let Some(account) = user.account() {
        let (more, others) = held(&account, state);
        grants = grants.with(more);
        notes.extend(others);
        notes.sort();
        notes.dedup();
    }
    (grants, notes)
}

/// Returns the permissions that a user lacks to approve an install: those that the install needs and that neither the
/// installer nor the user holds. If none is missing, the user may approve the install.
///
/// # Errors
/// Returns an error if comparing the rules takes too many steps.
pub fn missing_to_approve(needs: &[Need], installer: &Grants, user: &Grants) -> Result<Vec<Permission>, TooComplex> {
    pending(needs, &installer.clone().with(user.clone()))
}

/// Returns, for each of these catalogs, whether a user with the permissions `held` may use the catalog. Each catalog is
/// a pair of its namespace and its name.
pub fn catalog_uses(catalogs: impl IntoIterator<Item = (String, String)>, held: &Grants) -> Vec<CatalogUse> {
    let catalogs: BTreeSet<(String, String)> = catalogs.into_iter().collect();
    let asked = |(namespace, name): (String, String)| {
        let rule = Rule::new(GROUP, CATALOGS, &[INSTALL]).named(&name);
        CatalogUse {
            may_use: Granted::of(&held.within(Some(&namespace))).one_covers(&rule),
            namespace,
            name,
        }
    };
    catalogs.into_iter().map(asked).collect()
}

/// Returns the CatalogSources of a cluster, by namespace and name.
pub fn catalogs_of(state: &State) -> BTreeSet<(String, String)> {
    let written = state.catalogs.iter();
    let written = written.map(|catalog| (catalog.namespace.clone(), catalog.name.clone()));
    let objects = state.objects.iter().filter_map(|object| {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str);
        let is_catalog = text("/kind") == Some("CatalogSource") && text("/apiVersion")?.starts_with(GROUP);
        is_catalog.then_some((
            text("/metadata/namespace")?.to_owned(),
            text("/metadata/name")?.to_owned(),
        ))
    });
    written.chain(objects).collect()
}

/// Returns the index image of a CatalogSource, if it specifies an image.
pub fn image_of<'a>(catalog: &CatalogUse, state: &'a State) -> Option<&'a str> {
    let CatalogUse { namespace, name, .. } = catalog;
    let mut written = state.catalogs.iter();
    let of_state = written.find(|known| (&known.namespace, &known.name) == (namespace, name));
    if let Some(known) = of_state {
        return known.source.as_deref();
    }
    state.objects.iter().find_map(|object| {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str);
        let is_it = text("/kind") == Some("CatalogSource")
            && text("/metadata/namespace") == Some(namespace)
            && text("/metadata/name") == Some(name);
        text("/spec/image").filter(|_| is_it)
    })
}

/// Returns the roles, with their bindings to a user, that let the user approve an install and use catalogs.
pub fn roles_to_allow(
    user: &User,
    bundle: Option<&str>,
    missing: &[Permission],
    catalogs: &[CatalogUse],
) -> Vec<Value> {
    let subjects = user.subjects();
    let mut roles = Vec::new();
    if let Some(bundle) = bundle {
        roles.extend(roles_for(&format!("{bundle}-approve"), &subjects, missing));
    }
    for catalog in catalogs.iter().filter(|catalog| !catalog.may_use) {
        let permission = Permission {
            rule: Rule::new(GROUP, CATALOGS, &[INSTALL]).named(&catalog.name),
            namespaces: vec![catalog.namespace.clone()],
        };
        roles.extend(roles_for(
            &format!("{}-installer", catalog.name),
            &subjects,
            &[permission],
        ));
    }
    roles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::install::permissions::Purpose;
    use serde_json::json;

    fn alice() -> User {
        User {
            name: Some("alice".to_owned()),
            groups: Vec::new(),
        }
    }

    fn need(rule: Rule, unless: Option<Rule>) -> Need {
        Need {
            namespace: Some("ns".to_owned()),
            rules: vec![rule],
            purpose: Purpose::Operator,
            unless,
            is_condition: false,
        }
    }

    /// S82: a user who approves an install must hold the pending permissions, or be allowed to grant more than they
    /// hold.
    #[test]
    fn s82_an_approver_holds_what_the_installer_lacks() {
        let pods = || Rule::new("", "pods", &["get", "list"]);
        let escalate = Rule::new("rbac.authorization.k8s.io", "roles", &["escalate"]).named("r");
        let needs = [need(pods(), Some(escalate.clone()))];
        let grants = |rules: &[Rule]| {
            let mut grants = Grants::default();
            grants.add(Some("ns"), rules.iter().cloned());
            grants
        };
        let missing = |installer: &[Rule], user: &[Rule]| {
            let missing = missing_to_approve(&needs, &grants(installer), &grants(user)).unwrap();
            missing
                .into_iter()
                .flat_map(|missing| missing.rule.verbs)
                .collect::<Vec<_>>()
        };
        let get = Rule::new("", "pods", &["get"]);
        assert_eq!(missing(&[], &[]), ["get", "list"]);
        assert_eq!(missing(std::slice::from_ref(&get), &[]), ["list"]);
        assert_eq!(
            missing(&[get], &[Rule::new("", "pods", &["list"])]),
            Vec::<String>::new()
        );
        assert_eq!(missing(&[], &[escalate]), Vec::<String>::new());
    }

    /// S51: the verb `install`, for one catalog, for those of a namespace, and for all catalogs.
    #[test]
    fn s51_the_verb_install_allows_a_user_to_use_a_catalog() {
        let uses = |namespace: Option<&str>, rule: Rule| {
            let mut held = Grants::default();
            held.add(namespace, [rule]);
            let named = |name: &str| ("olm".to_owned(), name.to_owned());
            let other = ("own".to_owned(), "main".to_owned());
            let uses = catalog_uses([named("main"), named("more"), other], &held);
            uses.iter().map(|catalog| catalog.may_use).collect::<Vec<_>>()
        };
        let install = || Rule::new(GROUP, CATALOGS, &[INSTALL]);
        assert_eq!(uses(Some("olm"), install().named("main")), [true, false, false]);
        assert_eq!(uses(Some("olm"), install()), [true, true, false]);
        assert_eq!(uses(None, install()), [true, true, true]);
        assert_eq!(uses(None, Rule::new(GROUP, CATALOGS, &["get"])), [false, false, false]);
    }

    #[test]
    fn generated_roles_grant_the_missing_permissions() {
        let catalogs = catalog_uses([("olm".to_owned(), "main".to_owned())], &Grants::default());
        let missing = pending(&[need(Rule::new("", "pods", &["get"]), None)], &Grants::default()).unwrap();
        let roles = roles_to_allow(&alice(), Some("b.v1"), &missing, &catalogs);
        let names: Vec<_> = roles
            .iter()
            .map(|role| role["metadata"]["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            names,
            ["b.v1-approve", "b.v1-approve", "main-installer", "main-installer"]
        );
        let state = State {
            objects: roles,
            ..State::default()
        };
        let (held, notes) = held_by(&alice(), &state);
        assert_eq!(notes, Vec::<String>::new());
        assert!(Granted::of(&held.within(Some("ns"))).one_covers(&Rule::new("", "pods", &["get"])));
        assert!(catalog_uses([("olm".to_owned(), "main".to_owned())], &held)[0].may_use);
        assert_eq!(
            state.objects[3]["subjects"],
            json!([{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "alice"}])
        );
    }
}
