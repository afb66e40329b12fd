//! Accounts on servers: their settings, their state, and how far each of their mailboxes has been brought in.

use rusqlite::{OptionalExtension, Row, params};

use crate::model::{AccountKey, AccountSettings, Endpoint, Flags, MailboxKey, MessageKey, SignIn, Tls, Via};
use crate::store::counts::BY_MAILBOX;
use crate::store::{Reader, StoreError, WriteTransaction};

/// The largest uid a server can give (RFC 9051, 2.3.1.1).
pub(super) const LARGEST_UID: i64 = 0xffff_ffff;

/// Why the last sync of an account failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncProblem {
    /// A short name for scripts.
    pub code: String,
    /// What went wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl SyncProblem {
    /// Whether only the person can mend it, by signing in: a server that turned us down locks those who ask again.
    #[must_use]
    pub fn wants_sign_in(&self) -> bool {
        const SIGN_IN: [&str; 5] =
            ["sign_in", "account_locked", "sign_in_again", "not_signed_in", "other_mailbox"];
        SIGN_IN.contains(&self.code.as_str())
    }
}

/// How far a mailbox of a server has been brought in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteMailbox {
    /// Its row.
    pub key: MailboxKey,
    /// Its name as the server writes it.
    pub wire_name: String,
    /// Its name here.
    pub name: String,
    /// The server's UIDVALIDITY.
    pub uidvalidity: u32,
    /// The server's UIDNEXT when it was last brought in whole.
    pub next_uid: u32,
    /// The server's HIGHESTMODSEQ then, where it has one.
    pub modseq: Option<u64>,
    /// Whether it was brought in whole.
    pub filled: bool,
    /// Messages in it that are on the server, with those that could not be brought in.
    pub count: u64,
    /// Of those, the ones to try again.
    pub to_retry: u64,
}

/// A placement as a server knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacementState {
    /// Its uid.
    pub uid: u32,
    /// Its flags.
    pub flags: Flags,
    /// Its keywords or labels.
    pub labels: Vec<String>,
}

