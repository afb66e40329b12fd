//! Mail that the server of its account no longer shows. It stays: the last placement in the account moves into a mailbox
//! that is on no server, with the date and the mailbox it was last in. When the message is met again it is back; what
//! is let go of, by a rule of the owner's or by the owner's word, is deleted here for good.

use rusqlite::{OptionalExtension, params};

use crate::model::{
    AccountKey, ContentHash, Flags, GONE_MAILBOX, GoneRule, MailboxKey, MessageKey, PlacementKey,
};
use crate::store::changes::ChangeKind;
use crate::store::counts::CountedPlace;
use crate::store::placements::Row;
use crate::store::{Reader, StoreError, WriteTransaction};

/// What the mailbox of the gone is for. No server can give a mailbox this role.
pub(super) const ROLE: &str = "gone";
/// What it is called where mailboxes are named, and what another mailbox of that name is called.
const DAY: i64 = 86_400;
/// Days after which mail that was thrown away, unwanted or superseded is let go of under every rule.
const DAYS_OF_RUBBISH: i64 = 30;

/// What of an account is gone and may be let go of.
const DUE: &str = "
    SELECT g.placement FROM gone g JOIN placements p ON p.id = g.placement JOIN mailboxes b ON b.id = p.mailbox
    WHERE b.account = ?1 AND b.role = 'gone' AND g.held = 0
      AND (g.epoch <= ?2 OR g.role IN ('trash', 'spam', 'drafts') AND g.epoch <= ?3)";

/// The account, and the moments up to which everything, and rubbish, may have gone.
fn due_params(account: AccountKey, rule: GoneRule, now: i64) -> [i64; 3] {
    let since = match rule {
        GoneRule::Keep => i64::MIN,
        GoneRule::Days(days) => now - i64::from(days) * DAY,
        GoneRule::Mirror => i64::MAX,
    };
    [account.0, since, now - DAYS_OF_RUBBISH * DAY]
}

/// Whether a mailbox stands where trash, spam and drafts usually do: what is called so below a folder of the owner's is
/// the owner's.
fn is_usual_place(name: &str) -> bool {
    let inner = ["INBOX/", "[Gmail]/", "[Google Mail]/"].iter().find_map(|prefix| name.strip_prefix(prefix));
    !inner.unwrap_or(name).contains('/')
}

/// Why messages were deleted here for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// The owner said so.
    Forgotten,
    /// The owner's rule for what is gone said so.
    Gone,
}

impl Cause {
    const fn name(self) -> &'static str {
        match self {
            Self::Forgotten => "forgotten",
            Self::Gone => "gone",
        }
    }
}

