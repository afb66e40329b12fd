//! Drafts of earlier versions were frozen with a `Date`, and their hash stood for less. They are frozen anew as what they
//! would be today. One whose bytes are not those its hash stands for stays as it is, so that `verify` still names it.

use rusqlite::{Row, Transaction, params};
use sha2::{Digest, Sha256};

use crate::model::{ContentHash, DraftHash, Recipients, undated};
use crate::store::StoreError;
use crate::store::drafts::read_recipients;

/// A revision as an earlier version froze it.
struct Dated {
    row: i64,
    account: String,
    recipients: Recipients,
    epoch: i64,
    raw: Vec<u8>,
    hash: ContentHash,
}

/// Takes the dates out of all frozen drafts.
pub(super) fn freeze_anew(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    const SELECT: &str = "
        SELECT r.rowid, a.address, r.to_json, r.cc_json, r.bcc_json, r.epoch, r.raw, r.hash
        FROM draft_revisions r JOIN drafts d ON d.id = r.draft JOIN accounts a ON a.id = d.account
        WHERE r.rowid > ?1 ORDER BY r.rowid LIMIT 1";
    let mut next = transaction.prepare(SELECT)?;
    let mut last = 0;
    while let Some(dated) = next.query_map([last], read)?.next().transpose()? {
        last = dated.row;
        if let Some(raw) = dated.without_date() {
            dated.replace(&raw, transaction)?;
        }
    }
    Ok(())
}

impl Dated {
    fn without_date(&self) -> Option<Vec<u8>> {
        let is_whole = hash_before(&self.account, &self.recipients, &self.raw) == self.hash;
        undated(&self.raw, self.epoch).filter(|_| is_whole)
    }

    fn replace(&self, raw: &[u8], transaction: &Transaction<'_>) -> Result<(), StoreError> {
        const UPDATE: &str = "UPDATE draft_revisions SET raw = ?2, hash = ?3, sender = ?4 WHERE rowid = ?1";
        let hash = DraftHash::of(&self.account, &self.account, &self.recipients, raw);
        transaction.execute(UPDATE, params![self.row, raw, hash.0.0, self.account])?;
        Ok(())
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<Dated> {
    Ok(Dated {
        row: row.get(0)?,
        account: row.get(1)?,
        recipients: read_recipients(row, 2)?,
        epoch: row.get(5)?,
        raw: row.get(6)?,
        hash: ContentHash(row.get(7)?),
    })
}

/// What a hash stood for before senders had a place in it.
fn hash_before(account: &str, recipients: &Recipients, raw: &[u8]) -> ContentHash {
    let mut hash = Sha256::new();
    let mut add = |field: &[u8]| {
        hash.update((field.len() as u64).to_be_bytes());
        hash.update(field);
    };
    add(b"mailkeep draft");
    add(account.as_bytes());
    for list in [&recipients.to, &recipients.cc, &recipients.bcc] {
        add(&(list.len() as u64).to_be_bytes());
        list.iter().for_each(|to| add(to.address.as_bytes()));
    }
    add(raw);
    ContentHash(hash.finalize().into())
}
