//! Checks PodDisruptionBudgets and PriorityClasses.

use super::part::Part;
use crate::text::Path;
use serde_json::Value;

impl Part<'_> {
    pub(super) fn disruption_budget(&mut self) {
        let spec = Path::from("spec");
        if self.given(&spec, &["minAvailable", "maxUnavailable"]).len() > 1 {
            let message = "a PodDisruptionBudget has both minAvailable and maxUnavailable".to_owned();
            self.refuse(&spec.key("maxUnavailable"), message, "Keep one of them.");
        }
        self.labels(&spec.key("selector").key("matchLabels"));
    }

    pub(super) fn priority_class(&mut self) {
        let (path, name) = (Path::from("metadata.name"), self.object.name());
        if name.starts_with(SYSTEM) {
            let message = format!("the name of a PriorityClass must not begin with {SYSTEM}");
            self.refuse(&path, message, &format!("Use a name without the prefix {SYSTEM}."));
        }
        let path = Path::from("value");
        let value = self.value(&path).and_then(Value::as_i64);
        if let Some(value) = value.filter(|value| *value > HIGHEST) {
            let message = format!("the value {value} of a PriorityClass is above {HIGHEST}");
            self.refuse(&path, message, &format!("Use at most {HIGHEST}."));
        }
    }
}

/// The prefix of the names of the classes that Kubernetes itself defines.
const SYSTEM: &str = "system-";

/// The highest value of all other classes.
const HIGHEST: i64 = 1_000_000_000;
