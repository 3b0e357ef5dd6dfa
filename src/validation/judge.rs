//! The one function that judges what enters an index or a catalog.

use super::load;
use super::validators::total_size;
use crate::bundle::{BundleReading, MediaType};
use crate::diagnostic::{self, Diagnostic};
use crate::rules::{Gate, Rule, Scope, Severity};
use crate::synthesis::{Synthesis, consequences, synthesize};
use crate::tree::Tree;

/// How strictly something is judged.
#[derive(Debug, Clone, Default)]
pub struct Strictness {
    /// Where it is judged.
    pub gate: Gate,
    /// What is done with the findings of some rules.
    pub selection: Selection,
}

impl Strictness {
    /// That of a gate.
    pub fn at(gate: Gate) -> Self {
        let selection = Selection::default();
        Self { gate, selection }
    }

    /// Gives every finding about a bundle the weight that it has at the gate, and leaves out what is not reported
    /// there.
    fn weigh_bundle(&self, findings: &mut Vec<Diagnostic>) {
        findings.retain_mut(|finding| weigh(finding, self.gate) && self.selection.keep(finding));
    }

    /// Gives every finding about a file-based catalog the weight that it has at the gate. A file that cannot be read as
    /// it is written is no catalog, whoever published it.
    pub fn weigh_catalog(&self, findings: &mut Vec<Diagnostic>) {
        findings.retain_mut(|finding| {
            let judged = finding.rule.scope != Scope::Catalogs || weigh(finding, self.gate);
            judged && self.selection.keep(finding)
        });
    }
}

/// Gives a finding the weight that it has at the gate. False where such findings are not made there.
fn weigh(finding: &mut Diagnostic, gate: Gate) -> bool {
    if gate == Gate::Authoring {
        return true;
    }
    let Some(severity) = finding.rule.at(gate) else {
        return false;
    };
    if severity > finding.severity {
        finding.severity = severity;
    }
    if let Some(consequence) = finding.rule.consequence() {
        finding.help = Some(consequence.to_owned());
        finding.edits.clear();
    }
    true
}

/// What is done with the findings of some rules.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Rules that are not to be reported.
    pub allow: Vec<&'static Rule>,
    /// The only rules to report, where there is any.
    pub only: Vec<&'static Rule>,
    /// Whether warnings count as errors.
    pub deny_warnings: bool,
}

impl Selection {
    /// Whether findings of this rule are to be reported.
    pub fn includes(&self, rule: &'static Rule) -> bool {
        !self.allow.contains(&rule) && (self.only.is_empty() || self.only.contains(&rule))
    }

    /// Whether a finding is to be reported. Makes an error of a warning where warnings are denied.
    pub fn keep(&self, finding: &mut Diagnostic) -> bool {
        if self.deny_warnings && finding.severity == Severity::Warning {
            finding.severity = Severity::Error;
        }
        self.includes(finding.rule)
    }
}

/// A bundle that was judged.
#[derive(Debug)]
pub struct Judged {
    /// What was found, in the order of files and places.
    pub findings: Vec<Diagnostic>,
    /// The synthesis of a `k8s+v1` bundle.
    pub synthesis: Option<Synthesis>,
}

/// As [`judge`], and of the files of a `registry+v1` bundle in an image of its own whether OLM can unpack them; its
/// author is also told which of them not every reader reads.
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
        if strictness.gate == Gate::Authoring {
            load::folders(tree, &mut found);
        }
        strictness.weigh_bundle(&mut found);
        judged.findings.extend(found);
        diagnostic::sort(&mut judged.findings);
    }
    judged
}

/// Judges a bundle that was read: by its files, by the rules of its media type, and by synthesizing its CSV. No program
/// before this one publishes `k8s+v1` bundles, so their faults are errors wherever they are found.
pub fn judge(reading: &BundleReading, strictness: &Strictness) -> Judged {
    let mut judged = Judged {
        findings: reading.diagnostics.clone(),
        synthesis: None,
    };
    let mut gate = strictness.gate;
    if let Some(bundle) = &reading.bundle {
        judged.findings.extend(super::check(bundle));
        if strictness.gate == Gate::Authoring {
            super::images::check(bundle, &mut judged.findings);
            super::network_policies::check(bundle, &mut judged.findings);
            if bundle.media_type == MediaType::RegistryV1 {
                super::certificates::check_csv(bundle, &mut judged.findings);
            }
        }
        if bundle.media_type == MediaType::K8sV1 {
            gate = Gate::Authoring;
            let synthesis = synthesize(bundle, &reading.diagnostics);
            super::plain::check(bundle, &synthesis, &mut judged.findings);
            super::properties::projected(bundle, &synthesis.outcomes, &mut judged.findings);
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
    diagnostic::sort(&mut judged.findings);
    judged
}
