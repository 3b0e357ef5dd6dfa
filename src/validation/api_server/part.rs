//! Gets the values of an object by path, and reports findings about them.

use crate::diagnostic::Diagnostic;
use crate::manifest::Object;
use crate::rules::{self, Rule};
use crate::shape::nearest;
use crate::text::Path;
use crate::validation::validators::metadata;
use crate::value::text;
use serde_json::Value;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The object to check, and the findings so far.
pub(super) struct Part<'a> {
    pub(super) object: &'a Object,
    pub(super) findings: &'a mut Vec<Diagnostic>,
}

impl<'a> Part<'a> {
    pub(super) fn list(&self, path: &Path) -> &'a [Value] {
        let list = path.get(self.object.value()).and_then(Value::as_array);
        list.map_or(&[], Vec::as_slice)
    }

    pub(super) fn finding(&self, rule: &'static Rule, path: &Path, message: String) -> Diagnostic {
        let finding = Diagnostic::new(rule, message).object(self.object.label());
        finding.path(path).at(self.object.place(path))
    }

    pub(super) fn report(&mut self, rule: &'static Rule, path: &Path, message: String) {
        let finding = self.finding(rule, path, message);
        self.findings.push(finding);
    }

    /// Reports items of these lists that have the same string at `key`. Returns all strings, each with the path of its
    /// first occurrence.
    pub(super) fn distinct(&mut self, lists: &[Path], key: &str, wrong: &str, help: &str) -> HashMap<&'a str, Path> {
        let mut all = HashMap::new();
        for list in lists {
            for (index, item) in self.list(list).iter().enumerate() {
                let string = text(item, key);
                if string.is_empty() {
                    continue;
                }
                let path = list.index(index).key(key);
                match all.entry(string) {
                    Entry::Vacant(entry) => {
                        entry.insert(path);
                    }
                    Entry::Occupied(first) => {
                        let message = format!("{wrong} {string:?}");
                        let finding = self.finding(&rules::OBJECT_FIELD_VALUE, &path, message);
                        let finding = finding.also(self.object.place(first.get()), "the first one");
                        self.findings.push(finding.help(help));
                    }
                }
            }
        }
        all
    }

    /// Reports numbers at these keys that are less than `least`.
    pub(super) fn at_least(&mut self, least: i64, at: &Path, keys: &[&str]) {
        for key in keys {
            let path = at.key(key);
            let number = self.value(&path).and_then(Value::as_i64);
            if let Some(number) = number.filter(|number| *number < least) {
                let message = format!("{key} is {number}, but must be at least {least}");
                self.refuse(&path, message, &format!("Use {least} or a larger number."));
            }
        }
    }

    /// Returns the keys that have a value other than `null` in the map at `at`.
    pub(super) fn given<'k>(&self, at: &Path, keys: &[&'k str]) -> Vec<&'k str> {
        let map = self.value(at).and_then(Value::as_object);
        let has = |key: &str| map.and_then(|map| map.get(key)).is_some_and(|value| !value.is_null());
        keys.iter().copied().filter(|key| has(key)).collect()
    }

    /// Returns the most similar name, if there are few names and few findings so far, because comparing names is slow.
    pub(super) fn similar<'n>(&self, name: &str, names: impl ExactSizeIterator<Item = &'n str>) -> Option<&'n str> {
        let counts = [name.len(), names.len(), self.findings.len()];
        let is_quick = counts.iter().all(|count| *count <= QUICK);
        is_quick.then(|| nearest(name, names)).flatten()
    }

    pub(super) fn value(&self, path: &Path) -> Option<&'a Value> {
        path.get(self.object.value())
    }

    /// Reports a key that the API server rejects.
    pub(super) fn refuse_key(&mut self, path: &Path, message: String, help: &str) {
        let finding = self.finding(&rules::OBJECT_FIELD_VALUE, path, message);
        self.findings.push(finding.at(self.object.key_place(path)).help(help));
    }

    /// Checks a map of labels.
    pub(super) fn labels(&mut self, path: &Path) {
        metadata::labels(self.object, path, &rules::CONTENT_METADATA, self.findings);
    }

    /// Checks the labels and annotations of a pod template.
    pub(super) fn template_metadata(&mut self, at: &Path) {
        self.labels(&at.key("labels"));
        metadata::annotations(
            self.object,
            &at.key("annotations"),
            &rules::CONTENT_METADATA,
            self.findings,
        );
    }

    /// Reports a value that the API server rejects.
    pub(super) fn refuse(&mut self, path: &Path, message: String, help: &str) {
        let finding = self.finding(&rules::OBJECT_FIELD_VALUE, path, message);
        self.findings.push(finding.help(help));
    }
}

/// The maximum length of the name, number of other names, and number of findings at which [`Part::similar`] still
/// compares names.
const QUICK: usize = 64;

/// Whether the API server treats a string as absent.
pub(super) fn is_unset(value: Option<&Value>) -> bool {
    value.is_none_or(|value| value.is_null() || value == "")
}
