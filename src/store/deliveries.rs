//! What became of what was sent, recipient by recipient.

use rusqlite::{Connection, Row, params};

use crate::model::{DraftKey, MessageKey};
use crate::store::drafts::unreadable;
use crate::store::{Reader, StoreError, WriteTransaction};

/// How far it got with one recipient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryStatus {
    /// Their server, or ours, has it.
    Sent,
    /// Our server did not take the address.
    Refused,
    /// A report says that it arrived.
    Delivered,
    /// A report says that it has not arrived yet.
    Delayed,
    /// A report says that it will not arrive.
    Bounced,
}

impl DeliveryStatus {
    const NAMES: [(Self, &'static str); 5] = [
        (Self::Sent, "sent"),
        (Self::Refused, "refused"),
        (Self::Delivered, "delivered"),
        (Self::Delayed, "delayed"),
        (Self::Bounced, "bounced"),
    ];

    /// The name kept in the store and shown to people.
    #[must_use]
    pub fn name(self) -> &'static str {
        let named = Self::NAMES.iter().find(|(status, _)| *status == self);
        named.map(|(_, name)| *name).expect("every status has a name")
    }

    /// The status with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(status, _)| *status)
    }
}

/// What became of it for one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Who.
    pub recipient: String,
    /// How far.
    pub status: DeliveryStatus,
    /// Since when, in seconds since 1970.
    pub epoch: i64,
    /// What was said about it.
    pub detail: Option<String>,
    /// The report that says so.
    pub message: Option<MessageKey>,
    /// Whether only recipient and time fit.
    pub is_probable: bool,
}

impl WriteTransaction<'_> {
    /// Writes down what became of it for one recipient, in the place of what was known. That it was sent replaces
    /// nothing: a report may have come in before the server's answer was written down.
    pub fn put_delivery(&self, draft: DraftKey, delivery: &Delivery) -> Result<(), StoreError> {
        const PUT: &str = "
            INSERT INTO deliveries (draft, recipient, status, epoch, detail, message, probably)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT DO UPDATE SET
                status = excluded.status, epoch = excluded.epoch, detail = excluded.detail,
                message = excluded.message, probably = excluded.probably
            WHERE excluded.status <> 'sent' OR deliveries.status = 'sent'";
        self.transaction.prepare_cached(PUT)?.execute(params![
            draft.0,
            delivery.recipient,
            delivery.status.name(),
            delivery.epoch,
            delivery.detail,
            delivery.message.map(|key| key.0),
            delivery.is_probable,
        ])?;
        Ok(())
    }
}

impl WriteTransaction<'_> {
    /// Forgets what became of it before: it is sent anew.
    pub fn clear_deliveries(&self, draft: DraftKey) -> Result<(), StoreError> {
        self.transaction.prepare_cached("DELETE FROM deliveries WHERE draft = ?1")?.execute([draft.0])?;
        Ok(())
    }
}

impl Reader {
    /// What became of an item, recipient by recipient.
    pub fn deliveries_of(&self, draft: DraftKey) -> Result<Vec<Delivery>, StoreError> {
        of(self.connection(), draft)
    }
}

pub(super) fn of(connection: &Connection, draft: DraftKey) -> Result<Vec<Delivery>, StoreError> {
    const SELECT: &str = "
        SELECT recipient, status, epoch, detail, message, probably FROM deliveries WHERE draft = ?1
        ORDER BY recipient";
    let mut statement = connection.prepare_cached(SELECT)?;
    let rows = statement.query_map([draft.0], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Delivery> {
    Ok(Delivery {
        recipient: row.get(0)?,
        status: DeliveryStatus::parse(&row.get::<_, String>(1)?).ok_or_else(|| unreadable(1))?,
        epoch: row.get(2)?,
        detail: row.get(3)?,
        message: row.get::<_, Option<i64>>(4)?.map(MessageKey),
        is_probable: row.get(5)?,
    })
}
