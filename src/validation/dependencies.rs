//! The dependencies file, with the intents of the proposal *olm-optional-dependency-declaration*.

use super::constraint;
use crate::bundle::{Bundle, TypedValue};
use crate::catalog::CONSTRAINT;
use crate::csv::Csv;
use crate::diagnostic::Diagnostic;
use crate::nearest::nearest;
use crate::rules::{self, Rule, Severity};
use crate::text::{Path, kind_of};
use crate::version::VersionRange;
use serde_json::Value;

const TYPES: [&str; 4] = [CONSTRAINT, "olm.gvk", "olm.label", "olm.package"];
/// The intents, the strictest first.
const INTENTS: [&str; 3] = ["required", "recommended", "optional"];

pub(super) fn check(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    for dependency in &bundle.dependencies {
        let sound = check_shape(dependency, findings);
        intent(dependency, findings);
        if sound {
            check_value(dependency, findings);
            if dependency.kind == CONSTRAINT {
                constraint::check(dependency, findings);
            }
        }
    }
    for constraint in bundle.properties.iter().filter(|property| property.kind == CONSTRAINT) {
        constraint::check(constraint, findings);
    }
    packages(bundle, findings);
    required_twice(bundle, findings);
}

/// As opm judges: of a constraint it knows only `cel`, and of an intent nothing.
pub(super) fn check_as_opm(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    for dependency in &bundle.dependencies {
        if !check_shape(dependency, findings) {
            continue;
        }
        check_value(dependency, findings);
        if dependency.kind == CONSTRAINT {
            if let Some(cel) = dependency.value.get("cel") {
                findings.extend(constraint::check_cel(dependency, cel, &Path::root().key("cel")));
            } else {
                let message = "a constraint has no cel";
                findings.push(Diagnostic::new(&rules::DEP_CEL_MISSING, message).at(dependency.place.clone()));
            }
        }
    }
}

/// Whether the value is of its type at all.
fn check_shape(dependency: &TypedValue, findings: &mut Vec<Diagnostic>) -> bool {
    let kind = dependency.kind.as_str();
    if !TYPES.contains(&kind) {
        let message = format!("the dependency type {kind} is unknown; known are {}", TYPES.join(", "));
        let (document, entry) = dependency.entry();
        let finding = Diagnostic::new(&rules::DEP_TYPE_UNKNOWN, message).at(document.place(&entry.key("type")));
        findings.push(finding);
        return false;
    }
    let Some((path, problem)) = misshapen(dependency) else {
        return true;
    };
    let message = format!("the value of a dependency of type {kind} {problem}");
    findings.push(Diagnostic::new(&rules::DEP_VALUE_SHAPE, message).at(dependency.place_of(&path)));
    false
}

fn misshapen(dependency: &TypedValue) -> Option<(Path, String)> {
    let Value::Object(map) = &dependency.value else {
        return Some((Path::root(), format!("is {}, not a map", kind_of(&dependency.value))));
    };
    let texts: &[&str] = match dependency.kind.as_str() {
        "olm.gvk" => &["group", "version", "kind"],
        "olm.package" => &["packageName", "version"],
        "olm.label" => &["label"],
        _ => &[],
    };
    texts.iter().find_map(|key| {
        let value = map.get(*key).filter(|value| !value.is_null() && !value.is_string())?;
        let problem = format!("has a {key} that is {}, not a text", kind_of(value));
        Some((Path::root().key(key), problem))
    })
}

fn check_value(dependency: &TypedValue, findings: &mut Vec<Diagnostic>) {
    let text = |key: &str| dependency.value.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut report = |rule: &'static Rule, message: String, key: &str| {
        findings.push(Diagnostic::new(rule, message).at(dependency.place_of(&Path::root().key(key))));
    };
    match dependency.kind.as_str() {
        "olm.gvk" => {
            for (key, rule) in [
                ("group", &rules::DEP_GVK_GROUP_EMPTY),
                ("version", &rules::DEP_GVK_VERSION_EMPTY),
                ("kind", &rules::DEP_GVK_KIND_EMPTY),
            ] {
                if text(key).is_empty() {
                    report(rule, format!("the {key} of a required API is empty"), key);
                }
            }
        }
        "olm.package" => {
            let (package, range) = (text("packageName"), text("version"));
            if package.is_empty() {
                let message = "the name of a required package is empty".to_owned();
                report(&rules::DEP_PACKAGE_NAME_EMPTY, message, "packageName");
            }
            if range.is_empty() {
                let message = format!("the version range of the required package {package} is empty");
                report(&rules::DEP_PACKAGE_VERSION_EMPTY, message, "version");
            } else {
                let path = Path::root().key("version");
                findings.extend(range_problem(
                    dependency,
                    range,
                    &path,
                    &rules::DEP_PACKAGE_VERSION_FORMAT,
                ));
            }
        }
        "olm.label" if text("label").is_empty() => {
            let message = "the label of a dependency is empty".to_owned();
            report(&rules::DEP_LABEL_EMPTY, message, "label");
        }
        _ => {}
    }
}

/// What is wrong with a range, at the place inside its text.
pub(super) fn range_problem(entry: &TypedValue, range: &str, path: &Path, rule: &'static Rule) -> Option<Diagnostic> {
    // OLM passes over a dash between two versions, so that both are to be met at once.
    if let Some(dash) = range.find(" - ")
        && VersionRange::parse(&range.replace(" - ", " ")).is_ok()
    {
        let message = format!("nothing is in the range {range:?}: - has no meaning in OLM's ranges");
        return Some(
            Diagnostic::new(&rules::RANGE_HYPHEN, message).at(entry.scalar_place_of(path, dash + 1..dash + 2)),
        );
    }
    let error = VersionRange::parse(range).err()?;
    let part = range.get(error.span.clone()).unwrap_or(range);
    let message = format!("{range:?} is no version range, at {part:?}: {error}");
    let finding = Diagnostic::new(rule, message).at(entry.scalar_place_of(path, error.span));
    Some(finding.mended_by(without_v(range).and_then(|bare| entry.rewrite(path, &bare))))
}

