//! Problems with values.

use super::intent::{INTENT, UnknownIntent};
use super::limits;
use super::releases::{Feature, Olm, support};
use crate::text::{Path, Step, kind_of};
use serde_json::{Map, Value};
use std::fmt;

/// A problem with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The path in the value.
    pub path: Path,
    /// The type of the problem.
    pub what: What,
}

/// The type of a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// The value does not have the expected type.
    Type {
        /// The expected type, such as `a string`.
        wanted: &'static str,
        /// The type that was found, such as `a list`.
        found: &'static str,
    },
    /// A constraint has a key that OLM does not know.
    UnknownKey,
    /// A constraint has none of these keys, so it has no effect.
    Nothing(Vec<&'static str>),
    /// A constraint has several of these keys, of which only the first takes effect.
    Several(Vec<&'static str>),
    /// A constraint is larger than the limit; contains its size in bytes.
    Long(usize),
    /// A constraint is nested too deeply.
    Deep,
    /// An intent is unknown.
    Intent(UnknownIntent),
    /// A constraint has a key that only an OLM with this feature knows.
    Needs(Feature),
}

impl Problem {
    /// Returns whether OLM rejects the value. OLM accepts values with any other problem: a dependency with an intent
    /// that cannot be read is required, because released versions of OLM ignore intents.
    pub(crate) fn is_fatal(&self) -> bool {
        match self.what {
            What::Several(_) | What::Needs(_) | What::Intent(_) => false,
            What::Type { .. } => !self.is_of_intent(),
            What::UnknownKey | What::Nothing(_) | What::Long(_) | What::Deep => true,
        }
    }

    /// Returns whether the problem is in the intent of a package, or in a key of this name.
    pub(crate) fn is_of_intent(&self) -> bool {
        matches!(self.path.steps().last(), Some(Step::Key(key)) if key.eq_ignore_ascii_case(INTENT))
    }

    /// Returns what an OLM must support to accept the key at the path, if the key is the problem.
    pub(crate) fn required_feature(&self) -> Option<Feature> {
        match self.what {
            What::UnknownKey => Some(Feature::OtherConstraint),
            What::Needs(feature) => Some(feature),
            What::Type { .. } | What::Nothing(_) | What::Several(_) | What::Long(_) | What::Deep | What::Intent(_) => {
                None
            }
        }
    }
}

/// Displays the problem with its path, as in `package.intent is …`.
impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_root() {
            return write!(formatter, "the value {}", self.what);
        }
        write!(formatter, "{} {}", self.path, self.what)
    }
}

impl fmt::Display for What {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type { wanted, found } => write!(formatter, "is {found}, not {wanted}"),
            Self::UnknownKey => formatter.write_str("is not a field of a constraint"),
            Self::Nothing(keys) => write!(formatter, "has none of {}", keys.join(", ")),
            Self::Several(keys) => write!(formatter, "has {} at once", keys.join(", ")),
            Self::Long(bytes) => write!(
                formatter,
                "has {bytes} bytes, but the limit is {} bytes",
                limits::CONSTRAINT
            ),
            Self::Deep => write!(
                formatter,
                "is nested more than {} levels deep",
                limits::CONSTRAINT_DEPTH
            ),
            Self::Intent(UnknownIntent(written)) => {
                write!(
                    formatter,
                    "is {written:?}, but must be required, recommended or optional"
                )
            }
            Self::Needs(feature) if Olm::AnyRelease.does(*feature) => {
                formatter.write_str("is not supported by older releases of OLM")
            }
            Self::Needs(_) => formatter.write_str("is not supported by released versions of OLM"),
        }
    }
}

/// Reads map fields as Go does: names are case-insensitive, `null` counts as absent, and the last of several fields
/// with the same name takes precedence.
pub(super) struct Fields<'value, 'problems> {
    map: Option<&'value Map<String, Value>>,
    path: Path,
    problems: &'problems mut Vec<Problem>,
}

impl<'value, 'problems> Fields<'value, 'problems> {
    /// Reads the fields of a value; a value that is not a map is reported and has no fields.
    pub(super) fn new(value: &'value Value, path: Path, problems: &'problems mut Vec<Problem>) -> Self {
        let map = value.as_object();
        if map.is_none() {
            problems.push(of_type(&path, "a map", value));
        }
        Self { map, path, problems }
    }

    /// Returns a field, with its name as written.
    pub(super) fn value(&self, name: &str) -> Option<(&'value str, &'value Value)> {
        let found = self.map?.iter().rev();
        let mut found = found.filter(|(key, value)| key.eq_ignore_ascii_case(name) && !value.is_null());
        found.next().map(|(key, value)| (key.as_str(), value))
    }

    /// Returns a string field; an empty string if the field is absent.
    pub(super) fn string(&mut self, name: &str) -> String {
        match self.value(name) {
            None => String::new(),
            Some((_, Value::String(text))) => text.clone(),
            Some((key, other)) => {
                self.problems.push(of_type(&self.path.key(key), "a string", other));
                String::new()
            }
        }
    }

    /// Returns a list field with its name as written; an empty list if the field is absent.
    pub(super) fn list(&mut self, name: &'value str) -> (&'value str, &'value [Value]) {
        match self.value(name) {
            None => (name, &[]),
            Some((key, Value::Array(items))) => (key, items),
            Some((key, other)) => {
                self.problems.push(of_type(&self.path.key(key), "a list", other));
                (key, &[])
            }
        }
    }

    /// Reports a problem with a field.
    pub(super) fn report(&mut self, key: &str, what: What) {
        let path = self.path.key(key);
        self.problems.push(Problem { path, what });
    }

    /// Reports each key that is not one of these, or that not every OLM knows.
    pub(super) fn only(&mut self, names: &[&'static str]) {
        for key in self.map.into_iter().flat_map(Map::keys) {
            let name = names.iter().find(|name| name.eq_ignore_ascii_case(key));
            match name.map(|name| Feature::Constraint(name)) {
                None => self.report(key, What::UnknownKey),
                Some(feature) if support(feature).is_some() => self.report(key, What::Needs(feature)),
                Some(_) => {}
            }
        }
    }
}

pub(super) fn of_type(path: &Path, wanted: &'static str, value: &Value) -> Problem {
    let found = kind_of(value);
    let path = path.clone();
    Problem {
        path,
        what: What::Type { wanted, found },
    }
}
