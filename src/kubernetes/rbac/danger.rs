//! Rules with which their holder can get hold of more than they say.

use super::{ALL, GROUP, Rule};

/// What a rule lets its holder do that people should know of, in words; nothing for most rules.
pub fn dangers(rule: &Rule) -> Vec<&'static str> {
    let asks = Asks(rule);
    let writes = |group: &str, resource: &str| asks.any(group, resource, &["create", "update", "patch"]);
    let known = [
        (asks.any(ALL, ALL, &[ALL]), "may do everything"),
        (
            !asks.any(ALL, ALL, &[ALL]) && rule.resources.iter().any(|resource| resource == ALL),
            "names all resources",
        ),
        (
            asks.any(GROUP, "roles", &["escalate", "bind"]) || asks.any(GROUP, "clusterroles", &["escalate", "bind"]),
            "may give itself any permission",
        ),
        (
            writes(GROUP, "clusterrolebindings") || writes(GROUP, "rolebindings"),
            "may bind roles to anybody",
        ),
        (
            ["users", "groups", "serviceaccounts"]
                .iter()
                .any(|who| asks.any("", who, &["impersonate"])),
            "may act as somebody else",
        ),
        (
            asks.any("", "serviceaccounts/token", &["create"]),
            "may get tokens of service accounts",
        ),
        (
            // Those that are named are its own, such as certificates.
            rule.resource_names.is_empty() && asks.any("", "secrets", &["get", "list", "watch"]),
            "reads Secrets",
        ),
        (
            asks.any("", "pods/exec", &["create", "get"]) || asks.any("", "pods/attach", &["create", "get"]),
            "may run commands in Pods",
        ),
        (
            asks.any("", "nodes/proxy", &["get", "create"]),
            "may talk to the kubelets",
        ),
        (
            writes("admissionregistration.k8s.io", "mutatingwebhookconfigurations")
                || writes("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
            "may look into requests of others",
        ),
        (
            asks.any(
                "certificates.k8s.io",
                "certificatesigningrequests/approval",
                &["update", "patch"],
            ),
            "may approve certificates",
        ),
    ];
    known
        .into_iter()
        .filter(|(holds, _)| *holds)
        .map(|(_, words)| words)
        .collect()
}

/// What a rule covers, looked at loosely: what it limits to names counts as well, where nothing else is said.
struct Asks<'a>(&'a Rule);

impl Asks<'_> {
    /// Whether one of these verbs is allowed. [`ALL`] asks for the wildcard itself.
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
    fn what_leads_to_more_is_named() {
        let told = |group: &str, resource: &str, verbs: &[&str]| dangers(&Rule::new(group, resource, verbs));
        assert_eq!(told("", "configmaps", &["get", "update"]), [""; 0]);
        assert_eq!(told("", "secrets", &["create"]), [""; 0]);
        assert_eq!(told("", "secrets", &["list"]), ["reads Secrets"]);
        assert_eq!(dangers(&Rule::new("", "secrets", &["get"]).named("own")), [""; 0]);
        assert_eq!(
            told(GROUP, "clusterroles", &["bind"]),
            ["may give itself any permission"]
        );
        assert_eq!(told("", "pods/*", &["create"]), ["may run commands in Pods"]);
        assert_eq!(told("apps", "*", &["get"]), ["names all resources"]);
        assert_eq!(told("*", "*", &["*"])[0], "may do everything");
        assert!(told("", "users", &["*"]).contains(&"may act as somebody else"));
    }
}
