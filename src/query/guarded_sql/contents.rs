//! The bytes, the text and the envelope of a message for a statement that names them. They are read over a connection of
//! their own, piece by piece where a message is long, so that its packed content never becomes a value of SQLite.
//!
//! A statement sees the first bytes of a long message. Its length is told all the same: where nothing but the length is
//! asked for, nothing is read; elsewhere `length` knows the values that were cut.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, Error, OptionalExtension};

use crate::model::MessageKey;
use crate::store::{Envelope, Reader, StoreError};

const PURE: FunctionFlags = FunctionFlags::SQLITE_UTF8.union(FunctionFlags::SQLITE_DETERMINISTIC);
/// How much of a message's text or bytes a statement sees.
pub(super) const SEEN: usize = 2 << 20;
/// So many messages can stand in one row.
const OF_A_ROW: usize = 4;
/// Of so many it is told that they were read.
const MOST_OPENED: usize = 1_000;

/// What stands for a column of `emails` that is unpacked on demand.
pub(super) fn expression(column: &str) -> Option<String> {
    Some(match column {
        "raw" | "encoded" => "mail_raw_of(\"id\", \"size_bytes\")".to_owned(),
        "plain_text" => "mail_text_of(\"id\")".to_owned(),
        "subject" => {
            "CASE \"subject\" WHEN '' THEN mail_empty_subject_of(\"id\") ELSE \"subject\" END".to_owned()
        }
        "envelope_to"
        | "envelope_cc"
        | "envelope_bcc"
        | "envelope_reply_to"
        | "envelope_in_reply_to"
        | "envelope_references" => {
            format!("mail_envelope_of(\"id\", '{}')", column.trim_start_matches("envelope_"))
        }
        _ => return None,
    })
}

/// Where contents are read, and what was noticed of them.
#[derive(Clone)]
pub(super) struct Contents(Arc<Mutex<Inner>>);

struct Inner {
    reader: Reader,
    only_measures: bool,
    /// Values that were cut and how long they are; `None` where two of them begin alike.
    cut: HashMap<u64, Option<i64>>,
    given: Given,
}

impl Contents {
    /// Reads from the same store as this reader.
    pub(super) fn of(reader: &Reader) -> Result<Self, StoreError> {
        let reader = reader.again()?;
        let (cut, given) = (HashMap::new(), Given::default());
        Ok(Self(Arc::new(Mutex::new(Inner { reader, only_measures: false, cut, given }))))
    }

    /// Prepares for a statement.
    pub(super) fn begin(&self, only_measures: bool) {
        let mut inner = self.lock();
        inner.only_measures = only_measures;
        inner.cut.clear();
        inner.given = Given::default();
    }

    /// A row goes to the caller.
    pub(super) fn give_row(&self) {
        self.lock().given.give_row();
    }

    /// The messages whose text or bytes went to the caller, with those rows.
    pub(super) fn opened(&self) -> Vec<MessageKey> {
        self.lock().given.opened()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the functions that the hidden views call, and a `length` that knows what was cut.
    pub(super) fn register(&self, connection: &Connection) -> Result<(), rusqlite::Error> {
        let contents = self.clone();
        connection.create_scalar_function("mail_raw_of", 2, PURE, move |context| {
            contents.lock().raw(context.get(0)?, context.get(1)?)
        })?;
        let contents = self.clone();
        connection.create_scalar_function("mail_text_of", 1, PURE, move |context| {
            let mut inner = contents.lock();
            let Some(key) = inner.message(context.get(0)?)? else { return Ok(None) };
            inner.given.read(key);
            inner.reader.text_up_to(key, SEEN).map(Some).map_err(failed)
        })?;
        let contents = self.clone();
        connection.create_scalar_function("mail_empty_subject_of", 1, PURE, move |context| {
            let inner = contents.lock();
            let Some(key) = inner.message(context.get(0)?)? else { return Ok(None) };
            Ok(inner.reader.has_subject(key).map_err(failed)?.then_some(""))
        })?;
        let contents = self.clone();
        connection.create_scalar_function("mail_envelope_of", 2, PURE, move |context| {
            let inner = contents.lock();
            let Some(key) = inner.message(context.get(0)?)? else { return Ok(None) };
            let envelope: Envelope = inner.reader.envelope(key).map_err(failed)?;
            Ok(envelope.field(&context.get::<String>(1)?))
        })?;
        let contents = self.clone();
        connection
            .create_scalar_function("length", 1, PURE, move |context| contents.length(context, characters))?;
        let contents = self.clone();
        connection.create_scalar_function("octet_length", 1, PURE, move |context| {
            contents.length(context, |text| text.len() as i64)
        })
    }

    /// The length of a value; of a text as `measure` counts it.
    fn length(&self, context: &Context<'_>, measure: fn(&[u8]) -> i64) -> Result<Option<i64>, Error> {
        match context.get_raw(0) {
            ValueRef::Null => Ok(None),
            ValueRef::Integer(number) => Ok(Some(measure(number.to_string().as_bytes()))),
            ValueRef::Real(number) => Ok(Some(measure(format!("{number:?}").as_bytes()))),
            ValueRef::Text(text) => Ok(Some(measure(text))),
            ValueRef::Blob(bytes) if bytes.len() < SEEN => Ok(Some(bytes.len() as i64)),
            ValueRef::Blob(bytes) => match self.lock().cut.get(&fingerprint(bytes)) {
                None => Ok(Some(bytes.len() as i64)),
                Some(Some(length)) => Ok(Some(*length)),
                Some(None) => Err(Error::UserFunctionError(
                    "two long messages begin alike; take `size_bytes` for their length".into(),
                )),
            },
        }
    }
}

impl Inner {
    fn message(&self, placement: i64) -> Result<Option<MessageKey>, Error> {
        let mut statement =
            self.reader.connection().prepare_cached("SELECT message FROM placements WHERE id = ?1")?;
        statement.query_row([placement], |row| row.get(0).map(MessageKey)).optional()
    }

