//! What a rule allows, as sets: each of its groups with each of its resources, names and verbs, none of them listed.
//!
//! A region begins as one such product. What somebody holds is taken from it product by product, and what is left of a
//! product is at most four smaller ones, so the work grows with the number of rules and not with what they multiply to.

use super::super::Rule;
use super::{Steps, TooComplex};

/// The lists that a product is made of: groups, resources or paths, names, verbs.
const LISTS: usize = 4;

/// For each list of a rule, which of its items are meant.
pub(crate) type Mask = [Vec<bool>; LISTS];

/// Half of what a rule allows, its resources or its paths, less what was taken from it.
#[derive(Debug, Clone)]
pub(crate) struct Region<'a> {
    rule: &'a Rule,
    of_paths: bool,
    /// No two of them are about the same resource of one group and name, or the same path, so that the verbs of each
    /// stay together and in order.
    pieces: Vec<Piece>,
}

/// A product: items of each list, by their places.
#[derive(Debug, Clone)]
struct Piece([Vec<usize>; LISTS]);

impl<'a> Region<'a> {
    /// All that a rule allows: of resources, then of paths.
    pub(crate) fn both(rule: &'a Rule) -> [Self; 2] {
        [false, true].map(|of_paths| {
            let Rule {
                api_groups,
                resources,
                resource_names,
                non_resource_urls,
                verbs,
            } = rule;
            // What has no list has one value; so have the names of a rule that is about all objects.
            let sizes = if of_paths {
                [1, non_resource_urls.len(), 1, verbs.len()]
            } else {
                let names = resource_names.len().max(1);
                [api_groups.len(), resources.len(), names, verbs.len()]
            };
            let is_empty = sizes.contains(&0);
            let whole = (!is_empty).then(|| Piece(sizes.map(|size| (0..size).collect())));
            Self {
                rule,
                of_paths,
                pieces: whole.into_iter().collect(),
            }
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The rule that it is a part of.
    pub(super) fn rule(&self) -> &'a Rule {
        self.rule
    }

    pub(crate) fn of_paths(&self) -> bool {
        self.of_paths
    }

    /// The mask of the items that are meant by these: of a group, of a resource or path, of a name (`None` for all
    /// objects), of a verb. `None` where nothing of a list is, so that nothing of the region is.
    pub(crate) fn mask(
        &self,
        group: impl Fn(&str) -> bool,
        what: impl Fn(&str) -> bool,
        name: impl Fn(Option<&str>) -> bool,
        verb: impl Fn(&str) -> bool,
    ) -> Option<Mask> {
        let rule = self.rule;
        let of =
            |list: &[String], is: &dyn Fn(&str) -> bool| -> Vec<bool> { list.iter().map(|item| is(item)).collect() };
        let names = if self.of_paths || rule.resource_names.is_empty() {
            vec![name(None)]
        } else {
            of(&rule.resource_names, &|item| name(Some(item)))
        };
        let verbs = of(&rule.verbs, &verb);
        let mask = if self.of_paths {
            [vec![true], of(&rule.non_resource_urls, &what), names, verbs]
        } else {
            [of(&rule.api_groups, &group), of(&rule.resources, &what), names, verbs]
        };
        mask.iter().all(|list| list.contains(&true)).then_some(mask)
    }

    /// Takes away what a mask means.
    pub(crate) fn remove(&mut self, mask: &Mask, steps: &Steps) -> Result<(), TooComplex> {
        let mut left = Vec::with_capacity(self.pieces.len());
        for piece in std::mem::take(&mut self.pieces) {
            steps.take(piece.0.iter().map(Vec::len).sum())?;
            piece.without(mask, &mut left);
        }
        self.pieces = left;
        Ok(())
    }

    /// Takes away what is in another region of the same half of the same rule.
    pub(crate) fn remove_all(&mut self, other: &Self, steps: &Steps) -> Result<(), TooComplex> {
        let [whole, paths] = Self::both(self.rule);
        let sizes = if self.of_paths { paths } else { whole };
        let Some(Piece(sizes)) = sizes.pieces.first() else {
            return Ok(());
        };
        for piece in &other.pieces {
            let mut mask: Mask = sizes.each_ref().map(|list| vec![false; list.len()]);
            for (list, items) in mask.iter_mut().zip(&piece.0) {
                for item in items {
                    if let Some(is_meant) = list.get_mut(*item) {
                        *is_meant = true;
                    }
                }
            }
            self.remove(&mask, steps)?;
        }
        Ok(())
    }

    /// What is left, as rules in the order of the rule that it is a part of; each path by itself.
    pub(crate) fn into_rules(self) -> Vec<Rule> {
        let pick = |list: &[String], items: &[usize]| -> Vec<String> {
            items.iter().filter_map(|item| list.get(*item).cloned()).collect()
        };
        let rule = self.rule;
        if self.of_paths {
            let each = |Piece([_, paths, _, verbs]): Piece| paths.into_iter().map(move |path| (path, verbs.clone()));
            let mut paths: Vec<(usize, Vec<usize>)> = self.pieces.into_iter().flat_map(each).collect();
            paths.sort_unstable();
            let of_path = |(path, verbs): (usize, Vec<usize>)| Rule {
                non_resource_urls: pick(&rule.non_resource_urls, &[path]),
                verbs: pick(&rule.verbs, &verbs),
                ..Rule::default()
            };
            return paths.into_iter().map(of_path).collect();
        }
        let mut pieces = self.pieces;
        pieces.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        let of_piece = |Piece([groups, resources, names, verbs]): Piece| Rule {
            api_groups: pick(&rule.api_groups, &groups),
            resources: pick(&rule.resources, &resources),
            resource_names: pick(&rule.resource_names, &names),
            verbs: pick(&rule.verbs, &verbs),
            ..Rule::default()
        };
        pieces.into_iter().map(of_piece).collect()
    }
}

impl Piece {
    /// What is left of it without what a mask means: nothing, itself, or up to four pieces.
    fn without(self, mask: &Mask, left: &mut Vec<Self>) {
        let is_meant = |list: usize, item: usize| mask.get(list).and_then(|list| list.get(item)) == Some(&true);
        let meets = self
            .0
            .iter()
            .enumerate()
            .all(|(list, items)| items.iter().any(|item| is_meant(list, *item)));
        if !meets {
            left.push(self);
            return;
        }
        // The lists before this one are cut down to what is meant already. Verbs come last, so that the pieces differ in
        // something else.
        let mut common = self;
        for list in 0..LISTS {
            let Some(items) = common.0.get_mut(list) else { continue };
            let (inside, outside): (Vec<usize>, Vec<usize>) = items.iter().partition(|item| is_meant(list, **item));
            if !outside.is_empty() {
                *items = outside;
                left.push(common.clone());
            }
            if let Some(items) = common.0.get_mut(list) {
                *items = inside;
            }
        }
    }
}
