//! A mailbox address as it stands in a header field: a display name and an addr-spec, either may be missing.

use std::fmt;

/// One address of a header field, decoded, both parts on one line.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Address {
    /// Display name, without quotes; empty when there is none.
    pub name: String,
    /// `local@domain` as written; empty when the field held only a name.
    pub address: String,
}

impl Address {
    /// An address with an optional display name.
    pub fn new(name: impl Into<String>, address: impl Into<String>) -> Self {
        Self { name: name.into(), address: address.into() }
    }

    /// Reads an address as [`Display`](fmt::Display) shows it. Not for header fields: a comma belongs to the name.
    #[must_use]
    pub fn from_shown(text: &str) -> Self {
        let bracketed = text.strip_suffix('>').and_then(|rest| rest.rsplit_once('<'));
        match bracketed {
            Some((name, address)) => Self::new(name.trim_end(), address),
            None if text.contains('@') => Self::new("", text),
            None => Self::new(text, ""),
        }
    }

    /// As people write it: `Name <local@domain>`.
    #[must_use]
    pub fn shown(&self) -> String {
        match (self.name.is_empty(), self.address.is_empty()) {
            (true, _) => self.address.clone(),
            (false, true) => self.name.clone(),
            (false, false) => [&self.name, " <", &self.address, ">"].concat(),
        }
    }

    /// The part behind the last `@`, in lower case; empty when there is none.
    #[must_use]
    pub fn domain(&self) -> String {
        self.address.rsplit_once('@').map(|(_, domain)| domain.to_lowercase()).unwrap_or_default()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn what_an_address_shows_reads_back() {
        for address in [
            Address::new("Berg, Ada <x>", "ada@example.org"),
            Address::new("", "ada@example.org"),
            Address::new("undisclosed", ""),
        ] {
            assert_eq!(Address::from_shown(&address.to_string()), address);
        }
    }

    #[test]
    fn an_address_shows_its_name_before_the_brackets() {
        assert_eq!(Address::new("Ada", "ada@Example.ORG").to_string(), "Ada <ada@Example.ORG>");
        assert_eq!(Address::new("", "ada@example.org").to_string(), "ada@example.org");
        assert_eq!(Address::new("undisclosed", "").to_string(), "undisclosed");
        assert_eq!(Address::new("", "ada@Example.ORG").domain(), "example.org");
        assert_eq!(Address::new("", "ada").domain(), "");
    }
}
