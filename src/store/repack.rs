//! Packs all contents anew with a dictionary trained on this very mail.

use rusqlite::{TransactionBehavior, params};

use crate::model::MessageKey;
use crate::store::codec::BUILT_IN_DICTIONARY;
use crate::store::{Codec, Frame, Store, StoreError};

/// zstd learns little more from more samples than this.
const SAMPLES: usize = 4_000;
const SAMPLE_BYTES: usize = 16 << 10;
const DICTIONARY_BYTES: usize = 112 << 10;
/// With fewer messages, the dictionary costs more than it saves.
const WORTHWHILE: usize = 2_000;
/// Messages in one write transaction.
const STEP: usize = 200;

impl Store {
    /// Trains a dictionary on a spread of messages and packs everything with it. Can be stopped anywhere:
    /// every message is packed with the old dictionary or the new one, and both are kept.
    /// Returns false, and does nothing, when there is too little mail to learn from.
    pub fn repack(&mut self) -> Result<bool, StoreError> {
        let keys = self.all_keys()?;
        let Some(dictionary) = self.train(&keys)? else {
            return Ok(false);
        };
        self.repack_with(&dictionary, &keys)?;
        self.connection.execute_batch("VACUUM")?;
        self.checkpoint();
        Ok(true)
    }

    /// Packs everything anew without the dictionaries that hold words of mail which is no longer here.
    pub fn repack_without_past(&mut self) -> Result<(), StoreError> {
        let keys = self.all_keys()?;
        let dictionary = self.train(&keys)?.unwrap_or_else(|| BUILT_IN_DICTIONARY.to_vec());
        let newest = self.repack_with(&dictionary, &keys)?;
        self.connection.execute("DELETE FROM dictionaries WHERE id > 1 AND id < ?1", [newest])?;
        Ok(())
    }

    /// Packs these messages with a new dictionary; gives its row.
    fn repack_with(&mut self, dictionary: &[u8], keys: &[MessageKey]) -> Result<i64, StoreError> {
        self.connection.execute("INSERT INTO dictionaries (bytes) VALUES (?1)", params![dictionary])?;
        let newest = self.connection.last_insert_rowid();
        let codec = Codec::load(&self.connection)?;
        for keys in keys.chunks(STEP) {
            self.repack_some(keys, &codec)?;
        }
        Ok(newest)
    }

    fn all_keys(&self) -> Result<Vec<MessageKey>, StoreError> {
        let mut statement = self.connection.prepare("SELECT message FROM contents ORDER BY message")?;
        let rows = statement.query_map([], |row| row.get(0).map(MessageKey))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn train(&self, keys: &[MessageKey]) -> Result<Option<Vec<u8>>, StoreError> {
        if keys.len() < WORTHWHILE {
            return Ok(None);
        }
        let step = keys.len().div_ceil(SAMPLES).max(1);
        let mut samples = Vec::new();
        for key in keys.iter().step_by(step) {
            let mut raw = self.codec().raw(&self.frame(*key)?)?;
            raw.truncate(SAMPLE_BYTES);
            samples.push(raw);
        }
        Ok(zstd::dict::from_samples(&samples, DICTIONARY_BYTES).ok())
    }

    fn repack_some(&mut self, keys: &[MessageKey], codec: &Codec) -> Result<(), StoreError> {
        const UPDATE: &str = "UPDATE contents SET dictionary = ?2, frame = ?3 WHERE message = ?1";
        let mut encoder = codec.encoder()?;
        let mut frames = Vec::with_capacity(keys.len());
        for key in keys {
            let old = self.frame(*key)?;
            let (envelope, text, raw) = (codec.envelope(&old)?, codec.text(&old)?, codec.raw(&old)?);
            frames.push((key, encoder.pack(&envelope, &text, &raw)?));
        }
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for (key, frame) in frames {
            transaction.prepare_cached(UPDATE)?.execute(params![key.0, frame.dictionary, frame.bytes])?;
        }
        transaction.commit()?;
        Ok(())
    }

    fn frame(&self, key: MessageKey) -> Result<Frame, StoreError> {
        Frame::read(&self.connection, key)
    }
}
