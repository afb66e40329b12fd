//! What the shield withholds: marking messages, and connections that must not see them.

use rusqlite::{Connection, params};

use crate::model::{Flags, MailboxKey, MessageKey, ThreadKey};
use crate::store::{StoreError, WriteTransaction, responses};

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

    fn places(&self, key: MessageKey) -> Result<Vec<(MailboxKey, Flags)>, StoreError> {
        const SELECT: &str = "SELECT mailbox, flags FROM placements WHERE message = ?1";
        let mut statement = self.transaction.prepare_cached(SELECT)?;
        let place = |row: &rusqlite::Row<'_>| Ok((MailboxKey(row.get(0)?), Flags::from_bits(row.get(1)?)));
        Ok(statement.query_map([key.0], place)?.collect::<Result<_, _>>()?)
    }
}

/// Names of this connection's own that stand before the tables: whatever is asked on it, withheld messages and
/// all that belongs to them are not there. Only `main.NAME` reaches the table itself.
const SHADOWS: &str = "
    CREATE TEMP VIEW messages AS SELECT * FROM main.messages WHERE withheld = 0;
    CREATE TEMP VIEW contents AS SELECT c.* FROM main.contents c
        WHERE EXISTS (SELECT 1 FROM main.messages m WHERE m.id = c.message AND m.withheld = 0);
    CREATE TEMP VIEW parts AS SELECT t.* FROM main.parts t
        WHERE EXISTS (SELECT 1 FROM main.messages m WHERE m.id = t.message AND m.withheld = 0);
    CREATE TEMP VIEW defects AS SELECT d.* FROM main.defects d
        WHERE EXISTS (SELECT 1 FROM main.messages m WHERE m.id = d.message AND m.withheld = 0);
    CREATE TEMP VIEW placements AS SELECT p.* FROM main.placements p
        WHERE EXISTS (SELECT 1 FROM main.messages m WHERE m.id = p.message AND m.withheld = 0);
    CREATE TEMP VIEW placement_labels AS SELECT l.* FROM main.placement_labels l
        WHERE EXISTS (SELECT 1 FROM placements p WHERE p.id = l.placement);
    CREATE TEMP VIEW gone AS SELECT g.* FROM main.gone g
        WHERE EXISTS (SELECT 1 FROM placements p WHERE p.id = g.placement);
    CREATE TEMP VIEW day_counts AS SELECT * FROM main.day_counts WHERE withheld = 0;
    CREATE TEMP VIEW hour_counts AS SELECT * FROM main.hour_counts WHERE withheld = 0;
    CREATE TEMP VIEW sender_counts AS SELECT * FROM main.sender_counts WHERE withheld = 0;
    CREATE TEMP VIEW mailbox_counts AS SELECT * FROM main.mailbox_counts WHERE withheld = 0;
    CREATE TEMP VIEW message_counts AS SELECT * FROM main.message_counts WHERE withheld = 0;";

/// Makes withheld messages invisible on this connection.
pub(super) fn hide_withheld(connection: &Connection) -> Result<(), StoreError> {
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.execute_batch(SHADOWS)?;
    Ok(())
}
