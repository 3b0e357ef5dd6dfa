//! The mounts of serving certificates in Deployments: the mounts of the bundle, and the mounts of OLM.
//!
//! OLM creates one certificate for all webhooks and APIServices of a Deployment, and mounts it into every container at
//! two paths. OLM replaces the bundle's mounts at these paths. Other mounts stay, but their Secrets must be created
//! separately.

use super::Work;
use super::deployments::containers;
use crate::csv::Csv;
use crate::diagnostic::Diagnostic;
use crate::manifest::Object;
use crate::rules;
use crate::text::Path;
use serde_json::Value;
use std::collections::BTreeSet;

/// A path where OLM mounts its certificate, with the file names of the certificate and the key.
#[derive(Debug)]
pub(crate) struct OlmMount {
    /// The folder.
    pub(crate) path: &'static str,
    /// The names of the files: the certificate and its key.
    pub(crate) files: [&'static str; 2],
}

/// The mount for webhooks.
pub(crate) static OF_WEBHOOKS: OlmMount = OlmMount {
    path: "/tmp/k8s-webhook-server/serving-certs",
    files: ["tls.crt", "tls.key"],
};

/// The mount for APIServices.
pub(crate) static OF_API_SERVICES: OlmMount = OlmMount {
    path: "/apiserver.local.config/certificates",
    files: ["apiserver.crt", "apiserver.key"],
};

/// Whether OLM mounts its certificate at this path.
pub(crate) fn is_olm_mount(path: &str) -> bool {
    [&OF_WEBHOOKS, &OF_API_SERVICES]
        .iter()
        .any(|mount| mount.path == path.trim_end_matches('/'))
}

/// A Deployment: a separate object, or an entry of a `ClusterServiceVersion`.
#[derive(Debug, Clone)]
pub(crate) struct Deployment<'a> {
    object: &'a Object,
    value: &'a Value,
    /// The path of the Deployment in the object.
    at: Path,
}

impl<'a> Deployment<'a> {
    /// Returns the Deployment for a separate object.
    pub(crate) fn of(object: &'a Object) -> Self {
        Self {
            object,
            value: object.value(),
            at: Path::root(),
        }
    }

    /// Returns all Deployments in a `ClusterServiceVersion`.
    pub(crate) fn of_csv(csv: &'a Object) -> impl Iterator<Item = Self> {
        let list = Path::from("spec.install.spec.deployments");
        let deployments = Csv(csv.value()).deployments().iter().enumerate();
        deployments.map(move |(index, value)| Self {
            object: csv,
            value,
            at: list.index(index),
        })
    }

    pub(crate) fn name(&self) -> &'a str {
        let pointer = if self.is_object() { "/metadata/name" } else { "/name" };
        self.value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the path of the name in the object.
    pub(crate) fn name_path(&self) -> Path {
        if self.is_object() {
            Path::from("metadata.name")
        } else {
            self.at.key("name")
        }
    }

    /// Returns `Deployment/name`.
    pub(crate) fn label(&self) -> String {
        format!("Deployment/{}", self.name())
    }

    /// Returns the object that is or contains the Deployment.
    pub(crate) fn object(&self) -> &'a Object {
        self.object
    }

    fn is_object(&self) -> bool {
        self.at == Path::root()
    }

    fn containers(&self) -> Vec<(&'a Value, Path)> {
        let containers = containers(self.value).into_iter();
        containers.map(|(value, path)| (value, self.at.join(&path))).collect()
    }
}

/// A Secret or ConfigMap that a container of a Deployment mounts as files.
#[derive(Debug)]
pub(crate) struct SourceMount<'a> {
    /// `Secret` or `ConfigMap`.
    pub(crate) kind: &'static str,
    pub(crate) name: &'a str,
    /// Path of the name.
    pub(crate) name_path: Path,
    /// Whether the pods start without the Secret or ConfigMap.
    pub(crate) optional: bool,
    pub(crate) volume: &'a str,
    pub(crate) mount: &'a str,
    /// Path of `mount`.
    pub(crate) mount_path: Path,
}

