//! Where the search for reports on deliveries stands, and what it asks: new messages by their cheap columns, what was
//! sent when to whom, and reports that wait for an id to become known.

use rusqlite::{OptionalExtension, Row, params};

use crate::model::{DraftKey, MessageKey, Recipients};
use crate::store::drafts::read_recipients;
use crate::store::{Delivery, Reader, StoreError, WriteTransaction, deliveries};

/// How far the messages were looked at for reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportCursor {
    /// The last row that was looked at.
    pub seen: i64,
    /// The newest row there is.
    pub newest: i64,
}

/// What can be told of a message without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headline {
    /// Its row.
    pub key: MessageKey,
    /// Who it is from.
    pub name: String,
    /// The sender's address.
    pub address: String,
    /// Its subject.
    pub subject: String,
}

impl Reader {
    /// How far the messages were looked at for reports.
    pub fn report_cursor(&self) -> Result<ReportCursor, StoreError> {
        const SELECT: &str =
            "SELECT reports_seen, (SELECT coalesce(max(id), 0) FROM messages) FROM outbox WHERE id = 1";
        let read = |row: &Row<'_>| Ok(ReportCursor { seen: row.get(0)?, newest: row.get(1)? });
        Ok(self.connection().prepare_cached(SELECT)?.query_row([], read)?)
    }

    /// Whether anything has left, or may have, that a report could be about.
    pub fn has_left_anything(&self) -> Result<bool, StoreError> {
        const SELECT: &str =
            "SELECT 1 FROM drafts WHERE state IN ('sending', 'sent', 'unknown') AND state <> 'draft'";
        Ok(self.connection().prepare_cached(SELECT)?.exists([])?)
    }

