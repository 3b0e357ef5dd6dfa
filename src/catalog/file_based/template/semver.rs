//! Semver templates: channels generated from the versions of bundles.
//!
//! Each list of bundles has its own channels: one for each major version, one for each minor version, or both. Within a
//! minor version, only the highest bundle has edges. It replaces the highest bundle of the next lower minor version,
//! and skips all other lower bundles of its major version. There are no edges between major versions.

use super::error::{TemplateError, TemplateProblem};
use super::input::Input;
use super::{Content, Image, Template, TemplateDocument};
use crate::catalog::file_based::shown::Shown;
use crate::catalog::file_based::{Blob, Bundle, Channel, Identity, Package, WrittenEntry};
use crate::text::Path;
use crate::version::parse_strict;
use ::semver::Version;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The bundle lists of a semver template, beginning with the least stable one.
pub const ARCHETYPES: [&str; 3] = ["candidate", "fast", "stable"];

/// The kind of version for which a channel is generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stream {
    Major,
    Minor,
}

impl Stream {
    fn word(self) -> &'static str {
        match self {
            Self::Major => "major",
            Self::Minor => "minor",
        }
    }

    fn channel(self, archetype: &str, version: &Version) -> String {
        match self {
            Self::Major => format!("{archetype}-v{}", version.major),
            Self::Minor => format!("{archetype}-v{}.{}", version.major, version.minor),
        }
    }
}

/// A semver template.
#[derive(Debug)]
pub(super) struct Semver {
    streams: Vec<Stream>,
    preference: Stream,
    /// For each bundle list, the positions of its bundles among the images.
    bundles: [Vec<usize>; ARCHETYPES.len()],
}

pub(super) fn read(input: &Input) -> Result<Template, TemplateError> {
    let root = Path::root();
    let [_, major, minor, preference, candidate, fast, stable] = input.fields(
        &root,
        [
            "schema",
            "generateMajorChannels",
            "generateMinorChannels",
            "defaultChannelTypePreference",
            "candidate",
            "fast",
            "stable",
        ],
    )?;
    let flag = |path: Option<Path>| path.map_or(Ok(false), |path| input.flag(0, &path));
    let (major, minor) = (flag(major)?, flag(minor)?);
    let streams = match (major, minor) {
        (true, true) => vec![Stream::Major, Stream::Minor],
        (true, false) => vec![Stream::Major],
        (false, _) => vec![Stream::Minor],
    };
    let wanted = preference.as_ref().map_or(Ok(""), |path| input.text(0, path))?;
    let preferred = match wanted {
        "" => *streams.last().unwrap_or(&Stream::Minor),
        "minor" => Stream::Minor,
        "major" => Stream::Major,
        other => {
            let found = other.to_owned();
            let path = preference.unwrap_or_default();
            return Err(input.wrong(0, path, TemplateProblem::Preference { found }));
        }
    };
    if !streams.contains(&preferred) {
        let preference = preferred.word();
        let path = Path::from("defaultChannelTypePreference");
        return Err(input.wrong(0, path, TemplateProblem::PreferenceNotGenerated { preference }));
    }
    let mut images: Vec<Image> = Vec::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut bundles: [Vec<usize>; ARCHETYPES.len()] = [const { Vec::new() }; ARCHETYPES.len()];
    for (list, path) in bundles.iter_mut().zip([candidate, fast, stable]) {
        let Some(path) = path.filter(|path| input.value(0, path).is_some()) else {
            continue;
        };
        let [items] = input.fields(&path, ["bundles"])?;
        let mut lines: HashMap<String, usize> = HashMap::new();
        for item in items.map_or(Ok(Vec::new()), |path| input.items(0, &path))? {
            let [image] = input.fields(&item, ["image"])?;
            let image = input.image(0, &image.unwrap_or_else(|| item.key("image")))?;
            if let Some(line) = lines.insert(image.reference.clone(), image.at.line) {
                let at = image.at.clone();
                let problem = TemplateProblem::RepeatedImage {
                    image: image.reference,
                    line,
                };
                return Err(TemplateError {
                    at,
                    problem: Box::new(problem),
                });
            }
            let number = *numbers.entry(image.reference.clone()).or_insert(images.len());
            if number == images.len() {
                images.push(image);
            }
            list.push(number);
        }
    }
    if images.is_empty() {
        return Err(input.wrong(0, root, TemplateProblem::NoBundles));
    }
    let content = Content::Semver(Semver {
        streams,
        preference: preferred,
        bundles,
    });
    Ok(Template { images, content })
}

/// A bundle, with the versions that determine its order.
#[derive(Debug, Clone)]
struct Release {
    name: String,
    version: Version,
}

