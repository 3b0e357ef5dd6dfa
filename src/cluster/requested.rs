//! The request resources of the proposal simplify-olm-apis: an `Operator` specifies the source of an operator and its
//! updates, and an `Install` specifies the content to install.

use super::state::Approval;
use crate::csv::GROUP;
use crate::text::{self, Limits};
use serde_json::Value;
use std::collections::BTreeMap;

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
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} {name}: {problem}")]
pub struct RequestError {
    /// `Operator` or `Install`.
    pub kind: &'static str,
    /// The name of the resource.
    pub name: String,
    /// A description of the problem, with the path of the field.
    pub problem: String,
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

/// Returns the Operators among objects that specify their source, in the order of the objects.
///
/// # Errors
/// Returns an error if one of them is invalid or contradicts itself.
pub fn operators(objects: &[Value]) -> Result<Vec<RequestedOperator>, RequestError> {
    let all = objects.iter().filter(|object| is(object, "Operator"));
    all.filter_map(|object| {
        let reader = Reader::of("Operator", object);
        let (field, updates) = reader.either("/spec/updates", "/spec/source")?;
        let updates = reader.updates(field, updates);
        Some(updates.map(|updates| RequestedOperator {
            name: reader.name,
            updates,
        }))
    })
    .collect()
}

/// Returns the Installs among objects, in the order of the objects.
///
/// # Errors
/// Returns an error if one of them has no content, is invalid, or contradicts itself.
pub fn installs(objects: &[Value]) -> Result<Vec<RequestedInstall>, RequestError> {
    let all = objects.iter().filter(|object| is(object, "Install"));
    all.map(|object| Reader::of("Install", object).install()).collect()
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

    fn wrong(&self, problem: String) -> RequestError {
        RequestError {
            kind: self.kind,
            name: self.name.clone(),
            problem,
        }
    }

    fn get(&self, pointer: &str) -> Option<&'a Value> {
        self.object.pointer(pointer).filter(|value| !value.is_null())
    }

    /// Returns the first existing value at one of two pointers, with its path.
    fn either(&self, one: &'static str, other: &'static str) -> Option<(&'static str, &'a Value)> {
        [one, other]
            .into_iter()
            .find_map(|pointer| Some((pointer, self.get(pointer)?)))
    }