    /// Messages after a row, in their order.
    pub fn headlines_after(&self, row: i64, limit: usize) -> Result<Vec<Headline>, StoreError> {
        const SELECT: &str = "
            SELECT m.id, s.name, s.address, m.subject FROM messages m JOIN senders s ON s.id = m.sender
            WHERE m.id > ?1 ORDER BY m.id LIMIT ?2";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let rows = statement.query_map(params![row, limit], |row| {
            let (name, address, subject) = (row.get(1)?, row.get(2)?, row.get(3)?);
            Ok(Headline { key: MessageKey(row.get(0)?), name, address, subject })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Messages of these rows with a part that reports have: a message that comes back, or what is said to machines.
    pub fn with_report_parts(&self, after: i64, until: i64) -> Result<Vec<MessageKey>, StoreError> {
        const SELECT: &str = "
            SELECT DISTINCT message FROM parts WHERE message > ?1 AND message <= ?2 AND content_type IN (
                'message/rfc822', 'message/global', 'message/global-headers', 'message/delivery-status',
                'message/global-delivery-status', 'message/partial', 'text/rfc822-headers', 'text/rfc822')";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let rows = statement.query_map([after, until], |row| row.get(0).map(MessageKey))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// When a message came in, in seconds since 1970: as its server says, else its own date.
    pub fn arrival_of(&self, message: MessageKey) -> Result<Option<i64>, StoreError> {
        const SELECT: &str = "
            SELECT coalesce((SELECT min(internal_epoch) FROM placements WHERE message = ?1), epoch)
            FROM messages WHERE id = ?1";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        Ok(statement.query_row([message.0], |row| row.get(0)).optional()?)
    }

    /// Messages that came in at this moment or later, and when, the first of them first. One that was here before counts
    /// by its first arrival, wherever it was put since.
    pub fn arrived_since(&self, epoch: i64) -> Result<Vec<(MessageKey, i64)>, StoreError> {
        const SELECT: &str = "
            SELECT p.message, min(p.internal_epoch) AS arrived
            FROM mailboxes b JOIN placements p ON p.mailbox = b.id AND p.internal_epoch >= ?1
            WHERE NOT EXISTS (SELECT 1 FROM placements o WHERE o.message = p.message AND o.internal_epoch < ?1)
            GROUP BY p.message ORDER BY arrived, p.message";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let rows = statement.query_map([epoch], |row| Ok((MessageKey(row.get(0)?), row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What was sent in this time, and to whom.
    pub fn sent_between(&self, from: i64, to: i64) -> Result<Vec<(DraftKey, Recipients)>, StoreError> {
        const SELECT: &str = "
            SELECT d.id, r.to_json, r.cc_json, r.bcc_json FROM drafts d
            JOIN proposals p ON p.draft = d.id
            JOIN draft_revisions r ON r.draft = d.id AND r.revision = d.revision
            WHERE d.state IN ('sending', 'sent', 'unknown') AND d.channel = 'mail'
              AND coalesce(p.sent_epoch, p.changed_epoch) BETWEEN ?1 AND ?2 ORDER BY d.id";
        self.sent(SELECT, [from, to])
    }

    /// What else was ever sent, and to whom.
    pub fn sent_beside(&self, draft: DraftKey) -> Result<Vec<(DraftKey, Recipients)>, StoreError> {
        const SELECT: &str = "
            SELECT d.id, r.to_json, r.cc_json, r.bcc_json FROM drafts d
            JOIN draft_revisions r ON r.draft = d.id AND r.revision = d.revision
            WHERE d.state IN ('sending', 'sent', 'unknown') AND d.id <> ?1";
        self.sent(SELECT, [draft.0])
    }

    fn sent(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
    ) -> Result<Vec<(DraftKey, Recipients)>, StoreError> {
        let mut statement = self.connection().prepare_cached(sql)?;
        let rows =
            statement.query_map(values, |row| Ok((DraftKey(row.get(0)?), read_recipients(row, 1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Reports whose message has become known as one of ours since they came in.
    pub fn late_reports(&self) -> Result<Vec<MessageKey>, StoreError> {
        const SELECT: &str = "
            SELECT DISTINCT w.message FROM waiting_reports w
            JOIN message_id_aliases a ON a.message_id = w.message_id ORDER BY w.message";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let rows = statement.query_map([], |row| row.get(0).map(MessageKey))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl WriteTransaction<'_> {
    /// Moves on from one row to the next; says no, and changes nothing, when somebody else has.
    pub fn note_reports_seen(&self, from: i64, to: i64) -> Result<bool, StoreError> {
        const SET: &str = "UPDATE outbox SET reports_seen = ?2 WHERE id = 1 AND reports_seen = ?1";
        Ok(self.transaction.prepare_cached(SET)?.execute([from, to])? == 1)
    }

    /// Has a report wait for one of these ids to become known.
    pub fn await_ids(&self, report: MessageKey, ids: &[String]) -> Result<(), StoreError> {
        const INSERT: &str =
            "INSERT OR IGNORE INTO waiting_reports (message_id, message, epoch) VALUES (?1, ?2, ?3)";
        let mut insert = self.transaction.prepare_cached(INSERT)?;
        for id in ids {
            insert.execute(params![id, report.0, self.now])?;
        }
        Ok(())
    }

    /// Ends the wait of these reports; says which of them still waited.
    pub fn end_wait(&self, report: MessageKey) -> Result<bool, StoreError> {
        let mut delete = self.transaction.prepare_cached("DELETE FROM waiting_reports WHERE message = ?1")?;
        Ok(delete.execute([report.0])? > 0)
    }

    /// Ends the wait of all that came in before then.
    pub fn end_waits_before(&self, epoch: i64) -> Result<(), StoreError> {
        self.transaction.prepare_cached("DELETE FROM waiting_reports WHERE epoch < ?1")?.execute([epoch])?;
        Ok(())
    }

    /// What became of an item, as this transaction sees it.
    pub fn deliveries_of(&self, draft: DraftKey) -> Result<Vec<Delivery>, StoreError> {
        deliveries::of(&self.transaction, draft)
    }
}
