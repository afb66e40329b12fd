//! Changes of labels, flags and mailboxes that a person makes. Each changes the local copy with its counts and is
//! remembered for the server in the same transaction.

use rusqlite::{OptionalExtension, params};

use crate::model::{AccountKey, Flags, MailboxKey, MailboxRole, MessageKey, PlacementKey};
use crate::store::changes::ChangeKind;
use crate::store::counts::CountedPlace;
use crate::store::{ChangeAction, StoreError, WriteTransaction};

/// A message in a mailbox, as a change needs to know it.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedMessage {
    /// The account.
    pub account: AccountKey,
    /// Whether a server holds the account's mail and gives the numbers in it.
    pub on_server: bool,
    /// The message.
    pub message: MessageKey,
    /// Its row in the mailbox.
    pub placement: PlacementKey,
    /// The mailbox.
    pub mailbox: MailboxKey,
    /// What the mailbox is for.
    pub role: Option<MailboxRole>,
    /// What the uid belongs to.
    pub uidvalidity: i64,
    /// Its number in the mailbox.
    pub uid: i64,
}

/// What a change did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Labelled {
    /// It was so before.
    Unchanged,
    /// The local copy shows it now.
    Changed,
    /// Only the server can do it; the local copy follows with the next sync.
    Waits,
}

