//! The request resources of the proposal simplify-olm-apis: an `Operator` specifies the source of an operator and its
//! updates, and an `Install` specifies the content to install.

pub(crate) mod fields;

use super::state::Approval;
use crate::csv::GROUP;
use crate::kubernetes::names::fault_of_dns1123_label;
use crate::manifest::items;
use crate::shape::{self, Shape};
use crate::source::Place;
use crate::text::{self, Limits, Path};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// `apiVersion` of both kinds.
pub const API_VERSION: &str = "operators.coreos.com/v2alpha1";

/// An `Operator` that specifies its source. Operators created by OLM do not specify a source and are not included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedOperator {
    /// The name.
    pub name: String,
    /// `spec.updates`.
    pub updates: Updates,
}

/// The source of an operator and its updates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Updates {
    /// A CatalogSource.
    Catalog(CatalogUpdates),
    /// A bundle image, so there are no updates.
    Image(String),
}

/// `spec.updates.catalogSource` of an `Operator`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogUpdates {
    /// The package. Without a package, the entrypoint is installed and not updated.
    pub package: Option<String>,
    /// The channel; `None` for any.
    pub channel: Option<String>,
    /// The first bundle to install.
    pub entrypoint: Option<String>,
    /// The approval mode for updates.
    pub approval: Approval,
    /// The name of the CatalogSource.
    pub catalog: String,
    /// The namespace of the CatalogSource.
    pub catalog_namespace: String,
}

/// An `Install`.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestedInstall {
    /// The name.
    pub name: String,
    /// The namespaces to replace, each with its replacement.
    pub namespaces: BTreeMap<String, String>,
    /// Whether a user has approved the required permissions.
    pub approved: bool,
    /// The content to install; never empty.
    pub content: Vec<RequestedContent>,
}

/// An entry of `spec.content` of an `Install`.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestedContent {
    /// A bundle image.
    Image(String),
    /// Manifests, one object for each document.
    Raw(Vec<Value>),
}

/// An `Operator` or `Install` with an invalid or contradictory request.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}{kind} {name}: {problem}", .place.as_ref().map_or(String::new(), |place| format!("{place}: ")))]
pub struct RequestError {
    /// `Operator` or `Install`.
    pub kind: &'static str,
    /// The name of the resource.
    pub name: String,
    /// The path of the field.
    pub at: Path,
    /// A description of the problem, with the path of the field.
    pub problem: String,
    /// The place of the field, if it is known.
    pub place: Option<Place>,
}

impl RequestError {
    /// Returns the error with the place of the field in the file `name` that contains the resource.
    #[must_use]
    pub fn in_file(mut self, name: &str, bytes: &[u8], limits: &Limits) -> Self {
        let read = text::read(name, bytes, limits).documents;
        self.place = read.iter().find_map(|document| {
            let value = document.value();
            let count = items(Some(value)).map_or(0, Vec::len);
            let of_items = (0..count).map(|index| Path::root().key("items").index(index));
            let root = std::iter::once(Path::root()).chain(of_items).find(|root| {
                let object = root.get(value);
                object.is_some_and(|object| is(object, self.kind) && Reader::of(self.kind, object).name == self.name)
            })?;
            Some(document.key_place(&root.join(&self.at)))
        });
        self
    }
}

/// Returns whether an object has this OLM kind.
fn is(object: &Value, kind: &str) -> bool {
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let group = text("apiVersion").split_once('/').map(|(group, _)| group);
    text("kind") == kind && group == Some(GROUP)
}

/// Returns whether an object is an OLM `Operator` or `Install`.
pub fn is_request(object: &Value) -> bool {
    is(object, "Operator") || is(object, "Install")
}

