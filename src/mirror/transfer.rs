//! Copies the content of a plan to a registry.

use super::CONCURRENCY;
use super::copy_work::{CopyResult, Holdings, work};
use super::placed::{PlacedError, placed};
use super::plan::Plan;
use super::reach::reach;
use super::request::Naming;
use crate::files::{self, FileError};
use crate::image::copy::{CopyOptions, Journal, JournalError, copy};
use crate::image::{Digest, ImageError, Progress, ReferenceError, Silent, Transports};
use std::path::PathBuf;

/// The default maximum number of bytes of content in memory.
pub const MEMORY: u64 = 256 << 20;

/// The options for copying a plan.
pub struct TransferOptions<'a> {
    /// The naming of images at the target; `None` if the plan already contains destinations.
    pub naming: Option<&'a Naming>,
    /// The maximum number of concurrent transfers.
    pub concurrency: usize,
    /// The maximum number of bytes of content in memory.
    pub memory: u64,
    /// Whether to start no more transfers after an image has failed.
    pub fail_fast: bool,
    /// The path of the journal of copied content, which allows an interrupted run to be resumed.
    pub journal: PathBuf,
    /// The path of the result file.
    pub result: PathBuf,
    /// The receiver of overall progress reports.
    pub progress: &'a dyn Progress,
}

impl TransferOptions<'_> {
    /// Returns the options for copying a plan that contains destinations, without progress reports.
    pub fn new(journal: PathBuf, result: PathBuf) -> Self {
        Self {
            naming: None,
            concurrency: CONCURRENCY.into(),
            memory: MEMORY,
            fail_fast: false,
            journal,
            result,
            progress: &Silent,
        }
    }
}

/// The reason why no content was copied, or the result was not recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransferError {
    /// The images have no destinations at the target.
    #[error(transparent)]
    Placed(#[from] PlacedError),
    /// The target cannot be reached, or rejects the login.
    #[error(transparent)]
    Target(#[from] ImageError),
    /// A name in the plan is invalid.
    #[error("the plan has an invalid repository name")]
    Name(#[from] ReferenceError),
    /// The journal cannot be read, written or removed.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The result cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Copies the content of a plan to a registry. The result is written to a file. If a run did not copy all content, its
/// journal is kept.
///
/// ```no_run
/// use opmx::image::{ImageOptions, Silent, Transports};
/// use opmx::mirror::beside::{journal_of, layout_of, result_of};
/// use opmx::mirror::plan::Plan;
/// use opmx::mirror::request::Naming;
/// use opmx::mirror::transfer::{TransferOptions, transfer};
/// use opmx::mirror::copy_work::Sources;
/// use std::path::Path;
/// use std::sync::Arc;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let path = Path::new("plan.json");
/// let naming = Naming { target: "mirror.example.com/olm".parse()?, keep_host: false, most_parts: 0 };
/// let registries = Transports::new(ImageOptions::default(), Arc::new(Silent));
/// let options = TransferOptions {
///     naming: Some(&naming),
///     ..TransferOptions::new(journal_of(path), result_of(path))
/// };
/// let holdings = Sources { layout: &layout_of(path) };
/// let result = transfer(Plan::read(path)?, &holdings, &registries, &registries, &options).await?;
/// println!("complete: {}", result.complete);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error if the plan has no destinations at the target, the target cannot be reached, the journal or the
/// result cannot be written, or another run uses the journal. Images that cannot be copied are reported in the result.
pub async fn transfer(
    plan: Plan,
    holdings: &dyn Holdings,
    source: &Transports,
    target: &Transports,
    options: &TransferOptions<'_>,
) -> Result<CopyResult, TransferError> {
    let plan = placed(plan, options.naming)?;
    reach(&plan, target).await?;
    transfer_placed(&plan, holdings, source, target, options).await
}

/// Copies the content of a plan to its target. The images must already have destinations, and the caller must have
/// checked that the target can be reached.
pub(super) async fn transfer_placed(
    plan: &Plan,
    holdings: &dyn Holdings,
    source: &Transports,
    target: &Transports,
    options: &TransferOptions<'_>,
) -> Result<CopyResult, TransferError> {
    let digest = Digest::of(&plan.to_bytes());
    let work = work(plan, holdings)?;
    let journal = Journal::open(&options.journal, &digest, plan.to.as_deref().unwrap_or_default())?;
    let outcome = {
        let options = CopyOptions {
            concurrency: options.concurrency.max(1),
            memory: options.memory,
            fail_fast: options.fail_fast,
            journal: Some(&journal),
            progress: options.progress,
        };
        copy(&work.copy, source, target, &options).await
    };
    let result = work.result(digest, &outcome);
    files::write(&options.result, &result.to_bytes())?;
    if result.complete {
        journal.remove()?;
    }
    Ok(result)
}
