//! Checks one bundle against all requested rules.

use super::reference;
use super::request::Request;
use super::stages::{CONTENT, FORMAT, Finding, LOAD, stage, validators};
use super::synthesized::Synthesized;
use super::validators::{CRD, DEFAULT, REMOVED_APIS, ValidatorName};
use super::{annotations, check_for_authors, checks, content, load, optional_manifests, plain, policy};
use crate::bundle::{self, Bundle, MediaType};
use crate::diagnostic::{self, Diagnostic};
use crate::rules::{self, Rule, Severity};
use crate::shape::nearest;
use crate::synthesis::outside::inform;
use crate::synthesis::{consequences, synthesize_for};
use crate::tree::{Tree, TreeError};
use std::collections::HashMap;

/// The findings about one bundle.
///
/// A serialized validation has the fields that `opmx bundle validate -o json` prints for a bundle. The `help` of its
/// findings is [`Diagnostic::advice`]; the program adds commands and flags to it.
#[derive(Debug, Clone)]
pub struct Validation {
    /// The directory or image.
    pub bundle: String,
    /// The media type, if known.
    pub media_type: Option<MediaType>,
    /// All findings, sorted by file and position.
    pub findings: Vec<Finding>,
    /// Whether errors prevented some of the checks.
    pub incomplete: bool,
}

impl Validation {
    /// Returns whether any finding is an error.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.diagnostic.is_error())
    }

    /// Returns the number of findings of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        let found = self.findings.iter();
        found.filter(|finding| finding.diagnostic.severity == severity).count()
    }
}

/// Reports files that no bundle may contain; returns `None` if the files could not be read for another reason.
pub fn refused(bundle: &str, error: &TreeError) -> Option<Validation> {
    let rule = match error {
        TreeError::PathEscape { .. } => &rules::TREE_PATH_ESCAPE,
        TreeError::EntryType { .. } => &rules::TREE_ENTRY_TYPE,
        TreeError::Limit { .. } => &rules::TREE_LIMIT,
        TreeError::Name { .. } | TreeError::Layout { .. } | TreeError::File(_) => return None,
    };
    let diagnostic = Diagnostic::new(rule, error.to_string());
    Some(Validation {
        bundle: bundle.to_owned(),
        media_type: None,
        findings: vec![Finding {
            validator: LOAD,
            diagnostic,
        }],
        incomplete: true,
    })
}

/// Returns the validation of a bundle that could not be read, with this message as its only finding.
pub fn unreadable(bundle: String, message: String) -> Validation {
    let diagnostic = Diagnostic::new(&rules::BUNDLE_UNREADABLE, message);
    Validation {
        bundle,
        media_type: None,
        findings: vec![Finding {
            validator: LOAD,
            diagnostic,
        }],
        incomplete: false,
    }
}

/// Validates the files of one bundle.
///
/// ```
/// use opmx::tree::{Tree, TreeLimits};
/// use opmx::validation::{Request, validate};
/// use std::path::Path;
///
/// let tree = Tree::from_directory(Path::new("testdata/greenhouse-operator"), &TreeLimits::default())?;
/// let validation = validate(&tree, &Request::default());
/// assert!(!validation.has_errors());
/// println!("{}", serde_json::to_string(&validation)?);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub fn validate(tree: &Tree, request: &Request) -> Validation {
    let mut validation = match request.reference {
        Some(reference) => {
            let (media_type, findings) = reference::judge(tree, reference, request);
            Validation {
                bundle: tree.origin().to_owned(),
                media_type,
                findings,
                incomplete: false,
            }
        }
        None => ours(tree, request),
    };
    let findings = &mut validation.findings;
    findings.sort_by(|left, right| diagnostic::compare(&left.diagnostic, &right.diagnostic));
    validation
}

fn ours(tree: &Tree, request: &Request) -> Validation {
    let mut reading = bundle::read(tree, &request.limits.text);
    if let (Some(outside), Some(bundle)) = (&request.outside, &mut reading.bundle) {
        let found = inform(bundle, &reading.diagnostics, outside);
        reading.diagnostics.extend(found);
    }
    let mut findings = Vec::new();
    stage(&mut findings, None, |found| {
        found.extend(reading.diagnostics.iter().cloned());
    });
    let Some(bundle) = &reading.bundle else {
        return Validation {
            bundle: tree.origin().to_owned(),
            media_type: None,
            findings,
            incomplete: true,
        };
    };
    // Without a ClusterServiceVersion, or with unreadable files, some checks have nothing to check.
    let mut incomplete = diagnostic::has_errors(&reading.diagnostics);
    for (name, check) in checks(bundle.media_type) {
        stage(&mut findings, name, |found| {
            check(bundle, found);
            consequences::leave_out(&reading.diagnostics, found);
        });
    }
    stage(&mut findings, FORMAT, |found| {
        annotations::check_folders(bundle, tree, found);
    });
    stage(&mut findings, None, |found| check_for_authors(bundle, found));
    match bundle.media_type {
        MediaType::RegistryV1 => {
            incomplete |= bundle.csv().is_none();
            stage(&mut findings, LOAD, |found| load::check(bundle, tree, found));
            stage(&mut findings, CONTENT, |found| content::check(bundle, found));
            findings.extend(validators(bundle, tree, DEFAULT, request));
            findings.extend(removed_crds(bundle, tree, request));
            if let Some(terms) = &request.policy {
                stage(&mut findings, None, |found| policy::check(bundle, terms, found));
            }
        }
        MediaType::K8sV1 => {
            let synthesis = synthesize_for(bundle, &reading.diagnostics, request.shipping);
            stage(&mut findings, None, |found| {
                found.extend(synthesis.diagnostics.iter().cloned());
                plain::check(bundle, &synthesis, request.shipping, found);
                optional_manifests::projected(bundle, &synthesis.outcomes, found);
                consequences::leave_out(&reading.diagnostics, found);
            });
            stage(&mut findings, Some(CRD.as_str()), |found| {
                plain::definitions(&synthesis, found);
            });
            incomplete |= synthesis.csv.is_none();
            if let Some(csv) = &synthesis.csv
                && let Some(synthesized) = Synthesized::new(bundle, csv, &synthesis)
            {
                let others: Vec<ValidatorName> = DEFAULT.iter().copied().filter(|name| *name != CRD).collect();
                let mut found = validators(synthesized.bundle(), tree, &others, request);
                let csv = synthesized.bundle().csv();
                stage(&mut found, CONTENT, |found| {
                    if let Some(csv) = csv {
                        content::metadata_of_csv(csv, found);
                    }
                });
                if let Some(terms) = &request.policy {
                    stage(&mut found, None, |found| {
                        policy::check(synthesized.bundle(), terms, found);
                    });
                }
                findings.extend(
                    found
                        .into_iter()
                        .filter_map(|finding| synthesized.at_its_source(finding)),
                );
            }
        }
    }
    Validation {
        bundle: tree.origin().to_owned(),
        media_type: Some(bundle.media_type),
        findings: once(&findings),
        incomplete,
    }
}

