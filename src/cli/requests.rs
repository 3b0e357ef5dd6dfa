//! `Operator` and `Install` resources as input to commands: in a file that is specified instead of a bundle or a
//! package, or among the objects of a cluster.

use crate::bundle::location::{Location, is_path};
use crate::cli::arguments::{LimitArguments, RegistryArguments};
use crate::cli::cluster_files::read_objects;
use crate::cli::error::CommandError;
use crate::cli::guesses;
use crate::cli::what_if::bundle_content;
use crate::cli::{Context, input};
use crate::cluster::cluster_extensions;
use crate::cluster::requested::{self, RequestedContent, RequestedOperator, Updates, is_request};
use crate::image::Reference;
use crate::install::requests::installs::{OpenContent, OpenInstall};
use crate::install::requests::operators::AskedOperator;
use crate::manifest::has_manifest_extension;
use crate::olm::releases::Olm;
use crate::steps::Content;
use crate::synthesis::outside::Outside;
use serde_json::Value;
use std::convert;
use std::path::Path;

/// Returns whether a name refers to a file of resources, not to a bundle or a package. The file need not exist, so that
/// the error for a wrong name is about the file.
pub(crate) fn is_file(name: &str) -> bool {
    let path = Path::new(name);
    let may_be_image = || !is_path(name) && (guesses::names_host(name) || name.contains([':', '@']));
    name == input::STDIN || has_manifest_extension(name) && (path.is_file() || !path.exists() && !may_be_image())
}

/// Reads the Operators and Installs in a file.
pub(crate) fn read(
    name: &str,
    olm: &Olm,
    limits: &LimitArguments,
    context: &Context<'_>,
) -> Result<Vec<Value>, CommandError> {
    if *olm != Olm::Proposed {
        context.printer.warning(format_args!(
            "{olm} supports neither the Operators nor the Installs in {name}; they are handled as with --olm proposed"
        ));
    }
    let state = read_objects(None, &[name.to_owned()], convert::identity, limits, context)?;
    let (mut requests, others): (Vec<Value>, Vec<Value>) = state.objects.into_iter().partition(is_request);
    if requests.is_empty() {
        let message = format!("{name} contains neither an Operator nor an Install of operators.coreos.com");
        let is_of_v1 = cluster_extensions(&others).next().is_some();
        return Err(CommandError::failure(message).hint(if is_of_v1 {
            "ClusterExtensions belong to OLM v1, but this command predicts only the decisions of OLM v0; use \"opmx index \
             check --for olm-v1\" to find the bundles that OLM v1 chooses from a catalog but does not install"
        } else {
            "use --cluster for a file that describes the cluster"
        }));
    }
    for other in others {
        let text = |pointer: &str| other.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let (kind, of) = (text("/kind"), text("/metadata/name"));
        context.printer.warning(format_args!(
            "{name}: {kind}/{of} is neither an Operator nor an Install, and is ignored"
        ));
    }
    requests.shrink_to_fit();
    if let Some((kind, twice)) = requested::twice(&requests) {
        return Err(CommandError::failure(format!(
            "{name} contains two resources {kind}/{twice}"
        )));
    }
    let checked = requested::operators(&requests).and_then(|_| requested::installs(&requests));
    match checked {
        Ok(_) => Ok(requests),
        Err(error) if name == input::STDIN => Err(error.into()),
        // Objects are read without their places.
        Err(error) => {
            let bytes = std::fs::read(name).unwrap_or_default();
            Err(error.in_file(name, &bytes, &limits.text()).into())
        }
    }
}

/// A bundle image with the digest that it resolves to.
pub(crate) struct PinnedImage {
    /// The reference as specified.
    pub(crate) named: String,
    /// The reference by digest.
    pub(crate) resolved: String,
    /// The content of the image.
    pub(crate) content: Content,
}

/// Reads a bundle image. `outside` describes the APIs that the bundle uses but does not define. Returns `None` if the
/// bundle has errors, which have been reported.
pub(crate) fn pinned_image(
    image: &str,
    outside: Option<&Outside>,
    registry: &RegistryArguments,
    limits: &LimitArguments,
    context: &Context<'_>,
) -> Result<Option<PinnedImage>, CommandError> {
    let Location::Image(reference) = image.parse()? else {
        return Err(CommandError::failure(format!("{image} is a folder, not an image")));
    };
    let transports = registry.transports(context);
    let digest = context.runtime.block_on(transports.resolve(&reference))?;
    let pinned = reference.with_digest(&digest);
    let content = bundle_content(&pinned.to_string(), outside, registry, limits, context)?;
    Ok(content.map(|content| PinnedImage {
        named: without_transport(&reference),
        resolved: without_transport(&pinned),
        content,
    }))
}

