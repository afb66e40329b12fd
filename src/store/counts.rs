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

/// The facts of a placement that counts depend on.
#[derive(Debug, Clone, Copy)]
pub(super) struct CountedPlace {
    pub(super) mailbox: MailboxKey,
    pub(super) flags: Flags,
    /// INTERNALDATE.
    pub(super) arrived: i64,
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

/// Counts by mailbox, a number (a day, an hour, a sender) and whether they are withheld.
type ByNumber = BTreeMap<(MailboxKey, i64, bool), i64>;

/// What a transaction adds to the counts.
#[derive(Default)]
pub(super) struct CountDeltas {
    // In the order of their tables, so that writing them walks along these instead of jumping about.
    days: ByNumber,
    hours: ByNumber,
    arrival_hours: ByNumber,
    arrival_days: ByNumber,
    senders: ByNumber,
    sender_days: BTreeMap<((MailboxKey, i64, bool), i64), i64>,
    mailboxes: HashMap<(MailboxKey, bool), MailboxDelta>,
    messages: HashMap<bool, MessageDelta>,
}

const DAY: i64 = 86_400;
const HOUR: i64 = 3600;

impl CountDeltas {
    /// Counts a message whose content is new.
    pub(super) fn message(&mut self, message: &Counted) {
        self.add_message(message, 1);
    }

    /// Counts a message in a mailbox.
    pub(super) fn placement(&mut self, place: CountedPlace, message: &Counted) {
        self.add_placement(place, message, 1);
    }

    /// Counts a message no more.
    pub(super) fn remove_message(&mut self, message: &Counted) {
        self.add_message(message, -1);
    }

    /// Counts a message in a mailbox no more.
    pub(super) fn removal(&mut self, place: CountedPlace, message: &Counted) {
        self.add_placement(place, message, -1);
    }

    /// Counts a message in a mailbox as read or unread when its flags say so now.
    pub(super) fn flags(&mut self, mailbox: MailboxKey, withheld: bool, before: Flags, after: Flags) {
        let unread = |flags: Flags| i64::from(!flags.contains(Flags::SEEN));
        self.mailboxes.entry((mailbox, withheld)).or_default().unread += unread(after) - unread(before);
    }

