//! The bundles that a subscription can install.

use super::Variables;
use crate::cluster::state::Subscription;
use crate::resolver::clause::Unmet;
use crate::resolver::entries::{ChannelKey, EntryId, Origin};
use crate::resolver::order::{chain, channel_rank};
use crate::version::VersionRange;

/// The bundles that a subscription can install, in order of preference, or the reason why there are none.
type Candidates = Result<Vec<EntryId>, Unmet>;

impl Variables<'_> {
    /// Returns the installed entry of a subscription.
    pub(in crate::resolver) fn current(&self, subscription: &Subscription) -> Option<EntryId> {
        let name = subscription.installed_csv.as_deref()?;
        self.entries.existing.get(name).copied()
    }

    /// Returns the entries of a subscription's channels, in their listed order, or the reason why there are none.
    pub(in crate::resolver) fn listed(
        &self,
        subscription: &Subscription,
    ) -> Result<Vec<(ChannelKey, Vec<EntryId>)>, Unmet> {
        let sources = self.problem.catalogs.iter().enumerate();
        let mut channels: Vec<(&ChannelKey, &Vec<EntryId>)> = Vec::new();
        for (place, source) in sources {
            if source.name == subscription.catalog && source.namespace == subscription.catalog_namespace {
                let of = Origin::Catalog(place);
                let here = self.entries.channels.iter();
                channels.extend(here.filter(|(key, ids)| key.origin == of && !ids.is_empty()));
            }
        }
        if channels.is_empty() {
            return Err(Unmet::Catalog);
        }
        channels.retain(|(key, _)| *key.package == *subscription.package);
        if channels.is_empty() {
            return Err(Unmet::Package);
        }
        if let Some(channel) = &subscription.channel {
            channels.retain(|(key, _)| *key.channel == **channel);
        }
        if channels.is_empty() {
            return Err(Unmet::Channel);
        }
        channels.sort_by_cached_key(|(key, _)| channel_rank(&self.entries, key));
        Ok(channels
            .into_iter()
            .map(|(key, ids)| (key.clone(), ids.clone()))
            .collect())
    }

    pub(super) fn candidates(&self, subscription: &Subscription) -> Result<Candidates, String> {
        let mut channels = match self.listed(subscription) {
            Ok(channels) => channels,
            Err(unmet) => return Ok(Err(unmet)),
        };
        let current = self.current(subscription);
        if let (None, Some(starting)) = (current, &subscription.starting_csv) {
            for (_, ids) in &mut channels {
                ids.retain(|id| *self.entries.get(*id).name == **starting);
            }
            channels.retain(|(_, ids)| !ids.is_empty());
            if channels.is_empty() {
                return Ok(Err(Unmet::StartingCsv));
            }
        }
        let mut candidates = Vec::new();
        for (key, ids) in &channels {
            candidates.extend(chain(&self.entries, &key.package, &key.channel, ids)?);
        }
        if let Some(current) = current {
            let name = &self.entries.get(current).name;
            if self.problem.held.contains_key(&**name) {
                candidates.clear();
            }
            candidates.retain(|id| self.updates(*id, current));
            candidates.push(current);
        }
        Ok(Ok(candidates))
    }

    /// Returns whether an entry is an update for an installed version.
    pub(in crate::resolver) fn updates(&self, id: EntryId, current: EntryId) -> bool {
        let (entry, current) = (self.entries.get(id), self.entries.get(current));
        let in_range = || {
            let range = VersionRange::parse_as_olm(entry.skip_range.as_deref()?).ok()?;
            Some(range.contains(current.version.as_ref()?))
        };
        entry.replaces.as_ref() == Some(&current.name)
            || entry.skips.contains(&current.name)
            || in_range().unwrap_or(false)
    }
}
