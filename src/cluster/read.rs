//! A what-if file from its text, with the place of everything that is wrong.

use super::keys::{KEYS, Key, Shape};
use super::state::{NAMESPACE, State, VERSION};
use crate::nearest::nearest;
use crate::rules;
use crate::source::{Place, Source};
use crate::text::{self, Document, Limits, Path, kind_of};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Why a file is no what-if file.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct StateError {
    /// Where it is wrong.
    pub place: Place,
    /// What is wrong.
    #[source]
    pub problem: StateProblem,
}

/// What is wrong with a what-if file.
#[derive(Debug, thiserror::Error)]
pub enum StateProblem {
    /// The text is no YAML or JSON, or too much of it.
    #[error("{message}")]
    Unreadable {
        /// What its reader says.
        message: String,
    },
    /// There are too many values.
    #[error("up to here, there are more than {limit} keys and values")]
    TooMany {
        /// How many there may be.
        limit: usize,
    },
    /// Nothing, or more than one document.
    #[error("there are {count} documents, and a what-if file is one")]
    Documents {
        /// How many there are.
        count: usize,
    },
    /// What a cluster says of itself, and nobody of a cluster.
    #[error("this is a Kubernetes object, and no what-if file")]
    Object,
    /// A version of the format that is not known.
    #[error("version {found} of the format is not known to this opmx, which reads version {VERSION}")]
    Version {
        /// What stands there.
        found: String,
    },
    /// A key that there is not.
    #[error(
        "there is no key {key:?} here; {}",
        .nearest.map_or_else(|| format!("those are {}", .known.join(", ")), |nearest| format!("is {nearest:?} meant?"))
    )]
    UnknownKey {
        /// The key.
        key: String,
        /// The key that is most like it.
        nearest: Option<&'static str>,
        /// All keys that there are.
        known: Vec<&'static str>,
    },
    /// A key that is missing.
    #[error("{path} has no {key}")]
    Missing {
        /// The map.
        path: String,
        /// The key.
        key: &'static str,
    },
    /// A value of another type.
    #[error("{path} is {found}, not {wanted}{}", if *.quotes { "; write it in quotes" } else { "" })]
    Shape {
        /// The value.
        path: String,
        /// What it is.
        found: &'static str,
        /// What it should be.
        wanted: String,
        /// Whether quotes make it right.
        quotes: bool,
    },
    /// A catalog of both kinds.
    #[error("the catalog {catalog} has a source and packages; it can have one of them")]
    SourceAndPackages {
        /// The catalog.
        catalog: String,
    },
    /// A name that stands twice.
    #[error("the {what} {name} stands twice")]
    Twice {
        /// What has the name.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// An entry of a channel without a bundle.
    #[error("the package {package} has no bundle {bundle}, for which its channel {channel} has an entry")]
    NoBundle {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The bundle.
        bundle: String,
    },
    /// A subscription that may mean one of several catalogs.
    #[error("the subscription {subscription} does not say which catalog it is to, and there are {count}")]
    NoCatalog {
        /// The subscription.
        subscription: String,
        /// How many catalogs there are.
        count: usize,
    },
    /// An answer that says nothing.
    #[error("the error has neither a reason nor a code")]
    NoReason,
    /// A table and a structure that do not agree. It would be a mistake in opmx.
    #[error("{message}")]
    Inner {
        /// What is said of it.
        message: String,
    },
}

