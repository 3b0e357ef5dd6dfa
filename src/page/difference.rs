//! The page that compares two versions.

mod fields;
mod permissions;
mod workloads;

use super::change::{Change, Part, facts, of_maps};
use super::csv_facts::{Api, group_version};
use super::frame::{File, Frame, Site, page};
use super::icon::Picture;
use super::model::{Model, Release};
use super::package_page::VersionLink;
use super::path;
use askama::Template;
use std::collections::BTreeMap;

/// The prefix of a digest, and the number of characters shown after the prefix.
const DIGEST: &str = "sha256:";
const SHORT: usize = 16;

/// The title of the part about the permissions of the operator.
const OF_OPERATOR: &str = "Permissions of the operator";

#[derive(Template)]
#[template(path = "page/difference.html")]
struct DifferencePage<'a> {
    frame: Frame<'a>,
    package: &'a str,
    display_name: &'a str,
    picture: Picture,
    from: VersionLink,
    to: VersionLink,
    /// The parts with changes.
    parts: Vec<Part>,
    /// The titles of the parts without changes.
    unchanged: Vec<&'static str>,
    gaps: Vec<Gap>,
    breaking: usize,
    dangerous: usize,
}

/// Parts that cannot be compared, because data of at least one version is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Gap {
    /// The missing data.
    what: &'static str,
    /// The versions that lack this data.
    versions: Vec<String>,
    /// The titles of the parts.
    parts: Vec<&'static str>,
}

/// The data that a part compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The properties of the bundle, which every catalog contains.
    Properties,
    /// The ClusterServiceVersion, or a summary of it.
    Csv,
    /// All manifests.
    Manifests,
    /// The list of related images.
    Images,
}

impl Source {
    fn is_known(self, version: &Release) -> bool {
        match self {
            Self::Properties => true,
            Self::Csv => version.has_csv,
            Self::Manifests => version.has_manifests(),
            Self::Images => version.has_manifests() || !version.images.is_empty(),
        }
    }

    fn what(self) -> &'static str {
        match self {
            Self::Properties => "properties",
            Self::Csv => "ClusterServiceVersion",
            Self::Manifests => "manifests",
            Self::Images => "related images",
        }
    }
}

/// Renders the page of the differences between `before` and `after`.
///
/// # Errors
/// Returns an error if the template cannot be rendered.
pub(super) fn difference_page(
    site: &Site,
    model: &Model<'_>,
    before: &Release,
    after: &Release,
) -> Result<File, askama::Error> {
    let path = path::difference(&model.package.name, &before.name, &after.name);
    let (parts, gaps) = parts(before, after);
    let link = |version: &Release| VersionLink {
        bundle: version.name.clone(),
        version: version.version.clone(),
        path: format!("../{}", version.path.rsplit('/').next().unwrap_or_default()),
    };
    let title = format!("{} → {} · {}", before.version, after.version, model.display_name());
    let (parts, same): (Vec<Part>, Vec<Part>) = parts.into_iter().partition(|part| !part.changes.is_empty());
    let changes = || parts.iter().flat_map(|part| &part.changes);
    // Count only the permissions of the operator. The permissions required for the installation include them, so
    // counting both lists would count them twice.
    let of_operator = parts.iter().filter(|part| part.title == OF_OPERATOR);
    let gained = of_operator.flat_map(|part| &part.changes);
    let frame = Frame::new(site, &path, title);
    let filled = DifferencePage {
        package: &model.package.name,
        display_name: model.display_name(),
        picture: Picture::new(model.icon.as_ref(), model.display_name(), &frame.up),
        frame,
        from: link(before),
        to: link(after),
        breaking: changes().filter(|change| change.breaking).count(),
        dangerous: gained.filter(|change| !change.remarks.is_empty()).count(),
        unchanged: same.iter().map(|part| part.title).collect(),
        parts,
        gaps,
    };
    page(&path, &filled)
}

