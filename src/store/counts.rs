//! Counts that are kept rather than counted. A transaction gathers its differences and writes them once.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, params};

use crate::model::{Flags, MailboxKey};
use crate::store::StoreError;

/// The facts of a message that counts depend on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counted {
    pub(super) epoch: i64,
    pub(super) sender: i64,
    pub(super) size: i64,
    pub(super) has_attachments: bool,
    pub(super) withheld: bool,
}

#[derive(Default, Clone, Copy)]
struct MailboxDelta {
    count: i64,
    unread: i64,
    bytes: i64,
}

#[derive(Default, Clone, Copy)]
struct MessageDelta {
    count: i64,
    bytes: i64,
    with_attachments: i64,
}

/// What a transaction adds to the counts.
#[derive(Default)]
pub(super) struct CountDeltas {
    // In the order of their tables, so that writing them walks along these instead of jumping about.
    days: BTreeMap<(MailboxKey, i64, bool), i64>,
    hours: BTreeMap<(MailboxKey, i64, bool), i64>,
    senders: BTreeMap<(MailboxKey, i64, bool), i64>,
    mailboxes: HashMap<(MailboxKey, bool), MailboxDelta>,
    messages: HashMap<bool, MessageDelta>,
}

pub(super) const DAY: i64 = 86_400;
const HOUR: i64 = 3600;

impl CountDeltas {
    /// Counts a message whose content is new.
    pub(super) fn message(&mut self, message: &Counted) {
        self.add_message(message, 1);
    }

    /// Counts a message in a mailbox.
    pub(super) fn placement(&mut self, mailbox: MailboxKey, message: &Counted, flags: Flags) {
        self.add_placement((mailbox, flags), message, 1);
    }

    /// Counts a message no more.
    pub(super) fn remove_message(&mut self, message: &Counted) {
        self.add_message(message, -1);
    }

    /// Counts a message in a mailbox no more.
    pub(super) fn removal(&mut self, mailbox: MailboxKey, message: &Counted, flags: Flags) {
        self.add_placement((mailbox, flags), message, -1);
    }

    /// Counts a message in a mailbox as read or unread when its flags say so now.
    pub(super) fn flags(&mut self, mailbox: MailboxKey, withheld: bool, before: Flags, after: Flags) {
        let unread = |flags: Flags| i64::from(!flags.contains(Flags::SEEN));
        self.mailboxes.entry((mailbox, withheld)).or_default().unread += unread(after) - unread(before);
    }

    /// Counts a message and its places as withheld that was not, or the other way round.
    pub(super) fn turn(&mut self, message: &Counted, places: &[(MailboxKey, Flags)]) {
        let turned = Counted { withheld: !message.withheld, ..*message };
        for (message, by) in [(message, -1), (&turned, 1)] {
            self.add_message(message, by);
            places.iter().for_each(|place| self.add_placement(*place, message, by));
        }
    }

    fn add_message(&mut self, message: &Counted, by: i64) {
        let delta = self.messages.entry(message.withheld).or_default();
        delta.count += by;
        delta.bytes += by * message.size;
        delta.with_attachments += by * i64::from(message.has_attachments);
    }

    fn add_placement(&mut self, (mailbox, flags): (MailboxKey, Flags), message: &Counted, by: i64) {
        let day = message.epoch.div_euclid(DAY);
        *self.days.entry((mailbox, day, message.withheld)).or_default() += by;
        let hour = message.epoch.div_euclid(HOUR);
        *self.hours.entry((mailbox, hour, message.withheld)).or_default() += by;
        *self.senders.entry((mailbox, message.sender, message.withheld)).or_default() += by;
        let delta = self.mailboxes.entry((mailbox, message.withheld)).or_default();
        delta.count += by;
        delta.unread += by * i64::from(!flags.contains(Flags::SEEN));
        delta.bytes += by * message.size;
    }

    pub(super) fn write(&self, connection: &Connection) -> Result<(), StoreError> {
        let mut days = connection.prepare_cached(ADD_DAY)?;
        for ((mailbox, day, withheld), count) in self.days.iter().filter(|(_, count)| **count != 0) {
            days.execute(params![mailbox.0, day, withheld, count])?;
        }
        let mut hours = connection.prepare_cached(ADD_HOUR)?;
        for ((mailbox, hour, withheld), count) in self.hours.iter().filter(|(_, count)| **count != 0) {
            hours.execute(params![mailbox.0, hour, withheld, count])?;
        }
        let mut senders = connection.prepare_cached(ADD_SENDER)?;
        for ((mailbox, sender, withheld), count) in self.senders.iter().filter(|(_, count)| **count != 0) {
            senders.execute(params![mailbox.0, sender, withheld, count])?;
        }
        let mut mailboxes = connection.prepare_cached(ADD_MAILBOX)?;
        for ((mailbox, withheld), delta) in &self.mailboxes {
            mailboxes.execute(params![mailbox.0, withheld, delta.count, delta.unread, delta.bytes])?;
        }
        let mut messages = connection.prepare_cached(ADD_MESSAGES)?;
        for (withheld, delta) in &self.messages {
            messages.execute(params![withheld, delta.count, delta.bytes, delta.with_attachments])?;
        }
        self.forget_empty(connection)
    }

