//! What stands on a message's envelope, as kept in front of its text: all that reading it needs beyond the columns.

use serde::{Deserialize, Serialize};

use crate::model::{Address, ParsedMessage};
use crate::store::StoreError;

/// Recipients and references of a message. Addresses are written as in a header field.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Envelope {
    /// From; may hold several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// To.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<String>,
    /// Cc.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cc: Vec<String>,
    /// Bcc.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bcc: Vec<String>,
    /// Reply-To.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reply_to: Vec<String>,
    /// Message-IDs of In-Reply-To.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub in_reply_to: Vec<String>,
    /// Message-IDs of References, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
}

impl Envelope {
    /// The envelope of a parsed message.
    #[must_use]
    pub fn of(parsed: &ParsedMessage) -> Self {
        let shown = |list: &[Address]| list.iter().map(Address::shown).collect();
        Self {
            from: shown(&parsed.from),
            to: shown(&parsed.to),
            cc: shown(&parsed.cc),
            bcc: shown(&parsed.bcc),
            reply_to: shown(&parsed.reply_to),
            in_reply_to: parsed.in_reply_to.clone(),
            references: parsed.references.clone(),
        }
    }

    /// A field as the public views show it: lists are JSON arrays, In-Reply-To is its first id, or nothing.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<String> {
        let list = match name {
            "recipients" => return serde_json::to_string(&self.recipients()).ok(),
            "to" => &self.to,
            "cc" => &self.cc,
            "bcc" => &self.bcc,
            "reply_to" => &self.reply_to,
            "references" => &self.references,
            _ => return self.in_reply_to.first().cloned(),
        };
        serde_json::to_string(list).ok()
    }

    /// Everybody it is addressed to.
    fn recipients(&self) -> Vec<&String> {
        self.to.iter().chain(&self.cc).chain(&self.bcc).collect()
    }

    /// The form that is stored.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("an envelope is plain strings, which JSON can hold")
    }

    /// Reads the stored form.
    pub fn from_json(bytes: &[u8]) -> Result<Self, StoreError> {
        serde_json::from_slice(bytes).map_err(|e| StoreError::content(&e))
    }
}
