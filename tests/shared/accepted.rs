//! Which of the real operators make an index together.

/// The operators of the corpus of which one call in the mode `replaces` accepts all versions: 83 bundles.
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
