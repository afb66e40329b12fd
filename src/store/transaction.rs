//! One write transaction: messages go in whole, with their placement, thread, counts and change, or not at all.

use std::collections::HashMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::crash_point::crash_point;
use crate::model::{
    Address, Attachment, ContentHash, Disposition, Flags, MailboxKey, MessageKey, ParsedMessage,
    PlacementKey, Released, ShieldRules,
};
use crate::store::changes::{self, ChangeKind};
use crate::store::counts::{CountDeltas, Counted, CountedPlace};
use crate::store::duplicates::{self, Repeats};
use crate::store::responses::{self, Turn};
use crate::store::subjects::{self, NewSubjects};
use crate::store::threads::{self, Joined};
use crate::store::{Frame, ShieldState, StoreError, forget};

/// A message ready to be stored: parsed and packed.
pub struct NewMessage<'a> {
    /// What it is known by.
    pub hash: ContentHash,
    /// Length of the raw bytes.
    pub size: usize,
    /// What the parser read.
    pub parsed: &'a ParsedMessage,
    /// The packed content.
    pub frame: &'a Frame,
    /// Gmail's own number for it.
    pub gmail_id: Option<u64>,
}

/// Where a message belongs.
pub struct NewPlacement<'a> {
    /// The mailbox.
    pub mailbox: MailboxKey,
    /// Its flags there.
    pub flags: Flags,
    /// Its labels there.
    pub labels: &'a [String],
    /// Where the server has it; `None` for mail from files.
    pub on_server: Option<ServerUid>,
}

/// A message's place on a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerUid {
    /// Its uid in the mailbox.
    pub uid: u32,
    /// When the server received it, in seconds since 1970.
    pub internal_epoch: i64,
}

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// Its content was not known before.
    New(MessageKey),
    /// Its content was known, but not in this mailbox.
    Placed(MessageKey),
    /// It was in this mailbox already; nothing changed.
    Known(MessageKey),
}

/// Senders met lately, so that a frequent one costs no look-up.
#[derive(Default)]
pub(super) struct SenderCache {
    rows: HashMap<String, i64>,
    /// The newest removal that was known; with another one, rows may be gone.
    removal: i64,
}

const CACHED_SENDERS: usize = 50_000;

impl SenderCache {
    /// Remembers senders whose rows are committed; those of a transaction that was undone never come here.
    fn learn(&mut self, senders: HashMap<String, i64>) {
        if self.rows.len() + senders.len() > CACHED_SENDERS {
            self.rows.clear();
        }
        self.rows.extend(senders);
    }

    /// Forgets all of them when any message was removed since: its sender may have gone with it.
    fn follow(&mut self, connection: &Connection) -> Result<(), StoreError> {
        let mut statement = connection.prepare_cached("SELECT coalesce(max(id), 0) FROM removals")?;
        let newest = statement.query_row([], |row| row.get(0))?;
        if std::mem::replace(&mut self.removal, newest) != newest {
            self.rows.clear();
        }
        Ok(())
    }
}

/// A write transaction. Dropping it undoes everything; `commit` makes it durable.
pub struct WriteTransaction<'s> {
    pub(super) transaction: Transaction<'s>,
    pub(super) counts: CountDeltas,
    pub(super) subjects: NewSubjects,
    repeats: Repeats,
    pub(super) shield: ShieldRules,
    pub(super) released: Released,
    senders: &'s mut SenderCache,
    next_uids: HashMap<MailboxKey, i64>,
    new_senders: HashMap<String, i64>,
    last_change: i64,
    pub(super) has_removed: bool,
    /// When it began, in seconds since 1970.
    pub(super) now: i64,
    /// Whether there is anything that the owner has forgotten.
    pub(super) has_forgotten: bool,
    next_rows: NextRows,
}

/// The next rows of messages and placements. None is given twice: one that somebody still holds must not become
/// another message's.
struct NextRows {
    message: i64,
    placement: i64,
}

