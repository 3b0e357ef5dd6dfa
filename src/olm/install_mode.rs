//! The namespaces that an operator can be installed for.

/// The install modes in their usual order.
pub(crate) const INSTALL_MODES: [&str; 4] = ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"];
