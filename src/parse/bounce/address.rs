//! One spelling for all spellings of an address, so that what a report names can be held against what was sent.

use super::super::suspicion;
use super::delivery_status::xtext;

/// An address as it can be compared: lower case, the domain in letters, without quotes that change nothing. Local parts
/// may tell capitals apart (RFC 5321, 2.4); nobody does, and systems that report change them.
#[must_use]
pub fn comparable(address: &str) -> String {
    let address = address.trim().trim_start_matches('<').trim_end_matches('>');
    let Some((local, domain)) = address.rsplit_once('@') else { return address.to_lowercase() };
    let local = local.strip_prefix('"').and_then(|local| local.strip_suffix('"')).unwrap_or(local);
    let labels: Vec<String> =
        domain.trim_end_matches('.').to_lowercase().split('.').map(suspicion::decoded).collect();
    format!("{}@{}", local.to_lowercase(), labels.join("."))
}

/// The same of one that may still be written as in an SMTP command (RFC 3461, 4): `+2B` for a plus sign.
#[must_use]
pub fn comparable_xtext(address: &str) -> String {
    comparable(&xtext(address))
}

#[cfg(test)]
mod tests {
    use super::comparable;

    #[test]
    fn spellings_of_one_address_compare_equal() {
        for (one, other) in [
            ("Bob@There.Example", "bob@there.example"),
            ("<bob@there.example>", "bob@there.example."),
            ("\"bob\"@there.example", "bob@there.example"),
            ("jürgen@xn--mller-kva.example", "JÜRGEN@MÜLLER.example"),
        ] {
            assert_eq!(comparable(one), comparable(other), "{one}");
        }
        assert_ne!(comparable("bob@there.example"), comparable("bob@here.example"));
        assert_ne!(comparable("bob"), comparable("bob@there.example"));
    }
}
