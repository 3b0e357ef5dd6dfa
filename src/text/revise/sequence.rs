//! Aligns two lists of identities. The time for long lists is limited: nearly all of their items are unique.

use std::collections::HashMap;

/// The fate of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    /// The item is in both lists, at these positions.
    Kept(usize, usize),
    /// The item is only in the old list.
    Removed(usize),
    /// The item is only in the new list.
    Added(usize),
}

/// The maximum number of cells in a table of common subsequences.
const MOST: usize = 1 << 20;

/// The positions of an item in both lists.
type Pair = (usize, usize);

/// Chooses at most one partner for each item. The pairs are in the order of the old list.
type Pairing = fn(&[String], &[String]) -> Vec<Pair>;

/// Returns the items of both lists in an order that is consistent with both: removed items come before the items that
/// replace them.
pub(super) fn aligned(old: &[String], new: &[String]) -> Vec<Item> {
    let mut kept = Vec::new();
    matched(old, new, (0, 0), &[unique, numbered], &mut kept);
    let mut items = Vec::with_capacity(old.len().max(new.len()));
    let (mut one, mut other) = (0, 0);
    for (before, after) in kept.into_iter().chain([(old.len(), new.len())]) {
        items.extend((one..before).map(Item::Removed));
        items.extend((other..after).map(Item::Added));
        if before < old.len() {
            items.push(Item::Kept(before, after));
        }
        (one, other) = (before + 1, after + 1);
    }
    items
}

/// Adds the pairs of equal items, in the order of both lists, which begin at `start`. Lists that are too long for a
/// table are split at the pairs of the first pairing; the other pairings are for the parts.
fn matched(old: &[String], new: &[String], start: Pair, pairings: &[Pairing], found: &mut Vec<Pair>) {
    let same = |(one, other): &(&String, &String)| one == other;
    let front = old.iter().zip(new).take_while(same).count();
    let (old, new) = (
        old.get(front..).unwrap_or_default(),
        new.get(front..).unwrap_or_default(),
    );
    let back = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
    let (old_end, new_end) = (old.len() - back, new.len() - back);
    let (old, new) = (
        old.get(..old_end).unwrap_or_default(),
        new.get(..new_end).unwrap_or_default(),
    );

    found.extend((0..front).map(|at| (start.0 + at, start.1 + at)));
    let start = (start.0 + front, start.1 + front);
    if (old.len() + 1).saturating_mul(new.len() + 1) <= MOST {
        let pairs = longest(old, new).into_iter();
        found.extend(pairs.map(|(one, other)| (start.0 + one, start.1 + other)));
    } else if let Some((pairing, others)) = pairings.split_first() {
        let (mut one, mut other) = (0, 0);
        let pairs = increasing(&pairing(old, new)).into_iter();
        for (before, after) in pairs.chain([(old.len(), new.len())]) {
            let (old_part, new_part) = (old.get(one..before), new.get(other..after));
            let begin = (start.0 + one, start.1 + other);
            matched(
                old_part.unwrap_or_default(),
                new_part.unwrap_or_default(),
                begin,
                others,
                found,
            );
            if before < old.len() {
                found.push((start.0 + before, start.1 + after));
            }
            (one, other) = (before + 1, after + 1);
        }
    }
    found.extend((0..back).map(|at| (start.0 + old_end + at, start.1 + new_end + at)));
}

/// Pairs the items that occur once in each list.
fn unique(old: &[String], new: &[String]) -> Vec<Pair> {
    let (olds, news) = (only_places(old), only_places(new));
    let once = |item: &String| Some((olds.get(item).copied()??, news.get(item).copied()??));
    old.iter().filter_map(once).collect()
}

/// Returns the position of each item; `None` for an item that is repeated.
fn only_places(list: &[String]) -> HashMap<&String, Option<usize>> {
    let mut places = HashMap::with_capacity(list.len());
    for (at, item) in list.iter().enumerate() {
        places.entry(item).and_modify(|place| *place = None).or_insert(Some(at));
    }
    places
}

/// Pairs the first occurrences of each item, the second ones, and so on.
fn numbered(old: &[String], new: &[String]) -> Vec<Pair> {
    let mut places: HashMap<&String, Vec<usize>> = HashMap::new();
    for (at, item) in new.iter().enumerate().rev() {
        places.entry(item).or_default().push(at);
    }
    let next = |(at, item)| Some((at, places.get_mut(item)?.pop()?));
    old.iter().enumerate().filter_map(next).collect()
}

