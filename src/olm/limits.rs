//! Sizes that OLM, Kubernetes and etcd fix.

/// Bytes of an object that etcd takes, by its default.
pub const OBJECT: usize = 3 << 19;
/// Bytes that a ConfigMap may hold, by the validation of the API server.
pub const CONFIG_MAP: usize = 1 << 20;
/// Bytes of a message that a gRPC client takes, by the default that OLM does not change.
pub(crate) const MESSAGE: usize = 4 << 20;
/// Bytes of a constraint that OLM's resolver takes.
pub(crate) const CONSTRAINT: usize = 128 << 10;
/// How deep constraints may be nested. OLM has no limit of its own; real ones are two or three deep.
pub(crate) const CONSTRAINT_DEPTH: usize = 64;
