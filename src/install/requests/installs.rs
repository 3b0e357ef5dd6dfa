//! The steps of an Install, the permissions that they need, and their results. Content is installed into the namespaces
//! that it specifies, and may have any kind, because in the proposal OLM applies it unchanged.

use super::account;
use super::namespaces::{DEFAULT, Mapping};
use crate::cluster::State;
use crate::cluster::requested::RequestedInstall;
use crate::cluster::state::Approval;
use crate::csv::{self, Csv};
use crate::install::apis::Apis;
use crate::install::apply::apply_as;
use crate::install::apply::requirements::unchecked;
use crate::install::existing::Existing;
use crate::install::handling::{self, Handling, Resource, manifest_kind};
use crate::install::install_plan::{InstallPlan, Phase};
use crate::install::permissions::{
    self, Need, Operator, Permission, Review, approved, held, needed, pending, pending_approval,
};
use crate::install::plan::Planned;
use crate::kubernetes::rbac::account::{Account, Grants};
use crate::kubernetes::rbac::covering::TooComplex;
use crate::olm::annotation::PROPERTIES;
use crate::olm::property::{PACKAGE, Property};
use crate::olm::releases::Olm;
use crate::steps::Content;
use crate::steps::optional::{self, OptionalManifest};
use crate::steps::{self, Place, Step, StepError, Target};
use serde_json::Value;

/// An Install with its content.
#[derive(Debug, Clone)]
pub struct OpenInstall {
    /// The resource.
    pub install: RequestedInstall,
    /// The content, in the order of the Install.
    pub content: Vec<OpenContent>,
}

/// A part of an Install's content.
#[derive(Debug, Clone)]
pub enum OpenContent {
    /// A bundle image.
    Image {
        /// The image as the Install specifies it.
        named: String,
        /// The image with its digest.
        resolved: String,
        /// The bundle.
        bundle: Box<Content>,
    },
    /// A bundle whose manifests the Install contains, instead of referring to its image.
    Manifests(Box<Content>),
    /// Manifests without a bundle.
    Raw(Vec<Value>),
}

/// The reason why the steps of an Install cannot be determined.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// OLM could not read a version.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The Install needs too many permissions.
    #[error(transparent)]
    Permissions(#[from] TooComplex),
}

/// The result of reviewing an Install.
#[derive(Debug, Clone)]
pub struct Reviewed {
    /// The namespace of content that specifies none.
    pub namespace: String,
    /// The steps, in the order of a plan.
    pub steps: Vec<Step>,
    /// The permissions that the steps need.
    pub needs: Vec<Need>,
    /// The account that applies the steps; `None` means OLM itself, which may do everything.
    pub account: Option<Account>,
    /// The permissions of the account.
    pub held: Grants,
    /// The permissions that the account lacks.
    pub pending: Vec<Permission>,
    /// The operators with the permissions of their accounts after installation.
    pub operators: Vec<Operator>,
    /// Notes about bindings in the cluster that cannot be followed, and about contradictory content.
    pub notes: Vec<String>,
}

impl OpenInstall {
    fn mapping(&self) -> Mapping {
        Mapping(self.install.namespaces.clone())
    }

    /// Returns the namespace of content that specifies none: `named`, otherwise the target of the Install's mapping,
    /// otherwise [`DEFAULT`].
    pub fn namespace(&self, named: Option<&str>) -> String {
        let mapping = self.mapping();
        named.or(mapping.target()).unwrap_or(DEFAULT).to_owned()
    }