/// The range without a `v` before its versions, where that is all that is wrong with it.
fn without_v(range: &str) -> Option<String> {
    let mut bare = String::new();
    let mut rest = range.trim();
    while let Some(letter) = rest.chars().next() {
        let begins = bare.ends_with([' ', '>', '<', '=', '!', '|']) || bare.is_empty();
        rest = &rest[letter.len_utf8()..];
        if !(letter == 'v' && begins && rest.starts_with(|digit: char| digit.is_ascii_digit())) {
            bare.push(letter);
        }
    }
    VersionRange::parse(&bare).is_ok().then_some(bare)
}

fn intent(dependency: &TypedValue, findings: &mut Vec<Diagnostic>) {
    let (document, entry) = dependency.entry();
    let beside = entry.key("intent");
    if beside.get(document.value()).is_some() {
        let message = "intent stands beside type; it belongs into value";
        let finding = Diagnostic::new(&rules::DEP_INTENT_PLACE, message).at(document.key_place(&beside));
        findings.push(finding.help("Move it into value, below packageName and version."));
    }
    let Some(intent) = dependency.value.get("intent") else {
        return;
    };
    let path = Path::root().key("intent");
    if dependency.kind != "olm.package" {
        let message = format!("a dependency of type {} has no intent", dependency.kind);
        let finding = Diagnostic::new(&rules::DEP_INTENT_PLACE, message).at(dependency.key_place_of(&path));
        findings.push(finding);
    } else if !intent.as_str().is_some_and(|intent| INTENTS.contains(&intent)) {
        let written = match intent {
            Value::String(text) => format!("{text:?}"),
            other => kind_of(other).to_owned(),
        };
        let message = format!("the intent is {written}; it must be {}", INTENTS.join(", "));
        let finding = Diagnostic::new(&rules::DEP_INTENT_VALUE, message).at(dependency.place_of(&path));
        let nearest = intent.as_str().and_then(|text| nearest(text.trim(), INTENTS));
        let meant = intent.as_str().map(|text| text.trim().to_lowercase());
        let meant = meant.filter(|text| INTENTS.contains(&text.as_str()));
        let finding = finding.mended_by(meant.and_then(|text| dependency.rewrite(&path, &text)));
        findings.push(match nearest {
            Some(known) => finding.help(format!("Did you mean {known}?")),
            None => finding,
        });
    }
}

/// Dependencies on a package, one against the other.
fn packages(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let own = bundle.annotations.as_ref().map(crate::bundle::Annotations::package);
    let mut earlier: Vec<&TypedValue> = Vec::new();
    for dependency in bundle
        .dependencies
        .iter()
        .filter(|dependency| dependency.kind == "olm.package")
    {
        let text =
            |of: &TypedValue, key: &str| of.value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let package = text(dependency, "packageName");
        if package.is_empty() {
            continue;
        }
        let place = || dependency.place_of(&Path::root().key("packageName"));
        if own == Some(package.as_str()) {
            let message = format!("the bundle depends on its own package {package}");
            findings.push(Diagnostic::new(&rules::DEP_SELF, message).at(place()));
        }
        let intent_of = |of: &TypedValue| match text(of, "intent") {
            intent if intent.is_empty() => INTENTS[0].to_owned(),
            intent => intent,
        };
        if let Some(first) = earlier.iter().find(|first| text(first, "packageName") == package) {
            let intents = (intent_of(first), intent_of(dependency));
            let finding = if intents.0 == intents.1 {
                let ranges = (
                    VersionRange::parse(&text(first, "version")),
                    VersionRange::parse(&text(dependency, "version")),
                );
                let apart = matches!(&ranges, (Ok(left), Ok(right)) if !left.overlaps(right));
                if apart && intents.0 == INTENTS[0] {
                    let message = format!("no version of {package} is in both of the ranges that are required");
                    let mut finding = Diagnostic::new(&rules::DEP_DUPLICATE, message);
                    finding.severity = Severity::Error;
                    finding.help("Correct one of the ranges: as it is, the bundle can never be installed.")
                } else {
                    Diagnostic::new(
                        &rules::DEP_DUPLICATE,
                        format!("the package {package} stands here a second time"),
                    )
                }
            } else {
                let strictest = INTENTS
                    .iter()
                    .find(|known| **known == intents.0 || **known == intents.1);
                let message = format!("the package {package} is {} here and {} before", intents.1, intents.0);
                let finding = Diagnostic::new(&rules::DEP_CONFLICTING_INTENT, message);
                match strictest {
                    Some(intent) => finding.help(format!("Keep one of the two entries: {intent} is what counts.")),
                    None => finding,
                }
            };
            findings.push(
                finding
                    .at(place())
                    .also(first.place_of(&Path::root().key("packageName")), "it stands here first"),
            );
        }
        earlier.push(dependency);
    }
}

/// An API that both the dependencies and the CSV require.
fn required_twice(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let Some(csv) = bundle.csv() else { return };
    for dependency in bundle
        .dependencies
        .iter()
        .filter(|dependency| dependency.kind == "olm.gvk")
    {
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
                "the ClusterServiceVersion requires {} of {}, too",
                text("kind"),
                text("group")
            );
            let finding = Diagnostic::new(&rules::DEP_CSV_DOUBLE, message);
            findings.push(finding.at(dependency.place_of(&Path::root().key("kind"))));
        }
    }
}
