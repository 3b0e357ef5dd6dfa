//! Checks an index: the content of a database (see [`crate::database::check`]), or the documents of a file-based
//! catalog. For either form, the check also finds contents that clusters with an older OLM cannot use or that a policy
//! does not allow; [`images`] finds images that registries do not contain.

mod catalog;
mod cluster;
mod constraints;
mod dependencies;
mod features;
#[cfg(feature = "registry")]
pub mod images;
mod listed;
mod olm_v1;
mod policy;
mod stops;

pub use catalog::check_catalog;
pub use cluster::add_for_olm;
pub use olm_v1::add_for_olm_v1;
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

/// The options for the checks of an index.
#[derive(Debug, Clone, Default)]
pub struct CheckOptions {
    /// The OLM of the clusters for which the index is intended.
    pub olm: Olm,
    /// Whether the clusters run OLM v1; if so, `olm` is ignored.
    pub olm_v1: bool,
    /// The administrator's policy that the index is checked against, if any.
    pub policy: Option<Terms>,
    /// The images to request from the registries.
    #[cfg(feature = "registry")]
    pub images: Option<images::Which>,
    /// The function that returns a hint for a registry that does not answer.
    #[cfg(feature = "registry")]
    pub advice: Option<images::Advice>,
    /// The limits for reading the index.
    pub limits: OpenLimits,
}

/// The result of a check.
#[derive(Debug)]
pub struct Checked {
    /// The findings, in a fixed order.
    pub findings: Vec<Diagnostic>,
    /// Whether the checks for clusters and images also ran. They do not run for a file-based catalog with errors, which
    /// has no graph to examine, or for a database of which parts may be unreadable.
    pub is_complete: bool,
    /// Whether the index is a database, which OLM v1 does not read.
    pub is_database: bool,
}

/// Checks an index of either form. `asking` is called with the number of images before registries are queried for them.
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
/// Returns an error if the index cannot be read or changes while it is being read. Problems with the content of the
/// index are findings, not errors.
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
            if database::check::is_obstructed(&findings) {
                return Ok(Checked {
                    findings,
                    is_complete: false,
                    is_database: true,
                });
            }
            (findings, Index::Database(database))
        }
        Fetched::Catalog(folder) => {
            let findings = check_catalog(&folder, limits.catalog, &Strictness::at(Gate::Serving))?;
            if diagnostic::has_errors(&findings) {
                return Ok(Checked {
                    findings,
                    is_complete: false,
                    is_database: false,
                });
            }
            (findings, Index::of_catalog(folder, limits.catalog)?)
        }
    };
    if options.olm_v1 {
        add_for_olm_v1(&mut findings, &index)?;
    } else {
        add_for_olm(&mut findings, &index, &options.olm)?;
    }
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
        is_database: matches!(index, Index::Database(_)),
    })
}
