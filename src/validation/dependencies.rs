//! Checks the dependencies of a bundle, in the dependencies file and among the properties, including the intents of the
//! proposal *olm-optional-dependency-declaration*.

use super::constraint;
use super::ranges::range_problem;
use crate::bundle::{Bundle, TypedValue};
use crate::cel;
use crate::csv::Csv;
use crate::diagnostic::{Diagnostic, Edit};
use crate::olm::constraint::{Key, PackageConstraint, VERSION_RANGE};
use crate::olm::dependency::{Dependency, DependencyKind, Reading, Spelling, VERSION};
use crate::olm::intent::{INTENT, Intent};
use crate::olm::problem::{Problem, What};
use crate::olm::property::{CONSTRAINT, GVK, GVK_REQUIRED, PACKAGE_REQUIRED};
use crate::olm::releases::{Olm, support};
use crate::rules::{self, Rule, Severity};
use crate::shape::{either, nearest};
use crate::text::{Path, Step};
use crate::version::{VersionRange, with_all_numbers};
use serde_json::Value;

pub(super) fn check(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    for entry in &bundle.dependencies {
        misplaced_intent(entry, findings);
        let Some(kind) = known_kind(entry, findings) else {
            continue;
        };
        check_entry(entry, kind, Spelling::Dependency, findings);
    }
    for entry in &bundle.properties {
        // A property without a value is reported with the properties.
        let kind = DependencyKind::of(&entry.kind, Spelling::Property).filter(|_| !entry.value.is_null());
        if let Some(kind) = kind {
            check_entry(entry, kind, Spelling::Property, findings);
        }
    }
    packages(bundle, findings);
    required_twice(bundle, findings);
}

/// Checks the dependencies as opm does. opm supports no constraints except `cel`, and no intents.
pub(super) fn check_as_opm(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    for entry in &bundle.dependencies {
        let Some(kind) = known_kind(entry, findings) else {
            continue;
        };
        let Reading { dependency, problems } = kind.read(&entry.value, entry.stored.len(), Spelling::Dependency);
        if kind == DependencyKind::Constraint {
            if !entry.value.is_object() {
                findings.extend(problems.iter().map(|problem| finding(entry, problem)));
            } else if let Some(cel) = entry.value.get("cel") {
                let rule = cel.get("rule").and_then(Value::as_str).unwrap_or_default();
                findings.extend(constraint::check_cel(entry, rule, &Path::root().key("cel")));
            } else {
                let message = "a constraint has no cel";
                findings.push(Diagnostic::new(&rules::DEP_CEL_MISSING, message).at(entry.place.clone()));
            }
            continue;
        }
        let shape = problems
            .iter()
            .find(|problem| matches!(problem.what, What::Type { .. }));
        match (shape, dependency) {
            (Some(problem), _) if !problem.is_of_intent() => findings.push(finding(entry, problem)),
            (_, Some(dependency)) => check_value(entry, &dependency, findings),
            _ => {}
        }
    }
}

fn known_kind(entry: &TypedValue, findings: &mut Vec<Diagnostic>) -> Option<DependencyKind> {
    let kind = DependencyKind::of(&entry.kind, Spelling::Dependency);
    if kind.is_none() {
        let mut known = DependencyKind::ALL.map(|kind| kind.name(Spelling::Dependency));
        known.sort_unstable();
        let message = format!(
            "the dependency type {} is unknown; known types are {}",
            entry.kind,
            known.join(", ")
        );
        let (document, path) = entry.entry();
        findings.push(Diagnostic::new(&rules::DEP_TYPE_UNKNOWN, message).at(document.place(&path.key("type"))));
    }
    kind
}

fn check_entry(entry: &TypedValue, kind: DependencyKind, spelling: Spelling, findings: &mut Vec<Diagnostic>) {
    if kind != DependencyKind::Package && kind != DependencyKind::Constraint && entry.value.get(INTENT).is_some() {
        let message = format!("a dependency of type {} cannot have an intent", entry.kind);
        let place = entry.key_place_of(&Path::root().key(INTENT));
        findings.push(Diagnostic::new(&rules::DEP_INTENT_PLACE, message).at(place));
    }
    let reading = kind.read(&entry.value, entry.stored.len(), spelling);
    check_reading(entry, reading, findings);
}

