//! Placements that follow a server: new flags and labels, other uids, and removal, with all that depends on them.

use rusqlite::{OptionalExtension, params};

use crate::model::{AccountKey, Flags, MailboxKey, MessageKey, PlacementKey};
use crate::store::changes::ChangeKind;
use crate::store::counts::CountedPlace;
use crate::store::servers::LARGEST_UID;
use crate::store::transaction::{NewPlacement, ServerUid, Stored};
use crate::store::{Reader, StoreError, WriteTransaction, responses, subjects};

/// What a server says about a message that is here already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFacts {
    /// Its uid.
    pub uid: u32,
    /// Its flags now.
    pub flags: Flags,
    /// Its labels now.
    pub labels: Vec<String>,
}

/// A row of `placements`.
pub(super) struct Row {
    pub(super) key: PlacementKey,
    pub(super) message: MessageKey,
    pub(super) mailbox: MailboxKey,
    pub(super) flags: Flags,
    /// INTERNALDATE.
    pub(super) arrived: i64,
}

impl Row {
    /// What counts depend on.
    pub(super) fn counted(&self) -> CountedPlace {
        CountedPlace { mailbox: self.mailbox, flags: self.flags, arrived: self.arrived }
    }
}

const ROW: &str = "SELECT id, message, mailbox, flags, internal_epoch FROM placements";

fn row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    Ok(Row {
        key: PlacementKey(row.get(0)?),
        message: MessageKey(row.get(1)?),
        mailbox: MailboxKey(row.get(2)?),
        flags: Flags::from_bits(row.get(3)?),
        arrived: row.get(4)?,
    })
}

