//! Checks Deployments and the volumes of their pods.

use super::part::Part;
use crate::kubernetes::fields::{Fields, Type};
use crate::rules;
use crate::text::Path;
use serde_json::Value;
use std::collections::HashMap;

/// The names of the volumes of a pod, with the paths of the names.
pub(super) type Volumes<'a> = HashMap<&'a str, Path>;

impl<'a> Part<'a> {
    /// Checks the Deployment at `at`, and its pod template.
    pub(super) fn pods(&mut self, label: &str, at: &Path) {
        let spec = at.key("spec");
        let template = spec.key("template");
        let pod = template.key("spec");
        self.has_selector(&spec, label);
        self.label_selector(&spec.key("selector"));
        self.template_metadata(&template.key("metadata"));
        self.rollout(&spec, &pod);
        self.affinity(&pod);
        let volumes = self.volumes(&pod.key("volumes"));
        let containers = pod.key("containers");
        if self.list(&containers).is_empty() {
            let message = format!("{label} has no containers");
            let finding = self.finding(&rules::DEPLOYMENT_CONTAINERS, &containers, message);
            self.findings.push(finding.at(self.object.key_place(&pod)));
        }
        let lists = [containers, pod.key("initContainers")];
        for list in &lists {
            for (index, container) in self.list(list).iter().enumerate() {
                self.container(container, &list.index(index), label, volumes.as_ref());
            }
        }
        self.distinct(
            &lists,
            "name",
            "two containers are named",
            "Use a different name for each container.",
        );
    }

    /// Checks how a Deployment runs and replaces its pods.
    fn rollout(&mut self, spec: &Path, pod: &Path) {
        let counts = [
            "replicas",
            "minReadySeconds",
            "revisionHistoryLimit",
            "progressDeadlineSeconds",
        ];
        self.at_least(0, spec, &counts);
        let strategy = spec.key("strategy");
        let rolling = strategy.key("rollingUpdate");
        let recreates = self.value(&strategy.key("type")).and_then(Value::as_str) == Some("Recreate");
        if recreates && self.value(&rolling).is_some_and(Value::is_object) {
            let message = "the strategy Recreate allows no rollingUpdate".to_owned();
            let help = "Remove rollingUpdate, or use the type RollingUpdate.";
            self.refuse(&rolling, message, help);
        }
        let policy = pod.key("restartPolicy");
        let given = self.value(&policy).and_then(Value::as_str);
        // Another rule reports strings that are not restart policies.
        if let Some(given @ ("OnFailure" | "Never")) = given {
            let message = format!("restartPolicy is {given}, but a Deployment allows only Always");
            self.refuse(&policy, message, "Use Always, or remove the field.");
        }
    }

    /// Checks the volumes in a list, and returns them, or `None` if the value is not a list.
    fn volumes(&mut self, list: &Path) -> Option<Volumes<'a>> {
        let is_list = self.value(list).is_none_or(|list| list.is_array() || list.is_null());
        let known = volume_fields();
        for (index, volume) in self.list(list).iter().enumerate() {
            // The API server drops unknown fields.
            let is_source = |(key, value): &(&String, &Value)| {
                *key != "name" && !value.is_null() && known.is_some_and(|fields| fields.get(key).is_some())
            };
            let given = volume.as_object().into_iter().flatten().filter(is_source);
            let sources: Vec<&str> = given.map(|(key, _)| key.as_str()).collect();
            if sources.len() > 1 {
                let message = format!("a volume has more than one source: {}", sources.join(", "));
                self.refuse(&list.index(index), message, "Use a separate volume for each source.");
            }
            self.modes(&list.index(index));
        }
        let help = "Use a different name for each volume.";
        let volumes = self.distinct(std::slice::from_ref(list), "name", "two volumes are named", help);
        is_list.then_some(volumes)
    }

    /// Checks the file modes of a volume.
    fn modes(&mut self, volume: &Path) {
        let mut sources: Vec<Path> = MODES.iter().map(|source| volume.key(source)).collect();
        let projected = volume.key("projected").key("sources");
        for index in 0..self.list(&projected).len() {
            sources.extend(MODES.iter().map(|source| projected.index(index).key(source)));
        }
        for source in sources {
            self.mode(&source.key("defaultMode"));
            let items = source.key("items");
            for index in 0..self.list(&items).len() {
                self.mode(&items.index(index).key("mode"));
            }
        }
    }

    fn mode(&mut self, path: &Path) {
        let Some(mode) = self.value(path).and_then(Value::as_i64) else {
            return;
        };
        if !(0..=0o777).contains(&mode) {
            let digits = mode.to_string();
            let is_octal = digits.len() == 3 && digits.bytes().all(|digit| (b'0'..=b'7').contains(&digit));
            let message = format!("the file mode {mode} is not between 0 and 511, which is 0777 in octal");
            let help = if is_octal {
                format!("Write 0{mode} for the octal number.")
            } else {
                "Use a mode from 0 to 0777.".to_owned()
            };
            self.refuse(path, message, &help);
        }
    }
}

/// The sources of volumes whose files have modes.
const MODES: [&str; 4] = ["configMap", "downwardAPI", "projected", "secret"];

/// Returns the fields of a volume: its name and every kind of source.
fn volume_fields() -> Option<Fields> {
    let mut fields = Fields::of_kind("apps/v1", "Deployment")?;
    for key in ["spec", "template", "spec", "volumes"] {
        let mut field = fields.get(key)?;
        if let Type::List(item) = field {
            field = item;
        }
        let Type::Object(inner) = field else { return None };
        fields = *inner;
    }
    Some(fields)
}
