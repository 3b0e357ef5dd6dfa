//! The places at which a bundle states its position in an index, for errors that are found when its files are no longer
//! in memory.

use super::Bundle;
use super::annotations::{CHANNELS, DEFAULT_CHANNEL, PACKAGE};
use crate::olm::annotation::SUBSTITUTES_FOR;
use crate::source::Place;
use crate::text::Path;
use std::collections::BTreeMap;

/// A statement that a bundle makes about its position in an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stated {
    /// The name of the ClusterServiceVersion.
    Name,
    /// The version.
    Version,
    /// The bundle that this bundle replaces.
    Replaces,
    /// The bundles that this bundle skips.
    Skips,
    /// The bundle that this bundle substitutes for.
    Substitutes,
    /// The package.
    Package,
    /// The channels.
    Channels,
    /// The default channel.
    DefaultChannel,
}

/// The places of the statements, as `FILE:LINE`. Statements that the files do not contain are absent.
pub type StatedAt = BTreeMap<Stated, String>;

/// Returns the place of each statement in a bundle.
pub(crate) fn stated(bundle: &Bundle) -> StatedAt {
    let mut places = StatedAt::new();
    let mut state = |statement, place: Place| {
        let line = place.start().line;
        places.insert(statement, format!("{}:{line}", place.source.name()));
    };
    if let Some(csv) = bundle.csv() {
        let spec = Path::root().key("spec");
        for (statement, path) in [
            (Stated::Name, Path::root().key("metadata").key("name")),
            (Stated::Version, spec.key("version")),
            (Stated::Replaces, spec.key("replaces")),
            (Stated::Skips, spec.key("skips")),
            (
                Stated::Substitutes,
                Path::root().key("metadata").key("annotations").key(SUBSTITUTES_FOR),
            ),
        ] {
            if path.get(csv.value()).is_some() {
                state(statement, csv.place(&path));
            }
        }
    } else if let Some(olm) = &bundle.olm {
        for (statement, key) in [
            (Stated::Version, "version"),
            (Stated::Replaces, "replaces"),
            (Stated::Skips, "skips"),
        ] {
            let path = Path::root().key(key);
            if path.get(olm.value()).is_some() {
                state(statement, olm.place(&path));
            }
        }
    }
    if let Some(annotations) = &bundle.annotations {
        // The place of an absent annotation is the place of the map that lacks it.
        let place = |key: &str| annotations.place(key);
        state(Stated::Package, place(PACKAGE));
        state(Stated::Channels, place(CHANNELS));
        state(Stated::DefaultChannel, place(DEFAULT_CHANNEL));
    }
    places
}