/// Reports all problems with the structure and the content of a value.
fn check_reading(entry: &TypedValue, reading: Reading, findings: &mut Vec<Diagnostic>) {
    let misshapen = |problem: &Problem| matches!(problem.what, What::Type { .. });
    let sound = entry.kind == CONSTRAINT
        || !reading
            .problems
            .iter()
            .any(|problem| misshapen(problem) && !problem.is_of_intent());
    // The value of a misspelled key seems to be missing, which is not reported separately.
    let has_unknown_key = reading.problems.iter().any(|problem| problem.what == What::UnknownKey);
    let problems = reading.problems.iter();
    let reported = problems.filter(|problem| match problem.what {
        What::Nothing(_) => !has_unknown_key,
        What::Needs(feature) => !Olm::AnyRelease.does(feature),
        _ => true,
    });
    findings.extend(reported.map(|problem| finding(entry, problem)));
    match reading.dependency {
        Some(Dependency::Constraint(_)) if has_unknown_key => {}
        Some(Dependency::Constraint(read)) => constraint::check(entry, &read, findings),
        Some(dependency) if sound => check_value(entry, &dependency, findings),
        _ => {}
    }
}

/// Turns a problem with a value into a finding.
fn finding(entry: &TypedValue, problem: &Problem) -> Diagnostic {
    let Problem { path, what } = problem;
    let new = |rule: &'static Rule, message: String| Diagnostic::new(rule, message).at(entry.place_of(path));
    let subject = match path.steps().last() {
        Some(Step::Key(key)) => format!("{key} of a dependency of type {}", entry.kind),
        _ => format!("the value of a dependency of type {}", entry.kind),
    };
    match what {
        What::Type { .. } if problem.is_of_intent() => new(
            &rules::DEP_INTENT_VALUE,
            format!("the intent {what}; it must be {}", intents()),
        ),
        What::Type { wanted, .. } => {
            let finding = new(&rules::DEP_VALUE_SHAPE, format!("{subject} {what}"));
            match entry.quote(path).filter(|_| *wanted == "a string") {
                Some(edit) => unquoted(entry, path, edit, finding),
                None => finding,
            }
        }
        What::UnknownKey => {
            let key = match path.steps().last() {
                Some(Step::Key(key)) => &**key,
                _ => "it",
            };
            let message = format!("{key} is not a field of a constraint; the resolver rejects it");
            let place = entry.key_place_of(path);
            if key == INTENT {
                Diagnostic::new(&rules::DEP_INTENT_PLACE, message).at(place)
            } else {
                let finding = Diagnostic::new(&rules::DEP_CONSTRAINT_KEY, message).at(place);
                finding.help(help_for_key(path))
            }
        }
        What::Nothing(_) => new(&rules::DEP_CEL_MISSING, format!("a constraint {what}")),
        What::Several(keys) => new(
            &rules::DEP_CONSTRAINT_SEVERAL,
            format!(
                "a constraint has {} at once, but only one of them would take effect",
                keys.join(", ")
            ),
        )
        .help("List them separately under all: {constraints: […]}."),
        What::Long(_) | What::Deep => new(&rules::DEP_CONSTRAINT_SIZE, format!("the constraint {what}")),
        What::Intent(unknown) => {
            let message = format!("the intent is {:?}; it must be {}", unknown.0, intents());
            let names = Intent::ALL.map(Intent::name);
            let meant = unknown.0.trim().to_lowercase();
            let meant = names.contains(&meant.as_str()).then_some(meant);
            let finding = new(&rules::DEP_INTENT_VALUE, message);
            let finding = finding.fixed_by(meant.and_then(|text| entry.rewrite(path, &text)));
            match nearest(unknown.0.trim(), names) {
                Some(known) => finding.help(format!("Did you mean {known}?")),
                None => finding,
            }
        }
        What::Needs(feature) => {
            let key = key_at(path, 1).unwrap_or_default();
            let rule = if key.eq_ignore_ascii_case(INTENT) {
                &rules::DEP_INTENT_CONSTRAINT
            } else {
                &rules::DEP_CONSTRAINT_KEY
            };
            let instead = support(*feature).map_or("rejects it", |row| row.instead);
            let message = format!("a constraint has the key {key}, and {} {instead}", Olm::AnyRelease);
            let mut finding = Diagnostic::new(rule, message).at(entry.key_place_of(path));
            finding.severity = Severity::Warning;
            finding
        }
    }
}

