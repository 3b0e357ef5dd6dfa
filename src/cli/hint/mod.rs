//! Advice for the errors of the modules below: hints, and whether an error reports that an item does not exist. Only
//! this module maps errors to advice, and limits to the flags that raise them.

mod bundle;
mod catalog;
mod database;
mod image;
mod index;
mod install;
mod mirror;
mod system;

pub use image::registry_hint;

use crate::bundle::UnknownMediaType;
use crate::bundle::image_map::ImageMapError;
use crate::catalog::file_based::init::InitError;
use crate::catalog::file_based::template::TemplateError;
use crate::cluster::requested::RequestError;
use crate::kubernetes::rbac::covering::TooComplex;
use crate::limit::Limit;
use crate::steps::StepError;
use std::error::Error;
use std::io;
use std::path::Path;

/// The hint for a resolution that was stopped because it took too many steps.
pub(crate) const MORE_STEPS: &str = "allow more steps with --max-steps, or specify fewer catalogs";
const VALUES: &str = "--max-values";
const TOTAL_SIZE: &str = "--max-total-size";
const OTHER_RUN: &str = "wait until the other run has finished";
const MORE_FILES: &str = "raise the limit on open files with ulimit -n";
/// The hint for a full disk with temporary files.
const FULL_TEMPORARY: &str = "free space in that folder, or set TMPDIR to another folder";

/// The additional information that a command reports about an error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Advice {
    /// The advice for the user; often empty.
    pub hints: Vec<String>,
    /// Whether the error reports that the named item does not exist in the registry, the file system or the index.
    pub is_missing: bool,
}

impl Advice {
    /// Returns advice without hints, for an error about an item that does not exist.
    fn missing() -> Self {
        Self {
            is_missing: true,
            ..Self::default()
        }
    }

    /// Keeps the hints, and records that the named item does not exist.
    fn of_missing(self) -> Self {
        Self {
            is_missing: true,
            ..self
        }
    }

    /// Keeps the hints, and records that the named item exists.
    fn of_existing(self) -> Self {
        Self {
            is_missing: false,
            ..self
        }
    }
}

/// An error that can end a command.
pub trait Hints: Error {
    /// Returns the hints for the error, and whether it reports that the named item does not exist.
    fn hints(&self) -> Advice;
}

/// Returns advice with a single hint.
fn hint(words: impl Into<String>) -> Advice {
    hints_of([words.into()])
}

fn hints_of(words: impl IntoIterator<Item = String>) -> Advice {
    Advice {
        hints: words.into_iter().collect(),
        ..Advice::default()
    }
}

/// Implements `Hints` for error enums. `pass` lists the variants that wrap another error and share its advice.
/// `none` lists the variants without advice, and `missing` the variants that report that the named item does not exist.
macro_rules! hints {
    ($($error:ty {
        pass: [$($pass:ident),*], $(missing: [$($missing:ident),*],)? none: [$($none:ident),*], $($arms:tt)*
    })*) => {
        $(impl Hints for $error {
            fn hints(&self) -> Advice {
                match self {
                    $(Self::$pass(error) => error.hints(),)*
                    $(Self::$none { .. } => Advice::default(),)*
                    $($(Self::$missing { .. } => Advice::missing(),)*)?
                    $($arms)*
                }
            }
        })*
    };
}

use hints;

/// Implements `Hints` for errors that never have advice.
macro_rules! without_hints {
    ($($error:ty),* $(,)?) => {
        $(impl Hints for $error {
            fn hints(&self) -> Advice {
                Advice::default()
            }
        })*
    };
}

without_hints! {
    ImageMapError,
    InitError,
    RequestError,
    StepError,
    TemplateError,
    TooComplex,
    UnknownMediaType,
    io::Error,
    serde_json::Error,
    tracing_subscriber::util::TryInitError,
}

fn raised(by: Option<Limit>) -> Advice {
    hints_of(by.map(|limit| flag_hint(limit).to_owned()))
}

fn image_in(layout: &Path) -> Advice {
    hint(format!(
        "specify an image in the layout as oci:{}:TAG",
        layout.display()
    ))
}

fn flag_hint(limit: Limit) -> &'static str {
    match limit {
        Limit::Files => "raise the limit with --max-files if you trust the input",
        Limit::FileBytes => "raise the limit with --max-file-size if you trust the input",
        Limit::TotalBytes => "raise the limit with --max-total-size if you trust the input",
        Limit::ImageBytes => "raise the limit with --max-image-size if you trust the input",
    }
}

/// Returns the hint for input that exceeds the limit that `flag` raises.
pub(crate) fn raise(flag: &str) -> String {
    format!("raise the limit with {flag} if you trust the input")
}

/// Returns the advice for an I/O error: a missing file, or too many open files.
fn of_system(error: &io::Error) -> Advice {
    if error.kind() == io::ErrorKind::NotFound {
        return Advice::missing();
    }
    #[cfg(unix)]
    if let Some(rustix::io::Errno::MFILE | rustix::io::Errno::NFILE) = rustix::io::Errno::from_io_error(error) {
        return hint(MORE_FILES);
    }
    Advice::default()
}

fn is_forbidden(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
    )
}

fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}