    /// The bytes, the first of them, or as many zeros that nobody looks at.
    fn raw(&mut self, placement: i64, size: i64) -> Result<ToSqlOutput<'static>, Error> {
        if self.only_measures {
            return Ok(ToSqlOutput::ZeroBlob(size.unsigned_abs()));
        }
        let Some(key) = self.message(placement)? else { return Ok(ToSqlOutput::Owned(Value::Null)) };
        self.given.read(key);
        let bytes = self.reader.raw_up_to(key, SEEN).map_err(failed)?;
        if size > bytes.len() as i64 {
            let known = self.cut.entry(fingerprint(&bytes)).or_insert(Some(size));
            *known = known.filter(|known| *known == size);
        }
        Ok(ToSqlOutput::Owned(Value::Blob(bytes)))
    }
}

/// What was read for which row. A statement that only compares texts reads many that it gives nobody: of those before a row
/// the last are its own. Where all were read before the first row they were sorted or counted, and any may be in any row.
#[derive(Default)]
struct Given {
    /// Since the last row.
    reads: Vec<MessageKey>,
    before_first: Vec<MessageKey>,
    of_rows: BTreeSet<MessageKey>,
    rows: usize,
    has_bare_rows: bool,
}

impl Given {
    fn read(&mut self, key: MessageKey) {
        if self.reads.len() >= 2 * MOST_OPENED {
            self.reads.drain(..MOST_OPENED);
        }
        self.reads.push(key);
    }

    fn give_row(&mut self) {
        let reads = std::mem::take(&mut self.reads);
        self.has_bare_rows |= reads.is_empty();
        self.of_rows.extend(&reads[reads.len().saturating_sub(OF_A_ROW)..]);
        if self.rows == 0 {
            self.before_first = reads;
        }
        self.rows += 1;
    }

    fn opened(&self) -> Vec<MessageKey> {
        let sorted = (self.rows == 1 || self.has_bare_rows).then_some(&self.before_first);
        let mut all = self.of_rows.clone();
        all.extend(sorted.into_iter().flatten());
        all.into_iter().take(MOST_OPENED).collect()
    }
}

fn fingerprint(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// Characters up to the first NUL, as SQLite counts them.
fn characters(text: &[u8]) -> i64 {
    let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
    text.iter().filter(|byte| **byte & 0xc0 != 0x80).count() as i64
}

fn failed(error: StoreError) -> Error {
    Error::UserFunctionError(Box::new(error))
}

#[cfg(test)]
mod tests {
    use super::Given;
    use crate::model::MessageKey;

    /// Numbers are reads, zeros rows.
    fn opened(course: &[i64]) -> Vec<i64> {
        let mut given = Given::default();
        for step in course {
            match step {
                0 => given.give_row(),
                key => given.read(MessageKey(*key)),
            }
        }
        given.opened().into_iter().map(|key| key.0).collect()
    }

    #[test]
    fn what_stands_in_rows_was_opened_and_what_was_only_compared_was_not() {
        assert_eq!(opened(&[1, 0, 2, 0]), [1, 2]);
        assert_eq!(opened(&[1, 2, 3, 4, 5, 6, 0, 7, 0, 8, 9]), [3, 4, 5, 6, 7]);
        assert_eq!(opened(&[1, 2, 3, 4, 5, 6, 0, 0]), [1, 2, 3, 4, 5, 6], "sorted");
        assert_eq!(opened(&[1, 2, 3, 4, 5, 6, 0]), [1, 2, 3, 4, 5, 6], "counted");
        assert_eq!(opened(&[1, 2, 3]), [0; 0]);
        assert_eq!(opened(&[0, 0]), [0; 0]);
    }
}