    /// Counts a message and its places as withheld that was not, or the other way round.
    pub(super) fn turn(&mut self, message: &Counted, places: &[CountedPlace]) {
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

    fn add_placement(&mut self, place: CountedPlace, message: &Counted, by: i64) {
        let CountedPlace { mailbox, flags, arrived } = place;
        let key = |number: i64| (mailbox, number, message.withheld);
        *self.days.entry(key(message.epoch.div_euclid(DAY))).or_default() += by;
        *self.hours.entry(key(message.epoch.div_euclid(HOUR))).or_default() += by;
        *self.arrival_hours.entry(key(arrived.div_euclid(HOUR))).or_default() += by;
        *self.arrival_days.entry(key(arrived.div_euclid(DAY))).or_default() += by;
        *self.senders.entry(key(message.sender)).or_default() += by;
        *self.sender_days.entry((key(message.sender), arrived.div_euclid(DAY))).or_default() += by;
        let delta = self.mailboxes.entry((mailbox, message.withheld)).or_default();
        delta.count += by;
        delta.unread += by * i64::from(!flags.contains(Flags::SEEN));
        delta.bytes += by * message.size;
    }

    /// Writes the differences. A count that went down to nothing is no row: counted afresh it would not be there.
    pub(super) fn write(&self, connection: &Connection) -> Result<(), StoreError> {
        write_by_number(connection, &DAYS, &self.days)?;
        write_by_number(connection, &HOURS, &self.hours)?;
        write_by_number(connection, &ARRIVAL_HOURS, &self.arrival_hours)?;
        write_by_number(connection, &ARRIVAL_DAYS, &self.arrival_days)?;
        self.write_senders(connection)?;
        self.lower_peaks(connection)?;
        self.write_mailboxes(connection)?;
        self.write_messages(connection)
    }

    /// Days before senders: what a day has now may be the most that its sender ever wrote.
    fn write_senders(&self, connection: &Connection) -> Result<(), StoreError> {
        let mut peaks: HashMap<(MailboxKey, i64, bool), i64> = HashMap::new();
        let mut days = connection.prepare_cached(ADD_SENDER_DAY)?;
        for (((mailbox, sender, withheld), day), count) in self.sender_days.iter().filter(|(_, n)| **n != 0) {
            let now: i64 =
                days.query_row(params![mailbox.0, sender, withheld, day, count], |row| row.get(0))?;
            let peak = peaks.entry((*mailbox, *sender, *withheld)).or_default();
            *peak = now.max(*peak);
        }
        let mut senders = connection.prepare_cached(ADD_SENDER)?;
        for (key, count) in &self.senders {
            let Some(peak) = peaks.get(key) else { continue };
            senders.execute(params![key.0.0, key.1, key.2, count, peak])?;
        }
        Ok(())
    }

    /// Looks again for the busiest day of those senders who have fewer messages on one.
    fn lower_peaks(&self, connection: &Connection) -> Result<(), StoreError> {
        let mut fewer: Vec<(MailboxKey, i64, bool)> = Vec::new();
        for ((key, day), _) in self.sender_days.iter().filter(|(_, count)| **count < 0) {
            let (mailbox, sender, withheld) = *key;
            let mut forget = connection.prepare_cached(FORGET_SENDER_DAY)?;
            forget.execute(params![mailbox.0, sender, withheld, day])?;
            fewer.push(*key);
        }
        fewer.dedup();
        for (mailbox, sender, withheld) in fewer {
            for sql in [LOWER_PEAK, FORGET_SENDER] {
                connection.prepare_cached(sql)?.execute(params![mailbox.0, sender, withheld])?;
            }
        }
        Ok(())
    }

    fn write_mailboxes(&self, connection: &Connection) -> Result<(), StoreError> {
        let mut mailboxes = connection.prepare_cached(ADD_MAILBOX)?;
        let mut forget = connection.prepare_cached(FORGET_MAILBOX)?;
        for ((mailbox, withheld), delta) in &self.mailboxes {
            mailboxes.execute(params![mailbox.0, withheld, delta.count, delta.unread, delta.bytes])?;
            if delta.count <= 0 {
                forget.execute(params![mailbox.0, withheld])?;
            }
        }
        Ok(())
    }

    fn write_messages(&self, connection: &Connection) -> Result<(), StoreError> {
        let mut messages = connection.prepare_cached(ADD_MESSAGES)?;
        for (withheld, delta) in &self.messages {
            messages.execute(params![withheld, delta.count, delta.bytes, delta.with_attachments])?;
        }
        if self.messages.values().any(|delta| delta.count < 0) {
            connection.execute(FORGET_MESSAGES, [])?;
        }
        Ok(())
    }
}

/// How counts of a table are raised, lowered, and removed when nothing is left.
struct NumberTable {
    add: &'static str,
    forget: &'static str,
}

macro_rules! number_table {
    ($table:literal, $number:literal) => {
        NumberTable {
            add: concat!(
                "INSERT INTO ",
                $table,
                " (mailbox, ",
                $number,
                ", withheld, count) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO UPDATE SET count = count + excluded.count"
            ),
            forget: concat!(
                "DELETE FROM ",
                $table,
                " WHERE mailbox = ?1 AND ",
                $number,
                " = ?2 AND withheld = ?3 AND count = 0"
            ),
        }
    };
}

const DAYS: NumberTable = number_table!("day_counts", "day");
const HOURS: NumberTable = number_table!("hour_counts", "hour");
const ARRIVAL_HOURS: NumberTable = number_table!("arrival_counts", "hour");
const ARRIVAL_DAYS: NumberTable = number_table!("arrival_days", "day");

fn write_by_number(
    connection: &Connection,
    table: &NumberTable,
    deltas: &ByNumber,
) -> Result<(), StoreError> {
    let mut add = connection.prepare_cached(table.add)?;
    let mut forget = connection.prepare_cached(table.forget)?;
    for ((mailbox, number, withheld), count) in deltas.iter().filter(|(_, count)| **count != 0) {
        add.execute(params![mailbox.0, number, withheld, count])?;
        if *count < 0 {
            forget.execute(params![mailbox.0, number, withheld])?;
        }
    }
    Ok(())
}

const ADD_SENDER_DAY: &str = "
    INSERT INTO sender_days (mailbox, sender, withheld, day, count) VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT DO UPDATE SET count = count + excluded.count RETURNING count";
const FORGET_SENDER_DAY: &str = "
    DELETE FROM sender_days WHERE mailbox = ?1 AND sender = ?2 AND withheld = ?3 AND day = ?4 AND count = 0";
const ADD_SENDER: &str = "
    INSERT INTO sender_counts (mailbox, sender, withheld, count, peak) VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT DO UPDATE SET count = count + excluded.count, peak = max(peak, excluded.peak)";
const LOWER_PEAK: &str = "
    UPDATE sender_counts SET peak = coalesce(
        (SELECT max(count) FROM sender_days WHERE mailbox = ?1 AND sender = ?2 AND withheld = ?3), 0)
    WHERE mailbox = ?1 AND sender = ?2 AND withheld = ?3";
const FORGET_SENDER: &str =
    "DELETE FROM sender_counts WHERE mailbox = ?1 AND sender = ?2 AND withheld = ?3 AND count = 0";
const ADD_MAILBOX: &str = "
    INSERT INTO mailbox_counts (mailbox, withheld, count, unread, bytes) VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT DO UPDATE SET count = count + excluded.count, unread = unread + excluded.unread,
                              bytes = bytes + excluded.bytes";
const FORGET_MAILBOX: &str = "DELETE FROM mailbox_counts WHERE mailbox = ?1 AND withheld = ?2 AND count = 0";
const ADD_MESSAGES: &str = "
    INSERT INTO message_counts (withheld, count, bytes, with_attachments) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT DO UPDATE SET count = count + excluded.count, bytes = bytes + excluded.bytes,
                              with_attachments = with_attachments + excluded.with_attachments";
const FORGET_MESSAGES: &str = "DELETE FROM message_counts WHERE count = 0";

/// The tables whose rows belong to a mailbox.
pub(super) const BY_MAILBOX: [&str; 7] = [
    "day_counts",
    "hour_counts",
    "arrival_counts",
    "arrival_days",
    "sender_counts",
    "sender_days",
    "mailbox_counts",
];

/// A kept table of counts and the question it answers; `verify` compares the two.
pub(super) struct KeptCounts {
    /// The table.
    pub(super) table: &'static str,
    /// What it must hold, counted afresh.
    pub(super) truth: &'static str,
}

/// All that is kept and can be counted again.
pub(super) const KEPT: [KeptCounts; 11] = [
    KeptCounts {
        table: "day_counts",
        truth: "SELECT p.mailbox, p.epoch / 86400 - (p.epoch % 86400 < 0), m.withheld, count(*)
                FROM placements p JOIN messages m ON m.id = p.message GROUP BY 1, 2, 3",
    },
    KeptCounts {
        table: "sender_counts",
        truth: "SELECT mailbox, sender, withheld, sum(count), max(count) FROM (
                    SELECT p.mailbox AS mailbox, m.sender AS sender, m.withheld AS withheld, count(*) AS count
                    FROM placements p JOIN messages m ON m.id = p.message
                    GROUP BY 1, 2, 3, p.internal_epoch / 86400 - (p.internal_epoch % 86400 < 0)
                ) GROUP BY 1, 2, 3",
    },
    KeptCounts {
        table: "sender_days",
        truth: "SELECT p.mailbox, m.sender, m.withheld, p.internal_epoch / 86400 - (p.internal_epoch % 86400 < 0),
                       count(*)
                FROM placements p JOIN messages m ON m.id = p.message GROUP BY 1, 2, 3, 4",
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
        table: "arrival_days",
        truth:
            "SELECT p.mailbox, p.internal_epoch / 86400 - (p.internal_epoch % 86400 < 0), m.withheld, count(*)
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
