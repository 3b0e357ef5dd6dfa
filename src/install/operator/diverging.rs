//! Records the result of a comparison with the resolved bundle in the status of an operator.

use super::compare::Comparison;
use super::conditions::DIVERGE;
use super::normal::Condition;
use super::{Difference, Operator};
use serde_json::Value;

/// The maximum number of differences that a condition lists.
const NAMED: usize = 10;

/// The source that the components of an operator were resolved from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResolvedFrom {
    /// A bundle in a folder, which a resource cannot refer to.
    Unknown,
    /// A bundle image, by digest.
    Image(String),
    /// This bundle in the catalog that the operator follows.
    Catalog(String),
}

impl Operator {
    /// Records the source that the components were resolved from.
    pub fn resolved(&mut self, from: ResolvedFrom) {
        if from == ResolvedFrom::Unknown {
            return;
        }
        let updates = self.status.updates.get_or_insert_default();
        match from {
            ResolvedFrom::Unknown => {}
            ResolvedFrom::Image(image) => {
                updates.kind = Some("ManifestImage");
                updates.manifest_image = Some(image);
            }
            ResolvedFrom::Catalog(bundle) => {
                let mut source = self.spec.pointer("/updates/catalogSource").cloned();
                if let Some(source) = source.as_mut().and_then(Value::as_object_mut) {
                    source.insert("entrypoint".to_owned(), bundle.into());
                    updates.kind = Some("CatalogSource");
                }
                updates.catalog_source = source;
            }
        }
    }

    /// Records whether the components match the resolved content. A controller's report is kept only if the comparison
    /// is inconclusive.
    pub fn diverge(&mut self, comparison: Comparison) {
        let Comparison { differences, unknown } = comparison;
        if differences.is_empty() && !unknown.is_empty() {
            return;
        }
        let conditions = &mut self.status.conditions;
        let before = conditions.iter().position(|condition| condition.kind == DIVERGE);
        let before = before.map(|place| conditions.remove(place));
        if differences.is_empty() {
            return;
        }
        let of_image = self.spec.pointer("/updates/type").and_then(Value::as_str) == Some("ManifestImage");
        let (reason, what) = if of_image {
            ("ComponentsDivergeFromResolvedContent", "resolved content")
        } else {
            ("ComponentsDivergeFromInstall", "install resource")
        };
        let condition = Condition {
            kind: DIVERGE.to_owned(),
            status: "True".to_owned(),
            reason: Some(reason.to_owned()),
            message: Some(format!(
                "on-cluster components diverge from {what}: {}",
                named(&differences)
            )),
            last_transition_time: before.and_then(|before| before.last_transition_time),
            ..Condition::default()
        };
        let installs = self
            .status
            .components
            .refs
            .iter_mut()
            .filter(|reference| reference.kind == "Install");
        for install in installs {
            if !install.conditions.iter().any(|condition| condition.kind == DIVERGE) {
                install.conditions.push(condition.clone());
            }
        }
        self.status.conditions.insert(0, condition);
        self.diverging = differences;
    }
}

/// Describes the first differences in one line.
fn named(differences: &[Difference]) -> String {
    let first = differences.iter().take(NAMED);
    let mut words: Vec<String> = first
        .map(|one| format!("{}: {}", one.component(), one.words()))
        .collect();
    let more = differences.len().saturating_sub(NAMED);
    if more > 0 {
        words.push(format!("and {more} more"));
    }
    words.join("; ")
}