/// Returns a reference in the form that Kubernetes resources use.
pub(crate) fn without_transport(reference: &Reference) -> String {
    let text = reference.to_string();
    text.strip_prefix("docker://").map(str::to_owned).unwrap_or(text)
}

/// An Operator, and the image that it names.
pub(crate) struct OpenOperator {
    pub(crate) operator: RequestedOperator,
    pub(crate) image: Option<PinnedImage>,
}

impl OpenOperator {
    /// Returns the input for a resolution.
    pub(crate) fn asked(&self) -> AskedOperator {
        AskedOperator {
            operator: self.operator.clone(),
            content: self.image.as_ref().map(|image| image.content.clone()),
        }
    }
}

/// Returns the Operators in `objects`, with the images that they name, or `None` if the bundle in an image has errors,
/// which have been reported.
pub(crate) fn open_operators(
    objects: &[Value],
    outside: Option<&Outside>,
    registry: &RegistryArguments,
    limits: &LimitArguments,
    context: &Context<'_>,
) -> Result<Option<Vec<OpenOperator>>, CommandError> {
    let mut open = Vec::new();
    for operator in requested::operators(objects)? {
        let image = match &operator.updates {
            Updates::Catalog(_) => None,
            Updates::Image(image) => {
                let in_it = || format!("cannot read the image of Operator {}", operator.name);
                let read =
                    pinned_image(image, outside, registry, limits, context).map_err(|error| error.context(in_it()))?;
                let Some(image) = read else { return Ok(None) };
                if image.named != image.resolved {
                    let (name, resolved) = (&operator.name, &image.resolved);
                    context
                        .printer
                        .status(format_args!("Operator {name}: {} resolves to {resolved}", image.named));
                }
                Some(image)
            }
        };
        open.push(OpenOperator { operator, image });
    }
    Ok(Some(open))
}

/// Returns the Installs in `objects`, with their resolved content, or `None` if the bundle in an image has errors,
/// which have been reported.
pub(crate) fn open_installs(
    objects: &[Value],
    outside: Option<&Outside>,
    registry: &RegistryArguments,
    limits: &LimitArguments,
    context: &Context<'_>,
) -> Result<Option<Vec<OpenInstall>>, CommandError> {
    let mut all = Vec::new();
    for install in requested::installs(objects)? {
        let mut content = Vec::new();
        for entry in &install.content {
            content.push(match entry {
                RequestedContent::Raw(objects) => OpenContent::Raw(objects.clone()),
                RequestedContent::Image(image) => {
                    let in_it = || format!("cannot read the content of Install {}", install.name);
                    let read = pinned_image(image, outside, registry, limits, context)
                        .map_err(|error| error.context(in_it()))?;
                    let Some(image) = read else { return Ok(None) };
                    OpenContent::Image {
                        named: image.named,
                        resolved: image.resolved,
                        bundle: Box::new(image.content),
                    }
                }
            });
        }
        all.push(OpenInstall { install, content });
    }
    Ok(Some(all))
}

/// Prints resources: a single resource by itself, several resources as a list.
pub(crate) fn print_all<T: serde::Serialize>(
    all: &[T],
    format: crate::terminal::Format,
    context: &Context<'_>,
) -> Result<(), CommandError> {
    match all {
        [one] => context.printer.document(format, one)?,
        all => {
            let list = serde_json::json!({"apiVersion": "v1", "kind": "List", "items": all});
            context.printer.document(format, &list)?;
        }
    }
    Ok(())
}

/// Returns a readable description of an Install's content, with the resolved reference of each entry.
pub(crate) fn contents(install: &OpenInstall) -> Vec<[String; 3]> {
    let named = |object: &Value| {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        format!("{}/{}", text("/kind"), text("/metadata/name"))
    };
    let row = |content: &OpenContent| match content {
        OpenContent::Image {
            named,
            resolved,
            bundle,
        } => [named.clone(), bundle.name.clone(), resolved.clone()],
        OpenContent::Manifests(bundle) => ["manifests".to_owned(), bundle.name.clone(), String::new()],
        OpenContent::Raw(objects) => {
            let objects: Vec<String> = objects.iter().map(named).collect();
            ["raw".to_owned(), objects.join(", "), String::new()]
        }
    };
    install.content.iter().map(row).collect()
}
