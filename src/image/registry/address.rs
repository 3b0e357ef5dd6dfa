//! The addresses to which a registry may direct opmx.
//!
//! A registry refers to other servers in the realm of a challenge, in redirects, and in the location of an upload. A
//! malicious registry could refer to a server that only this machine can reach. Therefore, opmx connects to a
//! non-public address only if the registry itself has such an address. The check uses the address of the actual
//! connection, not of an earlier lookup, because the address of a name may have changed by then.
//!
//! Proxies resolve names themselves. With a proxy, only numeric addresses can be checked, and a registry with a host
//! name is treated as public.

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The network location of an address, from the most public to the least public.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Zone {
    /// On the internet.
    Public,
    /// In a network that is not routed on the internet.
    Private,
    /// On this machine.
    Machine,
    /// At a link-local address, such as a cloud metadata server, or at an address that is not assigned to a single
    /// host.
    Link,
}

/// The purpose of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Requesting a token. The realm may be any address, and the response is sent to the registry.
    Token,
    /// Downloading content, which is verified by its digest. The storage of a public registry may have a private
    /// address, such as a cloud endpoint in the network of a customer.
    Content,
}

/// The network locations to which opmx may send a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Reach {
    private: bool,
    machine: bool,
    link: bool,
}

/// A server at a location to which the registry may not direct opmx.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) struct RefusedAddress {
    host: String,
    address: IpAddr,
}

impl Zone {
    pub(super) fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => Self::of_v4(address),
            IpAddr::V6(address) => Self::of_v6(address),
        }
    }

    fn of_v4(address: Ipv4Addr) -> Self {
        match address.octets() {
            // On Linux, connecting to the unspecified address also connects to this machine.
            [127, ..] | [0, 0, 0, 0] => Self::Machine,
            [169, 254, ..] | [224..=255, ..] => Self::Link,
            [0 | 10, ..]
            | [100, 64..=127, ..]
            | [172, 16..=31, ..]
            | [192, 168, ..]
            | [192, 0, 0 | 2, _]
            | [198, 18 | 19, ..]
            | [198, 51, 100, _]
            | [203, 0, 113, _] => Self::Private,
            _ => Self::Public,
        }
    }

    fn of_v6(address: Ipv6Addr) -> Self {
        let segments = address.segments();
        let v4 = |high: u16, low: u16| {
            let [a, b] = high.to_be_bytes();
            let [c, d] = low.to_be_bytes();
            Self::of_v4(Ipv4Addr::new(a, b, c, d))
        };
        match segments {
            [0, 0, 0, 0, 0, 0, 0, 0 | 1] => Self::Machine,
            // IPv4 addresses in IPv6: mapped, compatible, translated (NAT64), and 6to4.
            [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
            | [0, 0, 0, 0, 0xffff, 0, high, low]
            | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
            | [0x2002, high, low, ..] => v4(high, low),
            [0xfe80..=0xfebf | 0xff00..=0xffff, ..] => Self::Link,
            // Global addresses are in 2000::/3, except for Teredo, ORCHID and documentation addresses.
            [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Self::Private,
            [0x2000..=0x3fff, ..] => Self::Public,
            _ => Self::Private,
        }
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Public => "on the internet",
            Self::Private => "in a private network",
            Self::Machine => "on this machine",
            Self::Link => "link-local or reserved",
        })
    }
}

impl Reach {
    /// Any location, for servers that the user specifies.
    pub(super) const ANYWHERE: Self = Self {
        private: true,
        machine: true,
        link: true,
    };

    /// Returns the locations to which a registry at `registry` may direct opmx.
    pub(super) fn of_registry(registry: Zone, purpose: Purpose) -> Self {
        Self {
            private: purpose == Purpose::Content || matches!(registry, Zone::Private | Zone::Machine),
            machine: registry == Zone::Machine,
            link: registry == Zone::Link,
        }
    }

    pub(super) fn includes(self, zone: Zone) -> bool {
        match zone {
            Zone::Public => true,
            Zone::Private => self.private,
            Zone::Machine => self.machine,
            Zone::Link => self.link,
        }
    }

