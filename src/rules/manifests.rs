//! Objects of a k8s+v1 bundle: Deployments, RBAC and the APIs that it names.

use super::{OBJECTS, OLM, PLAIN, RBAC};

rules! { MANIFESTS
    Bundles {
        // Objects of a k8s+v1 bundle.
        K8S_DUPLICATE_COPY = "k8s-duplicate-copy", Info, PLAIN, "Remove one of the two copies.";
        K8S_OLD_API = "k8s-old-api", Error, PLAIN, "Write the Deployment for apps/v1.";
        K8S_NAMESPACES = "k8s-namespaces", Error, OLM, "Give all Deployments the same namespace, or none.";
        K8S_NAMESPACE_CLASH = "k8s-namespace-clash", Error, OLM, "Give one of them another name.";
        K8S_KIND_UNSUPPORTED = "k8s-kind-unsupported", Error, OLM, "Let the operator create it, or leave it out of the bundle.";
        K8S_CUSTOM_RESOURCE = "k8s-custom-resource", Error, OLM, "Show it as an example instead: annotations: {alm-examples: […]} in metadata/olm.yaml.";
        K8S_NAMESPACE_DROPPED = "k8s-namespace-dropped", Info, OLM, "Its labels can go into the annotation operatorframework.io/suggested-namespace-template.";
        K8S_CERT_MANAGER_DROPPED = "k8s-cert-manager-dropped", Info, OLM, "Nothing to do: OLM mounts a serving certificate into the Deployment.";
        K8S_DEPLOYMENT_MISSING = "k8s-deployment-missing", Error, PLAIN, "Add the operator's Deployment to manifests/: it is what OLM installs.";
        K8S_BINARY_FILE = "k8s-binary-file", Error, PLAIN, "Move the file out of manifests/, which holds YAML and JSON; an icon belongs into metadata/.";
        DEPLOYMENT_DUPLICATE = "deployment-duplicate", Error, OLM, "Give the Deployments different names.";
        DEPLOYMENT_NAME = "deployment-name", Error, OBJECTS, "Use lower-case letters, digits, dots and dashes, with a letter or digit at both ends.";
        DEPLOYMENT_SELECTOR = "deployment-selector", Error, OBJECTS, "Make spec.selector.matchLabels a part of the labels of the pod template.";
        DEPLOYMENT_ANNOTATIONS = "deployment-annotations", Warning, OLM, "Put what the pods need into the annotations of the pod template.";
        DEPLOYMENT_DOT_NAME = "deployment-dot-name", Warning, OLM, "Name the Deployment without a dot.";
        DEPLOYMENT_WATCH_NAMESPACE = "deployment-watch-namespace", Info, OLM, "Read it from the annotation olm.targetNamespaces by fieldRef to follow the OperatorGroup.";
        DEPLOYMENT_CERT_VOLUME = "deployment-cert-volume", Info, OLM, "Nothing to do: OLM puts its own certificate there.";
        SERVICEACCOUNT_FIELDS = "serviceaccount-fields", Warning, OLM, "Say it in the pod template where that has such a field; a ClusterServiceVersion has no place for it.";
        CERT_SECRET_MISSING = "cert-secret-missing", Warning, OLM, "Remove the mount, or ship the Secret: nothing will create it.";
        CERT_OWN_SECRET = "cert-own-secret", Warning, OLM, "Serve with the certificate that OLM makes and mounts, and remove the volume.";
        NETWORKPOLICY_ALL_PODS = "networkpolicy-all-pods", Warning, OLM, "Select the operator's own pods, such as with podSelector: {matchLabels: ...}.";
        CERT_OWN_ROTATION = "cert-own-rotation", Warning, OLM, "Turn off the operator's own certificates, and remove the permission: OLM makes and renews them.";
        K8S_LIST_OBJECT = "k8s-list-object", Warning, PLAIN, "Write each object as a document of its own: not every reader opens lists.";
        OLM_NAME_VERSION = "olm-name-version", Warning, PLAIN, "End the name in v and the version: channels go by the name, ranges by the version.";

        // RBAC of a k8s+v1 bundle.
        RBAC_CLUSTER_ADMIN = "rbac-cluster-admin", Error, PLAIN, "Bind the operator to a role that names what it uses; a k8s+v1 bundle may not ask for everything.";
        RBAC_WILDCARD_VERB = "rbac-wildcard-verb", Warning, PLAIN, "Name the verbs that the operator uses.";
        RBAC_ACCOUNT_MISSING = "rbac-account-missing", Warning, PLAIN, "Correct the name, or add the ServiceAccount: OLM creates it, but only bindings that name it grant it something.";
        RBAC_ACCOUNT_UNBOUND = "rbac-account-unbound", Error, PLAIN, "Let the Deployment run as the account that is bound, or bind the one it runs as.";
        RBAC_OPTIONAL_OWN_API = "rbac-optional-own-api", Warning, PLAIN, "Grant it through a binding without the annotation: what the bundle provides is always there.";
        RBAC_UNBOUND_ROLE = "rbac-unbound-role", Info, PLAIN, "Nothing to do, unless the operator needs it.";
        RBAC_WILDCARD = "rbac-wildcard", Error, PLAIN, "Name the groups and resources that the operator uses: a k8s+v1 bundle may not ask for all of them. Where it must have all, ship it as registry+v1, which may.";
        RBAC_GROUP_SUBJECT = "rbac-group-subject", Error, PLAIN, "Bind the operator's service account itself to a role without wildcards.";
        RBAC_SUBJECT_FORM = "rbac-subject-form", Warning, PLAIN, "Bind the operator's service account itself, so that OLM grants it these rules.";
        RBAC_KIND_UNKNOWN = "rbac-kind-unknown", Error, PLAIN, "Say in metadata/olm.yaml, under apis, which kind and version it is.";
        RBAC_KIND_AMBIGUOUS = "rbac-kind-ambiguous", Error, PLAIN, "Say in metadata/olm.yaml, under apis, which kind and version it is.";
        RBAC_ROLE_REF = "rbac-role-ref", Error, RBAC, "A RoleBinding refers to a Role or ClusterRole, a ClusterRoleBinding to a ClusterRole.";
        RBAC_ROLE_MISSING = "rbac-role-missing", Warning, PLAIN, "Add the role to the bundle; the binding is shipped as it is.";
        RBAC_PARTIAL_BINDING = "rbac-partial-binding", Warning, PLAIN, "Nothing to do, or name the other accounts in extraServiceAccounts of metadata/olm.yaml.";
        RBAC_OTHER_NAMESPACE = "rbac-other-namespace", Warning, OLM, "Use a ClusterRole and a ClusterRoleBinding where the operator needs another namespace.";
        RBAC_KEPT_SUBJECT_NAMESPACE = "rbac-kept-subject-namespace", Warning, OLM, "Name the account in extraServiceAccounts of metadata/olm.yaml: OLM then binds it wherever it installs.";
        RBAC_SUBJECT_NAMESPACE_MISSING = "rbac-subject-namespace-missing", Error, RBAC, "Write the namespace of the account: the API server refuses a ClusterRoleBinding without it.";
        RBAC_AGGREGATED = "rbac-aggregated", Warning, RBAC, "List the rules in the role itself where they must not depend on the cluster.";
        RBAC_AGGREGATED_RULES = "rbac-aggregated-rules", Warning, RBAC, "Move the rules into one of the aggregated roles.";
        RBAC_OPTIONAL_ANNOTATION = "rbac-optional-annotation", Warning, PLAIN, "Write optional on a binding, or remove the annotation.";
        RBAC_OPENSHIFT_REQUIRED = "rbac-openshift-required", Warning, PLAIN, "Mark it as native or optional under apis in metadata/olm.yaml.";
        RBAC_UNKNOWN_RESOURCE = "rbac-unknown-resource", Warning, RBAC, "Correct the group or the resource: the rule grants nothing.";
        RBAC_SUBRESOURCE_WILDCARD = "rbac-subresource-wildcard", Warning, RBAC, "Name the subresources.";
        RBAC_NONRESOURCE_NAMESPACED = "rbac-nonresource-namespaced", Warning, RBAC, "Grant nonResourceURLs through a ClusterRoleBinding.";
        RBAC_GENERATED_BINDING = "rbac-generated-binding", Info, OLM, "Nothing to do.";
        RBAC_NONRESOURCE = "rbac-nonresource", Info, PLAIN, "Nothing to do: the operator keeps the permission; only paths of APIs whose kind is known become nativeAPIs.";
        RBAC_OLM_API = "rbac-olm-api", Info, PLAIN, "Nothing to do: OLM's own APIs are there wherever OLM is.";
    }
}
