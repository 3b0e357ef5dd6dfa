//! The names that CustomResourceDefinitions claim. Within a group, a name belongs to one definition, and the API server
//! serves a new definition only when it has all of its names.

use super::super::existing::Existing;
use crate::steps::CRD;
use serde_json::Value;
use std::fmt;

/// A name of a CustomResourceDefinition that another definition of the same group already has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameConflict {
    /// The name of the definition that does not get its names.
    pub definition: String,
    /// The field of `spec.names` with the name, such as `kind`.
    pub field: &'static str,
    /// The name.
    pub name: String,
    /// The name of the definition that already has the name.
    pub other: String,
}

impl fmt::Display for NameConflict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            definition,
            field,
            name,
            other,
        } = self;
        write!(
            formatter,
            "the API server does not accept the names of {definition}, because {other} already uses {name:?} \
             (spec.names.{field})"
        )
    }
}

/// A name, the field that contains it, and whether it names a kind. Kinds and resources may have the same name.
#[derive(PartialEq, Eq)]
struct Claim {
    field: &'static str,
    is_kind: bool,
    name: String,
}

/// Returns the first name of a definition that another definition on the cluster has. `existing` is the definition that
/// `new` replaces, whose accepted names stay its own.
pub(super) fn conflict(new: &Value, existing: Option<&Value>, objects: &Existing<'_>) -> Option<NameConflict> {
    let own = existing.filter(|existing| !is_refused(existing)).map(names);
    let mut wanted = names(new);
    wanted.retain(|name| own.as_ref().is_none_or(|own| !own.contains(name)));
    let group = text(new, "/spec/group");
    let others = objects.of_kind("apiextensions.k8s.io", CRD);
    let mut others = others.filter(|other| text(other, "/spec/group") == group && definition(other) != definition(new));
    others.find_map(|other| {
        let taken = names(other);
        let is_taken = |name: &Claim| {
            let mut same = taken.iter().filter(|taken| taken.is_kind == name.is_kind);
            same.any(|taken| taken.name == name.name)
        };
        let name = wanted.iter().find(|name| is_taken(name))?;
        Some(NameConflict {
            definition: definition(new).to_owned(),
            field: name.field,
            name: name.name.clone(),
            other: definition(other).to_owned(),
        })
    })
}

/// Whether the API server has refused names of a definition before.
fn is_refused(existing: &Value) -> bool {
    let conditions = existing.pointer("/status/conditions").and_then(Value::as_array);
    let mut conditions = conditions.into_iter().flatten();
    conditions.any(|condition| text(condition, "/type") == "NamesAccepted" && text(condition, "/status") == "False")
}

/// Returns the names of a definition, including those that the API server derives from the kind.
fn names(definition: &Value) -> Vec<Claim> {
    let text = |path: &str| text(definition, path).to_owned();
    let or = |name: String, default: String| if name.is_empty() { default } else { name };
    let kind = text("/spec/names/kind");
    let list_kind = if kind.is_empty() {
        String::new()
    } else {
        format!("{kind}List")
    };
    let mut resources = vec![
        ("plural", text("/spec/names/plural")),
        ("singular", or(text("/spec/names/singular"), kind.to_lowercase())),
    ];
    let short = definition.pointer("/spec/names/shortNames").and_then(Value::as_array);
    let short = short.into_iter().flatten().filter_map(Value::as_str);
    resources.extend(short.map(|name| ("shortNames", name.to_owned())));
    let list_kind = or(text("/spec/names/listKind"), list_kind);
    let kinds = [("kind", kind), ("listKind", list_kind)];
    let named = |is_kind| move |(field, name)| Claim { field, is_kind, name };
    let all = kinds
        .map(named(true))
        .into_iter()
        .chain(resources.into_iter().map(named(false)));
    all.filter(|name| !name.name.is_empty()).collect()
}

fn definition(definition: &Value) -> &str {
    text(definition, "/metadata/name")
}

fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default()
}
