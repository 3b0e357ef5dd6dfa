//! The rules that compare several documents: each package with its channels, bundles and deprecations.

use super::contents::{Bundle, Channel, Contents, Package, Single};
use super::found::{DocumentId, Found};
use super::graph::name_list;
use crate::catalog::file_based::Schema;
use crate::catalog::file_based::schema::Referred;
use crate::counted::counted;
use crate::rules;
use crate::shape::Nearest;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The documents of one package, in the order of the files.
#[derive(Default)]
struct Members<'c> {
    packages: Vec<&'c Package>,
    channels: Vec<&'c Channel>,
    bundles: Vec<&'c Bundle>,
    singles: Vec<&'c Single>,
}

impl<'c> Members<'c> {
    /// Returns the documents of this schema, of which there should be only one.
    fn of(&self, schema: &Schema) -> impl Iterator<Item = &'c Single> {
        self.singles
            .iter()
            .copied()
            .filter(move |single| single.schema == *schema)
    }
}

/// Reports inconsistent documents. Skips documents without a package, because they have already been reported.
pub(super) fn check(contents: &Contents, found: &mut Vec<Found>) {
    let mut all: BTreeMap<&str, Members<'_>> = BTreeMap::new();
    for package in &contents.packages {
        all.entry(&package.name).or_default().packages.push(package);
    }
    for channel in &contents.channels {
        all.entry(&channel.package).or_default().channels.push(channel);
    }
    for bundle in &contents.bundles {
        all.entry(&bundle.package).or_default().bundles.push(bundle);
    }
    for single in &contents.singles {
        all.entry(&single.package).or_default().singles.push(single);
    }
    let there = all.iter().filter(|(_, members)| !members.packages.is_empty());
    let names: Vec<&str> = there.map(|(name, _)| *name).collect();
    let nearest = Nearest::default();
    for (name, members) in all.iter().filter(|(name, _)| !name.is_empty()) {
        Check {
            package: name,
            is_partial: ["", name].iter().any(|package| contents.unread.contains(*package)),
            members,
            nearest: &nearest,
            found,
        }
        .run(&names);
    }
    let mut singles = contents.singles.iter();
    if let Some(first) = singles.find(|single| single.schema == Schema::Deprecations) {
        let message = "opm before 1.32, and clusters from the same period, ignore documents of schema olm.deprecations";
        let at = first.id.at("schema");
        found.push(Found::new(&rules::CATALOG_DEPRECATION_IGNORED, message, at));
    }
}

struct Check<'c, 'f> {
    package: &'c str,
    /// Whether a document cannot be read or a name has the wrong type, so that items may be only seemingly missing.
    is_partial: bool,
    members: &'c Members<'c>,
    nearest: &'f Nearest,
    found: &'f mut Vec<Found>,
}

impl Check<'_, '_> {
    fn run(&mut self, packages: &[&str]) {
        match self.members.packages[..] {
            [] => self.missing(packages),
            [first, ref others @ ..] => {
                for other in others {
                    self.twice(
                        &rules::CATALOG_PACKAGE_DUPLICATE,
                        "package",
                        self.package,
                        first.id,
                        other.id,
                    );
                }
                self.default_channel(first);
            }
        }
        self.channels();
        self.bundles();
        self.singles();
        if !self.members.packages.is_empty() {
            self.references();
        }
    }

    fn report(&mut self, found: Found) {
        if !self.is_partial || !found.seeks() {
            self.found.push(found);
        }
    }

    fn twice(
        &mut self,
        rule: &'static crate::rules::Rule,
        what: &str,
        name: &str,
        first: DocumentId,
        other: DocumentId,
    ) {
        let of = if what == "package" {
            String::new()
        } else {
            format!(" of package {:?}", self.package)
        };
        let message = format!("there are two documents for {what} {name:?}{of}");
        let finding = Found::new(rule, message, other.at("name"));
        self.report(finding.also(first.at("name"), "the first one"));
    }

