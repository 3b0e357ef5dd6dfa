//! Dependencies: what a bundle requires from other bundles.

use super::constraint::{self, Condition, Constraint, Key, PACKAGE_NAME, PackageConstraint, VERSION_RANGE};
use super::intent::Intent;
use super::problem::{Fields, Problem, What};
use super::property::{CONSTRAINT, GVK, GVK_REQUIRED, LABEL, LABEL_REQUIRED, PACKAGE, PACKAGE_REQUIRED};
use super::releases::{Feature, Olm};
use crate::kubernetes::GroupVersionKind;
use crate::text::Path;
use serde_json::Value;

/// The spelling of dependencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// The spelling in a separate list: `olm.package`, with `version`.
    Dependency,
    /// The spelling among the properties: `olm.package.required`, with `versionRange`.
    Property,
}

/// A dependency of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dependency {
    /// A package in a range of versions.
    Package(PackageConstraint),
    /// An API.
    Api(GroupVersionKind),
    /// A label.
    Label(String),
    /// A constraint.
    Constraint(Constraint),
}

/// The types of dependencies, regardless of their spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum DependencyKind {
    /// A package.
    Package,
    /// An API.
    Api,
    /// A label.
    Label,
    /// A constraint.
    Constraint,
}

/// The result of reading a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The dependency; `None` if the value cannot be read.
    pub dependency: Option<Dependency>,
    /// All problems with the value.
    pub problems: Vec<Problem>,
}

impl DependencyKind {
    /// All types.
    pub(crate) const ALL: [Self; 4] = [Self::Package, Self::Api, Self::Label, Self::Constraint];

    /// Returns the name of the type in a spelling.
    pub(crate) const fn name(self, spelling: Spelling) -> &'static str {
        match (self, spelling) {
            (Self::Package, Spelling::Dependency) => PACKAGE,
            (Self::Package, Spelling::Property) => PACKAGE_REQUIRED,
            (Self::Api, Spelling::Dependency) => GVK,
            (Self::Api, Spelling::Property) => GVK_REQUIRED,
            (Self::Label, Spelling::Dependency) => LABEL,
            (Self::Label, Spelling::Property) => LABEL_REQUIRED,
            (Self::Constraint, _) => CONSTRAINT,
        }
    }

    /// Returns the kind of dependency for a type; `None` for types that OLM does not know.
    pub(crate) fn of(kind: &str, spelling: Spelling) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name(spelling) == kind)
    }

    /// Returns the fields of a value of this type; empty for constraints.
    pub(crate) const fn fields(self, spelling: Spelling) -> &'static [&'static str] {
        match (self, spelling) {
            (Self::Package, Spelling::Dependency) => &[PACKAGE_NAME, VERSION],
            (Self::Package, Spelling::Property) => &[PACKAGE_NAME, VERSION_RANGE],
            (Self::Api, _) => &["group", "version", "kind"],
            (Self::Label, _) => &["label"],
            (Self::Constraint, _) => &[],
        }
    }

    /// Reads a value of this type. `bytes` is the length of the value's text, which OLM limits.
    pub(crate) fn read(self, value: &Value, bytes: usize, spelling: Spelling) -> Reading {
        let mut problems = Vec::new();
        let mut fields = Fields::new(value, Path::root(), &mut problems);
        let dependency = match self {
            Self::Package => {
                let range = match spelling {
                    Spelling::Dependency => VERSION,
                    Spelling::Property => VERSION_RANGE,
                };
                Dependency::Package(constraint::package(&mut fields, range))
            }
            Self::Api => Dependency::Api(constraint::api(&mut fields)),
            Self::Label => Dependency::Label(fields.string("label")),
            Self::Constraint => {
                let (constraint, problems) = constraint::read(value, bytes);
                let dependency = constraint.map(Dependency::Constraint);
                return Reading { dependency, problems };
            }
        };
        Reading {
            dependency: Some(dependency),
            problems,
        }
    }
}

/// The field that contains the version range of a package, in databases and in the files of a bundle.
pub(crate) const VERSION: &str = "version";

/// Reads a dependency from its type and its JSON text; returns `None` for types that OLM does not know.
///
/// # Errors
/// Returns an error if the text is not JSON.
pub fn read(kind: &str, json: &str, spelling: Spelling) -> Result<Option<Reading>, serde_json::Error> {
    let Some(known) = DependencyKind::of(kind, spelling) else {
        return Ok(None);
    };
    let value: Value = serde_json::from_str(json)?;
    Ok(Some(known.read(&value, json.len(), spelling)))
}

impl Reading {
    /// Returns the reading as this OLM interprets it. An OLM that does not support intents ignores the intent of a
    /// package, but rejects intents inside constraints.
    #[must_use]
    pub fn by(mut self, olm: &Olm) -> Self {
        if let (false, Some(Dependency::Package(package))) = (olm.does(Feature::Intent), &mut self.dependency) {
            package.intent = Intent::Required;
            self.problems.retain(|problem| !problem.is_of_intent());
        }
        for problem in &mut self.problems {
            if problem.required_feature().is_some_and(|feature| !olm.does(feature)) {
                problem.what = What::UnknownKey;
            }
        }
        self
    }

    /// Returns the dependency that OLM reads from the value.
    ///
    /// # Errors
    /// Returns the first problem that prevents OLM from using the value.
    pub(crate) fn usable(self) -> Result<Dependency, Problem> {
        let nothing = || Problem {
            path: Path::root(),
            what: What::Nothing(Key::names()),
        };
        match self.problems.into_iter().find(Problem::is_fatal) {
            Some(problem) => Err(problem),
            None => self.dependency.ok_or_else(nothing),
        }
    }
}

impl Dependency {
    /// Returns the dependency as constraints, one for each intent.
    pub fn constraints(&self) -> Vec<(Intent, Constraint)> {
        let condition = match self {
            Self::Package(package) => Condition::Package(package.clone()),
            Self::Api(api) => Condition::Api(api.clone()),
            Self::Label(label) => Condition::Label(label.clone()),
            Self::Constraint(constraint) => return constraint.by_intent(),
        };
        Constraint::Leaf(condition).by_intent()
    }
}
