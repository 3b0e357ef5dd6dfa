//! What is wrong with the content of an index beyond what its database says of itself (see [`crate::database::check`]):
//! in a file-based catalog what its documents say, in either form what the clusters of an older OLM cannot use and what
//! a policy does not allow, and in [`images`] what registries do not have.

mod catalog;
mod cluster;
mod dependencies;
#[cfg(feature = "registry")]
pub mod images;
mod listed;
mod needs;
mod policy;

pub use catalog::check_catalog;
pub use cluster::add_for_olm;
pub use policy::against_policy;

use super::location::{Fetched, IndexLocation};
use super::open::{Index, OpenDatabase, OpenError, OpenLimits, fetch};
use crate::database;
use crate::diagnostic::{self, Diagnostic};
use crate::image::Transports;
use crate::olm::releases::Olm;
use crate::rules::Gate;
use crate::validation::Strictness;
use crate::validation::policy::Terms;

/// What to look at beside what an index says of itself.
#[derive(Debug, Clone, Default)]
pub struct CheckOptions {
    /// The OLM of the clusters that are to use it.
    pub olm: Olm,
    /// What an administrator allows, where that is asked for.
    pub policy: Option<Terms>,
    /// The images that the registries are asked for.
    #[cfg(feature = "registry")]
    pub images: Option<images::Which>,
    /// What to try where a registry does not answer, for the findings.
    #[cfg(feature = "registry")]
    pub advice: Option<images::Advice>,
    /// How much may be read.
    pub limits: OpenLimits,
}

/// What is found.
#[derive(Debug)]
pub struct Checked {
    /// The findings, in a fixed order.
    pub findings: Vec<Diagnostic>,
    /// Whether clusters and images were looked at, too; a file-based catalog with errors has no graph to go through.
    pub is_complete: bool,
}

/// Checks an index of either form. `asking` is told before registries are asked for so many images.
///
/// ```
/// use opmx::diagnostic::has_errors;
/// use opmx::image::{ImageOptions, Silent, Transports};
/// use opmx::index::check::{CheckOptions, check};
/// use std::sync::Arc;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let index = "testdata/catalog".parse()?;
/// let transports = Transports::new(ImageOptions::default(), Arc::new(Silent));
/// let options = CheckOptions { olm: "0.28.0".parse()?, ..CheckOptions::default() };
/// let checked = check(&index, &transports, &options, |_| {}).await?;
/// assert!(checked.is_complete && !has_errors(&checked.findings));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the index cannot be read, or changes meanwhile. What is wrong with its content is a finding.
#[cfg_attr(
    not(feature = "registry"),
    expect(unused_variables, reason = "there are no registries to ask")
)]
pub async fn check(
    location: &IndexLocation,
    transports: &Transports,
    options: &CheckOptions,
    asking: impl FnOnce(usize),
) -> Result<Checked, OpenError> {
    let limits = options.limits;
    let (mut findings, index) = match fetch(location, transports, limits.image).await? {
        Fetched::Database(file) => {
            let database = OpenDatabase::open(file, limits.steps)?;
            let findings = database::check::check(&database.database)?;
            (findings, Index::Database(database))
        }
        Fetched::Catalog(folder) => {
            let findings = check_catalog(&folder, limits.catalog, &Strictness::at(Gate::Serving))?;
            if diagnostic::has_errors(&findings) {
                let is_complete = false;
                return Ok(Checked { findings, is_complete });
            }
            (findings, Index::of_catalog(folder, limits.catalog)?)
        }
    };
    add_for_olm(&mut findings, &index, &options.olm)?;
    if let Some(terms) = &options.policy {
        findings.extend(against_policy(&index, location, terms)?);
        diagnostic::sort(&mut findings);
    }
    #[cfg(feature = "registry")]
    if let Some(which) = options.images {
        let wanted = images::wanted(&index, which)?;
        asking(wanted.len());
        let advice = options.advice.unwrap_or(|_| None);
        findings.extend(images::ask(&wanted, transports, advice).await);
        diagnostic::sort(&mut findings);
    }
    Ok(Checked {
        findings,
        is_complete: true,
    })
}
