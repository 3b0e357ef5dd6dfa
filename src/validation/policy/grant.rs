//! The permissions that a bundle grants, with their places.

use super::Scope;
use crate::kubernetes::rbac::Rule;
use crate::text::Path;

/// A place: the position among the judged objects, and the path in the object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) object: usize,
    pub(super) path: Path,
}

/// Permissions that a bundle grants.
#[derive(Debug)]
pub(super) struct Grant {
    pub(super) scope: Scope,
    pub(super) rules: Vec<Rule>,
    pub(super) origin: Origin,
    pub(super) spot: Spot,
}

/// The origin of the rules of a grant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// The bundle contains them.
    Written,
    /// The bundle contains them in a ClusterRole to which no binding of the bundle refers.
    Unbound,
    /// The bundle contains them for a namespace, and OLM extends them to the whole cluster.
    Extended,
    /// OLM grants them to the accounts that serve webhooks or APIs.
    Serving,
    /// The bundle binds this role, which is not part of the bundle.
    Bound(String),
    /// The rules are unknown, and could be any. The text describes the grant and states the reason.
    Unknown(String),
}
