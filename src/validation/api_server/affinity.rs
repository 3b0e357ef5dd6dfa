//! Checks how pods are scheduled relative to nodes and other pods.

use super::part::Part;
use crate::text::Path;
use serde_json::Value;

impl Part<'_> {
    /// Checks the affinities and spread constraints of a pod.
    pub(super) fn affinity(&mut self, pod: &Path) {
        let constraints = pod.key("topologySpreadConstraints");
        for index in 0..self.list(&constraints).len() {
            self.label_selector(&constraints.index(index).key("labelSelector"));
        }
        let affinity = pod.key("affinity");
        for kind in ["podAffinity", "podAntiAffinity"] {
            let required = affinity.key(kind).key(REQUIRED);
            for (index, term) in self.list(&required).iter().enumerate() {
                self.topology(term, &required.index(index));
            }
            let preferred = affinity.key(kind).key(PREFERRED);
            for (index, weighted) in self.list(&preferred).iter().enumerate() {
                let path = preferred.index(index);
                if !weighted.is_object() {
                    continue;
                }
                self.weight(weighted, &path);
                let term = weighted.get("podAffinityTerm").unwrap_or(&Value::Null);
                self.topology(term, &path.key("podAffinityTerm"));
            }
        }
        let preferred = affinity.key("nodeAffinity").key(PREFERRED);
        for (index, weighted) in self.list(&preferred).iter().enumerate() {
            if weighted.is_object() {
                self.weight(weighted, &preferred.index(index));
            }
        }
    }

    fn topology(&mut self, term: &Value, at: &Path) {
        self.label_selector(&at.key("labelSelector"));
        self.label_selector(&at.key("namespaceSelector"));
        let key = term.get("topologyKey").unwrap_or(&Value::Null);
        // Another rule reports values of the wrong type.
        if (term.is_object() || term.is_null()) && (key.is_null() || key == "") {
            let message = "a term of a pod affinity has no topologyKey".to_owned();
            let help = "Add the label of the nodes, such as kubernetes.io/hostname.";
            self.refuse(&at.key("topologyKey"), message, help);
        }
    }

    /// Checks the weight of a preferred term. The API server reads an absent weight as 0.
    fn weight(&mut self, term: &Value, at: &Path) {
        let weight = match term.get("weight") {
            None | Some(Value::Null) => Some(0),
            Some(weight) => weight.as_i64(),
        };
        if let Some(weight) = weight.filter(|weight| !(1..=100).contains(weight)) {
            let message = format!("the weight of a preferred term is {weight}, but must be between 1 and 100");
            self.refuse(&at.key("weight"), message, "Use a number from 1 to 100.");
        }
    }
}

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
