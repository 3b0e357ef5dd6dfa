//! The conditions that a bundle must meet to satisfy a dependency.

use super::properties::Facts;
use crate::catalog::Property;
use crate::cel::{Budget, Rule};
use crate::kubernetes::GroupVersionKind;
use crate::olm::constraint::{Condition, Constraint, PackageConstraint};
use crate::olm::dependency::DependencyKind;
use crate::olm::dependency::Spelling;
use crate::olm::intent::Intent;
use crate::olm::limits;
use crate::olm::problem::{Problem, What};
use crate::olm::releases::{Feature, Olm};
use crate::text::Step;
use crate::version::VersionRange;
use semver::Version;
use serde_json::Value;
use std::borrow::Borrow;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// What a single bundle must satisfy.
pub(super) type Predicate = Constraint<Test>;

/// A condition, and what is compiled once for all bundles.
#[derive(Debug)]
pub(super) struct Test {
    pub(super) condition: Condition,
    range: Option<VersionRange>,
    rule: Option<Rule>,
}

impl Borrow<Condition> for Test {
    fn borrow(&self) -> &Condition {
        &self.condition
    }
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
                Predicate::Leaf(test) => {
                    if let Condition::Package(package) = &test.condition {
                        names.push(package.name.as_str());
                    }
                }
                Predicate::All(inside) | Predicate::Any(inside) => open.extend(inside),
                Predicate::Not(_) => {}
            }
        }
        names
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
        Constraint::Leaf(condition) => Predicate::Leaf(Test::of(condition)?),
        Constraint::All(constraints) => Predicate::All(several(constraints)?),
        Constraint::Any(constraints) => Predicate::Any(several(constraints)?),
        Constraint::Not(constraints) => Predicate::Not(several(constraints)?),
    })
}

impl Test {
    fn of(condition: Condition) -> Result<Self, String> {
        let (mut range, mut rule) = (None, None);
        if let Condition::Package(package) = &condition {
            range = Some(VersionRange::parse_as_olm(&package.range)?);
        }
        if let Condition::Cel { rule: written, .. } = &condition {
            let compiled = Rule::compile(written);
            rule = Some(compiled.map_err(|problem| format!("the rule {written:?} {}", problem.reason))?);
        }
        Ok(Self { condition, range, rule })
    }

    /// Describes the condition in OLM's words.
    fn message(&self) -> String {
        match &self.condition {
            Condition::Api(GroupVersionKind { group, version, kind }) => {
                format!("providing an API with group: {group}, version: {version}, kind: {kind}")
            }
            Condition::Package(PackageConstraint { name, range, .. }) => {
                format!("with package: {name} and with version in range: {range}")
            }
            Condition::Label(label) => format!("with label: {label}"),
            Condition::Cel { rule, message } => format!("with constraint: {rule:?} and message: {message:?}"),
        }
    }

    fn holds(&self, package: &str, version: Option<&Version>, facts: &Facts, budget: &Budget) -> bool {
        match &self.condition {
            Condition::Api(api) => facts.apis.contains(api),
            Condition::Label(label) => facts.labels.contains(label),
            Condition::Package(PackageConstraint { name, .. }) => {
                let named = || facts.packages.iter().filter(|package| package.name == *name);
                let is_of = package == name || named().next().is_some();
                let mut versions = facts.packages.iter().filter_map(|package| package.version.as_ref());
                let within = |version| self.range.as_ref().is_some_and(|range| range.contains(version));
                is_of && (versions.any(within) || version.is_some_and(within))
            }
            Condition::Cel { .. } => {
                let properties = facts.properties.iter();
                let pairs = properties.map(|property| (&*property.kind, &*property.value));
                self.rule.as_ref().is_some_and(|rule| rule.holds(pairs, budget))
            }
        }
    }
}

impl Predicate {
    /// Returns whether a single bundle satisfies the whole predicate.
    pub(super) fn holds(&self, package: &str, version: Option<&Version>, facts: &Facts, budget: &Budget) -> bool {
        let holds = |predicate: &Predicate| predicate.holds(package, version, facts, budget);
        if !budget.take(1) {
            return false;
        }
        match self {
            Self::Leaf(test) => test.holds(package, version, facts, budget),
            Self::All(predicates) => predicates.iter().all(holds),
            Self::Any(predicates) => predicates.iter().any(holds),
            Self::Not(predicates) => !predicates.iter().any(holds),
        }
    }

    /// Describes the predicate in OLM's words.
    pub(super) fn message(&self) -> String {
        let joined = |predicates: &[Self], between| {
            let messages: Vec<String> = predicates.iter().map(Self::message).collect();
            messages.join(between)
        };
        match self {
            Self::Leaf(test) => test.message(),
            Self::All(predicates) => joined(predicates, " and "),
            Self::Any(predicates) => joined(predicates, " or "),
            Self::Not(predicates) => joined(predicates, " and not "),
        }
    }
}

/// An index of the entries that may satisfy a predicate.
#[derive(Debug, Default)]
pub(super) struct Providers<Id> {
    apis: HashMap<GroupVersionKind, Vec<Id>>,
    packages: HashMap<String, Vec<Id>>,
    labels: HashMap<String, Vec<Id>>,
}

impl<Id: Copy + Ord> Providers<Id> {
    /// Adds an entry of a package.
    pub(super) fn add(&mut self, id: Id, package: &str, facts: &Facts) {
        for api in facts.apis.iter().collect::<BTreeSet<_>>() {
            self.apis.entry(api.clone()).or_default().push(id);
        }
        let named = facts.packages.iter().map(|package| package.name.as_str());
        for package in named.chain([package]).collect::<BTreeSet<_>>() {
            self.packages.entry(package.to_owned()).or_default().push(id);
        }
        for label in facts.labels.iter().collect::<BTreeSet<_>>() {
            self.labels.entry(label.clone()).or_default().push(id);
        }
    }

    /// Returns all matching entries, possibly with entries that do not match. Returns `None` if any entry might match.
    pub(super) fn of(&self, predicate: &Predicate) -> Option<BTreeSet<Id>> {
        let found = |ids: Option<&Vec<Id>>| Some(ids.into_iter().flatten().copied().collect());
        match predicate {
            Predicate::Leaf(test) => match &test.condition {
                Condition::Api(api) => found(self.apis.get(api)),
                Condition::Package(package) => found(self.packages.get(&package.name)),
                Condition::Label(label) => found(self.labels.get(label)),
                Condition::Cel { .. } => None,
            },
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
            Predicate::Not(_) => None,
        }
    }
}