    /// Rejects a URL with a numeric address that is out of reach. The check is needed here because numeric addresses
    /// bypass the resolver.
    pub(super) fn check(self, url: &Url) -> Result<(), RefusedAddress> {
        match written(url) {
            Some(address) if !self.includes(Zone::of(address)) => Err(RefusedAddress {
                host: address.to_string(),
                address,
            }),
            _ => Ok(()),
        }
    }

    /// Returns the addresses of a host that are within reach. Returns an error if all addresses are out of reach.
    fn choose(self, host: &str, addresses: Vec<IpAddr>) -> Result<Vec<IpAddr>, RefusedAddress> {
        let (within, beyond): (Vec<_>, Vec<_>) = addresses
            .into_iter()
            .partition(|address| self.includes(Zone::of(*address)));
        match beyond.first() {
            Some(address) if within.is_empty() => Err(RefusedAddress {
                host: host.to_owned(),
                address: *address,
            }),
            _ => Ok(within),
        }
    }
}

/// Resolves names with the system resolver, and returns the addresses at allowed locations.
impl Resolve for Reach {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = *self;
        Box::pin(async move {
            let host = name.as_str();
            let found = tokio::net::lookup_host((host, 0)).await?;
            let within = reach.choose(host, found.map(|address| address.ip()).collect())?;
            let addresses: Addrs = Box::new(within.into_iter().map(|address| (address, 0).into()));
            Ok(addresses)
        })
    }
}

impl fmt::Display for RefusedAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, address } = self;
        write!(formatter, "{host} is {}", Zone::of(*address))?;
        if *host != address.to_string() {
            write!(formatter, " ({address})")?;
        }
        formatter.write_str(", but a registry at a different location may not direct opmx there")
    }
}

