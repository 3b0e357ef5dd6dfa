//! The index that a command reads, and the errors for names that the index does not contain.

use crate::catalog::selection::SelectionError;
use crate::cli::error::CommandError;
use crate::cli::values::filled;
use crate::terminal::shell::word;
use clap::Args;

/// An index of any form.
#[derive(Debug, Args)]
pub(crate) struct CatalogArgument {
    /// The index: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or the folder of a file-based
    /// catalog
    #[arg(value_name = "REF|FILE|DIR", value_parser = filled())]
    pub(crate) index: String,
}

impl CatalogArgument {
    /// Returns the error for a package that the index does not contain.
    pub(crate) fn no_package(&self, package: &str, nearest: Option<String>) -> CommandError {
        let missing = CommandError::missing(format!("{} has no package {package:?}", self.index));
        self.hint(missing, nearest, "packages")
    }

    /// Returns the error for a name that the index does not contain.
    pub(crate) fn unknown(&self, error: SelectionError) -> CommandError {
        let missing =
            |what: &str, name: &str| CommandError::missing(format!("{} contains no {what} {name:?}", self.index));
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
            Some(name) => format!("did you mean {name:?}?"),
            None => format!("see opmx index list {list} {}", word(&self.index)),
        })
    }
}
