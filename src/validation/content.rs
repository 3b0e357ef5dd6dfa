//! Checks each manifest of a `registry+v1` bundle by itself, before the bundle is judged as a whole.

use super::crd_fields::CRD;
use super::validators::metadata::{self, Namespace};
use crate::bundle::{Bundle, is_csv};
use crate::csv;
use crate::diagnostic::{Diagnostic, MOST_OF_A_RULE};
use crate::manifest::{Object, is_list};
use crate::olm::annotation::SKIP_RANGE;
use crate::olm::kinds::{KINDS, SPECIAL, is_installed};
use crate::rules::{self, Rule, Severity};
use crate::shape::{Fix, Problem, check_as_go};
use crate::text::{Path, Step};
use crate::version::{VersionRange, parse_strict, with_all_numbers};

/// Checks every manifest.
pub(super) fn check(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    kinds_and_metadata(bundle, findings);
    shapes(bundle, findings);
}

/// Reports kinds that OLM does not install, and metadata that the API server rejects.
pub(super) fn kinds_and_metadata(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    // Reading the bundle already reports a List.
    let objects = bundle.objects.iter();
    for object in objects.filter(|object| !is_list(Some(object.value()))) {
        findings.extend(kind(object).or_else(|| not_installed(object)));
        findings.extend(foreign(object));
        // The rules about CustomResourceDefinitions already check the metadata of CustomResourceDefinitions.
        if is_csv(object) {
            metadata_of_csv(object, findings);
        } else if !is_crd(object) {
            metadata(object, findings);
        }
    }
}

fn at(object: &Object, rule: &'static Rule, message: String, path: &Path) -> Diagnostic {
    let finding = Diagnostic::new(rule, message).object(object.label()).path(path);
    finding.at(object.place(path))
}

/// Returns whether the object is a CustomResourceDefinition of any version.
pub(super) fn is_crd(object: &Object) -> bool {
    object.gvk().kind == "CustomResourceDefinition"
}

/// Reports a kind that OLM does not install.
pub(super) fn kind(object: &Object) -> Option<Diagnostic> {
    let kind = object.gvk().kind.as_str();
    if KINDS.contains(&kind) {
        return None;
    }
    let message = format!("OLM does not install a {kind} from a registry+v1 bundle");
    let finding = at(
        object,
        &rules::CONTENT_KIND_UNSUPPORTED,
        message,
        &Path::root().key("kind"),
    );
    Some(match kind {
        "Deployment" => finding.help(
            "Move it to spec.install.spec.deployments of the ClusterServiceVersion, or convert the \
                          bundle to plain manifests with `opmx bundle convert`.",
        ),
        _ => match KINDS.iter().find(|known| known.eq_ignore_ascii_case(kind)) {
            Some(meant) => finding.help(format!("Did you mean {meant}? The names of kinds are case-sensitive.")),
            None => finding,
        },
    })
}

/// Reports a kind that opm accepts, but that only OLM v1 installs.
fn not_installed(object: &Object) -> Option<Diagnostic> {
    let kind = object.gvk().kind.as_str();
    if is_installed(kind) {
        return None;
    }
    let message = format!("OLM v0 does not install a {kind}, so the install plan fails; only OLM v1 installs it");
    let path = Path::root().key("kind");
    let mut finding = at(object, &rules::CONTENT_KIND_UNSUPPORTED, message, &path);
    finding.severity = Severity::Warning;
    Some(finding)
}

/// Reports an object that OLM treats like one of Kubernetes' own, because it has the same kind.
pub(super) fn foreign(object: &Object) -> Option<Diagnostic> {
    let gvk = object.gvk();
    let (group, kind) = SPECIAL.iter().find(|(_, kind)| *kind == gvk.kind)?;
    if [*group, ""].contains(&gvk.group.as_str()) || is_csv(object) || is_crd(object) {
        return None;
    }
    let own = match *group {
        "" => "the core group",
        group => group,
    };
    let message = format!("OLM treats {} of {} as a {kind} of {own}", object.label(), gvk.group);
    let path = Path::root().key("apiVersion");
    Some(at(object, &rules::CONTENT_KIND_FOREIGN, message, &path))
}

/// Reports a CustomResourceDefinition whose API version no reader supports.
pub(super) fn crd_version(object: &Object) -> Option<Diagnostic> {
    let gvk = object.gvk();
    if gvk.group == "apiextensions.k8s.io" && ["v1", "v1beta1"].contains(&gvk.version.as_str()) {
        return None;
    }
    let message = format!("{} has the version {}", object.label(), gvk.api_version());
    Some(at(
        object,
        &rules::CONTENT_CRD_VERSION,
        message,
        &Path::root().key("apiVersion"),
    ))
}

/// Checks the metadata of an object by the rules of the API server.
pub(super) fn metadata(object: &Object, findings: &mut Vec<Diagnostic>) {
    metadata::check(object, Namespace::Named, &rules::CONTENT_METADATA, findings);
}

/// Checks the metadata of a ClusterServiceVersion by the rules of the API server.
pub(super) fn metadata_of_csv(object: &Object, findings: &mut Vec<Diagnostic>) {
    metadata::check(object, Namespace::SetByOlm, &rules::CONTENT_METADATA, findings);
}

/// Reports values that do not match the type of their object.
pub(super) fn shapes(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    findings.extend(bundle.objects.iter().flat_map(shape));
}

/// Reports the values of one object that do not match its type.
pub(super) fn shape(object: &Object) -> Vec<Diagnostic> {
    let (rule, shape) = if is_csv(object) {
        (&rules::CONTENT_CSV_SHAPE, &csv::SHAPE)
    } else if is_crd(object) {
        (&rules::CONTENT_CRD_SHAPE, &CRD)
    } else {
        return Vec::new();
    };
    let problems = check_as_go(object.value(), shape, MOST_OF_A_RULE);
    problems
        .iter()
        .map(|problem| misshapen(object, rule, problem))
        .collect()
}

/// Reports a value that does not match the type of its object.
pub(super) fn misshapen(object: &Object, rule: &'static Rule, problem: &Problem) -> Diagnostic {
    let path = &problem.path;
    let written = object.place(path).text().trim().to_owned();
    let (document, root) = object.document();
    let is_version = [&["spec", "version"], &["spec", "minKubeVersion"]]
        .iter()
        .any(|keys| path.steps() == keys.map(Step::from));
    let is_range = path.steps() == ["metadata", "annotations", SKIP_RANGE].map(Step::from);
    // Quotes do not make an incomplete version valid.
    let is_incomplete =
        is_version && parse_strict(&written).is_err() || is_range && VersionRange::parse(&written).is_err();
    let stays_wrong = is_incomplete && problem.fix() == Some(Fix::Quote);
    let edit = problem.edit(document, root).filter(|_| !stays_wrong);
    let complete = with_all_numbers(&written).filter(|_| stays_wrong);
    Diagnostic {
        help: match complete {
            Some(complete) => Some(format!("Use all three numbers: {complete}.")),
            None => problem.help(&written).filter(|_| !stays_wrong),
        },
        ..at(object, rule, problem.message("the object"), path).fixed_by(edit)
    }
}
