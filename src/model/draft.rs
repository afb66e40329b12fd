//! A draft: a message that the owner has not sent. Its bytes are frozen when it is written, and an edit is a new
//! revision, so that a yes is always a yes to exactly these bytes.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::model::{Address, ContentHash, DraftId, DraftKey, ItemState, ShortId, ThreadKey};

/// A draft at its newest revision, without its bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// Its row.
    pub key: DraftKey,
    /// The id people see; edits keep it.
    pub id: DraftId,
    /// Address of the account it will leave from.
    pub account: String,
    /// Who it is from: the account's address or one of its aliases, with the name that the owner chose.
    pub from: Address,
    /// How far it is on its way out.
    pub state: ItemState,
    /// Counts from 1; every edit adds one.
    pub revision: i64,
    /// When it was first written, in seconds since 1970.
    pub created: i64,
    /// When this revision was written, in seconds since 1970.
    pub updated: i64,
    /// Its Message-ID without angle brackets; edits keep it.
    pub message_id: String,
    /// The message it replies to.
    pub answers: Option<Answered>,
    /// Who will get it.
    pub recipients: Recipients,
    /// Its subject.
    pub subject: String,
    /// Its text as it was given, or as it was made of the HTML.
    pub body: String,
    /// The HTML beside the text, made safe.
    pub html: Option<String>,
    /// How many things were taken out of the HTML to make it safe.
    pub html_removed: u32,
    /// What is attached, in order.
    pub attachments: Vec<DraftAttachment>,
    /// Stands for everything that would leave.
    pub hash: DraftHash,
}

/// A file in a draft; its bytes stand in the draft's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftAttachment {
    /// File name.
    pub name: String,
    /// Media type, such as `application/pdf`.
    pub content_type: String,
    /// Bytes before they are encoded.
    pub size: u64,
    /// SHA-256 over those bytes, as hex digits.
    pub sha256: String,
    /// IMAP part number in the draft's bytes.
    pub part: String,
}

/// The message that a draft replies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answered {
    /// The message.
    pub message: ShortId,
    /// Its thread, and so the draft's.
    pub thread: ThreadKey,
}

/// Everybody who will get a message. Only `to` and `cc` stand in its header.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recipients {
    /// To.
    pub to: Vec<Address>,
    /// Cc.
    pub cc: Vec<Address>,
    /// Bcc: they get the message and nobody sees them in it.
    pub bcc: Vec<Address>,
}

impl Recipients {
    /// All of them, in order.
    pub fn all(&self) -> impl Iterator<Item = &Address> {
        self.to.iter().chain(&self.cc).chain(&self.bcc)
    }

    /// Whether there is nobody.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }
}

/// SHA-256 over channel, account, the address it is from, envelope, and the frozen bytes with header, body and
/// attachments: everything that leaves but its `Date`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DraftHash(pub ContentHash);

/// What drafts leave by.
const CHANNEL: &str = "mail";

impl DraftHash {
    /// The hash of what would leave. Every field goes in with its length, so that nothing can move from one
    /// field to the next unseen.
    #[must_use]
    pub fn of(account: &str, from: &str, recipients: &Recipients, raw: &[u8]) -> Self {
        let mut hash = Sha256::new();
        let mut add = |field: &[u8]| {
            hash.update((field.len() as u64).to_be_bytes());
            hash.update(field);
        };
        add(b"mailkeep draft 2");
        add(CHANNEL.as_bytes());
        add(account.as_bytes());
        add(from.as_bytes());
        for list in [&recipients.to, &recipients.cc, &recipients.bcc] {
            add(&(list.len() as u64).to_be_bytes());
            list.iter().for_each(|to| add(to.address.as_bytes()));
        }
        add(raw);
        Self(ContentHash(hash.finalize().into()))
    }
}

#[cfg(test)]
mod tests {
    use super::{DraftHash, Recipients};
    use crate::model::Address;

    fn to(addresses: &[&str]) -> Vec<Address> {
        addresses.iter().map(|address| Address::new("", *address)).collect()
    }

    #[test]
    fn the_hash_changes_with_account_sender_every_list_and_the_bytes() {
        let raw = b"From: <a@x.example>\r\n\r\nHello\r\n";
        let both = Recipients { to: to(&["b@x.example", "c@x.example"]), ..Recipients::default() };
        let split =
            Recipients { to: to(&["b@x.example"]), bcc: to(&["c@x.example"]), ..Recipients::default() };
        let copied =
            Recipients { to: to(&["b@x.example"]), cc: to(&["c@x.example"]), ..Recipients::default() };

        let mut hashes = vec![
            DraftHash::of("a@x.example", "a@x.example", &both, raw),
            DraftHash::of("z@x.example", "a@x.example", &both, raw),
            DraftHash::of("a@x.example", "z@x.example", &both, raw),
            DraftHash::of("a@x.example", "a@x.example", &split, raw),
            DraftHash::of("a@x.example", "a@x.example", &copied, raw),
            DraftHash::of("a@x.example", "a@x.example", &both, &raw[1..]),
        ];

        assert_eq!(DraftHash::of("a@x.example", "a@x.example", &both, raw), hashes[0]);
        hashes.sort_by_key(|hash| hash.0.0);
        hashes.dedup();
        assert_eq!(hashes.len(), 6);
    }
}
