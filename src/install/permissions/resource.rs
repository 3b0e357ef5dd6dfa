//! The permission review as resources: the `Install`, and the roles that grant the missing permissions.

use super::{AccountPermissions, Operator, Permission};
use crate::cluster::requested::API_VERSION;
use crate::install::install_plan::Condition;
use crate::kubernetes::rbac::account::Account;
use crate::kubernetes::rbac::{self, Rule};
use crate::olm::annotation::PROPERTIES;
use crate::olm::property::Property;
use crate::steps::{annotation, optional};
use crate::text::canonical;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The namespace of objects that specify none.
const DEFAULT: &str = "default";

/// The content to install.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A bundle image.
    Image {
        /// The image as the user specified it.
        named: String,
        /// The image with its digest.
        resolved: String,
    },
    /// Manifests that are not in an image.
    Raw(Vec<String>),
}

impl Content {
    /// Returns the objects of a bundle as raw content. As in OLM, an annotation of the ClusterServiceVersion lists the
    /// optional objects.
    pub fn raw(content: &crate::steps::Content) -> Self {
        let mut csv = content.csv.clone();
        let names_some = |property: &Property| property.kind == optional::PROPERTY;
        if content.properties.iter().any(names_some)
            && let Some(metadata) = csv.get_mut("metadata").and_then(Value::as_object_mut)
            && let Some(annotations) = metadata
                .entry("annotations")
                .or_insert_with(|| json!({}))
                .as_object_mut()
        {
            annotations.insert(PROPERTIES.to_owned(), annotation(&content.properties).into());
        }
        let objects = std::iter::once(&csv).chain(&content.objects);
        Self::Raw(objects.map(canonical::to_string).collect())
    }

    /// Returns objects as raw content.
    pub fn raw_objects(objects: &[Value]) -> Self {
        Self::Raw(objects.iter().map(canonical::to_string).collect())
    }

    /// Returns the entries of `spec.content`, or of `status.resolved` if `with_digest` is set.
    fn entries(&self, with_digest: bool) -> Vec<Value> {
        match self {
            Self::Image { named, resolved } => {
                let image = if with_digest { resolved } else { named };
                vec![json!({"type": "ManifestImage", "manifestImage": image})]
            }
            Self::Raw(objects) => objects.iter().map(|raw| json!({"type": "Raw", "raw": raw})).collect(),
        }
    }
}

/// Returns the namespaces that the `Install` of a bundle replaces with `namespace`: the one that represents objects
/// without a namespace, and those that the objects specify.
pub fn namespaces_of(content: &crate::steps::Content, namespace: &str) -> BTreeMap<String, String> {
    let named = content.objects.iter();
    let named = named.filter_map(|object| object.pointer("/metadata/namespace")?.as_str());
    let from = named
        .chain([DEFAULT])
        .filter(|from| !from.is_empty() && *from != namespace);
    from.map(|from| (from.to_owned(), namespace.to_owned())).collect()
}

/// A completed review.
#[derive(Debug, Clone, PartialEq)]
pub struct Review {
    /// The name of the `Install`.
    pub name: String,
    /// The content to install.
    pub content: Vec<Content>,
    /// The namespaces in the content that are replaced, with their replacements.
    pub namespaces: BTreeMap<String, String>,
    /// The account that installs the content, if known.
    pub account: Option<Account>,
    /// The missing permissions.
    pub pending: Vec<Permission>,
    /// The operators with the permissions of their accounts after installation.
    pub operators: Vec<Operator>,
    /// The policy violations of the content.
    pub refused_by_policy: Vec<String>,
}

/// Returns the condition of an install that waits until a person approves its permissions.
pub(in crate::install) fn pending_approval() -> Condition {
    let message = "pending approval of unsatisfied permissions".to_owned();
    Condition::new("PendingApproval", "True", "UnsatisfiedPermissions", message)
}

