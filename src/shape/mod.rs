//! Tables of fields: what a value must look like, as data.
//!
//! A table is a [`Shape`]. [`check`] holds an author's file against one, and [`check_as_go`] an object that Go programs
//! read; [`typed`] writes such an object as they do. [`json_schema`] describes a table to editors, and [`nearest`]
//! finds the name that was meant.

mod builtin;
mod check;
mod go;
mod nearest;
mod schema;

pub(crate) use builtin::{check_builtin, elsewhere};
pub use check::{Fault, Mend, Problem, check};
pub(crate) use check::{check_as_go, given};
pub use go::typed;
pub(crate) use nearest::Nearest;
pub use nearest::nearest;
pub use schema::json_schema;
pub(crate) use schema::{DRAFT_7, DRAFT_2020_12};

use crate::rules::Rule;

/// What a value may be.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// Anything.
    Any,
    /// A string.
    Text,
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// A whole number from the first to the last.
    Within(i64, i64),
    /// A string or a number, such as `500m`.
    Quantity,
    /// A string or a whole number.
    IntOrString,
    /// One of these strings.
    Choice(&'static [&'static str]),
    /// A string with a syntax of its own, or an empty one.
    Syntax(&'static Syntax),
    /// A value of the first of these shapes that its type fits, with the words that name them all.
    OneOf(&'static [Shape], &'static str),
    /// A list of values of one shape.
    List(&'static Shape),
    /// A map where these keys are known, and the values of all others have one shape.
    Map(&'static [Field], &'static Shape),
    /// A map with these keys and no other. Behind an optional key, `null` is the same as no key.
    Object(&'static [Field]),
}

/// A list of strings.
pub(crate) const TEXTS: Shape = Shape::List(&Shape::Text);

/// A map of strings.
pub(crate) const TEXT_MAP: Shape = Shape::Map(&[], &Shape::Text);

impl Shape {
    /// The field of this key, where the shape is a map that has one.
    pub fn field(&self, key: &str) -> Option<&'static Field> {
        match self {
            Self::Object(fields) | Self::Map(fields, _) => fields.iter().find(|field| field.key == key),
            _ => None,
        }
    }

    /// What a value must be, for a sentence.
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
    /// The rule that a string breaks which does not follow it.
    pub rule: &'static Rule,
    /// What is wrong with a string, for a sentence that begins with the string.
    pub fault: fn(&str) -> Option<String>,
    /// The regular expression for a JSON Schema; it matches the empty string, too.
    pub pattern: &'static str,
    /// The most characters there may be, where the pattern does not say so.
    pub longest: Option<usize>,
}

/// One key of a map: everything that a table says about it.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The key.
    pub key: &'static str,
    /// What may stand behind it.
    pub shape: Shape,
    /// Whether it must be there, or when it is written.
    pub presence: Presence,
    /// One sentence for an author; empty in tables of types.
    pub about: &'static str,
    /// A value to start from, as YAML; empty where none is proposed.
    pub example: &'static str,
    /// Where the value goes.
    pub target: Target,
}

/// When a field is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// In a file: where the author likes.
    Optional,
    /// In a file: always.
    Required,
    /// In a file: always, and neither as an empty string nor as an empty list.
    NotEmpty,
    /// Written by a program: always, where nothing is given as the empty value of its type.
    Always,
    /// Written by a program: always, where nothing is given as `null`.
    Nullable,
    /// Written by a program: where it is not empty.
    Filled,
    /// Written by a program: where it is given, also when it is empty.
    Given,
}

impl Presence {
    /// Whether a file is wrong without the field.
    pub(crate) fn is_required(self) -> bool {
        matches!(self, Self::Required | Self::NotEmpty)
    }

    /// Whether the field is always there.
    pub(crate) fn is_certain(self) -> bool {
        self.is_required() || matches!(self, Self::Always | Self::Nullable)
    }
}

/// Where a value goes in the object that is made from a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Nowhere: it says how the object is made.
    Nowhere,
    /// To this path, unchanged.
    Copied(&'static str),
    /// To this path, in another form or together with what is inferred. An empty value is the same as none.
    Made(&'static str),
}

impl Field {
    /// A field that says no more than this.
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

    /// The same field with a value to start from, as YAML.
    #[must_use]
    pub const fn example(mut self, example: &'static str) -> Self {
        self.example = example;
        self
    }

    /// The same field, whose value is copied to this path of another object.
    #[must_use]
    pub(crate) const fn copied_to(mut self, path: &'static str) -> Self {
        self.target = Target::Copied(path);
        self
    }

    /// The same field, from whose value that at this path of another object is made.
    #[must_use]
    pub(crate) const fn made_into(mut self, path: &'static str) -> Self {
        self.target = Target::Made(path);
        self
    }
}

/// A field that an author may leave out.
pub const fn optional(key: &'static str, shape: Shape, about: &'static str) -> Field {
    Field::new(key, shape, Presence::Optional, about)
}

/// A field that must be there, though it may be empty.
pub const fn required(key: &'static str, shape: Shape, about: &'static str) -> Field {
    Field::new(key, shape, Presence::Required, about)
}

/// A field that must be there and say something.
pub(crate) const fn not_empty(key: &'static str, shape: Shape, about: &'static str) -> Field {
    Field::new(key, shape, Presence::NotEmpty, about)
}
