//! Files for container engines and copying tools.

use super::super::naming::repository_of;
use super::super::plan::{ImageRole, Plan};
use super::{Manifests, Rules};
use crate::image::Reference;
use std::collections::{BTreeMap, BTreeSet};

/// Returns a drop-in file for `registries.conf.d`, which CRI-O, podman and skopeo read.
pub(super) fn registries_conf(rules: &Rules) -> Option<String> {
    let sources: BTreeSet<&String> = rules.by_digest.keys().chain(rules.by_tag.keys()).collect();
    let mut tables = Vec::new();
    for source in sources {
        let mut table = format!("[[registry]]\nprefix = \"{source}\"\nlocation = \"{source}\"\n");
        let of = |rules: &BTreeMap<String, BTreeSet<String>>| rules.get(source).cloned().unwrap_or_default();
        let (by_digest, by_tag) = (of(&rules.by_digest), of(&rules.by_tag));
        for mirror in by_digest.union(&by_tag) {
            table.push_str(&format!("\n[[registry.mirror]]\nlocation = \"{mirror}\"\n"));
            match (by_digest.contains(mirror), by_tag.contains(mirror)) {
                (true, false) => table.push_str("pull-from-mirror = \"digest-only\"\n"),
                (false, true) => table.push_str("pull-from-mirror = \"tag-only\"\n"),
                _ => {}
            }
        }
        tables.push(table);
    }
    (!tables.is_empty()).then(|| tables.join("\n"))
}

/// Adds the `hosts.toml` files that containerd reads, one for each registry. The rules in such a file apply to the
/// whole registry.
pub(super) fn hosts(plan: &Plan, made: &mut Manifests) {
    let mut bases: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut elsewhere: BTreeSet<String> = BTreeSet::new();
    for image in &plan.images {
        let Some(destination) = &image.destination else {
            continue;
        };
        if image.uses.iter().all(|used| used.role == ImageRole::Catalog) {
            continue;
        }
        for origin in &image.origins {
            let Ok(Reference::Registry(reference)) = origin.parse() else {
                continue;
            };
            let end = format!("/{}", reference.repository());
            match destination.strip_suffix(&end) {
                Some(base) => drop(
                    bases
                        .entry(reference.registry().to_owned())
                        .or_default()
                        .insert(base.to_owned()),
                ),
                None => drop(elsewhere.insert(repository_of(&reference))),
            }
        }
    }
    for (host, bases) in &bases {
        let server = if host == "docker.io" {
            "registry-1.docker.io"
        } else {
            host
        };
        let mut text = format!("server = \"https://{server}\"\n");
        for base in bases {
            let (registry, path) = base.split_once('/').unwrap_or((base, ""));
            let path = if path.is_empty() {
                String::new()
            } else {
                format!("/{path}")
            };
            text.push_str(&format!(
                "\n[host.\"https://{registry}/v2{path}\"]\ncapabilities = [\"pull\", \"resolve\"]\noverride_path = true\n"
            ));
        }
        // Some file systems do not allow colons; containerd also recognizes this name.
        let folder = host.split_once(':').map(|(name, port)| format!("{name}_{port}_"));
        made.files
            .insert(format!("hosts/{}/hosts.toml", folder.as_ref().unwrap_or(host)), text);
    }
    let remark = |repository: String| {
        format!(
            "hosts.toml cannot redirect {repository}, because its path at the target differs and containerd cannot change paths"
        )
    };
    made.remarks.extend(elsewhere.into_iter().map(remark));
}

/// Returns the lines `SOURCE=DESTINATION` for all images in a plan.
pub(super) fn mapping(plan: &Plan) -> Option<String> {
    let mut lines = BTreeSet::new();
    for image in &plan.images {
        let (Some(destination), Ok(Reference::Registry(source))) = (&image.destination, image.source.parse()) else {
            continue;
        };
        if source.digest().is_none() {
            continue;
        }
        lines.extend(
            image
                .tags
                .iter()
                .map(|tag| format!("{}={destination}:{tag}\n", image.source)),
        );
    }
    (!lines.is_empty()).then(|| lines.into_iter().collect())
}
