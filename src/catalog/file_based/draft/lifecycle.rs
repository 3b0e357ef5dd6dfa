//! Setting the maintenance periods and platforms of a package's versions.

use super::{Draft, DraftError};
use crate::catalog::file_based::lifecycle::{MinorVersion, Phase, Platform};
use serde_json::{Map, Value, json};

/// A change to the lifecycle of a version. An empty field leaves that part of the lifecycle unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LifecycleChange {
    /// The maintenance phases.
    pub phases: Vec<Phase>,
    /// The supported platforms, each with all of its versions.
    pub platforms: Vec<Platform>,
}

impl Draft {
    /// Sets the lifecycle of a version, which may be new.
    ///
    /// # Errors
    /// Returns an error if a new version has no phases.
    pub fn set_lifecycle(&mut self, version: MinorVersion, change: &LifecycleChange) -> Result<(), DraftError> {
        let place = self.lifecycles.iter().position(|known| of(known) == Some(version));
        let place = match place {
            Some(place) => place,
            None if change.phases.is_empty() => {
                return Err(DraftError::NoLifecycle {
                    package: self.name.clone(),
                    version,
                    others: self.lifecycles.iter().filter_map(of).collect(),
                });
            }
            None => {
                let above = |known: &Value| of(known).is_some_and(|known| known > version);
                let place = self.lifecycles.iter().position(above);
                let place = place.unwrap_or(self.lifecycles.len());
                self.lifecycles.insert(place, json!({"name": version.to_string()}));
                place
            }
        };
        let Some(known) = self.lifecycles.get_mut(place).and_then(Value::as_object_mut) else {
            return Ok(());
        };
        if !change.phases.is_empty() {
            let phases = change
                .phases
                .iter()
                .map(|phase| json!({"name": phase.name, "startDate": phase.start_date, "endDate": phase.end_date}));
            known.insert("phases".to_owned(), phases.collect());
        }
        if !change.platforms.is_empty() {
            set_platforms(known, &change.platforms);
        }
        Ok(())
    }

    /// Returns whether a bundle of the package has this version, as far as is known: a template may not contain the
    /// versions of its bundles.
    pub fn may_have_version(&self, version: MinorVersion) -> bool {
        self.bundles.iter().any(|bundle| {
            let known = bundle.version.as_ref();
            known.is_none_or(|known| (known.major, known.minor) == (version.major, version.minor))
        })
    }

    /// Sets the lifecycles of all versions: the field `versions` of a lifecycles document.
    pub fn set_lifecycles(&mut self, versions: Vec<Value>) {
        self.lifecycles = versions;
    }

    /// Removes the lifecycle of a version, or of all versions. Returns `false` if there was none.
    pub fn remove_lifecycle(&mut self, version: Option<MinorVersion>) -> bool {
        let before = self.lifecycles.len();
        self.lifecycles
            .retain(|known| version.is_some() && of(known) != version);
        self.lifecycles.len() < before
    }
}

/// Returns the version of an item.
fn of(lifecycle: &Value) -> Option<MinorVersion> {
    lifecycle.get("name")?.as_str()?.parse().ok()
}

fn value(platform: &Platform) -> Value {
    json!({"name": platform.name, "versions": platform.versions})
}

fn set_platforms(lifecycle: &mut Map<String, Value>, platforms: &[Platform]) {
    let field = lifecycle.entry("platformCompatibility").or_insert_with(|| json!([]));
    let Some(known) = field.as_array_mut() else {
        *field = platforms.iter().map(value).collect();
        return;
    };
    for platform in platforms {
        let named = |known: &&mut Value| known.get("name").and_then(Value::as_str) == Some(&platform.name);
        match known.iter_mut().find(named).and_then(Value::as_object_mut) {
            Some(known) => drop(known.insert("versions".to_owned(), json!(platform.versions))),
            None => known.push(value(platform)),
        }
    }
}
