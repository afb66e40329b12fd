//! Which subjects and Message-IDs more than one placement has. Only repeated ones are kept, so that what is met once
//! costs a look and no row. A transaction gathers what it places and writes each subject and each id once.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use crate::store::StoreError;

/// What a transaction places, by subject and by Message-ID.
#[derive(Default)]
pub(super) struct Repeats {
    subjects: HashMap<i64, i64>,
    ids: HashMap<String, i64>,
}

impl Repeats {
    /// Notes that a message with this subject and id was placed once more.
    pub(super) fn placed(&mut self, subject_hash: Option<i64>, message_id: Option<&str>) {
        if let Some(hash) = subject_hash {
            *self.subjects.entry(hash).or_default() += 1;
        }
        if let Some(id) = message_id {
            *self.ids.entry(id.to_owned()).or_default() += 1;
        }
    }

    /// Writes what repeats. What has no row yet is counted: there were none or one before.
    pub(super) fn write(&self, connection: &Connection) -> Result<(), StoreError> {
        for (hash, times) in &self.subjects {
            // Most subjects are met for the first time, which the index of subjects tells by itself.
            if *times == 1 && !connection.prepare_cached(IS_REPEATED)?.exists([hash])? {
                continue;
            }
            if connection.prepare_cached(MORE_OF_SUBJECT)?.execute([hash, times])? == 0 {
                connection.prepare_cached(SECOND_OF_SUBJECT)?.execute([hash])?;
            }
        }
        for (id, times) in &self.ids {
            if connection.prepare_cached(MORE_OF_ID)?.execute(params![id, times])? == 0 {
                connection.prepare_cached(SECOND_OF_ID)?.execute([id])?;
            }
        }
        Ok(())
    }
}

/// Notes that a placement of a message with this subject and id is gone.
pub(super) fn removed(
    connection: &Connection,
    subject_hash: Option<i64>,
    message_id: Option<&str>,
) -> Result<(), StoreError> {
    for sql in [LESS_OF_SUBJECT, ONCE_OF_SUBJECT] {
        connection.prepare_cached(sql)?.execute([subject_hash])?;
    }
    for sql in [LESS_OF_ID, ONCE_OF_ID] {
        connection.prepare_cached(sql)?.execute([message_id])?;
    }
    Ok(())
}

const LESS_OF_SUBJECT: &str = "UPDATE repeated_subjects SET count = count - 1 WHERE subject_hash = ?1";
const ONCE_OF_SUBJECT: &str = "DELETE FROM repeated_subjects WHERE subject_hash = ?1 AND count < 2";
const LESS_OF_ID: &str = "UPDATE repeated_ids SET count = count - 1 WHERE message_id = ?1";
const ONCE_OF_ID: &str = "DELETE FROM repeated_ids WHERE message_id = ?1 AND count < 2";
/// Whether a second message, or the one there is a second time, has this subject.
const IS_REPEATED: &str = "
    SELECT 1 FROM messages m JOIN placements p ON p.message = m.id WHERE m.subject_hash = ?1 LIMIT 1 OFFSET 1";
const MORE_OF_SUBJECT: &str = "UPDATE repeated_subjects SET count = count + ?2 WHERE subject_hash = ?1";
const SECOND_OF_SUBJECT: &str = "
    INSERT INTO repeated_subjects (subject_hash, count)
    SELECT ?1, count(*) FROM messages m JOIN placements p ON p.message = m.id
    WHERE m.subject_hash = ?1 AND m.subject <> '' HAVING count(*) > 1";
const MORE_OF_ID: &str = "UPDATE repeated_ids SET count = count + ?2 WHERE message_id = ?1";
const SECOND_OF_ID: &str = "
    INSERT INTO repeated_ids (message_id, count)
    SELECT ?1, count(*) FROM messages m JOIN placements p ON p.message = m.id
    WHERE m.message_id = ?1 HAVING count(*) > 1";
