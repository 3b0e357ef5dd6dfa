//! Checks NetworkPolicies: selectors, peers and ports.

use super::containers::is_port;
use super::part::Part;
use crate::kubernetes::names::is_port_name;
use crate::text::Path;
use serde_json::Value;
use std::net::Ipv6Addr;

impl Part<'_> {
    pub(super) fn network_policy(&mut self) {
        let spec = Path::from("spec");
        self.label_selector(&spec.key("podSelector"));
        for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
            let rules = spec.key(direction);
            for index in 0..self.list(&rules).len() {
                let rule = rules.index(index);
                let list = rule.key(peers);
                for index in 0..self.list(&list).len() {
                    self.peer(&list.index(index));
                }
                let list = rule.key("ports");
                for (index, port) in self.list(&list).iter().enumerate() {
                    self.policy_port(port, &list.index(index));
                }
            }
        }
    }

    fn peer(&mut self, at: &Path) {
        if !self.value(at).is_some_and(|peer| peer.is_object() || peer.is_null()) {
            return;
        }
        let block = at.key("ipBlock");
        match self
            .given(at, &["podSelector", "namespaceSelector", "ipBlock"])
            .as_slice()
        {
            [] => {
                let message = "a peer of a NetworkPolicy is empty".to_owned();
                self.refuse(
                    at,
                    message,
                    "Add podSelector, namespaceSelector or ipBlock, or remove the list.",
                );
            }
            [_, .., "ipBlock"] => {
                let message = "a peer of a NetworkPolicy has ipBlock in addition to a selector".to_owned();
                self.refuse(&block, message, "Use a separate peer for ipBlock.");
            }
            _ => {}
        }
        self.label_selector(&at.key("podSelector"));
        self.label_selector(&at.key("namespaceSelector"));
        self.address_block(&block.key("cidr"));
        let except = block.key("except");
        for index in 0..self.list(&except).len() {
            self.address_block(&except.index(index));
        }
    }

    fn address_block(&mut self, path: &Path) {
        let written = self.value(path).and_then(Value::as_str);
        if let Some(written) = written.filter(|written| !is_block(written)) {
            let message = format!("{written:?} is not a block of addresses");
            self.refuse(
                path,
                message,
                "Use an address, a slash and the length of the prefix, such as 192.0.2.0/24.",
            );
        }
    }

    fn policy_port(&mut self, port: &Value, at: &Path) {
        let (first_path, last_path) = (at.key("port"), at.key("endPort"));
        let last = port.get("endPort").filter(|last| !last.is_null());
        match port.get("port").unwrap_or(&Value::Null) {
            Value::String(name) if !is_port_name(name) => {
                let message = format!("{name:?} is not a valid port name");
                self.refuse(
                    &first_path,
                    message,
                    "Use a number without quotes, or the name of a port of a container.",
                );
            }
            number @ Value::Number(_) if !is_port(number) => {
                let message = format!("the port {number} is not between 1 and 65535");
                self.refuse(&first_path, message, "Use a number from 1 to 65535.");
            }
            Value::Number(first) => {
                let last = last.and_then(Value::as_i64);
                let is_less = |last: &i64| first.as_i64().is_some_and(|first| *last < first);
                if let Some(last) = last.filter(|last| *last > 65_535 || is_less(last)) {
                    let message = format!("endPort is {last}, but must be between port, {first}, and 65535");
                    self.refuse(
                        &last_path,
                        message,
                        "Use the last port of the range, or remove endPort.",
                    );
                }
            }
            Value::String(_) | Value::Null if last.is_some() => {
                let message = "endPort needs a number in port".to_owned();
                self.refuse(
                    &last_path,
                    message,
                    "Set port to the first port of the range, or remove endPort.",
                );
            }
            _ => {}
        }
    }
}

/// Whether the string is a block of addresses, such as `192.0.2.0/24`. Like older versions of Kubernetes, accepts bits
/// after the prefix, and zeros before a number.
fn is_block(text: &str) -> bool {
    let number = |text: &str, most: u32| {
        let is_number = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
        is_number && text.parse().is_ok_and(|number: u32| number <= most)
    };
    let Some((address, length)) = text.split_once('/') else {
        return false;
    };
    let octets: Vec<&str> = address.split('.').collect();
    if octets.len() == 4 && octets.iter().all(|octet| number(octet, 255)) {
        return number(length, 32);
    }
    address.parse::<Ipv6Addr>().is_ok() && number(length, 128)
}

#[cfg(test)]
mod tests {
    use super::is_block;

    #[test]
    fn blocks_consist_of_an_address_and_the_length_of_a_prefix() {
        for right in [
            "0.0.0.0/0",
            "192.0.2.0/24",
            "010.1.2.3/08",
            "::/0",
            "2001:db8::/128",
            "::ffff:192.0.2.1/96",
        ] {
            assert!(is_block(right), "{right}");
        }
        for wrong in [
            "",
            "nonsense",
            "192.0.2.0",
            "192.0.2/24",
            "256.0.0.0/8",
            "192.0.2.0/33",
            "::/129",
            "::/-1",
            "::1%1/8",
        ] {
            assert!(!is_block(wrong), "{wrong}");
        }
    }
}
