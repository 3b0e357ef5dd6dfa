//! Bounds of version ranges.

use semver::Version;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bound {
    pub(super) operator: Operator,
    pub(super) version: Version,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}
