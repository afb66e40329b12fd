//! Messages with the same subject or the same Message-ID, from the rows that the store keeps of repeated ones.

use std::cmp::Reverse;

use rusqlite::{Params, params};
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
const SUBJECTS_OF_COUNT: &str = "SELECT count(*) FROM repeated_subjects WHERE count = ?1";
const IDS: &str = "SELECT message_id, count FROM repeated_ids ORDER BY count DESC, message_id";
pub(super) const OF_SUBJECT: &str = "
    SELECT p.id, p.mailbox, m.subject FROM messages m
    CROSS JOIN placements p ON p.message = m.id WHERE m.subject_hash = ?1 ORDER BY p.id";
pub(super) const OF_ID: &str = "
    SELECT p.id, p.mailbox, m.message_id FROM messages m
    CROSS JOIN placements p ON p.message = m.id WHERE m.message_id = ?1 ORDER BY p.id";

/// Up to so many groups of one size are put in the order of their names; more stay in the order of their numbers.
const NAMED: i64 = 2_000;
/// How many groups are read between two looks at whether there are enough.
const STEP: usize = 100;

/// Where a group comes: the largest first, then by name, then by number.
type Rank = (Reverse<usize>, String, i64);

/// The groups found so far, and how many are wanted.
struct Ranked {
    found: Vec<(Rank, Duplicate)>,
    limit: usize,
    looked_at: usize,
}

impl Ranked {
    /// Whether what is found fills the list before this rank. What is kept counts withheld messages and other accounts
    /// too, so that a group may be smaller than it says, never larger: nothing that follows comes before its rank.
    fn is_full(&mut self, next: &Rank) -> bool {
        self.looked_at += 1;
        self.looked_at % STEP == 1
            && self.found.len() >= self.limit
            && self.found.iter().filter(|(rank, _)| rank < next).count() >= self.limit
    }

    fn first(mut self) -> Vec<Duplicate> {
        self.found.sort_by(|(a, _), (b, _)| a.cmp(b));
        self.found.truncate(self.limit);
        self.found.into_iter().map(|(_, group)| group).collect()
    }
}

impl Db<'_> {
    /// The largest groups first; equal ones by what they share, as long as these are not very many.
    pub fn duplicates(&self, by: Similarity, limit: usize) -> Result<Vec<Duplicate>, QueryError> {
        let ranked = Ranked { found: Vec::new(), limit: self.clamp(limit), looked_at: 0 };
        match by {
            Similarity::Subject => self.by_subject(ranked),
            Similarity::MessageId => self.by_message_id_shared(ranked),
        }
    }

    fn by_subject(&self, mut ranked: Ranked) -> Result<Vec<Duplicate>, QueryError> {
        let mailboxes = self.mailboxes(None)?;
        let mut statement = self.connection().prepare_cached(SUBJECTS)?;
        let mut rows = statement.query([])?;
        let mut named = (0, false);
        while let Some(row) = rows.next()? {
            let (hash, most): (i64, usize) = (row.get(0)?, row.get(1)?);
            if named.0 != most {
                let equal = self.numbers(SUBJECTS_OF_COUNT, [most as i64])?;
                named = (most, equal.iter().sum::<i64>() <= NAMED);
            }
            // Where names decide, any name may still come.
            let next = (Reverse(most), String::new(), if named.1 { i64::MIN } else { hash });
            if ranked.is_full(&next) {
                break;
            }
            if let Some(group) = self.group(OF_SUBJECT, params![hash], &mailboxes)? {
                let name = if named.1 { group.similarity_field.clone() } else { String::new() };
                ranked.found.push(((Reverse(group.duplicate_count), name, hash), group));
            }
        }
        Ok(ranked.first())
    }

    /// Ids of one size come in the order of their names.
    fn by_message_id_shared(&self, mut ranked: Ranked) -> Result<Vec<Duplicate>, QueryError> {
        let mailboxes = self.mailboxes(None)?;
        let mut statement = self.connection().prepare_cached(IDS)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (id, most): (String, usize) = (row.get(0)?, row.get(1)?);
            if ranked.is_full(&(Reverse(most), id.clone(), i64::MIN)) {
                break;
            }
            if let Some(group) = self.group(OF_ID, params![id], &mailboxes)? {
                ranked.found.push(((Reverse(group.duplicate_count), id, 0), group));
            }
        }
        Ok(ranked.first())
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
