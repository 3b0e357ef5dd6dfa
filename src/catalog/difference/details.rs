//! The differences between what two indexes contain beside packages, channels and bundles.

use super::{Kind, SetChange, set_change};
use crate::catalog::Catalog;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A part of an index that only some indexes contain, or that the update graph does not depend on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Detail {
    /// The package; empty if the part belongs to none.
    pub package: String,
    /// The kind of part, as a noun phrase that the name completes, such as `deprecation of channel`.
    pub what: String,
    /// The name of the channel, bundle or document; may be empty.
    pub name: String,
}

/// The values of a detail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values {
    /// The values, or their digests.
    pub all: BTreeSet<String>,
    /// Whether the values are short enough to be shown.
    pub shown: bool,
}

/// The details of an index.
pub type Details = BTreeMap<Detail, Values>;

/// A difference in a detail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DetailDifference {
    /// The detail.
    #[serde(flatten)]
    pub detail: Detail,
    /// The kind of change.
    pub kind: Kind,
    /// The values that differ, if they are short.
    pub values: Option<SetChange<String>>,
}

/// Returns the differences in the packages that both catalogs contain, and outside of packages. The details of a bundle
/// that only one index contains are omitted: such details have values in both indexes, which may be none.
pub fn details(catalogs: (&Catalog, &Catalog), before: &Details, after: &Details) -> Vec<DetailDifference> {
    let is_in_both = |detail: &&Detail| {
        let has = |catalog: &Catalog| catalog.package(&detail.package).is_some();
        detail.package.is_empty() || has(catalogs.0) && has(catalogs.1)
    };
    let all: BTreeSet<&Detail> = before.keys().chain(after.keys()).collect();
    let found = all.into_iter().filter(is_in_both).filter_map(|detail| {
        let pair = (before.get(detail), after.get(detail));
        let kind = match pair {
            (Some(one), Some(other)) if one.all == other.all => return None,
            (Some(_), Some(_)) => Kind::Changed,
            _ if detail.what == RELATED_IMAGES => return None,
            (None, _) => Kind::Added,
            (_, None) => Kind::Removed,
        };
        let of = |values: Option<&Values>| values.cloned().unwrap_or_default();
        let (one, other) = (of(pair.0), of(pair.1));
        let shown = one.shown || other.shown;
        Some(DetailDifference {
            detail: detail.clone(),
            kind,
            values: set_change(one.all, other.all).filter(|_| shown),
        })
    });
    found.collect()
}

/// The images that a bundle needs.
pub const RELATED_IMAGES: &str = "related images of bundle";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{Package, Text};

    fn catalog(packages: &[&str]) -> Catalog {
        let packages = packages.iter().map(|name| Package {
            name: Text::from(*name),
            default_channel: None,
            channels: Vec::new(),
        });
        Catalog {
            packages: packages.collect(),
            bundles: Vec::new(),
        }
    }

    fn of(all: &[(&str, &str, &str, &str)]) -> Details {
        let mut details = Details::new();
        for (package, what, name, value) in all {
            let detail = Detail {
                package: (*package).to_owned(),
                what: (*what).to_owned(),
                name: (*name).to_owned(),
            };
            let values = details.entry(detail).or_default();
            values.shown = *what != "icon";
            values.all.insert((*value).to_owned());
        }
        details
    }

    #[test]
    fn details_are_compared_for_bundles_in_both_indexes() {
        let both = (&catalog(&["hoe", "rake"]), &catalog(&["rake"]));
        let before = of(&[
            ("hoe", "icon", "", "1"),
            ("rake", "icon", "", "1"),
            ("rake", RELATED_IMAGES, "rake.v1", "a"),
            ("rake", RELATED_IMAGES, "rake.v2", "a"),
        ]);
        let after = of(&[
            ("rake", "deprecation of channel", "stable", "Old."),
            ("rake", "icon", "", "2"),
            ("rake", RELATED_IMAGES, "rake.v1", "b"),
        ]);
        let found = details(both, &before, &after).into_iter().map(|found| {
            let values = found
                .values
                .map(|values| (values.removed.join(" "), values.added.join(" ")));
            (found.kind, found.detail.what, values)
        });
        let values = |removed: &str, added: &str| Some((removed.to_owned(), added.to_owned()));
        assert_eq!(
            found.collect::<Vec<_>>(),
            [
                (Kind::Added, "deprecation of channel".to_owned(), values("", "Old.")),
                (Kind::Changed, "icon".to_owned(), None),
                (Kind::Changed, RELATED_IMAGES.to_owned(), values("a", "b")),
            ]
        );
        assert_eq!(details(both, &before, &before).len(), 0);
    }
}