    /// Returns the steps of all content, in the order of a plan.
    ///
    /// # Errors
    /// Returns an error if OLM could not read a version among the content.
    pub fn steps(&self, namespace: &str) -> Result<Vec<Step>, StepError> {
        let mapping = self.mapping();
        let target = Target {
            namespace: namespace.to_owned(),
            ..Target::default()
        };
        let raw = self.content.iter().filter_map(|content| match content {
            OpenContent::Raw(objects) => Some(objects),
            OpenContent::Image { .. } | OpenContent::Manifests(_) => None,
        });
        // A version among the manifests lists the optional manifests.
        let versions = raw.flatten().filter(|object| is_version(object));
        let optional: Vec<OptionalManifest> = versions
            .flat_map(|version| {
                let mut alone = lone(version);
                mapping.apply_to(&mut alone);
                optional::named(&alone)
            })
            .collect();
        let mut steps = Vec::new();
        for content in &self.content {
            match content {
                OpenContent::Image { bundle, .. } | OpenContent::Manifests(bundle) => {
                    steps.extend(of_bundle(bundle, &mapping, &target)?);
                }
                OpenContent::Raw(objects) => {
                    for object in objects {
                        if is_version(object) {
                            steps.extend(of_bundle(&lone(object), &mapping, &target)?);
                        } else {
                            let mut object = object.clone();
                            mapping.apply(&mut object);
                            steps.push(Step {
                                optional: optional::is_optional(&object, &optional),
                                ..Step::of(&self.install.name, object, &target)
                            });
                        }
                    }
                }
            }
        }
        for step in &mut steps {
            let own = step
                .resource
                .manifest
                .pointer("/metadata/namespace")
                .and_then(Value::as_str);
            let own = own.filter(|own| !own.is_empty()).unwrap_or(namespace);
            step.place = Place::Own(own.to_owned());
        }
        Ok(steps::in_order(steps))
    }

    /// Returns the permissions that the Install needs, and those that its account lacks. `namespace` and `account` take
    /// precedence over those of the Install and the cluster.
    ///
    /// # Errors
    /// Returns an error if OLM could not read a version among the content, or if comparing the rules takes too many
    /// steps.
    pub fn review(
        &self,
        state: &State,
        namespace: Option<&str>,
        account: Option<&Account>,
    ) -> Result<Reviewed, InstallError> {
        let namespace = self.namespace(namespace);
        let steps = self.steps(&namespace)?;
        let apis = Apis::of(state);
        let needs = needed(&steps, &namespace, &apis, &state.objects)?;
        let operators = permissions::operators(&steps, &namespace, state)?;
        let account = account.cloned();
        let account = account.or_else(|| account::of_install(state, &namespace, &self.install.name));
        let (held, mut notes) = account.as_ref().map(|account| held(account, state)).unwrap_or_default();
        notes.extend(conflicts(&steps, &namespace, &apis.with_steps(&steps)));
        let pending = match account {
            None => Vec::new(),
            Some(_) => pending(&needs, &held)?,
        };
        Ok(Reviewed {
            namespace,
            steps,
            needs,
            account,
            held,
            pending,
            operators,
            notes,
        })
    }

    /// Returns the Install with its content resolved, but without its account.
    pub fn resolved(&self) -> Value {
        let mut written = permissions::install(&Review {
            name: self.install.name.clone(),
            content: self.reviewed_content(),
            namespaces: self.install.namespaces.clone(),
            account: None,
            pending: Vec::new(),
            operators: Vec::new(),
            refused_by_policy: Vec::new(),
        });
        let approval = if self.install.approved {
            "Approved"
        } else {
            "Unapproved"
        };
        if let Some(spec) = written.get_mut("spec").and_then(Value::as_object_mut) {
            spec.insert("approval".to_owned(), approval.into());
        }
        written
    }

    fn reviewed_content(&self) -> Vec<permissions::Content> {
        let content = self.content.iter().map(|content| match content {
            OpenContent::Image { named, resolved, .. } => permissions::Content::Image {
                named: named.clone(),
                resolved: resolved.clone(),
            },
            OpenContent::Manifests(bundle) => permissions::Content::raw(bundle),
            OpenContent::Raw(objects) => permissions::Content::raw_objects(objects),
        });
        content.collect()
    }

    /// Returns the Install with its status.
    pub fn written(&self, reviewed: &Reviewed) -> Value {
        let mut written = permissions::install(&Review {
            name: self.install.name.clone(),
            content: self.reviewed_content(),
            namespaces: self.install.namespaces.clone(),
            account: reviewed.account.clone(),
            pending: reviewed.pending.clone(),
            operators: reviewed.operators.clone(),
            refused_by_policy: Vec::new(),
        });
        // An existing approval is kept if no permission is pending.
        if reviewed.pending.is_empty()
            && self.install.approved
            && let Some(spec) = written.get_mut("spec").and_then(Value::as_object_mut)
        {
            spec.insert("approval".to_owned(), "Approved".into());
        }
        written
    }

