//! The bytes, the text and the envelope of a message for a statement that names them. They are read over a connection of
//! their own, piece by piece where a message is long, so that its packed content never becomes a value of SQLite.
//!
//! A statement sees the first bytes of a long message. Its length is told all the same: where nothing but the length is
//! asked for, nothing is read; elsewhere `length` knows the values that were cut.

use std::collections::HashMap;
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
}

impl Contents {
    /// Reads from the same store as this reader.
    pub(super) fn of(reader: &Reader) -> Result<Self, StoreError> {
        let reader = reader.again()?;
        Ok(Self(Arc::new(Mutex::new(Inner { reader, only_measures: false, cut: HashMap::new() }))))
    }

    /// Prepares for a statement.
    pub(super) fn begin(&self, only_measures: bool) {
        let mut inner = self.lock();
        inner.only_measures = only_measures;
        inner.cut.clear();
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
            let inner = contents.lock();
            let Some(key) = inner.message(context.get(0)?)? else { return Ok(None) };
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
        let bytes = self.reader.raw_up_to(key, SEEN).map_err(failed)?;
        if size > bytes.len() as i64 {
            let known = self.cut.entry(fingerprint(&bytes)).or_insert(Some(size));
            *known = known.filter(|known| *known == size);
        }
        Ok(ToSqlOutput::Owned(Value::Blob(bytes)))
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
