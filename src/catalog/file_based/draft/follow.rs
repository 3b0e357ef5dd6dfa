//! Repeats a change that was made to the package in another form of the catalog.

use super::{Draft, DraftBundle, DraftChannel};
use crate::catalog::file_based::WrittenEntry;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A package in another form of the catalog.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shape {
    /// The default channel; empty if there is none.
    pub default_channel: String,
    /// The entries of each channel, by the channel's name.
    pub channels: BTreeMap<String, Vec<WrittenEntry>>,
    /// The names of the bundles.
    pub bundles: BTreeSet<String>,
    /// The names of the bundles that are marked as deprecated.
    pub deprecated: BTreeSet<String>,
}

impl Draft {
    /// Applies the change that led from `before` to `after`, and keeps everything else. `documents` contains the
    /// documents of bundles that are new or have different content, by name.
    ///
    /// The other form may keep a bundle in a channel because another bundle leads to it. If a change without documents
    /// leaves such a bundle in no list of a channel, the bundle is removed. A change with documents removes no bundle.
    /// A bundle that the change marks as deprecated is named in the deprecations of the package. Returns the names of
    /// the removed bundles.
    pub fn follow(&mut self, before: &Shape, after: &Shape, documents: &BTreeMap<String, Value>) -> Vec<String> {
        let listed = self.listed();
        if before.default_channel != after.default_channel {
            self.default_channel.clone_from(&after.default_channel);
        }
        let goes = |name: &String| before.channels.contains_key(name) && !after.channels.contains_key(name);
        self.channels.retain(|channel| !goes(&channel.name));
        for (name, entries) in &after.channels {
            let old = before.channels.get(name);
            if old == Some(entries) {
                continue;
            }
            let old = old.map_or(&[][..], Vec::as_slice);
            let new = self.as_written(old, entries);
            match self.channels.iter_mut().find(|channel| channel.name == *name) {
                Some(channel) => channel.entries = followed(&channel.entries, old, &new),
                None => self.channels.push(DraftChannel {
                    entries: new,
                    ..DraftChannel::new(name)
                }),
            }
        }
        for (name, document) in documents {
            match self.bundles.iter_mut().find(|bundle| bundle.name == *name) {
                Some(bundle) => bundle.document = Some(document.clone()),
                None => self.bundles.push(DraftBundle {
                    source: None,
                    document: Some(document.clone()),
                    name: name.clone(),
                    version: None,
                }),
            }
        }
        let mut removed = Vec::new();
        // A change of bundles removes no other bundle; the check of the result refuses it instead.
        if documents.is_empty() {
            let still = self.listed();
            let is_removed = |bundle: &mut DraftBundle| {
                let name = &bundle.name;
                let is_gone = before.bundles.contains(name) && !after.bundles.contains(name);
                is_gone || listed.contains(name) && !still.contains(name)
            };
            removed.extend(self.bundles.extract_if(.., is_removed).map(|bundle| bundle.name));
        }
        for bundle in after.deprecated.difference(&before.deprecated) {
            if before.bundles.contains(bundle) {
                self.mark_bundle(bundle);
            }
        }
        self.tidy_deprecations();
        removed
    }

    /// Returns the entries of a channel, with those that are not in `before` as the default channel or another channel
    /// of the catalog lists them, if they lead to the same bundles there. The other form may skip a bundle instead of
    /// replacing it, and has one skip range per bundle.
    fn as_written(&self, before: &[WrittenEntry], entries: &[WrittenEntry]) -> Vec<WrittenEntry> {
        let known: HashSet<&str> = before.iter().map(|entry| entry.name.as_str()).collect();
        let (default, others): (Vec<_>, Vec<_>) = self
            .channels
            .iter()
            .partition(|channel| channel.name == self.default_channel);
        let listed = default.into_iter().chain(others);
        let listed: Vec<&WrittenEntry> = listed.flat_map(|channel| &channel.entries).collect();
        let found = |entry: &WrittenEntry| {
            let below: HashSet<&str> = entry.below().collect();
            let is_same =
                |other: &&&WrittenEntry| other.name == entry.name && other.below().collect::<HashSet<_>>() == below;
            let written = listed.iter().find(is_same).filter(|_| !known.contains(&*entry.name));
            written.map_or_else(|| entry.clone(), |written| (*written).clone())
        };
        entries.iter().map(found).collect()
    }

    /// Returns the bundles that channels list.
    fn listed(&self) -> HashSet<String> {
        let entries = self.channels.iter().flat_map(|channel| &channel.entries);
        entries.map(|entry| entry.name.clone()).collect()
    }
}

