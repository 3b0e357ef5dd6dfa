//! Rules that grant more power than is apparent. Creating workloads is not reported, although their Pods can use any
//! service account of the namespace, because nearly every operator creates some.

use super::{ALL, GROUP, Rule};

/// Returns descriptions of the risks of a rule. Most rules have none.
pub fn dangers(rule: &Rule) -> Vec<String> {
    let asks = Asks(rule);
    let writes = |group: &str, resource: &str| asks.any(group, resource, &["create", "update", "patch"]);
    let known = [
        (asks.any(ALL, ALL, &[ALL]), "may do everything"),
        (
            asks.any(GROUP, "roles", &["escalate", "bind"]) || asks.any(GROUP, "clusterroles", &["escalate", "bind"]),
            "may grant itself any permission",
        ),
        (
            writes(GROUP, "clusterrolebindings") || writes(GROUP, "rolebindings"),
            "may bind roles to any subject",
        ),
        (
            ["users", "groups", "serviceaccounts"]
                .iter()
                .any(|who| asks.any("", who, &["impersonate"])),
            "may impersonate other users",
        ),
        (
            asks.any("", "serviceaccounts/token", &["create"]),
            "may request service account tokens",
        ),
        (
            // Secrets with explicit names, such as certificates, usually belong to the operator itself.
            rule.resource_names.is_empty() && asks.any("", "secrets", &["get", "list", "watch"]),
            "may read Secrets",
        ),
        (
            asks.any("", "pods/exec", &["create", "get"])
                || asks.any("", "pods/attach", &["create", "get"])
                || asks.any("", "pods/ephemeralcontainers", &["update", "patch"]),
            "may run commands in Pods",
        ),
        (
            asks.any("", "nodes/proxy", &["get", "create"]),
            "may access the kubelets",
        ),
        (asks.any("", "nodes", &["update", "patch"]), "may change nodes"),
        (
            // The labels of a namespace select its Pod Security Standard, and the policies that apply in it.
            asks.any("", "namespaces", &["update", "patch"]),
            "may change the security settings of namespaces",
        ),
        (
            asks.any("", "persistentvolumes", &["create"]),
            "may mount folders of nodes",
        ),
        (
            writes("admissionregistration.k8s.io", "mutatingwebhookconfigurations")
                || writes("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
            "may intercept API requests",
        ),
        (
            asks.any(
                "certificates.k8s.io",
                "certificatesigningrequests/approval",
                &["update", "patch"],
            ) || asks.any("certificates.k8s.io", "signers", &["approve", "sign"]),
            "may approve certificates",
        ),
    ];
    let known = known.into_iter().filter(|(holds, _)| *holds);
    let mut dangers: Vec<String> = known.map(|(_, words)| words.to_owned()).collect();
    if !asks.any(ALL, ALL, &[ALL]) && rule.resources.iter().any(|resource| resource == ALL) {
        dangers.insert(0, all_resources(&rule.api_groups));
    }
    dangers
}

/// Describes the access to all resources of these groups.
fn all_resources(groups: &[String]) -> String {
    if groups.iter().any(|group| group == ALL) {
        return "has access to all resources".to_owned();
    }
    let groups: Vec<&str> = groups
        .iter()
        .map(|group| if group.is_empty() { "(core)" } else { group })
        .collect();
    let word = if groups.len() == 1 { "group" } else { "groups" };
    format!("has access to all resources of {word} {}", groups.join(", "))
}

/// A rule as the checks see it. Permissions on named objects also count, unless a check excludes them.
struct Asks<'a>(&'a Rule);

impl Asks<'_> {
    /// Whether the rule allows one of these verbs on the resource. If an argument is [`ALL`], the rule must contain the
    /// wildcard itself.
    fn any(&self, group: &str, resource: &str, verbs: &[&str]) -> bool {
        let has = |list: &[String], wanted: &str| list.iter().any(|item| item == ALL || item == wanted);
        let (main, sub) = resource.split_once('/').unwrap_or((resource, ""));
        let any_of = [format!("{main}/*"), format!("*/{sub}")];
        let resources = &self.0.resources;
        let names = has(resources, resource) || (!sub.is_empty() && any_of.iter().any(|name| resources.contains(name)));
        has(&self.0.api_groups, group) && names && verbs.iter().any(|verb| has(&self.0.verbs, verb))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dangerous_permissions_are_reported() {
        let found = |group: &str, resource: &str, verbs: &[&str]| dangers(&Rule::new(group, resource, verbs));
        let nothing = Vec::<String>::new();
        assert_eq!(found("", "configmaps", &["get", "update"]), nothing);
        assert_eq!(found("", "secrets", &["create"]), nothing);
        assert_eq!(found("", "secrets", &["list"]), ["may read Secrets"]);
        assert_eq!(dangers(&Rule::new("", "secrets", &["get"]).named("own")), nothing);
        assert_eq!(
            found(GROUP, "clusterroles", &["bind"]),
            ["may grant itself any permission"]
        );
        assert_eq!(found("", "pods/*", &["create"]), ["may run commands in Pods"]);
        assert_eq!(
            found("", "pods/ephemeralcontainers", &["patch"]),
            ["may run commands in Pods"]
        );
        assert_eq!(found("", "nodes", &["patch"]), ["may change nodes"]);
        assert_eq!(found("", "nodes/status", &["patch"]), nothing);
        assert_eq!(
            found("", "namespaces", &["update"]),
            ["may change the security settings of namespaces"]
        );
        assert_eq!(found("", "namespaces", &["create", "delete"]), nothing);
        assert_eq!(
            found("", "persistentvolumes", &["create"]),
            ["may mount folders of nodes"]
        );
        assert_eq!(
            found("certificates.k8s.io", "signers", &["approve"]),
            ["may approve certificates"]
        );
        assert_eq!(found("*", "*", &["*"])[0], "may do everything");
        assert!(found("", "users", &["*"]).contains(&"may impersonate other users".to_owned()));
    }

    #[test]
    fn all_resources_of_one_group_are_not_all_resources() {
        let found = |groups: &[&str]| {
            let mut rule = Rule::new("", "*", &["get"]);
            rule.api_groups = groups.iter().map(|group| (*group).to_owned()).collect();
            dangers(&rule)[0].clone()
        };
        assert_eq!(
            found(&["oauth.openshift.io"]),
            "has access to all resources of group oauth.openshift.io"
        );
        assert_eq!(
            found(&["", "apps"]),
            "has access to all resources of groups (core), apps"
        );
        assert_eq!(found(&["apps", "*"]), "has access to all resources");
    }
}
