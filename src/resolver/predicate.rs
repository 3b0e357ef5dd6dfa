//! What a bundle needs of another one, and whether that one has it.

use super::entries::{Entry, EntryId};
use super::properties::Facts;
use crate::catalog::{self, Property};
use crate::cel::{Budget, Rule};
use crate::kubernetes::GroupVersionKind;
use crate::version::VersionRange;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::rc::Rc;

/// Bytes of a constraint that OLM takes.
const LONGEST: usize = 131_072;

/// Something that one other bundle must be.
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
    /// None of these.
    Not(Vec<Predicate>),
    Cel {
        rule: Rule,
        written: String,
        message: String,
    },
}

/// How much a bundle wants what it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Intent {
    Required,
    Recommended,
    Optional,
}

/// Something that a bundle needs.
#[derive(Debug, Clone)]
pub(super) struct Dependency {
    /// The property that says so.
    pub(super) written: Property,
    pub(super) predicate: Rc<Predicate>,
    pub(super) intent: Intent,
}

impl Dependency {
    /// The package that it names.
    pub(super) fn package(&self) -> Option<&str> {
        match &*self.predicate {
            Predicate::Package { name, .. } => Some(name),
            _ => None,
        }
    }
}

/// In the words of OLM.
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

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct RequiredPackage {
    package_name: String,
    version_range: String,
    intent: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RequiredLabel {
    label: String,
}

/// What a property says that its bundle needs; nothing for other types.
///
/// # Errors
/// In the words of OLM.
pub(super) fn dependency(property: &Property) -> Result<Option<Dependency>, String> {
    let malformed = |error: serde_json::Error| format!("malformed property of type {}: {error}", property.kind);
    let mut intent = Intent::Required;
    let predicate = match &*property.kind {
        "olm.gvk.required" => Predicate::Api(serde_json::from_str(&property.value).map_err(malformed)?),
        "olm.package.required" => {
            let value: RequiredPackage = serde_json::from_str(&property.value).map_err(malformed)?;
            intent = match value.intent.as_deref() {
                None | Some("" | "required") => Intent::Required,
                Some("recommended") => Intent::Recommended,
                Some("optional") => Intent::Optional,
                Some(other) => {
                    return Err(format!(
                        "the intent {other:?} of the dependency on package {} is none of required, recommended and optional",
                        value.package_name
                    ));
                }
            };
            package(value.package_name, value.version_range)?
        }
        "olm.label.required" => {
            let value: RequiredLabel = serde_json::from_str(&property.value).map_err(malformed)?;
            Predicate::Label(value.label)
        }
        catalog::CONSTRAINT => constraint(&property.value)?,
        _ => return Ok(None),
    };
    Ok(Some(Dependency {
        written: property.clone(),
        predicate: Rc::new(predicate),
        intent,
    }))
}

fn package(name: String, written: String) -> Result<Predicate, String> {
    let range = VersionRange::parse_as_olm(&written)?;
    Ok(Predicate::Package { name, written, range })
}

fn constraint(text: &str) -> Result<Predicate, String> {
    let parse = |reason: String| format!("parse olm.constraint: {reason}");
    if text.len() > LONGEST {
        return Err(parse(format!(
            "olm.constraint value is greater than max constraint size {LONGEST} bytes"
        )));
    }
    let value: Value = serde_json::from_str(text).map_err(|error| parse(format!("json: {error}")))?;
    known_fields(&value, CONSTRAINT).map_err(parse)?;
    of_constraint(&value).map_err(|reason| format!("convert olm.constraint to resolver predicate: {reason}"))
}

/// The fields of a map, each with those below it; a list stands for each of its items.
struct Fields(&'static [(&'static str, Below)]);

enum Below {
    Text,
    Map(Fields),
    /// A list of constraints.
    Constraints,
}

const LIST: Fields = Fields(&[("constraints", Below::Constraints)]);
const CONSTRAINT: &Fields = &Fields(&[
    ("failureMessage", Below::Text),
    (
        "gvk",
        Below::Map(Fields(&[
            ("group", Below::Text),
            ("version", Below::Text),
            ("kind", Below::Text),
        ])),
    ),
    (
        "package",
        Below::Map(Fields(&[("packageName", Below::Text), ("versionRange", Below::Text)])),
    ),
    ("all", Below::Map(LIST)),
    ("any", Below::Map(LIST)),
    ("not", Below::Map(LIST)),
    ("cel", Below::Map(Fields(&[("rule", Below::Text)]))),
]);