/// Returns a longest selection of pairs that are in the order of both lists.
fn increasing(pairs: &[Pair]) -> Vec<Pair> {
    // For each length, the pair that ends the selection with the smallest new position.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    let new = |at: &usize| pairs.get(*at).map(|pair| pair.1);
    for at in 0..pairs.len() {
        let length = ends.partition_point(|end| new(end) < new(&at));
        before.push(length.checked_sub(1).and_then(|length| ends.get(length).copied()));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut chosen = Vec::with_capacity(ends.len());
    let mut last = ends.last().copied();
    while let Some(at) = last {
        chosen.extend(pairs.get(at).copied());
        last = before.get(at).copied().flatten();
    }
    chosen.reverse();
    chosen
}

/// Returns the pairs of a longest common subsequence. Time and memory grow with the product of the lengths.
fn longest(old: &[String], new: &[String]) -> Vec<Pair> {
    let width = new.len() + 1;
    // The length of the longest common subsequence of the remainders of both lists.
    let mut common = vec![0_u32; (old.len() + 1) * width];
    let at = |common: &[u32], one: usize, other: usize| common.get(one * width + other).copied().unwrap_or_default();
    for (one, old_item) in old.iter().enumerate().rev() {
        for (other, new_item) in new.iter().enumerate().rev() {
            let best = if old_item == new_item {
                at(&common, one + 1, other + 1) + 1
            } else {
                at(&common, one + 1, other).max(at(&common, one, other + 1))
            };
            if let Some(cell) = common.get_mut(one * width + other) {
                *cell = best;
            }
        }
    }
    let (mut one, mut other, mut pairs) = (0, 0, Vec::new());
    while one < old.len() && other < new.len() {
        if old.get(one) == new.get(other) {
            pairs.push((one, other));
            (one, other) = (one + 1, other + 1);
        } else if at(&common, one + 1, other) >= at(&common, one, other + 1) {
            one += 1;
        } else {
            other += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn numbers(numbers: impl IntoIterator<Item = usize>) -> Vec<String> {
        numbers.into_iter().map(|number| number.to_string()).collect()
    }

    fn kept(items: &[Item]) -> usize {
        items.iter().filter(|item| matches!(item, Item::Kept(..))).count()
    }

    #[test]
    fn removed_items_come_before_the_items_that_replace_them() {
        let items = aligned(&words("a b c d"), &words("a x y d"));
        let expected = [
            Item::Kept(0, 0),
            Item::Removed(1),
            Item::Removed(2),
            Item::Added(1),
            Item::Added(2),
            Item::Kept(3, 3),
        ];
        assert_eq!(items, expected);
    }

    #[test]
    fn long_lists_keep_all_items_but_those_that_change() {
        const LENGTH: usize = 50_000;
        let old = numbers(0..LENGTH);
        // The quadratic table of these lists would take 10 GB.
        let new = numbers(
            (1..LENGTH - 1)
                .filter(|number| number % 7_000 != 6_999)
                .chain([0, LENGTH]),
        );
        let items = aligned(&old, &new);
        let gone = (0..LENGTH).filter(|number| number % 7_000 == 6_999).count();
        assert_eq!(kept(&items), LENGTH - 2 - gone);
        assert_eq!(items.first(), Some(&Item::Removed(0)));
        assert_eq!(items.last(), Some(&Item::Added(new.len() - 1)));
    }

    #[test]
    fn repeated_items_of_long_lists_are_kept() {
        // Between unique items, repeated ones fit into a table.
        let old = numbers((0..9_000).map(|number| if number % 3 == 0 { number } else { 1 }));
        let new = [&numbers([77])[..], &old[1..], &numbers([78])[..]].concat();
        assert_eq!(kept(&aligned(&old, &new)), old.len() - 1);
        // Without unique items, repeated ones are matched in their order.
        let old = numbers((0..9_000).map(|number| number % 3_000));
        let new = [&numbers([1])[..], &old[..4_000], &old[4_001..], &numbers([1])[..]].concat();
        assert!(kept(&aligned(&old, &new)) > old.len() / 2);
    }

    proptest! {
        #[test]
        fn each_item_is_aligned_once(old in "[abc]{0,8}", new in "[abc]{0,8}") {
            let letters = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
            let items = aligned(&letters(&old), &letters(&new));
            let olds: Vec<usize> = items.iter().filter_map(|item| match item {
                Item::Kept(at, _) | Item::Removed(at) => Some(*at),
                Item::Added(_) => None,
            }).collect();
            let news: Vec<usize> = items.iter().filter_map(|item| match item {
                Item::Kept(_, at) | Item::Added(at) => Some(*at),
                Item::Removed(_) => None,
            }).collect();
            prop_assert_eq!(olds, (0..old.len()).collect::<Vec<_>>());
            prop_assert_eq!(news, (0..new.len()).collect::<Vec<_>>());
            for item in items {
                if let Item::Kept(one, other) = item {
                    prop_assert_eq!(old.as_bytes()[one], new.as_bytes()[other]);
                }
            }
        }
    }
}
