//! The stages of a validation and their findings.

use super::request::Request;
use super::validators::{self, Input, ValidatorName, ValidatorOptions};
use crate::bundle::Bundle;
use crate::diagnostic::{Diagnostic, limit_each_rule};
use crate::tree::Tree;

/// A finding and the stage or validator that reports it. It is serialized as in a [`Validation`](super::Validation).
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The name of the validator or stage in the Operator Framework; `None` for rules that only opmx has.
    pub validator: Option<&'static str>,
    /// The finding itself.
    pub diagnostic: Diagnostic,
}

/// The stages before the validators, by their names in the Operator Framework.
pub(super) const FORMAT: Option<&str> = Some("format");
pub(super) const CONTENT: Option<&str> = Some("content");
pub(super) const LOAD: Option<&str> = Some("load");
pub(super) const INDEX: Option<&str> = Some("index");

/// Runs one stage.
pub(super) fn stage(
    findings: &mut Vec<Finding>,
    validator: Option<&'static str>,
    check: impl FnOnce(&mut Vec<Diagnostic>),
) {
    let mut found = Vec::new();
    check(&mut found);
    limit_each_rule(&mut found);
    findings.extend(found.into_iter().map(|diagnostic| Finding { validator, diagnostic }));
}

/// Runs the requested validators and those of `always` on a bundle.
pub(super) fn validators(bundle: &Bundle, tree: &Tree, always: &[ValidatorName], request: &Request) -> Vec<Finding> {
    let options = ValidatorOptions {
        reference: request.reference.is_some(),
        shipping: request.shipping,
        ..request.options.clone()
    };
    let input = Input {
        bundle,
        files: tree,
        options: &options,
    };
    let mut names = always.to_vec();
    names.extend(&request.validators);
    let found = validators::run(&input, &names).into_iter();
    found
        .map(|(validator, diagnostic)| Finding {
            validator: Some(validator),
            diagnostic,
        })
        .collect()
}
