//! Operations on whole channels: setting the default, renaming, copying.

use super::{Draft, DraftChannel, DraftError};
use crate::catalog::file_based::Schema;
use crate::kubernetes::names::is_channel_name;

impl Draft {
    /// Makes a channel the default one.
    ///
    /// # Errors
    /// Returns an error if the channel does not exist.
    pub fn set_default(&mut self, channel: &str) -> Result<(), DraftError> {
        self.channel(channel)?;
        channel.clone_into(&mut self.default_channel);
        Ok(())
    }

    /// Renames a channel, and updates the default channel and the deprecations that refer to it.
    ///
    /// # Errors
    /// Returns an error if the channel does not exist, or the new name is not valid or already in use.
    pub fn rename(&mut self, old: &str, new: &str) -> Result<(), DraftError> {
        let place = self.channel(old)?;
        if old == new {
            return Ok(());
        }
        self.require_free(new)?;
        if let Some(channel) = self.channels.get_mut(place) {
            new.clone_into(&mut channel.name);
        }
        if self.default_channel == old {
            new.clone_into(&mut self.default_channel);
        }
        for known in &mut self.deprecations {
            if known.reference.schema == Some(Schema::Channel) && known.reference.name == old {
                new.clone_into(&mut known.reference.name);
            }
        }
        Ok(())
    }

    /// Creates the channel `to` with the entries of the channel `from`. If `to` already has these entries, nothing
    /// changes.
    ///
    /// # Errors
    /// Returns an error if `from` does not exist, `to` is not a valid name, or `to` already exists with other entries.
    pub fn copy(&mut self, from: &str, to: &str) -> Result<(), DraftError> {
        let place = self.channel(from)?;
        let Some(channel) = self.channels.get(place).cloned() else {
            return Ok(());
        };
        if self
            .channels
            .iter()
            .any(|known| known.name == to && known.entries == channel.entries)
        {
            return Ok(());
        }
        self.require_free(to)?;
        self.channels.push(DraftChannel {
            source: None,
            like: channel.source,
            name: to.to_owned(),
            ..channel
        });
        Ok(())
    }

    /// Checks the name of a new channel.
    pub(super) fn require_name(channel: &str) -> Result<(), DraftError> {
        if is_channel_name(channel) {
            return Ok(());
        }
        Err(DraftError::ChannelName {
            channel: channel.to_owned(),
        })
    }

    fn require_free(&self, channel: &str) -> Result<(), DraftError> {
        Self::require_name(channel)?;
        if self.channels.iter().all(|known| known.name != channel) {
            return Ok(());
        }
        Err(DraftError::Taken {
            package: self.name.clone(),
            channel: channel.to_owned(),
        })
    }
}
