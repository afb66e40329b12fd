//! The audit chain: each row carries the hash of the one before, so that none can be changed or left out unseen. It is
//! written in the transaction of what it tells of: what cannot be written down does not happen.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::model::{ContentHash, DraftId};
use crate::store::{Reader, StoreError, WriteTransaction};

/// Something that happened.
#[derive(Debug, Clone)]
pub struct AuditEntry<'a> {
    /// What: `proposed`, `approved`, `attempt`, `sent`.
    pub kind: &'a str,
    /// To which item.
    pub item: Option<DraftId>,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// The particulars: names, ids, sizes and hashes, no texts.
    pub body: Value,
}

/// A link of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRow {
    /// Counts from 1 without a gap.
    pub id: i64,
    /// When, in milliseconds since 1970.
    pub time_ms: i64,
    /// What.
    pub kind: String,
    /// Short id of the item.
    pub item: Option<String>,
    /// The particulars, as the JSON that was hashed.
    pub body: String,
    /// Hash of the row before; zeros in the first.
    pub previous: ContentHash,
    /// Hash of this row.
    pub hash: ContentHash,
}

impl AuditRow {
    /// Whether it says what it said when it was written, as far as its own hash tells.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.computed() == self.hash
    }

    /// The hash that this row must have.
    #[must_use]
    pub fn computed(&self) -> ContentHash {
        let mut hash = Sha256::new();
        let (id, time) = (self.id.to_be_bytes(), self.time_ms.to_be_bytes());
        let item = self.item.as_deref().unwrap_or_default();
        for field in
            [&self.previous.0[..], &id, &time, self.kind.as_bytes(), item.as_bytes(), self.body.as_bytes()]
        {
            hash.update((field.len() as u64).to_be_bytes());
            hash.update(field);
        }
        ContentHash(hash.finalize().into())
    }
}

const START: ContentHash = ContentHash([0; 32]);
/// Stands for what is no hash.
const NO_HASH: ContentHash = ContentHash([255; 32]);

impl WriteTransaction<'_> {
    /// Adds a link to the chain.
    pub fn append_audit(&self, entry: &AuditEntry<'_>) -> Result<AuditRow, StoreError> {
        const INSERT: &str = "
            INSERT INTO audit (id, time_ms, kind, item, body, previous, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let last = last(&self.transaction)?;
        let mut row = AuditRow {
            id: last.as_ref().map_or(0, |row| row.id) + 1,
            time_ms: entry.at_ms,
            kind: entry.kind.to_owned(),
            item: entry.item.map(|id| id.to_string()),
            body: entry.body.to_string(),
            previous: last.map_or(START, |row| row.hash),
            hash: START,
        };
        row.hash = row.computed();
        self.transaction.prepare_cached(INSERT)?.execute(params![
            row.id,
            row.time_ms,
            row.kind,
            row.item,
            row.body,
            row.previous.0,
            row.hash.0,
        ])?;
        Ok(row)
    }

    /// The last of the chain's words about whether an item may leave, or has left.
    pub fn last_word(&self, item: DraftId) -> Result<Option<AuditRow>, StoreError> {
        const LAST: &str = "
            item = ?1 AND kind IN ('proposed', 'edited', 'approved', 'put_off', 'cancelled', 'withdrawn', 'rejected',
                                   'expired', 'dot', 'sent', 'failed', 'unknown', 'void')
            ORDER BY id DESC LIMIT 1";
        Ok(rows(&self.transaction, LAST, [item.to_string()])?.pop())
    }

    /// A link of the chain, by its number.
    pub fn audit_link(&self, id: i64) -> Result<Option<AuditRow>, StoreError> {
        Ok(rows(&self.transaction, "id = ?1", [id])?.pop())
    }

    /// The end of the chain, as this transaction sees it.
    pub fn audit_head(&self) -> Result<Option<AuditRow>, StoreError> {
        last(&self.transaction)
    }

    /// Everything that happened to an item, in order, as this transaction sees it.
    pub fn audit_of(&self, item: DraftId) -> Result<Vec<AuditRow>, StoreError> {
        rows(&self.transaction, "item = ?1 ORDER BY id", params![item.to_string()])
    }

    /// The last call of a tool that the chain has sealed.
    pub fn last_sealed_call(&self) -> Result<i64, StoreError> {
        last_sealed_call(&self.transaction)
    }

    /// Keeps the first characters of a text beside the chain, which holds only their hash.
    pub fn keep_preview(&self, preview: &str) -> Result<ContentHash, StoreError> {
        const INSERT: &str = "INSERT OR IGNORE INTO audit_previews (hash, preview) VALUES (?1, ?2)";
        let hash = ContentHash::of(preview.as_bytes());
        self.transaction.prepare_cached(INSERT)?.execute(params![hash.0, preview])?;
        Ok(hash)
    }
}

impl Reader {
    /// Links of the chain behind `after`, in order.
    pub fn audit_rows(&self, after: i64, limit: usize) -> Result<Vec<AuditRow>, StoreError> {
        rows(self.connection(), "id > ?1 ORDER BY id LIMIT ?2", params![after, limit])
    }

    /// Everything that happened to an item, in order.
    pub fn audit_of(&self, item: DraftId) -> Result<Vec<AuditRow>, StoreError> {
        rows(self.connection(), "item = ?1 ORDER BY id", params![item.to_string()])
    }

    /// The last call of a tool that the chain has sealed.
    pub fn last_sealed_call(&self) -> Result<i64, StoreError> {
        last_sealed_call(self.connection())
    }

