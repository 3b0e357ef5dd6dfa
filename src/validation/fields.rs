//! Checks that the API server knows the fields of built-in kinds, and that their values have the expected types.
//!
//! The API server rejects an object that has a value of the wrong type. It drops unknown fields, silently if OLM
//! creates the object, so a misspelled field has no effect. A field in another case, however, has an effect if OLM
//! decodes the object before it creates it.

use super::content::misshapen;
use crate::bundle::{Bundle, MediaType, is_csv};
use crate::csv::SHAPE;
use crate::diagnostic::{Diagnostic, MOST_OF_A_RULE};
use crate::kubernetes::fields::{Fields, Type};
use crate::manifest::Object;
use crate::rules;
use crate::shape::{self, Fault, Problem, check_builtin, elsewhere, is_field};
use crate::steps;
use crate::text::{Path, Step, source_edit};

/// Checks every object. In a ClusterServiceVersion, checks only the names of fields; the types are checked elsewhere.
pub(super) fn check(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    for object in &bundle.objects {
        if is_csv(object) {
            findings.extend(misspelled(object));
            deployments(object, findings);
        } else if let Some(fields) = Fields::of_kind(&object.gvk().api_version(), &object.gvk().kind) {
            let kind = &object.gvk().kind;
            let is_decoded = bundle.media_type == MediaType::RegistryV1 && steps::group_of(kind).is_some();
            findings.extend(Checked::new(object, &Path::root(), fields, kind, is_decoded).findings());
        }
    }
}

/// Checks the names of fields, and the choices, in the Deployments of a ClusterServiceVersion.
pub(super) fn deployments(csv: &Object, findings: &mut Vec<Diagnostic>) {
    let deployment = Fields::of_kind("apps/v1", "Deployment");
    let Some(Type::Object(spec)) = deployment.and_then(|fields| fields.get("spec")) else {
        return;
    };
    let deployments = Path::from("spec.install.spec.deployments");
    for index in 0..csv.list(&["spec", "install", "spec", "deployments"]).len() {
        let at = deployments.index(index).key("spec");
        let found = Checked::new(csv, &at, *spec, "Deployment", true).findings();
        findings.extend(found.filter(|finding| *finding.rule != rules::OBJECT_FIELD_TYPE));
    }
}

/// Reports unknown fields of a ClusterServiceVersion whose names are close to a known name. Other unknown fields may
/// belong to a newer OLM. Deployments are compared with the fields of their kind.
fn misspelled(csv: &Object) -> impl Iterator<Item = Diagnostic> {
    let deployments = Path::from("spec.install.spec.deployments");
    let problems = shape::check(csv.value(), &SHAPE, MOST_OF_A_RULE);
    problems.into_iter().filter_map(move |problem| {
        let Fault::UnknownKey {
            nearest: Some(nearest), ..
        } = problem.fault
        else {
            return None;
        };
        if problem.path.steps().starts_with(deployments.steps()) {
            return None;
        }
        let message = format!("{} is not a field of the kind ClusterServiceVersion", problem.path);
        let finding = Diagnostic::new(&rules::OBJECT_FIELD_UNKNOWN, message)
            .object(csv.label())
            .path(&problem.path)
            .at(csv.key_place(&problem.path));
        let (document, root) = csv.document();
        let edit = source_edit::recapitalize(document, &root.join(&problem.path), nearest);
        let written = match problem.path.steps().last() {
            Some(Step::Key(key)) => &**key,
            _ => "",
        };
        let help = if is_field(written, nearest) {
            in_any_case(nearest)
        } else {
            format!("Did you mean {nearest}? OLM ignores fields that it does not know.")
        };
        Some(finding.help(help).fixed_by(edit))
    })
}

/// Returns the help for a field that OLM reads although its name has the wrong case.
fn in_any_case(name: &str) -> String {
    format!("Use {name}. OLM reads the field in this spelling, too, so it has an effect, but other programs ignore it.")
}

/// A part of an object that is compared with the fields of a type.
struct Checked<'o> {
    object: &'o Object,
    at: &'o Path,
    fields: Fields,
    kind: &'o str,
    /// Whether OLM decodes the object, and therefore reads fields in any case.
    is_decoded: bool,
}

impl<'o> Checked<'o> {
    fn new(object: &'o Object, at: &'o Path, fields: Fields, kind: &'o str, is_decoded: bool) -> Self {
        Self {
            object,
            at,
            fields,
            kind,
            is_decoded,
        }
    }

    fn findings(self) -> impl Iterator<Item = Diagnostic> {
        let value = self.at.get(self.object.value());
        let problems = value.map(|value| check_builtin(value, self.fields, MOST_OF_A_RULE));
        problems
            .unwrap_or_default()
            .into_iter()
            .map(move |problem| self.finding(&problem))
    }

    fn finding(&self, problem: &Problem) -> Diagnostic {
        let rule = match problem.fault {
            Fault::UnknownKey { nearest, .. } => return self.unknown(&problem.path, nearest),
            Fault::Choice { .. } => &rules::OBJECT_FIELD_VALUE,
            _ => &rules::OBJECT_FIELD_TYPE,
        };
        let path = self.at.join(&problem.path);
        misshapen(
            self.object,
            rule,
            &Problem {
                path,
                ..problem.clone()
            },
        )
    }

    fn unknown(&self, below: &Path, nearest: Option<&str>) -> Diagnostic {
        let path = self.at.join(below);
        let message = format!("{path} is not a field of the kind {}", self.kind);
        let finding = Diagnostic::new(&rules::OBJECT_FIELD_UNKNOWN, message)
            .object(self.object.label())
            .path(&path)
            .at(self.object.key_place(&path));
        let dropped = "The API server drops fields that it does not know.";
        let written = match below.steps().last() {
            Some(Step::Key(key)) => &**key,
            _ => "",
        };
        // A known name that differs only in case is suggested instead of another place.
        let same = nearest.filter(|nearest| is_field(written, nearest));
        match (elsewhere(self.fields, below), nearest) {
            (Some(place), _) if same.is_none() => {
                let place = self.at.join(&place);
                finding.help(format!("Move it to {place}, which has such a field. {dropped}"))
            }
            (_, Some(nearest)) => {
                let (document, root) = self.object.document();
                let edit = source_edit::recapitalize(document, &root.join(&path), nearest);
                let help = if same.is_some() && self.is_decoded {
                    in_any_case(nearest)
                } else {
                    format!("Did you mean {nearest}? {dropped}")
                };
                finding.help(help).fixed_by(edit)
            }
            _ => finding,
        }
    }
}
