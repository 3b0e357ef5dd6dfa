//! What is wrong with the content of an index beyond what its database says of itself (see [`crate::database::check`]): in
//! a file-based catalog what its documents say, in either form what the clusters of an older OLM cannot use, and in
//! [`images`] what registries do not have.

mod catalog;
mod cluster;
#[cfg(feature = "registry")]
pub mod images;
mod needs;

pub use catalog::check_catalog;
pub use cluster::for_cluster;

use super::capabilities::Cluster;
use super::open::{Index, OpenError};
use crate::diagnostic::{self, Diagnostic};
use crate::rules;

/// Adds what the clusters of an OLM cannot use to the findings about an index.
///
/// # Errors
/// When the index cannot be read, or changes meanwhile.
pub fn add_for_cluster(findings: &mut Vec<Diagnostic>, index: &Index, cluster: &Cluster) -> Result<(), OpenError> {
    // The clusters say the same, with what it means for them.
    let same = [&rules::INDEX_MESSAGE_SIZE, &rules::CATALOG_MESSAGE_SIZE];
    findings.retain(|finding| !same.contains(&finding.rule));
    findings.extend(for_cluster(index, cluster)?);
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
