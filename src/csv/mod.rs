//! The `ClusterServiceVersion` (CSV): typed for what opmx reasons about, everything else carried through.

use serde_json::{Map, Value};

/// API group.
pub const GROUP: &str = "operators.coreos.com";
/// `apiVersion` of every CSV.
pub const API_VERSION: &str = "operators.coreos.com/v1alpha1";
/// Kind.
pub const KIND: &str = "ClusterServiceVersion";
/// The only install strategy there is.
pub const STRATEGY: &str = "deployment";
/// Annotation that names the range of versions this one upgrades from.
pub const SKIP_RANGE: &str = "olm.skipRange";
/// Annotation that names the version this one substitutes.
pub const SUBSTITUTES_FOR: &str = "olm.substitutesFor";
/// Annotation with sample custom resources, a JSON list.
pub const EXAMPLES: &str = "alm-examples";

/// A view of a CSV. What is absent or of another shape reads as empty.
#[derive(Debug, Clone, Copy)]
pub struct Csv<'a>(pub &'a Value);

impl<'a> Csv<'a> {
    /// The value at these keys.
    pub fn get(self, keys: &[&str]) -> Option<&'a Value> {
        keys.iter().try_fold(self.0, |value, key| value.get(key))
    }

    /// The text at these keys, `""` where there is none.
    pub fn text(self, keys: &[&str]) -> &'a str {
        self.get(keys).and_then(Value::as_str).unwrap_or_default()
    }

    /// The list at these keys.
    pub fn list(self, keys: &[&str]) -> &'a [Value] {
        self.get(keys)
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// `metadata.name`.
    pub fn name(self) -> &'a str {
        self.text(&["metadata", "name"])
    }

    /// `spec.version`.
    pub fn version(self) -> &'a str {
        self.text(&["spec", "version"])
    }

    /// `spec.replaces`.
    pub fn replaces(self) -> &'a str {
        self.text(&["spec", "replaces"])
    }

    /// `metadata.annotations`.
    pub fn annotations(self) -> Option<&'a Map<String, Value>> {
        self.get(&["metadata", "annotations"]).and_then(Value::as_object)
    }

    /// The deployments of the install strategy.
    pub fn deployments(self) -> &'a [Value] {
        self.list(&["spec", "install", "spec", "deployments"])
    }
}
