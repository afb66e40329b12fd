//! Messages with the same subject or the same Message-ID, from the rows that the store keeps of repeated ones.

use std::cmp::Reverse;

use rusqlite::{Params, Row, ToSql, params};
use serde::Serialize;

use crate::query::QueryError;
use crate::query::analytics::selection::Mailboxes;
use crate::query::analytics::{Db, Similarity};
use crate::text_safety::many_lines;

/// Messages that are alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Duplicate {
    /// The subject or Message-ID that they share.
    pub similarity_field: String,
    /// How many there are.
    pub duplicate_count: usize,
    /// Their numbers; of very many, the first.
    pub email_ids: Vec<i64>,
}

const SUBJECTS: &str = "SELECT subject_hash, count FROM repeated_subjects ORDER BY count DESC, subject_hash";
const IDS: &str = "SELECT message_id, count FROM repeated_ids ORDER BY count DESC, message_id";
pub(super) const OF_SUBJECT: &str = "
    SELECT p.id, p.mailbox, m.subject FROM messages m
    CROSS JOIN placements p ON p.message = m.id WHERE m.subject_hash = ?1 ORDER BY p.id";
pub(super) const OF_ID: &str = "
    SELECT p.id, p.mailbox, m.message_id FROM messages m
    CROSS JOIN placements p ON p.message = m.id WHERE m.message_id = ?1 ORDER BY p.id";

impl Db<'_> {
    /// The largest groups first; equal ones by what they share.
    pub fn duplicates(&self, by: Similarity, limit: usize) -> Result<Vec<Duplicate>, QueryError> {
        let limit = self.clamp(limit);
        let mailboxes = self.mailboxes(None)?;
        let mut found: Vec<Duplicate> = Vec::new();
        let mut add = |key: &dyn ToSql, most: usize| {
            if is_full(&found, limit, most) {
                return Ok(false);
            }
            let group = match by {
                Similarity::Subject => self.group(OF_SUBJECT, params![key], &mailboxes)?,
                Similarity::MessageId => self.group(OF_ID, params![key], &mailboxes)?,
            };
            found.extend(group);
            Ok(true)
        };
        match by {
            Similarity::Subject => self.each_key(SUBJECTS, |row| row.get::<_, i64>(0), &mut add)?,
            Similarity::MessageId => self.each_key(IDS, |row| row.get::<_, String>(0), &mut add)?,
        }
        found.sort_by(|a, b| {
            let counts = Reverse(a.duplicate_count).cmp(&Reverse(b.duplicate_count));
            counts.then_with(|| a.similarity_field.cmp(&b.similarity_field))
        });
        found.truncate(limit);
        Ok(found)
    }

    fn each_key<K: ToSql>(
        &self,
        sql: &str,
        key: impl Fn(&Row<'_>) -> rusqlite::Result<K>,
        add: &mut dyn FnMut(&dyn ToSql, usize) -> Result<bool, QueryError>,
    ) -> Result<(), QueryError> {
        let mut statement = self.connection().prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if !add(&key(row)?, row.get(1)?)? {
                break;
            }
        }
        Ok(())
    }

    /// What can be seen of a group; `None` when that is no duplicate.
    fn group(
        &self,
        sql: &str,
        key: impl Params,
        mailboxes: &Mailboxes,
    ) -> Result<Option<Duplicate>, QueryError> {
        let mut statement = self.connection().prepare_cached(sql)?;
        let mut rows = statement.query(key)?;
        let mut group: Option<Duplicate> = None;
        while let Some(row) = rows.next()? {
            if !mailboxes.hold(row.get(1)?) {
                continue;
            }
            let group = match &mut group {
                Some(group) => group,
                None => group.insert(Duplicate {
                    similarity_field: many_lines(&row.get::<_, String>(2)?),
                    duplicate_count: 0,
                    email_ids: Vec::new(),
                }),
            };
            group.duplicate_count += 1;
            if group.email_ids.len() < self.bounds.max_limit {
                group.email_ids.push(row.get(0)?);
            }
        }
        Ok(group.filter(|group| group.duplicate_count > 1))
    }
}

/// Whether no group of at most `most` can come among the first. What is kept counts withheld messages and other accounts
/// too, so it may be more than what is seen, never less. One as large as the last of the first may come before it by its
/// name, so that the first of a longer list are a shorter list.
fn is_full(found: &[Duplicate], limit: usize, most: usize) -> bool {
    found.len() >= limit && found.iter().filter(|group| group.duplicate_count > most).count() >= limit
}
