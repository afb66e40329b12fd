//! What is kept from tools: mail that carries a secret of its own, and what the owner lists.

use serde::{Deserialize, Serialize};

/// Grows whenever the classifier judges differently: stored messages are then judged anew.
pub const CLASSIFIER: i64 = 5;

/// A secret that a message carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretKind {
    /// A code that proves who somebody is, once.
    OneTimeCode = 1,
    /// A link that sets a new password.
    ResetLink = 2,
    /// A link that signs in.
    SignInLink = 3,
    /// A password that somebody was given.
    Password = 4,
    /// Codes that stand in for a lost device.
    BackupCode = 5,
    /// What an authenticator makes its codes from.
    AuthenticatorKey = 6,
}

impl SecretKind {
    /// What it is, for the owner.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OneTimeCode => "one-time code",
            Self::ResetLink => "password-reset link",
            Self::SignInLink => "sign-in link",
            Self::Password => "password",
            Self::BackupCode => "backup code",
            Self::AuthenticatorKey => "authenticator key",
        }
    }
}

impl SecretKind {
    /// The same with its article.
    #[must_use]
    pub fn with_article(self) -> String {
        let article = if self == Self::AuthenticatorKey { "an" } else { "a" };
        format!("{article} {}", self.name())
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
        self.senders.iter().filter(|_| self.on).find(|rule| lists(rule, address)).map(String::as_str)
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

/// Whether a rule, an address or a domain with everything below it, lists an address.
fn lists(rule: &str, address: &str) -> bool {
    let address = address.to_lowercase();
    let (_, domain) = address.rsplit_once('@').unwrap_or(("", ""));
    let rule = rule.trim().to_lowercase();
    let bare = rule.trim_start_matches('@');
    if bare.contains('@') {
        return bare == address;
    }
    domain == bare || domain.strip_suffix(bare).is_some_and(|rest| rest.ends_with('.'))
}

/// What the owner has released: mail that assistants may read although it carries a secret. The owner's lists of what is
/// withheld hold all the same.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Released {
    /// Addresses, or domains with everything below them.
    pub senders: Vec<String>,
    /// Threads.
    pub threads: Vec<ReleasedThread>,
}

/// A released thread: what those who were in it write there. A stranger's message may join it to another thread, and
/// must not open that one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleasedThread {
    /// Its number, which still leads to it when it was joined to another.
    pub thread: i64,
    /// Who had written in it.
    pub senders: Vec<String>,
}

impl Released {
    /// The rule that releases a sender.
    #[must_use]
    pub fn for_sender(&self, address: &str) -> Option<&str> {
        self.senders.iter().find(|rule| lists(rule, address)).map(String::as_str)
    }
}

impl ReleasedThread {
    /// Whether this is one of those who were in it.
    #[must_use]
    pub fn is_by(&self, address: &str) -> bool {
        !address.is_empty() && self.senders.iter().any(|sender| sender.eq_ignore_ascii_case(address))
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
