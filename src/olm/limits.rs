//! Size limits of OLM, Kubernetes and etcd.

/// The maximum size in bytes of an object that etcd accepts by default.
pub const OBJECT: usize = 3 << 19;
/// The maximum size in bytes of a ConfigMap, according to the validation of the API server.
pub const CONFIG_MAP: usize = 1 << 20;
/// The maximum size in bytes of a message that a gRPC client accepts by default; OLM keeps this default.
pub(crate) const MESSAGE: usize = 4 << 20;
/// The maximum size in bytes of a constraint that OLM's resolver accepts.
pub(crate) const CONSTRAINT: usize = 128 << 10;
/// The maximum nesting depth of constraints. OLM itself has no limit; real constraints have two or three levels.
pub(crate) const CONSTRAINT_DEPTH: usize = 64;