    /// Reports the channels and other documents of a package that does not exist.
    fn missing(&mut self, packages: &[&str]) {
        let members = self.members;
        let channels = members.channels.iter().map(|channel| channel.id);
        let bundles = members.bundles.iter().map(|bundle| bundle.id);
        let mut ids: Vec<DocumentId> = channels.chain(bundles).collect();
        let meant = self.nearest.of(self.package, packages.iter().copied());
        if !ids.is_empty() {
            ids.extend(members.of(&Schema::Deprecations).map(|deprecations| deprecations.id));
            ids.sort_unstable();
        }
        let Some((first, others)) = ids.split_first() else {
            let mut singles = Schema::singles();
            if let Some((schema, rule, single)) =
                singles.find_map(|(schema, rule)| Some((schema, rule, members.of(schema).next()?)))
            {
                let message = format!(
                    "the catalog has {} of package {:?}, but does not define the package",
                    schema.noun(),
                    self.package
                );
                self.report(Found::new(rule, message, single.id.at("package")).meant(meant));
            }
            return;
        };
        let message = format!(
            "the catalog has {} and {} of package {:?}, but does not define the package",
            counted(members.channels.len(), "channel"),
            counted(members.bundles.len(), "bundle"),
            self.package
        );
        let mut finding = Found::new(&rules::CATALOG_PACKAGE_MISSING, message, first.at("package")).meant(meant);
        for other in others.iter().take(3) {
            finding = finding.also(other.at("package"), "also here");
        }
        self.report(finding);
    }

    fn default_channel(&mut self, package: &Package) {
        let members = self.members;
        if members.channels.is_empty() {
            let message = format!("package {:?} has no channel", self.package);
            self.report(Found::new(
                &rules::CATALOG_PACKAGE_EMPTY,
                message,
                package.id.at("name"),
            ));
        }
        let name = &*package.default_channel;
        let channels = members.channels.iter().map(|channel| &*channel.name);
        if name.is_empty() {
            let message = format!("package {:?} does not specify a default channel", self.package);
            let mut finding = Found::new(
                &rules::CATALOG_DEFAULT_CHANNEL,
                message,
                package.id.at("defaultChannel"),
            );
            if channels.len() > 0 {
                finding = finding.help(format!("Set defaultChannel: the package has {}.", name_list(channels)));
            }
            self.report(finding);
        } else if channels.len() > 0 && !channels.clone().any(|channel| channel == name) {
            let message = format!(
                "the default channel {name:?} of package {:?} is not one of the channels of the package",
                self.package
            );
            let finding = Found::new(
                &rules::CATALOG_DEFAULT_CHANNEL,
                message,
                package.id.at("defaultChannel"),
            );
            let finding = match self.nearest.of(name, channels.clone()) {
                None => finding.help(format!("Use a channel of the package: it has {}.", name_list(channels))),
                meant => finding.meant(meant),
            };
            self.report(finding);
        }
    }

    fn channels(&mut self) {
        let members = self.members;
        let names: Vec<&str> = members.bundles.iter().map(|bundle| &*bundle.name).collect();
        let known: HashSet<&str> = names.iter().copied().collect();
        let mut first: HashMap<&str, DocumentId> = HashMap::new();
        for channel in &members.channels {
            if !channel.name.is_empty() {
                let before = *first.entry(&channel.name).or_insert(channel.id);
                if before != channel.id {
                    let rule = &rules::CATALOG_CHANNEL_DUPLICATE;
                    self.twice(rule, "channel", &channel.name, before, channel.id);
                }
            }
            for (index, entry) in &channel.entries {
                if known.contains(&**entry) {
                    continue;
                }
                let message = format!(
                    "channel {:?} of package {:?} has an entry for bundle {entry:?}, which is not in the catalog",
                    channel.name, self.package
                );
                let at = channel.id.at(&format!("entries[{index}].name"));
                let meant = self.nearest.of(entry, names.iter().copied());
                let about = format!("bundle {entry:?} of package {:?}", self.package);
                let finding = Found::new(&rules::CATALOG_ENTRY_BUNDLE, message, at);
                self.report(finding.about([&*about]).meant(meant));
            }
        }
    }