    /// The end of the chain.
    pub fn audit_head(&self) -> Result<Option<AuditRow>, StoreError> {
        last(self.connection())
    }

    /// The text whose hash stands in the chain, unless it was forgotten.
    pub fn preview(&self, hash: &ContentHash) -> Result<Option<String>, StoreError> {
        const SELECT: &str = "SELECT preview FROM audit_previews WHERE hash = ?1";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        Ok(statement.query_row([hash.0], |row| row.get(0)).optional()?)
    }
}

/// What the rest of the store says, in the words of the chain.
impl Reader {
    /// Every yes that is kept: item, revision, hash, door, factor, until when it can be taken back.
    pub fn audited_approvals(&self) -> Result<Vec<Value>, StoreError> {
        const SELECT: &str = "
            SELECT d.short_id, a.revision, a.hash, a.door, a.factor, a.send_after
            FROM approvals a JOIN drafts d ON d.id = a.draft";
        self.facts(SELECT, |row| {
            Ok(json!({
                "item": row.get::<_, String>(0)?,
                "revision": row.get::<_, i64>(1)?,
                "hash": ContentHash(row.get(2)?).to_hex(),
                "door": row.get::<_, String>(3)?,
                "factor": row.get::<_, String>(4)?,
                "send_after": row.get::<_, i64>(5)?,
            }))
        })
    }

    /// Every attempt that is kept: item, attempt, revision.
    pub fn audited_attempts(&self) -> Result<Vec<Value>, StoreError> {
        const SELECT: &str =
            "SELECT d.short_id, a.id, a.revision FROM attempts a JOIN drafts d ON d.id = a.draft";
        self.facts(SELECT, |row| {
            let item: String = row.get(0)?;
            Ok(json!({ "item": item, "attempt": row.get::<_, i64>(1)?, "revision": row.get::<_, i64>(2)? }))
        })
    }

    /// Attempts whose final dot is in the journal: item, attempt.
    pub fn audited_dots(&self) -> Result<HashSet<(String, i64)>, StoreError> {
        const SELECT: &str = "
            SELECT d.short_id, a.id FROM attempts a JOIN drafts d ON d.id = a.draft WHERE a.dot_ms IS NOT NULL";
        let dots = self.facts(SELECT, |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(dots.into_iter().collect())
    }

    /// How every attempt that has ended ended: item, attempt, outcome.
    pub fn audited_outcomes(&self) -> Result<HashMap<(String, i64), String>, StoreError> {
        const SELECT: &str = "
            SELECT d.short_id, a.id, a.outcome FROM attempts a JOIN drafts d ON d.id = a.draft
            WHERE a.outcome IS NOT NULL";
        let outcomes = self.facts(SELECT, |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))?;
        Ok(outcomes.into_iter().collect())
    }

    /// Short ids and states of all items and drafts.
    pub fn audited_states(&self) -> Result<Vec<(String, String)>, StoreError> {
        self.facts("SELECT short_id, state FROM drafts", |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// The hash that each preview is kept by, and whether it is its hash.
    pub fn previews_by_hash(&self) -> Result<Vec<(String, bool)>, StoreError> {
        self.facts("SELECT hash, preview FROM audit_previews", |row| {
            let (hash, preview): (ContentHash, String) = (ContentHash(row.get(0)?), row.get(1)?);
            Ok((hash.to_hex(), hash == ContentHash::of(preview.as_bytes())))
        })
    }

    fn facts<T>(
        &self,
        sql: &str,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.connection().prepare_cached(sql)?;
        let rows = statement.query_map([], read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn last(connection: &Connection) -> Result<Option<AuditRow>, StoreError> {
    Ok(rows(connection, "1 ORDER BY id DESC LIMIT 1", [])?.pop())
}

/// A restored store has another home's calls, or an older time's: there it begins anew.
fn last_sealed_call(connection: &Connection) -> Result<i64, StoreError> {
    let last = rows(connection, "kind IN ('calls', 'restored') ORDER BY id DESC LIMIT 1", [])?.pop();
    let body: Option<Value> = last.and_then(|row| serde_json::from_str(&row.body).ok());
    Ok(body.and_then(|body| body["upto"].as_i64()).unwrap_or_default())
}

/// Every link of a kind, in order.
pub(super) fn of_kind(connection: &Connection, kind: &str) -> Result<Vec<AuditRow>, StoreError> {
    rows(connection, "kind = ?1 ORDER BY id", [kind])
}

fn rows(
    connection: &Connection,
    condition: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<AuditRow>, StoreError> {
    let sql = format!("SELECT id, time_ms, kind, item, body, previous, hash FROM audit WHERE {condition}");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(values, read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A row as it stands, also where somebody put something else into it: then its hash is wrong, and that is told.
fn read(row: &Row<'_>) -> rusqlite::Result<AuditRow> {
    let number = |column: usize| row.get_ref(column).map(|value| value.as_i64().unwrap_or_default());
    let text = |column: usize| -> rusqlite::Result<String> {
        Ok(row.get_ref(column)?.as_str().unwrap_or_default().to_owned())
    };
    let hash = |column: usize| -> rusqlite::Result<ContentHash> {
        let bytes = row.get_ref(column)?.as_blob().ok().and_then(|bytes| bytes.try_into().ok());
        Ok(bytes.map_or(NO_HASH, ContentHash))
    };
    let item = row.get_ref(3)?.as_str().ok().map(str::to_owned);
    Ok(AuditRow {
        id: number(0)?,
        time_ms: number(1)?,
        kind: text(2)?,
        item,
        body: text(4)?,
        previous: hash(5)?,
        hash: hash(6)?,
    })
}
