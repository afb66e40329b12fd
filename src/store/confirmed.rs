//! What the person confirmed about leaving: the policy, the factor, the PIN. One row; it counts only with its seal, which
//! is made and checked where the key is, and only while the audit chain tells the same.

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::store::{Reader, StoreError, WriteTransaction};

/// What was confirmed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirmed {
    /// JSON of the weakest policy that counts; `None`: the usual one.
    pub policy: Option<String>,
    /// Name of the weakest factor that counts.
    pub factor: String,
    /// Argon2id of the PIN.
    pub pin: Option<String>,
    /// JSON of the fingerprints of the keys that sign a yes; `None`: there is none.
    pub passkeys: Option<String>,
    /// Over all of the above; `None` as long as nothing was ever confirmed.
    pub seal: Option<Vec<u8>>,
}

/// Where a PIN is tried. Anybody on this machine can knock at the door, so that what is tried there is counted apart and
/// locks nobody out who is inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PinPlace {
    /// On the terminal, or in a browser that was let in.
    Inside,
    /// On the page that lets browsers in.
    Door,
}

impl PinPlace {
    /// Its name in the audit chain.
    #[must_use]
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::Inside => None,
            Self::Door => Some("door"),
        }
    }
}

/// How often a wrong PIN was given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PinFailures {
    /// In a row.
    pub count: u32,
    /// No try counts until then, in seconds since 1970.
    pub locked_until: Option<i64>,
}

impl WriteTransaction<'_> {
    /// What was confirmed, as this transaction sees it.
    pub fn confirmed(&self) -> Result<Confirmed, StoreError> {
        confirmed(&self.transaction)
    }

    /// What the audit chain says about it last.
    pub fn confirmed_by_audit(&self) -> Result<Option<String>, StoreError> {
        by_audit(&self.transaction)
    }

    /// Keeps what was confirmed.
    pub fn put_confirmed(&self, confirmed: &Confirmed) -> Result<(), StoreError> {
        const SET: &str =
            "UPDATE outbox SET policy = ?1, factor = ?2, pin = ?3, passkeys = ?4, seal = ?5 WHERE id = 1";
        let Confirmed { policy, factor, pin, passkeys, seal } = confirmed;
        self.transaction.execute(SET, params![policy, factor, pin, passkeys, seal])?;
        Ok(())
    }

    /// How often a wrong PIN was given there.
    pub fn pin_failures(&self, place: PinPlace) -> Result<PinFailures, StoreError> {
        pin_failures(&self.transaction, place)
    }

    /// Keeps how often a wrong PIN was given inside; at the door, the chain alone keeps it.
    pub fn put_pin_failures(&self, failures: PinFailures) -> Result<(), StoreError> {
        const SET: &str = "UPDATE outbox SET pin_failures = ?1, pin_locked = ?2 WHERE id = 1";
        self.transaction.execute(SET, params![failures.count, failures.locked_until])?;
        Ok(())
    }
}

impl Reader {
    /// What was confirmed.
    pub fn confirmed(&self) -> Result<Confirmed, StoreError> {
        confirmed(self.connection())
    }

    /// What the audit chain says about it last.
    pub fn confirmed_by_audit(&self) -> Result<Option<String>, StoreError> {
        by_audit(self.connection())
    }

    /// How often a wrong PIN was given there.
    pub fn pin_failures(&self, place: PinPlace) -> Result<PinFailures, StoreError> {
        pin_failures(self.connection(), place)
    }

    /// Whether the row says about wrong PINs what the audit chain says.
    pub fn are_pin_failures_told(&self) -> Result<bool, StoreError> {
        Ok(pin_failures_of_row(self.connection())?
            == pin_failures_by_audit(self.connection(), PinPlace::Inside)?)
    }
}

fn confirmed(connection: &Connection) -> Result<Confirmed, StoreError> {
    const SELECT: &str = "SELECT policy, factor, pin, passkeys, seal FROM outbox WHERE id = 1";
    let read = |row: &Row<'_>| {
        Ok(Confirmed {
            policy: row.get(0)?,
            factor: row.get(1)?,
            pin: row.get(2)?,
            passkeys: row.get(3)?,
            seal: row.get(4)?,
        })
    };
    Ok(connection.prepare_cached(SELECT)?.query_row([], read)?)
}

fn by_audit(connection: &Connection) -> Result<Option<String>, StoreError> {
    // A PIN or a key without an entry about what counts tells that there was one, and nothing of what it said.
    const SELECT: &str = "
        SELECT coalesce(
            (SELECT body FROM audit WHERE kind = 'policy' ORDER BY id DESC LIMIT 1),
            iif(EXISTS (SELECT 1 FROM audit WHERE kind = 'pin')
                OR EXISTS (SELECT 1 FROM audit WHERE kind = 'passkey'), '{}', NULL))";
    Ok(connection.prepare_cached(SELECT)?.query_row([], |row| row.get(0))?)
}

/// The stricter of what the row and the last entry of the chain say.
fn pin_failures(connection: &Connection, place: PinPlace) -> Result<PinFailures, StoreError> {
    let told = pin_failures_by_audit(connection, place)?;
    if place == PinPlace::Door {
        return Ok(told);
    }
    let row = pin_failures_of_row(connection)?;
    let locked_until = row.locked_until.max(told.locked_until);
    Ok(PinFailures { count: row.count.max(told.count), locked_until })
}

fn pin_failures_of_row(connection: &Connection) -> Result<PinFailures, StoreError> {
    const SELECT: &str = "SELECT pin_failures, pin_locked FROM outbox WHERE id = 1";
    let read = |row: &Row<'_>| Ok(PinFailures { count: row.get(0)?, locked_until: row.get(1)? });
    Ok(connection.prepare_cached(SELECT)?.query_row([], read)?)
}

fn pin_failures_by_audit(connection: &Connection, place: PinPlace) -> Result<PinFailures, StoreError> {
    const SELECT: &str = "
        SELECT body FROM audit WHERE kind = 'pin' AND CASE WHEN json_valid(body) THEN json_extract(body, '$.at') END IS ?1
        ORDER BY id DESC LIMIT 1";
    let body: Option<String> =
        connection.prepare_cached(SELECT)?.query_row([place.name()], |row| row.get(0)).optional()?;
    let told: Value = body.and_then(|body| serde_json::from_str(&body).ok()).unwrap_or_default();
    let count = told["failures"].as_u64().and_then(|count| u32::try_from(count).ok());
    Ok(PinFailures { count: count.unwrap_or_default(), locked_until: told["locked_until"].as_i64() })
}