impl WriteTransaction<'_> {
    /// Takes a message out of a mailbox. When it is nowhere else in the account, it stays among the gone, and this says
    /// so; a copy of a draft of ours goes for good, because the draft itself is here.
    pub(super) fn take_out(&mut self, placement: &Row) -> Result<bool, StoreError> {
        if self.is_elsewhere_in_account(placement)? || self.is_own_draft(placement)? {
            return self.delete_row(placement).map(|()| false);
        }
        self.mark_gone(placement).map(|()| true)
    }

    fn is_elsewhere_in_account(&self, placement: &Row) -> Result<bool, StoreError> {
        const SELECT: &str = "
            SELECT 1 FROM placements p JOIN mailboxes b ON b.id = p.mailbox
            WHERE p.message = ?1 AND p.id <> ?2 AND b.account = (SELECT account FROM mailboxes WHERE id = ?3)";
        let mut statement = self.transaction.prepare_cached(SELECT)?;
        Ok(statement.exists(params![placement.message.0, placement.key.0, placement.mailbox.0])?)
    }

    /// Whether this is a copy of a draft of ours where drafts are, byte for byte a revision that is here.
    fn is_own_draft(&self, placement: &Row) -> Result<bool, StoreError> {
        const SELECT: &str = "
            SELECT m.hash, r.raw FROM messages m
            JOIN mailboxes b ON b.id = ?2 AND b.role = 'drafts'
            JOIN copies c ON c.role = 'drafts' AND c.message_id = m.message_id
            JOIN draft_revisions r ON r.draft = c.draft
            WHERE m.id = ?1";
        let mut statement = self.transaction.prepare_cached(SELECT)?;
        let mut rows = statement.query(params![placement.message.0, placement.mailbox.0])?;
        while let Some(row) = rows.next()? {
            if ContentHash::of_message(&row.get::<_, Vec<u8>>(1)?) == ContentHash(row.get(0)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn mark_gone(&mut self, placement: &Row) -> Result<(), StoreError> {
        const NOTE: &str = "
            INSERT OR REPLACE INTO gone (placement, epoch, mailbox, role, flags) VALUES (?1, ?2, ?3, ?4, ?5)";
        const MOVE: &str = "UPDATE placements SET mailbox = ?2, uid = -id, flags = ?3 WHERE id = ?1";
        let target = self.mailbox_of_gone(placement.mailbox)?;
        let counted = self.counted(placement.message)?;
        // Nobody waits for it to be read.
        let flags = placement.flags | Flags::SEEN;
        let row = placement.key.0;
        let (name, role) = self.name_and_role(placement.mailbox)?;
        let role = role.filter(|_| is_usual_place(&name));
        let note = params![row, self.now, name, role, placement.flags.bits()];
        self.transaction.prepare_cached(NOTE)?.execute(note)?;
        self.transaction.prepare_cached(MOVE)?.execute(params![row, target.0, flags.bits()])?;
        self.counts.removal(placement.counted(), &counted);
        self.counts.placement(CountedPlace { mailbox: target, flags, ..placement.counted() }, &counted);
        self.record(placement.message, ChangeKind::Facts)
    }

    fn name_and_role(&self, mailbox: MailboxKey) -> Result<(String, Option<String>), StoreError> {
        let mut statement =
            self.transaction.prepare_cached("SELECT name, role FROM mailboxes WHERE id = ?1")?;
        Ok(statement.query_row([mailbox.0], |row| Ok((row.get(0)?, row.get(1)?)))?)
    }

    /// The mailbox of the gone in the account of another mailbox, made when it is not there.
    fn mailbox_of_gone(&self, mailbox: MailboxKey) -> Result<MailboxKey, StoreError> {
        const SELECT: &str = "
            SELECT g.id FROM mailboxes g JOIN mailboxes b ON b.account = g.account WHERE b.id = ?1 AND g.role = ?2";
        const INSERT: &str = "
            INSERT INTO mailboxes (account, name, role, uidvalidity, next_uid)
            SELECT account, ?2, ?3, 1, 1 FROM mailboxes WHERE id = ?1";
        let mut statement = self.transaction.prepare_cached(SELECT)?;
        let found = statement.query_row(params![mailbox.0, ROLE], |row| row.get(0).map(MailboxKey));
        if let Some(found) = found.optional()? {
            return Ok(found);
        }
        self.transaction.execute(INSERT, params![mailbox.0, GONE_MAILBOX, ROLE])?;
        Ok(MailboxKey(self.transaction.last_insert_rowid()))
    }

    /// A message was met again in the account of this mailbox, so that it is not gone there.
    pub(super) fn is_back(&mut self, message: MessageKey, mailbox: MailboxKey) -> Result<(), StoreError> {
        const SELECT: &str = "
            SELECT p.id FROM placements p JOIN gone g ON g.placement = p.id JOIN mailboxes b ON b.id = p.mailbox
            WHERE p.message = ?1 AND b.account = (SELECT account FROM mailboxes WHERE id = ?2)";
        let mut statement = self.transaction.prepare_cached(SELECT)?;
        let found = statement.query_row(params![message.0, mailbox.0], |row| row.get(0).map(PlacementKey));
        let found = found.optional()?;
        drop(statement);
        match found.map(|key| self.placement(key)).transpose()?.flatten() {
            Some(placement) => self.delete_row(&placement),
            None => Ok(()),
        }
    }

    /// Lets go of messages that are gone, for good; says how many of them were in no other account.
    pub fn let_go(&mut self, gone: &[PlacementKey]) -> Result<u64, StoreError> {
        let mut deleted = 0;
        for key in gone {
            let Some(placement) = self.placement(*key)? else { continue };
            if !self.is_gone(*key)? {
                continue;
            }
            let before = self.has_removed;
            self.has_removed = false;
            self.delete_row(&placement)?;
            deleted += u64::from(self.has_removed);
            self.has_removed |= before;
        }
        self.note_removal(Cause::Gone, deleted)?;
        Ok(deleted)
    }

    fn is_gone(&self, placement: PlacementKey) -> Result<bool, StoreError> {
        let mut statement = self.transaction.prepare_cached("SELECT 1 FROM gone WHERE placement = ?1")?;
        Ok(statement.exists([placement.0])?)
    }

    /// Keeps all that is due until the owner lets go of it: too much went at once. All of it or none, so that a kill
    /// leaves no rest that is small enough to go.
    pub fn hold_due(&self, account: AccountKey, rule: GoneRule) -> Result<(), StoreError> {
        let sql = format!("UPDATE gone SET held = 1 WHERE placement IN ({DUE})");
        self.transaction.execute(&sql, due_params(account, rule, self.now))?;
        Ok(())
    }

    /// Writes down that messages were deleted here for good: when, why and how many, and nothing of what they said.
    pub(super) fn note_removal(&self, cause: Cause, messages: u64) -> Result<(), StoreError> {
        const INSERT: &str = "INSERT INTO removals (epoch, cause, messages) VALUES (?1, ?2, ?3)";
        if messages > 0 {
            let params = params![self.now, cause.name(), messages.cast_signed()];
            self.transaction.prepare_cached(INSERT)?.execute(params)?;
        }
        Ok(())
    }
}

impl Reader {
    /// What of an account is gone and may be let go of now.
    pub fn due(
        &self,
        account: AccountKey,
        rule: GoneRule,
        now: i64,
    ) -> Result<Vec<PlacementKey>, StoreError> {
        let mut statement = self.connection().prepare_cached(DUE)?;
        let rows = statement.query_map(due_params(account, rule, now), |row| row.get(0).map(PlacementKey))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How many messages an account has, the gone among them.
    pub fn message_count(&self, account: AccountKey) -> Result<u64, StoreError> {
        const SELECT: &str = "
            SELECT count(DISTINCT p.message) FROM placements p JOIN mailboxes b ON b.id = p.mailbox
            WHERE b.account = ?1";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        Ok(statement.query_row([account.0], |row| row.get::<_, i64>(0))?.cast_unsigned())
    }

    /// The mailbox of the gone of an account; `None` where there are none.
    pub fn mailbox_of_gone(&self, account: AccountKey) -> Result<Option<MailboxKey>, StoreError> {
        const SELECT: &str = "SELECT id FROM mailboxes WHERE account = ?1 AND role = ?2";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        Ok(statement.query_row(params![account.0, ROLE], |row| row.get(0).map(MailboxKey)).optional()?)
    }

    /// How many messages are gone, in all accounts.
    pub fn gone_count(&self) -> Result<i64, StoreError> {
        const SELECT: &str = "
            SELECT coalesce(sum(c.count), 0) FROM mailbox_counts c JOIN mailboxes b ON b.id = c.mailbox
            WHERE b.role = ?1";
        Ok(self.connection().prepare_cached(SELECT)?.query_row([ROLE], |row| row.get(0))?)
    }
}

#[cfg(test)]
mod tests {
    use super::is_usual_place;

    #[test]
    fn a_folder_of_the_owners_is_no_place_for_rubbish() {
        for usual in ["Trash", "INBOX/Trash", "[Gmail]/Spam", "Drafts"] {
            assert!(is_usual_place(usual), "{usual}");
        }
        for own in ["Contracts/Drafts", "INBOX/Clients/Trash", "Old/Spam"] {
            assert!(!is_usual_place(own), "{own}");
        }
    }
}
