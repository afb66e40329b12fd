//! Which addresses of the network a stranger may have us speak to: public ones, and nothing of the owner's own machine or
//! network. A name is looked up once; what is checked is what is spoken to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::wire;

/// The address of a host, if all of its addresses are public.
pub(super) fn address_of(host: &str, port: u16) -> Result<SocketAddr, Refused> {
    if let Some(address) = in_tests(host) {
        return address;
    }
    let found = wire::addresses(host, port).map_err(|error| Refused::Unknown(error.to_string()))?;
    chosen(&found)
}

/// Why a host is not spoken to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refused {
    /// It could not be looked up now.
    Unknown(String),
    /// It leads to where no stranger may lead us.
    NotPublic(IpAddr),
}

/// One address that is not public is enough to refuse the name: which of them a connection would take is chance.
fn chosen(found: &[SocketAddr]) -> Result<SocketAddr, Refused> {
    match found.iter().find(|it| !is_public(it.ip())) {
        Some(other) => Err(Refused::NotPublic(other.ip())),
        None => found.first().copied().ok_or_else(|| Refused::Unknown("the name has no address".to_owned())),
    }
}

/// Where a test's own server is: only a build for tests reads it. `MAILKEEP_TEST_HOSTS` gives names an address that is
/// checked as any other; `MAILKEEP_TEST_DOUBLE` one that is not.
#[cfg(debug_assertions)]
fn in_tests(host: &str) -> Option<Result<SocketAddr, Refused>> {
    let named = |variable: &str| {
        let pairs = std::env::var(variable).ok()?;
        let address = pairs.split(',').find_map(|pair| pair.strip_prefix(host)?.strip_prefix('='))?;
        address.parse::<SocketAddr>().ok()
    };
    named("MAILKEEP_TEST_DOUBLE").map(Ok).or_else(|| Some(chosen(&[named("MAILKEEP_TEST_HOSTS")?])))
}

#[cfg(not(debug_assertions))]
const fn in_tests(_: &str) -> Option<Result<SocketAddr, Refused>> {
    None
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// By the registry of special addresses (RFC 6890 and what was added since).
fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || matches!(
            (a, b, c),
            (0 | 240..=255, ..) | (100, 64..=127, _) | (192, 0, 0) | (192, 88, 99) | (198, 18 | 19, _)
        );
    !is_special
}

/// Only global addresses, and none that stands for one of IPv4 or goes through a tunnel.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    let is_global = a & 0xe000 == 0x2000;
    let is_special = matches!((a, b), (0x2001, 0..=0x01ff | 0x0db8) | (0x2002, _) | (0x3fff, 0..=0x0fff));
    is_global && !is_special
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, SocketAddr};

    use super::{Refused, chosen, is_public};

    #[test]
    fn nothing_of_the_owners_own_network_is_public() {
        for address in [
            "127.0.0.1",
            "127.8.8.8",
            "0.0.0.0",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.127.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "fec0::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001::1",
            "2001:db8::1",
            "100::1",
        ] {
            assert!(!is_public(address.parse::<IpAddr>().unwrap()), "{address}");
        }
        for address in ["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450::1"]
        {
            assert!(is_public(address.parse::<IpAddr>().unwrap()), "{address}");
        }
    }

    #[test]
    fn a_name_with_one_address_that_is_not_public_is_refused() {
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();

        assert_eq!(chosen(&[at("8.8.8.8:443"), at("1.1.1.1:443")]), Ok(at("8.8.8.8:443")));
        assert_eq!(
            chosen(&[at("8.8.8.8:443"), at("127.0.0.1:443")]),
            Err(Refused::NotPublic("127.0.0.1".parse().unwrap()))
        );
        assert!(matches!(chosen(&[]), Err(Refused::Unknown(_))));
    }
}
