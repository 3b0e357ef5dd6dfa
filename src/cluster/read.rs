//! Reads a what-if file from its text; errors point at the place of the problem.

use super::keys::SHAPE;
use super::state::{NAMESPACE, State, VERSION};
use crate::rules;
use crate::shape::{self, Fault, Problem};
use crate::source::{Place, SourceFile};
use crate::text::{self, Document, Limits, Path};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// The reason why a file is not a valid what-if file.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct StateError {
    /// The place of the problem.
    pub place: Place,
    /// A description of the problem.
    pub problem: StateProblem,
}

/// A problem with a what-if file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateProblem {
    /// The text is not YAML or JSON, or is too large.
    #[error("{message}")]
    Unreadable {
        /// The message of the reader.
        message: String,
    },
    /// A limit on values was exceeded.
    #[error("at this line, the file exceeds the limit of {limit} keys and values")]
    TooMany {
        /// The limit.
        limit: usize,
    },
    /// The file has no document, or more than one.
    #[error("expected 1 document in a what-if file, found {count}")]
    Documents {
        /// The number of documents.
        count: usize,
    },
    /// The file is an object from a cluster instead of a description of a cluster.
    #[error("this is a Kubernetes object, not a what-if file")]
    Object,
    /// The format version is unknown.
    #[error("unknown format version {found}; this version of opmx supports only version {VERSION}")]
    Version {
        /// The version that was found.
        found: String,
    },
    /// The version of Kubernetes is not a version.
    #[error("kubernetesVersion must be a version such as 1.30.2, not {found:?}")]
    Kubernetes {
        /// The string that was found.
        found: String,
    },
    /// The table of keys does not allow a key or a value.
    #[error("{}{}", .0.message("the file"), .0.advice())]
    Shape(Problem),
    /// A catalog has both a source and packages.
    #[error("the catalog {catalog} has both a source and packages, but only one of them is allowed")]
    SourceAndPackages {
        /// The catalog.
        catalog: String,
    },
    /// A name appears twice.
    #[error("the {what} {name} appears twice")]
    Twice {
        /// The type of the named entry.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A channel has an entry for a bundle that the package does not contain.
    #[error("the package {package} has no bundle {bundle}, although its channel {channel} has an entry for it")]
    NoBundle {
        /// The package.
        package: String,
        /// The channel.
        channel: String,
        /// The bundle.
        bundle: String,
    },
    /// A subscription does not name its catalog, although there is no catalog, or more than one.
    #[error("the subscription {subscription} does not name its catalog, but there are {count} catalogs")]
    NoCatalog {
        /// The subscription.
        subscription: String,
        /// The number of catalogs.
        count: usize,
    },
    /// An error response has neither a reason nor a code.
    #[error("the error has neither a reason nor a code")]
    NoReason,
    /// The key table and the structure do not match, which would be a bug in opmx.
    #[error("{message}")]
    Inner {
        /// A description of the problem.
        message: String,
    },
}

/// Reads a what-if file. `name` is the path that errors show.
///
/// # Errors
/// Returns an error if the file is not YAML or JSON, or has an unknown key or an invalid value; the error points at the
/// line.
pub fn read(name: &str, bytes: &[u8], limits: &Limits) -> Result<State, StateError> {
    let mut reading = text::read(name, bytes, limits);
    let whole = || Place::new(&SourceFile::new(name, ""), 0..0);
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

/// Resolves the source that the what-if file at the path `file` names for a catalog. If the source is a path that
/// exists relative to the file, returns that path; otherwise, returns the source unchanged.
pub(crate) fn source_beside(file: &std::path::Path, source: &str) -> String {
    let (transport, path) = ["oci-archive:", "oci:"]
        .iter()
        .find_map(|transport| Some((*transport, source.strip_prefix(transport)?)))
        .unwrap_or(("", source));
    let beside = |path: &str| file.parent().unwrap_or(std::path::Path::new("")).join(path);
    // The tag is not part of the path of a layout.
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
        let value = self.document.value();
        if let Some(problem) = shape::check(value, &SHAPE, 1).pop() {
            return Err(self.misshapen(problem));
        }
        let keys = match shape::given(value, &SHAPE) {
            Value::Object(keys) => keys,
            _ => Map::new(),
        };
        let mut state = State::from_keys(keys).map_err(|error| {
            let message = error.to_string();
            self.wrong(&Path::root(), StateProblem::Inner { message })
        })?;
        self.complete(&mut state)?;
        if let Some(found) = state
            .kubernetes_version
            .clone()
            .filter(|_| state.kubernetes().is_none())
        {
            return Err(self.wrong(&Path::parse("kubernetesVersion"), StateProblem::Kubernetes { found }));
        }
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

    /// Fills in the defaults of optional values.
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
            // OLM treats an empty string as absent.
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

    fn misshapen(&self, problem: Problem) -> StateError {
        let path = problem.path.clone();
        if let (Fault::Type { .. }, true) = (&problem.fault, path == Path::root().key("version")) {
            let found = path
                .get(self.document.value())
                .map(Value::to_string)
                .unwrap_or_default();
            return self.wrong(&path, StateProblem::Version { found });
        }
        let place = match &problem.fault {
            Fault::UnknownKey { .. } => self.document.key_place(&path),
            _ => self.document.place(&path),
        };
        StateError {
            place,
            problem: StateProblem::Shape(problem),
        }
    }
}

#[cfg(test)]
mod tests;