/// Reads a what-if file. `name` is the path that errors show.
///
/// # Errors
/// When it is not YAML or JSON, has a key that there is not, or a value that cannot be; the error points at the line.
pub fn read(name: &str, bytes: &[u8], limits: &Limits) -> Result<State, StateError> {
    let mut reading = text::read(name, bytes, limits);
    let whole = || Place::new(&Source::new(name, ""), 0..0);
    if let Some(finding) = reading.diagnostics.iter().find(|finding| finding.is_error()) {
        return Err(StateError {
            place: finding.place.clone().unwrap_or_else(whole),
            problem: if finding.rule.id == rules::YAML_TOO_MANY_VALUES.id {
                StateProblem::TooMany { limit: limits.values }
            } else {
                StateProblem::Unreadable {
                    message: finding.message.clone(),
                }
            },
        });
    }
    reading.documents.retain(|document| !document.value().is_null());
    let count = reading.documents.len();
    match (reading.documents.pop(), count) {
        (Some(document), 1) if is_object(document.value()) => Err(StateError {
            place: document.place(&Path::root()),
            problem: StateProblem::Object,
        }),
        (Some(document), 1) => Reader { document: &document }.state(),
        (document, _) => Err(StateError {
            place: document.map_or_else(whole, |document| document.place(&Path::root())),
            problem: StateProblem::Documents { count },
        }),
    }
}

fn is_object(value: &Value) -> bool {
    ["apiVersion", "kind"]
        .iter()
        .all(|key| value.get(key).is_some_and(Value::is_string))
}

/// What a file names as the source of a catalog, seen from where the program runs: a path is relative to the file, unless
/// nothing is there. `file` is the path of the file.
pub fn source_beside(file: &std::path::Path, source: &str) -> String {
    let (transport, path) = ["oci-archive:", "oci:"]
        .iter()
        .find_map(|transport| Some((*transport, source.strip_prefix(transport)?)))
        .unwrap_or(("", source));
    let beside = |path: &str| file.parent().unwrap_or(std::path::Path::new("")).join(path);
    // The tag of a layout is no part of its path.
    let existing = match transport {
        "" => path,
        _ => path.split(['@', ':']).next().unwrap_or(path),
    };
    if std::path::Path::new(path).is_absolute() || !beside(existing).exists() {
        return source.to_owned();
    }
    match beside(path).to_str() {
        Some(found) => format!("{transport}{found}"),
        None => source.to_owned(),
    }
}

struct Reader<'d> {
    document: &'d Document,
}

