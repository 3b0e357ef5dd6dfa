//! Collects the content that is read from dumps.

use super::DumpLimits;
use crate::cluster::State;
use crate::cluster::state::Api;
use crate::kubernetes::builtin;
use crate::kubernetes::served::{self, ServedResource};
use crate::text::kind_of;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The size in bytes of a value without its text and its parts.
const VALUE: usize = std::mem::size_of::<Value>();
/// The overhead in bytes of a string.
const STRING: usize = 16;
/// The overhead in bytes of a map key.
const KEY: usize = 64;
/// The size in bytes of a served API.
const API: usize = 256;

/// A state to which the content of dumps is added.
pub(super) struct Gathered<'a> {
    keep: fn(Value) -> Value,
    limits: &'a DumpLimits,
    /// The approximate number of bytes that have been kept, without the initial content of the state, which was read
    /// within separate limits.
    size: usize,
    /// The part of `size` that the objects of each kind take.
    sizes: BTreeMap<String, usize>,
    state: &'a mut State,
    /// Whether a list, even an empty one, or the version of Kubernetes was read.
    listed: bool,
    /// The initial number of objects and APIs in the state.
    before: (usize, Option<usize>),
}

/// The reason why a value is rejected.
pub(super) enum Refusal {
    /// The value is not an object; the string describes what the value is instead.
    NoObject(String),
    /// The value contains too many values.
    Values,
    /// Keeping the value would exceed the limit.
    TooMuch {
        /// The kind whose objects take the most memory, and the number of bytes.
        largest: Option<(String, usize)>,
    },
}

impl<'a> Gathered<'a> {
    pub(super) fn new(keep: fn(Value) -> Value, limits: &'a DumpLimits, state: &'a mut State) -> Self {
        Self {
            keep,
            limits,
            size: 0,
            sizes: BTreeMap::new(),
            before: counts(state),
            listed: false,
            state,
        }
    }

    /// Returns `None` if the dumps contained no information about a cluster, not even an empty list of objects.
    pub(super) fn something(&self) -> Option<()> {
        (self.listed || self.before != counts(self.state)).then_some(())
    }

    /// Adds an object, a list of objects, a discovery document, or the version of Kubernetes.
    pub(super) fn take(&mut self, value: Value) -> Result<(), Refusal> {
        let said = value.get("kind").and_then(Value::as_str).unwrap_or_default();
        if said.starts_with("API")
            && let Some(served) = served::read(&value)
        {
            return self.serve(served);
        }
        if let Some(version) = kubernetes_version(&value) {
            self.keep_bytes(version.len())?;
            self.listed = true;
            self.state.kubernetes_version.get_or_insert_with(|| version.to_owned());
            return Ok(());
        }
        let mut map = match value {
            Value::Object(map) => map,
            Value::Array(items) => return items.into_iter().try_for_each(|item| self.take(item)),
            Value::Null => return Ok(()),
            other => return Err(Refusal::NoObject(kind_of(&other).to_owned())),
        };
        let text = |key: &str| map.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (kind, api_version) = (text("kind"), text("apiVersion"));
        // These documents list the groups, but not the resources of each group.
        if ["APIGroupList", "APIGroup", "APIVersions"].contains(&&*kind) {
            return Ok(());
        }
        if let Some(of_items) = kind.strip_suffix("List")
            && let Some(Value::Array(_) | Value::Null) | None = map.get("items")
            && !is_named(&map)
        {
            self.listed = true;
            let Some(Value::Array(items)) = map.shift_remove("items") else {
                return Ok(());
            };
            let whole = |item| completed(item, of_items, &api_version);
            return items.into_iter().try_for_each(|item| self.take(whole(item)));
        }
        let found = match (kind.is_empty(), api_version.is_empty(), is_named(&map)) {
            (true, true, _) => "a map without apiVersion and kind".to_owned(),
            (true, ..) => "a map without kind".to_owned(),
            (_, true, _) => format!("a {kind} without apiVersion"),
            (.., false) => format!("a {kind} without metadata.name"),
            (false, false, true) => {
                let object = (self.keep)(Value::Object(map));
                self.count(&object)?;
                self.state.objects.push(object);
                return Ok(());
            }
        };
        Err(Refusal::NoObject(found))
    }

    /// Counts a value as kept.
    pub(super) fn count(&mut self, value: &Value) -> Result<(), Refusal> {
        let size = size_of(value);
        let kind = value.get("kind").and_then(Value::as_str).unwrap_or_default();
        match self.sizes.get_mut(kind) {
            Some(sum) => *sum = sum.saturating_add(size),
            None => drop(self.sizes.insert(kind.to_owned(), size)),
        }
        self.keep_bytes(size)
    }

    fn keep_bytes(&mut self, bytes: usize) -> Result<(), Refusal> {
        self.size = self.size.saturating_add(bytes);
        if self.size > self.limits.kept {
            let sizes = self.sizes.iter().filter(|(kind, _)| !kind.is_empty());
            let largest = sizes.max_by_key(|(_, size)| **size);
            return Err(Refusal::TooMuch {
                largest: largest.map(|(kind, size)| (kind.clone(), *size)),
            });
        }
        Ok(())
    }

    pub(super) fn serve(&mut self, served: Vec<ServedResource>) -> Result<(), Refusal> {
        self.keep_bytes(served.len() * API)?;
        let apis = served.into_iter().map(|served| {
            let usual = || builtin::find_kind(&served.gvk.group, &served.gvk.kind).is_none_or(|row| row.namespaced);
            Api {
                namespaced: served.namespaced.unwrap_or_else(usual),
                plural: Some(served.resource),
                kind: served.gvk,
            }
        });
        self.state.apis.get_or_insert_default().extend(apis);
        Ok(())
    }
}

fn counts(state: &State) -> (usize, Option<usize>) {
    (state.objects.len(), state.apis.as_ref().map(Vec::len))
}

/// Returns the version in the output of `kubectl version`, or of `kubectl get --raw /version`.
fn kubernetes_version(value: &Value) -> Option<&str> {
    let value = value.as_object().filter(|map| !map.contains_key("kind"))?;
    let of_server = value.get("serverVersion").and_then(|server| server.get("gitVersion"));
    of_server.or_else(|| value.get("gitVersion"))?.as_str()
}

fn is_named(map: &Map<String, Value>) -> bool {
    let name = map.get("metadata").and_then(|metadata| metadata.get("name"));
    name.and_then(Value::as_str).is_some_and(|name| !name.is_empty())
}

/// Adds the kind and API version that a list such as `PodList` implies to an item that does not have them itself.
fn completed(item: Value, kind: &str, api_version: &str) -> Value {
    let says_itself = |item: &Map<String, Value>| item.contains_key("kind") && item.contains_key("apiVersion");
    match item {
        Value::Object(mut item) if !kind.is_empty() && !says_itself(&item) => {
            let mut whole = Map::new();
            for (key, of_list) in [("apiVersion", api_version), ("kind", kind)] {
                let own = item.shift_remove(key);
                whole.insert(key.to_owned(), own.unwrap_or_else(|| Value::from(of_list)));
            }
            whole.extend(item);
            Value::Object(whole)
        }
        other => other,
    }
}

/// Returns the approximate size in bytes of a value with its parts.
fn size_of(value: &Value) -> usize {
    VALUE
        + match value {
            Value::String(text) => STRING + text.len(),
            Value::Array(items) => items.iter().map(size_of).sum(),
            Value::Object(map) => map.iter().map(|(key, value)| KEY + key.len() + size_of(value)).sum(),
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
}
