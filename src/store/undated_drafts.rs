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

#[cfg(test)]
mod tests {
    use rusqlite::{Connection, params};

    use super::hash_before;
    use crate::model::{Address, DraftId, Recipients, dated};
    use crate::store::open::{MIGRATIONS, version};
    use crate::store::{Reader, SCHEMA_VERSION, Store};

    const FROZEN: &[u8] =
        b"From: <ada@example.org>\r\nMessage-ID: <m@x>\r\nTo: <bob@x.example>\r\n\r\nHi\r\n";
    const EPOCH: i64 = 1_780_315_200;

    /// A store as the version before left it, with a draft that is whole and one that somebody changed.
    fn before(path: &std::path::Path) {
        let connection = Connection::open(path).unwrap();
        crate::store::functions::register_ids(&connection).unwrap();
        MIGRATIONS[..11].iter().for_each(|migration| connection.execute_batch(migration).unwrap());
        connection
            .execute_batch(
                "INSERT INTO dictionaries (id, bytes) VALUES (1, x'');
             INSERT INTO identity VALUES ('0123456789abcdef');
             INSERT INTO accounts (id, address, kind, added_epoch) VALUES (1, 'ada@example.org', 'local', 0);
             PRAGMA user_version = 11;",
            )
            .unwrap();
        let to = Recipients { to: vec![Address::new("", "bob@x.example")], ..Recipients::default() };
        let raw = dated(FROZEN, EPOCH);
        let hash = hash_before("ada@example.org", &to, &raw);
        for (id, raw) in [(1_i64, raw.clone()), (2, [raw, b"more\r\n".to_vec()].concat())] {
            connection.execute(
                "INSERT INTO drafts (id, short_id, account, state, revision, message_id, created_epoch, updated_epoch)
                 VALUES (?1, ?2, 1, 'draft', 1, ?2, 0, 0)",
                params![id, DraftId::from_number(id.cast_unsigned()).to_string()],
            ).unwrap();
            connection.execute(
                "INSERT INTO draft_revisions VALUES (?1, 1, ?2, '[\"bob@x.example\"]', '[]', '[]', 's', 'Hi', ?3, ?4)",
                params![id, EPOCH, hash.0, raw],
            ).unwrap();
        }
    }

    #[test]
    fn drafts_of_the_version_before_have_no_date_any_more_and_are_whole() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("mail.db");
        before(&path);

        drop(Store::open(&path).unwrap());

        let reader = Reader::open(&path).unwrap();
        assert_eq!(version(reader.connection()).unwrap(), SCHEMA_VERSION);
        let draft = reader.draft(DraftId::from_number(1)).unwrap().unwrap();
        assert_eq!(reader.draft_bytes(draft.key, 1).unwrap().unwrap(), FROZEN);
        assert_eq!(reader.dated_draft(draft.key, 1).unwrap().unwrap(), dated(FROZEN, EPOCH));
        assert_eq!(draft.from, Address::new("", "ada@example.org"));
        let changed = DraftId::from_number(2);
        assert_eq!(reader.altered_drafts().unwrap(), [format!("{changed} revision 1")]);
    }
}
