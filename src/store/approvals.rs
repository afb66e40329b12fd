//! Who said yes to what. A row counts only with its seal, which is made and checked where the key is.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::model::{ContentHash, DraftKey, ItemHash};
use crate::store::{Reader, StoreError, WriteTransaction};

/// A yes to one revision of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Its row; 0 before it is kept.
    pub key: i64,
    /// Which item.
    pub draft: DraftKey,
    /// Which revision.
    pub revision: i64,
    /// To what exactly.
    pub hash: ItemHash,
    /// Where it was said: `terminal`, `page`, `folder`, `rule`.
    pub door: String,
    /// What proved it: `click`, `pin`, `passkey`; for a rule its words.
    pub factor: String,
    /// When, in seconds since 1970.
    pub epoch: i64,
    /// Until then it can be taken back.
    pub send_after: i64,
    /// What the person's key signed.
    pub signature: Option<Vec<u8>>,
    /// Over all of the above.
    pub seal: Vec<u8>,
}

impl WriteTransaction<'_> {
    /// Keeps a yes; what was tried before it counts no more.
    pub fn put_approval(&self, approval: &Approval) -> Result<(), StoreError> {
        const INSERT: &str = "
            INSERT INTO approvals (draft, revision, hash, door, factor, epoch, send_after, signature, seal)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        const AFRESH: &str =
            "UPDATE proposals SET tries = 0, first_try = NULL, not_before = 0 WHERE draft = ?1";
        self.transaction.prepare_cached(INSERT)?.execute(params![
            approval.draft.0,
            approval.revision,
            approval.hash.0.0,
            approval.door,
            approval.factor,
            approval.epoch,
            approval.send_after,
            approval.signature,
            approval.seal,
        ])?;
        self.transaction.prepare_cached(AFRESH)?.execute([approval.draft.0])?;
        Ok(())
    }

    /// The last yes to a revision, unless it was used up or taken back.
    pub fn approval(&self, draft: DraftKey, revision: i64) -> Result<Option<Approval>, StoreError> {
        last(&self.transaction, draft, revision)
    }
}

impl Reader {
    /// The last yes to a revision, unless it was used up or taken back.
    pub fn approval(&self, draft: DraftKey, revision: i64) -> Result<Option<Approval>, StoreError> {
        last(self.connection(), draft, revision)
    }

    /// Every yes that is kept, with the short id of its item and whether it was used up or taken back.
    pub fn approvals(&self) -> Result<Vec<(String, Approval, bool)>, StoreError> {
        const SELECT: &str = "
            SELECT a.id, a.draft, a.revision, a.hash, a.door, a.factor, a.epoch, a.send_after, a.signature, a.seal,
                   d.short_id, a.spent
            FROM approvals a JOIN drafts d ON d.id = a.draft ORDER BY a.id";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let rows = statement.query_map([], |row| Ok((row.get(10)?, read(row)?, row.get(11)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn last(connection: &Connection, draft: DraftKey, revision: i64) -> Result<Option<Approval>, StoreError> {
    const SELECT: &str = "
        SELECT id, draft, revision, hash, door, factor, epoch, send_after, signature, seal FROM approvals
        WHERE draft = ?1 AND revision = ?2 AND NOT spent ORDER BY id DESC LIMIT 1";
    let mut statement = connection.prepare_cached(SELECT)?;
    Ok(statement.query_row(params![draft.0, revision], read).optional()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Approval> {
    Ok(Approval {
        key: row.get(0)?,
        draft: DraftKey(row.get(1)?),
        revision: row.get(2)?,
        hash: ItemHash(ContentHash(row.get(3)?)),
        door: row.get(4)?,
        factor: row.get(5)?,
        epoch: row.get(6)?,
        send_after: row.get(7)?,
        signature: row.get(8)?,
        seal: row.get(9)?,
    })
}
