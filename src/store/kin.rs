//! Finds the message that an answer belongs to when it names none: the last one with its subject, at most 30 days
//! older, between the same people. A stranger who copies a subject has written to none of them and joins nothing.
//!
//! Whichever of the two comes first waits for the other. Only an answer that names no message is looked up by subject;
//! what it may answer finds it in the small table of such answers.

use rusqlite::{Connection, OptionalExtension, params};

use crate::model::{Address, DateSource, MessageKey, ParsedMessage, ThreadKey, answered_subject};
use crate::store::{Reader, StoreError, subjects};

/// How much older a message may be than its answer.
const SPAN: i64 = 30 * 86_400;
/// So many messages with one subject are looked at, and so many people of each: strangers can send any number.
const MANY: usize = 20;
/// What people's programs put before the subject of the message that is answered.
const PREFIXES: [&str; 7] = ["", "Re: ", "RE: ", "Fwd: ", "FW: ", "Fw: ", "AW: "];

impl Reader {
    /// Messages with this subject, whatever programs put before it, between two moments, oldest first.
    pub fn with_subject(&self, subject: &str, from: i64, until: i64) -> Result<Vec<MessageKey>, StoreError> {
        const OF_SUBJECT: &str = "
            SELECT id, subject, epoch FROM messages WHERE subject_hash = ?1 AND epoch BETWEEN ?2 AND ?3
            ORDER BY epoch, id LIMIT ?4";
        let bare = answered_subject(subject).unwrap_or(subject);
        let mut found: Vec<(i64, MessageKey)> = Vec::new();
        let mut statement = self.connection().prepare_cached(OF_SUBJECT)?;
        for subject in answerable(subject, bare) {
            let mut rows = statement.query(params![subjects::hash(&subject), from, until, MANY])?;
            while let Some(row) = rows.next()? {
                if row.get_ref(1)?.as_str().is_ok_and(|stored| stored == subject) {
                    found.push((row.get(2)?, MessageKey(row.get(0)?)));
                }
            }
        }
        found.sort_unstable();
        Ok(found.into_iter().map(|(_, key)| key).collect())
    }
}

/// An answer that names no message.
pub(super) struct Unreferenced {
    subject_hash: i64,
    epoch: i64,
    answered: Option<i64>,
}

/// What a message that arrives is kin to.
#[derive(Default)]
pub(super) struct Kin {
    /// Threads that it joins.
    pub(super) threads: Vec<ThreadKey>,
    /// Set when it waits for what it answers.
    pub(super) unreferenced: Option<Unreferenced>,
}

/// A message that is stored, as far as kinship goes.
struct Stored {
    key: MessageKey,
    thread: ThreadKey,
    epoch: i64,
    sender: String,
    subject: String,
}

/// Finds what a message answers, and what answers it.
pub(super) fn of(connection: &Connection, parsed: &ParsedMessage) -> Result<Kin, StoreError> {
    let mut kin = Kin::default();
    let is_dated = matches!(parsed.date.source, DateSource::Header | DateSource::Received);
    let answered = answered_subject(&parsed.subject);
    let bare = answered.unwrap_or(&parsed.subject);
    if bare.is_empty() || !is_dated {
        return Ok(kin);
    }
    let subject_hash = subjects::hash(bare);
    let waiting = waiting(connection, subject_hash, parsed.date.epoch)?;
    let is_unreferenced = answered.is_some() && names_nothing(parsed) && parsed.gmail_thread.is_none();
    if waiting.is_empty() && !is_unreferenced {
        return Ok(kin);
    }
    let Some(people) = People::of(parsed) else { return Ok(kin) };
    kin.threads = answers_to(connection, parsed, &waiting, &people)?;
    if is_unreferenced {
        let parent = answered_by(connection, parsed, bare, &people)?;
        let (epoch, answered) = (parsed.date.epoch, parent.as_ref().map(|parent| parent.epoch));
        kin.unreferenced = Some(Unreferenced { subject_hash, epoch, answered });
        kin.threads.extend(parent.map(|parent| parent.thread));
    }
    Ok(kin)
}

/// Whether a message refers to no other.
pub(super) fn names_nothing(parsed: &ParsedMessage) -> bool {
    parsed.in_reply_to.is_empty() && parsed.references.is_empty()
}

impl Unreferenced {
    /// Lets what this answers find it later.
    pub(super) fn remember(&self, connection: &Connection, key: MessageKey) -> Result<(), StoreError> {
        const INSERT: &str = "
            INSERT INTO unreferenced_answers (subject_hash, epoch, message, answered_epoch)
            VALUES (?1, ?2, ?3, ?4)";
        let row = params![self.subject_hash, self.epoch, key.0, self.answered];
        connection.prepare_cached(INSERT)?.execute(row)?;
        Ok(())
    }
}

