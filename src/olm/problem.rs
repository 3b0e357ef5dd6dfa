//! What is wrong with a value.

use super::intent::UnknownIntent;
use super::limits;
use crate::text::{Path, kind_of};
use serde_json::{Map, Value};
use std::fmt;

/// Something that is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where in the value.
    pub path: Path,
    /// What it is.
    pub what: What,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// It is another kind of value than the one that is wanted.
    Type {
        /// Such as `a string`.
        wanted: &'static str,
        /// Such as `a list`.
        found: &'static str,
    },
    /// A constraint has a key that OLM does not know.
    UnknownKey,
    /// A constraint asks for nothing: it has none of these keys.
    Nothing(Vec<&'static str>),
    /// A constraint asks for several things at once, by these keys, of which the first one counts.
    Several(Vec<&'static str>),
    /// A constraint has this many bytes, which are too many.
    Long(usize),
    /// A constraint is nested too deep.
    Deep,
    /// An intent is none that there is.
    Intent(UnknownIntent),
    /// An intent stands inside a constraint. Released versions of OLM do not know the key.
    IntentInside,
}

impl Problem {
    /// Whether OLM cannot use the value. All else it takes, in one way or another.
    pub(crate) fn is_fatal(&self) -> bool {
        !matches!(self.what, What::Several(_) | What::IntentInside)
    }
}

/// With its place, as in `package.intent is …`.
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
            Self::UnknownKey => formatter.write_str("is not part of a constraint"),
            Self::Nothing(keys) => write!(formatter, "has none of {}", keys.join(", ")),
            Self::Several(keys) => write!(formatter, "has {} at once", keys.join(", ")),
            Self::Long(bytes) => write!(formatter, "has {bytes} bytes, and {} is the limit", limits::CONSTRAINT),
            Self::Deep => write!(
                formatter,
                "is nested more than {} levels deep",
                limits::CONSTRAINT_DEPTH
            ),
            Self::Intent(UnknownIntent(written)) => {
                write!(formatter, "is {written:?}, not required, recommended or optional")
            }
            Self::IntentInside => formatter.write_str("is not known to released versions of OLM"),
        }
    }
}

/// Reads fields of maps as Go does: names in any letters, `null` as nothing, and the last one of several counts.
pub(super) struct Fields<'value, 'problems> {
    map: Option<&'value Map<String, Value>>,
    path: Path,
    problems: &'problems mut Vec<Problem>,
}

impl<'value, 'problems> Fields<'value, 'problems> {
    /// The fields of a value, which is a map or nothing.
    pub(super) fn new(value: &'value Value, path: Path, problems: &'problems mut Vec<Problem>) -> Self {
        let map = value.as_object();
        if map.is_none() {
            problems.push(of_type(&path, "a map", value));
        }
        Self { map, path, problems }
    }

    /// The field, with its name as it is written.
    pub(super) fn value(&self, name: &str) -> Option<(&'value str, &'value Value)> {
        let found = self.map?.iter().rev();
        let mut found = found.filter(|(key, value)| key.eq_ignore_ascii_case(name) && !value.is_null());
        found.next().map(|(key, value)| (key.as_str(), value))
    }

    /// A field that is a string; empty where it is not there.
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

    /// A field that is a list, with its name as it is written; empty where it is not there.
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

    /// Reports each key that is not one of these.
    pub(super) fn only(&mut self, names: &[&str]) {
        for key in self.map.into_iter().flat_map(Map::keys) {
            if !names.iter().any(|name| name.eq_ignore_ascii_case(key)) {
                let path = self.path.key(key);
                let what = What::UnknownKey;
                self.problems.push(Problem { path, what });
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