    fn bundles(&mut self) {
        let members = self.members;
        let entries = members.channels.iter().flat_map(|channel| &channel.entries);
        let names: Vec<&str> = entries.map(|(_, name)| &**name).collect();
        let listed: HashSet<&str> = names.iter().copied().collect();
        let mut first: HashMap<&str, DocumentId> = HashMap::new();
        let mut versions: HashMap<&str, &Bundle> = HashMap::new();
        for bundle in members.bundles.iter().filter(|bundle| !bundle.name.is_empty()) {
            let before = *first.entry(&bundle.name).or_insert(bundle.id);
            if before != bundle.id {
                self.twice(
                    &rules::CATALOG_BUNDLE_DUPLICATE,
                    "bundle",
                    &bundle.name,
                    before,
                    bundle.id,
                );
                continue;
            }
            if !listed.contains(&*bundle.name) {
                let message = format!(
                    "bundle {:?} of package {:?} is not in any channel of the package",
                    bundle.name, self.package
                );
                let meant = self.nearest.of(&bundle.name, names.iter().copied());
                let finding = Found::new(&rules::CATALOG_BUNDLE_UNLISTED, message, bundle.id.at("name"));
                self.report(finding.meant(meant));
            }
            let Some((index, version)) = &bundle.version else {
                continue;
            };
            let other = *versions.entry(version).or_insert(bundle);
            if other.id != bundle.id {
                let message = format!(
                    "bundles {:?} and {:?} of package {:?} have the same version {version}",
                    other.name, bundle.name, self.package
                );
                let at = bundle.id.at(&format!("properties[{index}].value.version"));
                let mut finding = Found::new(&rules::CATALOG_VERSION_DUPLICATE, message, at);
                if let Some((index, _)) = &other.version {
                    let first = other.id.at(&format!("properties[{index}].value.version"));
                    finding = finding.also(first, "the first one");
                }
                self.report(finding);
            }
        }
    }

    fn singles(&mut self) {
        for (schema, rule) in Schema::singles() {
            let mut documents = self.members.of(schema);
            let Some(first) = documents.next() else {
                continue;
            };
            for other in documents {
                let message = format!(
                    "there are two {} documents for package {:?}",
                    schema.noun(),
                    self.package
                );
                let finding = Found::new(rule, message, other.id.at("package"));
                self.report(finding.also(first.id.at("package"), "the first one"));
            }
        }
    }

    fn references(&mut self) {
        let members = self.members;
        let channels: Vec<&str> = members.channels.iter().map(|channel| &*channel.name).collect();
        let bundles: Vec<&str> = members.bundles.iter().map(|bundle| &*bundle.name).collect();
        let known = [channels, bundles].map(|names| (names.iter().copied().collect::<HashSet<_>>(), names));
        for deprecations in members.of(&Schema::Deprecations) {
            for (index, referred, name) in &deprecations.references {
                let (what, (set, names)) = match referred {
                    Referred::Package => continue,
                    Referred::Channel => ("channel", &known[0]),
                    Referred::Bundle => ("bundle", &known[1]),
                };
                if set.contains(&**name) {
                    continue;
                }
                let message = format!(
                    "the deprecations of package {:?} refer to {what} {name:?}, which is not in the package",
                    self.package
                );
                let at = deprecations.id.at(&format!("entries[{index}].reference.name"));
                let meant = self.nearest.of(name, names.iter().copied());
                self.report(Found::new(&rules::CATALOG_DEPRECATION_REFERENCE, message, at).meant(meant));
            }
        }
    }
}