impl NextRows {
    fn after(connection: &Connection) -> Result<Self, StoreError> {
        const SELECT: &str = "
            SELECT max(messages, coalesce((SELECT max(id) FROM messages), 0)) + 1,
                   max(placements, coalesce((SELECT max(id) FROM placements), 0)) + 1
            FROM deleted_rows";
        let mut statement = connection.prepare_cached(SELECT)?;
        Ok(statement.query_row([], |row| Ok(Self { message: row.get(0)?, placement: row.get(1)? }))?)
    }
}

impl<'s> WriteTransaction<'s> {
    pub(super) fn new(
        transaction: Transaction<'s>,
        senders: &'s mut SenderCache,
        shield: ShieldState,
        now: i64,
    ) -> Result<Self, StoreError> {
        senders.follow(&transaction)?;
        Ok(Self {
            has_forgotten: forget::has_forgotten(&transaction)?,
            next_rows: NextRows::after(&transaction)?,
            transaction,
            shield: shield.rules,
            released: shield.released,
            counts: CountDeltas::default(),
            subjects: NewSubjects::default(),
            repeats: Repeats::default(),
            senders,
            next_uids: HashMap::new(),
            new_senders: HashMap::new(),
            last_change: 0,
            has_removed: false,
            now,
        })
    }

    /// The newest change that this transaction builds on.
    pub fn newest_change(&self) -> Result<i64, StoreError> {
        let mut statement =
            self.transaction.prepare_cached("SELECT coalesce(max(number), 0) FROM changes")?;
        Ok(statement.query_row([], |row| row.get(0))?)
    }

    /// Stores a message and places it. Content that is known is not stored again.
    pub fn store(
        &mut self,
        message: &NewMessage<'_>,
        place: &NewPlacement<'_>,
    ) -> Result<Stored, StoreError> {
        if let Some(stored) = self.place_known(&message.hash, place)? {
            return Ok(stored);
        }
        let joined = threads::join(&self.transaction, message.parsed)?;
        let withheld = self.is_withheld(message.parsed, place, joined.thread)?;
        let (key, counted) = self.insert_message(message, &joined, withheld)?;
        self.insert_content(key, message.frame)?;
        if let Some(unreferenced) = &joined.unreferenced {
            unreferenced.remember(&self.transaction, key)?;
        }
        self.insert_parts(key, &message.parsed.attachments)?;
        self.insert_defects(key, message.parsed)?;
        self.subjects.add(key, &message.parsed.subject);
        self.measure_responses(key, message.parsed, (&joined, withheld))?;
        self.record(key, ChangeKind::Content)?;
        self.counts.message(&counted);
        self.insert_placement(key, &counted, place)?;
        self.note_written(key, place.mailbox, message.parsed)?;
        let subject = Some(&message.parsed.subject).filter(|subject| !subject.is_empty());
        let known_id = message.parsed.message_id.as_deref().filter(|_| !joined.is_new_id);
        self.repeats.placed(subject.map(|subject| subjects::hash(subject)), known_id);
        if !joined.moved.is_empty() {
            self.judge_joined(joined.thread)?;
        }
        Ok(Stored::New(key))
    }

    /// Places a message whose content is stored already; `None` when it is not.
    pub fn place_known(
        &mut self,
        hash: &ContentHash,
        place: &NewPlacement<'_>,
    ) -> Result<Option<Stored>, StoreError> {
        let Some(key) = self.find(hash)? else {
            return Ok(None);
        };
        if let Some(on_server) = place.on_server {
            return self.place_on_server(key, place, on_server).map(Some);
        }
        if self.is_placed(key, place.mailbox)? {
            return Ok(Some(Stored::Known(key)));
        }
        let counted = self.counted(key)?;
        self.place(key, &counted, place)?;
        self.is_back(key, place.mailbox)?;
        self.record(key, ChangeKind::Facts)?;
        Ok(Some(Stored::Placed(key)))
    }