/// Returns the name of an object if the object is an `Operator` in the API version of the proposal. Operators that OLM
/// creates have another API version.
pub fn proposed_operator(object: &Value) -> Option<&str> {
    let proposed = object.get("apiVersion").and_then(Value::as_str) == Some(API_VERSION);
    let name = object.pointer("/metadata/name").and_then(Value::as_str);
    name.filter(|_| proposed && is(object, "Operator"))
}

/// Returns the kind and the name of an `Operator` or `Install` that occurs twice.
pub fn twice(requests: &[Value]) -> Option<(&str, &str)> {
    let mut seen = BTreeSet::new();
    requests.iter().map(identity).find(|request| !seen.insert(*request))
}

/// Adds requests to the objects of a cluster. A request replaces the object with the same kind and name.
pub fn add(requests: &[Value], objects: &mut Vec<Value>) {
    let added: BTreeSet<(&str, &str)> = requests.iter().map(identity).collect();
    objects.retain(|object| !is_request(object) || !added.contains(&identity(object)));
    objects.extend(requests.iter().cloned());
}

fn identity(request: &Value) -> (&str, &str) {
    let text = |pointer: &str| request.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    (text("/kind"), text("/metadata/name"))
}

/// Returns the Operators among objects that specify their source, in the order of the objects.
///
/// # Errors
/// Returns an error if one of them is invalid or contradicts itself.
pub fn operators(objects: &[Value]) -> Result<Vec<RequestedOperator>, RequestError> {
    let all = objects.iter().filter(|object| is(object, "Operator"));
    all.filter_map(|object| {
        let reader = Reader::of("Operator", object);
        let checked = reader.check(&fields::OPERATOR);
        checked.and_then(|()| reader.operator()).transpose()
    })
    .collect()
}

/// Returns the Installs among objects, in the order of the objects.
///
/// # Errors
/// Returns an error if one of them has no content, is invalid, or contradicts itself.
pub fn installs(objects: &[Value]) -> Result<Vec<RequestedInstall>, RequestError> {
    let all = objects.iter().filter(|object| is(object, "Install"));
    all.map(|object| {
        let reader = Reader::of("Install", object);
        reader.check(&fields::INSTALL)?;
        reader.install()
    })
    .collect()
}

/// Reads one resource.
struct Reader<'a> {
    kind: &'static str,
    name: String,
    object: &'a Value,
}

impl<'a> Reader<'a> {
    fn of(kind: &'static str, object: &'a Value) -> Self {
        let name = object.pointer("/metadata/name").and_then(Value::as_str);
        Self {
            kind,
            name: name.unwrap_or_default().to_owned(),
            object,
        }
    }

    /// Returns the error for a field. `problem` follows the path of the field in the message.
    fn wrong(&self, at: Path, problem: &str) -> RequestError {
        let problem = format!("{at} {problem}");
        self.error(at, problem)
    }

    fn error(&self, at: Path, problem: String) -> RequestError {
        RequestError {
            kind: self.kind,
            name: self.name.clone(),
            at,
            problem,
            place: None,
        }
    }

    /// Checks that the fields of a resource in the API version of the proposal are known. Other versions may have other
    /// fields.
    fn check(&self, shape: &Shape) -> Result<(), RequestError> {
        if self.object.get("apiVersion").and_then(Value::as_str) != Some(API_VERSION) {
            return Ok(());
        }
        match shape::check(self.object, shape, 1).pop() {
            None => Ok(()),
            Some(found) => {
                let whole = format!("the {}", self.kind);
                let problem = format!("{}{}", found.message(&whole), found.advice());
                Err(self.error(found.path, problem))
            }
        }
    }