/// Compares everything that is known about both versions.
fn parts(before: &Release, after: &Release) -> (Vec<Part>, Vec<Gap>) {
    use Source::{Csv, Images, Manifests, Properties};
    type Compare = fn(&Release, &Release) -> Option<Vec<Change>>;
    // The properties of a bundle also list its APIs.
    let source_of_apis = if before.owned.is_empty() || after.owned.is_empty() {
        Csv
    } else {
        Properties
    };
    let all: [(&'static str, Source, Compare); 11] = [
        ("Facts", Csv, |old, new| Some(fact_changes(old, new))),
        ("Install modes", Csv, |old, new| Some(modes(old, new))),
        ("APIs", source_of_apis, |old, new| {
            Some(of_maps(&apis(&old.owned), &apis(&new.owned), true))
        }),
        ("Required APIs", Csv, |old, new| {
            Some(of_maps(&apis(&old.required), &apis(&new.required), false))
        }),
        ("API fields", Manifests, |old, new| Some(fields::fields(old, new))),
        (OF_OPERATOR, Manifests, permissions::of_operator),
        (
            "Permissions required for the installation",
            Manifests,
            permissions::of_installation,
        ),
        ("Deployments", Manifests, |old, new| {
            Some(shortened(workloads::deployments(old, new)))
        }),
        ("Webhooks", Manifests, |old, new| Some(workloads::webhooks(old, new))),
        ("Images", Images, |old, new| {
            Some(shortened(of_maps(&images(old), &images(new), false)))
        }),
        ("Dependencies", Properties, |old, new| {
            Some(of_maps(&needs(old), &needs(new), false))
        }),
    ];
    let (mut parts, mut gaps) = (Vec::new(), Vec::new());
    for (title, source, compare) in all {
        let lacking: Vec<&Release> = [before, after]
            .into_iter()
            .filter(|version| !source.is_known(version))
            .collect();
        let changes = if lacking.is_empty() {
            compare(before, after)
        } else {
            None
        };
        match changes {
            Some(changes) => parts.push(Part { title, changes }),
            None => add_gap(&mut gaps, title, source, &lacking),
        }
    }
    (parts, gaps)
}

/// Adds a part to the gap with the same reason. If `lacking` is empty, the data is known, but cannot be compared.
fn add_gap(gaps: &mut Vec<Gap>, part: &'static str, source: Source, lacking: &[&Release]) {
    let what = if lacking.is_empty() { "" } else { source.what() };
    match gaps.iter_mut().find(|gap| gap.what == what) {
        Some(gap) => gap.parts.push(part),
        None => gaps.push(Gap {
            what,
            versions: lacking.iter().map(|version| version.version.clone()).collect(),
            parts: vec![part],
        }),
    }
}

/// Compares the facts, except for those that always differ between versions.
fn fact_changes(before: &Release, after: &Release) -> Vec<Change> {
    let (mut old, mut new) = (facts(&before.facts.rows), facts(&after.facts.rows));
    for facts in [&mut old, &mut new] {
        for own in ["Version", "Bundle", "Bundle image", "Created"] {
            facts.remove(own);
        }
    }
    shortened(of_maps(&old, &new, false))
}

fn modes(before: &Release, after: &Release) -> Vec<Change> {
    let modes = |version: &Release| -> BTreeMap<String, String> {
        let supported = version.facts.install_modes.iter().filter(|(_, supported)| *supported);
        supported.map(|(name, _)| (name.clone(), String::new())).collect()
    };
    of_maps(&modes(before), &modes(after), true)
}

fn apis(apis: &[Api]) -> BTreeMap<String, String> {
    let name = |api: &Api| format!("{} ({})", api.kind, group_version(&api.group, &api.version));
    apis.iter().map(|api| (name(api), String::new())).collect()
}

/// Returns the tags and digests of the images, by the part of the reference before the tag or digest.
fn images(version: &Release) -> BTreeMap<String, String> {
    let mut images: BTreeMap<String, String> = BTreeMap::new();
    for image in &version.images {
        let (place, which) = match image.image.split_once('@') {
            Some((place, digest)) => (place, digest),
            None => match image.image.rsplit_once(':').filter(|(_, tag)| !tag.contains('/')) {
                Some((place, tag)) => (place, tag),
                None => (image.image.as_str(), ""),
            },
        };
        let several = images.entry(place.to_owned()).or_default();
        let between = if several.is_empty() { "" } else { ", " };
        several.push_str(between);
        several.push_str(which);
    }
    images
}

fn needs(version: &Release) -> BTreeMap<String, String> {
    let needs = version.needs.iter();
    needs.map(|need| (need.wish.clone(), need.intent.to_owned())).collect()
}

/// Shortens digests to their first characters, which suffice to distinguish them.
fn shortened(mut changes: Vec<Change>) -> Vec<Change> {
    for value in changes
        .iter_mut()
        .flat_map(|change| [&mut change.before, &mut change.after])
    {
        let mut rest = value.as_str();
        let mut short = String::new();
        while let Some((before, behind)) = rest.split_once(DIGEST) {
            let end = behind
                .find(|letter: char| !letter.is_ascii_hexdigit())
                .unwrap_or(behind.len());
            let (digest, others) = behind.split_at(end);
            let shown = digest.get(..SHORT).filter(|shown| shown.len() < digest.len());
            short += before;
            short += DIGEST;
            short += shown.unwrap_or(digest);
            short += if shown.is_some() { "…" } else { "" };
            rest = others;
        }
        *value = short + rest;
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_shown_abbreviated_and_compared_completely() {
        let digest = |end: &str| format!("sha256:{}{end}", "0".repeat(63));
        let image = |end: &str| BTreeMap::from([("registry.example.com/a".to_owned(), digest(end))]);
        let changes = shortened(of_maps(&image("1"), &image("2"), false));
        assert_eq!(changes.len(), 1);
        assert_eq!(changes[0].before, "sha256:0000000000000000…");
        assert_eq!(
            shortened(vec![Change::changed("a", "v1, sha256:12", "")])[0].before,
            "v1, sha256:12"
        );
    }
}
