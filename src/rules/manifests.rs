//! Objects of a k8s+v1 bundle: Deployments, RBAC and the APIs that it names.

use super::{OBJECTS, OLM, PLAIN, RBAC};

rules! { MANIFESTS
    PlainBundles {
        // Objects of a k8s+v1 bundle.
        K8S_DUPLICATE_COPY = "k8s-duplicate-copy", Info, PLAIN, "Remove one of the two copies.";
        K8S_OLD_API = "k8s-old-api", Error, PLAIN, "Use apps/v1 for the Deployment.";
        K8S_NAMESPACES = "k8s-namespaces", Error, OLM, "Set the same namespace for all Deployments, or no namespace for any of them.";
        K8S_NAMESPACE_CLASH = "k8s-namespace-clash", Error, OLM, "Rename one of the two objects.";
        K8S_NAMESPACE_MOVED = "k8s-namespace-moved", Warning, OLM, "Let the operator create the object, because OLM creates nothing outside the install namespace; or remove its namespace.";
        K8S_NAMESPACE_FIXED = "k8s-namespace-fixed", Warning, OLM, "Let the operator create the object, or suggest the namespace in metadata/olm.yaml.";
        K8S_KIND_UNSUPPORTED = "k8s-kind-unsupported", Error, OLM, "Let the operator create the object, or remove it from the bundle.";
        K8S_HELM_HOOK = "k8s-helm-hook", Warning, OLM, "Leave the object out of the bundle if only Helm needs it; otherwise remove the annotation.";
        K8S_CUSTOM_RESOURCE = "k8s-custom-resource", Error, OLM, "Move the object to the annotation alm-examples, under annotations in metadata/olm.yaml.";
        K8S_NAMESPACE_DROPPED = "k8s-namespace-dropped", Info, OLM, "If the labels of the Namespace are needed, add the Namespace as JSON to the annotation operatorframework.io/suggested-namespace-template, under annotations in metadata/olm.yaml.";
        K8S_CERT_MANAGER_DROPPED = "k8s-cert-manager-dropped", Info, OLM, "No action needed: OLM mounts a serving certificate into the Deployment.";
        K8S_DEPLOYMENT_MISSING = "k8s-deployment-missing", Error, PLAIN, "Add the operator's Deployment to manifests/, because OLM needs one to install the operator.";
        K8S_BINARY_FILE = "k8s-binary-file", Error, PLAIN, "Move the file out of manifests/, which is for YAML and JSON; an icon belongs in metadata/.";
        DEPLOYMENT_DUPLICATE = "deployment-duplicate", Error, OLM, "Use a different name for each Deployment.";
        DEPLOYMENT_NAME = "deployment-name", Error, OBJECTS, "Use lowercase letters, digits, dots and hyphens, with a letter or digit at both ends.";
        DEPLOYMENT_SELECTOR = "deployment-selector", Error, OBJECTS, "Make spec.selector.matchLabels a subset of the pod template's labels.";
        DEPLOYMENT_ANNOTATIONS = "deployment-annotations", Warning, OLM, "Move the annotations that the pods need to the pod template.";
        DEPLOYMENT_DOT_NAME = "deployment-dot-name", Warning, OLM, "Use a Deployment name without a dot.";
        DEPLOYMENT_WATCH_NAMESPACE = "deployment-watch-namespace", Info, OLM, "To follow the OperatorGroup, set the variable from the annotation olm.targetNamespaces with fieldRef.";
        DEPLOYMENT_CERT_VOLUME = "deployment-cert-volume", Info, OLM, "No action needed: OLM mounts its own certificate at this path.";
        SERVICEACCOUNT_FIELDS = "serviceaccount-fields", Warning, OLM, "Set the field in the pod template if it exists there; a ClusterServiceVersion has no field for it.";
        CERT_SECRET_MISSING = "cert-secret-missing", Warning, OLM, "Use the serving certificate that OLM creates and mounts, or remove the volume and what uses its path, because nothing creates the Secret.";
        K8S_FILE_IGNORED = "k8s-file-ignored", Warning, PLAIN, "Rename the file so that it ends in .yaml, or move it out of manifests/.";
        K8S_LIST_OBJECT = "k8s-list-object", Warning, PLAIN, "Use a separate document for each object, because not every program reads lists.";
        OLM_API_UNUSED = "olm-api-unused", Warning, PLAIN, "Correct the group or the resource, or remove the entry, because it has no effect.";
        OLM_KUBE_VERSION = "olm-kube-version", Warning, OLM, "Raise minKubeVersion, or use an older version of the API.";
        OLM_NAME_VERSION = "olm-name-version", Warning, PLAIN, "End the name with v and the version, because channels refer to the name and ranges to the version.";

        // RBAC of a k8s+v1 bundle.
        RBAC_CLUSTER_ADMIN = "rbac-cluster-admin", Error, PLAIN, "Bind the operator to a role that lists the resources it uses; a k8s+v1 bundle must not request all permissions.";
        RBAC_WILDCARD_VERB = "rbac-wildcard-verb", Warning, PLAIN, "List the verbs that the operator uses.";
        RBAC_ACCOUNT_MISSING = "rbac-account-missing", Warning, PLAIN, "Correct the name, or add the ServiceAccount; OLM creates the account, but only bindings that name it grant it permissions.";
        RBAC_ACCOUNT_UNBOUND = "rbac-account-unbound", Error, PLAIN, "Run the Deployment as the bound account, or bind the account that it runs as.";
        RBAC_ACCOUNT_DEFAULT = "rbac-account-default", Warning, PLAIN, "Add a ServiceAccount for the operator, and name it in the pod template and in the bindings.";
        RBAC_OPTIONAL_OWN_API = "rbac-optional-own-api", Warning, PLAIN, "Grant the permission through a binding without the annotation, because the APIs of the bundle are always available.";
        RBAC_UNBOUND_ROLE = "rbac-unbound-role", Info, PLAIN, "No action needed, unless the operator needs the role.";
        RBAC_WILDCARD = "rbac-wildcard", Error, PLAIN, "List the groups and resources that the operator uses; only a registry+v1 bundle may request all of them.";
        RBAC_GROUP_SUBJECT = "rbac-group-subject", Error, PLAIN, "Bind the operator's service account itself to a role without wildcards.";
        RBAC_SUBJECT_FORM = "rbac-subject-form", Warning, PLAIN, "Bind the operator's service account itself, so that OLM grants it these permissions.";
        RBAC_KIND_UNKNOWN = "rbac-kind-unknown", Error, PLAIN, "Specify the kind and version in metadata/olm.yaml, under apis. If the operator itself defines the kind, add its CustomResourceDefinition instead.";
        RBAC_KIND_AMBIGUOUS = "rbac-kind-ambiguous", Error, PLAIN, "Specify the kind and version in metadata/olm.yaml, under apis.";
        RBAC_ROLE_REF = "rbac-role-ref", Error, RBAC, "Refer to a Role or ClusterRole from a RoleBinding, and to a ClusterRole from a ClusterRoleBinding.";
        RBAC_ROLE_MISSING = "rbac-role-missing", Warning, PLAIN, "Add the role to the bundle; otherwise the binding is shipped unchanged.";
        RBAC_PARTIAL_BINDING = "rbac-partial-binding", Warning, PLAIN, "To grant the permissions to the other accounts, list them in extraServiceAccounts in metadata/olm.yaml.";
        RBAC_OTHER_NAMESPACE = "rbac-other-namespace", Warning, OLM, "Use a ClusterRole and a ClusterRoleBinding if the operator needs access to another namespace.";
        RBAC_KEPT_SUBJECT_NAMESPACE = "rbac-kept-subject-namespace", Warning, OLM, "Add the account to extraServiceAccounts in metadata/olm.yaml; OLM then binds it in every install namespace.";
        RBAC_SUBJECT_NAMESPACE_MISSING = "rbac-subject-namespace-missing", Error, RBAC, "Set the namespace of the account; otherwise the API server rejects the ClusterRoleBinding.";
        RBAC_AGGREGATED = "rbac-aggregated", Warning, RBAC, "List the rules in the role itself if they must not depend on the cluster.";
        RBAC_AGGREGATED_RULES = "rbac-aggregated-rules", Warning, RBAC, "Move the rules into one of the aggregated roles.";
        RBAC_OPTIONAL_ANNOTATION = "rbac-optional-annotation", Warning, PLAIN, "Set the annotation on a binding, with the value `optional`, or remove the annotation.";
        RBAC_OPENSHIFT_REQUIRED = "rbac-openshift-required", Warning, PLAIN, "Mark the API as native or optional under apis in metadata/olm.yaml.";
        RBAC_UNKNOWN_RESOURCE = "rbac-unknown-resource", Warning, RBAC, "Correct the group or the resource; the RBAC rule grants nothing for a resource that does not exist.";
        RBAC_SUBRESOURCE_WILDCARD = "rbac-subresource-wildcard", Warning, RBAC, "List the subresources.";
        RBAC_NONRESOURCE_NAMESPACED = "rbac-nonresource-namespaced", Warning, RBAC, "Grant nonResourceURLs through a ClusterRoleBinding.";
        RBAC_GENERATED_BINDING = "rbac-generated-binding", Info, OLM, "No action needed.";
        RBAC_NONRESOURCE = "rbac-nonresource", Info, PLAIN, "No action needed: the operator keeps the permission; only paths of APIs whose kind is known become nativeAPIs.";
        RBAC_OWN_GROUP = "rbac-own-group", Info, PLAIN, "If another operator provides the resource, specify its kind and version in metadata/olm.yaml, under apis; otherwise, add it there with dependency: none.";
        RBAC_OLM_API = "rbac-olm-api", Info, PLAIN, "No action needed: OLM's own APIs are available wherever OLM runs.";

        // Values that the API server rejects, in bundles of each media type.
        DEPLOYMENT_CONTAINERS = "deployment-containers", Error, OBJECTS, "Add the containers of the pod, under containers.";
        DEPLOYMENT_PORT = "deployment-port", Error, OBJECTS, "Use a number from 1 to 65535, or the name of a port of the container.";
        DATA_ENCODING = "data-encoding", Error, OBJECTS, "Encode the value in base64, or move it to the field for plain text.";
        RBAC_RULE_INCOMPLETE = "rbac-rule-incomplete", Error, RBAC, "List verbs and either nonResourceURLs or apiGroups and resources; the group \"\" is the core group.";
        WEBHOOK_OPERATION = "webhook-operation", Error, OBJECTS, "Use CREATE, UPDATE, DELETE, CONNECT or *, in uppercase letters.";
    }

    Authoring {
        DEPLOYMENT_IMAGE = "deployment-image", Warning, OBJECTS, "Use HOST/NAME:TAG or HOST/NAME@DIGEST, in lowercase letters and without spaces.";
        DEPLOYMENT_FIXED_NAME = "deployment-fixed-name", Warning, OLM, "Read the namespace from the environment, and use the Service that OLM creates.";
        CERT_OWN_SECRET = "cert-own-secret", Warning, OLM, "Use the serving certificate that OLM creates and mounts, and remove the volume.";
        VOLUME_SOURCE_MISSING = "volume-source-missing", Warning, OLM, "Add the object to the bundle, or set optional: true if the operator runs without it. No action needed if users create it before they install the operator.";
        CERT_OWN_ROTATION = "cert-own-rotation", Warning, OLM, "Disable the operator's own certificate management, and remove the permission; OLM creates and renews the certificates.";
        RBAC_GROUP_VERSION = "rbac-group-version", Warning, RBAC, "Use the group without a version, because RBAC rules apply to all versions.";
        VALUE_QUOTES = "value-quotes", Warning, OBJECTS, "Use plain quotes, which are not part of the value.";
        DEPLOYMENT_VARIABLE_NAME = "deployment-variable-name", Warning, OBJECTS, "Use letters, digits, underscores, hyphens and dots, and do not begin with a digit; Kubernetes before 1.32 rejects other names.";
        RBAC_VERB_UNKNOWN = "rbac-verb-unknown", Warning, RBAC, "Use a verb that Kubernetes knows, in lowercase letters.";
        OBJECT_OWNER_LABELS = "object-owner-labels", Warning, OLM, "Remove the labels olm.owner, olm.owner.namespace and olm.owner.kind. In an OperatorGroup without target namespaces, OLM copies each Role and RoleBinding that has the labels of its operator into a ClusterRole and a ClusterRoleBinding.";
        NETWORKPOLICY_ALL_PODS = "networkpolicy-all-pods", Warning, OLM, "Select only the operator's own pods, for example with podSelector: {matchLabels: ...}.";
    }
}
