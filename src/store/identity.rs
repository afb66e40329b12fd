//! What a message is known by, so that two copies of it are one message however their lines end. Stores from before
//! that rule know their messages by the bytes as received; those are found under both names.

use crate::model::{ContentHash, MessageKey};
use crate::store::{Reader, StoreError};

/// What these bytes are stored under, or would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// The hash of the message that is stored, or of the new one.
    pub hash: ContentHash,
    /// Whether it is stored.
    pub is_known: bool,
}

impl Reader {
    /// Looks for a message with these bytes.
    pub fn identify(&self, bytes: &[u8]) -> Result<Identity, StoreError> {
        let hash = ContentHash::of_message(bytes);
        if self.knows(&hash)? {
            return Ok(Identity { hash, is_known: true });
        }
        let received = if self.received_up_to()? > 0 { self.known_as_received(bytes)? } else { None };
        Ok(Identity { hash: received.unwrap_or(hash), is_known: received.is_some() })
    }

    /// Whether a stored message's bytes are what its hash stands for.
    pub(super) fn is_identity(
        &self,
        key: MessageKey,
        hash: &ContentHash,
        raw: &[u8],
    ) -> Result<bool, StoreError> {
        let is_new = ContentHash::of_message(raw) == *hash;
        Ok(is_new || key.0 <= self.received_up_to()? && ContentHash::of(raw) == *hash)
    }

    /// Up to this row messages are known by their bytes as received; 0 for none.
    fn received_up_to(&self) -> Result<i64, StoreError> {
        let mut statement = self.connection().prepare_cached("SELECT up_to FROM received_identities")?;
        Ok(statement.query_row([], |row| row.get(0))?)
    }

    /// The hash of a message from before, which came with these line ends or with CRLF; with plain line feeds it has
    /// the hash it would have today.
    fn known_as_received(&self, bytes: &[u8]) -> Result<Option<ContentHash>, StoreError> {
        for hash in [ContentHash::of(bytes), ContentHash::of(&with_crlf(bytes))] {
            if self.knows(&hash)? {
                return Ok(Some(hash));
            }
        }
        Ok(None)
    }
}

fn with_crlf(bytes: &[u8]) -> Vec<u8> {
    let mut wire = Vec::with_capacity(bytes.len() + bytes.len() / 32);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match line {
            [text @ .., b'\n'] if !text.ends_with(b"\r") => {
                wire.extend_from_slice(text);
                wire.extend_from_slice(b"\r\n");
            }
            other => wire.extend_from_slice(other),
        }
    }
    wire
}
