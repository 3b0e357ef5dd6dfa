//! Verifies a conversion: synthesizes the new bundle, and compares its CSV with the old CSV.

use super::olm::{self, Optional};
use super::{Work, fit};
use crate::bundle::olm_yaml::targeted;
use crate::bundle::{self, OLM_YAML};
use crate::conversion::compare::{Difference, Kind, differences};
use crate::conversion::files::path_in;
use crate::csv::Csv;
use crate::diagnostic::Diagnostic;
use crate::manifest::Object;
use crate::rules;
use crate::shape::{Field, Target};
use crate::source::{Place, SourceFile};
use crate::synthesis::{Synthesis, synthesize};
use crate::text::{self, Limits, Path, Step};
use crate::tree::Tree;
use serde_json::{Map, Value};

/// Synthesizes the new bundle, and finds the APIs that its RBAC rules name but its CSV does not require.
pub(super) fn prove(new: &Tree, values: &Map<String, Value>, csv: &Object) -> (Synthesis, Vec<Optional>) {
    let mut optional: Vec<Optional> = Vec::new();
    let reading = bundle::read(new, &Limits::UNLIMITED);
    let name = format!("{}/{OLM_YAML}", new.origin().trim_end_matches('/'));
    let Some(mut bundle) = reading.bundle else {
        return (Synthesis::default(), optional);
    };
    loop {
        let text = olm::text(values, &optional);
        bundle.olm = text::read(&name, text.as_bytes(), &Limits::UNLIMITED)
            .documents
            .into_iter()
            .next();
        let mut synthesis = synthesize(&bundle, &reading.diagnostics);
        let mut open: Vec<Optional> = unwanted(&synthesis, csv)
            .into_iter()
            .filter(|pair| !optional.contains(pair))
            .collect();
        if open.is_empty() {
            synthesis.diagnostics.extend(reading.diagnostics);
            return (synthesis, optional);
        }
        optional.append(&mut open);
        optional.sort();
        optional.dedup();
    }
}

/// Returns the APIs that the synthesis requires, or would require if it knew their kinds, but that the CSV does not
/// require.
fn unwanted(synthesis: &Synthesis, csv: &Object) -> Vec<Optional> {
    let open = synthesis.unresolved.iter().filter(|api| !api.of_own_group);
    let mut pairs: Vec<Optional> = open.map(|api| (api.group.clone(), api.resource.clone())).collect();
    let text = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    for section in ["customresourcedefinitions", "apiservicedefinitions"] {
        let keys = ["spec", section, "required"];
        let wanted = Csv(csv.value()).list(&keys);
        let required = synthesis
            .csv
            .as_ref()
            .map(|csv| Csv(csv).list(&keys))
            .unwrap_or_default();
        for entry in required {
            let same = |other: &Value| ["group", "name"].iter().all(|key| text(other, key) == text(entry, key));
            if !wanted.iter().any(same) {
                pairs.push(match text(entry, "name").split_once('.') {
                    Some((resource, group)) => (group.to_owned(), resource.to_owned()),
                    None => (text(entry, "group"), text(entry, "name")),
                });
            }
        }
    }
    pairs
}

/// Reports every difference that no other finding names.
pub(super) fn name_differences(work: &mut Work<'_>, synthesized: &Value) {
    for Difference { path, kind, what } in differences(work.csv.value(), synthesized) {
        // A list that lost an entry has changed, but the entry has already been reported.
        let said = |finding: &Diagnostic| {
            let named = finding.path.as_deref().map(Path::parse);
            named.is_some_and(|named| {
                path.steps().starts_with(named.steps())
                    || kind == Kind::Changed && named.steps().starts_with(path.steps())
            })
        };
        if kind != Kind::Order && work.findings.iter().any(said) {
            continue;
        }
        let about = if what.is_empty() {
            String::new()
        } else {
            format!(" ({what})")
        };
        let (rule, message) = match kind {
            Kind::Lost => (
                &rules::CONVERT_FIELD_LOST,
                format!("{path}{about} cannot be expressed in manifests, so it is omitted"),
            ),
            Kind::Added => (
                &rules::CONVERT_FIELD_ADDED,
                format!("{path}{about} is added from the manifests"),
            ),
            Kind::Changed => (
                &rules::CONVERT_FIELD_CHANGED,
                format!("{path}{about} changes to the value in the manifests"),
            ),
            Kind::Order => (
                &rules::CONVERT_ORDER,
                format!("the entries of {path} are written in a fixed order"),
            ),
        };
        fit::report(&mut work.findings, work.csv, rule, message, &path);
    }
}

/// Makes an error in the new bundle refer to the corresponding place in the old bundle, because the new bundle is not
/// written.
pub(super) fn in_source(mut finding: Diagnostic, old: &Tree, new: &Tree, csv: &Object) -> Diagnostic {
    let Some(place) = finding.place.take() else {
        return finding;
    };
    finding.related.clear();
    let path = path_in(new, place.source.name());
    if new.get(path).is_some() && new.get(path) == old.get(path) {
        let name = format!("{}/{path}", old.origin().trim_end_matches('/'));
        return finding.at(Place::new(&SourceFile::new(name, place.source.text()), place.span));
    }
    let spec = Path::root().key("spec");
    let guess = if path == OLM_YAML {
        in_csv(&path_at(&place))
    } else if finding.rule.id.starts_with("webhook-") {
        spec.key("webhookdefinitions")
    } else if finding.rule.id.starts_with("apiservice-") {
        spec.key("apiservicedefinitions")
    } else {
        spec.key("install").key("spec")
    };
    finding.object = Some(csv.label());
    finding.path = Some(guess.to_string());
    finding.at(csv.key_place(&guess))
}

/// Returns the path of the innermost value that contains the place, in a YAML file.
fn path_at(place: &Place) -> Path {
    let text = place.source.text().as_bytes();
    let Some(document) = text::read(OLM_YAML, text, &Limits::UNLIMITED)
        .documents
        .into_iter()
        .next()
    else {
        return Path::root();
    };
    let mut path = Path::root();
    loop {
        let children: Vec<Path> = match path.get(document.value()) {
            Some(Value::Object(map)) => map.keys().map(|key| path.key(key)).collect(),
            Some(Value::Array(items)) => (0..items.len()).map(|index| path.index(index)).collect(),
            _ => Vec::new(),
        };
        let holds = |child: &Path| {
            let (start, end) = (document.key_place(child).span.start, document.place(child).span.end);
            start <= place.span.start && place.span.end <= end
        };
        match children.into_iter().find(holds) {
            Some(child) => path = child,
            None => return path,
        }
    }
}

/// Returns the path in the CSV of a value at `path` in `olm.yaml`.
fn in_csv(path: &Path) -> Path {
    let below = |from: &Path| Some(path.steps().strip_prefix(from.steps())?.iter().cloned().collect());
    let target = |(from, field): (Path, &Field)| match field.target {
        Target::Copied(to) | Target::Made(to) => Some(Path::parse(to).join(&below(&from)?)),
        Target::Nowhere => None,
    };
    if let Some(target) = targeted().into_iter().find_map(target) {
        return target;
    }
    let spec = Path::from("spec");
    match path.steps().first() {
        Some(Step::Key(key)) if ["extraServiceAccounts", "apis"].contains(&&**key) => spec.key("install").key("spec"),
        _ => spec.join(path),
    }
}