impl WriteTransaction<'_> {
    /// Places a stored message where the server has it. A place of the same message in this mailbox that the server
    /// does not know (from a file, or under an earlier UIDVALIDITY) becomes this one.
    pub(super) fn place_on_server(
        &mut self,
        key: MessageKey,
        place: &NewPlacement<'_>,
        at: ServerUid,
    ) -> Result<Stored, StoreError> {
        if let Some(there) = self.placement_at(place.mailbox, i64::from(at.uid))? {
            if there.message == key {
                self.set_row_facts(&there, place.flags, place.labels)?;
                return Ok(Stored::Known(key));
            }
            self.take_out(&there)?;
        }
        if let Some(unmatched) = self.loose_placement(key, place.mailbox)? {
            self.number(&unmatched, at)?;
            self.set_row_facts(&unmatched, place.flags, place.labels)?;
            return Ok(Stored::Known(key));
        }
        let counted = self.counted(key)?;
        self.place(key, &counted, place)?;
        self.is_back(key, place.mailbox)?;
        self.record(key, ChangeKind::Facts)?;
        Ok(Stored::Placed(key))
    }

    /// Gives a placement the number and the date that the server has for it.
    fn number(&mut self, placement: &Row, at: ServerUid) -> Result<(), StoreError> {
        self.transaction
            .prepare_cached("UPDATE placements SET uid = ?2, internal_epoch = ?3 WHERE id = ?1")?
            .execute(params![placement.key.0, at.uid, at.internal_epoch])?;
        let counted = self.counted(placement.message)?;
        self.counts.removal(placement.counted(), &counted);
        self.counts.placement(CountedPlace { arrived: at.internal_epoch, ..placement.counted() }, &counted);
        Ok(())
    }

    /// Places a message that is stored, by its row; `false` when it is no longer there.
    pub fn place_stored(&mut self, key: MessageKey, place: &NewPlacement<'_>) -> Result<bool, StoreError> {
        let mut statement = self.transaction.prepare_cached("SELECT 1 FROM messages WHERE id = ?1")?;
        let exists = statement.exists([key.0])?;
        drop(statement);
        if let Some(at) = place.on_server.filter(|_| exists) {
            self.place_on_server(key, place, at)?;
        }
        Ok(exists)
    }

    /// Takes over the flags and labels that the server has for a message; says whether they were others.
    pub fn set_facts(&mut self, mailbox: MailboxKey, facts: &NewFacts) -> Result<bool, StoreError> {
        match self.placement_at(mailbox, i64::from(facts.uid))? {
            Some(placement) => self.set_row_facts(&placement, facts.flags, &facts.labels),
            None => Ok(false),
        }
    }

    /// Takes out of a mailbox what the server no longer has in it; says whether the message is gone with that.
    pub fn remove(&mut self, mailbox: MailboxKey, uid: u32) -> Result<bool, StoreError> {
        match self.placement_at(mailbox, i64::from(uid))? {
            Some(placement) => self.take_out(&placement),
            None => Ok(false),
        }
    }

    /// Takes up to `limit` placements of an earlier UIDVALIDITY away that were not found again; says how many messages
    /// are gone with that.
    pub fn remove_detached(&mut self, mailbox: MailboxKey, limit: usize) -> Result<u64, StoreError> {
        self.remove_rows(&format!("{ROW} WHERE mailbox = ?1 AND uid > ?2 LIMIT ?3"), mailbox, limit)
    }

    /// Takes up to `limit` placements out of a mailbox that the server no longer has; says how many messages are gone
    /// with that.
    pub fn remove_on_server(&mut self, mailbox: MailboxKey, limit: usize) -> Result<u64, StoreError> {
        self.remove_rows(&format!("{ROW} WHERE mailbox = ?1 AND uid > 0 AND ?2 > 0 LIMIT ?3"), mailbox, limit)
    }

    fn remove_rows(&mut self, sql: &str, mailbox: MailboxKey, limit: usize) -> Result<u64, StoreError> {
        let mut statement = self.transaction.prepare_cached(sql)?;
        let rows = statement.query_map(params![mailbox.0, LARGEST_UID, limit], row)?;
        let rows: Vec<Row> = rows.collect::<Result<_, _>>()?;
        drop(statement);
        rows.iter().try_fold(0, |gone, placement| Ok(gone + u64::from(self.take_out(placement)?)))
    }

    fn placement_at(&self, mailbox: MailboxKey, uid: i64) -> Result<Option<Row>, StoreError> {
        let mut statement =
            self.transaction.prepare_cached(&format!("{ROW} WHERE mailbox = ?1 AND uid = ?2"))?;
        Ok(statement.query_row(params![mailbox.0, uid], row).optional()?)
    }

    fn loose_placement(&self, key: MessageKey, mailbox: MailboxKey) -> Result<Option<Row>, StoreError> {
        let sql = format!(
            "{ROW} WHERE message = ?1 AND mailbox = ?2 AND (uid < 0 OR uid > ?3) ORDER BY uid DESC LIMIT 1"
        );
        let mut statement = self.transaction.prepare_cached(&sql)?;
        Ok(statement.query_row(params![key.0, mailbox.0, LARGEST_UID], row).optional()?)
    }

    fn set_row_facts(
        &mut self,
        placement: &Row,
        flags: Flags,
        labels: &[String],
    ) -> Result<bool, StoreError> {
        let relabelled = self.relabel(placement, labels)?;
        if flags == placement.flags && !relabelled {
            return Ok(false);
        }
        self.transaction
            .prepare_cached("UPDATE placements SET flags = ?2 WHERE id = ?1")?
            .execute(params![placement.key.0, flags.bits()])?;
        let counted = self.counted(placement.message)?;
        self.counts.flags(placement.mailbox, counted.withheld, placement.flags, flags);
        self.record(placement.message, ChangeKind::Facts)?;
        Ok(true)
    }

    fn relabel(&self, placement: &Row, labels: &[String]) -> Result<bool, StoreError> {
        const NAMES: &str = "
            SELECT l.name FROM placement_labels pl JOIN label_names l ON l.id = pl.label WHERE pl.placement = ?1";
        let mut statement = self.transaction.prepare_cached(NAMES)?;
        let mut old: Vec<String> =
            statement.query_map([placement.key.0], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let mut new = labels.to_vec();
        for names in [&mut old, &mut new] {
            names.iter_mut().for_each(|name| *name = name.to_lowercase());
            names.sort_unstable();
            names.dedup();
        }
        if old == new {
            return Ok(false);
        }
        self.unlabel(placement.key)?;
        self.label(placement.key, placement.mailbox, labels)?;
        Ok(true)
    }

    fn unlabel(&self, placement: PlacementKey) -> Result<(), StoreError> {
        self.transaction
            .prepare_cached("DELETE FROM placement_labels WHERE placement = ?1")?
            .execute([placement.0])?;
        Ok(())
    }

    /// What counts depend on, wherever a message is.
    pub(super) fn places(&self, key: MessageKey) -> Result<Vec<CountedPlace>, StoreError> {
        let mut statement = self.transaction.prepare_cached(&format!("{ROW} WHERE message = ?1"))?;
        let places = statement.query_map([key.0], |found| row(found).map(|row| row.counted()))?;
        Ok(places.collect::<Result<_, _>>()?)
    }

    /// The row of a placement.
    pub(super) fn placement(&self, key: PlacementKey) -> Result<Option<Row>, StoreError> {
        let mut statement = self.transaction.prepare_cached(&format!("{ROW} WHERE id = ?1"))?;
        Ok(statement.query_row([key.0], row).optional()?)
    }

    /// Deletes the row of a placement; the number is never given again.
    pub(super) fn delete_placement(&self, key: PlacementKey) -> Result<(), StoreError> {
        const DELETED: &str = "UPDATE deleted_rows SET placements = max(placements, ?1)";
        self.transaction.prepare_cached("DELETE FROM placements WHERE id = ?1")?.execute([key.0])?;
        self.transaction.prepare_cached(DELETED)?.execute([key.0])?;
        Ok(())
    }

    /// Deletes a placement, and the message with it when it is nowhere else.
    pub(super) fn delete_row(&mut self, placement: &Row) -> Result<(), StoreError> {
        let counted = self.counted(placement.message)?;
        self.unlabel(placement.key)?;
        self.delete_placement(placement.key)?;
        self.counts.removal(placement.counted(), &counted);
        self.forget_repeated(placement.message)?;
        let mut elsewhere = self.transaction.prepare_cached("SELECT 1 FROM placements WHERE message = ?1")?;
        let is_elsewhere = elsewhere.exists([placement.message.0])?;
        drop(elsewhere);
        if is_elsewhere {
            return self.record(placement.message, ChangeKind::Facts);
        }
        self.counts.remove_message(&counted);
        self.remove_message(placement.message)
    }

    fn remove_message(&mut self, key: MessageKey) -> Result<(), StoreError> {
        const UNCOUNT: &str = "
            UPDATE thread_sets SET size = size - 1 WHERE id = (SELECT thread FROM messages WHERE id = ?1)";
        self.transaction.prepare_cached(UNCOUNT)?.execute([key.0])?;
        let (thread, next) = responses::next_in_thread(&self.transaction, key)?;
        for sql in [
            "DELETE FROM responses WHERE message = ?1",
            "DELETE FROM contents WHERE message = ?1",
            "DELETE FROM parts WHERE message = ?1",
            "DELETE FROM defects WHERE message = ?1",
            "DELETE FROM messages WHERE id = ?1",
        ] {
            self.transaction.prepare_cached(sql)?.execute([key.0])?;
        }
        responses::refresh(&self.transaction, thread, &next)?;
        self.transaction
            .prepare_cached("UPDATE deleted_rows SET messages = max(messages, ?1)")?
            .execute([key.0])?;
        subjects::erase(&self.transaction, key)?;
        self.subjects.remove(key);
        self.has_removed = true;
        self.record(key, ChangeKind::Removed)
    }
}