impl WriteTransaction<'_> {
    /// Makes an account one of a server, or changes where its servers are. Mail that came from files before stays,
    /// as mail the server does not have.
    pub fn set_account(
        &self,
        address: &str,
        settings: &AccountSettings,
        now: i64,
    ) -> Result<AccountKey, StoreError> {
        const LET_GO: &str = "
            UPDATE placements SET uid = -id - ?2 WHERE uid > 0 AND mailbox IN
                (SELECT id FROM mailboxes WHERE account = ?1 AND remote IS NULL)";
        let account = self.account(address, now)?;
        self.transaction.execute(LET_GO, [account.0, LARGEST_UID])?;
        let is_same = self.is_same_mail(account, settings)?;
        self.change_way(account, settings.via, is_same)?;
        if !is_same {
            self.forget_copies(account)?;
        }
        self.transaction.execute(
            "UPDATE accounts SET kind = ?4, user = ?2, sign_in = ?3, problem = NULL, problem_code = NULL,
                                 problem_hint = NULL WHERE id = ?1",
            params![account.0, settings.user, settings.sign_in.name(), settings.via.name()],
        )?;
        self.transaction.execute("DELETE FROM servers WHERE account = ?1", [account.0])?;
        for (protocol, endpoint) in [("imap", &settings.imap), ("smtp", &settings.smtp)] {
            let Some(endpoint) = endpoint else { continue };
            self.transaction.execute(
                "INSERT INTO servers (account, protocol, host, port, tls) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![account.0, protocol, endpoint.host, endpoint.port, endpoint.tls.name()],
            )?;
        }
        Ok(account)
    }

    /// Whether this is where the account's mail is read, and whose it is there.
    fn is_same_mail(&self, account: AccountKey, settings: &AccountSettings) -> Result<bool, StoreError> {
        const SELECT: &str = "
            SELECT 1 FROM servers s JOIN accounts a ON a.id = s.account
            WHERE s.account = ?1 AND s.protocol = 'imap' AND s.host = ?2 AND s.port = ?3 AND a.user = ?4";
        let mut statement = self.transaction.prepare_cached(SELECT)?;
        let imap = settings.imap.as_ref();
        let endpoint = (imap.map(|imap| &imap.host), imap.map(|imap| imap.port));
        Ok(statement.exists(params![account.0, endpoint.0, endpoint.1, settings.user])?)
    }

    /// When mail is to be reached in another way or elsewhere, its numbers mean nothing any more: what is here waits to
    /// be found again under new ones, and changes that wait for those numbers are not made.
    fn change_way(&self, account: AccountKey, via: Via, is_same: bool) -> Result<(), StoreError> {
        const UNMADE: &str = "
            UPDATE pending_changes SET state = 'failed', reason = 'the account has another server now'
            WHERE account = ?1 AND state = 'pending'";
        const DETACH: &str = "
            UPDATE placements SET uid = id + ?2 WHERE uid BETWEEN 1 AND ?2 AND mailbox IN
                (SELECT id FROM mailboxes WHERE account = ?1 AND remote IS NOT NULL)";
        const UNFETCHED: &str =
            "DELETE FROM unfetched WHERE mailbox IN (SELECT id FROM mailboxes WHERE account = ?1)";
        let mut statement = self.transaction.prepare_cached("SELECT kind FROM accounts WHERE id = ?1")?;
        let kind: String = statement.query_row([account.0], |row| row.get(0))?;
        if Via::parse(&kind).is_none_or(|before| before == via && (is_same || via == Via::Gmail)) {
            return Ok(());
        }
        self.transaction.execute(UNMADE, [account.0])?;
        self.transaction.execute(DETACH, params![account.0, LARGEST_UID])?;
        self.transaction.execute(UNFETCHED, [account.0])?;
        self.transaction
            .execute("UPDATE mailboxes SET filled = 0, modseq = NULL WHERE account = ?1", [account.0])?;
        self.forget_gmail(account)
    }

    /// Forgets an account's servers. Its mail stays, as if it had come from files.
    pub fn leave_servers(&self, account: AccountKey) -> Result<(), StoreError> {
        const LET_GO: &str = "
            UPDATE mailboxes SET remote = NULL, filled = 0, modseq = NULL,
                next_uid = 1 + coalesce((SELECT max(uid) FROM placements WHERE mailbox = mailboxes.id), 0)
            WHERE account = ?1 AND remote IS NOT NULL";
        self.transaction.execute(LET_GO, [account.0])?;
        self.transaction.execute(
            "DELETE FROM unfetched WHERE mailbox IN (SELECT id FROM mailboxes WHERE account = ?1)",
            [account.0],
        )?;
        self.forget_gmail(account)?;
        self.forget_copies(account)?;
        self.transaction.execute("DELETE FROM servers WHERE account = ?1", [account.0])?;
        self.transaction.execute(
            "UPDATE accounts SET kind = 'local', user = NULL, sign_in = NULL, problem = NULL, problem_code = NULL,
                                 problem_hint = NULL WHERE id = ?1",
            [account.0],
        )?;
        Ok(())
    }

    /// Notes how the last sync of an account ended. One that has left its server meanwhile has no trouble with it.
    pub fn note_sync(&self, account: AccountKey, problem: Option<&SyncProblem>) -> Result<(), StoreError> {
        self.transaction.execute(
            "UPDATE accounts SET problem = ?2, problem_code = ?3, problem_hint = ?4
             WHERE id = ?1 AND (?2 IS NULL OR kind <> 'local')",
            params![
                account.0,
                problem.map(|p| &p.message),
                problem.map(|p| &p.code),
                problem.map(|p| &p.hint)
            ],
        )?;
        Ok(())
    }

    /// The mailbox for one of a server, made when it is not there.
    pub fn remote_mailbox(
        &self,
        account: AccountKey,
        name: &str,
        wire_name: &str,
        role: Option<&str>,
    ) -> Result<MailboxKey, StoreError> {
        let key = self.mailbox(account, name)?;
        self.transaction.execute(
            "UPDATE mailboxes SET remote = ?2, role = iif(name = 'INBOX', role, coalesce(?3, role)) WHERE id = ?1",
            params![key.0, wire_name, role],
        )?;
        Ok(key)
    }

    /// Notes that a mailbox holds all that the server had at this point.
    pub fn set_filled(
        &self,
        mailbox: MailboxKey,
        next_uid: u32,
        modseq: Option<u64>,
    ) -> Result<(), StoreError> {
        self.transaction.execute(
            "UPDATE mailboxes SET filled = 1, next_uid = ?2, modseq = ?3 WHERE id = ?1",
            params![mailbox.0, next_uid, modseq.map(u64::cast_signed)],
        )?;
        Ok(())
    }

    /// Has the next sync look at all that the server has in a mailbox.
    pub fn unfill(&self, mailbox: MailboxKey) -> Result<(), StoreError> {
        self.transaction
            .execute("UPDATE mailboxes SET filled = 0, modseq = NULL WHERE id = ?1", [mailbox.0])?;
        Ok(())
    }

    /// The server gave a mailbox a new UIDVALIDITY: what we have of it must be found again under new uids.
    pub fn detach(&mut self, mailbox: MailboxKey, uidvalidity: u32) -> Result<(), StoreError> {
        const DETACH: &str =
            "UPDATE placements SET uid = id + ?2 WHERE mailbox = ?1 AND uid BETWEEN 1 AND ?2";
        self.transaction.execute(DETACH, params![mailbox.0, LARGEST_UID])?;
        self.transaction.execute("DELETE FROM unfetched WHERE mailbox = ?1", [mailbox.0])?;
        self.transaction.execute(
            "UPDATE mailboxes SET filled = 0, modseq = NULL, uidvalidity = ?2 WHERE id = ?1",
            params![mailbox.0, uidvalidity],
        )?;
        Ok(())
    }

    /// Drops a mailbox the server no longer has, when nothing is left in it; else it stays as one of files.
    pub fn drop_mailbox(&self, mailbox: MailboxKey) -> Result<(), StoreError> {
        self.transaction.execute("DELETE FROM unfetched WHERE mailbox = ?1", [mailbox.0])?;
        self.transaction.execute(
            "UPDATE mailboxes SET remote = NULL, filled = 0, modseq = NULL WHERE id = ?1",
            [mailbox.0],
        )?;
        for table in BY_MAILBOX {
            let sql = format!("DELETE FROM {table} WHERE mailbox = ?1 AND count = 0");
            self.transaction.execute(&sql, [mailbox.0])?;
        }
        self.transaction.execute(
            "DELETE FROM mailboxes WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM placements WHERE mailbox = ?1)",
            [mailbox.0],
        )?;
        Ok(())
    }

    /// Notes that a message of a server could not be brought in.
    pub fn note_unfetched(
        &self,
        mailbox: MailboxKey,
        uid: u32,
        problem: &str,
        retry: bool,
    ) -> Result<(), StoreError> {
        self.transaction.execute(
            "INSERT OR REPLACE INTO unfetched (mailbox, uid, problem, retry) VALUES (?1, ?2, ?3, ?4)",
            params![mailbox.0, uid, problem, retry],
        )?;
        Ok(())
    }

    /// Forgets that a message could not be brought in.
    pub fn forget_unfetched(&self, mailbox: MailboxKey, uid: u32) -> Result<(), StoreError> {
        self.transaction
            .prepare_cached("DELETE FROM unfetched WHERE mailbox = ?1 AND uid = ?2")?
            .execute(params![mailbox.0, uid])?;
        Ok(())
    }
}

