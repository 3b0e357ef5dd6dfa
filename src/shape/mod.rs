//! Tables of fields, which describe the structure of values as data.
//!
//! A table is a [`Shape`]. [`check`] checks an author's file against a table, and `check_as_go` checks an object that
//! Go programs decode. [`typed`] encodes such an object like a Go program. [`json_schema`] converts a table to a JSON
//! Schema for editors, and [`nearest`] finds the intended name for a misspelled one.

mod builtin;
mod check;
mod go;
mod nearest;
mod schema;

pub(crate) use builtin::{check_builtin, elsewhere};
pub use check::{Fault, Fix, Problem, check};
pub(crate) use check::{check_as_go, either, given};
pub use go::typed;
pub(crate) use go::{entry, is_field, unset};
pub(crate) use nearest::Nearest;
pub use nearest::nearest;
pub use schema::json_schema;
pub(crate) use schema::{DRAFT_7, DRAFT_2020_12};

use crate::rules::Rule;

/// The allowed values of a field.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// Any value.
    Any,
    /// A string.
    Text,
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// A whole number between these bounds, inclusive.
    Within(i64, i64),
    /// A string or a number, such as `500m`.
    Quantity,
    /// A string or a whole number.
    IntOrString,
    /// One of these strings.
    Choice(&'static [&'static str]),
    /// A string with this syntax, or an empty string.
    Syntax(&'static Syntax),
    /// A value of the first of these shapes whose type matches. The string describes all of them.
    OneOf(&'static [Shape], &'static str),
    /// A list of values of this shape.
    List(&'static Shape),
    /// A map with these known keys; the values of all other keys have this shape.
    Map(&'static [Field], &'static Shape),
    /// A map with only these keys. An optional key with the value `null` is treated as absent.
    Object(&'static [Field]),
}

/// A list of strings.
pub(crate) const TEXTS: Shape = Shape::List(&Shape::Text);

/// A map of strings.
pub(crate) const TEXT_MAP: Shape = Shape::Map(&[], &Shape::Text);

impl Shape {
    /// Returns the field with this key, if the shape is a map with such a field.
    pub fn field(&self, key: &str) -> Option<&'static Field> {
        match self {
            Self::Object(fields) | Self::Map(fields, _) => fields.iter().find(|field| field.key == key),
            _ => None,
        }
    }

    /// Returns a description of the allowed values, for use in a sentence.
    pub fn wanted(&self) -> String {
        let words = match self {
            Self::Any => "a value",
            Self::Text | Self::Choice(_) | Self::Syntax(_) => "a string",
            Self::Boolean => "true or false",
            Self::Integer => "a whole number",
            Self::Within(least, most) => return format!("a whole number from {least} to {most}"),
            Self::Quantity => "a quantity such as 500m or 1Gi",
            Self::IntOrString => "a string or a whole number",
            Self::OneOf(_, words) => words,
            Self::List(_) => "a list",
            Self::Map(..) | Self::Object(_) => "a map",
        };
        words.to_owned()
    }
}

/// The syntax of a string.
#[derive(Debug)]
pub struct Syntax {
    /// The rule that a string with invalid syntax violates.
    pub rule: &'static Rule,
    /// Returns the problem with a string. Messages put it after the string.
    pub fault: fn(&str) -> Option<String>,
    /// The regular expression for a JSON Schema; it also matches the empty string.
    pub pattern: &'static str,
    /// The maximum number of characters, if the pattern does not limit it.
    pub longest: Option<usize>,
}

/// The definition of a map key in a table.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The key.
    pub key: &'static str,
    /// The allowed values.
    pub shape: Shape,
    /// Whether the field is required, or when it is written.
    pub presence: Presence,
    /// A one-sentence description for authors; empty in tables of types.
    pub about: &'static str,
    /// An example value as a starting point, as YAML; may be empty.
    pub example: &'static str,
    /// The target of the value.
    pub target: Target,
}

/// The condition under which a field is present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// A file may omit the field.
    Optional,
    /// A file must contain the field.
    Required,
    /// A file must contain the field, and its value must not be an empty string or an empty list.
    NotEmpty,
    /// A program always writes the field; if unset, as the empty value of its type.
    Always,
    /// A program always writes the field; if unset, as `null`.
    Nullable,
    /// A program writes the field only if its value is not empty.
    Filled,
    /// A program writes the field if it is set, even if its value is empty.
    Given,
}

impl Presence {
    /// Whether a file must contain the field.
    pub(crate) fn is_required(self) -> bool {
        matches!(self, Self::Required | Self::NotEmpty)
    }

    /// Whether the field is always present.
    pub(crate) fn is_certain(self) -> bool {
        self.is_required() || matches!(self, Self::Always | Self::Nullable)
    }
}

/// The target of a value in the object that is generated from a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// No target: the value controls the generation of the object.
    Nowhere,
    /// The value is copied to this path unchanged.
    Copied(&'static str),
    /// The value is written to this path in another form, or combined with inferred values. An empty value is treated
    /// as absent.
    Made(&'static str),
}

impl Field {
    /// Creates a field without an example or a target.
    pub const fn new(key: &'static str, shape: Shape, presence: Presence, about: &'static str) -> Self {
        Self {
            key,
            shape,
            presence,
            about,
            example: "",
            target: Target::Nowhere,
        }
    }

    /// Returns the same field with an example value as YAML.
    #[must_use]
    pub const fn example(mut self, example: &'static str) -> Self {
        self.example = example;
        self
    }

    /// Returns the same field, with its value copied to this path in the generated object.
    #[must_use]
    pub(crate) const fn copied_to(mut self, path: &'static str) -> Self {
        self.target = Target::Copied(path);
        self
    }

    /// Returns the same field, with its value used to generate the value at this path in the generated object.
    #[must_use]
    pub(crate) const fn made_into(mut self, path: &'static str) -> Self {
        self.target = Target::Made(path);
        self
    }
}

/// Creates an optional field.
pub const fn optional(key: &'static str, shape: Shape, about: &'static str) -> Field {
    Field::new(key, shape, Presence::Optional, about)
}

/// Creates a required field, whose value may be empty.
pub const fn required(key: &'static str, shape: Shape, about: &'static str) -> Field {
    Field::new(key, shape, Presence::Required, about)
}

/// Creates a field that a program always writes; if unset, as the empty value of its type.
pub(crate) const fn always(key: &'static str, shape: Shape, about: &'static str) -> Field {
    Field::new(key, shape, Presence::Always, about)
}

/// Creates a field that a program always writes; if unset, as `null`.
pub(crate) const fn nullable(key: &'static str, shape: Shape, about: &'static str) -> Field {
    Field::new(key, shape, Presence::Nullable, about)
}

/// Creates a required field, whose value must not be empty.
pub(crate) const fn not_empty(key: &'static str, shape: Shape, about: &'static str) -> Field {
    Field::new(key, shape, Presence::NotEmpty, about)
}
