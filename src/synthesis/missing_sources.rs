//! Checks that the Secrets and ConfigMaps that Deployments mount are created, because pods wait for them.

use super::certificates::{self, Deployment, SourceMount};
use crate::diagnostic::Diagnostic;
use crate::manifest::Object;
use crate::rules;
use std::collections::BTreeSet;

/// The annotations that make OpenShift create a Secret for a Service.
const SERVING_CERTIFICATE: [&str; 2] = [
    "service.beta.openshift.io/serving-cert-secret-name",
    "service.alpha.openshift.io/serving-cert-secret-name",
];
/// The ConfigMaps that clusters create in every namespace.
const EVERYWHERE: [&str; 2] = ["kube-root-ca.crt", "openshift-service-ca.crt"];

/// What creates Secrets and ConfigMaps.
pub(super) struct Creators<'a> {
    /// The objects of the bundle.
    pub(super) objects: &'a [Object],
    /// The objects that are installed alongside the CSV.
    pub(super) kept: &'a [&'a Object],
    /// The names of the Deployments that serve a webhook or an APIService.
    pub(super) serving: BTreeSet<&'a str>,
}

impl Creators<'_> {
    /// Returns the Secret or ConfigMap of the bundle with this name.
    pub(super) fn source(&self, kind: &str, name: &str) -> Option<&Object> {
        let mut objects = self.objects.iter();
        objects.find(|object| object.gvk().is("", kind) && object.name() == name)
    }

    /// Whether the Secret or ConfigMap exists after the installation. A Secret that an omitted Certificate would have
    /// created counts, because it is reported elsewhere.
    pub(super) fn create(&self, mount: &SourceMount<'_>) -> bool {
        let by_cluster = || match mount.kind {
            "ConfigMap" => EVERYWHERE.contains(&mount.name),
            _ => self.create_secret(mount.name),
        };
        self.source(mount.kind, mount.name).is_some() || by_cluster()
    }

    fn create_secret(&self, name: &str) -> bool {
        let is_omitted = |object: &Object| {
            object.gvk().is("cert-manager.io", "Certificate") && object.text(&["spec", "secretName"]) == Some(name)
        };
        let is_for_service = |object: &&Object| {
            let named = |key: &&str| object.text(&["metadata", "annotations", key]) == Some(name);
            SERVING_CERTIFICATE.iter().any(named)
        };
        // OLM names its Service after the Deployment, and the Secret after the Service.
        let of_olm = name.strip_suffix("-service-cert");
        of_olm.is_some_and(|deployment| self.serving.contains(deployment))
            || !self.serving.is_empty() && self.objects.iter().any(is_omitted)
            || self.kept.iter().any(is_for_service)
    }
}

/// Reports a Secret or ConfigMap that nothing creates.
pub(super) fn find(
    deployment: &Deployment<'_>,
    creators: &Creators<'_>,
    mount: &SourceMount<'_>,
) -> Option<Diagnostic> {
    if mount.optional || mount.name.is_empty() || creators.create(mount) {
        return None;
    }
    let (object, kind) = (deployment.object(), mount.kind);
    let message = format!(
        "{} mounts {kind} {} at {}, but nothing in the bundle creates it, so the pods wait until it exists",
        deployment.label(),
        mount.name,
        mount.mount
    );
    let finding = Diagnostic::new(&rules::VOLUME_SOURCE_MISSING, message)
        .object(object.label())
        .path(&mount.name_path)
        .at(object.place(&mount.name_path))
        .also(object.place(&mount.mount_path), "it is mounted here");
    let is_certificate = kind == "Secret" && certificates::is_for_metrics(deployment, mount);
    Some(if is_certificate {
        finding.help(certificates::without_certificate(deployment, mount))
    } else {
        finding
    })
}