const PLACED: &str = "
    SELECT uid, flags, (SELECT json_group_array(l.name) FROM placement_labels pl
                        JOIN label_names l ON l.id = pl.label WHERE pl.placement = p.id)
    FROM placements p WHERE mailbox = ?1";

fn read_placement(row: &Row<'_>) -> rusqlite::Result<PlacementState> {
    let labels: String = row.get(2)?;
    let labels = if labels == "[]" { Vec::new() } else { serde_json::from_str(&labels).unwrap_or_default() };
    Ok(PlacementState { uid: row.get(0)?, flags: Flags::from_bits(row.get(1)?), labels })
}

impl PlacementState {
    /// Whether these are its flags and labels already; labels are the same in any case and order.
    #[must_use]
    pub fn has(&self, flags: Flags, labels: &[String]) -> bool {
        let is_in =
            |label: &String, all: &[String]| all.iter().any(|other| other.eq_ignore_ascii_case(label));
        self.flags == flags
            && labels.iter().all(|label| is_in(label, &self.labels))
            && self.labels.iter().all(|label| is_in(label, labels))
    }
}

impl Reader {
    /// How an account reaches its servers; `None` for one of files.
    pub fn account_settings(&self, account: AccountKey) -> Result<Option<AccountSettings>, StoreError> {
        const SELECT: &str = "SELECT user, sign_in, kind FROM accounts WHERE id = ?1 AND user IS NOT NULL";
        let user: Option<(String, String, String)> = self
            .connection()
            .query_row(SELECT, [account.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        let Some((user, sign_in, kind)) = user else { return Ok(None) };
        Ok(Some(AccountSettings {
            via: Via::parse(&kind).unwrap_or_default(),
            user,
            sign_in: SignIn::parse(&sign_in).unwrap_or(SignIn::Password),
            imap: self.server(account, "imap")?,
            smtp: self.server(account, "smtp")?,
        }))
    }

    /// Where the mail of the account with this address is read; `None` for one of files.
    pub fn mail_host(&self, address: &str) -> Result<Option<String>, StoreError> {
        let account = self.account(address)?;
        let settings = account.map(|account| self.account_settings(account)).transpose()?.flatten();
        Ok(settings.and_then(|settings| match settings.via {
            Via::Gmail => Some("gmail.com".to_owned()),
            Via::Imap => settings.imap.map(|imap| imap.host),
        }))
    }

    fn server(&self, account: AccountKey, protocol: &str) -> Result<Option<Endpoint>, StoreError> {
        const SELECT: &str = "SELECT host, port, tls FROM servers WHERE account = ?1 AND protocol = ?2";
        let endpoint = |row: &Row<'_>| {
            let tls: String = row.get(2)?;
            Ok(Endpoint {
                host: row.get(0)?,
                port: row.get(1)?,
                tls: Tls::parse(&tls).unwrap_or(Tls::Implicit),
            })
        };
        Ok(self.connection().query_row(SELECT, params![account.0, protocol], endpoint).optional()?)
    }

    /// Why the last sync of an account failed; `None` when it went well.
    pub fn sync_problem(&self, account: AccountKey) -> Result<Option<SyncProblem>, StoreError> {
        const SELECT: &str = "
            SELECT problem_code, problem, problem_hint FROM accounts WHERE id = ?1 AND problem IS NOT NULL";
        let problem =
            |row: &Row<'_>| Ok(SyncProblem { code: row.get(0)?, message: row.get(1)?, hint: row.get(2)? });
        Ok(self.connection().query_row(SELECT, [account.0], problem).optional()?)
    }

    /// The mailboxes of an account that are on a server.
    pub fn remote_mailboxes(&self, account: AccountKey) -> Result<Vec<RemoteMailbox>, StoreError> {
        const SELECT: &str = "
            SELECT b.id, b.remote, b.name, b.uidvalidity, b.next_uid, b.modseq, b.filled,
                   (SELECT coalesce(sum(count), 0) FROM mailbox_counts c WHERE c.mailbox = b.id)
                 - (SELECT count(*) FROM placements p WHERE p.mailbox = b.id AND p.uid < 0)
                 - (SELECT count(*) FROM placements p WHERE p.mailbox = b.id AND p.uid > ?2)
                 + (SELECT count(*) FROM unfetched u WHERE u.mailbox = b.id),
                   (SELECT count(*) FROM unfetched u WHERE u.mailbox = b.id AND u.retry)
            FROM mailboxes b WHERE b.account = ?1 AND b.remote IS NOT NULL";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let rows = statement.query_map(params![account.0, LARGEST_UID], |row| {
            Ok(RemoteMailbox {
                key: MailboxKey(row.get(0)?),
                wire_name: row.get(1)?,
                name: row.get(2)?,
                uidvalidity: row.get(3)?,
                next_uid: row.get(4)?,
                modseq: row.get::<_, Option<i64>>(5)?.map(i64::cast_unsigned),
                filled: row.get(6)?,
                count: row.get::<_, i64>(7)?.cast_unsigned(),
                to_retry: row.get::<_, i64>(8)?.cast_unsigned(),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What is here of a mailbox on a server, by uid.
    pub fn placed(&self, mailbox: MailboxKey) -> Result<Vec<PlacementState>, StoreError> {
        let sql = format!("{PLACED} AND uid BETWEEN 1 AND ?2 ORDER BY uid");
        let mut statement = self.connection().prepare_cached(&sql)?;
        let rows = statement.query_map(params![mailbox.0, LARGEST_UID], read_placement)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What is here under one uid.
    pub fn placed_at(&self, mailbox: MailboxKey, uid: u32) -> Result<Option<PlacementState>, StoreError> {
        let mut statement = self.connection().prepare_cached(&format!("{PLACED} AND uid = ?2"))?;
        Ok(statement.query_row(params![mailbox.0, uid], read_placement).optional()?)
    }

    /// The uid of a message in a mailbox on a server.
    pub fn uid_of(&self, message: MessageKey, mailbox: MailboxKey) -> Result<Option<u32>, StoreError> {
        const SELECT: &str = "
            SELECT uid FROM placements WHERE message = ?1 AND mailbox = ?2 AND uid BETWEEN 1 AND ?3 ORDER BY uid";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let uid = statement.query_row(params![message.0, mailbox.0, LARGEST_UID], |row| row.get(0));
        Ok(uid.optional()?)
    }

    /// The server's name of an account's mailbox for this.
    pub fn mailbox_for(&self, account: AccountKey, role: &str) -> Result<Option<String>, StoreError> {
        const SELECT: &str = "
            SELECT remote FROM mailboxes WHERE account = ?1 AND role = ?2 AND remote IS NOT NULL
            ORDER BY length(name), id LIMIT 1";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        Ok(statement.query_row(params![account.0, role], |row| row.get(0)).optional()?)
    }

    /// The uids that are here in a range, both ends included.
    pub fn uids_between(&self, mailbox: MailboxKey, first: u32, last: u32) -> Result<Vec<u32>, StoreError> {
        const SELECT: &str = "SELECT uid FROM placements WHERE mailbox = ?1 AND uid BETWEEN ?2 AND ?3";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let rows = statement.query_map(params![mailbox.0, first, last], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Messages of a mailbox on a server that could not be brought in; with whether to try again.
    pub fn unfetched(&self, mailbox: MailboxKey) -> Result<Vec<(u32, bool)>, StoreError> {
        let mut statement =
            self.connection().prepare_cached("SELECT uid, retry FROM unfetched WHERE mailbox = ?1")?;
        let rows = statement.query_map([mailbox.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