    /// Writes the counts and commits. When this returns, a power cut loses nothing of the transaction.
    /// Returns the number of the last change in it; 0 when nothing changed.
    pub fn commit(self) -> Result<i64, StoreError> {
        self.counts.write(&self.transaction)?;
        self.subjects.write(&self.transaction)?;
        self.repeats.write(&self.transaction)?;
        for (mailbox, next_uid) in self.next_uids.iter().filter(|(_, next)| **next > 0) {
            self.transaction
                .execute("UPDATE mailboxes SET next_uid = ?2 WHERE id = ?1", params![mailbox.0, next_uid])?;
        }
        crash_point("before commit");
        self.transaction.commit()?;
        crash_point("after commit");
        self.senders.learn(self.new_senders);
        Ok(self.last_change)
    }

    /// Whether this transaction has removed messages, which derived data must follow from the change log.
    #[must_use]
    pub fn has_removed(&self) -> bool {
        self.has_removed
    }

    fn find(&self, hash: &ContentHash) -> Result<Option<MessageKey>, StoreError> {
        let mut statement = self.transaction.prepare_cached("SELECT id FROM messages WHERE hash = ?1")?;
        Ok(statement.query_row([hash.0], |row| row.get(0).map(MessageKey)).optional()?)
    }

    pub(super) fn is_placed(&self, key: MessageKey, mailbox: MailboxKey) -> Result<bool, StoreError> {
        let mut statement = self
            .transaction
            .prepare_cached("SELECT 1 FROM placements WHERE message = ?1 AND mailbox = ?2")?;
        Ok(statement.exists(params![key.0, mailbox.0])?)
    }

    /// Only threads of several messages have answers.
    fn measure_responses(
        &self,
        key: MessageKey,
        parsed: &ParsedMessage,
        (joined, withheld): (&Joined, bool),
    ) -> Result<(), StoreError> {
        if !joined.has_others {
            return Ok(());
        }
        responses::refresh(&self.transaction, joined.thread, &joined.moved)?;
        let address = parsed.sender().map(|from| from.address.to_lowercase()).unwrap_or_default();
        let turn = Turn { message: key.0, epoch: parsed.date.epoch, address };
        responses::measure_around(&self.transaction, joined.thread, &turn, withheld)
    }

