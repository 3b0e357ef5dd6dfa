//! Finds the rules that may apply to a region, so that the others need not be compared with it.

use super::super::{ALL, Rule};
use super::region::Region;
use super::subresource;
use std::collections::{BTreeSet, HashMap};

/// The positions of rules, by the items in each of their lists.
#[derive(Debug, Default)]
pub(crate) struct Index<'a> {
    count: usize,
    by_resource: Lists<'a>,
    by_group: Lists<'a>,
    by_name: Lists<'a>,
    /// The rules about resources with any name.
    unnamed: Vec<usize>,
    about_paths: Vec<usize>,
    by_path: Lists<'a>,
    /// The rules about all paths with a prefix.
    by_prefix: Lists<'a>,
    /// The lengths of these prefixes in bytes.
    lengths: BTreeSet<usize>,
}

/// The positions of the rules that contain an item, in ascending order.
type Lists<'a> = HashMap<&'a str, Vec<usize>>;

impl<'a> Index<'a> {
    pub(crate) fn of(rules: impl IntoIterator<Item = &'a Rule>) -> Self {
        let mut index = Self::default();
        for (place, rule) in rules.into_iter().enumerate() {
            index.count += 1;
            let add = |lists: &mut Lists<'a>, item: &'a str| lists.entry(item).or_default().push(place);
            for path in &rule.non_resource_urls {
                add(&mut index.by_path, path);
                if path.ends_with(ALL) {
                    let prefix = prefix(path);
                    add(&mut index.by_prefix, prefix);
                    index.lengths.insert(prefix.len());
                }
            }
            if !rule.non_resource_urls.is_empty() {
                index.about_paths.push(place);
            }
            if rule.resources.is_empty() || rule.api_groups.is_empty() {
                continue;
            }
            rule.resources.iter().for_each(|item| add(&mut index.by_resource, item));
            rule.api_groups.iter().for_each(|item| add(&mut index.by_group, item));
            rule.resource_names
                .iter()
                .for_each(|item| add(&mut index.by_name, item));
            if rule.resource_names.is_empty() {
                index.unnamed.push(place);
            }
        }
        index
    }

    /// Returns the positions of the rules that might cover part of a region, in ascending order.
    pub(crate) fn covering(&self, region: &Region<'_>) -> Vec<usize> {
        let rule = region.rule();
        if region.of_paths() {
            let paths = rule.non_resource_urls.iter();
            return merged(&paths.flat_map(|path| self.reaching(path)).collect::<Vec<_>>());
        }
        let resources = self.resources(rule);
        let groups = found(&self.by_group, rule.api_groups.iter().map(String::as_str).chain([ALL]));
        let mut names = found(&self.by_name, rule.resource_names.iter().map(String::as_str));
        names.push(&self.unnamed);
        fewest([resources, groups, names])
    }

    /// Returns the positions of the rules that might overlap with a region if names are ignored, in ascending order. A
    /// wildcard in the region overlaps with every item.
    pub(crate) fn meeting(&self, region: &Region<'_>) -> Vec<usize> {
        let rule = region.rule();
        if region.of_paths() {
            if rule.non_resource_urls.iter().any(|path| path.ends_with(ALL)) {
                return self.about_paths.clone();
            }
            return self.covering(region);
        }
        let mut lists = Vec::new();
        if !rule.resources.iter().any(|resource| resource.starts_with(ALL)) {
            lists.push(self.resources(rule));
        }
        if !rule.api_groups.iter().any(|group| group == ALL) {
            lists.push(found(
                &self.by_group,
                rule.api_groups.iter().map(String::as_str).chain([ALL]),
            ));
        }
        if lists.is_empty() {
            return (0..self.count).collect();
        }
        fewest(lists)
    }

    /// Returns the positions of the rules about the resources of a rule, or about wildcards that include them.
    fn resources(&self, rule: &Rule) -> Vec<&[usize]> {
        let resources = &rule.resources;
        let below: BTreeSet<String> = resources
            .iter()
            .filter_map(|resource| subresource(resource).map(|subresource| format!("*/{subresource}")))
            .collect();
        found(
            &self.by_resource,
            resources.iter().chain(&below).map(String::as_str).chain([ALL]),
        )
    }

    /// Returns the positions of the rules about a path, or about a prefix of it.
    fn reaching(&self, path: &str) -> impl Iterator<Item = &[usize]> {
        let prefixes = self
            .lengths
            .range(..=path.len())
            .filter_map(|length| path.get(..*length));
        let of_prefixes = prefixes.filter_map(|prefix| self.by_prefix.get(prefix));
        self.by_path.get(path).into_iter().chain(of_prefixes).map(Vec::as_slice)
    }
}

/// Returns the text before the `*` at the end of a path.
pub(super) fn prefix(path: &str) -> &str {
    path.trim_end_matches('*')
}

fn found<'l>(lists: &'l Lists<'_>, items: impl Iterator<Item = impl AsRef<str>>) -> Vec<&'l [usize]> {
    let found = items.filter_map(|item| lists.get(item.as_ref()));
    found.map(Vec::as_slice).collect()
}

/// Returns the positions in one of several candidate sets: the set that is smallest.
fn fewest<'l>(sets: impl IntoIterator<Item = Vec<&'l [usize]>>) -> Vec<usize> {
    let size = |lists: &Vec<&[usize]>| lists.iter().map(|list| list.len()).fold(0, usize::saturating_add);
    let smallest = sets.into_iter().min_by_key(size).unwrap_or_default();
    merged(&smallest)
}

fn merged(lists: &[&[usize]]) -> Vec<usize> {
    let merged: BTreeSet<usize> = lists.iter().copied().flatten().copied().collect();
    merged.into_iter().collect()
}
