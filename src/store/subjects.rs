//! Subjects as numbers and as packed blocks: what finds equal subjects, and words inside subjects, among a million.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, params};

use crate::model::{ContentHash, MessageKey};
use crate::store::{Reader, StoreError};

/// How many message rows a block holds.
pub(super) const ROWS: i64 = 1024;

/// A text in small letters, as subjects and senders are looked through.
#[must_use]
pub fn folded(text: &str) -> String {
    text.to_lowercase()
}

/// A short number for a text: the first 63 bits of its SHA-256.
pub(super) fn hash(text: &str) -> i64 {
    let hash = ContentHash::of(text.as_bytes()).0;
    let head: [u8; 8] = std::array::from_fn(|i| hash[i]);
    (u64::from_be_bytes(head) >> 1).cast_signed()
}

/// The subjects that a transaction adds.
#[derive(Default)]
pub(super) struct NewSubjects(BTreeMap<i64, Vec<u8>>);

impl NewSubjects {
    pub(super) fn add(&mut self, key: MessageKey, subject: &str) {
        append(self.0.entry(key.0.div_euclid(ROWS)).or_default(), key.0.rem_euclid(ROWS), subject);
    }

    /// Forgets the subject of a message that was stored and removed in the same transaction.
    pub(super) fn remove(&mut self, key: MessageKey) {
        if let Some(block) = self.0.get_mut(&key.0.div_euclid(ROWS)) {
            *block = without(block, key.0.rem_euclid(ROWS));
        }
    }

    pub(super) fn write(&self, connection: &Connection) -> Result<(), StoreError> {
        const APPEND: &str = "
            INSERT INTO subject_blocks (block, subjects) VALUES (?1, ?2)
            ON CONFLICT DO UPDATE SET subjects = CAST(subjects || excluded.subjects AS BLOB)";
        let mut statement = connection.prepare_cached(APPEND)?;
        for (block, subjects) in &self.0 {
            statement.execute(params![block, subjects])?;
        }
        Ok(())
    }
}

/// Takes the subject of a message out of its block.
pub(super) fn erase(connection: &Connection, key: MessageKey) -> Result<(), StoreError> {
    const SELECT: &str = "SELECT subjects FROM subject_blocks WHERE block = ?1";
    let (block, row) = (key.0.div_euclid(ROWS), key.0.rem_euclid(ROWS));
    let found = connection.prepare_cached(SELECT)?.query_row([block], |row| row.get::<_, Vec<u8>>(0));
    let Some(subjects) = found.optional()? else { return Ok(()) };
    connection
        .prepare_cached("UPDATE subject_blocks SET subjects = ?2 WHERE block = ?1")?
        .execute(params![block, without(&subjects, row)])?;
    Ok(())
}

/// A block without the entries of one row.
fn without(block: &[u8], row: i64) -> Vec<u8> {
    let mut rest = Vec::with_capacity(block.len());
    each_entry(block, &mut |other, text| {
        if other != row {
            append(&mut rest, other, &String::from_utf8_lossy(text));
        }
    });
    rest
}

/// Adds an entry to a block.
pub(super) fn append(block: &mut Vec<u8>, row: i64, subject: &str) {
    let text = folded(subject);
    block.extend_from_slice(&u16::try_from(row).unwrap_or(u16::MAX).to_le_bytes());
    block.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
    block.extend_from_slice(text.as_bytes());
}

/// Calls `found` with the row and the folded subject of every message that is stored.
pub fn each_subject(reader: &Reader, found: &mut dyn FnMut(i64, &[u8])) -> Result<(), StoreError> {
    let mut statement = reader.connection().prepare_cached("SELECT block, subjects FROM subject_blocks")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let first: i64 = row.get::<_, i64>(0)? * ROWS;
        let block = row.get_ref(1)?.as_blob().map_err(|error| StoreError::content(&error))?;
        each_entry(block, &mut |row, text| found(first + row, text));
    }
    Ok(())
}

/// Goes through a block; one that is damaged ends where it stops making sense.
pub(super) fn each_entry(mut block: &[u8], found: &mut dyn FnMut(i64, &[u8])) {
    while let Some((head, rest)) = block.split_first_chunk::<6>() {
        let row = u16::from_le_bytes([head[0], head[1]]);
        let length = u32::from_le_bytes([head[2], head[3], head[4], head[5]]) as usize;
        let Some((text, next)) = rest.split_at_checked(length) else { return };
        found(i64::from(row), text);
        block = next;
    }
}

#[cfg(test)]
mod tests {
    use super::{append, each_entry};

    #[test]
    fn what_is_packed_is_read_back_in_small_letters() {
        let mut block = Vec::new();
        for (row, subject) in [(0, "Ärger"), (1, ""), (1023, "Re: X")] {
            append(&mut block, row, subject);
        }

        let mut read = Vec::new();
        each_entry(&block, &mut |row, text| read.push((row, String::from_utf8(text.to_vec()).unwrap())));

        assert_eq!(read, [(0, "ärger".to_owned()), (1, String::new()), (1023, "re: x".to_owned())]);
    }

    #[test]
    fn a_damaged_block_ends_quietly() {
        let mut read = 0;
        each_entry(&[1, 0, 255, 255, 255, 255, 65], &mut |_, _| read += 1);
        assert_eq!(read, 0);
    }
}
