//! The conditions that a bundle must meet to satisfy a dependency.

use super::entries::{Candidate, EntryId};
use super::properties::Facts;
use crate::catalog::Property;
use crate::cel::{Budget, Rule};
use crate::kubernetes::GroupVersionKind;
use crate::olm::constraint::{Constraint, PackageConstraint};
use crate::olm::dependency::DependencyKind;
use crate::olm::dependency::Spelling;
use crate::olm::intent::Intent;
use crate::olm::problem::{Problem, What};
use crate::olm::releases::{Feature, Olm};
use crate::olm::{self, limits};
use crate::text::Step;
use crate::version::VersionRange;
use semver::Version;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::rc::Rc;

/// A condition that a single bundle must satisfy.
#[derive(Debug)]
pub(super) enum Predicate {
    Api(GroupVersionKind),
    Package {
        name: String,
        written: String,
        range: VersionRange,
    },
    Label(String),
    All(Vec<Predicate>),
    Any(Vec<Predicate>),
    /// The bundle satisfies none of these predicates.
    Not(Vec<Predicate>),
    Cel {
        rule: Rule,
        written: String,
        message: String,
    },
}

/// A dependency of a bundle.
#[derive(Debug, Clone)]
pub(super) struct Dependency {
    /// The property that declares the dependency.
    pub(super) written: Property,
    pub(super) predicate: Rc<Predicate>,
    pub(super) intent: Intent,
}

impl Dependency {
    /// Returns the packages that the predicate names.
    pub(super) fn packages(&self) -> Vec<&str> {
        let (mut names, mut open) = (Vec::new(), vec![&*self.predicate]);
        while let Some(predicate) = open.pop() {
            match predicate {
                Predicate::Package { name, .. } => names.push(name.as_str()),
                Predicate::All(inside) | Predicate::Any(inside) => open.extend(inside),
                Predicate::Not(_) | Predicate::Api(_) | Predicate::Label(_) | Predicate::Cel { .. } => {}
            }
        }
        names
    }
}

/// Formats the predicate in OLM's words.
impl fmt::Display for Predicate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |formatter: &mut fmt::Formatter<'_>, predicates: &[Predicate], between: &str| {
            predicates.iter().enumerate().try_for_each(|(place, predicate)| {
                let between = if place == 0 { "" } else { between };
                write!(formatter, "{between}{predicate}")
            })
        };
        match self {
            Self::Api(api) => {
                let GroupVersionKind { group, version, kind } = api;
                write!(
                    formatter,
                    "providing an API with group: {group}, version: {version}, kind: {kind}"
                )
            }
            Self::Package { name, written, .. } => {
                write!(formatter, "with package: {name} and with version in range: {written}")
            }
            Self::Label(label) => write!(formatter, "with label: {label}"),
            Self::All(predicates) => joined(formatter, predicates, " and "),
            Self::Any(predicates) => joined(formatter, predicates, " or "),
            Self::Not(predicates) => joined(formatter, predicates, " and not "),
            Self::Cel { written, message, .. } => {
                write!(formatter, "with constraint: {written:?} and message: {message:?}")
            }
        }
    }
}

/// Returns the dependencies of a bundle, in the order of its properties.
///
/// # Errors
/// Returns an error, in OLM's words, for a range or constraint that OLM cannot read.
pub(super) fn needs_of(facts: &Facts, olm: &Olm) -> Result<Vec<Dependency>, String> {
    let properties = facts.properties.iter();
    let read: Result<Vec<_>, _> = properties.map(|property| dependencies(property, olm)).collect();
    Ok(read?.into_iter().flatten().collect())
}

/// Returns the dependencies that an OLM reads from a property, one per intent; empty if the OLM does not know the type.
///
/// # Errors
/// Returns an error, in OLM's words, if OLM cannot read the property.
pub(super) fn dependencies(property: &Property, olm: &Olm) -> Result<Vec<Dependency>, String> {
    let Some(kind) = DependencyKind::of(&property.kind, Spelling::Property) else {
        return Ok(Vec::new());
    };
    if !olm.does(Feature::Dependency(kind.name(Spelling::Dependency))) {
        return Ok(Vec::new());
    }
    let value: Value = match serde_json::from_str(&property.value) {
        Ok(value) => value,
        Err(error) if kind == DependencyKind::Constraint => return Err(unreadable(&format!("json: {error}"))),
        Err(error) => return Err(format!("malformed property of type {}: {error}", property.kind)),
    };
    let reading = kind.read(&value, property.value.len(), Spelling::Property).by(olm);
    let read = reading.usable().map_err(|problem| wording(kind, property, &problem))?;
    let dependency = |intent: Intent, predicate: Predicate| Dependency {
        written: property.clone(),
        predicate: Rc::new(predicate),
        intent,
    };
    if let olm::dependency::Dependency::Label(label) = read {
        return Ok(vec![dependency(Intent::Required, Predicate::Label(label))]);
    }
    let compiled = read.constraints().into_iter().map(|(intent, constraint)| {
        let compiled = compile(constraint).map_err(|reason| match kind {
            DependencyKind::Constraint => {
                format!("convert olm.constraint to resolver predicate: {reason}")
            }
            _ => reason,
        });
        Ok(dependency(intent, compiled?))
    });
    compiled.collect()
}