/// Returns the Secrets and ConfigMaps that the containers of a Deployment mount, each with one of its mounts. Skips
/// mounts that OLM replaces: those at OLM's paths, if the Deployment is `serving` a webhook or an APIService.
pub(crate) fn source_mounts<'a>(deployment: &Deployment<'a>, serving: bool) -> Vec<SourceMount<'a>> {
    let list = deployment.at.join(&Path::from("spec.template.spec.volumes"));
    let mut found = Vec::new();
    let volumes = deployment.value.pointer("/spec/template/spec/volumes");
    let volumes = volumes.and_then(Value::as_array).into_iter().flatten();
    for (index, volume) in volumes.enumerate() {
        let at = list.index(index);
        let name = volume.get("name").and_then(Value::as_str).unwrap_or_default();
        let kept = mounts(deployment).find(|(volume, mount, _)| *volume == name && !(serving && is_olm_mount(mount)));
        let Some((_, mount, mount_path)) = kept else {
            continue;
        };
        for (kind, source, key) in sources(volume, &at) {
            let Some(source_name) = key.get(deployment.object.value()).and_then(Value::as_str) else {
                continue;
            };
            found.push(SourceMount {
                kind,
                name: source_name,
                name_path: key,
                optional: source.get("optional") == Some(&Value::Bool(true)),
                volume: name,
                mount,
                mount_path: mount_path.clone(),
            });
        }
    }
    found
}

/// Returns the Secrets and ConfigMaps of a volume, each with its kind and the path of its name.
fn sources<'a>(volume: &'a Value, at: &Path) -> Vec<(&'static str, &'a Value, Path)> {
    let mut found = Vec::new();
    let whole = [("Secret", "secret", "secretName"), ("ConfigMap", "configMap", "name")];
    for (kind, key, name) in whole {
        found.extend(volume.get(key).map(|source| (kind, source, at.key(key).key(name))));
    }
    let projected = volume.pointer("/projected/sources").and_then(Value::as_array);
    for (index, part) in projected.into_iter().flatten().enumerate() {
        let path = at.key("projected").key("sources").index(index);
        for (kind, key, _) in whole {
            found.extend(part.get(key).map(|source| (kind, source, path.key(key).key("name"))));
        }
    }
    found
}

/// Returns the volume and the container path of every mount, and the path of the field that contains the container
/// path.
fn mounts<'a>(deployment: &Deployment<'a>) -> impl Iterator<Item = (&'a str, &'a str, Path)> {
    deployment.containers().into_iter().flat_map(|(container, path)| {
        let list = container.get("volumeMounts").and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .enumerate()
            .filter_map(move |(index, mount)| {
                let text = |key: &str| mount.get(key).and_then(Value::as_str);
                let path = path.key("volumeMounts").index(index).key("mountPath");
                Some((text("name")?, text("mountPath")?, path))
            })
    })
}

/// Reports the mounts of the bundle that OLM replaces, in the Deployments that serve a webhook or an APIService.
pub(super) fn replaced(work: &mut Work<'_>, serving: &BTreeSet<usize>) {
    for deployment in serving {
        let deployment = work.inventory.object(*deployment);
        for (_, target, path) in mounts(&Deployment::of(deployment)).filter(|(_, target, _)| is_olm_mount(target)) {
            let message = format!("OLM replaces what {} mounts at {target}", deployment.label());
            let finding = Diagnostic::new(&rules::DEPLOYMENT_CERT_VOLUME, message).object(deployment.label());
            work.report(finding.at(deployment.place(&path)));
        }
    }
}

/// Whether a container mounts a volume at one of OLM's paths, or names one of these paths in its command, arguments or
/// environment.
pub(crate) fn reads_from_olm(deployment: &Deployment<'_>) -> bool {
    let is_mentioned = |mount: &OlmMount| first_mention(deployment, mount.path).is_some();
    mounts(deployment).any(|(_, mount, _)| is_olm_mount(mount))
        || is_mentioned(&OF_WEBHOOKS)
        || is_mentioned(&OF_API_SERVICES)
}

/// Returns the place of the first command, argument or environment variable that contains the path of a folder.
fn first_mention(deployment: &Deployment<'_>, folder: &str) -> Option<Path> {
    mentions_of(deployment, folder).into_iter().map(|(_, path)| path).next()
}

