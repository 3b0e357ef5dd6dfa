//! The page of a package.

use super::csv_facts::Facts;
use super::frame::{File, Frame, Site, page};
use super::icon::Picture;
use super::install::{Manifest, manifests};
use super::lifecycle::Line;
use super::markdown;
use super::model::{Model, Release, channel_id};
use super::path;
use super::relations::{Dependents, Needed, Relations};
use crate::catalog::drawing::{self, ChannelDrawing, EdgeKind, Edges, Node, View};
use crate::catalog::updates::updates;
use crate::catalog::{BundleId, Channel};
use askama::Template;
use std::collections::HashSet;

/// The number of versions that the table initially shows.
const SHOWN: usize = 20;

#[derive(Template)]
#[template(path = "page/package.html")]
struct PackagePage<'a> {
    frame: Frame<'a>,
    name: &'a str,
    display_name: &'a str,
    picture: Picture,
    facts: &'a Facts,
    shown_version: &'a str,
    deprecated: &'a Option<String>,
    unpublished: Option<String>,
    channels: Vec<ChannelPart<'a>>,
    versions: Vec<VersionRow<'a>>,
    /// The versions that are initially hidden.
    older: Vec<VersionRow<'a>>,
    lines: &'a [Line],
    differences: Vec<Comparison>,
    install: Vec<Manifest>,
    needs: Vec<Needed>,
    dependents: Dependents,
    description: String,
}

/// A link to a version; the path is empty if the catalog does not contain the version.
#[derive(Debug, Clone)]
pub(super) struct VersionLink {
    pub(super) bundle: String,
    pub(super) version: String,
    pub(super) path: String,
}

/// Two versions and the page that compares them.
#[derive(Debug, Clone)]
pub(super) struct Comparison {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) path: String,
}

struct ChannelPart<'a> {
    name: &'a str,
    /// Whether the graph is initially expanded.
    is_open: bool,
    id: String,
    is_default: bool,
    deprecated: Option<&'a str>,
    head: Option<VersionLink>,
    entries: usize,
    graph: String,
    undrawn: usize,
    nodes: Vec<VersionLink>,
    edges: Vec<EdgeRow>,
    updates: Vec<UpdateRow>,
}

/// Edges of one kind to one version, from a single version or from a run of versions.
struct EdgeRow {
    /// The only version, or the first of a run.
    from: VersionLink,
    /// The last version of a run.
    last: Option<VersionLink>,
    count: usize,
    to: VersionLink,
    kind: &'static str,
}

/// An update that OLM may make, with a link to the page that compares the two versions.
struct UpdateRow {
    from: VersionLink,
    to: VersionLink,
    difference: Option<String>,
}

struct VersionRow<'a> {
    link: VersionLink,
    channels: Vec<&'a str>,
    created: &'a str,
    deprecated: Option<&'a str>,
}

/// Renders the page of a package.
///
/// # Errors
/// Returns an error if the template cannot be rendered.
pub(super) fn package_page(
    site: &Site,
    model: &Model<'_>,
    relations: &Relations,
    compared: &[(BundleId, BundleId)],
) -> Result<File, askama::Error> {
    let name = &*model.package.name;
    let path = path::package(name);
    let nothing = Facts::default();
    let shown = model.representative();
    let facts = shown.map_or(&nothing, |version| &version.facts);
    let frame = Frame::new(site, &path, model.display_name());
    let pairs: HashSet<(BundleId, BundleId)> = compared.iter().copied().collect();
    let mut channels: Vec<&Channel> = model.package.channels.iter().collect();
    channels.sort_by_key(|channel| model.package.default_channel.as_ref() != Some(&channel.name));
    let filled = PackagePage {
        name,
        display_name: model.display_name(),
        picture: Picture::new(model.icon.as_ref(), model.display_name(), &frame.up),
        facts,
        shown_version: shown.map_or("", |version| &version.version),
        deprecated: &model.deprecated,
        unpublished: model.unpublished(),
        channels: channels
            .into_iter()
            .enumerate()
            .map(|(number, channel)| channel_part(model, number, channel, &pairs))
            .collect(),
        lines: &model.lines,
        versions: model.versions.iter().take(SHOWN).map(version_row).collect(),
        older: model.versions.iter().skip(SHOWN).map(version_row).collect(),
        differences: compared
            .iter()
            .filter_map(|(from, to)| comparison(model, *from, *to))
            .collect(),
        install: manifests(site, model),
        needs: shown
            .map(|version| relations.needs(version.id, &frame.up))
            .unwrap_or_default(),
        dependents: relations.dependents(name, &frame.up),
        description: markdown::html(&facts.description),
        frame,
    };
    page(&path, &filled)
}