impl Semver {
    /// Returns the package, its channels, and the bundles.
    pub(super) fn documents(
        &self,
        images: &[Image],
        rendered: Vec<Bundle>,
    ) -> Result<Vec<TemplateDocument>, TemplateError> {
        let releases = releases(images, &rendered)?;
        let package = rendered
            .first()
            .map(|bundle| bundle.package.clone())
            .unwrap_or_default();
        let mut lists: [Vec<&Release>; ARCHETYPES.len()] = [const { Vec::new() }; ARCHETYPES.len()];
        for (list, numbers) in lists.iter_mut().zip(&self.bundles) {
            for &number in numbers {
                let (Some(release), Some(image)) = (releases.get(number), images.get(number)) else {
                    continue;
                };
                if let Some(other) = list
                    .iter()
                    .find(|other| other.version.cmp_precedence(&release.version).is_eq())
                {
                    let problem = TemplateProblem::SameVersion {
                        bundle: release.name.clone(),
                        version: release.version.to_string(),
                        other_bundle: other.name.clone(),
                        other: other.version.to_string(),
                    };
                    return Err(TemplateError {
                        at: image.at.clone(),
                        problem: Box::new(problem),
                    });
                }
                list.push(release);
            }
            list.sort_by(|one, other| one.version.cmp_precedence(&other.version));
        }
        let mut channels = Channels::default();
        for (rank, (archetype, list)) in ARCHETYPES.iter().zip(&lists).enumerate() {
            for &stream in &self.streams {
                let preferred = stream == self.preference;
                channels.add(&package, (rank, archetype), (stream, preferred), list);
            }
        }
        let head = channels.default.as_ref().map(|default| default.head.as_str());
        let head = head.and_then(|head| rendered.iter().find(|bundle| bundle.name == head));
        let Shown { icon, description, .. } = head.map(Shown::of_bundle).unwrap_or_default();
        let mut documents = vec![TemplateDocument::Generated(Blob::Package(Package {
            name: package,
            default_channel: channels.default.map(|default| default.channel).unwrap_or_default(),
            icon,
            description,
        }))];
        let all = channels.all.into_values().map(Blob::Channel);
        documents.extend(
            all.chain(rendered.into_iter().map(Blob::Bundle))
                .map(TemplateDocument::Generated),
        );
        Ok(documents)
    }
}

/// Returns the name and version of each bundle; all bundles must belong to the same package.
fn releases(images: &[Image], rendered: &[Bundle]) -> Result<Vec<Release>, TemplateError> {
    let mut releases: Vec<Release> = Vec::with_capacity(rendered.len());
    let mut names: HashMap<&str, usize> = HashMap::new();
    for (image, bundle) in images.iter().zip(rendered) {
        let wrong = |problem| TemplateError {
            at: image.at.clone(),
            problem: Box::new(problem),
        };
        if let Some(first) = rendered.first()
            && first.package != bundle.package
        {
            return Err(wrong(TemplateProblem::OtherPackage {
                bundle: bundle.name.clone(),
                found: bundle.package.clone(),
                package: first.package.clone(),
            }));
        }
        if let Some(line) = names.insert(&bundle.name, image.at.line) {
            let bundle = bundle.name.clone();
            return Err(wrong(TemplateProblem::RepeatedBundle { bundle, line }));
        }
        let version = Identity::among(&bundle.properties).version.unwrap_or_default();
        let parsed = parse_strict(&version).map_err(|reason| {
            wrong(TemplateProblem::Version {
                bundle: bundle.name.clone(),
                version,
                reason,
            })
        })?;
        releases.push(Release {
            name: bundle.name.clone(),
            version: parsed,
        });
    }
    Ok(releases)
}

/// The channels generated so far.
#[derive(Debug, Default)]
struct Channels {
    all: BTreeMap<String, Channel>,
    default: Option<Default>,
}

/// The default channel selected so far.
#[derive(Debug)]
struct Default {
    rank: (usize, Version, bool),
    channel: String,
    head: String,
}

impl Channels {
    /// Adds the channels that one bundle list has for one kind of version. `releases` must be in ascending order.
    fn add(&mut self, package: &str, archetype: (usize, &str), stream: (Stream, bool), releases: &[&Release]) {
        let minor = |release: &Release| (release.version.major, release.version.minor);
        let mut highest_below: Option<&str> = None;
        let mut lower: BTreeSet<&str> = BTreeSet::new();
        let mut before: Option<&Release> = None;
        for (place, release) in releases.iter().enumerate() {
            match before {
                Some(before) if before.version.major == release.version.major => {
                    if minor(before) != minor(release) {
                        highest_below = Some(&before.name);
                    }
                    lower.insert(&before.name);
                }
                _ => {
                    highest_below = None;
                    lower.clear();
                }
            }
            before = Some(release);
            let is_highest = releases.get(place + 1).is_none_or(|next| minor(next) != minor(release));
            let mut entry = WrittenEntry {
                name: release.name.clone(),
                replaces: String::new(),
                skips: Vec::new(),
                skip_range: String::new(),
            };
            if is_highest {
                entry.replaces = highest_below.unwrap_or_default().to_owned();
                let skips = lower.iter().filter(|name| Some(**name) != highest_below);
                entry.skips = skips.map(|name| (*name).to_owned()).collect();
            }
            let name = stream.0.channel(archetype.1, &release.version);
            let rank = (archetype.0, release.version.clone(), stream.1);
            if self.default.as_ref().is_none_or(|default| default.rank <= rank) {
                self.default = Some(Default {
                    rank,
                    channel: name.clone(),
                    head: release.name.clone(),
                });
            }
            let channel = self.all.entry(name.clone()).or_insert_with(|| Channel {
                name,
                package: package.to_owned(),
                entries: Vec::new(),
            });
            channel.entries.push(entry);
        }
    }
}
