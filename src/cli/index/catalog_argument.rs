//! The index that a command looks at, and what is said of a name that it does not hold.

use crate::catalog::selection::SelectionError;
use crate::cli::error::CommandError;
use clap::Args;

/// An index of any form.
#[derive(Debug, Args)]
pub(crate) struct CatalogArgument {
    /// The index: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or the folder of a file-based
    /// catalog
    #[arg(value_name = "REF|FILE|DIR")]
    pub(crate) index: String,
}

impl CatalogArgument {
    /// What to say about a package that the index does not hold.
    pub(crate) fn no_package(&self, package: &str, nearest: Option<String>) -> CommandError {
        let missing = CommandError::missing(format!("{} holds no package {package:?}", self.index));
        self.hint(missing, nearest, "packages")
    }

    /// What to say about a name that the index does not hold.
    pub(crate) fn unknown(&self, error: SelectionError) -> CommandError {
        let missing =
            |what: &str, name: &str| CommandError::missing(format!("{} holds no such {what} {name:?}", self.index));
        match error {
            SelectionError::Package { package, nearest } => self.no_package(&package, nearest),
            SelectionError::Channel { channel, nearest } => {
                self.hint(missing("channel", &channel), nearest, "channels")
            }
            SelectionError::Bundle { bundle, nearest } => self.hint(missing("bundle", &bundle), nearest, "bundles"),
            SelectionError::Version { .. } => error.into(),
        }
    }

    fn hint(&self, missing: CommandError, nearest: Option<String>, list: &str) -> CommandError {
        missing.hint(match nearest {
            Some(name) => format!("there is {name:?}"),
            None => format!("see opmx index list {list} {}", self.index),
        })
    }
}