/// OLM knows no other fields than these, in any letters.
fn known_fields(value: &Value, fields: &Fields) -> Result<(), String> {
    let wrong = |key: &str, value: &Value, wanted: &str| {
        let found = crate::text::kind_of(value);
        format!("json: cannot take {key}: it is {found}, not {wanted}")
    };
    let Some(map) = value.as_object() else {
        return Err(wrong("the constraint", value, "a map"));
    };
    for (key, value) in map {
        let known = fields.0.iter().find(|(name, _)| name.eq_ignore_ascii_case(key));
        let Some((_, below)) = known else {
            return Err(format!("json: unknown field {key:?}"));
        };
        match below {
            _ if value.is_null() => {}
            Below::Text if value.is_string() => {}
            Below::Text => return Err(wrong(key, value, "a text")),
            Below::Map(fields) => known_fields(value, fields)?,
            Below::Constraints => {
                let items = value.as_array().ok_or_else(|| wrong(key, value, "a list"))?;
                items.iter().try_for_each(|item| known_fields(item, CONSTRAINT))?;
            }
        }
    }
    Ok(())
}

fn field<'v>(map: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    let found = map.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value).filter(|value| !value.is_null())
}

fn text(value: &Value, name: &str) -> String {
    let text = value
        .as_object()
        .and_then(|map| field(map, name))
        .and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

type Several = fn(Vec<Predicate>) -> Predicate;

/// Of several constraints in one, the first in this order counts.
fn of_constraint(value: &Value) -> Result<Predicate, String> {
    let Some(map) = value.as_object() else {
        return Err("constraint is empty".to_owned());
    };
    if let Some(gvk) = field(map, "gvk") {
        let [group, version, kind] = ["group", "version", "kind"].map(|name| text(gvk, name));
        return Ok(Predicate::Api(GroupVersionKind { group, version, kind }));
    }
    if let Some(found) = field(map, "package") {
        return package(text(found, "packageName"), text(found, "versionRange"));
    }
    let kinds: [(&str, Several); 3] = [
        ("all", Predicate::All),
        ("any", Predicate::Any),
        ("not", Predicate::Not),
    ];
    for (name, several) in kinds {
        if let Some(found) = field(map, name) {
            let list = found.as_object().and_then(|map| field(map, "constraints"));
            let list = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            return Ok(several(list.iter().map(of_constraint).collect::<Result<_, _>>()?));
        }
    }
    if let Some(cel) = field(map, "cel") {
        let written = text(cel, "rule");
        let rule = Rule::compile(&written).map_err(|problem| format!("the rule {written:?} {}", problem.reason))?;
        return Ok(Predicate::Cel {
            rule,
            message: text(value, "failureMessage"),
            written,
        });
    }
    Err("constraint is empty".to_owned())
}

impl Predicate {
    /// Whether one bundle is all of it.
    pub(super) fn holds(&self, entry: &Entry, facts: &Facts, budget: &Budget) -> bool {
        let holds = |predicate: &Predicate| predicate.holds(entry, facts, budget);
        match self {
            Self::Api(api) => facts.apis.contains(api),
            Self::Label(label) => facts.labels.contains(label),
            Self::Package { name, range, .. } => {
                let named = || facts.packages.iter().filter(|package| package.name == *name);
                let is_of = &*entry.package == name || named().next().is_some();
                let mut versions = facts.packages.iter().filter_map(|package| package.version.as_ref());
                let within = |version| range.contains(version);
                is_of && (versions.any(within) || entry.version.as_ref().is_some_and(within))
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

/// Finds the entries that can be what a predicate asks for, without looking at each.
#[derive(Debug, Default)]
pub(super) struct Providers {
    apis: HashMap<GroupVersionKind, Vec<EntryId>>,
    packages: HashMap<String, Vec<EntryId>>,
    labels: HashMap<String, Vec<EntryId>>,
}

impl Providers {
    pub(super) fn add(&mut self, id: EntryId, entry: &Entry, facts: &Facts) {
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

    /// Entries among which all are that hold; nothing where it may be any. An entry may stand there twice.
    pub(super) fn of(&self, predicate: &Predicate) -> Option<Vec<EntryId>> {
        let found = |ids: Option<&Vec<EntryId>>| Some(ids.cloned().unwrap_or_default());
        match predicate {
            Predicate::Api(api) => found(self.apis.get(api)),
            Predicate::Package { name, .. } => found(self.packages.get(name)),
            Predicate::Label(label) => found(self.labels.get(label)),
            Predicate::All(predicates) => predicates
                .iter()
                .filter_map(|predicate| self.of(predicate))
                .min_by_key(Vec::len),
            Predicate::Any(predicates) => {
                let each: Option<Vec<_>> = predicates.iter().map(|predicate| self.of(predicate)).collect();
                each.map(|each| each.concat())
            }
            Predicate::Not(_) | Predicate::Cel { .. } => None,
        }
    }
}
