//! What is wrong with the content of an index beyond what its database says of itself (see [`crate::database::check`]): in
//! a file-based catalog what its documents say, in either form what the clusters of an older OLM cannot use, and in
//! [`images`] what registries do not have.

mod catalog;
mod cluster;
mod dependencies;
#[cfg(feature = "registry")]
pub mod images;
mod needs;

pub use catalog::check_catalog;
pub use cluster::for_cluster;

use super::location::{Fetched, IndexLocation};
use super::open::{Index, OpenDatabase, OpenError, OpenLimits, fetch};
use crate::database;
use crate::diagnostic::{self, Diagnostic};
use crate::image::Transports;
use crate::olm::capabilities::Olm;
use crate::rules::{self, Gate};
use crate::validation::Strictness;

/// What to look at beside what an index says of itself.
#[derive(Debug, Clone, Default)]
pub struct CheckOptions {
    /// The OLM of the clusters that are to use it.
    pub olm: Olm,
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

/// Adds what bundles require by an OLM and the index does not have to the findings about it, and of a release what its
/// clusters cannot use.
///
/// # Errors
/// When the index cannot be read, or changes meanwhile.
pub fn add_for_olm(findings: &mut Vec<Diagnostic>, index: &Index, olm: &Olm) -> Result<(), OpenError> {
    findings.extend(dependencies::without_provider(
        &*index.catalog_without_skip_ranges()?,
        olm,
    ));
    diagnostic::sort(findings);
    if *olm == Olm::Proposed {
        return Ok(());
    }
    // The clusters say the same, with what it means for them.
    let same = [&rules::INDEX_MESSAGE_SIZE, &rules::CATALOG_MESSAGE_SIZE];
    findings.retain(|finding| !same.contains(&finding.rule));
    findings.extend(for_cluster(index, olm)?);
    diagnostic::sort(findings);
    Ok(())
}

/// Texts that one finding names.
const LISTED: usize = 3;

/// Several texts as a message shows them, the rest of many by their number.
fn listed(texts: &[impl AsRef<str>]) -> String {
    let mut shown: Vec<String> = texts.iter().take(LISTED).map(|text| text.as_ref().to_owned()).collect();
    if texts.len() > LISTED {
        shown.push(format!("{} more", texts.len() - LISTED));
    }
    match shown.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => shown.concat(),
    }
}