/// Returns the `Install` resource of a review. It requests approval only if permissions are missing.
pub fn install(review: &Review) -> Value {
    let mut spec = Map::new();
    if !review.namespaces.is_empty() {
        let mapped = review.namespaces.iter();
        let namespaces: Vec<Value> = mapped.map(|(from, to)| json!({"from": from, "to": to})).collect();
        spec.insert("namespaces".to_owned(), namespaces.into());
    }
    let mut status = Map::new();
    if let Some(account) = &review.account {
        let reference = json!({"name": account.name, "namespace": account.namespace});
        status.insert("serviceAccountRef".to_owned(), reference);
    }
    if !review.pending.is_empty() {
        spec.insert("approval".to_owned(), "Unapproved".into());
        status.insert("conditions".to_owned(), json!([pending_approval()]));
    }
    let entries = |with_digest: bool| -> Value {
        let entries = review.content.iter().flat_map(|content| content.entries(with_digest));
        entries.collect()
    };
    spec.insert("content".to_owned(), entries(false));
    status.insert("resolved".to_owned(), entries(true));
    if !review.pending.is_empty() {
        status.insert("pending".to_owned(), json!({"permissions": review.pending}));
    }
    let accounts = review.operators.iter().flat_map(|operator| &operator.accounts);
    let accounts: Vec<Value> = accounts
        .map(
            |AccountPermissions {
                 account, permissions, ..
             }| {
                let reference = json!({"name": account.name, "namespace": account.namespace});
                json!({"serviceAccountRef": reference, "permissions": permissions})
            },
        )
        .collect();
    if !accounts.is_empty() {
        status.insert("accounts".to_owned(), accounts.into());
    }
    let others = review.operators.iter().flat_map(|operator| &operator.others);
    let others: Vec<Value> = others
        .map(|held| json!({"subject": held.subject, "permissions": held.permissions}))
        .collect();
    if !others.is_empty() {
        status.insert("subjects".to_owned(), others.into());
    }
    if !review.refused_by_policy.is_empty() {
        status.insert("refusedByPolicy".to_owned(), json!(review.refused_by_policy));
    }
    json!({
        "apiVersion": API_VERSION,
        "kind": "Install",
        "metadata": {"name": review.name},
        "spec": spec,
        "status": status,
    })
}

/// Returns the Roles and ClusterRoles, with their bindings, that grant the missing permissions to an account:
/// cluster-wide ones first, then by namespace.
pub fn roles(name: &str, account: &Account, pending: &[Permission]) -> Vec<Value> {
    let subject = json!({"kind": "ServiceAccount", "name": account.name, "namespace": account.namespace});
    roles_for(&format!("{name}-install"), &[subject], pending)
}

/// Like [`roles`], but grants the permissions to any subjects.
pub(super) fn roles_for(name: &str, subjects: &[Value], pending: &[Permission]) -> Vec<Value> {
    let mut places: BTreeMap<Option<&str>, Vec<&Rule>> = BTreeMap::new();
    for permission in pending {
        if permission.namespaces.is_empty() {
            places.entry(None).or_default().push(&permission.rule);
        }
        for namespace in &permission.namespaces {
            places.entry(Some(namespace)).or_default().push(&permission.rule);
        }
    }
    let mut objects = Vec::new();
    for (namespace, rules) in places {
        let kind = if namespace.is_some() { "Role" } else { "ClusterRole" };
        let mut metadata = json!({ "name": name });
        if let Some(namespace) = namespace {
            metadata["namespace"] = namespace.into();
        }
        let api_version = format!("{}/v1", rbac::GROUP);
        objects.push(json!({"apiVersion": api_version, "kind": kind, "metadata": metadata, "rules": rules}));
        objects.push(json!({
            "apiVersion": api_version,
            "kind": format!("{kind}Binding"),
            "metadata": metadata,
            "roleRef": {"apiGroup": rbac::GROUP, "kind": kind, "name": name},
            "subjects": subjects,
        }));
    }
    objects
}
