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
        for key in ["minAvailable", "maxUnavailable"] {
            self.at_least(0, &spec, &[key]);
            let path = spec.key(key);
            let Some(written) = self.value(&path).and_then(Value::as_str) else {
                continue;
            };
            match percentage(written) {
                None => {
                    let message = format!("{key} is the string {written:?}, which is not a percentage");
                    self.refuse(
                        &path,
                        message,
                        "Write a number without quotes, or a percentage such as \"50%\".",
                    );
                }
                Some(101..) => {
                    let message = format!("{key} is {written}, which is more than 100%");
                    self.refuse(&path, message, "Use at most 100%.");
                }
                Some(_) => {}
            }
        }
        self.label_selector(&spec.key("selector"));
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

/// Returns the number of a percentage such as `50%`.
fn percentage(text: &str) -> Option<u32> {
    let digits = text.strip_suffix('%')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u32::MAX))
}

/// The prefix of the names of the classes that Kubernetes itself defines.
const SYSTEM: &str = "system-";

/// The highest value of all other classes.
const HIGHEST: i64 = 1_000_000_000;
