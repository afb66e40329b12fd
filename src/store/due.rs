//! What a worker looks for: items whose time has come, proposals that nobody decided about, how much has left lately.

use std::ops::RangeInclusive;

use rusqlite::{OptionalExtension, params};

use crate::model::{DraftKey, ItemState, Lane};
use crate::store::journal::LANE;
use crate::store::{Item, ItemFilter, Reader, StoreError, WriteTransaction};

/// No item waits longer than this for its next try. What is to wait longer was put off by a clock that was wrong.
pub const LONGEST_WAIT: i64 = 25 * 3_600;
/// More than this many are not asked about at once.
const MOST_UNKNOWN: usize = 100;
/// A clock is corrected by less than this all the time.
pub(super) const SLACK: i64 = 60;

/// How often an item was tried since the yes to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tries {
    /// How often, with this time.
    pub count: u32,
    /// When the first time was, in seconds since 1970.
    pub first: i64,
}

impl Reader {
    /// Approved items of a lane that may leave now, those that were written first before the others. A time to wait that only a
    /// clock that was wrong can have set is none.
    pub fn due_items(&self, lane: Lane, now: i64) -> Result<Vec<DraftKey>, StoreError> {
        let sql = format!(
            "SELECT d.id FROM drafts d JOIN proposals p ON p.draft = d.id
            WHERE d.state = 'approved' AND {LANE} = ?4 AND (p.not_before <= ?1 OR p.not_before > ?1 + ?2)
              AND NOT EXISTS (SELECT 1 FROM approvals a WHERE a.draft = d.id AND a.revision = d.revision
                  AND a.id = (SELECT max(id) FROM approvals WHERE draft = d.id AND revision = d.revision)
                  AND a.send_after > ?1 AND a.epoch <= ?1 + ?3)
            ORDER BY d.updated_epoch, d.id"
        );
        let mut statement = self.connection().prepare_cached(&sql)?;
        let values = params![now, LONGEST_WAIT, SLACK, lane.name()];
        let rows = statement.query_map(values, |row| row.get(0).map(DraftKey))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Proposals of a lane from before then that nobody decided about.
    pub fn undecided_since(&self, lane: Lane, then: i64) -> Result<Vec<DraftKey>, StoreError> {
        let sql = format!(
            "SELECT d.id FROM drafts d JOIN proposals p ON p.draft = d.id
             WHERE d.state = 'pending_approval' AND p.proposed_epoch <= ?1 AND {LANE} = ?2"
        );
        let mut statement = self.connection().prepare_cached(&sql)?;
        let rows = statement.query_map(params![then, lane.name()], |row| row.get(0).map(DraftKey))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Items of a lane of which nobody can say whether they left, since then.
    pub fn unknown_items(&self, lane: Lane, since: i64) -> Result<Vec<Item>, StoreError> {
        let states = vec![ItemState::Unknown];
        let all = self.items(&ItemFilter { states, limit: MOST_UNKNOWN, offset: 0 })?;
        Ok(all.into_iter().filter(|item| item.changed >= since && item.channel.lane() == lane).collect())
    }

    /// Whether a message with the Message-ID of an item, or with another that it is known by, came in as sent mail of its
    /// account. Only a server that has sent it files it there, or we do when we know.
    pub fn is_in_sent(&self, draft: DraftKey) -> Result<bool, StoreError> {
        const SELECT: &str = "
            SELECT 1 FROM drafts d JOIN messages m ON m.message_id = d.message_id
                OR m.message_id IN (SELECT message_id FROM message_id_aliases WHERE draft = d.id)
            JOIN placements p ON p.message = m.id JOIN mailboxes b ON b.id = p.mailbox
            WHERE d.id = ?1 AND b.account = d.account AND b.role = 'sent'";
        Ok(self.connection().prepare_cached(SELECT)?.exists([draft.0])?)
    }

    /// When the `number`-th newest message of a time left, in milliseconds since 1970, by any server or by this one; `None`
    /// when fewer did. What a server did not take has not left.
    pub fn nth_newest_dot(
        &self,
        number: u32,
        time_ms: RangeInclusive<i64>,
        server: Option<&str>,
    ) -> Result<Option<i64>, StoreError> {
        const SELECT: &str = "
            SELECT a.dot_ms FROM attempts a JOIN proposals p ON p.draft = a.draft
            WHERE a.dot_ms > ?2 AND a.dot_ms <= ?3 AND (a.outcome IS NULL OR a.outcome IN ('sent', 'unknown'))
              AND (?4 IS NULL OR instr(lower(p.route), 'smtp ' || ?4 || ' ') = 1
                OR ?4 IN ('gmail', 'whatsapp', 'linkedin') AND instr(p.route, ?4 || ' ') = 1)
            ORDER BY a.dot_ms DESC LIMIT 1 OFFSET ?1 - 1";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let (since, until) = (time_ms.start(), time_ms.end() + SLACK * 1_000);
        Ok(statement.query_row(params![number, since, until, server], |row| row.get(0)).optional()?)
    }
}

impl WriteTransaction<'_> {
    /// Counts a try that sent nothing.
    pub fn count_try(&self, draft: DraftKey, now: i64) -> Result<Tries, StoreError> {
        const COUNT: &str = "
            UPDATE proposals SET tries = tries + 1, first_try = coalesce(first_try, ?2) WHERE draft = ?1
            RETURNING tries, first_try";
        let mut statement = self.transaction.prepare_cached(COUNT)?;
        Ok(statement.query_row([draft.0, now], |row| Ok(Tries { count: row.get(0)?, first: row.get(1)? }))?)
    }
}
