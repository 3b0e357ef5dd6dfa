//! The namespaces that an operator can be installed for.

/// The install modes in their usual order.
pub(crate) const INSTALL_MODES: [&str; 4] = ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"];

/// Returns OLM's message if an operator in `namespace` that supports only some install modes cannot watch the target
/// namespaces of its OperatorGroup. No target namespaces represent all namespaces.
///
/// Source: `InstallModeSet.Supports` in OLM's API.
pub(crate) fn unsupported(supports: impl Fn(&str) -> bool, namespace: &str, targets: &[String]) -> Option<String> {
    let [own, single, several, all] = INSTALL_MODES;
    let is_own = |target: &String| target == namespace;
    let count = targets.len();
    let (mode, watched) = match targets {
        [] => (all, "all namespaces".to_owned()),
        [target] if is_own(target) => (own, "own namespace".to_owned()),
        [_] => (single, "one namespace".to_owned()),
        _ if supports(several) && targets.iter().any(is_own) => (own, "own namespace".to_owned()),
        _ => (several, format!("{count} namespaces")),
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