/// Adds the advice to quote a number or a boolean.
fn unquoted(entry: &TypedValue, path: &Path, quoted: Edit, finding: Diagnostic) -> Diagnostic {
    let written = quoted.place.text();
    let is_key = |from_end, name: &str| key_at(path, from_end).is_some_and(|key| key.eq_ignore_ascii_case(name));
    let is_api = [GVK, GVK_REQUIRED].contains(&&*entry.kind) || is_key(2, Key::Gvk.name());
    let is_range = !is_api && (is_key(1, VERSION) || is_key(1, VERSION_RANGE));
    let is_rule = is_key(1, "rule") && is_key(2, Key::Cel.name());
    // A range needs more than quotes if a number is missing.
    if is_range && VersionRange::parse(written).is_err() {
        return match with_all_numbers(written) {
            Some(complete) => finding.help(format!("Use quotes and all three numbers: \"{complete}\".")),
            None => finding,
        };
    }
    if is_rule && cel::check(written).is_err() {
        return finding;
    }
    let help = format!("Use quotes: \"{written}\".");
    finding.help(help).fixed_by(Some(quoted))
}

/// Returns advice about an unknown key of a constraint.
fn help_for_key(path: &Path) -> String {
    let Some(key) = Key::ORDER.iter().find(|key| key_at(path, 2) == Some(key.name())) else {
        let near = nearest(key_at(path, 1).unwrap_or_default(), Key::names());
        return near.map_or_else(Key::usage, |near| format!("Did you mean {near}?"));
    };
    // No release of OLM reads an intent here.
    let fields = key.fields().iter().filter(|field| **field != INTENT);
    let fields: Vec<&str> = fields.copied().collect();
    format!("Allowed fields: {}.", fields.join(", "))
}

/// Returns the key at a position of a path, counted from the end.
fn key_at(path: &Path, from_end: usize) -> Option<&str> {
    let steps = path.steps();
    match steps.len().checked_sub(from_end).and_then(|at| steps.get(at)) {
        Some(Step::Key(key)) => Some(key),
        _ => None,
    }
}

fn intents() -> String {
    either(&Intent::ALL.map(Intent::name))
}

/// Checks the content of a dependency that is not a constraint.
fn check_value(entry: &TypedValue, dependency: &Dependency, findings: &mut Vec<Diagnostic>) {
    let mut report = |rule: &'static Rule, message: String, key: &str| {
        findings.push(Diagnostic::new(rule, message).at(entry.place_of(&Path::root().key(key))));
    };
    match dependency {
        Dependency::Api(api) => {
            for (key, text, rule) in [
                ("group", &api.group, &rules::DEP_GVK_GROUP_EMPTY),
                ("version", &api.version, &rules::DEP_GVK_VERSION_EMPTY),
                ("kind", &api.kind, &rules::DEP_GVK_KIND_EMPTY),
            ] {
                if text.is_empty() {
                    report(rule, format!("the {key} of a required API is empty"), key);
                }
            }
        }
        Dependency::Package(PackageConstraint { name, range, .. }) => {
            if name.is_empty() {
                let message = "the name of a required package is empty".to_owned();
                report(&rules::DEP_PACKAGE_NAME_EMPTY, message, "packageName");
            }
            let key = if entry.kind == PACKAGE_REQUIRED {
                VERSION_RANGE
            } else {
                VERSION
            };
            if range.is_empty() {
                let message = format!("the version range of the required package {name} is empty");
                report(&rules::DEP_PACKAGE_VERSION_EMPTY, message, key);
            } else {
                let path = Path::root().key(key);
                findings.extend(range_problem(entry, range, &path));
            }
        }
        Dependency::Label(label) if label.is_empty() => {
            let message = "the label of a dependency is empty".to_owned();
            report(&rules::DEP_LABEL_EMPTY, message, "label");
        }
        Dependency::Label(_) | Dependency::Constraint(_) => {}
    }
}

