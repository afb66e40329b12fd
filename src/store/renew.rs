//! Reads the headers of stored messages anew: what this version understands better than the one that stored them, senders
//! above all, is put right. The raw bytes stay as they are.

use rusqlite::params;

use crate::model::{MessageKey, ParsedMessage, ThreadKey};
use crate::store::changes::ChangeKind;
use crate::store::counts::Counted;
use crate::store::{Codec, Envelope, Frame, Store, StoreError, WriteTransaction, responses};

/// Messages in one step.
const STEP: usize = 500;
/// How much of a header is read.
const LONGEST_HEADER: usize = 1 << 20;

/// A message whose header reads differently now.
struct Renewed {
    key: MessageKey,
    parsed: ParsedMessage,
    frame: Frame,
}

impl Store {
    /// Reads the header of every message with `read`; returns how many were put right. Can be stopped anywhere.
    pub fn renew_headers(
        &mut self,
        read: impl Fn(&[u8]) -> ParsedMessage,
        done: &mut dyn FnMut(u64),
    ) -> Result<u64, StoreError> {
        let (mut last, mut seen, mut renewed) = (0, 0, 0);
        loop {
            let keys = self.keys_after(last)?;
            let Some((key, _)) = keys.last() else { return Ok(renewed) };
            last = *key;
            let changed = self.read_differently(&keys, &read)?;
            renewed += changed.len() as u64;
            if !changed.is_empty() {
                let mut transaction = self.begin()?;
                for message in &changed {
                    transaction.renew(message)?;
                }
                transaction.commit()?;
            }
            seen += keys.len() as u64;
            done(seen);
        }
    }

    fn keys_after(&self, last: i64) -> Result<Vec<(i64, usize)>, StoreError> {
        const NEXT: &str = "SELECT id, header_size FROM messages WHERE id > ?1 ORDER BY id LIMIT ?2";
        let mut statement = self.connection.prepare_cached(NEXT)?;
        let rows = statement.query_map(params![last, STEP], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn read_differently(
        &self,
        keys: &[(i64, usize)],
        read: impl Fn(&[u8]) -> ParsedMessage,
    ) -> Result<Vec<Renewed>, StoreError> {
        let codec = self.codec();
        let mut changed = Vec::new();
        for (key, header_size) in keys {
            let key = MessageKey(*key);
            let frame = Frame::read(&self.connection, key)?;
            let parsed = read(&codec.raw_up_to(&frame, (*header_size).min(LONGEST_HEADER))?);
            let envelope = Envelope::of(&parsed);
            let is_known = Envelope::from_json(&codec.envelope(&frame)?)? == envelope;
            if !is_known || self.sender_of(key)? != shown_sender(&parsed) {
                changed.push(Renewed { key, frame: repacked(codec, &frame, &envelope)?, parsed });
            }
        }
        Ok(changed)
    }

    fn sender_of(&self, key: MessageKey) -> Result<String, StoreError> {
        const SENDER: &str =
            "SELECT s.display FROM messages m JOIN senders s ON s.id = m.sender WHERE m.id = ?1";
        Ok(self.connection.prepare_cached(SENDER)?.query_row([key.0], |row| row.get(0))?)
    }
}

fn shown_sender(parsed: &ParsedMessage) -> String {
    parsed.sender().map(|sender| sender.shown()).unwrap_or_default()
}

fn repacked(codec: &Codec, frame: &Frame, envelope: &Envelope) -> Result<Frame, StoreError> {
    codec.encoder()?.pack(&envelope.to_json(), &codec.text(frame)?, &codec.raw(frame)?)
}

impl WriteTransaction<'_> {
    fn renew(&mut self, message: &Renewed) -> Result<(), StoreError> {
        const CONTENT: &str = "
            UPDATE contents SET dictionary = ?2, envelope_length = ?3, text_length = ?4, frame = ?5 WHERE message = ?1";
        let Renewed { key, parsed, frame } = message;
        self.transaction.prepare_cached(CONTENT)?.execute(params![
            key.0,
            frame.dictionary,
            frame.envelope_length,
            frame.text_length,
            frame.bytes
        ])?;
        let before = self.counted(*key)?;
        let sender = self.sender(parsed.sender())?;
        if sender != before.sender {
            self.change_sender(*key, &before, sender)?;
        }
        self.record(*key, ChangeKind::Content)?;
        let address = parsed.sender().map(|from| from.address.as_str()).unwrap_or_default();
        if self.shield.for_sender(address).is_some() {
            self.withhold(*key, true)?;
        }
        Ok(())
    }

    fn change_sender(&mut self, key: MessageKey, before: &Counted, sender: i64) -> Result<(), StoreError> {
        const THREAD: &str = "UPDATE messages SET sender = ?2 WHERE id = ?1 RETURNING thread";
        let after = Counted { sender, ..*before };
        for place in self.places(key)? {
            self.counts.removal(place, before);
            self.counts.placement(place, &after);
        }
        let mut statement = self.transaction.prepare_cached(THREAD)?;
        let thread = statement.query_row(params![key.0, sender], |row| row.get(0).map(ThreadKey))?;
        responses::refresh(&self.transaction, thread, &[key])
    }
}
