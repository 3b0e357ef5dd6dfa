//! Checks the values in an `olm.constraint`. The structure is checked when the constraint is read.

use super::ranges::range_problem;
use crate::bundle::TypedValue;
use crate::cel::{self, ProblemKind};
use crate::diagnostic::Diagnostic;
use crate::olm::constraint::{Condition, Constraint, Key, PACKAGE_NAME, PackageConstraint, VERSION_RANGE};
use crate::rules::{self, Rule};
use crate::text::Path;
use std::ops::Range;

/// Reports problems with a constraint and with its nested constraints.
pub(super) fn check(entry: &TypedValue, constraint: &Constraint, findings: &mut Vec<Diagnostic>) {
    for (path, constraint) in constraint.flattened() {
        if let Constraint::Leaf(condition) = constraint {
            check_condition(entry, condition, &path, findings);
        }
        if let Some((key, [])) = constraint.parts() {
            let key = key.name();
            let message = format!("{key} of a constraint has no constraints");
            findings.push(Diagnostic::new(&rules::DEP_CEL_MISSING, message).at(entry.place_of(&path.key(key))));
        }
    }
}

fn check_condition(entry: &TypedValue, condition: &Condition, path: &Path, findings: &mut Vec<Diagnostic>) {
    let mut empty = |text: &str, rule: &'static Rule, path: &Path, field: &str| {
        let path = path.key(field);
        // A value of the wrong type is reported when the constraint is read.
        let is_missing = path
            .get(&entry.value)
            .is_none_or(|value| value.is_null() || value.is_string());
        if text.is_empty() && is_missing {
            let message = format!("the {field} of a constraint is empty");
            findings.push(Diagnostic::new(rule, message).at(entry.place_of(&path)));
        }
    };
    match condition {
        Condition::Api(api) => {
            let path = path.key(Key::Gvk.name());
            empty(&api.group, &rules::DEP_GVK_GROUP_EMPTY, &path, "group");
            empty(&api.version, &rules::DEP_GVK_VERSION_EMPTY, &path, "version");
            empty(&api.kind, &rules::DEP_GVK_KIND_EMPTY, &path, "kind");
        }
        Condition::Package(PackageConstraint { name, range, .. }) => {
            let path = path.key(Key::Package.name());
            empty(name, &rules::DEP_PACKAGE_NAME_EMPTY, &path, PACKAGE_NAME);
            empty(range, &rules::DEP_PACKAGE_VERSION_EMPTY, &path, VERSION_RANGE);
            if !range.is_empty() {
                let path = path.key(VERSION_RANGE);
                findings.extend(range_problem(entry, range, &path));
            }
        }
        // No constraint has a label.
        Condition::Label(_) => {}
        Condition::Cel { rule, .. } => findings.extend(check_cel(entry, rule, &path.key(Key::Cel.name()))),
    }
}

/// Reports a problem with the rule of a `cel` constraint at `path`.
pub(super) fn check_cel(entry: &TypedValue, rule: &str, path: &Path) -> Option<Diagnostic> {
    let path = path.key("rule");
    let CelProblem { rule, message, span } = cel_problem(rule)?;
    let place = match span {
        Some(span) => entry.scalar_place_of(&path, span),
        None => entry.place_of(&path),
    };
    Some(Diagnostic::new(rule, message).at(place))
}

/// A problem with the rule of a `cel` constraint.
#[derive(Debug)]
pub(crate) struct CelProblem {
    /// The rule of opmx that reports the problem.
    pub rule: &'static Rule,
    /// The problem as a sentence.
    pub message: String,
    /// The affected part of the rule, if known.
    pub span: Option<Range<usize>>,
}

fn cel_problem(rule: &str) -> Option<CelProblem> {
    if rule.is_empty() {
        return Some(CelProblem {
            rule: &rules::DEP_CEL_EMPTY,
            message: "the rule of a constraint is empty".to_owned(),
            span: None,
        });
    }
    let problem = cel::check(rule).err()?;
    Some(CelProblem {
        rule: match problem.kind {
            ProblemKind::Invalid => &rules::DEP_CEL_INVALID,
            ProblemKind::NotEvaluated => &rules::DEP_CEL_NOT_EVALUATED,
        },
        message: format!("the rule of a constraint {}", problem.reason),
        span: problem.span,
    })
}

/// Returns the problems with all rules in a constraint, each with the path of the rule.
pub(crate) fn cel_problems(constraint: &Constraint) -> Vec<(Path, CelProblem)> {
    let all = constraint.flattened().into_iter();
    all.filter_map(|(path, constraint)| match constraint {
        Constraint::Leaf(Condition::Cel { rule, .. }) => {
            Some((path.key(Key::Cel.name()).key("rule"), cel_problem(rule)?))
        }
        _ => None,
    })
    .collect()
}