/// Returns the entries of a channel in order, with the changes from `before` to `after`. An entry of both that the
/// channel does not list is added only if nothing else leads to a new entry.
fn followed(entries: &[WrittenEntry], before: &[WrittenEntry], after: &[WrittenEntry]) -> Vec<WrittenEntry> {
    let by_name = |list: &'_ [WrittenEntry]| -> BTreeMap<String, WrittenEntry> {
        let pairs = list.iter().map(|entry| (entry.name.clone(), entry.clone()));
        pairs.collect()
    };
    let (before, mut new) = (by_name(before), by_name(after));
    let mut followed = Vec::new();
    for entry in entries {
        match (before.get(&entry.name), new.remove(&entry.name)) {
            (Some(old), Some(new)) if *old == new => followed.push(entry.clone()),
            // The range may be the bundle's own, while the catalog has another one in this channel.
            (Some(old), Some(new)) if old.skip_range == new.skip_range => followed.push(WrittenEntry {
                skip_range: entry.skip_range.clone(),
                ..new
            }),
            (_, Some(new)) => followed.push(new),
            (Some(_), None) => {}
            (None, None) => followed.push(entry.clone()),
        }
    }
    let missing = after.iter().filter(|entry| new.contains_key(&entry.name));
    let (added, unlisted): (Vec<_>, Vec<_>) = missing.partition(|entry| before.get(&entry.name) != Some(*entry));
    let above: HashMap<&str, &WrittenEntry> = unlisted
        .into_iter()
        .flat_map(|entry| entry.below().map(move |name| (name, entry)))
        .collect();
    followed.extend(added.iter().map(|entry| (*entry).clone()));
    let mut led: HashSet<String> = followed
        .iter()
        .flat_map(WrittenEntry::below)
        .map(str::to_owned)
        .collect();
    let mut open: Vec<&str> = added.iter().map(|entry| entry.name.as_str()).collect();
    while let Some(name) = open.pop() {
        if !led.contains(name)
            && let Some(entry) = above.get(name)
        {
            led.extend(entry.below().map(str::to_owned));
            open.push(&entry.name);
            followed.push((*entry).clone());
        }
    }
    followed
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn entry(name: &str, replaces: &str) -> WrittenEntry {
        WrittenEntry {
            name: name.to_owned(),
            replaces: replaces.to_owned(),
            ..WrittenEntry::default()
        }
    }

    fn shape(default_channel: &str, channels: &[(&str, &[WrittenEntry])]) -> Shape {
        let names = channels.iter().flat_map(|(_, entries)| *entries);
        Shape {
            default_channel: default_channel.to_owned(),
            channels: channels
                .iter()
                .map(|(name, entries)| ((*name).to_owned(), entries.to_vec()))
                .collect(),
            bundles: names.map(|entry| entry.name.clone()).collect(),
            deprecated: BTreeSet::new(),
        }
    }

    fn documents() -> Vec<Value> {
        vec![
            json!({"schema": "olm.package", "name": "p", "defaultChannel": "stable"}),
            // An edge that the other form does not contain is kept.
            json!({"schema": "olm.channel", "package": "p", "name": "stable", "entries": [
                {"name": "b", "replaces": "a", "x": 1}, {"name": "a", "skipRange": "<1.0.0"}]}),
            json!({"schema": "olm.channel", "package": "p", "name": "old", "entries": [{"name": "a"}]}),
            json!({"schema": "olm.bundle", "package": "p", "name": "a", "version": "1.0.0"}),
            json!({"schema": "olm.bundle", "package": "p", "name": "b", "version": "2.0.0"}),
        ]
    }

    #[test]
    fn parts_unchanged_in_the_other_form_are_kept() {
        let mut draft = Draft::read("p", &documents()).unwrap();
        let same = draft.clone();
        let before = shape(
            "stable",
            &[
                ("stable", &[entry("a", ""), entry("b", "a")]),
                ("old", &[entry("a", "")]),
            ],
        );
        draft.follow(&before, &before, &BTreeMap::new());
        assert_eq!(draft, same);
        let after = shape(
            "stable",
            &[("stable", &[entry("a", ""), entry("b", "a"), entry("c", "b")])],
        );
        let new = BTreeMap::from([(
            "c".to_owned(),
            json!({"schema": "olm.bundle", "package": "p", "name": "c"}),
        )]);
        draft.follow(&before, &after, &new);
        let entries = &draft.channels[0].entries;
        assert_eq!(draft.channels.len(), 1, "the channel old is gone");
        assert_eq!(entries[..2], same.channels[0].entries[..]);
        assert_eq!(entries[2], entry("c", "b"));
        let names: Vec<&str> = draft.bundles.iter().map(|bundle| bundle.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
    }

    #[test]
    fn a_bundle_kept_in_a_channel_only_by_the_other_form_is_not_listed() {
        let mut documents = documents();
        documents[2]["entries"] = json!([{"name": "b", "replaces": "a"}]);
        let mut draft = Draft::read("p", &documents).unwrap();
        let lists = |old: &[WrittenEntry]| {
            shape(
                "stable",
                &[("stable", &[entry("b", "a"), entry("a", "")]), ("old", old)],
            )
        };
        let before = lists(&[entry("b", "a"), entry("a", "")]);
        let after = lists(&[entry("c", "b"), entry("b", "a"), entry("a", "")]);
        let new = BTreeMap::from([(
            "c".to_owned(),
            json!({"schema": "olm.bundle", "package": "p", "name": "c"}),
        )]);
        draft.follow(&before, &after, &new);
        assert_eq!(draft.channels[1].entries, [entry("b", "a"), entry("c", "b")]);
    }

    #[test]
    fn an_unlisted_bundle_is_added_only_if_it_leads_to_a_new_one() {
        let listed = [entry("c", "b")];
        let before = [entry("c", "b"), entry("b", "a")];
        let after = [entry("c", "b"), entry("b", "a"), entry("a", "")];
        assert_eq!(
            followed(&listed, &before, &after),
            [entry("c", "b"), entry("a", ""), entry("b", "a")]
        );
    }

    #[test]
    fn a_bundle_in_no_channel_is_removed() {
        let mut documents = documents();
        documents[2]["entries"] = json!([{"name": "b", "replaces": "a"}]);
        let mut draft = Draft::read("p", &documents).unwrap();
        let old: &[WrittenEntry] = &[entry("b", "a"), entry("a", "")];
        let before = shape("stable", &[("stable", old), ("old", old)]);
        let after = shape("stable", &[("stable", &[entry("b", "")]), ("old", old)]);
        assert_eq!(draft.follow(&before, &after, &BTreeMap::new()), ["a"]);
        let names: Vec<&str> = draft.bundles.iter().map(|bundle| bundle.name.as_str()).collect();
        assert_eq!(names, ["b"]);
        assert_eq!(draft.channels[1].entries, [entry("b", "a")]);
    }

    #[test]
    fn a_bundle_marked_as_deprecated_is_kept_with_a_deprecation() {
        let mut draft = Draft::read("p", &documents()).unwrap();
        let before = shape("stable", &[("stable", &[entry("b", "a"), entry("a", "")])]);
        let mut after = shape("stable", &[("stable", &[entry("b", "")])]);
        after.deprecated.insert("b".to_owned());
        draft.channels.remove(1);
        assert_eq!(draft.follow(&before, &after, &BTreeMap::new()), ["a"]);
        assert_eq!(draft.channels[0].entries, [entry("b", "")]);
        let names: Vec<&str> = draft.bundles.iter().map(|bundle| bundle.name.as_str()).collect();
        assert_eq!(names, ["b"]);
        let [deprecation] = &draft.deprecations[..] else {
            panic!("{:?}", draft.deprecations)
        };
        assert_eq!(deprecation.reference.name, "b");
        assert_eq!(deprecation.message, "b is deprecated. Upgrade to a newer version.");

        deprecation_of(&mut draft, "use c");
        after.bundles.insert("b".to_owned());
        draft.follow(&before, &after, &BTreeMap::new());
        assert_eq!(draft.deprecations[0].message, "use c", "a message of the author stays");
    }

    #[test]
    fn a_bundle_is_added_to_another_channel_with_its_existing_entry() {
        let mut documents = documents();
        documents[1]["entries"] =
            json!([{"name": "b", "replaces": "x", "skipRange": "<2.0.0"}, {"name": "a", "skipRange": "<1.0.0"}]);
        let mut draft = Draft::read("p", &documents).unwrap();
        let skipping = |skip_range: &str| WrittenEntry {
            name: "b".to_owned(),
            skips: vec!["x".to_owned()],
            skip_range: skip_range.to_owned(),
            ..WrittenEntry::default()
        };
        let stable = [skipping(""), entry("a", "")];
        let before = shape("stable", &[("stable", &stable), ("old", &[entry("a", "")])]);
        let old = [skipping(""), entry("a", "b")];
        let after = shape("stable", &[("stable", &stable), ("old", &old)]);
        draft.follow(&before, &after, &BTreeMap::new());
        let written = WrittenEntry {
            skip_range: "<2.0.0".to_owned(),
            ..entry("b", "x")
        };
        assert_eq!(draft.channels[1].entries, [entry("a", "b"), written]);
    }

    fn deprecation_of(draft: &mut Draft, message: &str) {
        message.clone_into(&mut draft.deprecations[0].message);
    }

    #[test]
    fn removals_in_the_other_form_are_followed() {
        let mut draft = Draft::read("p", &documents()).unwrap();
        let before = shape(
            "stable",
            &[
                ("stable", &[entry("a", ""), entry("b", "a")]),
                ("old", &[entry("a", "")]),
            ],
        );
        let after = shape("new", &[("new", &[entry("b", "")])]);
        draft.follow(&before, &after, &BTreeMap::new());
        assert_eq!(draft.default_channel, "new");
        assert_eq!(draft.channels.len(), 1);
        assert_eq!(
            (&*draft.channels[0].name, &draft.channels[0].entries[..]),
            ("new", &[entry("b", "")][..])
        );
        assert_eq!(draft.bundles.len(), 1);
    }
}