    /// A count that went down to nothing is no row: counted afresh it would not be there.
    fn forget_empty(&self, connection: &Connection) -> Result<(), StoreError> {
        let mut days = connection.prepare_cached(FORGET_DAY)?;
        for (mailbox, day, withheld) in fallen(&self.days) {
            days.execute(params![mailbox.0, day, withheld])?;
        }
        let mut hours = connection.prepare_cached(FORGET_HOUR)?;
        for (mailbox, hour, withheld) in fallen(&self.hours) {
            hours.execute(params![mailbox.0, hour, withheld])?;
        }
        let mut senders = connection.prepare_cached(FORGET_SENDER)?;
        for (mailbox, sender, withheld) in fallen(&self.senders) {
            senders.execute(params![mailbox.0, sender, withheld])?;
        }
        let mut mailboxes = connection.prepare_cached(FORGET_MAILBOX)?;
        for ((mailbox, withheld), _) in self.mailboxes.iter().filter(|(_, delta)| delta.count <= 0) {
            mailboxes.execute(params![mailbox.0, withheld])?;
        }
        if self.messages.values().any(|delta| delta.count < 0) {
            connection.execute(FORGET_MESSAGES, [])?;
        }
        Ok(())
    }
}

fn fallen<K>(counts: &BTreeMap<K, i64>) -> impl Iterator<Item = &K> {
    counts.iter().filter(|(_, count)| **count < 0).map(|(key, _)| key)
}

const FORGET_DAY: &str =
    "DELETE FROM day_counts WHERE mailbox = ?1 AND day = ?2 AND withheld = ?3 AND count = 0";
const FORGET_HOUR: &str =
    "DELETE FROM hour_counts WHERE mailbox = ?1 AND hour = ?2 AND withheld = ?3 AND count = 0";
const FORGET_SENDER: &str =
    "DELETE FROM sender_counts WHERE mailbox = ?1 AND sender = ?2 AND withheld = ?3 AND count = 0";
const FORGET_MAILBOX: &str = "DELETE FROM mailbox_counts WHERE mailbox = ?1 AND withheld = ?2 AND count = 0";
const FORGET_MESSAGES: &str = "DELETE FROM message_counts WHERE count = 0";
const ADD_DAY: &str = "
    INSERT INTO day_counts (mailbox, day, withheld, count) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT DO UPDATE SET count = count + excluded.count";
const ADD_HOUR: &str = "
    INSERT INTO hour_counts (mailbox, hour, withheld, count) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT DO UPDATE SET count = count + excluded.count";
const ADD_SENDER: &str = "
    INSERT INTO sender_counts (mailbox, sender, withheld, count) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT DO UPDATE SET count = count + excluded.count";
const ADD_MAILBOX: &str = "
    INSERT INTO mailbox_counts (mailbox, withheld, count, unread, bytes) VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT DO UPDATE SET count = count + excluded.count, unread = unread + excluded.unread,
                              bytes = bytes + excluded.bytes";
const ADD_MESSAGES: &str = "
    INSERT INTO message_counts (withheld, count, bytes, with_attachments) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT DO UPDATE SET count = count + excluded.count, bytes = bytes + excluded.bytes,
                              with_attachments = with_attachments + excluded.with_attachments";

/// A kept table of counts and the question it answers; `verify` compares the two.
pub(super) struct KeptCounts {
    /// The table.
    pub(super) table: &'static str,
    /// What it must hold, counted afresh.
    pub(super) truth: &'static str,
}

/// All that is kept and can be counted again.
pub(super) const KEPT: [KeptCounts; 9] = [
    KeptCounts {
        table: "day_counts",
        truth: "SELECT p.mailbox, p.epoch / 86400 - (p.epoch % 86400 < 0), m.withheld, count(*)
                FROM placements p JOIN messages m ON m.id = p.message GROUP BY 1, 2, 3",
    },
    KeptCounts {
        table: "sender_counts",
        truth: "SELECT p.mailbox, m.sender, m.withheld, count(*)
                FROM placements p JOIN messages m ON m.id = p.message GROUP BY 1, 2, 3",
    },
    KeptCounts {
        table: "mailbox_counts",
        truth: "SELECT p.mailbox, m.withheld, count(*), sum(p.flags & 1 = 0), sum(m.size)
                FROM placements p JOIN messages m ON m.id = p.message GROUP BY 1, 2",
    },
    KeptCounts {
        table: "message_counts",
        truth: "SELECT withheld, count(*), sum(size), sum(has_attachments) FROM messages GROUP BY 1",
    },
    KeptCounts {
        table: "hour_counts",
        truth: "SELECT p.mailbox, p.epoch / 3600 - (p.epoch % 3600 < 0), m.withheld, count(*)
                FROM placements p JOIN messages m ON m.id = p.message GROUP BY 1, 2, 3",
    },
    KeptCounts {
        table: "arrival_counts",
        truth:
            "SELECT p.mailbox, p.internal_epoch / 3600 - (p.internal_epoch % 3600 < 0), m.withheld, count(*)
                FROM placements p JOIN messages m ON m.id = p.message GROUP BY 1, 2, 3",
    },
    KeptCounts {
        table: "repeated_subjects",
        truth: "SELECT m.subject_hash, count(*) FROM messages m JOIN placements p ON p.message = m.id
                WHERE m.subject <> '' GROUP BY 1 HAVING count(*) > 1",
    },
    KeptCounts {
        table: "repeated_ids",
        truth: "SELECT m.message_id, count(*) FROM messages m JOIN placements p ON p.message = m.id
                WHERE m.message_id IS NOT NULL GROUP BY 1 HAVING count(*) > 1",
    },
    KeptCounts {
        table: "responses",
        truth: "SELECT id, seconds, own FROM (
                    SELECT m.id AS id, m.epoch - lag(m.epoch) OVER thread AS seconds, s.address AS address,
                           lag(s.address) OVER thread AS before,
                           s.address IN (SELECT lower(address) FROM accounts) AS own
                    FROM messages m JOIN senders s ON s.id = m.sender WHERE m.withheld = 0
                    WINDOW thread AS (PARTITION BY m.thread ORDER BY m.epoch, m.id)
                ) WHERE before <> address",
    },
];