/// Returns the paths of the arguments and environment variables that name a certificate or a key in a folder. Skips
/// arguments and variables that name a certificate authority for clients, because it is not part of a serving
/// certificate.
pub(crate) fn read_at(deployment: &Deployment<'_>, folder: &str) -> Vec<Path> {
    let mentions = mentions_of(deployment, folder).into_iter();
    let is_serving = |text: &str| {
        !["client-ca", "client_ca"]
            .iter()
            .any(|word| text.to_lowercase().contains(word))
    };
    mentions
        .filter(|(text, _)| is_serving(text))
        .map(|(_, path)| path)
        .collect()
}

/// Returns the words of commands and arguments, and the values of environment variables, that contain the path of a
/// folder, each with its path in the object.
fn mentions_of<'a>(deployment: &Deployment<'a>, folder: &str) -> Vec<(&'a str, Path)> {
    let folder = folder.trim_end_matches('/');
    let mut found = Vec::new();
    for (container, path) in deployment.containers() {
        let texts = |key: &'static str| {
            let list = container.get(key).and_then(Value::as_array);
            list.into_iter().flatten().enumerate()
        };
        for key in ["command", "args"] {
            let path = path.key(key);
            let words = texts(key).filter_map(|(index, word)| Some((word.as_str()?, path.index(index))));
            found.extend(words.filter(|(text, _)| text.contains(folder)));
        }
        for (index, variable) in texts("env") {
            if let Some(text) = variable.get("value").and_then(Value::as_str)
                && text.contains(folder)
            {
                found.push((text, path.key("env").index(index).key("value")));
            }
        }
    }
    found
}

/// Whether a mount seems to be for a certificate of the metrics, which OLM does not create: a name of the mount says
/// so, or all arguments and variables that use its path.
pub(crate) fn is_for_metrics(deployment: &Deployment<'_>, mount: &SourceMount<'_>) -> bool {
    let says = |text: &str| text.to_lowercase().contains("metrics");
    let mentions = mentions_of(deployment, mount.mount);
    [mount.name, mount.volume, mount.mount].into_iter().any(says)
        || !mentions.is_empty() && mentions.iter().all(|(text, _)| says(text))
}

/// Describes how to make the Deployment read its certificate from OLM's mount.
pub(crate) fn read_from_olm(deployment: &Deployment<'_>, mount: &SourceMount<'_>, from: &OlmMount) -> String {
    let [certificate, key] = from.files;
    let read = read_at(deployment, mount.mount);
    let change = listed(&read).map_or(String::new(), |read| format!(" (change {read})"));
    // A file that is not part of the serving certificate may still be needed.
    let volume = if mentions_of(deployment, mount.mount).len() > read.len() {
        String::new()
    } else {
        format!(", and remove the volume {}", mount.volume)
    };
    format!(
        "OLM creates the certificate and mounts it at {} as {certificate} and {key}; read it from there{change}{volume}.",
        from.path
    )
}

/// Describes what to do about a mounted certificate that nothing creates, and that OLM's certificate cannot replace.
pub(crate) fn without_certificate(deployment: &Deployment<'_>, mount: &SourceMount<'_>) -> String {
    let users: Vec<Path> = mentions_of(deployment, mount.mount)
        .into_iter()
        .map(|(_, path)| path)
        .collect();
    let volume = mount.volume;
    let remove = match listed(&users) {
        None => format!("Remove the volume {volume} and its mount"),
        Some(users) => {
            let instead = if is_for_metrics(deployment, mount) {
                "; without a path, controller-runtime creates a self-signed certificate for the metrics"
            } else {
                ""
            };
            format!("Remove the volume {volume}, its mount and what uses its path ({users}){instead}")
        }
    };
    format!("{remove}. Or create the Secret in the install namespace by other means, such as cert-manager.")
}

/// Returns paths as a list in words.
fn listed(paths: &[Path]) -> Option<String> {
    let paths: Vec<String> = paths.iter().map(Path::to_string).collect();
    let (last, others) = paths.split_last()?;
    Some(if others.is_empty() {
        last.clone()
    } else {
        format!("{} and {last}", others.join(", "))
    })
}