    fn get(&self, path: &Path) -> Option<&'a Value> {
        path.get(self.object).filter(|value| !value.is_null())
    }

    /// Returns the value under one of two keys of the specification, with its path; the other key must not have a
    /// value.
    fn either(&self, one: &str, other: &str) -> Result<Option<(Path, &'a Value)>, RequestError> {
        let [one, other] = [one, other].map(|key| Path::root().key("spec").key(key));
        match (self.get(&one), self.get(&other)) {
            (Some(_), Some(_)) => Err(self.wrong(other, &format!("has the same meaning as {one}, which is also set"))),
            (Some(value), None) => Ok(Some((one, value))),
            (None, Some(value)) => Ok(Some((other, value))),
            (None, None) => Ok(None),
        }
    }

    /// Returns the string at a key; `None` if the string is absent or empty.
    fn text(&self, path: &Path, map: &'a Value, key: &str) -> Result<Option<String>, RequestError> {
        match map.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.is_empty())),
            Some(_) => Err(self.wrong(path.key(key), "must be a string")),
        }
    }

    fn needed(&self, path: &Path, map: &'a Value, key: &str) -> Result<String, RequestError> {
        let text = self.text(path, map, key)?;
        text.ok_or_else(|| self.wrong(path.key(key), "is missing"))
    }

    /// Returns the name of a namespace, which can exist in a cluster.
    fn namespace(&self, path: &Path, map: &'a Value, key: &str) -> Result<String, RequestError> {
        let name = self.needed(path, map, key)?;
        match fault_of_dns1123_label(&name) {
            None => Ok(name),
            Some(fault) => Err(self.wrong(path.key(key), &format!("{name:?} {fault}"))),
        }
    }

    /// Returns the key named by the type of a union, and its value; the other key must not have a value.
    fn variant(
        &self,
        path: &Path,
        union: &'a Value,
        variants: [(&'static str, &'static str); 2],
    ) -> Result<(&'static str, &'a Value), RequestError> {
        let kind = self.needed(path, union, "type")?;
        let [one, other] = variants;
        let of_type = |problem: String| self.wrong(path.key("type"), &problem);
        let (named, against) = match variants.iter().position(|(name, _)| *name == kind) {
            Some(0) => (one, other),
            Some(_) => (other, one),
            None => return Err(of_type(format!("is {kind:?}; it must be {} or {}", one.0, other.0))),
        };
        if union.get(against.1).is_some_and(|value| !value.is_null()) {
            return Err(of_type(format!("is {kind}, but {} is also set", path.key(against.1))));
        }
        let value = union.get(named.1).filter(|value| !value.is_null());
        let missing = || of_type(format!("is {kind}, but {} is missing", path.key(named.1)));
        Ok((named.1, value.ok_or_else(missing)?))
    }

    fn operator(self) -> Result<Option<RequestedOperator>, RequestError> {
        let Some((path, updates)) = self.either("updates", "source")? else {
            return Ok(None);
        };
        let updates = self.updates(&path, updates)?;
        Ok(Some(RequestedOperator {
            name: self.name,
            updates,
        }))
    }

    fn updates(&self, path: &Path, updates: &'a Value) -> Result<Updates, RequestError> {
        let variants = [("CatalogSource", "catalogSource"), ("ManifestImage", "manifestImage")];
        let (key, value) = self.variant(path, updates, variants)?;
        if key == "manifestImage" {
            return Ok(Updates::Image(self.needed(path, updates, key)?));
        }
        let path = path.key(key);
        let text = |key| self.text(&path, value, key);
        let (package, channel, entrypoint) = (text("package")?, text("channel")?, text("entrypoint")?);
        if package.is_none() && channel.is_some() {
            let problem = format!("names a channel, but {} is missing", path.key("package"));
            return Err(self.wrong(path.key("channel"), &problem));
        }
        if package.is_none() && entrypoint.is_none() {
            return Err(self.wrong(path, "names neither a package nor an entrypoint"));
        }
        let approval = match text("approval")?.as_deref() {
            None | Some("Automatic") => Approval::Automatic,
            Some("Manual") => Approval::Manual,
            Some(other) => {
                let problem = format!("is {other:?}; it must be Automatic or Manual");
                return Err(self.wrong(path.key("approval"), &problem));
            }
        };
        let reference = value.get("ref").unwrap_or(&Value::Null);
        let of_reference = path.key("ref");
        Ok(Updates::Catalog(CatalogUpdates {
            package,
            channel,
            entrypoint,
            approval,
            catalog: self.needed(&of_reference, reference, "name")?,
            catalog_namespace: self.namespace(&of_reference, reference, "namespace")?,
        }))
    }

    fn install(self) -> Result<RequestedInstall, RequestError> {
        let spec = Path::root().key("spec");
        let listed = self.either("content", "contents")?;
        let (path, listed) = listed.unwrap_or((spec.key("content"), &Value::Null));
        let listed = listed.as_array().map(Vec::as_slice).unwrap_or_default();
        if listed.is_empty() {
            return Err(self.wrong(path, "lists no content to install"));
        }
        let content = listed
            .iter()
            .enumerate()
            .map(|(index, entry)| self.content(&path.index(index), entry));
        let content = content.collect::<Result<_, _>>()?;
        let approval = spec.key("approval");
        let approved = match self.get(&approval) {
            None => false,
            Some(Value::String(text)) if text == "Approved" => true,
            Some(Value::String(text)) if text == "Unapproved" => false,
            Some(other) => {
                return Err(self.wrong(approval, &format!("is {other}; it must be Approved or Unapproved")));
            }
        };
        Ok(RequestedInstall {
            namespaces: self.namespaces(&spec.key("namespaces"))?,
            approved,
            content,
            name: self.name,
        })
    }

    fn namespaces(&self, path: &Path) -> Result<BTreeMap<String, String>, RequestError> {
        let listed = self.get(path).and_then(Value::as_array);
        let mut mapping = BTreeMap::new();
        for (index, entry) in listed.into_iter().flatten().enumerate() {
            let of_entry = path.index(index);
            let from = self.needed(&of_entry, entry, "from")?;
            let to = self.namespace(&of_entry, entry, "to")?;
            if let Some(other) = mapping.insert(from.clone(), to.clone())
                && other != to
            {
                let problem = format!("maps the namespace {from} to {other} and to {to}");
                return Err(self.wrong(path.clone(), &problem));
            }
        }
        Ok(mapping)
    }

    fn content(&self, path: &Path, entry: &'a Value) -> Result<RequestedContent, RequestError> {
        let (key, value) = self.variant(path, entry, [("ManifestImage", "manifestImage"), ("Raw", "raw")])?;
        if key == "manifestImage" {
            return Ok(RequestedContent::Image(self.needed(path, entry, key)?));
        }
        let unreadable = |why: &str| self.wrong(path.key("raw"), why);
        let read: Vec<Value> = match value {
            Value::String(text) => {
                let read = text::read("raw", text.as_bytes(), &Limits::default());
                if let Some(error) = read.diagnostics.iter().find(|finding| finding.is_error()) {
                    return Err(unreadable(&format!("is not YAML or JSON: {}", error.message)));
                }
                let values = read.documents.into_iter().map(text::Document::into_value);
                values.filter(|value| !value.is_null()).collect()
            }
            object => vec![object.clone()],
        };
        let objects = read.into_iter().flat_map(|object| match items(Some(&object)) {
            Some(items) => items.clone(),
            None => vec![object],
        });
        let objects: Vec<Value> = objects.collect();
        let is_object = |object: &Value| {
            let text = |pointer| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
            let named = !text("/metadata/name").is_empty() || !text("/metadata/generateName").is_empty();
            !text("/apiVersion").is_empty() && !text("/kind").is_empty() && named
        };
        if objects.is_empty() {
            return Err(unreadable("contains no object"));
        }
        if !objects.iter().all(is_object) {
            return Err(unreadable(
                "is not a Kubernetes object with apiVersion, kind and metadata.name",
            ));
        }
        Ok(RequestedContent::Raw(objects))
    }
}

#[cfg(test)]
mod tests;
