//! Checks NetworkPolicies: selectors, peers and ports.

use super::containers::is_port;
use super::part::Part;
use crate::kubernetes::names::is_port_name;
use crate::text::Path;
use serde_json::Value;
use std::net::Ipv6Addr;

impl<'a> Part<'a> {
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
        let whole = self.address_block(&block.key("cidr"));
        let except = block.key("except");
        for index in 0..self.list(&except).len() {
            let path = except.index(index);
            let part = self.address_block(&path);
            let (Some((cidr, whole)), Some((written, part))) = (&whole, part) else {
                continue;
            };
            if !part.is_smaller_part_of(whole) {
                let message = format!("{written:?} is not a smaller block within the cidr {cidr:?}");
                self.refuse(
                    &path,
                    message,
                    "Use a smaller block of the addresses in cidr, or remove it.",
                );
            }
        }
    }

    /// Checks a block of addresses, and returns it if it is valid.
    fn address_block(&mut self, path: &Path) -> Option<(&'a str, Block)> {
        let written = self.value(path).and_then(Value::as_str)?;
        let block = Block::read(written);
        if block.is_none() {
            let message = format!("{written:?} is not a block of addresses");
            self.refuse(
                path,
                message,
                "Use an address, a slash and the length of the prefix, such as 192.0.2.0/24.",
            );
        }
        Some((written, block?))
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

/// A block of addresses, such as `192.0.2.0/24`.
struct Block {
    is_v6: bool,
    /// The address, from the highest bit.
    address: u128,
    /// The length of the prefix.
    length: u32,
}

impl Block {
    /// Reads a block. Like older versions of Kubernetes, accepts bits after the prefix, and zeros before a number.
    fn read(text: &str) -> Option<Self> {
        let number = |text: &str, most: u32| {
            let is_number = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
            let number: u32 = text.parse().ok().filter(|_| is_number)?;
            (number <= most).then_some(number)
        };
        let (address, length) = text.split_once('/')?;
        let octets: Vec<&str> = address.split('.').collect();
        let octets: Option<Vec<u32>> = octets.into_iter().map(|octet| number(octet, 255)).collect();
        if let Some([a, b, c, d]) = octets.as_deref() {
            let address = u128::from(a << 24 | b << 16 | c << 8 | d) << 96;
            let length = number(length, 32)?;
            return Some(Self {
                is_v6: false,
                address,
                length,
            });
        }
        Some(Self {
            is_v6: true,
            address: address.parse::<Ipv6Addr>().ok()?.to_bits(),
            length: number(length, 128)?,
        })
    }

    /// Whether `whole` contains this block and other addresses.
    fn is_smaller_part_of(&self, whole: &Self) -> bool {
        let common = (self.address ^ whole.address).leading_zeros();
        self.is_v6 == whole.is_v6 && self.length > whole.length && common >= whole.length
    }
}

#[cfg(test)]
mod tests {
    use super::Block;

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
            assert!(Block::read(right).is_some(), "{right}");
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
            assert!(Block::read(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_smaller_part_has_the_same_prefix_and_is_not_the_whole() {
        let is_part = |part: &str, whole: &str| {
            let [part, whole] = [part, whole].map(|text| Block::read(text).unwrap());
            part.is_smaller_part_of(&whole)
        };
        for (part, whole) in [
            ("192.0.2.128/25", "192.0.2.0/24"),
            ("192.0.2.1/32", "0.0.0.0/0"),
            ("2001:db8::/32", "2001::/16"),
            ("::/1", "::/0"),
        ] {
            assert!(is_part(part, whole), "{part} {whole}");
            assert!(!is_part(whole, part), "{whole} {part}");
            assert!(!is_part(whole, whole), "{whole}");
        }
        for (part, whole) in [
            ("192.0.3.0/25", "192.0.2.0/24"),
            ("10.0.0.0/8", "::/0"),
            ("::/8", "0.0.0.0/0"),
        ] {
            assert!(!is_part(part, whole), "{part} {whole}");
        }
    }
}