/// A message that the server may have under another uid or in another mailbox now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unmatched {
    /// Its row.
    pub message: MessageKey,
    /// Raw bytes.
    pub size: u64,
    /// When the server received it.
    pub internal_epoch: i64,
}

fn unmatched(row: &rusqlite::Row<'_>) -> rusqlite::Result<Unmatched> {
    let size = row.get::<_, i64>(1)?.cast_unsigned();
    Ok(Unmatched { message: MessageKey(row.get(0)?), size, internal_epoch: row.get(2)? })
}

const LOOSE: &str = "
    SELECT m.id, m.size, p.internal_epoch FROM placements p JOIN messages m ON m.id = p.message
    JOIN mailboxes b ON b.id = p.mailbox";

impl Reader {
    /// Messages of an account that the server does not have where they are placed.
    pub fn unmatched_messages(&self, account: AccountKey) -> Result<Vec<Unmatched>, StoreError> {
        let sql = format!("{LOOSE} WHERE b.account = ?1 AND (p.uid < 0 OR p.uid > ?2)");
        let mut statement = self.connection().prepare_cached(&sql)?;
        let rows = statement.query_map(params![account.0, LARGEST_UID], unmatched)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// All messages of a mailbox.
    pub fn messages_in(&self, mailbox: MailboxKey) -> Result<Vec<Unmatched>, StoreError> {
        let mut statement = self.connection().prepare_cached(&format!("{LOOSE} WHERE p.mailbox = ?1"))?;
        let rows = statement.query_map([mailbox.0], unmatched)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The message at a place on a server.
    pub fn message_at(&self, mailbox: MailboxKey, uid: u32) -> Result<Option<Unmatched>, StoreError> {
        let sql = format!("{LOOSE} WHERE p.mailbox = ?1 AND p.uid = ?2");
        let mut statement = self.connection().prepare_cached(&sql)?;
        Ok(statement.query_row(params![mailbox.0, uid], unmatched).optional()?)
    }

    /// How many messages of a mailbox wait to be found under new uids.
    pub fn detached_count(&self, mailbox: MailboxKey) -> Result<usize, StoreError> {
        const SELECT: &str = "SELECT count(*) FROM placements WHERE mailbox = ?1 AND uid > ?2";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        Ok(statement.query_row(params![mailbox.0, LARGEST_UID], |row| row.get(0))?)
    }
}
