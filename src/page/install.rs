//! Manifests that tell OLM to install an operator, for users to copy.

use super::frame::Site;
use super::model::{Model, Release};
use crate::olm::install_mode::{ALL_NAMESPACES, OWN_NAMESPACE};
use crate::text::to_yaml;
use serde_json::{Value, json};

/// Manifests for one version of OLM.
#[derive(Debug, Clone)]
pub(super) struct Manifest {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// The kind of the main object.
    pub(super) kind: &'static str,
    pub(super) text: String,
    /// The objects; empty if this version of OLM does not install the operator.
    pub(super) yaml: String,
}

/// A placeholder for the watched namespace, if the operator cannot watch its own namespace.
const WATCHED: &str = "watched-namespace";

/// Returns the manifests for a package.
pub(super) fn manifests(site: &Site, model: &Model<'_>) -> Vec<Manifest> {
    let Some(shown) = model.representative() else {
        return Vec::new();
    };
    let package = &*model.package.name;
    let channel = model.default_channel().map(|channel| &*channel.name);
    let supports = |mode: &str| {
        let mut modes = shown.facts.install_modes.iter();
        modes.any(|(name, supported)| name == mode && *supported)
    };
    let own = match shown.facts.namespace.as_str() {
        "" => package,
        namespace => namespace,
    };
    let everywhere = supports(ALL_NAMESPACES) || shown.facts.install_modes.is_empty();
    let namespace = if everywhere { "operators" } else { own };
    let mut spec = json!({
        "name": package,
        "source": site.catalog,
        "sourceNamespace": "olm",
    });
    if let (Some(channel), Some(spec)) = (channel, spec.as_object_mut()) {
        spec.insert("channel".to_owned(), channel.into());
    }
    let subscription = json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "Subscription",
        "metadata": {"name": package, "namespace": namespace},
        "spec": spec,
    });
    let mut objects = Vec::new();
    if !everywhere {
        let targets = if supports(OWN_NAMESPACE) {
            [namespace]
        } else {
            [WATCHED]
        };
        objects.push(json!({
            "apiVersion": "operators.coreos.com/v1",
            "kind": "OperatorGroup",
            "metadata": {"name": package, "namespace": namespace},
            "spec": {"targetNamespaces": targets},
        }));
    }
    objects.push(subscription);
    let group = if everywhere {
        format!(
            "The namespace {namespace} needs an OperatorGroup without target namespaces. OLM usually creates this OperatorGroup."
        )
    } else if supports(OWN_NAMESPACE) {
        "The operator does not watch all namespaces, so it gets a separate OperatorGroup.".to_owned()
    } else {
        format!("Replace {WATCHED} with the namespace that the operator should watch.")
    };
    let mut catalog = json!({"packageName": package});
    if let (Some(channel), Some(catalog)) = (channel, catalog.as_object_mut()) {
        catalog.insert("channels".to_owned(), json!([channel]));
    }
    let extension = json!({
        "apiVersion": "olm.operatorframework.io/v1",
        "kind": "ClusterExtension",
        "metadata": {"name": package},
        "spec": {
            "namespace": own,
            "serviceAccount": {"name": format!("{package}-installer")},
            "source": {"sourceType": "Catalog", "catalog": catalog},
        },
    });
    let mirrored = json!({
        "apiVersion": "mirror.openshift.io/v2alpha1",
        "kind": "ImageSetConfiguration",
        "mirror": {"operators": [{"catalog": site.source, "packages": [{
            "name": package,
            "channels": channel.map(|channel| json!({"name": channel})).into_iter().collect::<Vec<_>>(),
        }]}]},
    });
    let mirror = site.is_in_registry.then(|| Manifest {
        id: "mirror",
        title: "Mirror to another registry",
        kind: "ImageSetConfiguration",
        text: "For oc-mirror, which copies the images of the channel.".to_owned(),
        yaml: documents(&[mirrored]),
    });
    let mut manifests = vec![
        Manifest {
            id: "subscription",
            title: "With OLM",
            kind: "Subscription",
            text: format!(
                "For clusters that use the index as the CatalogSource {} in the namespace olm. {group}",
                site.catalog
            ),
            yaml: documents(&objects),
        },
        with_olm_v1(shown, model.chosen_by_olm_v1().unwrap_or(shown), &extension),
    ];
    manifests.extend(mirror);
    manifests
}

/// Returns the manifest for OLM v1, or the reasons why OLM v1 does not install the version that it chooses.
fn with_olm_v1(shown: &Release, chosen: &Release, extension: &Value) -> Manifest {
    let choice = if chosen.id == shown.id {
        String::new()
    } else {
        format!(
            "OLM v1 chooses {}, because it prefers the highest version that is not deprecated. ",
            chosen.name
        )
    };
    let (text, yaml) = match &chosen.refused_by_olm_v1[..] {
        [] => {
            let text = format!(
                "{choice}For clusters that use the index as a ClusterCatalog, which must be a file-based catalog. OLM \
                 uses the service account to install the operator, so the account needs all permissions that the \
                 installation requires."
            );
            (text, documents(std::slice::from_ref(extension)))
        }
        reasons => {
            let reasons = reasons.join("; ");
            let text = format!("{choice}OLM v1 does not install {}: {reasons}.", chosen.name);
            (text, String::new())
        }
    };
    Manifest {
        id: "extension",
        title: "With OLM v1",
        kind: "ClusterExtension",
        text,
        yaml,
    }
}

fn documents(objects: &[Value]) -> String {
    let objects: Vec<String> = objects.iter().map(to_yaml).collect();
    objects.join("---\n")
}
