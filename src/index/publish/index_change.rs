//! Changes to an index.

use crate::bundle::location::Location;
use crate::database::add::Report;
use crate::database::add::promote::PromoteError;
use crate::database::change::{ChangeOptions, Target};
use crate::database::deprecate::DeprecateError;
use crate::database::named::UnknownBundles;
use crate::database::remove::RemoveError;
use crate::image::Transports;
use crate::index::gather::{self, Added, GatherError, GatherOptions};
use crate::index::import::ImportError;
use crate::index::location::IndexLocation;

/// A change to the database of an index. A function that does not wait for anything is a change too.
pub trait IndexChange: Sync {
    /// The result of the change.
    type Outcome: Send;

    /// Makes the change. It is made again on another database if another program publishes the index in the meantime.
    ///
    /// # Errors
    /// Returns an error if the change cannot be made. The database is then discarded.
    fn apply(
        &self,
        target: &Target<'_>,
        applied: Applied,
    ) -> impl Future<Output = Result<Self::Outcome, ChangeError>> + Send;

    /// Returns the report of a change that adds bundles.
    fn additions(_: &mut Self::Outcome) -> Option<&mut Report> {
        None
    }
}

impl<F, T> IndexChange for F
where
    F: Fn(&Target<'_>, Applied) -> Result<T, ChangeError> + Sync,
    T: Send,
{
    type Outcome = T;

    async fn apply(&self, target: &Target<'_>, applied: Applied) -> Result<T, ChangeError> {
        self(target, applied)
    }
}

/// Fetches bundles and adds them.
#[derive(Clone, Copy)]
pub struct AddBundles<'a> {
    /// The bundles.
    pub locations: &'a [Location],
    /// The access to images.
    pub transports: &'a Transports,
    /// The options for adding the bundles.
    pub options: &'a GatherOptions,
    /// The options for writing the database.
    pub writing: &'a ChangeOptions,
}

impl IndexChange for AddBundles<'_> {
    type Outcome = Added;

    async fn apply(&self, target: &Target<'_>, applied: Applied) -> Result<Added, ChangeError> {
        let options = match applied {
            Applied::No => self.options,
            Applied::Maybe => &self.options.again(),
        };
        Ok(gather::add(self.locations, self.transports, options, target, self.writing).await?)
    }

    fn additions(added: &mut Added) -> Option<&mut Report> {
        Some(&mut added.report)
    }
}

/// Whether the original index may already contain the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// The index does not contain the change.
    No,
    /// The index may contain the change: an earlier attempt was published, and other programs have built on it.
    Maybe,
}

/// An error that prevents a change to a database.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// The bundles cannot be added.
    #[error(transparent)]
    Gather(#[from] GatherError),
    /// The packages cannot be removed.
    #[error(transparent)]
    Remove(#[from] RemoveError),
    /// The bundles cannot be deprecated.
    #[error(transparent)]
    Deprecate(#[from] DeprecateError),
    /// The bundles cannot be published in additional channels.
    #[error(transparent)]
    Promote(#[from] PromoteError),
    /// The file-based catalog cannot be converted to a database.
    #[error(transparent)]
    Import(#[from] ImportError),
}

impl ChangeError {
    /// Replaces the name of the changed copy in the error with `from`.
    pub(super) fn of_index(mut self, from: Option<&IndexLocation>) -> Self {
        let named = match &mut self {
            Self::Remove(RemoveError::Unknown { index, .. })
            | Self::Deprecate(DeprecateError::Unknown(UnknownBundles { index, .. }))
            | Self::Promote(PromoteError::Unknown(UnknownBundles { index, .. })) => Some(index),
            _ => None,
        };
        if let (Some(named), Some(from)) = (named, from) {
            *named = from.to_string();
        }
        self
    }
}
