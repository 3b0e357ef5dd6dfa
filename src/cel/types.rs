//! The types of expressions, as far as they are known before the evaluation.

/// The type of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Boolean,
    Text,
    Number,
    Bytes,
    List,
    Map,
    Null,
    /// The name of a type, as a value.
    Named,
    Time,
    Duration,
    /// A type that is known only during the evaluation, such as the type of a property's value.
    Unknown,
}

impl Type {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Boolean => "true or false",
            Self::Text => "a string",
            Self::Number => "a number",
            Self::Bytes => "bytes",
            Self::List => "a list",
            Self::Map => "a map",
            Self::Null => "null",
            Self::Named => "a type",
            Self::Time => "a timestamp",
            Self::Duration => "a duration",
            Self::Unknown => "a value of any type",
        }
    }

    pub(super) fn may_be(self, wanted: Self) -> bool {
        self == wanted || [self, wanted].contains(&Self::Unknown)
    }

    /// Whether values of both types can be compared, or be the results of one condition. `null` is compatible with
    /// every type, because some types include it.
    pub(super) fn goes_with(self, other: Self) -> bool {
        self.may_be(other) || [self, other].contains(&Self::Null)
    }
}

/// The names of types, which can also be used as values.
pub(super) const TYPE_NAMES: [&str; 10] = [
    "bool",
    "bytes",
    "double",
    "int",
    "list",
    "map",
    "null_type",
    "string",
    "type",
    "uint",
];
