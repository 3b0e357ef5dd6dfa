//! The path of a value inside a document.

use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// A step from a value to a nested value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// A step into a map. Paths share their keys, because validation creates many paths with the same beginning.
    Key(Arc<str>),
    /// A step into a list, by a position counted from 0.
    Index(usize),
}

impl From<&str> for Step {
    fn from(key: &str) -> Self {
        Self::Key(key.into())
    }
}

impl From<String> for Step {
    fn from(key: String) -> Self {
        Self::Key(key.into())
    }
}

impl From<usize> for Step {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// The path from the root of a document to one of its values; displayed as `spec.rules[0].verbs`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(Vec<Step>);

impl Path {
    /// Returns the path of the document itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// Returns this path extended by a step into a map.
    #[must_use]
    pub fn key(&self, key: impl AsRef<str>) -> Self {
        self.with(Step::from(key.as_ref()))
    }

    /// Returns this path extended by a step into a list.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.with(Step::Index(index))
    }

    fn with(&self, step: Step) -> Self {
        let mut steps = Vec::with_capacity(self.0.len() + 1);
        steps.extend_from_slice(&self.0);
        steps.push(step);
        Self(steps)
    }

    /// Appends a step.
    pub fn push(&mut self, step: impl Into<Step>) {
        self.0.push(step.into());
    }

    /// Inserts a step at the beginning.
    pub(crate) fn prepend(&mut self, step: Step) {
        self.0.insert(0, step);
    }

    /// Removes the last step and returns it.
    pub fn pop(&mut self) -> Option<Step> {
        self.0.pop()
    }

    /// Returns this path followed by all steps of the other path.
    #[must_use]
    pub fn join(&self, below: &Path) -> Self {
        let mut path = self.clone();
        path.0.extend_from_slice(&below.0);
        path
    }

    /// Returns the path without its last step; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        let (_, rest) = self.0.split_last()?;
        Some(Self(rest.to_vec()))
    }

    /// Returns the steps from the root.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// Returns whether the path is that of the document itself.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value at this path, if any.
    pub fn get<'value>(&self, root: &'value Value) -> Option<&'value Value> {
        self.0.iter().try_fold(root, |value, step| match step {
            Step::Key(key) => value.as_object()?.get(&**key),
            Step::Index(index) => value.as_array()?.get(*index),
        })
    }

    /// Returns the value at this path for a change, if any.
    pub(crate) fn get_mut<'value>(&self, root: &'value mut Value) -> Option<&'value mut Value> {
        self.0.iter().try_fold(root, |value, step| match step {
            Step::Key(key) => value.as_object_mut()?.get_mut(&**key),
            Step::Index(index) => value.as_array_mut()?.get_mut(*index),
        })
    }

    /// Parses the display form of a [`Path`]. Any text that does not follow this form becomes part of a key, so every
    /// string is a valid path.
    pub fn parse(text: &str) -> Self {
        let mut path = Self::root();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some((step, after)) = bracketed(rest) {
                path.0.push(step);
                rest = after.strip_prefix('.').unwrap_or(after);
                continue;
            }
            let first = rest.chars().next().map_or(0, char::len_utf8);
            let end = rest[first..].find(['.', '[']).map_or(rest.len(), |at| first + at);
            path.0.push(Step::from(&rest[..end]));
            rest = rest[end..].strip_prefix('.').unwrap_or(&rest[end..]);
        }
        path
    }
}

/// Parses `[3]` or `["a.b/c"]` at the beginning; returns the step and the remaining text.
fn bracketed(text: &str) -> Option<(Step, &str)> {
    let inner = text.strip_prefix('[')?;
    if inner.starts_with('"') {
        let mut key = serde_json::Deserializer::from_str(inner).into_iter::<String>();
        let step = Step::from(key.next()?.ok()?);
        let after = inner.get(key.byte_offset()..)?.strip_prefix(']')?;
        return Some((step, after));
    }
    let (index, after) = inner.split_once(']')?;
    if index.is_empty() || !index.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some((Step::Index(index.parse().ok()?), after))
}

impl From<&str> for Path {
    fn from(text: &str) -> Self {
        Self::parse(text)
    }
}

impl From<Vec<Step>> for Path {
    fn from(steps: Vec<Step>) -> Self {
        Self(steps)
    }
}

impl FromIterator<Step> for Path {
    fn from_iter<I: IntoIterator<Item = Step>>(steps: I) -> Self {
        Self(steps.into_iter().collect())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(index) => write!(formatter, "[{index}]")?,
                Step::Key(key) if is_simple(key) => {
                    let dot = if number == 0 { "" } else { "." };
                    write!(formatter, "{dot}{key}")?;
                }
                Step::Key(key) => write!(formatter, "[{}]", Value::from(&**key))?,
            }
        }
        Ok(())
    }
}

fn is_simple(key: &str) -> bool {
    !key.is_empty()
        && key
            .chars()
            .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '$'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_path_is_displayed_in_common_notation() {
        let path = Path::root().key("spec").key("rules").index(0).key("verbs");
        assert_eq!(path.to_string(), "spec.rules[0].verbs");
        let path = Path::root().key("metadata").key("annotations").key("a.b/c");
        assert_eq!(path.to_string(), r#"metadata.annotations["a.b/c"]"#);
        assert_eq!(Path::root().key("").index(1).to_string(), r#"[""][1]"#);
        assert_eq!(Path::root().to_string(), "");
    }

    #[test]
    fn a_path_locates_values() {
        let value = json!({"a": [{"b.c": 1}]});
        assert_eq!(Path::from(r#"a[0]["b.c"]"#).get(&value), Some(&json!(1)));
        assert_eq!(Path::from("a[1]").get(&value), None);
        assert_eq!(Path::from("a.b").get(&value), None);
        assert_eq!(Path::root().get(&value), Some(&value));
        assert_eq!(Path::from("a[0]").parent(), Some(Path::from("a")));
        assert_eq!(Path::root().parent(), None);
    }

    proptest! {
        #![proptest_config(crate::text::tests::property(256))]

        #[test]
        fn a_displayed_path_parses_back(steps in prop::collection::vec(
            prop_oneof![any::<String>().prop_map(Step::from), any::<usize>().prop_map(Step::Index)], 0..5
        )) {
            let path = Path::from(steps);
            prop_assert_eq!(Path::parse(&path.to_string()), path);
        }

        #[test]
        fn any_text_can_be_parsed_as_a_path(text in ".*") {
            let _ = Path::parse(&text);
        }
    }
}