/// The nearest message before an answer that it can be an answer to.
fn answered_by(
    connection: &Connection,
    answer: &ParsedMessage,
    bare: &str,
    people: &People,
) -> Result<Option<Stored>, StoreError> {
    const OF_SUBJECT: &str = "
        SELECT m.id, m.thread, m.epoch, s.address, m.subject FROM messages m JOIN senders s ON s.id = m.sender
        WHERE m.subject_hash = ?1 AND m.epoch BETWEEN ?2 AND ?3 ORDER BY m.epoch DESC LIMIT ?4";
    let mut found = Vec::new();
    let mut statement = connection.prepare_cached(OF_SUBJECT)?;
    for subject in answerable(&answer.subject, bare) {
        let span = params![subjects::hash(&subject), answer.date.epoch - SPAN, answer.date.epoch, MANY];
        let rows = statement.query_map(span, stored)?;
        found.extend(rows.collect::<Result<Vec<_>, _>>()?.into_iter().filter(|row| row.subject == subject));
    }
    found.sort_by_key(|message| std::cmp::Reverse((message.epoch, message.key)));
    for earlier in found.into_iter().take(MANY).filter(|earlier| people.has(&earlier.sender)) {
        if people.know(&People::stored(connection, &earlier)?) {
            return Ok(Some(earlier));
        }
    }
    Ok(None)
}

/// The threads of those answers that wait for this message.
fn answers_to(
    connection: &Connection,
    earlier: &ParsedMessage,
    waiting: &[MessageKey],
    people: &People,
) -> Result<Vec<ThreadKey>, StoreError> {
    const FOUND: &str = "UPDATE unreferenced_answers SET answered_epoch = ?2 WHERE message = ?1";
    let epoch = earlier.date.epoch;
    let mut threads = Vec::new();
    for key in waiting {
        let Some(answer) = by_key(connection, *key)? else { continue };
        let bare = answered_subject(&answer.subject).unwrap_or_default();
        let fits = answerable(&answer.subject, bare).contains(&earlier.subject);
        if fits && people.has(&answer.sender) && People::stored(connection, &answer)?.know(people) {
            connection.prepare_cached(FOUND)?.execute(params![key.0, epoch])?;
            threads.push(answer.thread);
        }
    }
    Ok(threads)
}

/// Answers to a message of this date and subject that have found none nearer. Asked for every message that arrives, so
/// it looks at this one small table only.
fn waiting(connection: &Connection, subject_hash: i64, epoch: i64) -> Result<Vec<MessageKey>, StoreError> {
    const WAITING: &str = "
        SELECT message, answered_epoch FROM unreferenced_answers
        WHERE subject_hash = ?1 AND epoch BETWEEN ?2 AND ?3 ORDER BY epoch LIMIT ?4";
    let mut statement = connection.prepare_cached(WAITING)?;
    let mut rows = statement.query(params![subject_hash, epoch, epoch + SPAN, MANY])?;
    let mut keys = Vec::new();
    while let Some(row) = rows.next()? {
        let answered: Option<i64> = row.get(1)?;
        if answered.is_none_or(|answered| answered < epoch) {
            keys.push(MessageKey(row.get(0)?));
        }
    }
    Ok(keys)
}

fn by_key(connection: &Connection, key: MessageKey) -> Result<Option<Stored>, StoreError> {
    const SELECT: &str = "
        SELECT m.id, m.thread, m.epoch, s.address, m.subject FROM messages m JOIN senders s ON s.id = m.sender
        WHERE m.id = ?1";
    Ok(connection.prepare_cached(SELECT)?.query_row([key.0], stored).optional()?)
}

/// The subjects that a message may have to which this is the answer.
fn answerable(answer: &str, bare: &str) -> Vec<String> {
    let mut subjects: Vec<String> = PREFIXES.iter().map(|prefix| [prefix, bare].concat()).collect();
    if !subjects.iter().any(|subject| subject == answer) {
        subjects.push(answer.to_owned());
    }
    subjects
}

fn stored(row: &rusqlite::Row<'_>) -> rusqlite::Result<Stored> {
    Ok(Stored {
        key: MessageKey(row.get(0)?),
        thread: ThreadKey(row.get(1)?),
        epoch: row.get(2)?,
        sender: row.get(3)?,
        subject: row.get(4)?,
    })
}

/// Who writes a message, and who gets it, in lower case.
struct People {
    sender: String,
    others: Vec<String>,
}

impl People {
    /// `None` when the message does not say who wrote it.
    fn of(parsed: &ParsedMessage) -> Option<Self> {
        let sender = parsed.sender().map(|from| from.address.to_lowercase())?;
        let others =
            [&parsed.to, &parsed.cc, &parsed.bcc].into_iter().flat_map(|list| list.iter().take(MANY));
        let others = others.map(|address| address.address.to_lowercase()).collect();
        (!sender.is_empty()).then_some(Self { sender, others })
    }

    fn stored(connection: &Connection, message: &Stored) -> Result<Self, StoreError> {
        const RECIPIENTS: &str = "
            SELECT mail_envelope(dictionary, envelope_length, text_length, frame, 'recipients')
            FROM contents WHERE message = ?1";
        let mut statement = connection.prepare_cached(RECIPIENTS)?;
        let shown: Option<String> = statement.query_row([message.key.0], |row| row.get(0)).optional()?;
        let shown: Vec<String> = serde_json::from_str(&shown.unwrap_or_default()).unwrap_or_default();
        let others = shown.iter().map(|shown| Address::from_shown(shown).address.to_lowercase()).collect();
        Ok(Self { sender: message.sender.clone(), others })
    }

    fn has(&self, address: &str) -> bool {
        self.sender == address || self.others.iter().any(|other| other == address)
    }

    /// Whether each sender wrote to or heard from the other. Who writes twice must have written to the same people.
    fn know(&self, other: &Self) -> bool {
        match self.sender == other.sender {
            true => self.others.iter().any(|person| other.others.contains(person)),
            false => self.has(&other.sender) && other.has(&self.sender),
        }
    }
}