impl Reader<'_> {
    fn state(&self) -> Result<State, StateError> {
        let value = self.map(self.document.value(), KEYS, &Path::root())?;
        let mut state: State = serde_json::from_value(value).map_err(|error| {
            let message = error.to_string();
            self.wrong(&Path::root(), StateProblem::Inner { message })
        })?;
        self.complete(&mut state)?;
        self.check_catalogs(&state)?;
        let installed = state.installed.iter().map(|csv| csv.name.as_str());
        self.unique("installed operator", installed, |index| {
            Path::parse("installed").index(index)
        })?;
        let subscriptions = state.subscriptions.iter().map(|subscription| &*subscription.name);
        self.unique("subscription", subscriptions, |index| {
            Path::parse("subscriptions").index(index)
        })?;
        for (index, error) in state.errors.iter().enumerate() {
            if error.reason.is_none() && error.code.is_none() {
                return Err(self.wrong(&Path::parse("errors").index(index), StateProblem::NoReason));
            }
        }
        Ok(state)
    }

    /// Puts in what the file may leave out.
    fn complete(&self, state: &mut State) -> Result<(), StateError> {
        if state.namespace.is_empty() {
            state.namespace = NAMESPACE.to_owned();
        }
        let of_catalogs = state.global_namespace.as_ref().unwrap_or(&state.namespace);
        for catalog in &mut state.catalogs {
            if catalog.namespace.is_empty() {
                catalog.namespace.clone_from(of_catalogs);
            }
        }
        for (index, subscription) in state.subscriptions.iter_mut().enumerate() {
            if subscription.name.is_empty() {
                subscription.name.clone_from(&subscription.package);
            }
            if subscription.catalog.is_empty() {
                let [catalog] = &state.catalogs[..] else {
                    let problem = StateProblem::NoCatalog {
                        subscription: subscription.name.clone(),
                        count: state.catalogs.len(),
                    };
                    return Err(self.wrong(&Path::parse("subscriptions").index(index), problem));
                };
                subscription.catalog.clone_from(&catalog.name);
            }
            if subscription.catalog_namespace.is_empty() {
                let mut catalogs = state.catalogs.iter();
                let named = catalogs.find(|catalog| catalog.name == subscription.catalog);
                let namespace = named.map_or(of_catalogs, |catalog| &catalog.namespace);
                subscription.catalog_namespace.clone_from(namespace);
            }
            // A key without a text is as good as none to OLM.
            for text in [
                &mut subscription.channel,
                &mut subscription.starting_csv,
                &mut subscription.installed_csv,
                &mut subscription.current_csv,
            ] {
                text.take_if(|text| text.is_empty());
            }
            if subscription.current_csv.is_none() {
                subscription.current_csv = subscription.installed_csv.clone();
            }
        }
        for grant in &mut state.grants {
            if grant.namespace.is_empty() {
                grant.namespace.clone_from(&state.namespace);
            }
        }
        Ok(())
    }

    fn check_catalogs(&self, state: &State) -> Result<(), StateError> {
        let all = Path::parse("catalogs");
        let names: Vec<String> = state
            .catalogs
            .iter()
            .map(|catalog| format!("{}/{}", catalog.namespace, catalog.name))
            .collect();
        self.unique("catalog", names.iter().map(String::as_str), |index| all.index(index))?;
        for (index, catalog) in state.catalogs.iter().enumerate() {
            let path = all.index(index);
            let packages = path.key("packages");
            let given = |path: &Path| path.get(self.document.value()).is_some_and(|value| !value.is_null());
            if catalog.source.is_some() && given(&packages) {
                let catalog = catalog.name.clone();
                return Err(self.wrong(&packages, StateProblem::SourceAndPackages { catalog }));
            }
            let names = catalog.packages.iter().map(|package| package.name.as_str());
            self.unique("package", names, |index| packages.index(index))?;
            for (index, package) in catalog.packages.iter().enumerate() {
                let path = packages.index(index);
                let (bundles, channels) = (path.key("bundles"), path.key("channels"));
                let names = || package.bundles.iter().map(|bundle| bundle.name.as_str());
                self.unique("bundle", names(), |index| bundles.index(index))?;
                let known: HashSet<&str> = names().collect();
                let names = package.channels.iter().map(|channel| channel.name.as_str());
                self.unique("channel", names, |index| channels.index(index))?;
                for (index, channel) in package.channels.iter().enumerate() {
                    let entries = channels.index(index).key("entries");
                    let names = || channel.entries.iter().map(|entry| entry.name.as_str());
                    self.unique("entry", names(), |index| entries.index(index))?;
                    if let Some(absent) = names().position(|name| !known.contains(name)) {
                        let problem = StateProblem::NoBundle {
                            package: package.name.clone(),
                            channel: channel.name.clone(),
                            bundle: names().nth(absent).unwrap_or_default().to_owned(),
                        };
                        return Err(self.wrong(&entries.index(absent), problem));
                    }
                }
            }
        }
        Ok(())
    }

    fn unique<'n>(
        &self,
        what: &'static str,
        names: impl Iterator<Item = &'n str>,
        path: impl Fn(usize) -> Path,
    ) -> Result<(), StateError> {
        let mut seen = HashSet::new();
        for (index, name) in names.enumerate() {
            if !seen.insert(name) {
                let name = name.to_owned();
                return Err(self.wrong(&path(index), StateProblem::Twice { what, name }));
            }
        }
        Ok(())
    }

    fn wrong(&self, path: &Path, problem: StateProblem) -> StateError {
        StateError {
            place: self.document.place(path),
            problem,
        }
    }

    fn shape(&self, path: &Path, found: &Value, wanted: impl Into<String>) -> StateError {
        let wanted = wanted.into();
        let quotes = wanted == "a text" && (found.is_number() || found.is_boolean());
        let shown = if path.is_root() {
            "the file".to_owned()
        } else {
            path.to_string()
        };
        let found = kind_of(found);
        self.wrong(
            path,
            StateProblem::Shape {
                path: shown,
                found,
                wanted,
                quotes,
            },
        )
    }

    /// A map with no other than these keys, without those that have nothing behind them.
    fn map(&self, value: &Value, keys: &'static [Key], path: &Path) -> Result<Value, StateError> {
        let Some(map) = value.as_object() else {
            return Err(self.shape(path, value, "a map"));
        };
        let mut checked = Map::new();
        for (name, value) in map {
            let here = path.key(name);
            let Some(key) = keys.iter().find(|key| key.name == name) else {
                let problem = StateProblem::UnknownKey {
                    key: name.clone(),
                    nearest: nearest(name, keys.iter().map(|key| key.name)),
                    known: keys.iter().map(|key| key.name).collect(),
                };
                return Err(StateError {
                    place: self.document.key_place(&here),
                    problem,
                });
            };
            if !value.is_null() {
                checked.insert(name.clone(), self.value(value, key, &here)?);
            }
        }
        let is_there = |key: &&Key| checked.get(key.name).is_some_and(|value| value.as_str() != Some(""));
        if let Some(key) = keys.iter().filter(|key| key.required).find(|key| !is_there(key)) {
            let shown = if path.is_root() {
                "the file".to_owned()
            } else {
                path.to_string()
            };
            let problem = StateProblem::Missing {
                path: shown,
                key: key.name,
            };
            return Err(self.wrong(path, problem));
        }
        Ok(Value::Object(checked))
    }

    fn value(&self, value: &Value, key: &Key, path: &Path) -> Result<Value, StateError> {
        let fits = match key.shape {
            Shape::Any => true,
            Shape::Text => value.is_string(),
            Shape::Flag => value.is_boolean(),
            Shape::Number(least, most) => value.as_i64().is_some_and(|number| (least..=most).contains(&number)),
            Shape::Choice(of) => value.as_str().is_some_and(|text| of.contains(&text)),
            Shape::TextList => {
                for (index, item) in self.items(value, path)? {
                    if !item.is_string() {
                        return Err(self.shape(&path.index(index), item, "a text"));
                    }
                }
                true
            }
            Shape::Objects(fields) => {
                for (index, item) in self.items(value, path)? {
                    self.object(item, fields, &path.index(index))?;
                }
                true
            }
            Shape::List(keys) => {
                let items = self.items(value, path)?;
                let items = items.map(|(index, item)| self.map(item, keys, &path.index(index)));
                return Ok(Value::Array(items.collect::<Result<_, _>>()?));
            }
        };
        if fits {
            return Ok(value.clone());
        }
        if key.name == "version" && path.steps().len() == 1 {
            let found = value.to_string();
            return Err(self.wrong(path, StateProblem::Version { found }));
        }
        let wanted = match key.shape {
            Shape::Flag => "true or false".to_owned(),
            Shape::Number(least, most) => format!("a whole number from {least} to {most}"),
            Shape::Choice(of) => of.join(" or "),
            _ => "a text".to_owned(),
        };
        Err(self.shape(path, value, wanted))
    }

    fn items<'v>(&self, value: &'v Value, path: &Path) -> Result<impl Iterator<Item = (usize, &'v Value)>, StateError> {
        let items = value.as_array().ok_or_else(|| self.shape(path, value, "a list"))?;
        Ok(items.iter().enumerate())
    }

    /// A map with any keys, of which these are texts.
    fn object(&self, value: &Value, fields: &[&'static str], path: &Path) -> Result<(), StateError> {
        if !value.is_object() {
            return Err(self.shape(path, value, "a map"));
        }
        for key in fields {
            match value.get(key) {
                Some(Value::String(text)) if !text.is_empty() => {}
                Some(Value::String(_)) | None => {
                    let problem = StateProblem::Missing {
                        path: path.to_string(),
                        key,
                    };
                    return Err(self.wrong(path, problem));
                }
                Some(other) => return Err(self.shape(&path.key(key), other, "a text")),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
