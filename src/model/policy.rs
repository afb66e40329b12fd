//! What the owner allows to leave. Preferences only: who checks them is `outbox`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Whether something may leave without being asked about; the smaller, the stricter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SendRule {
    /// A person says yes to each item.
    #[default]
    Approve,
    /// Items that only go to addresses of the list leave at once; a person says yes to the others.
    Allowlist,
    /// Everything leaves at once.
    Direct,
}

impl SendRule {
    /// The name people write.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Allowlist => "allowlist",
            Self::Direct => "direct",
        }
    }
}

/// What moving a note into the vault's `Approved` means; the smaller, the stricter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VaultApproval {
    /// That the person wants to decide about it next, on their page or terminal.
    #[default]
    Page,
    /// A yes, where a yes takes no more than a click, to a note that has stood unchanged for a while.
    TrustFolder,
}

impl VaultApproval {
    /// The name people write.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::TrustFolder => "trust-folder",
        }
    }
}

/// What proves that a yes is the person's; the greater, the stronger.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Factor {
    /// That they did it.
    #[default]
    Click,
    /// A number that only they know.
    Pin,
    /// A key that only they can use.
    Passkey,
}

impl Factor {
    /// The name kept in the store and shown to people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Click => "click",
            Self::Pin => "pin",
            Self::Passkey => "passkey",
        }
    }

    /// The factor with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Click, Self::Pin, Self::Passkey].into_iter().find(|factor| factor.name() == name)
    }
}

/// Where lines about the sending of an item are to be written, beside the audit chain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SendRecords {
    /// The vault that has a line before each send in its `Logs`.
    pub vault: Option<PathBuf>,
    /// The file that has a line after each attempt.
    pub log_file: Option<PathBuf>,
}

impl SendRecords {
    /// Whether nothing is to be written.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.vault.is_none() && self.log_file.is_none()
    }
}

/// `[policy]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PolicySettings {
    /// What holds where nothing else is said.
    pub send: SendRule,
    /// By account, profile or channel, each by its name; the strictest that fits counts.
    pub only: BTreeMap<String, SendRule>,
    /// Addresses, or domains as `@example.org`, that mail may go to without being asked about.
    pub allow: Vec<String>,
    /// Addresses and domains that nothing ever goes to.
    pub deny: Vec<String>,
    /// Items in an hour.
    pub per_hour: u32,
    /// Items in a day.
    pub per_day: u32,
    /// Items in an hour by a server, by its name (`smtp.example.org`, `gmail`).
    pub per_server: BTreeMap<String, u32>,
    /// Seconds in which a yes can be taken back.
    pub undo: u32,
    /// Hours after which a proposal that nobody decided about is void.
    pub expire: u32,
    /// Whether a note that is moved into the vault's `Approved` is approved by that.
    pub vault_approval: VaultApproval,
}

impl PolicySettings {
    /// The settings as they are kept, sealed and signed. What came later and is usual is left out, so that rules that
    /// were confirmed before it was there still read the same.
    #[must_use]
    pub fn kept(&self) -> Value {
        let mut kept = serde_json::to_value(self).expect("settings are JSON");
        if self.vault_approval == VaultApproval::default()
            && let Some(fields) = kept.as_object_mut()
        {
            fields.remove("vault_approval");
        }
        kept
    }
}

impl PolicySettings {
    /// How many may leave in an hour by this server. Names are written in any case; of several that mean it the smallest
    /// number counts.
    #[must_use]
    pub fn most_by(&self, server: &str) -> Option<u32> {
        let own = self.per_server.iter().filter(|(name, _)| name.to_lowercase() == server.to_lowercase());
        own.map(|(_, most)| *most).min()
    }
}

impl Default for PolicySettings {
    fn default() -> Self {
        Self {
            send: SendRule::Approve,
            only: BTreeMap::new(),
            allow: Vec::new(),
            deny: Vec::new(),
            per_hour: 100,
            per_day: 500,
            per_server: BTreeMap::new(),
            undo: 10,
            expire: 72,
            vault_approval: VaultApproval::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PolicySettings, VaultApproval};

    #[test]
    fn rules_that_were_kept_before_notes_could_be_approved_read_and_look_the_same() {
        let usual = PolicySettings::default();
        let trusting = PolicySettings { vault_approval: VaultApproval::TrustFolder, ..usual.clone() };

        assert!(usual.kept().get("vault_approval").is_none());
        assert_eq!(serde_json::from_value::<PolicySettings>(usual.kept()).unwrap(), usual);
        assert_eq!(trusting.kept()["vault_approval"], "trust-folder");
        assert_eq!(serde_json::from_value::<PolicySettings>(trusting.kept()).unwrap(), trusting);
    }
}
