//! The fields of a ClusterServiceVersion with their types, as in its CustomResourceDefinition.
//!
//! The definition does not specify whether OLM writes empty fields. The fields of Kubernetes' own types follow the API
//! conventions of Kubernetes: lists, maps and plain values are omitted if empty, pointers if unset.

use crate::rules;
use crate::shape::Shape::{self, Any, Boolean, IntOrString, Integer, List, Map, Object, Quantity, Text};
use crate::shape::{Field, Presence, Syntax, TEXT_MAP, TEXTS};
use crate::version::parse_tolerant;

const fn always(key: &'static str, shape: Shape) -> Field {
    Field::new(key, shape, Presence::Always, "")
}

const fn nullable(key: &'static str, shape: Shape) -> Field {
    Field::new(key, shape, Presence::Nullable, "")
}

const fn filled(key: &'static str, shape: Shape) -> Field {
    Field::new(key, shape, Presence::Filled, "")
}

const fn given(key: &'static str, shape: Shape) -> Field {
    Field::new(key, shape, Presence::Given, "")
}

/// A semantic version, which may begin with `v` or omit numbers.
static VERSION: Syntax = Syntax {
    rule: &rules::CONTENT_CSV_SHAPE,
    fault: |text| parse_tolerant(text).is_none().then(|| "is not a version such as 1.2.3".to_owned()),
    pattern: "",
    longest: None,
};

const QUANTITIES: Shape = Map(&[], &Quantity);

const OWNER: Shape = Object(&[
    always("apiVersion", Text), given("blockOwnerDeletion", Boolean), given("controller", Boolean),
    always("kind", Text), always("name", Text), always("uid", Text),
]);
/// The metadata of any object.
pub(crate) const METADATA: Shape = Object(&[
    filled("annotations", TEXT_MAP), given("creationTimestamp", Text), given("deletionGracePeriodSeconds", Integer),
    given("deletionTimestamp", Text), filled("finalizers", TEXTS), filled("generateName", Text),
    filled("generation", Integer), filled("labels", TEXT_MAP), filled("managedFields", List(&Any)),
    filled("name", Text), filled("namespace", Text), filled("ownerReferences", List(&OWNER)),
    filled("resourceVersion", Text), filled("selfLink", Text), filled("uid", Text),
]);

