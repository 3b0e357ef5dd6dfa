//! Looks up nested fields of an object by name; errors include the path.

use super::RecordError;
use crate::text::kind_of;
use serde_json::Value;

/// A value inside an object. The value may be absent; null is treated as absent.
#[derive(Debug, Clone)]
pub(super) struct Field<'a> {
    origin: &'a str,
    object: &'a Value,
    value: Option<&'a Value>,
    path: String,
}

impl<'a> Field<'a> {
    /// Returns the object itself as a field.
    pub(super) fn of(origin: &'a str, object: &'a Value) -> Self {
        Self {
            origin,
            object,
            value: Some(object),
            path: String::new(),
        }
    }

    /// Returns the value of a key; absent if this field is not a map.
    pub(super) fn at(&self, key: &str) -> Self {
        let value = self.value.and_then(|value| value.get(key));
        let path = if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        };
        self.with(value, path)
    }

    fn with(&self, value: Option<&'a Value>, path: String) -> Self {
        Self {
            value: value.filter(|value| !value.is_null()),
            path,
            ..*self
        }
    }

    /// Returns the path of the value in the object, such as `spec.skips[0]`.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Returns the value as a string; empty if absent.
    pub(super) fn text(&self) -> Result<&'a str, RecordError> {
        match self.value {
            None => Ok(""),
            Some(Value::String(text)) => Ok(text),
            Some(other) => Err(self.shape("a string", other)),
        }
    }

    /// Returns the items of a list; empty if absent.
    pub(super) fn items(&self) -> Result<Vec<Self>, RecordError> {
        match self.value {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => {
                let items = items.iter().enumerate();
                Ok(items
                    .map(|(index, item)| self.with(Some(item), format!("{}[{index}]", self.path)))
                    .collect())
            }
            Some(other) => Err(self.shape("a list", other)),
        }
    }

    /// Returns the items of a list, which must be maps; empty if absent.
    pub(super) fn maps(&self) -> Result<Vec<Self>, RecordError> {
        let items = self.items()?;
        for item in &items {
            match item.value {
                None | Some(Value::Object(_)) => {}
                Some(other) => return Err(item.shape("a map", other)),
            }
        }
        Ok(items)
    }

    /// Returns the non-empty strings of a list; empty if absent.
    pub(super) fn names(&self) -> Result<Vec<String>, RecordError> {
        let mut names = Vec::new();
        for item in self.items()? {
            let name = item.text()?;
            names.extend((!name.is_empty()).then(|| name.to_owned()));
        }
        Ok(names)
    }

    fn shape(&self, expected: &'static str, found: &Value) -> RecordError {
        let word = |value: &Value| value.as_str().unwrap_or("(unnamed)").to_owned();
        RecordError::Shape {
            origin: self.origin.to_owned(),
            object: format!(
                "{} {}",
                word(&self.object["kind"]),
                word(&self.object["metadata"]["name"])
            ),
            path: self.path.clone(),
            expected,
            found: kind_of(found).to_owned(),
        }
    }
}
