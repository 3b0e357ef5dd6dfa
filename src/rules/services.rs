//! CRDs, Services, APIServices and webhooks of a k8s+v1 bundle.

use super::{CSV, OBJECTS, OLM, PLAIN};

rules! { SERVICES
    Bundles {
        CRD_NAME = "crd-name", Error, OBJECTS, "Name it <plural>.<group>.";
        CRD_NOT_SERVED = "crd-not-served", Error, OLM, "Set served: true for at least one version.";
        CRD_V1BETA1 = "crd-v1beta1", Warning, OLM, "Write it for apiextensions.k8s.io/v1.";
        SERVICE_SELECTOR = "service-selector", Error, PLAIN, "Make its selector match the pod labels of exactly one Deployment of the bundle.";
        SERVICE_PORT = "service-port", Error, PLAIN, "Add the port to the Service, or correct the reference.";
        SERVICE_PORT_NAME = "service-port-name", Error, OBJECTS, "Name a port of a container so, or write the number.";
        SERVICE_NAME_CLASH = "service-name-clash", Error, OLM, "Rename the Service.";
        SERVICE_KEPT = "service-kept", Warning, OLM, "Put the further ports into a Service of their own to let OLM create this one.";
        SERVICE_UNPROJECTED = "service-unprojected", Info, PLAIN, "Nothing to do.";
        CRD_PROVIDED_CLASH = "crd-provided-clash", Error, OBJECTS, "Serve the version one way: a cluster asks the APIService alone.";
        APISERVICE_NAME = "apiservice-name", Error, OBJECTS, "Name it <version>.<group>.";
        APISERVICE_LOCAL = "apiservice-local", Error, PLAIN, "Name the Service that serves the API, or remove the APIService.";
        APISERVICE_SERVICE_MISSING = "apiservice-service-missing", Error, PLAIN, "Add the Service to the bundle.";
        APISERVICE_KIND_MISSING = "apiservice-kind-missing", Error, PLAIN, "List its kinds under apiservicedefinitions in metadata/olm.yaml.";
        APISERVICE_INSECURE = "apiservice-insecure", Warning, OLM, "Serve with the certificate at /apiserver.local.config/certificates.";
        APISERVICE_FIELDS = "apiservice-fields", Info, OLM, "Nothing to do: a ClusterServiceVersion has no place for it.";
        WEBHOOK_NAME = "webhook-name", Error, OBJECTS, "Use lower-case letters, digits, dots and dashes.";
        WEBHOOK_URL = "webhook-url", Error, PLAIN, "Put the webhook's server behind a Service of the bundle.";
        WEBHOOK_SERVICE_MISSING = "webhook-service-missing", Error, PLAIN, "Add the Service to the bundle.";
        WEBHOOK_RULES = "webhook-rules", Error, OLM, "Narrow the rules of the webhook.";
        WEBHOOK_DUPLICATE = "webhook-duplicate", Error, OLM, "Give the webhooks different names.";
        WEBHOOK_MATCH_CONDITIONS = "webhook-match-conditions", Error, CSV, "Check the conditions in the webhook itself: without them it would be called more often.";
        WEBHOOK_NAMESPACE_SELECTOR = "webhook-namespace-selector", Warning, OLM, "Choose the namespaces by the OperatorGroup.";
        WEBHOOK_CABUNDLE = "webhook-cabundle", Info, OLM, "Nothing to do.";
        WEBHOOK_CONVERSION_SERVICE_MISSING = "webhook-conversion-service-missing", Warning, PLAIN, "Add the Service to the bundle, or let the operator patch its CustomResourceDefinitions.";
        WEBHOOK_CONVERSION_PRESERVE = "webhook-conversion-preserve", Error, OBJECTS, "Set preserveUnknownFields: false.";
        WEBHOOK_CONVERSION_MODES = "webhook-conversion-modes", Error, OLM, "Support AllNamespaces and no other install mode.";
    }
}