fn unreadable(reason: &str) -> String {
    format!("parse olm.constraint: {reason}")
}

/// Describes a problem in OLM's words.
fn wording(kind: DependencyKind, property: &Property, problem: &Problem) -> String {
    if kind != DependencyKind::Constraint {
        return format!("malformed property of type {}: {problem}", property.kind);
    }
    match &problem.what {
        What::Nothing(_) => "convert olm.constraint to resolver predicate: constraint is empty".to_owned(),
        What::Long(_) => unreadable(&format!(
            "olm.constraint value is greater than max constraint size {} bytes",
            limits::CONSTRAINT
        )),
        What::UnknownKey => match problem.path.steps().last() {
            Some(Step::Key(key)) => unreadable(&format!("json: unknown field {key:?}")),
            _ => unreadable(&format!("json: {problem}")),
        },
        _ => unreadable(&format!("json: {problem}")),
    }
}

fn compile(constraint: Constraint) -> Result<Predicate, String> {
    let several = |constraints: Vec<Constraint>| constraints.into_iter().map(compile).collect::<Result<Vec<_>, _>>();
    Ok(match constraint {
        Constraint::Api(api) => Predicate::Api(api),
        Constraint::Package(PackageConstraint {
            name, range: written, ..
        }) => {
            let range = VersionRange::parse_as_olm(&written)?;
            Predicate::Package { name, written, range }
        }
        Constraint::All(constraints) => Predicate::All(several(constraints)?),
        Constraint::Any(constraints) => Predicate::Any(several(constraints)?),
        Constraint::Not(constraints) => Predicate::Not(several(constraints)?),
        Constraint::Cel { rule: written, message } => {
            let compiled = Rule::compile(&written);
            let rule = compiled.map_err(|problem| format!("the rule {written:?} {}", problem.reason))?;
            Predicate::Cel { rule, written, message }
        }
    })
}

impl Predicate {
    /// Returns whether a single bundle satisfies the whole predicate.
    pub(super) fn holds(&self, package: &str, version: Option<&Version>, facts: &Facts, budget: &Budget) -> bool {
        let holds = |predicate: &Predicate| predicate.holds(package, version, facts, budget);
        if !budget.take(1) {
            return false;
        }
        match self {
            Self::Api(api) => facts.apis.contains(api),
            Self::Label(label) => facts.labels.contains(label),
            Self::Package { name, range, .. } => {
                let named = || facts.packages.iter().filter(|package| package.name == *name);
                let is_of = package == name || named().next().is_some();
                let mut versions = facts.packages.iter().filter_map(|package| package.version.as_ref());
                let within = |version| range.contains(version);
                is_of && (versions.any(within) || version.is_some_and(within))
            }
            Self::All(predicates) => predicates.iter().all(holds),
            Self::Any(predicates) => predicates.iter().any(holds),
            Self::Not(predicates) => !predicates.iter().any(holds),
            Self::Cel { rule, .. } => {
                let pairs = facts
                    .properties
                    .iter()
                    .map(|property| (&*property.kind, &*property.value));
                rule.holds(pairs, budget)
            }
        }
    }
}

/// An index of the entries that may satisfy a predicate.
#[derive(Debug, Default)]
pub(super) struct Providers {
    apis: HashMap<GroupVersionKind, Vec<EntryId>>,
    packages: HashMap<String, Vec<EntryId>>,
    labels: HashMap<String, Vec<EntryId>>,
}

impl Providers {
    pub(super) fn add(&mut self, id: EntryId, entry: &Candidate, facts: &Facts) {
        for api in facts.apis.iter().collect::<BTreeSet<_>>() {
            self.apis.entry(api.clone()).or_default().push(id);
        }
        let named = facts.packages.iter().map(|package| package.name.as_str());
        for package in named.chain([&*entry.package]).collect::<BTreeSet<_>>() {
            self.packages.entry(package.to_owned()).or_default().push(id);
        }
        for label in facts.labels.iter().collect::<BTreeSet<_>>() {
            self.labels.entry(label.clone()).or_default().push(id);
        }
    }

    /// Returns all matching entries, possibly with entries that do not match. Returns `None` if any entry might match.
    pub(super) fn of(&self, predicate: &Predicate) -> Option<BTreeSet<EntryId>> {
        let found = |ids: Option<&Vec<EntryId>>| Some(ids.into_iter().flatten().copied().collect());
        match predicate {
            Predicate::Api(api) => found(self.apis.get(api)),
            Predicate::Package { name, .. } => found(self.packages.get(name)),
            Predicate::Label(label) => found(self.labels.get(label)),
            Predicate::All(predicates) => predicates
                .iter()
                .filter_map(|predicate| self.of(predicate))
                .min_by_key(BTreeSet::len),
            Predicate::Any(predicates) => {
                let mut all = BTreeSet::new();
                for predicate in predicates {
                    all.extend(self.of(predicate)?);
                }
                Some(all)
            }
            Predicate::Not(_) | Predicate::Cel { .. } => None,
        }
    }
}