/// Reports CRDs of the old version, which no current cluster serves. The validator of removed APIs sets the severity,
/// which depends on `minKubeVersion`.
fn removed_crds(bundle: &Bundle, tree: &Tree, request: &Request) -> Vec<Finding> {
    let old = |object: &crate::manifest::Object| {
        object.gvk().is("apiextensions.k8s.io", "CustomResourceDefinition") && object.gvk().version == "v1beta1"
    };
    if request.validators.contains(&REMOVED_APIS) || !bundle.objects.iter().any(old) {
        return Vec::new();
    }
    let alone = Request {
        validators: Vec::new(),
        ..request.clone()
    };
    let found = validators(bundle, tree, &[REMOVED_APIS], &alone).into_iter();
    found
        .filter(|finding| *finding.diagnostic.rule == rules::REMOVED_API_1_22)
        .collect()
}

/// Pairs of rules that different readers have for the same defect: the first rule is not reported where the second one
/// is.
static SAME: &[(&Rule, &Rule)] = &[
    (&rules::CRD_V1BETA1, &rules::REMOVED_API_1_22),
    (&rules::HUB_MINKUBEVERSION_FORMAT, &rules::CSV_MINKUBEVERSION_FORMAT),
    (&rules::HUB_MINKUBEVERSION_MISSING, &rules::CSV_MINKUBEVERSION_MISSING),
    (&rules::INDEX_OWNED_CRD_ABSENT, &rules::BUNDLE_OWNED_CRD_ABSENT),
    (&rules::OPT_BUILTIN_KIND, &rules::OPT_PROJECTED),
    (&rules::OPT_CORE_KIND, &rules::OPT_PROJECTED),
    (&rules::INDEX_OWNED_CRD_NAME, &rules::CSV_OWNED_CRD_NAME_SHAPE),
    (&rules::INDEX_VERSION_SHAPE, &rules::CONTENT_CSV_SHAPE),
    (&rules::INDEX_RELEASE_SHAPE, &rules::CONTENT_CSV_SHAPE),
    (&rules::INDEX_CSV_VERSION_SEMVER, &rules::CONTENT_CSV_SHAPE),
    (&rules::OBJECT_FIELD_TYPE, &rules::CONTENT_CRD_SHAPE),
    (&rules::OBJECT_FIELD_TYPE, &rules::OBJ_UNPARSABLE),
];

/// Reports each defect once.
fn once(findings: &[Finding]) -> Vec<Finding> {
    let mut seen: HashMap<(&str, &str, Option<usize>), Vec<&Diagnostic>> = HashMap::new();
    let mut kept = Vec::new();
    for finding in findings {
        let diagnostic = &finding.diagnostic;
        let start = diagnostic.place.as_ref().map(|place| place.span.start);
        let said = seen
            .entry((diagnostic.rule.id, &diagnostic.message, start))
            .or_default();
        let covers = |general: &Rule| {
            findings
                .iter()
                .any(|other| *other.diagnostic.rule == *general && overlap(other, finding))
        };
        let mut generals = SAME.iter().filter(|(special, _)| **special == *diagnostic.rule);
        if !said.contains(&diagnostic) && !generals.any(|(_, general)| covers(general)) {
            said.push(diagnostic);
            kept.push(finding.clone());
        }
    }
    kept
}

fn overlap(left: &Finding, right: &Finding) -> bool {
    match (&left.diagnostic.place, &right.diagnostic.place) {
        (Some(left), Some(right)) => {
            left.source.name() == right.source.name()
                && left.span.start < right.span.end.max(right.span.start + 1)
                && right.span.start < left.span.end.max(left.span.start + 1)
        }
        _ => true,
    }
}

/// Returns the rule with this id.
///
/// # Errors
/// Returns an error with the nearest id if there is no such rule.
pub(crate) fn rule_named(id: &str) -> Result<&'static Rule, UnknownRule> {
    rules::by_id(id).ok_or_else(|| UnknownRule {
        id: id.to_owned(),
        nearest: nearest(id, rules::all().map(|rule| rule.id)),
    })
}

/// An id that is not the id of a rule.
#[derive(Debug, thiserror::Error)]
#[error("there is no rule {id}{}", nearest.map(|nearest| format!("; did you mean {nearest}?")).unwrap_or_default())]
pub(crate) struct UnknownRule {
    /// The requested id.
    pub id: String,
    /// The most similar id.
    pub nearest: Option<&'static str>,
}
