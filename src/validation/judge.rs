//! Validates bundles and catalogs before they are added to an index or catalog.

use super::validators::total_size;
use super::{content, load};
use crate::bundle::{BundleReading, MediaType};
use crate::diagnostic::{self, Diagnostic};
use crate::rules::{self, Gate, Rule, Scope, Severity};
use crate::synthesis::{Shipping, Synthesis, consequences, synthesize_for};
use crate::tree::Tree;

/// The strictness with which a bundle or catalog is judged.
#[derive(Debug, Clone, Default)]
pub struct Strictness {
    /// The gate that applies.
    pub gate: Gate,
    /// The rules whose findings are reported, and whether warnings count as errors.
    pub selection: Selection,
}

impl Strictness {
    /// Returns the strictness of a gate.
    pub fn at(gate: Gate) -> Self {
        let selection = Selection::default();
        Self { gate, selection }
    }

    /// Sets the severity of every finding about a bundle to the one that applies at the gate, and removes findings that
    /// are not reported there.
    fn weigh_bundle(&self, findings: &mut Vec<Diagnostic>) {
        findings.retain_mut(|finding| weigh(finding, self.gate) && self.selection.keep(finding));
    }

    /// Sets the severity of every finding about a file-based catalog to the one that applies at the gate. Findings
    /// about files that cannot be read keep their severity, because an unreadable catalog is an error everywhere.
    pub fn weigh_catalog(&self, findings: &mut Vec<Diagnostic>) {
        findings.retain_mut(|finding| {
            let depends_on_gate = matches!(finding.rule.scope, Scope::Catalogs | Scope::BundlesAndIndexes);
            let judged = !depends_on_gate || weigh(finding, self.gate);
            judged && self.selection.keep(finding)
        });
    }
}

/// Sets the severity of a finding to the one that applies at the gate. Returns `false` if such findings are not
/// reported there.
pub(crate) fn weigh(finding: &mut Diagnostic, gate: Gate) -> bool {
    if gate == Gate::Authoring {
        return true;
    }
    let Some(severity) = finding.rule.at(gate) else {
        return false;
    };
    if severity > finding.severity {
        finding.severity = severity;
    }
    if let (Gate::Intake | Gate::Serving, Some(consequence)) = (gate, finding.rule.consequence()) {
        finding.help = Some(consequence.to_owned());
        finding.edits.clear();
    }
    true
}

/// The rules whose findings are reported, and whether warnings count as errors.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Rules whose findings are not reported.
    pub allow: Vec<&'static Rule>,
    /// If not empty, the only rules whose findings are reported.
    pub only: Vec<&'static Rule>,
    /// Whether warnings count as errors.
    pub deny_warnings: bool,
}

impl Selection {
    /// Returns whether findings of this rule are reported.
    pub fn includes(&self, rule: &'static Rule) -> bool {
        !self.allow.contains(&rule) && (self.only.is_empty() || self.only.contains(&rule))
    }

    /// Returns whether a finding is reported. Turns a warning into an error if warnings count as errors.
    pub fn keep(&self, finding: &mut Diagnostic) -> bool {
        if self.deny_warnings && finding.severity == Severity::Warning {
            finding.severity = Severity::Error;
        }
        self.includes(finding.rule)
    }
}

/// The judgement on a bundle.
#[derive(Debug)]
pub struct Judged {
    /// The findings, sorted by file and position.
    pub findings: Vec<Diagnostic>,
    /// The synthesis of a `k8s+v1` bundle.
    pub synthesis: Option<Synthesis>,
}

/// Like [`judge`], but also checks whether OLM can unpack the files of a `registry+v1` bundle that has its own image,
/// and reports the files that only some readers read.
pub fn judge_files(tree: &Tree, reading: &BundleReading, in_image: bool, strictness: &Strictness) -> Judged {
    let mut judged = judge(reading, strictness);
    if let Some(bundle) = &reading.bundle
        && bundle.media_type == MediaType::RegistryV1
    {
        let mut found = Vec::new();
        if in_image {
            found.extend(total_size(tree, bundle));
            load::file_names(tree, &mut found);
        }
        load::folders(tree, &mut found);
        if strictness.gate == Gate::Authoring {
            content::kinds_and_metadata(bundle, &mut found);
        }
        // Published bundles may have hidden files of other programs, which are not installed.
        if strictness.gate != Gate::Authoring {
            found.retain(|finding| {
                let file = finding.place.as_ref().map(|place| place.source.name());
                let mut objects = bundle.unpacked.iter();
                *finding.rule != rules::LOAD_HIDDEN_FILE || objects.any(|object| Some(object.file()) == file)
            });
        }
        strictness.weigh_bundle(&mut found);
        judged.findings.extend(found);
        diagnostic::sort(&mut judged.findings);
    }
    judged
}

/// Judges a bundle by its files, by the rules of its media type, and by synthesizing its CSV.
pub fn judge(reading: &BundleReading, strictness: &Strictness) -> Judged {
    judge_shipped(reading, Shipping::Plain, strictness)
}

/// Like [`judge`], for a bundle of plain manifests that will be shipped in the form `shipping`.
pub fn judge_shipped(reading: &BundleReading, shipping: Shipping, strictness: &Strictness) -> Judged {
    let mut judged = Judged {
        findings: reading.diagnostics.clone(),
        synthesis: None,
    };
    let mut gate = strictness.gate;
    let mut decisive = Vec::new();
    if let Some(bundle) = &reading.bundle {
        judged.findings.extend(super::check(bundle));
        if strictness.gate == Gate::Authoring || bundle.media_type == MediaType::K8sV1 {
            super::check_for_authors(bundle, &mut judged.findings);
        }
        if bundle.media_type == MediaType::RegistryV1 && bundle.csv().is_none() {
            // An unreadable file cannot be omitted, because it may contain the CSV, without which there is no bundle.
            consequences::leave_out(&reading.diagnostics, &mut judged.findings);
            decisive.extend(
                judged
                    .findings
                    .extract_if(.., |finding| consequences::is_unread(finding)),
            );
        }
        if bundle.annotations.is_none() {
            // Without annotations, there is no bundle either.
            consequences::leave_out(&reading.diagnostics, &mut judged.findings);
            let unread = judged
                .findings
                .extract_if(.., |finding| consequences::is_unread_annotations(finding));
            decisive.extend(unread);
        }
        if bundle.media_type == MediaType::K8sV1 {
            if gate == Gate::Intake {
                gate = Gate::PlainIntake;
            }
            let synthesis = synthesize_for(bundle, &reading.diagnostics, shipping);
            super::plain::check(bundle, &synthesis, shipping, &mut judged.findings);
            super::plain::definitions(&synthesis, &mut judged.findings);
            super::optional_manifests::projected(bundle, &synthesis.outcomes, &mut judged.findings);
            judged.findings.extend(synthesis.diagnostics.iter().cloned());
            consequences::leave_out(&reading.diagnostics, &mut judged.findings);
            judged.synthesis = Some(synthesis);
        }
    }
    let strictness = Strictness {
        gate,
        selection: strictness.selection.clone(),
    };
    strictness.weigh_bundle(&mut judged.findings);
    Strictness {
        gate: Gate::Authoring,
        ..strictness
    }
    .weigh_bundle(&mut decisive);
    judged.findings.extend(decisive);
    diagnostic::sort(&mut judged.findings);
    judged
}
