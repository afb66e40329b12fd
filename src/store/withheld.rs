//! What the shield withholds: marking messages. Who may see them is decided in `query`.

use rusqlite::params;

use crate::model::{MessageKey, ThreadKey};
use crate::store::{Reader, StoreError, WriteTransaction, responses};

impl Reader {
    /// Whether a message is withheld from tools; one that is not there is.
    pub fn is_withheld(&self, key: MessageKey) -> Result<bool, StoreError> {
        const SHOWN: &str = "SELECT 1 FROM main.messages WHERE id = ?1 AND withheld = 0";
        Ok(!self.connection().prepare_cached(SHOWN)?.exists([key.0])?)
    }

    /// All messages that are not withheld, newest first.
    pub fn shown_newest_first(&self) -> Result<Vec<MessageKey>, StoreError> {
        const SELECT: &str = "SELECT id FROM main.messages WHERE withheld = 0 ORDER BY epoch DESC, id DESC";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let keys = statement.query_map([], |row| row.get(0).map(MessageKey))?;
        Ok(keys.collect::<Result<_, _>>()?)
    }

    /// How many messages are not withheld.
    pub fn count_shown(&self) -> Result<u64, StoreError> {
        const COUNT: &str = "SELECT coalesce(sum(count), 0) FROM main.message_counts WHERE withheld = 0";
        Ok(self.connection().prepare_cached(COUNT)?.query_row([], |row| row.get(0))?)
    }
}

impl WriteTransaction<'_> {
    /// Withholds a message from tools, or shows it to them again; says whether that is a change.
    pub fn withhold(&mut self, key: MessageKey, withheld: bool) -> Result<bool, StoreError> {
        let counted = self.counted(key)?;
        if counted.withheld == withheld {
            return Ok(false);
        }
        let places = self.places(key)?;
        self.counts.turn(&counted, &places);
        self.transaction
            .prepare_cached("UPDATE messages SET withheld = ?2 WHERE id = ?1")?
            .execute(params![key.0, withheld])?;
        let thread = self.thread_of(key)?;
        responses::refresh(&self.transaction, thread, &[key])?;
        self.record_judgement(key)?;
        Ok(true)
    }

    fn thread_of(&self, key: MessageKey) -> Result<ThreadKey, StoreError> {
        let mut statement = self.transaction.prepare_cached("SELECT thread FROM messages WHERE id = ?1")?;
        Ok(statement.query_row([key.0], |row| row.get(0).map(ThreadKey))?)
    }
}
