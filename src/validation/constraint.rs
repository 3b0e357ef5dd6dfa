//! Checks the values in an `olm.constraint`. The structure is checked when the constraint is read.

use super::ranges::range_problem;
use crate::bundle::TypedValue;
use crate::cel::{self, ProblemKind};
use crate::diagnostic::Diagnostic;
use crate::olm::constraint::{Constraint, Key, PACKAGE_NAME, PackageConstraint, VERSION_RANGE};
use crate::rules::{self, Rule};
use crate::text::Path;
use std::ops::Range;

/// Reports problems with the constraint at `path` and with its nested constraints.
pub(super) fn check(entry: &TypedValue, constraint: &Constraint, path: &Path, findings: &mut Vec<Diagnostic>) {
    let mut empty = |text: &str, rule: &'static Rule, what: &str, path: Path| {
        // A value of the wrong type is reported when the constraint is read.
        let is_missing = path
            .get(&entry.value)
            .is_none_or(|value| value.is_null() || value.is_string());
        if text.is_empty() && is_missing {
            let message = format!("{what} of a constraint is empty");
            findings.push(Diagnostic::new(rule, message).at(entry.place_of(&path)));
        }
    };
    let (key, several) = match constraint {
        Constraint::Api(api) => {
            let path = path.key(Key::Gvk.name());
            empty(&api.group, &rules::DEP_GVK_GROUP_EMPTY, "the group", path.key("group"));
            empty(
                &api.version,
                &rules::DEP_GVK_VERSION_EMPTY,
                "the version",
                path.key("version"),
            );
            empty(&api.kind, &rules::DEP_GVK_KIND_EMPTY, "the kind", path.key("kind"));
            return;
        }
        Constraint::Package(PackageConstraint { name, range, .. }) => {
            let path = path.key(Key::Package.name());
            let at = path.key(VERSION_RANGE);
            empty(
                name,
                &rules::DEP_PACKAGE_NAME_EMPTY,
                "the packageName",
                path.key(PACKAGE_NAME),
            );
            empty(range, &rules::DEP_PACKAGE_VERSION_EMPTY, "the versionRange", at.clone());
            if !range.is_empty() {
                findings.extend(range_problem(entry, range, &at, &rules::DEP_PACKAGE_VERSION_FORMAT));
            }
            return;
        }
        Constraint::Cel { rule, .. } => {
            findings.extend(check_cel(entry, rule, &path.key(Key::Cel.name())));
            return;
        }
        Constraint::All(several) => (Key::All, several),
        Constraint::Any(several) => (Key::Any, several),
        Constraint::Not(several) => (Key::Not, several),
    };
    let key = key.name();
    let path = path.key(key);
    if several.is_empty() {
        let message = format!("{key} of a constraint has no constraints");
        findings.push(Diagnostic::new(&rules::DEP_CEL_MISSING, message).at(entry.place_of(&path)));
    }
    for (index, constraint) in several.iter().enumerate() {
        check(entry, constraint, &path.key("constraints").index(index), findings);
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
    let mut problems = Vec::new();
    collect_cel_problems(constraint, &Path::root(), &mut problems);
    problems
}

fn collect_cel_problems(constraint: &Constraint, path: &Path, problems: &mut Vec<(Path, CelProblem)>) {
    let (key, several) = match constraint {
        Constraint::Api(_) | Constraint::Package(_) => return,
        Constraint::Cel { rule, .. } => {
            let path = path.key(Key::Cel.name()).key("rule");
            problems.extend(cel_problem(rule).map(|problem| (path, problem)));
            return;
        }
        Constraint::All(several) => (Key::All, several),
        Constraint::Any(several) => (Key::Any, several),
        Constraint::Not(several) => (Key::Not, several),
    };
    let path = path.key(key.name()).key("constraints");
    for (index, constraint) in several.iter().enumerate() {
        collect_cel_problems(constraint, &path.index(index), problems);
    }
}