    /// Returns the string at a key; `None` if the string is absent or empty.
    fn text(&self, path: &str, map: &'a Value, key: &str) -> Result<Option<String>, RequestError> {
        match map.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.is_empty())),
            Some(_) => Err(self.wrong(format!("{}.{key} must be a string", path_of(path)))),
        }
    }

    fn needed(&self, path: &str, map: &'a Value, key: &str) -> Result<String, RequestError> {
        let text = self.text(path, map, key)?;
        text.ok_or_else(|| self.wrong(format!("{}.{key} is missing", path_of(path))))
    }

    /// Returns the key named by the type of a union, and its value; the other key must not have a value.
    fn variant(
        &self,
        path: &str,
        union: &'a Value,
        variants: [(&'static str, &'static str); 2],
    ) -> Result<(&'static str, &'a Value), RequestError> {
        let kind = self.needed(path, union, "type")?;
        let path = path_of(path);
        let [one, other] = variants;
        let (named, against) = match variants.iter().position(|(name, _)| *name == kind) {
            Some(0) => (one, other),
            Some(_) => (other, one),
            None => {
                let problem = format!("{path}.type is {kind:?}; it must be {} or {}", one.0, other.0);
                return Err(self.wrong(problem));
            }
        };
        if union.get(against.1).is_some_and(|value| !value.is_null()) {
            return Err(self.wrong(format!("{path}.type is {kind}, but {path}.{} is also set", against.1)));
        }
        let value = union.get(named.1).filter(|value| !value.is_null());
        let missing = || self.wrong(format!("{path}.type is {kind}, but {path}.{} is missing", named.1));
        Ok((named.1, value.ok_or_else(missing)?))
    }

    fn updates(&self, path: &'static str, updates: &'a Value) -> Result<Updates, RequestError> {
        let variants = [("CatalogSource", "catalogSource"), ("ManifestImage", "manifestImage")];
        let (key, value) = self.variant(path, updates, variants)?;
        if key == "manifestImage" {
            return Ok(Updates::Image(self.needed(path, updates, key)?));
        }
        let path = format!("{path}/{key}");
        let text = |key| self.text(&path, value, key);
        let (package, channel, entrypoint) = (text("package")?, text("channel")?, text("entrypoint")?);
        if package.is_none() && channel.is_some() {
            let path = path_of(&path);
            return Err(self.wrong(format!("{path}.channel names a channel, but {path}.package is missing")));
        }
        if package.is_none() && entrypoint.is_none() {
            let path = path_of(&path);
            return Err(self.wrong(format!("{path} names neither a package nor an entrypoint")));
        }
        let approval = match text("approval")?.as_deref() {
            None | Some("Automatic") => Approval::Automatic,
            Some("Manual") => Approval::Manual,
            Some(other) => {
                let path = path_of(&path);
                let problem = format!("{path}.approval is {other:?}; it must be Automatic or Manual");
                return Err(self.wrong(problem));
            }
        };
        let reference = value.get("ref").unwrap_or(&Value::Null);
        let of_reference = format!("{path}/ref");
        Ok(Updates::Catalog(CatalogUpdates {
            package,
            channel,
            entrypoint,
            approval,
            catalog: self.needed(&of_reference, reference, "name")?,
            catalog_namespace: self.needed(&of_reference, reference, "namespace")?,
        }))
    }

    fn install(self) -> Result<RequestedInstall, RequestError> {
        let listed = self.either("/spec/content", "/spec/contents");
        let (field, listed) = listed.unwrap_or(("/spec/content", &Value::Null));
        let listed = listed.as_array().map(Vec::as_slice).unwrap_or_default();
        if listed.is_empty() {
            return Err(self.wrong("spec.content lists no content to install".to_owned()));
        }
        let content = listed
            .iter()
            .enumerate()
            .map(|(index, entry)| self.content(&format!("{field}/{index}"), entry));
        let content = content.collect::<Result<_, _>>()?;
        let approved = match self.get("/spec/approval") {
            None => false,
            Some(Value::String(text)) if text == "Approved" => true,
            Some(Value::String(text)) if text == "Unapproved" => false,
            Some(other) => {
                let problem = format!("spec.approval is {other}; it must be Approved or Unapproved");
                return Err(self.wrong(problem));
            }
        };
        Ok(RequestedInstall {
            namespaces: self.namespaces()?,
            approved,
            content,
            name: self.name,
        })
    }

    fn namespaces(&self) -> Result<BTreeMap<String, String>, RequestError> {
        let listed = self.get("/spec/namespaces").and_then(Value::as_array);
        let mut mapping = BTreeMap::new();
        for (index, entry) in listed.into_iter().flatten().enumerate() {
            let path = format!("/spec/namespaces/{index}");
            let (from, to) = (self.needed(&path, entry, "from")?, self.needed(&path, entry, "to")?);
            if let Some(other) = mapping.insert(from.clone(), to.clone())
                && other != to
            {
                let problem = format!("spec.namespaces maps the namespace {from} to {other} and to {to}");
                return Err(self.wrong(problem));
            }
        }
        Ok(mapping)
    }

    fn content(&self, path: &str, entry: &'a Value) -> Result<RequestedContent, RequestError> {
        let (key, value) = self.variant(path, entry, [("ManifestImage", "manifestImage"), ("Raw", "raw")])?;
        if key == "manifestImage" {
            return Ok(RequestedContent::Image(self.needed(path, entry, key)?));
        }
        let unreadable = |why: &str| self.wrong(format!("{}.raw {why}", path_of(path)));
        let objects = match value {
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
        let is_object = |object: &Value| {
            let text = |pointer| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
            let named = !text("/metadata/name").is_empty() || !text("/metadata/generateName").is_empty();
            !text("/apiVersion").is_empty() && !text("/kind").is_empty() && named
        };
        if objects.is_empty() || !objects.iter().all(is_object) {
            return Err(unreadable(
                "is not a Kubernetes object with apiVersion, kind and metadata.name",
            ));
        }
        Ok(RequestedContent::Raw(objects))
    }
}

/// Formats a JSON pointer as a path: `/spec/content/0` as `spec.content[0]`.
fn path_of(pointer: &str) -> String {
    let mut path = String::new();
    for part in pointer.split('/').filter(|part| !part.is_empty()) {
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            path.push_str(&format!("[{part}]"));
            continue;
        }
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(part);
    }
    path
}

#[cfg(test)]
mod tests;
