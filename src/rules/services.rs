//! CRDs, Services, APIServices and webhooks of a k8s+v1 bundle.

use super::{CSV, OBJECTS, OLM, PLAIN};

rules! { SERVICES
    PlainBundles {
        CRD_NAME = "crd-name", Error, OBJECTS, "Name the CustomResourceDefinition <plural>.<group>.";
        CRD_NOT_SERVED = "crd-not-served", Error, OLM, "Set served: true for at least one version.";
        CRD_V1BETA1 = "crd-v1beta1", Warning, OLM, "Use apiextensions.k8s.io/v1.";
        SERVICE_SELECTOR = "service-selector", Error, PLAIN, "Make the Service's selector match the pod labels of exactly one Deployment of the bundle.";
        SERVICE_PORT = "service-port", Error, PLAIN, "Add the port to the Service, or correct the reference.";
        SERVICE_PORT_NAME = "service-port-name", Error, OBJECTS, "Use this name for a container port, or use the port number.";
        SERVICE_NAME_CLASH = "service-name-clash", Error, OLM, "Rename the Service.";
        SERVICE_KEPT = "service-kept", Warning, OLM, "No action needed: the other ports stay reachable through this Service. OLM creates a separate Service, named after the Deployment.";
        SERVICE_UNPROJECTED = "service-unprojected", Info, PLAIN, "No action needed.";
        CRD_PROVIDED_CLASH = "crd-provided-clash", Error, OBJECTS, "Serve the version in only one way, because the cluster uses only the APIService.";
        APISERVICE_NAME = "apiservice-name", Error, OBJECTS, "Name the APIService <version>.<group>.";
        APISERVICE_LOCAL = "apiservice-local", Error, PLAIN, "Name the Service that serves the API, or remove the APIService.";
        APISERVICE_SERVICE_MISSING = "apiservice-service-missing", Error, PLAIN, "Add the Service to the bundle.";
        APISERVICE_KIND_MISSING = "apiservice-kind-missing", Error, PLAIN, "List the API's kinds under apiservicedefinitions in metadata/olm.yaml.";
        APISERVICE_INSECURE = "apiservice-insecure", Warning, OLM, "Use the serving certificate at /apiserver.local.config/certificates.";
        APISERVICE_FIELDS = "apiservice-fields", Info, OLM, "No action needed: a ClusterServiceVersion has no field for this value.";
        WEBHOOK_NAME = "webhook-name", Error, OBJECTS, "Use lowercase letters, digits, dots and hyphens.";
        WEBHOOK_URL = "webhook-url", Error, PLAIN, "Expose the webhook server through a Service of the bundle.";
        WEBHOOK_SERVICE_MISSING = "webhook-service-missing", Error, PLAIN, "Add the Service to the bundle.";
        WEBHOOK_RULES = "webhook-rules", Error, OLM, "Narrow the rules of the webhook.";
        WEBHOOK_RESOURCE = "webhook-resource", Warning, OBJECTS, "Use the plural of the kind, as in spec.names.plural of its CustomResourceDefinition.";
        WEBHOOK_DUPLICATE = "webhook-duplicate", Error, OLM, "Use a different name for each webhook.";
        WEBHOOK_MATCH_CONDITIONS = "webhook-match-conditions", Error, CSV, "Remove matchConditions, and check the conditions in the webhook itself, which is then called more often.";
        WEBHOOK_SIDE_EFFECTS = "webhook-side-effects", Error, OLM, "Avoid side effects in dry runs, and set sideEffects to None or NoneOnDryRun.";
        WEBHOOK_NAMESPACE_SELECTOR = "webhook-namespace-selector", Warning, OLM, "Select namespaces with the OperatorGroup.";
        WEBHOOK_CABUNDLE = "webhook-cabundle", Info, OLM, "No action needed.";
        WEBHOOK_CONVERSION_SERVICE_MISSING = "webhook-conversion-service-missing", Warning, PLAIN, "Add the Service to the bundle, or let the operator patch its CustomResourceDefinitions.";
        WEBHOOK_CONVERSION_PRESERVE = "webhook-conversion-preserve", Error, OBJECTS, "Set preserveUnknownFields: false.";
        WEBHOOK_CONVERSION_MODES = "webhook-conversion-modes", Error, OLM, "Support only the install mode AllNamespaces.";
    }
}
