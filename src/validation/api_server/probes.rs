//! Checks the probes and the lifecycle hooks of containers.

use super::containers::is_port;
use super::part::Part;
use crate::rules;
use crate::shape::nearest;
use crate::text::Path;
use crate::value::text;
use serde_json::Value;

impl Part<'_> {
    /// Checks the probes and the hooks of a container that has ports with these names.
    pub(super) fn probes(&mut self, container: &Value, at: &Path, names: &[&str]) {
        for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
            let path = at.key(probe);
            self.handlers(&path, probe, &["httpGet", "tcpSocket", "exec", "grpc"]);
            let numbers = [
                "initialDelaySeconds",
                "periodSeconds",
                "timeoutSeconds",
                "successThreshold",
                "failureThreshold",
            ];
            self.at_least(0, &path, &numbers);
            self.at_least(1, &path, &["terminationGracePeriodSeconds"]);
            if probe != "readinessProbe" {
                self.success_threshold(&path.key("successThreshold"), probe);
            }
            for action in ["httpGet", "tcpSocket"] {
                self.probed_port(container, probe, &path.key(action).key("port"), names);
            }
        }
        for hook in ["postStart", "preStop"] {
            let path = at.key("lifecycle").key(hook);
            self.handlers(&path, hook, &["httpGet", "tcpSocket", "exec", "sleep"]);
        }
    }

    /// Checks that a probe or a hook has one of these handlers.
    fn handlers(&mut self, at: &Path, name: &str, known: &[&str]) {
        if !self.value(at).is_some_and(Value::is_object) {
            return;
        }
        let given = self.given(at, known);
        match given.as_slice() {
            [] => {
                let help = format!("Add one of {}.", known.join(", "));
                self.refuse(at, format!("{name} has no handler"), &help);
            }
            [_] => {}
            _ => {
                let message = format!("{name} has more than one handler: {}", given.join(", "));
                self.refuse(at, message, "Keep one of them.");
            }
        }
    }

    /// Checks that a probe needs only one success. The API server replaces 0 with the default.
    fn success_threshold(&mut self, path: &Path, probe: &str) {
        let number = self.value(path).and_then(Value::as_i64);
        if let Some(number) = number.filter(|number| *number > 1) {
            let message = format!("successThreshold is {number}, but a {probe} allows only 1");
            self.refuse(path, message, "Use 1, or remove the field.");
        }
    }

    /// Checks the port that a probe uses.
    fn probed_port(&mut self, container: &Value, probe: &str, path: &Path, names: &[&str]) {
        let Some(port) = self.value(path) else { return };
        let used = format!(
            "the {probe} of container {:?} uses port {port}",
            text(container, "name")
        );
        match port {
            Value::String(name) if names.contains(&name.as_str()) => {}
            Value::String(name) => {
                let message = format!("{used}, but the container has no port of that name");
                let finding = self.finding(&rules::DEPLOYMENT_PORT, path, message);
                let help = match nearest(name, names.iter().copied()) {
                    _ if name.parse::<u16>().is_ok() => "Write the number without quotes.".to_owned(),
                    Some(meant) => format!("Use the name {meant}."),
                    None => "Use the number, or add the name to a port of the container.".to_owned(),
                };
                self.findings.push(finding.help(help));
            }
            number if !is_port(number) => {
                let message = format!("{used}, which is not between 1 and 65535");
                self.report(&rules::DEPLOYMENT_PORT, path, message);
            }
            _ => {}
        }
    }
}
