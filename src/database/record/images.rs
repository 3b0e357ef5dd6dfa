//! The images of a bundle.

use super::field::Field;
use super::{Contents, RecordError};
use std::collections::BTreeSet;

/// Returns the bundle image, the images of all containers that the install strategy starts, the related images that the
/// `ClusterServiceVersion` lists, and the extra images of `contents`, each once. Like opm, ignores environment
/// variables and rejects values of the wrong type.
pub(super) fn related(contents: &Contents<'_>, csv: &Field<'_>) -> Result<BTreeSet<String>, RecordError> {
    let mut images: BTreeSet<String> = contents.extra_images.iter().cloned().collect();
    if !contents.bundle_path.is_empty() {
        images.insert(contents.bundle_path.to_owned());
    }
    let spec = csv.at("spec");
    let install = spec.at("install");
    if install.at("strategy").text()? == "deployment" {
        for deployment in install.at("spec").at("deployments").maps()? {
            let pod = deployment.at("spec").at("template").at("spec");
            for containers in ["initContainers", "containers"] {
                for container in pod.at(containers).maps()? {
                    images.insert(container.at("image").text()?.to_owned());
                }
            }
        }
    }
    for image in spec.at("relatedImages").maps()? {
        images.insert(image.at("image").text()?.to_owned());
    }
    Ok(images)
}
