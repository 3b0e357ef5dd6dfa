//! Checks the pod templates of Deployments.

use super::{Part, text};
use crate::image::check_pullable;
use crate::kubernetes::names::is_port_name;
use crate::rules;
use crate::shape::nearest;
use crate::text::Path;
use serde_json::Value;

impl Part<'_> {
    /// Checks the containers of the pod template below `at`.
    pub(super) fn pods(&mut self, label: &str, at: &Path) {
        let pod = at.join(&Path::from("spec.template.spec"));
        let containers = pod.key("containers");
        if self.list(&containers).is_empty() {
            let message = format!("{label} has no containers");
            let finding = self.finding(&rules::DEPLOYMENT_CONTAINERS, &containers, message);
            self.findings.push(finding.at(self.object.key_place(&pod)));
        }
        for list in [containers, pod.key("initContainers")] {
            for (index, container) in self.list(&list).iter().enumerate() {
                let path = list.index(index).key("image");
                let image = text(container, "image");
                // A build may replace the image, so this is only a warning. Placeholders of templates are ignored.
                if !image.contains(['$', '{']) && check_pullable(image).is_err() {
                    let message = if image.is_empty() {
                        format!("container {:?} of {label} has no image", text(container, "name"))
                    } else {
                        format!(
                            "{image:?} is not an image reference, so container {:?} of {label} never starts",
                            text(container, "name")
                        )
                    };
                    self.report(&rules::DEPLOYMENT_IMAGE, &path, message);
                }
                self.ports(container, &list.index(index));
            }
        }
    }

    /// Checks the ports of a container, and the ports that its probes use.
    fn ports(&mut self, container: &Value, at: &Path) {
        let list = at.key("ports");
        let mut names = Vec::new();
        for (index, port) in self.list(&list).iter().enumerate() {
            let path = list.index(index);
            if let Some(number) = port.get("containerPort").filter(|port| !is_port(port)) {
                let message = format!("the container port {number} is not between 1 and 65535");
                self.report(&rules::DEPLOYMENT_PORT, &path.key("containerPort"), message);
            }
            let name = text(port, "name");
            if !name.is_empty() && !is_port_name(name) {
                let message = format!("{name:?} is not a valid port name");
                let finding = self.finding(&rules::DEPLOYMENT_PORT, &path.key("name"), message);
                let help = "Use at most 15 lowercase letters, digits and single hyphens, with at least one letter.";
                self.findings.push(finding.help(help));
            }
            names.push(name);
        }
        for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
            for action in ["httpGet", "tcpSocket"] {
                let path = at.key(probe).key(action).key("port");
                let Some(port) = path.get(self.object.value()) else {
                    continue;
                };
                let used = format!(
                    "the {probe} of container {:?} uses port {port}",
                    text(container, "name")
                );
                match port {
                    Value::String(name) if names.contains(&name.as_str()) => {}
                    Value::String(name) => {
                        let message = format!("{used}, but the container has no port of that name");
                        let finding = self.finding(&rules::DEPLOYMENT_PORT, &path, message);
                        let help = match nearest(name, names.iter().copied()) {
                            _ if name.parse::<u16>().is_ok() => "Write the number without quotes.".to_owned(),
                            Some(meant) => format!("Use the name {meant}."),
                            None => "Use the number, or add the name to a port of the container.".to_owned(),
                        };
                        self.findings.push(finding.help(help));
                    }
                    number if !is_port(number) => {
                        let message = format!("{used}, which is not between 1 and 65535");
                        self.report(&rules::DEPLOYMENT_PORT, &path, message);
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Whether a value is the number of a port. Values of other types are reported elsewhere.
fn is_port(value: &Value) -> bool {
    value.as_i64().is_none_or(|number| (1..=65_535).contains(&number))
}
