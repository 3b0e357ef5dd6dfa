//! Synthesizes a `ClusterServiceVersion` from plain manifests (proposal *plain-k8s-bundles*).
//!
//! Values are inferred from the manifests if possible. Other values come from `metadata/olm.yaml`, or by default from
//! annotations of Deployments and CustomResourceDefinitions. Every value of the result has a recorded origin
//! ([`Provenance`]), so that explanations and findings refer to the author's own line. Each object is either
//! *projected* (OLM creates it from the CSV, so it is not shipped), *kept* (shipped alongside the CSV) or *dropped*.
//!
//! The result depends on the set of objects alone: the names and the order of files, documents and keys do not matter.
//! Only the rules inside a role keep the order in which the author wrote them.

mod annotated;
mod apis;
mod apiservices;
pub(crate) mod certificates;
pub(crate) mod consequences;
mod crds;
pub mod decisions;
mod deployments;
mod draft;
mod explain;
mod fate;
mod grants;
pub(crate) mod hooks;
pub mod import;
mod install_modes;
mod inventory;
mod kept_binding;
mod kustomization;
mod missing_sources;
pub(crate) mod namespaces;
pub mod next_release;
mod old_apis;
pub mod operator;
pub mod outside;
mod overlay;
pub(crate) mod own_certificates;
mod permissions;
mod remaining;
pub(crate) mod samples;
mod services;
pub mod settle;
pub mod starter;
pub(crate) mod summary;
mod validity;
mod watching;
mod webhooks;
pub mod wildcards;

pub use apis::Unresolved;
pub(crate) use crds::{described_names as described_versions, served_names as served_versions};
pub(crate) use deployments::{named_account, service_account};
pub use draft::{Origin, Provenance, Relation};
pub use explain::Explanation;
pub(crate) use fate::is_moved;
pub use fate::{Fate, Outcome};
pub(crate) use grants::wildcard_in;
pub(crate) use kept_binding::role_of;

use crate::bundle::Bundle;
use crate::bundle::olm_yaml::{self, Olm};
use crate::diagnostic::{self, Diagnostic};
use crate::kubernetes::GroupVersionKind;
use crate::olm::optional_manifest;
use crate::rules;
use draft::Draft;
use inventory::Inventory;
use serde_json::Value;
use services::Target;
use std::collections::BTreeSet;
use wildcards::WildcardRule;

/// The result of synthesizing a `k8s+v1` bundle.
#[derive(Debug, Default)]
pub struct Synthesis {
    /// The CSV with sorted keys; `None` if there is an error among the findings.
    pub csv: Option<Value>,
    /// The origins of the values in the CSV.
    pub provenance: Provenance,
    /// Every object of the bundle and its fate, sorted by group, kind, namespace and name.
    pub outcomes: Vec<Outcome>,
    /// Resources that RBAC rules name, but whose kinds are unknown. Each resource is also reported as a finding.
    /// Resources in the bundle's own groups do not prevent the synthesis.
    pub unresolved: Vec<Unresolved>,
    /// Findings about values that could not be inferred, that are lost, or that deserve attention.
    pub diagnostics: Vec<Diagnostic>,
    /// The kinds that the bundle provides.
    pub provided: BTreeSet<GroupVersionKind>,
    /// The rules that contain wildcards and are granted to the operator's own accounts, in the order of the bindings
    /// that grant the rules.
    pub wildcards: Vec<WildcardRule>,
}

/// The form in which the bundle is shipped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shipping {
    /// As plain manifests. Rules with wildcard types for the operator's own accounts are errors, and the bundle must be
    /// small enough for an index.
    #[default]
    Plain,
    /// With its CSV, as a `registry+v1` bundle. Rules with wildcard types are kept, with a warning.
    RegistryV1,
}

impl Synthesis {
    /// Removes the namespaces of kept objects from `value`, a value of the property `olm.manifests.optional`, if OLM
    /// moves these objects into the install namespace. Returns the new value, or `None` if nothing changes.
    pub fn optional_manifests(&self, value: &Value) -> Option<Value> {
        let shipped = self.outcomes.iter();
        let shipped = shipped.filter_map(|outcome| Some((outcome.object.value(), outcome.shipped()?)));
        optional_manifest::moved(value, &shipped)
    }

    /// Returns the objects to ship alongside the CSV, in a fixed order.
    pub fn kept(&self) -> impl Iterator<Item = &Value> {
        self.outcomes.iter().filter_map(Outcome::shipped)
    }
}