/// Returns the address of a URL with a numeric host.
pub(super) fn written(url: &Url) -> Option<IpAddr> {
    // In URLs, IPv6 addresses are in brackets.
    let host = url.host_str()?;
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Whether the host of a URL is this machine.
pub(super) fn is_this_machine(url: &Url) -> bool {
    let name = url.host_str().unwrap_or_default().trim_end_matches('.');
    let loopback = written(url).is_some_and(|address| address.is_loopback());
    loopback || name == "localhost" || name.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zones(zone: Zone, addresses: &[&str]) {
        for address in addresses {
            assert_eq!(Zone::of(address.parse().unwrap()), zone, "{address}");
        }
    }

    #[test]
    fn every_kind_of_address_has_a_zone() {
        zones(
            Zone::Public,
            &[
                "1.1.1.1",
                "9.255.255.255",
                "100.63.255.255",
                "100.128.0.0",
                "172.15.0.1",
                "172.32.0.1",
                "192.167.1.1",
                "223.255.255.255",
                "2606:4700::1111",
                "2001:4860:4860::8888",
                "::ffff:8.8.8.8",
                "64:ff9b::808:808",
                "2002:808:808::1",
            ],
        );
        zones(
            Zone::Private,
            &[
                "10.0.0.1",
                "100.64.0.1",
                "100.127.255.255",
                "172.16.0.1",
                "172.31.255.255",
                "192.168.0.1",
                "192.0.0.8",
                "198.18.0.1",
                "0.1.2.3",
                "fc00::1",
                "fd00:ec2::254",
                "fec0::1",
                "::ffff:10.1.2.3",
                "::10.1.2.3",
                "64:ff9b::a01:203",
                "64:ff9b:1::1",
                "2002:a01:203::1",
                "2001::1",
                "2001:db8::1",
                "100::1",
            ],
        );
        zones(
            Zone::Machine,
            &[
                "127.0.0.1",
                "127.255.255.254",
                "0.0.0.0",
                "::1",
                "::",
                "::ffff:127.0.0.1",
                "::ffff:0.0.0.0",
                "::127.0.0.1",
                "::ffff:0:127.0.0.1",
                "64:ff9b::7f00:1",
                "2002:7f00:1::",
            ],
        );
        zones(
            Zone::Link,
            &[
                "169.254.169.254",
                "224.0.0.1",
                "255.255.255.255",
                "240.0.0.1",
                "fe80::1",
                "febf::1",
                "ff02::1",
                "::ffff:169.254.169.254",
                "2002:a9fe:a9fe::",
            ],
        );
    }

    #[test]
    fn a_registry_redirects_only_to_zones_it_can_reach_itself() {
        use Zone::{Link, Machine, Private, Public};
        let reached = |registry, purpose| {
            let reach = Reach::of_registry(registry, purpose);
            let mut zones = vec![Public, Private, Machine, Link];
            zones.retain(|zone| reach.includes(*zone));
            zones
        };
        assert_eq!(reached(Public, Purpose::Token), [Public]);
        assert_eq!(reached(Private, Purpose::Token), [Public, Private]);
        assert_eq!(reached(Machine, Purpose::Token), [Public, Private, Machine]);
        assert_eq!(reached(Link, Purpose::Token), [Public, Link]);
        assert_eq!(reached(Public, Purpose::Content), [Public, Private]);
        assert_eq!(reached(Private, Purpose::Content), [Public, Private]);
        assert_eq!(reached(Machine, Purpose::Content), [Public, Private, Machine]);
    }

    #[test]
    fn numeric_addresses_are_classified_in_every_spelling() {
        let token = Reach::of_registry(Zone::Public, Purpose::Token);
        for url in [
            "http://127.0.0.1:80/",
            "https://127.1/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://0177.0.0.1/",
            "https://0/",
            "https://%31%32%37.0.0.1/",
            "https://１２７.０.０.１/",
            "https://user@127.0.0.1/",
            "https://registry.example.com@127.0.0.1/",
            "https://127.0.0.1./",
            "https://[::1]:443/",
            "https://[::ffff:127.0.0.1]/",
            "https://[::ffff:7f00:1]/",
            "https://[0:0:0:0:0:0:0:1]/",
            "https://[fe80::1]/",
            "https://[fd12::1]/",
            "https://169.254.169.254/latest/meta-data/",
            "https://2852039166/",
            "https://10.0.0.1/",
            "https://192.168.1.1/",
            "https://100.64.0.1/",
        ] {
            assert!(token.check(&url.parse().unwrap()).is_err(), "{url}");
            assert!(Reach::ANYWHERE.check(&url.parse().unwrap()).is_ok(), "{url}");
        }
        for url in [
            "https://8.8.8.8/",
            "https://auth.example.com/",
            "https://[2606:4700::1]/",
        ] {
            assert!(token.check(&url.parse().unwrap()).is_ok(), "{url}");
        }
    }

    #[test]
    fn a_name_with_several_addresses_is_connected_to_the_permitted_ones() {
        let reach = Reach::of_registry(Zone::Public, Purpose::Token);
        let addresses = |text: &[&str]| text.iter().map(|address| address.parse().unwrap()).collect::<Vec<_>>();
        let mixed = addresses(&["127.0.0.1", "8.8.8.8", "::1"]);
        assert_eq!(reach.choose("a.example.com", mixed), Ok(addresses(&["8.8.8.8"])));
        let error = reach.choose("a.example.com", addresses(&["10.0.0.1", "::1"]));
        assert_eq!(
            error.unwrap_err().to_string(),
            "a.example.com is in a private network (10.0.0.1), but a registry at a different location may not direct opmx there"
        );
    }

    #[tokio::test]
    async fn a_name_is_checked_when_connecting() {
        let name = || "localhost".parse::<Name>().unwrap();
        let reach = Reach::of_registry(Zone::Private, Purpose::Token);
        let error = reach.resolve(name()).await.err().unwrap();
        assert!(error.downcast_ref::<RefusedAddress>().is_some(), "{error}");
        let mut found = Reach::ANYWHERE.resolve(name()).await.unwrap();
        assert!(found.all(|address| address.ip().is_loopback()));
    }

    #[test]
    fn loopback_hosts_are_this_machine() {
        for host in [
            "localhost",
            "localhost.",
            "localhost:5000",
            "127.0.0.1:5000",
            "127.1.2.3",
            "a.localhost:1",
            "[::1]:5000",
        ] {
            assert!(is_this_machine(&format!("http://{host}").parse().unwrap()), "{host}");
        }
        for host in ["registry.example.com", "localhost.example.com:5000", "10.0.0.1:5000"] {
            assert!(!is_this_machine(&format!("http://{host}").parse().unwrap()), "{host}");
        }
    }
}
