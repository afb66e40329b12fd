//! The public halves of keys that sign a yes, and what the audit chain holds of what they signed. A row counts for nothing
//! by itself: whether it does is decided where the chain is read.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::store::audit::of_kind;
use crate::store::{AuditRow, Reader, StoreError, WriteTransaction};

/// The audit chain's word for a key that was enrolled or removed.
const KIND: &str = "passkey";

/// A key as the store keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasskeyRow {
    /// The authenticator's id of the key.
    pub credential: Vec<u8>,
    /// As the person called it.
    pub name: String,
    /// COSE: -7 ES256, -257 RS256, -8 Ed25519.
    pub algorithm: i64,
    /// COSE bytes, as the authenticator gave them.
    pub public_key: Vec<u8>,
    /// The highest number of a signature that was seen.
    pub counter: u32,
    /// When it was enrolled, in seconds since 1970.
    pub since: i64,
}

impl WriteTransaction<'_> {
    /// All keys that are kept, oldest first.
    pub fn passkeys(&self) -> Result<Vec<PasskeyRow>, StoreError> {
        passkeys(&self.transaction)
    }

    /// Every enrolment and removal, in order.
    pub fn audit_of_passkeys(&self) -> Result<Vec<AuditRow>, StoreError> {
        of_kind(&self.transaction, KIND)
    }

    /// Keeps a key, in the place of a row with the same id.
    pub fn put_passkey(&self, key: &PasskeyRow) -> Result<(), StoreError> {
        const PUT: &str = "
            INSERT OR REPLACE INTO passkeys (credential, name, algorithm, public_key, counter, since_epoch)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let PasskeyRow { credential, name, algorithm, public_key, counter, since } = key;
        let values = params![credential, name, algorithm, public_key, counter, since];
        self.transaction.execute(PUT, values)?;
        Ok(())
    }

    /// Forgets a key's row.
    pub fn drop_passkey(&self, credential: &[u8]) -> Result<(), StoreError> {
        self.transaction.execute("DELETE FROM passkeys WHERE credential = ?1", [credential])?;
        Ok(())
    }

    /// Forgets the rows of all keys.
    pub fn drop_passkeys(&self) -> Result<(), StoreError> {
        self.transaction.execute("DELETE FROM passkeys", [])?;
        Ok(())
    }

    /// Notes the number of a key's last signature.
    pub fn set_passkey_counter(&self, credential: &[u8], counter: u32) -> Result<(), StoreError> {
        const SET: &str = "UPDATE passkeys SET counter = ?2 WHERE credential = ?1";
        self.transaction.execute(SET, params![credential, counter])?;
        Ok(())
    }

    /// Whether the chain holds a signature over this number: for this item, or at all.
    pub fn is_nonce_spent(&self, nonce: &str, item: Option<&str>) -> Result<bool, StoreError> {
        const SELECT: &str = "
            SELECT 1 FROM audit
            WHERE CASE WHEN json_valid(body) THEN json_extract(body, '$.assertion.nonce') END = ?1
              AND (?2 IS NULL OR coalesce(item, '') = ?2) LIMIT 1";
        let mut statement = self.transaction.prepare_cached(SELECT)?;
        Ok(statement.query_row(params![nonce, item], |_| Ok(())).optional()?.is_some())
    }

    /// The last entry of the chain that this key signed.
    pub fn last_signed_by(&self, credential: &str) -> Result<Option<String>, StoreError> {
        const SELECT: &str = "
            SELECT body FROM audit
            WHERE CASE WHEN json_valid(body) THEN json_extract(body, '$.assertion.credential') END = ?1
            ORDER BY id DESC LIMIT 1";
        let mut statement = self.transaction.prepare_cached(SELECT)?;
        Ok(statement.query_row([credential], |row| row.get(0)).optional()?)
    }

    /// What the last yes to an item says in the chain.
    pub fn last_yes(&self, item: &str) -> Result<Option<String>, StoreError> {
        const SELECT: &str =
            "SELECT body FROM audit WHERE item = ?1 AND kind = 'approved' ORDER BY id DESC LIMIT 1";
        let mut statement = self.transaction.prepare_cached(SELECT)?;
        Ok(statement.query_row([item], |row| row.get(0)).optional()?)
    }
}

impl Reader {
    /// All keys that are kept, oldest first.
    pub fn passkeys(&self) -> Result<Vec<PasskeyRow>, StoreError> {
        passkeys(self.connection())
    }

    /// Every enrolment and removal, in order.
    pub fn audit_of_passkeys(&self) -> Result<Vec<AuditRow>, StoreError> {
        of_kind(self.connection(), KIND)
    }
}

fn passkeys(connection: &Connection) -> Result<Vec<PasskeyRow>, StoreError> {
    const SELECT: &str = "
        SELECT credential, name, algorithm, public_key, counter, since_epoch FROM passkeys
        ORDER BY since_epoch, credential";
    let mut statement = connection.prepare_cached(SELECT)?;
    let rows = statement.query_map([], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A row as it stands, also where somebody put something else into it: then it is not what the chain says.
fn read(row: &Row<'_>) -> rusqlite::Result<PasskeyRow> {
    let bytes = |column: usize| -> rusqlite::Result<Vec<u8>> {
        Ok(row.get_ref(column)?.as_bytes().unwrap_or_default().to_vec())
    };
    let number = |column: usize| row.get_ref(column).map(|value| value.as_i64().unwrap_or_default());
    Ok(PasskeyRow {
        credential: bytes(0)?,
        name: String::from_utf8_lossy(&bytes(1)?).into_owned(),
        algorithm: number(2)?,
        public_key: bytes(3)?,
        // A number that cannot be one counts as the highest: no signature follows it.
        counter: u32::try_from(number(4)?).unwrap_or(u32::MAX),
        since: number(5)?,
    })
}