const DESCRIPTOR: Shape = Object(&[
    filled("description", Text), filled("displayName", Text), always("path", Text), filled("value", Any),
    filled("x-descriptors", TEXTS),
]);
/// The fields of a resource that an operator creates for an API.
pub(super) const API_RESOURCE: &[Field] = &[always("kind", Text), always("name", Text), always("version", Text)];
const API_SERVICE: Shape = Object(&[
    filled("actionDescriptors", List(&DESCRIPTOR)), filled("containerPort", Integer), filled("deploymentName", Text),
    filled("description", Text), filled("displayName", Text), always("group", Text), always("kind", Text),
    always("name", Text), filled("resources", List(&Object(API_RESOURCE))), filled("specDescriptors", List(&DESCRIPTOR)),
    filled("statusDescriptors", List(&DESCRIPTOR)), always("version", Text),
]);
const API_SERVICES: Shape = Object(&[filled("owned", List(&API_SERVICE)), filled("required", List(&API_SERVICE))]);
const CLEANUP: Shape = Object(&[always("enabled", Boolean)]);
const CRD: Shape = Object(&[
    filled("actionDescriptors", List(&DESCRIPTOR)), filled("description", Text), filled("displayName", Text),
    always("kind", Text), always("name", Text), filled("resources", List(&Object(API_RESOURCE))),
    filled("specDescriptors", List(&DESCRIPTOR)), filled("statusDescriptors", List(&DESCRIPTOR)),
    always("version", Text),
]);
const CRDS: Shape = Object(&[filled("owned", List(&CRD)), filled("required", List(&CRD))]);
const ICON: Shape = Object(&[always("base64data", Text), always("mediatype", Text)]);
const POLICY_RULE: Shape = Object(&[
    filled("apiGroups", TEXTS), filled("nonResourceURLs", TEXTS), filled("resourceNames", TEXTS),
    filled("resources", TEXTS), always("verbs", TEXTS),
]);
const PERMISSION: Shape = Object(&[always("rules", List(&POLICY_RULE)), always("serviceAccountName", Text)]);
const REQUIREMENT: Shape = Object(&[always("key", Text), always("operator", Text), filled("values", TEXTS)]);
const LABEL_SELECTOR: Shape = Object(&[
    filled("matchExpressions", List(&REQUIREMENT)), filled("matchLabels", TEXT_MAP),
]);
const ROLLING_UPDATE: Shape = Object(&[given("maxSurge", IntOrString), given("maxUnavailable", IntOrString)]);
const STRATEGY: Shape = Object(&[given("rollingUpdate", ROLLING_UPDATE), filled("type", Text)]);
const NODE_SELECTOR_TERM: Shape = Object(&[
    filled("matchExpressions", List(&REQUIREMENT)), filled("matchFields", List(&REQUIREMENT)),
]);
const PREFERRED_NODES: Shape = Object(&[always("preference", NODE_SELECTOR_TERM), always("weight", Integer)]);
const NODE_SELECTOR: Shape = Object(&[always("nodeSelectorTerms", List(&NODE_SELECTOR_TERM))]);
const NODE_AFFINITY: Shape = Object(&[
    filled("preferredDuringSchedulingIgnoredDuringExecution", List(&PREFERRED_NODES)),
    given("requiredDuringSchedulingIgnoredDuringExecution", NODE_SELECTOR),
]);
const POD_AFFINITY_TERM: Shape = Object(&[
    given("labelSelector", LABEL_SELECTOR), filled("matchLabelKeys", TEXTS), filled("mismatchLabelKeys", TEXTS),
    given("namespaceSelector", LABEL_SELECTOR), filled("namespaces", TEXTS), always("topologyKey", Text),
]);
const PREFERRED_PODS: Shape = Object(&[always("podAffinityTerm", POD_AFFINITY_TERM), always("weight", Integer)]);
const POD_AFFINITY: Shape = Object(&[
    filled("preferredDuringSchedulingIgnoredDuringExecution", List(&PREFERRED_PODS)),
    filled("requiredDuringSchedulingIgnoredDuringExecution", List(&POD_AFFINITY_TERM)),
]);
const AFFINITY: Shape = Object(&[
    given("nodeAffinity", NODE_AFFINITY), given("podAffinity", POD_AFFINITY), given("podAntiAffinity", POD_AFFINITY),
]);
const KEY_SELECTOR: Shape = Object(&[always("key", Text), filled("name", Text), given("optional", Boolean)]);
const FIELD_SELECTOR: Shape = Object(&[filled("apiVersion", Text), always("fieldPath", Text)]);
const FILE_KEY_SELECTOR: Shape = Object(&[
    always("key", Text), given("optional", Boolean), always("path", Text), always("volumeName", Text),
]);
const RESOURCE_FIELD_SELECTOR: Shape = Object(&[
    filled("containerName", Text), always("divisor", Quantity), always("resource", Text),
]);
const ENV_SOURCE: Shape = Object(&[
    given("configMapKeyRef", KEY_SELECTOR), given("fieldRef", FIELD_SELECTOR), given("fileKeyRef", FILE_KEY_SELECTOR),
    given("resourceFieldRef", RESOURCE_FIELD_SELECTOR), given("secretKeyRef", KEY_SELECTOR),
]);
const ENV: Shape = Object(&[always("name", Text), filled("value", Text), given("valueFrom", ENV_SOURCE)]);
const ENV_FROM_SOURCE: Shape = Object(&[filled("name", Text), given("optional", Boolean)]);
const ENV_FROM: Shape = Object(&[
    given("configMapRef", ENV_FROM_SOURCE), filled("prefix", Text), given("secretRef", ENV_FROM_SOURCE),
]);
const EXEC: Shape = Object(&[filled("command", TEXTS)]);
const NAME_VALUE: Shape = Object(&[always("name", Text), always("value", Text)]);
const HTTP_GET: Shape = Object(&[
    filled("host", Text), filled("httpHeaders", List(&NAME_VALUE)), filled("path", Text), always("port", IntOrString),
    filled("scheme", Text),
]);
const SLEEP: Shape = Object(&[always("seconds", Integer)]);
const TCP_SOCKET: Shape = Object(&[filled("host", Text), always("port", IntOrString)]);
const LIFECYCLE_HANDLER: Shape = Object(&[
    given("exec", EXEC), given("httpGet", HTTP_GET), given("sleep", SLEEP), given("tcpSocket", TCP_SOCKET),
]);
const LIFECYCLE: Shape = Object(&[
    given("postStart", LIFECYCLE_HANDLER), given("preStop", LIFECYCLE_HANDLER), given("stopSignal", Text),
]);
const GRPC: Shape = Object(&[always("port", Integer), given("service", Text)]);
const PROBE: Shape = Object(&[
    given("exec", EXEC), filled("failureThreshold", Integer), given("grpc", GRPC), given("httpGet", HTTP_GET),
    filled("initialDelaySeconds", Integer), filled("periodSeconds", Integer), filled("successThreshold", Integer),
    given("tcpSocket", TCP_SOCKET), given("terminationGracePeriodSeconds", Integer),
    filled("timeoutSeconds", Integer),
]);
const CONTAINER_PORT: Shape = Object(&[
    always("containerPort", Integer), filled("hostIP", Text), filled("hostPort", Integer), filled("name", Text),
    filled("protocol", Text),
]);
const RESIZE_POLICY: Shape = Object(&[always("resourceName", Text), always("restartPolicy", Text)]);
const RESOURCE_CLAIM: Shape = Object(&[always("name", Text), filled("request", Text)]);
const RESOURCES: Shape = Object(&[
    filled("claims", List(&RESOURCE_CLAIM)), filled("limits", QUANTITIES), filled("requests", QUANTITIES),
]);
const EXIT_CODES: Shape = Object(&[always("operator", Text), filled("values", List(&Integer))]);
const RESTART_RULE: Shape = Object(&[always("action", Text), given("exitCodes", EXIT_CODES)]);
const PROFILE: Shape = Object(&[given("localhostProfile", Text), always("type", Text)]);
const CAPABILITIES: Shape = Object(&[filled("add", TEXTS), filled("drop", TEXTS)]);
const SE_LINUX: Shape = Object(&[
    filled("level", Text), filled("role", Text), filled("type", Text), filled("user", Text),
]);
const WINDOWS: Shape = Object(&[
    given("gmsaCredentialSpec", Text), given("gmsaCredentialSpecName", Text), given("hostProcess", Boolean),
    given("runAsUserName", Text),
]);
const SECURITY_CONTEXT: Shape = Object(&[
    given("allowPrivilegeEscalation", Boolean), given("appArmorProfile", PROFILE),
    given("capabilities", CAPABILITIES), given("privileged", Boolean), given("procMount", Text),
    given("readOnlyRootFilesystem", Boolean), given("runAsGroup", Integer), given("runAsNonRoot", Boolean),
    given("runAsUser", Integer), given("seLinuxOptions", SE_LINUX), given("seccompProfile", PROFILE),
    given("windowsOptions", WINDOWS),
]);
const VOLUME_DEVICE: Shape = Object(&[always("devicePath", Text), always("name", Text)]);
const VOLUME_MOUNT: Shape = Object(&[
    always("mountPath", Text), given("mountPropagation", Text), always("name", Text), filled("readOnly", Boolean),
    given("recursiveReadOnly", Text), filled("subPath", Text), filled("subPathExpr", Text),
]);
const CONTAINER: Shape = Object(&[
    filled("args", TEXTS), filled("command", TEXTS), filled("env", List(&ENV)), filled("envFrom", List(&ENV_FROM)),
    filled("image", Text), filled("imagePullPolicy", Text), given("lifecycle", LIFECYCLE),
    given("livenessProbe", PROBE), always("name", Text), filled("ports", List(&CONTAINER_PORT)),
    given("readinessProbe", PROBE), filled("resizePolicy", List(&RESIZE_POLICY)), always("resources", RESOURCES),
    given("restartPolicy", Text), filled("restartPolicyRules", List(&RESTART_RULE)),
    given("securityContext", SECURITY_CONTEXT), given("startupProbe", PROBE), filled("stdin", Boolean),
    filled("stdinOnce", Boolean), filled("terminationMessagePath", Text), filled("terminationMessagePolicy", Text),
    filled("tty", Boolean), filled("volumeDevices", List(&VOLUME_DEVICE)),
    filled("volumeMounts", List(&VOLUME_MOUNT)), filled("workingDir", Text),
]);
const DNS_OPTION: Shape = Object(&[filled("name", Text), given("value", Text)]);
const DNS_CONFIG: Shape = Object(&[
    filled("nameservers", TEXTS), filled("options", List(&DNS_OPTION)), filled("searches", TEXTS),
]);
const EPHEMERAL_CONTAINER: Shape = Object(&[
    filled("args", TEXTS), filled("command", TEXTS), filled("env", List(&ENV)), filled("envFrom", List(&ENV_FROM)),
    filled("image", Text), filled("imagePullPolicy", Text), given("lifecycle", LIFECYCLE),
    given("livenessProbe", PROBE), always("name", Text), filled("ports", List(&CONTAINER_PORT)),
    given("readinessProbe", PROBE), filled("resizePolicy", List(&RESIZE_POLICY)), always("resources", RESOURCES),
    given("restartPolicy", Text), filled("restartPolicyRules", List(&RESTART_RULE)),
    given("securityContext", SECURITY_CONTEXT), given("startupProbe", PROBE), filled("stdin", Boolean),
    filled("stdinOnce", Boolean), filled("targetContainerName", Text), filled("terminationMessagePath", Text),
    filled("terminationMessagePolicy", Text), filled("tty", Boolean), filled("volumeDevices", List(&VOLUME_DEVICE)),
    filled("volumeMounts", List(&VOLUME_MOUNT)), filled("workingDir", Text),
]);
const HOST_ALIAS: Shape = Object(&[filled("hostnames", TEXTS), always("ip", Text)]);
const LOCAL_REFERENCE: Shape = Object(&[filled("name", Text)]);
const NAMED: Shape = Object(&[always("name", Text)]);
const READINESS_GATE: Shape = Object(&[always("conditionType", Text)]);
const POD_RESOURCE_CLAIM: Shape = Object(&[
    always("name", Text), given("resourceClaimName", Text), given("resourceClaimTemplateName", Text),
]);
const SCHEDULING_GROUP: Shape = Object(&[given("podGroupName", Text)]);
const POD_SECURITY_CONTEXT: Shape = Object(&[
    given("appArmorProfile", PROFILE), given("fsGroup", Integer), given("fsGroupChangePolicy", Text),
    given("runAsGroup", Integer), given("runAsNonRoot", Boolean), given("runAsUser", Integer),
    given("seLinuxChangePolicy", Text), given("seLinuxOptions", SE_LINUX), given("seccompProfile", PROFILE),
    filled("supplementalGroups", List(&Integer)), given("supplementalGroupsPolicy", Text),
    filled("sysctls", List(&NAME_VALUE)), given("windowsOptions", WINDOWS),
]);
const TOLERATION: Shape = Object(&[
    filled("effect", Text), filled("key", Text), filled("operator", Text), given("tolerationSeconds", Integer),
    filled("value", Text),
]);
const TOPOLOGY_SPREAD: Shape = Object(&[
    given("labelSelector", LABEL_SELECTOR), filled("matchLabelKeys", TEXTS), always("maxSkew", Integer),
    given("minDomains", Integer), given("nodeAffinityPolicy", Text), given("nodeTaintsPolicy", Text),
    always("topologyKey", Text), always("whenUnsatisfiable", Text),
]);
const AWS_ELASTIC_BLOCK_STORE: Shape = Object(&[
    filled("fsType", Text), filled("partition", Integer), filled("readOnly", Boolean), always("volumeID", Text),
]);
const AZURE_DISK: Shape = Object(&[
    given("cachingMode", Text), always("diskName", Text), always("diskURI", Text), given("fsType", Text),
    given("kind", Text), given("readOnly", Boolean),
]);
const AZURE_FILE: Shape = Object(&[
    filled("readOnly", Boolean), always("secretName", Text), always("shareName", Text),
]);
const CEPH_FS: Shape = Object(&[
    always("monitors", TEXTS), filled("path", Text), filled("readOnly", Boolean), filled("secretFile", Text),
    given("secretRef", LOCAL_REFERENCE), filled("user", Text),
]);
const CINDER: Shape = Object(&[
    filled("fsType", Text), filled("readOnly", Boolean), given("secretRef", LOCAL_REFERENCE),
    always("volumeID", Text),
]);
const KEY_TO_PATH: Shape = Object(&[always("key", Text), given("mode", Integer), always("path", Text)]);
const CONFIG_MAP_VOLUME: Shape = Object(&[
    given("defaultMode", Integer), filled("items", List(&KEY_TO_PATH)), filled("name", Text),
    given("optional", Boolean),
]);
const CSI: Shape = Object(&[
    always("driver", Text), given("fsType", Text), given("nodePublishSecretRef", LOCAL_REFERENCE),
    given("readOnly", Boolean), filled("volumeAttributes", TEXT_MAP),
]);
const DOWNWARD_FILE: Shape = Object(&[
    given("fieldRef", FIELD_SELECTOR), given("mode", Integer), always("path", Text),
    given("resourceFieldRef", RESOURCE_FIELD_SELECTOR),
]);
const DOWNWARD_VOLUME: Shape = Object(&[given("defaultMode", Integer), filled("items", List(&DOWNWARD_FILE))]);
const EMPTY_DIR: Shape = Object(&[filled("medium", Text), given("sizeLimit", Quantity)]);
const DATA_SOURCE: Shape = Object(&[given("apiGroup", Text), always("kind", Text), always("name", Text)]);
const DATA_SOURCE_REF: Shape = Object(&[
    given("apiGroup", Text), always("kind", Text), always("name", Text), given("namespace", Text),
]);
const CLAIM_RESOURCES: Shape = Object(&[filled("limits", QUANTITIES), filled("requests", QUANTITIES)]);
const CLAIM_SPEC: Shape = Object(&[
    filled("accessModes", TEXTS), given("dataSource", DATA_SOURCE), given("dataSourceRef", DATA_SOURCE_REF),
    always("resources", CLAIM_RESOURCES), given("selector", LABEL_SELECTOR), given("storageClassName", Text),
    given("volumeAttributesClassName", Text), given("volumeMode", Text), filled("volumeName", Text),
]);
const CLAIM_TEMPLATE: Shape = Object(&[always("metadata", METADATA), always("spec", CLAIM_SPEC)]);
const EPHEMERAL_VOLUME: Shape = Object(&[given("volumeClaimTemplate", CLAIM_TEMPLATE)]);
const FIBRE_CHANNEL: Shape = Object(&[
    filled("fsType", Text), given("lun", Integer), filled("readOnly", Boolean), filled("targetWWNs", TEXTS),
    filled("wwids", TEXTS),
]);
const FLEX_VOLUME: Shape = Object(&[
    always("driver", Text), filled("fsType", Text), filled("options", TEXT_MAP), filled("readOnly", Boolean),
    given("secretRef", LOCAL_REFERENCE),
]);
const FLOCKER: Shape = Object(&[filled("datasetName", Text), filled("datasetUUID", Text)]);
const GCE_DISK: Shape = Object(&[
    filled("fsType", Text), filled("partition", Integer), always("pdName", Text), filled("readOnly", Boolean),
]);
const GIT_REPO: Shape = Object(&[filled("directory", Text), always("repository", Text), filled("revision", Text)]);
const GLUSTERFS: Shape = Object(&[always("endpoints", Text), always("path", Text), filled("readOnly", Boolean)]);
const HOST_PATH: Shape = Object(&[always("path", Text), given("type", Text)]);
const IMAGE_VOLUME: Shape = Object(&[filled("pullPolicy", Text), filled("reference", Text)]);
const ISCSI: Shape = Object(&[
    filled("chapAuthDiscovery", Boolean), filled("chapAuthSession", Boolean), filled("fsType", Text),
    given("initiatorName", Text), always("iqn", Text), filled("iscsiInterface", Text), always("lun", Integer),
    filled("portals", TEXTS), filled("readOnly", Boolean), given("secretRef", LOCAL_REFERENCE),
    always("targetPortal", Text),
]);
const NFS: Shape = Object(&[always("path", Text), filled("readOnly", Boolean), always("server", Text)]);
const CLAIM_VOLUME: Shape = Object(&[always("claimName", Text), filled("readOnly", Boolean)]);
const PHOTON_DISK: Shape = Object(&[filled("fsType", Text), always("pdID", Text)]);
const PORTWORX: Shape = Object(&[filled("fsType", Text), filled("readOnly", Boolean), always("volumeID", Text)]);
const CLUSTER_TRUST_BUNDLE: Shape = Object(&[
    given("labelSelector", LABEL_SELECTOR), given("name", Text), given("optional", Boolean), always("path", Text),
    given("signerName", Text),
]);
const PROJECTED_KEYS: Shape = Object(&[
    filled("items", List(&KEY_TO_PATH)), filled("name", Text), given("optional", Boolean),
]);
const PROJECTED_DOWNWARD: Shape = Object(&[filled("items", List(&DOWNWARD_FILE))]);
const POD_CERTIFICATE: Shape = Object(&[
    filled("certificateChainPath", Text), filled("credentialBundlePath", Text), filled("keyPath", Text),
    always("keyType", Text), given("maxExpirationSeconds", Integer), always("signerName", Text),
    filled("userAnnotations", TEXT_MAP),
]);
const SERVICE_ACCOUNT_TOKEN: Shape = Object(&[
    filled("audience", Text), given("expirationSeconds", Integer), always("path", Text),
]);
const PROJECTION: Shape = Object(&[
    given("clusterTrustBundle", CLUSTER_TRUST_BUNDLE), given("configMap", PROJECTED_KEYS),
    given("downwardAPI", PROJECTED_DOWNWARD), given("podCertificate", POD_CERTIFICATE),
    given("secret", PROJECTED_KEYS), given("serviceAccountToken", SERVICE_ACCOUNT_TOKEN),
]);
const PROJECTED_VOLUME: Shape = Object(&[given("defaultMode", Integer), filled("sources", List(&PROJECTION))]);
const QUOBYTE: Shape = Object(&[
    filled("group", Text), filled("readOnly", Boolean), always("registry", Text), filled("tenant", Text),
    filled("user", Text), always("volume", Text),
]);
const RBD: Shape = Object(&[
    filled("fsType", Text), always("image", Text), filled("keyring", Text), always("monitors", TEXTS),
    filled("pool", Text), filled("readOnly", Boolean), given("secretRef", LOCAL_REFERENCE), filled("user", Text),
]);
const SCALE_IO: Shape = Object(&[
    filled("fsType", Text), always("gateway", Text), filled("protectionDomain", Text), filled("readOnly", Boolean),
    nullable("secretRef", LOCAL_REFERENCE), filled("sslEnabled", Boolean), filled("storageMode", Text),
    filled("storagePool", Text), always("system", Text), filled("volumeName", Text),
]);
const SECRET_VOLUME: Shape = Object(&[
    given("defaultMode", Integer), filled("items", List(&KEY_TO_PATH)), given("optional", Boolean),
    filled("secretName", Text),
]);
const STORAGE_OS: Shape = Object(&[
    filled("fsType", Text), filled("readOnly", Boolean), given("secretRef", LOCAL_REFERENCE),
    filled("volumeName", Text), filled("volumeNamespace", Text),
]);
const VSPHERE_VOLUME: Shape = Object(&[
    filled("fsType", Text), filled("storagePolicyID", Text), filled("storagePolicyName", Text),
    always("volumePath", Text),
]);
const VOLUME: Shape = Object(&[
    given("awsElasticBlockStore", AWS_ELASTIC_BLOCK_STORE), given("azureDisk", AZURE_DISK),
    given("azureFile", AZURE_FILE), given("cephfs", CEPH_FS), given("cinder", CINDER),
    given("configMap", CONFIG_MAP_VOLUME), given("csi", CSI), given("downwardAPI", DOWNWARD_VOLUME),
    given("emptyDir", EMPTY_DIR), given("ephemeral", EPHEMERAL_VOLUME), given("fc", FIBRE_CHANNEL),
    given("flexVolume", FLEX_VOLUME), given("flocker", FLOCKER), given("gcePersistentDisk", GCE_DISK),
    given("gitRepo", GIT_REPO), given("glusterfs", GLUSTERFS), given("hostPath", HOST_PATH),
    given("image", IMAGE_VOLUME), given("iscsi", ISCSI), always("name", Text), given("nfs", NFS),
    given("persistentVolumeClaim", CLAIM_VOLUME), given("photonPersistentDisk", PHOTON_DISK),
    given("portworxVolume", PORTWORX), given("projected", PROJECTED_VOLUME), given("quobyte", QUOBYTE),
    given("rbd", RBD), given("scaleIO", SCALE_IO), given("secret", SECRET_VOLUME), given("storageos", STORAGE_OS),
    given("vsphereVolume", VSPHERE_VOLUME),
]);
const POD_SPEC: Shape = Object(&[
    given("activeDeadlineSeconds", Integer), given("affinity", AFFINITY),
    given("automountServiceAccountToken", Boolean), always("containers", List(&CONTAINER)),
    given("dnsConfig", DNS_CONFIG), filled("dnsPolicy", Text), given("enableServiceLinks", Boolean),
    filled("ephemeralContainers", List(&EPHEMERAL_CONTAINER)), filled("hostAliases", List(&HOST_ALIAS)),
    filled("hostIPC", Boolean), filled("hostNetwork", Boolean), filled("hostPID", Boolean),
    given("hostUsers", Boolean), filled("hostname", Text), given("hostnameOverride", Text),
    filled("imagePullSecrets", List(&LOCAL_REFERENCE)), filled("initContainers", List(&CONTAINER)),
    filled("nodeName", Text), filled("nodeSelector", TEXT_MAP), given("os", NAMED), filled("overhead", QUANTITIES),
    given("preemptionPolicy", Text), given("priority", Integer), filled("priorityClassName", Text),
    filled("readinessGates", List(&READINESS_GATE)), filled("resourceClaims", List(&POD_RESOURCE_CLAIM)),
    given("resources", RESOURCES), filled("restartPolicy", Text), given("runtimeClassName", Text),
    filled("schedulerName", Text), filled("schedulingGates", List(&NAMED)),
    given("schedulingGroup", SCHEDULING_GROUP), given("securityContext", POD_SECURITY_CONTEXT),
    filled("serviceAccount", Text), filled("serviceAccountName", Text), given("setHostnameAsFQDN", Boolean),
    given("shareProcessNamespace", Boolean), filled("subdomain", Text),
    given("terminationGracePeriodSeconds", Integer), filled("tolerations", List(&TOLERATION)),
    filled("topologySpreadConstraints", List(&TOPOLOGY_SPREAD)), filled("volumes", List(&VOLUME)),
]);
const POD_TEMPLATE: Shape = Object(&[always("metadata", METADATA), always("spec", POD_SPEC)]);
const DEPLOYMENT_SPEC: Shape = Object(&[
    filled("minReadySeconds", Integer), filled("paused", Boolean), given("progressDeadlineSeconds", Integer),
    given("replicas", Integer), given("revisionHistoryLimit", Integer), nullable("selector", LABEL_SELECTOR),
    always("strategy", STRATEGY), always("template", POD_TEMPLATE),
]);
const DEPLOYMENT: Shape = Object(&[filled("label", TEXT_MAP), always("name", Text), always("spec", DEPLOYMENT_SPEC)]);
const INSTALL_SPEC: Shape = Object(&[
    filled("clusterPermissions", List(&PERMISSION)), always("deployments", List(&DEPLOYMENT)),
    filled("permissions", List(&PERMISSION)),
]);
const INSTALL: Shape = Object(&[always("spec", INSTALL_SPEC), always("strategy", Text)]);
const INSTALL_MODE: Shape = Object(&[always("supported", Boolean), always("type", Text)]);
const LINK: Shape = Object(&[filled("name", Text), filled("url", Text)]);
const MAINTAINER: Shape = Object(&[filled("email", Text), filled("name", Text)]);
const NATIVE_API: Shape = Object(&[always("group", Text), always("kind", Text), always("version", Text)]);
const RELATED_IMAGE: Shape = Object(&[always("image", Text), always("name", Text)]);
const WEBHOOK_RULE: Shape = Object(&[
    filled("apiGroups", TEXTS), filled("apiVersions", TEXTS), filled("operations", TEXTS), filled("resources", TEXTS),
    given("scope", Text),
]);
const WEBHOOK: Shape = Object(&[
    always("admissionReviewVersions", TEXTS), filled("containerPort", Integer), filled("conversionCRDs", TEXTS),
    filled("deploymentName", Text), given("failurePolicy", Text), always("generateName", Text),
    given("matchPolicy", Text), given("objectSelector", LABEL_SELECTOR), given("reinvocationPolicy", Text),
    filled("rules", List(&WEBHOOK_RULE)), nullable("sideEffects", Text), given("targetPort", IntOrString),
    given("timeoutSeconds", Integer), always("type", Text), given("webhookPath", Text),
]);
const SPEC: Shape = Object(&[
    filled("annotations", TEXT_MAP), always("apiservicedefinitions", API_SERVICES), always("cleanup", CLEANUP),
    always("customresourcedefinitions", CRDS), filled("description", Text), always("displayName", Text),
    filled("icon", List(&ICON)), always("install", INSTALL), filled("installModes", List(&INSTALL_MODE)),
    filled("keywords", TEXTS), filled("labels", TEXT_MAP), filled("links", List(&LINK)),
    filled("maintainers", List(&MAINTAINER)), filled("maturity", Text), filled("minKubeVersion", Text),
    filled("nativeAPIs", List(&NATIVE_API)), always("provider", LINK), filled("relatedImages", List(&RELATED_IMAGE)),
    filled("release", Text), filled("replaces", Text), given("selector", LABEL_SELECTOR), filled("skips", TEXTS),
    filled("version", Shape::Syntax(&VERSION)), filled("webhookdefinitions", List(&WEBHOOK)),
]);
const INSTANCE: Shape = Object(&[always("name", Text), filled("namespace", Text)]);
const PENDING_DELETION: Shape = Object(&[
    always("group", Text), always("instances", List(&INSTANCE)), always("kind", Text),
]);
const STATUS_CLEANUP: Shape = Object(&[filled("pendingDeletion", List(&PENDING_DELETION))]);
const CONDITION: Shape = Object(&[
    filled("lastTransitionTime", Text), filled("lastUpdateTime", Text), filled("message", Text),
    filled("phase", Text), filled("reason", Text),
]);
const DEPENDENT: Shape = Object(&[
    always("group", Text), always("kind", Text), filled("message", Text), always("status", Text),
    filled("uuid", Text), always("version", Text),
]);
const REQUIREMENT_STATUS: Shape = Object(&[
    filled("dependents", List(&DEPENDENT)), always("group", Text), always("kind", Text), always("message", Text),
    always("name", Text), always("status", Text), filled("uuid", Text), always("version", Text),
]);
const STATUS: Shape = Object(&[
    filled("certsLastUpdated", Text), filled("certsRotateAt", Text), always("cleanup", STATUS_CLEANUP),
    filled("conditions", List(&CONDITION)), filled("lastTransitionTime", Text), filled("lastUpdateTime", Text),
    filled("message", Text), filled("phase", Text), filled("reason", Text),
    filled("requirementStatus", List(&REQUIREMENT_STATUS)),
]);
/// The shape of a complete ClusterServiceVersion.
pub const SHAPE: Shape = Object(&[
    filled("apiVersion", Text), filled("kind", Text), always("metadata", METADATA), always("spec", SPEC),
    always("status", STATUS),
]);