/// The state that the steps of the synthesis share.
struct Work<'a> {
    olm: Olm<'a>,
    /// The entries of `apis` in `olm.yaml`.
    api_entries: apis::Entries<'a>,
    /// The content of the file that `icon` names.
    icon: Option<&'a [u8]>,
    /// The values that annotations of Deployments set, by key of `olm.yaml`.
    annotated: annotated::ByField,
    inventory: Inventory<'a>,
    draft: Draft,
    findings: Vec<Diagnostic>,
    unresolved: Vec<Unresolved>,
    shipping: Shipping,
    found_wildcards: Vec<WildcardRule>,
}

impl Work<'_> {
    fn report(&mut self, finding: Diagnostic) {
        self.findings.push(finding);
    }
}

/// Synthesizes the CSV of a `k8s+v1` bundle. `reading` contains the findings from reading the bundle; the result does
/// not repeat these findings.
pub fn synthesize(bundle: &Bundle, reading: &[Diagnostic]) -> Synthesis {
    synthesize_for(bundle, reading, Shipping::Plain)
}

/// Like [`synthesize`], for a bundle that is shipped in the form `shipping`.
pub fn synthesize_for(bundle: &Bundle, reading: &[Diagnostic], shipping: Shipping) -> Synthesis {
    let Some(document) = &bundle.olm else {
        let missing = reading.iter().all(|finding| {
            ![&rules::K8S_OLM_YAML_MISSING, &rules::K8S_MEDIA_TYPE_MISMATCH].contains(&finding.rule)
                && finding
                    .place
                    .as_ref()
                    .is_none_or(|place| !place.source.name().ends_with(crate::bundle::OLM_YAML))
        });
        let message = format!("{} contains no {}", bundle.origin, crate::bundle::OLM_YAML);
        let finding = Diagnostic::new(&rules::K8S_OLM_YAML_MISSING, message);
        return Synthesis {
            csv: None,
            provenance: Provenance::default(),
            outcomes: Vec::new(),
            unresolved: Vec::new(),
            diagnostics: if missing { vec![finding] } else { Vec::new() },
            provided: BTreeSet::new(),
            wildcards: Vec::new(),
        };
    };
    let olm = Olm::new(document);
    let mut findings = olm_yaml::check(olm, reading);
    let mut work = Work {
        olm,
        api_entries: apis::entries(olm),
        icon: bundle.icon.as_deref(),
        annotated: annotated::ByField::new(),
        inventory: Inventory::new(&bundle.objects, &mut findings),
        draft: Draft::new(),
        findings,
        unresolved: Vec::new(),
        shipping,
        found_wildcards: Vec::new(),
    };
    work.annotated = annotated::of_deployments(&mut work);
    overlay::write(&mut work);
    old_apis::look_at(&mut work);
    let accounts = deployments::project(&mut work);
    let owned = crds::project(&mut work);
    let served = webhooks::project(&mut work);
    let aggregated = apiservices::targets(&mut work);
    let certified: BTreeSet<usize> = served
        .iter()
        .chain(&aggregated)
        .map(|target| target.deployment)
        .collect();
    certificates::replaced(&mut work, &certified);
    let grants = grants::collect(&mut work, &accounts, &certified);
    permissions::project(&mut work, &accounts, &grants);
    let kinds = apis::project(&mut work, &accounts, &grants, &owned);
    apiservices::project(&mut work, &aggregated, &kinds);
    services::settle(&mut work, &served, &aggregated);
    let certified: Vec<Target> = served.into_iter().chain(aggregated.iter().copied()).collect();
    remaining::settle(&mut work, &accounts, &owned, &certified);
    namespaces::check(&mut work, &accounts);
    validity::check(&mut work, bundle);

    let provided = validity::provided(&work);
    let serving = aggregated
        .iter()
        .map(|target| work.inventory.object(target.deployment).name());
    let serving: BTreeSet<&str> = serving.collect();
    let mut diagnostics = work.findings;
    let (csv, provenance) = work.draft.finish();
    let outcomes = work.inventory.into_outcomes();
    own_certificates::check(bundle, (&csv, &provenance, &outcomes), &serving, &mut diagnostics);
    diagnostics.extend(validity::nesting(&csv, &provenance));
    diagnostics.extend(validity::sizes(&csv, &outcomes, shipping == Shipping::Plain));
    consequences::leave_out(reading, &mut diagnostics);
    diagnostic::sort(&mut diagnostics);
    Synthesis {
        csv: (!diagnostic::has_errors(&diagnostics) && !diagnostic::has_errors(reading)).then_some(csv),
        provenance,
        outcomes,
        unresolved: work.unresolved,
        diagnostics,
        provided,
        wildcards: work.found_wildcards,
    }
}