/// Reports an intent next to the value, where nothing reads it.
fn misplaced_intent(entry: &TypedValue, findings: &mut Vec<Diagnostic>) {
    let (document, path) = entry.entry();
    let beside = path.key(INTENT);
    if beside.get(document.value()).is_some() {
        let message = "intent is next to type; it belongs in value";
        let finding = Diagnostic::new(&rules::DEP_INTENT_PLACE, message).at(document.key_place(&beside));
        findings.push(finding.help("Move it to value, below packageName and version."));
    }
}

/// Compares the package dependencies with each other.
fn packages(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let own = bundle.annotations.as_ref().map(crate::bundle::Annotations::package);
    let mut earlier: Vec<(&TypedValue, PackageConstraint)> = Vec::new();
    let of_kind = |entry: &&TypedValue, spelling| entry.kind == DependencyKind::Package.name(spelling);
    let dependencies = bundle.dependencies.iter().map(|entry| (entry, Spelling::Dependency));
    let properties = bundle.properties.iter().map(|entry| (entry, Spelling::Property));
    for (entry, spelling) in dependencies
        .chain(properties)
        .filter(|(entry, spelling)| of_kind(entry, *spelling))
    {
        let reading = DependencyKind::Package.read(&entry.value, entry.stored.len(), spelling);
        let Some(Dependency::Package(wanted)) = reading.dependency.filter(|_| entry.value.is_object()) else {
            continue;
        };
        let package = &wanted.name;
        if package.is_empty() {
            continue;
        }
        let place = || entry.place_of(&Path::root().key("packageName"));
        if own == Some(package.as_str()) {
            let message = format!("the bundle depends on its own package {package}");
            findings.push(Diagnostic::new(&rules::DEP_SELF, message).at(place()));
        }
        if let Some((first, before)) = earlier.iter().find(|(_, before)| before.name == *package) {
            let finding = if before.intent == wanted.intent {
                twice(before, &wanted)
            } else {
                let message = format!(
                    "the package {package} is {} here, but {} in an earlier entry",
                    wanted.intent, before.intent
                );
                let strictest = wanted.intent.min(before.intent);
                Diagnostic::new(&rules::DEP_CONFLICTING_INTENT, message).help(format!(
                    "Keep one of the two entries; OLM applies the stricter intent, {strictest}."
                ))
            };
            let there = first.place_of(&Path::root().key("packageName"));
            findings.push(finding.at(place()).also(there, "it first appears here"));
        }
        earlier.push((entry, wanted));
    }
}

/// Reports a package that has two dependency entries with the same intent.
fn twice(before: &PackageConstraint, wanted: &PackageConstraint) -> Diagnostic {
    let package = &wanted.name;
    let ranges = (VersionRange::parse(&before.range), VersionRange::parse(&wanted.range));
    let apart = matches!(&ranges, (Ok(left), Ok(right)) if !left.overlaps(right));
    if !(apart && wanted.intent == Intent::Required) {
        let message = format!("the package {package} appears here a second time");
        return Diagnostic::new(&rules::DEP_DUPLICATE, message);
    }
    let message = format!("no version of {package} is in both required ranges");
    let mut finding = Diagnostic::new(&rules::DEP_DUPLICATE, message);
    finding.severity = Severity::Error;
    finding.help("Correct one of the ranges; otherwise the bundle can never be installed.")
}

/// Reports an API that both the dependencies and the CSV require.
fn required_twice(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let Some(csv) = bundle.csv() else { return };
    for dependency in bundle.dependencies.iter().filter(|entry| entry.kind == GVK) {
        let text = |key: &str| dependency.value.get(key).and_then(Value::as_str).unwrap_or_default();
        let listed = Csv(csv.value())
            .list(&["spec", "customresourcedefinitions", "required"])
            .iter()
            .any(|entry| {
                let of = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
                let group = of("name").split_once('.').map_or("", |(_, group)| group);
                (group, of("version"), of("kind")) == (text("group"), text("version"), text("kind"))
            });
        if listed {
            let message = format!(
                "the ClusterServiceVersion also requires {} of {}",
                text("kind"),
                text("group")
            );
            let finding = Diagnostic::new(&rules::DEP_CSV_DOUBLE, message);
            findings.push(finding.at(dependency.place_of(&Path::root().key("kind"))));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_intents_are_listed_as_in_a_sentence() {
        assert_eq!(intents(), "required, recommended or optional");
    }
}
