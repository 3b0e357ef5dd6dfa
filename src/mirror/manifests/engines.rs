//! Files for container engines and copying tools.

use super::super::plan::{ImageRole, Plan};
use super::{ManifestOptions, Manifests, Rules};
use crate::image::Reference;
use std::collections::{BTreeMap, BTreeSet};

/// Returns a drop-in file for `registries.conf.d`, which CRI-O, podman and skopeo read.
pub(super) fn registries_conf(rules: &Rules, options: &ManifestOptions) -> Option<String> {
    let sources: BTreeSet<&String> = rules.by_digest.keys().chain(rules.by_tag.keys()).collect();
    let mut tables = Vec::new();
    for source in sources {
        let mut table = format!("[[registry]]\nprefix = \"{source}\"\nlocation = \"{source}\"\n");
        if options.never_contact_source {
            // Only the source is blocked; mirrors are looked up under their own names.
            table.push_str("blocked = true\n");
        }
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
pub(super) fn hosts(plan: &Plan, options: &ManifestOptions, made: &mut Manifests) {
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
                None => drop(elsewhere.insert(reference.full_repository())),
            }
        }
    }
    for (host, bases) in &bases {
        let mut mirrors: Vec<String> = bases.iter().map(|base| address(base)).collect();
        // containerd contacts the server last. Without a server, it would contact the source.
        let server = if options.never_contact_source {
            mirrors
                .pop()
                .map(|server| format!("server = \"{server}\"\n{CAPABILITIES}"))
        } else {
            let server = if host == "docker.io" {
                "registry-1.docker.io"
            } else {
                host
            };
            Some(format!("server = \"https://{server}\"\n"))
        };
        let mut text = server.unwrap_or_default();
        for mirror in mirrors {
            text.push_str(&format!("\n[host.\"{mirror}\"]\n{CAPABILITIES}"));
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
    if options.never_contact_source {
        let remark = |host: &String| {
            format!(
                "hosts.toml applies to all images of {host}, so images that the mirror lacks can no longer be pulled"
            )
        };
        made.remarks.extend(bases.keys().map(remark));
    }
}

/// What containerd may do with a mirror whose address contains the whole path.
const CAPABILITIES: &str = "capabilities = [\"pull\", \"resolve\"]\noverride_path = true\n";

/// Returns the address of the API below a repository prefix, such as `mirror.example.com/olm`.
fn address(base: &str) -> String {
    match base.split_once('/') {
        Some((registry, path)) => format!("https://{registry}/v2/{path}"),
        None => format!("https://{base}/v2"),
    }
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
