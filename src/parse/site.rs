//! The part of a host's name that somebody registered: who owns it, whatever stands before it.

use std::net::IpAddr;

/// `example.co.uk` of `www.example.co.uk`, by the list of public suffixes; a number or a bare name is all of it.
#[must_use]
pub fn site(host: &str) -> &str {
    let host = host.trim_end_matches('.');
    let number = host.trim_start_matches('[').trim_end_matches(']');
    if number.parse::<IpAddr>().is_ok() { host } else { psl::domain_str(host).unwrap_or(host) }
}

/// Whether the name ends as names of hosts do: `bank.com`, not `2.0` or `etc`.
#[must_use]
pub fn is_host_name(text: &str) -> bool {
    let is_label =
        |label: &str| !label.is_empty() && !label.contains(|c: char| !c.is_alphanumeric() && c != '-');
    let ends_known = psl::suffix(text.as_bytes()).is_some_and(|suffix| suffix.is_known());
    text.contains('.') && text.split('.').all(is_label) && (ends_known || text.ends_with(".example"))
}

#[cfg(test)]
mod tests {
    use super::{is_host_name, site};

    #[test]
    fn a_site_is_what_somebody_registered() {
        for (host, expected) in [
            ("www.example.co.uk", "example.co.uk"),
            ("bank.example.evil.com", "evil.com"),
            ("evil.github.io", "evil.github.io"),
            ("a.b.c.example.", "c.example"),
            ("127.0.0.1", "127.0.0.1"),
            ("[::1]", "[::1]"),
            ("localhost", "localhost"),
            ("com", "com"),
        ] {
            assert_eq!(site(host), expected, "{host}");
        }
    }

    #[test]
    fn names_of_hosts_are_told_from_other_words() {
        assert!(
            ["bank.com", "www.bank.co.uk", "bücher.de", "bank.example"].iter().all(|name| is_host_name(name))
        );
        assert!(
            !["2.0", "etc.", "e.g", "report.pdf", "word", ".com", "a..com"]
                .iter()
                .any(|name| is_host_name(name))
        );
    }
}