impl WriteTransaction<'_> {
    /// Where a message is in one account.
    pub fn placed(&self, message: MessageKey, account: AccountKey) -> Result<Vec<PlacedMessage>, StoreError> {
        const SELECT: &str = "
            SELECT p.id, p.mailbox, b.role, b.uidvalidity, p.uid, a.kind <> 'local'
            FROM placements p JOIN mailboxes b ON b.id = p.mailbox JOIN accounts a ON a.id = b.account
            WHERE p.message = ?1 AND b.account = ?2 ORDER BY p.id";
        let mut statement = self.transaction.prepare_cached(SELECT)?;
        let rows = statement.query_map(params![message.0, account.0], |row| {
            Ok(PlacedMessage {
                account,
                message,
                placement: PlacementKey(row.get(0)?),
                mailbox: MailboxKey(row.get(1)?),
                role: row.get::<_, Option<String>>(2)?.and_then(|name| MailboxRole::parse(&name)),
                uidvalidity: row.get(3)?,
                uid: row.get(4)?,
                on_server: row.get(5)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The labels an account knows, by name.
    pub fn label_names(&self, account: AccountKey) -> Result<Vec<String>, StoreError> {
        let mut statement = self
            .transaction
            .prepare_cached("SELECT name FROM label_names WHERE account = ?1 ORDER BY name")?;
        let rows = statement.query_map([account.0], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Makes a change and remembers it for the server, unless it is so already.
    pub fn change(
        &mut self,
        place: &PlacedMessage,
        action: &ChangeAction,
        now: i64,
    ) -> Result<Labelled, StoreError> {
        let done = match action {
            ChangeAction::AddLabel(name) => self.add_label(place, name)?,
            ChangeAction::RemoveLabel(name) => self.remove_label(place, name)?,
            ChangeAction::SetFlag(flag) => self.set_flags(place, |flags| flags | *flag)?,
            ChangeAction::ClearFlag(flag) => self.set_flags(place, |flags| flags.without(*flag))?,
            ChangeAction::Move(role) => self.move_to(place, *role)?,
        };
        if done != Labelled::Unchanged {
            self.remember(place, action, now)?;
        }
        if done == Labelled::Changed {
            self.record(place.message, ChangeKind::Facts)?;
        }
        Ok(done)
    }

    fn add_label(&self, place: &PlacedMessage, name: &str) -> Result<Labelled, StoreError> {
        self.transaction
            .prepare_cached("INSERT OR IGNORE INTO label_names (account, name) VALUES (?1, ?2)")?
            .execute(params![place.account.0, name])?;
        const INSERT: &str = "
            INSERT OR IGNORE INTO placement_labels (label, placement)
            SELECT id, ?3 FROM label_names WHERE account = ?1 AND name = ?2";
        self.labelled(INSERT, place, name)
    }

    fn remove_label(&self, place: &PlacedMessage, name: &str) -> Result<Labelled, StoreError> {
        const DELETE: &str = "
            DELETE FROM placement_labels
            WHERE placement = ?3 AND label = (SELECT id FROM label_names WHERE account = ?1 AND name = ?2)";
        self.labelled(DELETE, place, name)
    }

    fn labelled(&self, sql: &str, place: &PlacedMessage, name: &str) -> Result<Labelled, StoreError> {
        let params = params![place.account.0, name, place.placement.0];
        let changed = self.transaction.prepare_cached(sql)?.execute(params)? > 0;
        Ok(if changed { Labelled::Changed } else { Labelled::Unchanged })
    }

    fn set_flags(
        &mut self,
        place: &PlacedMessage,
        change: impl Fn(Flags) -> Flags,
    ) -> Result<Labelled, StoreError> {
        let before = self.place_of(place.placement)?.flags;
        let after = change(before);
        if after == before {
            return Ok(Labelled::Unchanged);
        }
        self.transaction
            .prepare_cached("UPDATE placements SET flags = ?2 WHERE id = ?1")?
            .execute(params![place.placement.0, after.bits()])?;
        let withheld = self.counted(place.message)?.withheld;
        self.counts.flags(place.mailbox, withheld, before, after);
        Ok(Labelled::Changed)
    }

    fn place_of(&self, key: PlacementKey) -> Result<CountedPlace, StoreError> {
        let found = self.placement(key)?.map(|placement| placement.counted());
        Ok(found.ok_or(rusqlite::Error::QueryReturnedNoRows)?)
    }

    /// Moves a message where we give the numbers. On a server the number in the target is the server's to give,
    /// so there the local copy stays as it is until the next sync.
    fn move_to(&mut self, place: &PlacedMessage, role: MailboxRole) -> Result<Labelled, StoreError> {
        if place.role == Some(role) {
            return Ok(Labelled::Unchanged);
        }
        if place.on_server {
            let waits = self.waits_for_move(place, role)?;
            return Ok(if waits { Labelled::Unchanged } else { Labelled::Waits });
        }
        let target = self.mailbox_for(place.account, role)?;
        self.transaction
            .prepare_cached("DELETE FROM gone WHERE placement = ?1")?
            .execute([place.placement.0])?;
        let counted = self.counted(place.message)?;
        let from = self.place_of(place.placement)?;
        self.counts.removal(from, &counted);
        if self.is_placed(place.message, target)? {
            self.merge_into(place, target)?;
        } else {
            let uid = self.next_uid(target)?;
            self.transaction
                .prepare_cached("UPDATE placements SET mailbox = ?2, uid = ?3 WHERE id = ?1")?
                .execute(params![place.placement.0, target.0, uid])?;
            self.counts.placement(CountedPlace { mailbox: target, ..from }, &counted);
        }
        Ok(Labelled::Changed)
    }

    /// Gives the labels of a placement to the one that the target has, and drops it.
    fn merge_into(&self, place: &PlacedMessage, target: MailboxKey) -> Result<(), StoreError> {
        const COPY: &str = "
            INSERT OR IGNORE INTO placement_labels (label, placement)
            SELECT l.label, p.id FROM placement_labels l, placements p
            WHERE l.placement = ?1 AND p.message = ?2 AND p.mailbox = ?3";
        let (own, message) = (place.placement.0, place.message.0);
        self.transaction.prepare_cached(COPY)?.execute(params![own, message, target.0])?;
        self.transaction
            .prepare_cached("DELETE FROM placement_labels WHERE placement = ?1")?
            .execute([own])?;
        self.delete_placement(place.placement)?;
        self.forget_repeated(place.message)
    }

    /// The account's mailbox for this, made when there is none.
    fn mailbox_for(&self, account: AccountKey, role: MailboxRole) -> Result<MailboxKey, StoreError> {
        const SELECT: &str = "SELECT id FROM mailboxes WHERE account = ?1 AND role = ?2 ORDER BY id LIMIT 1";
        let known = self
            .transaction
            .prepare_cached(SELECT)?
            .query_row(params![account.0, role.name()], |row| row.get(0).map(MailboxKey))
            .optional()?;
        known.map_or_else(|| self.mailbox(account, role.usual_mailbox()), Ok)
    }
}
