//! The namespaces that an operator can be installed for.

/// The operator watches its own namespace.
pub(crate) const OWN_NAMESPACE: &str = "OwnNamespace";
/// The operator watches one namespace other than its own.
pub(crate) const SINGLE_NAMESPACE: &str = "SingleNamespace";
/// The operator watches several namespaces.
pub(crate) const MULTI_NAMESPACE: &str = "MultiNamespace";
/// The operator watches all namespaces.
pub(crate) const ALL_NAMESPACES: &str = "AllNamespaces";

/// The install modes in their usual order.
pub(crate) const INSTALL_MODES: [&str; 4] = [OWN_NAMESPACE, SINGLE_NAMESPACE, MULTI_NAMESPACE, ALL_NAMESPACES];

/// Returns OLM's message if an operator in `namespace` that supports only some install modes cannot watch the target
/// namespaces of its OperatorGroup. No target namespaces represent all namespaces.
///
/// Source: `InstallModeSet.Supports` in OLM's API.
pub(crate) fn unsupported(supports: impl Fn(&str) -> bool, namespace: &str, targets: &[String]) -> Option<String> {
    let is_own = |target: &String| target == namespace;
    let count = targets.len();
    let (mode, watched) = match targets {
        [] => (ALL_NAMESPACES, "all namespaces".to_owned()),
        [target] if is_own(target) => (OWN_NAMESPACE, "own namespace".to_owned()),
        [_] => (SINGLE_NAMESPACE, "one namespace".to_owned()),
        _ if supports(MULTI_NAMESPACE) && targets.iter().any(is_own) => (OWN_NAMESPACE, "own namespace".to_owned()),
        _ => (MULTI_NAMESPACE, format!("{count} namespaces")),
    };
    (!supports(mode)).then(|| format!("{mode} InstallModeType not supported, cannot configure to watch {watched}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_of_target_namespaces_requires_its_install_mode() {
        let message = |modes: &[&str], targets: &[&str]| {
            let targets: Vec<String> = targets.iter().map(ToString::to_string).collect();
            unsupported(|mode| modes.contains(&mode), "operators", &targets).unwrap_or_default()
        };
        for (targets, needed, watched) in [
            (&[][..], &["AllNamespaces"][..], "all namespaces"),
            (&["operators"], &["OwnNamespace"], "own namespace"),
            (&["other"], &["SingleNamespace"], "one namespace"),
            (&["a", "b"], &["MultiNamespace"], "2 namespaces"),
            (&["a", "operators"], &["MultiNamespace", "OwnNamespace"], "2 namespaces"),
        ] {
            assert_eq!(message(needed, targets), "", "{targets:?}");
            let others: Vec<&str> = INSTALL_MODES.into_iter().filter(|mode| *mode != needed[0]).collect();
            let expected = format!(
                "{} InstallModeType not supported, cannot configure to watch {watched}",
                needed[0]
            );
            assert_eq!(message(&others, targets), expected);
        }
        assert_eq!(
            message(&["MultiNamespace"], &["a", "operators"]),
            "OwnNamespace InstallModeType not supported, cannot configure to watch own namespace"
        );
    }
}
