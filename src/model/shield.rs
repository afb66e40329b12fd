//! What is kept from tools: mail that carries a secret of its own, and what the owner lists.

use serde::{Deserialize, Serialize};

/// Grows whenever the classifier judges differently: stored messages are then judged anew.
pub const CLASSIFIER: i64 = 1;

/// A secret that a message carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretKind {
    /// A code that proves who somebody is, once.
    OneTimeCode = 1,
    /// A link that sets a new password.
    ResetLink = 2,
    /// A link that signs in.
    SignInLink = 3,
}

impl SecretKind {
    /// What it is, for the owner.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OneTimeCode => "one-time code",
            Self::ResetLink => "password-reset link",
            Self::SignInLink => "sign-in link",
        }
    }
}

/// The owner's rules: `[shield]` in the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShieldRules {
    /// Whether anything is withheld at all.
    pub on: bool,
    /// Addresses, or domains with everything below them.
    pub senders: Vec<String>,
    /// Labels, in any case.
    pub labels: Vec<String>,
    /// Addresses of accounts.
    pub accounts: Vec<String>,
    /// Whether tools may have raw bytes, which carry hidden text.
    pub raw: bool,
}

impl Default for ShieldRules {
    fn default() -> Self {
        Self { on: true, senders: Vec::new(), labels: Vec::new(), accounts: Vec::new(), raw: false }
    }
}

impl ShieldRules {
    /// The rule that lists a sender.
    #[must_use]
    pub fn for_sender(&self, address: &str) -> Option<&str> {
        let address = address.to_lowercase();
        let (_, domain) = address.rsplit_once('@').unwrap_or(("", ""));
        let lists = |rule: &&String| {
            let rule = rule.trim().to_lowercase();
            let bare = rule.trim_start_matches('@');
            match bare.contains('@') {
                true => bare == address,
                false => domain == bare || domain.strip_suffix(bare).is_some_and(|rest| rest.ends_with('.')),
            }
        };
        self.senders.iter().filter(|_| self.on).find(lists).map(String::as_str)
    }

    /// The rule that lists a label.
    #[must_use]
    pub fn for_label(&self, label: &str) -> Option<&str> {
        let same = |rule: &&String| rule.trim().eq_ignore_ascii_case(label);
        self.labels.iter().filter(|_| self.on).find(same).map(String::as_str)
    }

    /// The rule that lists an account.
    #[must_use]
    pub fn for_account(&self, address: &str) -> Option<&str> {
        let same = |rule: &&String| rule.trim().eq_ignore_ascii_case(address);
        self.accounts.iter().filter(|_| self.on).find(same).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::ShieldRules;

    #[test]
    fn a_domain_lists_everybody_below_it() {
        let rules = ShieldRules {
            senders: vec!["@Bank.example".to_owned(), "doc@clinic.example".to_owned()],
            ..ShieldRules::default()
        };
        for (address, listed) in [
            ("no-reply@bank.example", true),
            ("x@mail.bank.example", true),
            ("x@otherbank.example", false),
            ("DOC@clinic.example", true),
            ("nurse@clinic.example", false),
            ("", false),
        ] {
            assert_eq!(rules.for_sender(address).is_some(), listed, "{address}");
        }
        assert_eq!(ShieldRules { on: false, ..rules }.for_sender("doc@clinic.example"), None);
    }
}