    fn insert_message(
        &mut self,
        message: &NewMessage<'_>,
        joined: &Joined,
        withheld: bool,
    ) -> Result<(MessageKey, Counted), StoreError> {
        const INSERT: &str = "
            INSERT INTO messages (id, hash, message_id, thread, epoch, date_source, year, month, weekday, hour, sender,
                                  subject, size, header_size, has_attachments, withheld, list_id, x_gm_thrid,
                                  subject_hash, secret, x_gm_msgid)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)";
        let parsed = message.parsed;
        let sender = self.sender(parsed.sender())?;
        let when = Calendar::of(parsed.date.epoch);
        let key = MessageKey(self.next_rows.message);
        self.next_rows.message += 1;
        self.transaction.prepare_cached(INSERT)?.execute(params![
            key.0,
            message.hash.0,
            parsed.message_id,
            joined.thread.0,
            parsed.date.epoch,
            parsed.date.source as i64,
            when.year,
            when.month,
            when.weekday,
            when.hour,
            sender,
            parsed.subject,
            message.size,
            parsed.header_length,
            parsed.has_attachments(),
            withheld,
            parsed.list_id,
            parsed.gmail_thread.map(u64::cast_signed),
            subjects::hash(&parsed.subject),
            parsed.secret.map_or(0, |secret| secret as i64),
            message.gmail_id.map(u64::cast_signed),
        ])?;
        let counted = Counted {
            epoch: parsed.date.epoch,
            sender,
            size: message.size as i64,
            has_attachments: parsed.has_attachments(),
            withheld,
        };
        Ok((key, counted))
    }

    fn insert_content(&self, key: MessageKey, frame: &Frame) -> Result<(), StoreError> {
        const INSERT: &str = "
            INSERT INTO contents (message, dictionary, envelope_length, text_length, frame)
            VALUES (?1, ?2, ?3, ?4, ?5)";
        self.transaction.prepare_cached(INSERT)?.execute(params![
            key.0,
            frame.dictionary,
            frame.envelope_length,
            frame.text_length,
            frame.bytes
        ])?;
        Ok(())
    }

    fn insert_parts(&self, key: MessageKey, attachments: &[Attachment]) -> Result<(), StoreError> {
        const INSERT: &str = "
            INSERT OR IGNORE INTO parts (message, part, name, content_type, size, hash, disposition, counts)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        for attachment in attachments {
            let disposition = match attachment.disposition {
                Disposition::Attachment => Some("attachment"),
                Disposition::Inline => Some("inline"),
                Disposition::None => None,
            };
            self.transaction.prepare_cached(INSERT)?.execute(params![
                key.0,
                attachment.part,
                attachment.name,
                attachment.content_type,
                attachment.size.cast_signed(),
                attachment.hash.0,
                disposition,
                attachment.counts
            ])?;
        }
        Ok(())
    }

    fn insert_defects(&self, key: MessageKey, parsed: &ParsedMessage) -> Result<(), StoreError> {
        for defect in &parsed.defects {
            self.transaction
                .prepare_cached("INSERT OR IGNORE INTO defects (message, defect) VALUES (?1, ?2)")?
                .execute(params![key.0, defect.name()])?;
        }
        Ok(())
    }

    pub(super) fn sender(&mut self, from: Option<&Address>) -> Result<i64, StoreError> {
        let nobody = Address::default();
        let from = from.unwrap_or(&nobody);
        let display = from.shown();
        if let Some(id) = self.senders.rows.get(&display).or_else(|| self.new_senders.get(&display)) {
            return Ok(*id);
        }
        let known = self
            .transaction
            .prepare_cached("SELECT id FROM senders WHERE display = ?1")?
            .query_row([&display], |row| row.get(0))
            .optional()?;
        let id = match known {
            Some(id) => id,
            None => self.insert_sender(from, &display)?,
        };
        self.new_senders.insert(display, id);
        Ok(id)
    }

    fn insert_sender(&self, from: &Address, display: &str) -> Result<i64, StoreError> {
        self.transaction
            .prepare_cached("INSERT INTO senders (display, name, address, domain) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![display, from.name, from.address.to_lowercase(), from.domain()])?;
        Ok(self.transaction.last_insert_rowid())
    }

    pub(super) fn counted(&self, key: MessageKey) -> Result<Counted, StoreError> {
        const SELECT: &str =
            "SELECT epoch, sender, size, has_attachments, withheld FROM messages WHERE id = ?1";
        Ok(self.transaction.prepare_cached(SELECT)?.query_row([key.0], |row| {
            Ok(Counted {
                epoch: row.get(0)?,
                sender: row.get(1)?,
                size: row.get(2)?,
                has_attachments: row.get(3)?,
                withheld: row.get(4)?,
            })
        })?)
    }

    pub(super) fn place(
        &mut self,
        key: MessageKey,
        counted: &Counted,
        place: &NewPlacement<'_>,
    ) -> Result<(), StoreError> {
        self.insert_placement(key, counted, place)?;
        self.note_placed(key, place.mailbox)?;
        let (subject, id) = self.subject_and_id(key)?;
        self.repeats.placed(subject, id.as_deref());
        Ok(())
    }

    fn insert_placement(
        &mut self,
        key: MessageKey,
        counted: &Counted,
        place: &NewPlacement<'_>,
    ) -> Result<(), StoreError> {
        const INSERT: &str = "
            INSERT INTO placements (id, message, mailbox, uid, epoch, internal_epoch, flags)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let (uid, internal_epoch) = match place.on_server {
            Some(on_server) => (i64::from(on_server.uid), on_server.internal_epoch),
            None => (self.next_uid(place.mailbox)?, counted.epoch),
        };
        let placement = PlacementKey(self.next_rows.placement);
        self.next_rows.placement += 1;
        self.transaction.prepare_cached(INSERT)?.execute(params![
            placement.0,
            key.0,
            place.mailbox.0,
            uid,
            counted.epoch,
            internal_epoch,
            place.flags.bits()
        ])?;
        let counted_place =
            CountedPlace { mailbox: place.mailbox, flags: place.flags, arrived: internal_epoch };
        self.counts.placement(counted_place, counted);
        self.label(placement, place.mailbox, place.labels)
    }

    /// Notes that a placement of this message is gone.
    pub(super) fn forget_repeated(&self, key: MessageKey) -> Result<(), StoreError> {
        let (subject, id) = self.subject_and_id(key)?;
        duplicates::removed(&self.transaction, subject, id.as_deref())
    }

    fn subject_and_id(&self, key: MessageKey) -> Result<(Option<i64>, Option<String>), StoreError> {
        const SELECT: &str =
            "SELECT iif(subject <> '', subject_hash, NULL), message_id FROM messages WHERE id = ?1";
        let mut statement = self.transaction.prepare_cached(SELECT)?;
        Ok(statement.query_row([key.0], |row| Ok((row.get(0)?, row.get(1)?)))?)
    }

    pub(super) fn label(
        &self,
        placement: PlacementKey,
        mailbox: MailboxKey,
        labels: &[String],
    ) -> Result<(), StoreError> {
        for name in labels {
            self.transaction
                .prepare_cached(
                    "INSERT OR IGNORE INTO label_names (account, name)
                     SELECT account, ?2 FROM mailboxes WHERE id = ?1",
                )?
                .execute(params![mailbox.0, name])?;
            self.transaction
                .prepare_cached(
                    "INSERT OR IGNORE INTO placement_labels (label, placement)
                     SELECT l.id, ?3 FROM label_names l JOIN mailboxes b ON b.account = l.account
                     WHERE b.id = ?1 AND l.name = ?2",
                )?
                .execute(params![mailbox.0, name, placement.0])?;
        }
        Ok(())
    }

    /// A number for mail from files. In a mailbox of a server the positive ones are the server's to give.
    pub(super) fn next_uid(&mut self, mailbox: MailboxKey) -> Result<i64, StoreError> {
        const SELECT: &str = "
            SELECT CASE WHEN remote IS NULL AND user IS NULL THEN next_uid
                        ELSE min(0, coalesce((SELECT min(uid) FROM placements WHERE mailbox = b.id), 0)) - 1 END
            FROM mailboxes b JOIN accounts a ON a.id = b.account WHERE b.id = ?1";
        let next = match self.next_uids.get(&mailbox) {
            Some(next) => *next,
            None => self.transaction.prepare_cached(SELECT)?.query_row([mailbox.0], |row| row.get(0))?,
        };
        self.next_uids.insert(mailbox, if next > 0 { next + 1 } else { next - 1 });
        Ok(next)
    }

    pub(super) fn record(&mut self, key: MessageKey, kind: ChangeKind) -> Result<(), StoreError> {
        self.last_change = changes::record(&self.transaction, key, kind)?;
        match kind {
            ChangeKind::Facts => self.judge_again(key),
            _ => Ok(()),
        }
    }

    /// Records a change of what is withheld, which follows from other facts.
    pub(super) fn record_judgement(&mut self, key: MessageKey) -> Result<(), StoreError> {
        self.last_change = changes::record(&self.transaction, key, ChangeKind::Facts)?;
        Ok(())
    }
}

/// The parts of a moment that statistics group by, in UTC.
struct Calendar {
    year: i16,
    month: i8,
    weekday: i8,
    hour: i8,
}

impl Calendar {
    fn of(epoch: i64) -> Self {
        let when = Timestamp::from_second(epoch).unwrap_or(Timestamp::UNIX_EPOCH).to_zoned(TimeZone::UTC);
        Self {
            year: when.year(),
            month: when.month(),
            weekday: when.weekday().to_sunday_zero_offset(),
            hour: when.hour(),
        }
    }
}
