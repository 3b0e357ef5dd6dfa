//! The namespaces that an operator can be installed for.

/// The install modes in the order in which they are written.
pub(crate) const INSTALL_MODES: [&str; 4] = ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"];