    /// Returns the plan of the Install, and its result if a cluster is known. An Install that waits for approval is not
    /// applied; the approval grants the pending permissions to the account.
    ///
    /// # Errors
    /// Returns an error if OLM could not read a version among the content, or if comparing the rules takes too many
    /// steps.
    pub fn plan(
        &self,
        state: Option<&State>,
        namespace: Option<&str>,
        approval: Option<Approval>,
    ) -> Result<(Planned, Reviewed), InstallError> {
        let unknown = State::default();
        let known = state.unwrap_or(&unknown);
        let reviewed = self.review(known, namespace, None)?;
        let allowed = match approval {
            Some(approval) => approval == Approval::Automatic,
            None => self.install.approved || state.is_some() && reviewed.pending.is_empty(),
        };
        let approval = if allowed { Approval::Automatic } else { Approval::Manual };
        let mut plan = InstallPlan::new(&reviewed.namespace, reviewed.steps.clone(), approval, 1);
        plan.status.catalog_sources.clear();
        let applied = match state.filter(|_| allowed) {
            None => None,
            Some(state) => {
                let account = reviewed.account.clone();
                let account = account.map(|account| (account, approved(&reviewed.needs, reviewed.held.clone())));
                Some(apply_as(
                    &plan.status.plan,
                    &reviewed.namespace,
                    state,
                    account,
                    &Olm::Proposed,
                )?)
            }
        };
        match &applied {
            Some(applied) => plan = applied.written_to(plan),
            None if !allowed && !reviewed.pending.is_empty() && state.is_some() => {
                plan.status.phase = Phase::RequiresApproval;
                plan.status.message = pending_approval().message;
            }
            None => {}
        }
        if state.is_some() && !reviewed.pending.is_empty() && !self.install.approved {
            plan.status.conditions.push(pending_approval());
        }
        let planned = Planned {
            released: None,
            unchecked: unchecked(&plan.status.plan, known),
            apis: Apis::of(known).with_steps(&plan.status.plan),
            operators: reviewed.operators.clone(),
            held_upgrades: Vec::new(),
            held_by: Vec::new(),
            // OLM creates no InstallPlan for an Install.
            too_large: None,
            plan,
            applied,
        };
        Ok((planned, reviewed))
    }
}

/// Returns the steps of a bundle after mapping its namespaces.
fn of_bundle(bundle: &Content, mapping: &Mapping, target: &Target) -> Result<Vec<Step>, StepError> {
    let mut bundle = bundle.clone();
    mapping.apply_to(&mut bundle);
    let replaces = Csv(&bundle.csv).replaces().to_owned();
    steps::of_bundle(&bundle, target, &replaces)
}

fn is_version(object: &Value) -> bool {
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    text("kind") == csv::KIND && text("apiVersion").starts_with(csv::GROUP)
}

/// Returns a note for each object that has the same identity as an earlier object, but differs from it.
fn conflicts(steps: &[Step], namespace: &str, apis: &Apis) -> Vec<String> {
    let mut earlier = Existing::default();
    let mut notes = Vec::new();
    for step in steps {
        let resource = Resource::of(step, apis);
        let known = earlier.of_step(step, &resource, namespace);
        if known.is_some_and(|known| *known != step.resource.manifest) {
            let (kind, name) = (manifest_kind(step), &step.resource.name);
            let result = match handling::of_step(step) {
                Handling::Once => "only the first of them is created",
                _ => "the later one changes the earlier one",
            };
            notes.push(format!(
                "the content contains two different objects {kind}/{name}; {result}"
            ));
        }
        earlier.add(step, &resource, namespace);
    }
    notes
}

/// Returns a bundle that consists only of a version. Its properties are those in the annotation of the version.
fn lone(csv: &Value) -> Content {
    let view = Csv(csv);
    let annotation = view.text(&["metadata", "annotations", PROPERTIES]);
    let declared: Option<Value> = serde_json::from_str(annotation).ok();
    let declared = declared.and_then(|mut declared| declared.get_mut("properties").map(Value::take));
    let properties: Vec<Property> = declared
        .and_then(|declared| serde_json::from_value(declared).ok())
        .unwrap_or_default();
    let package = properties.iter().find(|property| property.kind == PACKAGE);
    let package = package.and_then(|package| package.value.get("packageName")?.as_str());
    Content {
        name: view.name().to_owned(),
        package: package.unwrap_or_default().to_owned(),
        csv: csv.clone(),
        objects: Vec::new(),
        properties,
        served: None,
    }
}

#[cfg(test)]
mod tests;
