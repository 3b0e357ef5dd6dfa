//! The published operators that can form one index.

/// The operators of the corpus all of whose versions one call in the mode `replaces` accepts: 83 bundles.
pub(crate) const ACCEPTED: [&str; 18] = [
    "ack-s3-controller",
    "apicurito",
    "cert-manager",
    "community-kubevirt-hyperconverged",
    "dbaas-operator",
    "debezium-operator",
    "deployment-validation-operator",
    "dynatrace-operator",
    "edp-keycloak-operator",
    "etcd",
    "oadp-operator",
    "observability-operator",
    "opentelemetry-operator",
    "pelorus-operator",
    "rhoas-operator",
    "silicom-sts-operator",
    "skupper-operator",
    "vault-config-operator",
];