fn file_of(path: &str) -> String {
    path.rsplit('/').next().unwrap_or_default().to_owned()
}

fn link(version: &Release) -> VersionLink {
    VersionLink {
        bundle: version.name.clone(),
        version: version.version.clone(),
        path: file_of(&version.path),
    }
}

fn link_to(model: &Model<'_>, bundle: &str) -> VersionLink {
    model.named(bundle).map_or_else(
        || VersionLink {
            bundle: bundle.to_owned(),
            version: bundle.to_owned(),
            path: String::new(),
        },
        link,
    )
}

/// Returns two versions and the path of their comparison, relative to the folder of the package.
pub(super) fn comparison(model: &Model<'_>, from: BundleId, to: BundleId) -> Option<Comparison> {
    let (from, to) = (model.version(from)?, model.version(to)?);
    let path = path::difference(&model.package.name, &from.name, &to.name);
    Some(Comparison {
        from: from.version.clone(),
        to: to.version.clone(),
        path: format!("diff/{}", file_of(&path)),
    })
}

fn version_row(version: &Release) -> VersionRow<'_> {
    VersionRow {
        link: link(version),
        channels: version.channels.iter().map(|channel| channel.name.as_str()).collect(),
        created: version.facts.created_on(),
        deprecated: version.deprecated.as_deref(),
    }
}

fn channel_part<'a>(
    model: &'a Model<'_>,
    number: usize,
    channel: &'a Channel,
    compared: &HashSet<(BundleId, BundleId)>,
) -> ChannelPart<'a> {
    let drawn = View::default().drawing(model.catalog, &[(model.package, channel)]);
    let mut drawn = drawn.channels.into_iter().next();
    if let Some(drawn) = &mut drawn {
        drawn.is_deprecated |= model.deprecated.is_some() || model.deprecated_channels.contains_key(&*channel.name);
        for node in &mut drawn.nodes {
            node.is_deprecated |= model
                .named(&node.name)
                .is_some_and(|version| version.deprecated.is_some());
        }
    }
    let lead = |node: &Node| model.named(&node.name).map(|version| file_of(&version.path));
    let updates = updates(model.catalog, channel).into_iter().filter_map(|update| {
        let (from, to) = (model.version(update.from)?, model.version(update.to)?);
        let difference = compared
            .contains(&(update.from, update.to))
            .then(|| comparison(model, update.from, update.to));
        Some(UpdateRow {
            from: link(from),
            to: link(to),
            difference: difference.flatten().map(|compared| compared.path),
        })
    });
    ChannelPart {
        name: &channel.name,
        is_open: number == 0,
        id: channel_id(&channel.name),
        is_default: model.package.default_channel.as_ref() == Some(&channel.name),
        deprecated: model.deprecated_channels.get(&*channel.name).map(String::as_str),
        head: channel.head.as_deref().map(|head| link_to(model, head)),
        entries: channel.entries.len(),
        graph: drawn
            .as_ref()
            .map(|drawn| drawing::inline_svg(drawn, &format!("g{number}"), &lead))
            .unwrap_or_default(),
        undrawn: drawn.as_ref().map_or(0, |drawn| drawn.undrawn_ranges),
        nodes: drawn
            .iter()
            .flat_map(|drawn| &drawn.nodes)
            .map(|node| link_to(model, &node.name))
            .collect(),
        edges: drawn.iter().flat_map(|drawn| edge_rows(model, drawn)).collect(),
        updates: updates.collect(),
    }
}

fn edge_rows(model: &Model<'_>, drawn: &ChannelDrawing) -> Vec<EdgeRow> {
    let at = |place: usize| drawn.nodes.get(place).map_or("", |node| &*node.name);
    let rows = |edges: &Edges| {
        let kind = match edges.kind {
            EdgeKind::Replaces => "replaces",
            EdgeKind::Skips => "skips",
            EdgeKind::SkipRange => "skipRange",
        };
        let to = link_to(model, at(edges.newer));
        let rows = edges.older.clone().into_iter().map(|run| EdgeRow {
            from: link_to(model, at(run.start)),
            last: (run.len() > 1).then(|| link_to(model, at(run.end.saturating_sub(1)))),
            count: run.len(),
            to: to.clone(),
            kind,
        });
        rows.collect::<Vec<_>>()
    };
    drawn.edges.iter().flat_map(rows).collect()
}
