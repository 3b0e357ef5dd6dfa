//! Dependencies: what a bundle needs of another one.

use super::constraint::{self, Constraint, INTENT, Key, PackageConstraint, VERSION_RANGE};
use super::intent::Intent;
use super::problem::{Fields, Problem, What};
use super::property::{CONSTRAINT, GVK, GVK_REQUIRED, LABEL, LABEL_REQUIRED, PACKAGE, PACKAGE_REQUIRED};
use super::releases::{Need, Olm};
use crate::kubernetes::GroupVersionKind;
use crate::text::{Path, Step};
use serde_json::Value;

/// How dependencies are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// In a list of their own: `olm.package`, with `version`.
    Dependency,
    /// Among the properties: `olm.package.required`, with `versionRange`.
    Property,
}

/// What a bundle needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dependency {
    /// A package, with a version in a range.
    Package(PackageConstraint),
    /// An API.
    Api(GroupVersionKind),
    /// A label.
    Label(String),
    /// What a constraint asks for.
    Constraint(Constraint),
}

/// The types of dependencies, whatever their spelling.
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

/// What a value says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The dependency; none where nothing can be made of the value.
    pub dependency: Option<Dependency>,
    /// All that is wrong with the value.
    pub problems: Vec<Problem>,
}

impl DependencyKind {
    /// All of them.
    pub(crate) const ALL: [Self; 4] = [Self::Package, Self::Api, Self::Label, Self::Constraint];

    /// The type as it is written.
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

    /// The kind of dependency that a type stands for; none for types that OLM does not know.
    pub(crate) fn of(kind: &str, spelling: Spelling) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name(spelling) == kind)
    }

    /// The fields of its value; none for constraints.
    pub(crate) const fn fields(self, spelling: Spelling) -> &'static [&'static str] {
        match (self, spelling) {
            (Self::Package, Spelling::Dependency) => &["packageName", VERSION],
            (Self::Package, Spelling::Property) => &["packageName", VERSION_RANGE],
            (Self::Api, _) => &["group", "version", "kind"],
            (Self::Label, _) => &["label"],
            (Self::Constraint, _) => &[],
        }
    }

    /// Reads a value of this type. `bytes` is the length of its text, of which OLM takes only so much.
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

/// The range of a package, in databases and in the files of a bundle.
const VERSION: &str = "version";

/// Reads what a type and a JSON text say that a bundle needs; none for types that OLM does not know.
///
/// # Errors
/// When the text is not JSON.
pub fn read(kind: &str, json: &str, spelling: Spelling) -> Result<Option<Reading>, serde_json::Error> {
    let Some(known) = DependencyKind::of(kind, spelling) else {
        return Ok(None);
    };
    let value: Value = serde_json::from_str(json)?;
    Ok(Some(known.read(&value, json.len(), spelling)))
}

impl Reading {
    /// The same as this OLM reads it: one that does not know intents passes them over, and stops at those inside
    /// constraints.
    #[must_use]
    pub fn by(mut self, olm: &Olm) -> Self {
        if let (false, Some(Dependency::Package(package))) = (olm.does(Need::Intent), &mut self.dependency) {
            package.intent = Intent::Required;
            let is_intent =
                |step: Option<&Step>| matches!(step, Some(Step::Key(key)) if key.eq_ignore_ascii_case(INTENT));
            self.problems.retain(|problem| !is_intent(problem.path.steps().last()));
        }
        if !olm.does(Need::IntentInConstraint) {
            for problem in &mut self.problems {
                if problem.what == What::IntentInside {
                    problem.what = What::UnknownKey;
                }
            }
        }
        self
    }

    /// The dependency that OLM makes of the value.
    ///
    /// # Errors
    /// With the first problem over which OLM gives up.
    pub(crate) fn usable(self) -> Result<Dependency, Problem> {
        let nothing = || Problem {
            path: Path::root(),
            what: What::Nothing(Key::names().to_vec()),
        };
        match self.problems.into_iter().find(Problem::is_fatal) {
            Some(problem) => Err(problem),
            None => self.dependency.ok_or_else(nothing),
        }
    }
}

impl Dependency {
    /// It as a constraint, what is needed with each intent; none for a label, which constraints do not know.
    pub fn constraints(&self) -> Vec<(Intent, Constraint)> {
        match self {
            Self::Package(package) => Constraint::Package(package.clone()).by_intent(),
            Self::Api(api) => vec![(Intent::Required, Constraint::Api(api.clone()))],
            Self::Label(_) => Vec::new(),
            Self::Constraint(constraint) => constraint.by_intent(),
        }
    }
}
