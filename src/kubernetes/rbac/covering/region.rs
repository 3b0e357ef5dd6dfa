//! The permissions of a rule as products of sets: each of its groups with each of its resources, names and verbs,
//! without a list of all combinations.
//!
//! A region begins as one product. Granted rules are subtracted product by product. Each subtraction replaces a product
//! with at most four smaller ones, so the work grows with the number of rules and not with the number of permissions.

use super::super::Rule;
use super::{Steps, TooComplex};

/// The number of lists in a product: groups, resources or paths, names, and verbs.
const LISTS: usize = 4;

/// The selected items in each list of a rule.
pub(crate) type Mask = [Vec<bool>; LISTS];

/// One half of the permissions of a rule: those on its resources or those on its paths, without the parts that were
/// removed.
#[derive(Debug, Clone)]
pub(crate) struct Region<'a> {
    rule: &'a Rule,
    of_paths: bool,
    /// The pieces. Each combination of group, resource and name, and each path, is in only one piece, so its verbs stay
    /// together and in order.
    pieces: Vec<Piece>,
}

/// A product: the positions of the items of each list.
#[derive(Debug, Clone)]
struct Piece([Vec<usize>; LISTS]);

impl<'a> Region<'a> {
    /// Returns all permissions of a rule: on resources, then on paths.
    pub(crate) fn both(rule: &'a Rule) -> [Self; 2] {
        [false, true].map(|of_paths| {
            let Rule {
                api_groups,
                resources,
                resource_names,
                non_resource_urls,
                verbs,
            } = rule;
            // A list that does not apply to a half counts as one item, as does the absent list of names in a rule about
            // all objects.
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

    /// Returns the rule to which the region belongs.
    pub(crate) fn rule(&self) -> &'a Rule {
        self.rule
    }

    pub(crate) fn of_paths(&self) -> bool {
        self.of_paths
    }

    /// Returns the mask of the items that these functions select: a group, a resource or path, a name (`None` for all
    /// objects), a verb. Returns `None` if a list has no selected item, because the mask then selects nothing in the
    /// region.
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

    /// Removes the part that a mask selects.
    pub(crate) fn remove(&mut self, mask: &Mask, steps: &Steps) -> Result<(), TooComplex> {
        let mut left = Vec::with_capacity(self.pieces.len());
        for piece in std::mem::take(&mut self.pieces) {
            steps.take(piece.0.iter().map(Vec::len).sum())?;
            piece.without(mask, &mut left);
        }
        self.pieces = left;
        Ok(())
    }

    /// Removes the permissions that another region contains. Both regions are for the same half of the same rule.
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

    /// Returns the remaining permissions as rules, in the order of the original rule; each path has a separate rule.
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
    /// Adds the remainder of the piece outside a mask: nothing, the piece itself, or up to four pieces.
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
        // The lists before this one are already reduced to the selected items. Verbs come last, so that the pieces
        // differ in one of the other lists.
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
