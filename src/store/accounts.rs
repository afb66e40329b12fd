//! Accounts and their mailboxes.

use rusqlite::{OptionalExtension, params};

use crate::model::{AccountKey, GONE_MAILBOX, GONE_NAMESAKE, Lane, MailboxKey, MailboxRole};
use crate::store::counts::BY_MAILBOX;
use crate::store::{Reader, StoreError, WriteTransaction, responses};

/// An account as listed to a person.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// Its row.
    pub key: AccountKey,
    /// The owner's address.
    pub address: String,
    /// `local`: filled from files.
    pub kind: String,
    /// When mail last came in, in seconds since 1970.
    pub synced_epoch: Option<i64>,
}

/// A mailbox as listed to a person.
#[derive(Debug, Clone, PartialEq)]
pub struct Mailbox {
    /// Its row.
    pub key: MailboxKey,
    /// The account it belongs to.
    pub account: AccountKey,
    /// Its name, folders separated by `/`.
    pub name: String,
    /// What it is for: `inbox`, `sent`, `drafts`, `trash`, `spam`, `archive`.
    pub role: Option<String>,
    /// Messages in it.
    pub count: i64,
    /// Messages in it that are unread.
    pub unread: i64,
    /// Raw bytes of the messages in it.
    pub bytes: i64,
}

impl WriteTransaction<'_> {
    /// The account with this address, made as a local one when it is not there.
    pub fn account(&self, address: &str, now: i64) -> Result<AccountKey, StoreError> {
        let added = self
            .transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO accounts (address, kind, added_epoch) VALUES (?1, 'local', ?2)",
            )?
            .execute(params![address, now])?;
        if added > 0 {
            responses::own_address(&self.transaction, address)?;
        }
        let mut statement = self.transaction.prepare_cached("SELECT id FROM accounts WHERE address = ?1")?;
        Ok(statement.query_row([address], |row| row.get(0).map(AccountKey))?)
    }

    /// Somebody to send as on another channel, made when they are not there. They have no mailbox, and no list of accounts
    /// names them.
    pub fn channel_account(&self, lane: Lane, address: &str, now: i64) -> Result<AccountKey, StoreError> {
        const INSERT: &str =
            "INSERT OR IGNORE INTO accounts (address, kind, added_epoch) VALUES (?1, ?2, ?3)";
        self.transaction.prepare_cached(INSERT)?.execute(params![address, lane.name(), now])?;
        let mut statement = self.transaction.prepare_cached("SELECT id FROM accounts WHERE address = ?1")?;
        Ok(statement.query_row([address], |row| row.get(0).map(AccountKey))?)
    }

    /// The mailbox with this name, made when it is not there. `INBOX` is the same in any case (RFC 9051, 5.1).
    pub fn mailbox(&self, account: AccountKey, name: &str) -> Result<MailboxKey, StoreError> {
        let name = match name {
            inbox if inbox.eq_ignore_ascii_case("inbox") => "INBOX",
            // That name is ours.
            GONE_MAILBOX => GONE_NAMESAKE,
            other => other,
        };
        self.transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO mailboxes (account, name, role, uidvalidity, next_uid)
                 VALUES (?1, ?2, ?3, 1, 1)",
            )?
            .execute(params![account.0, name, role(name).map(MailboxRole::name)])?;
        let mut statement =
            self.transaction.prepare_cached("SELECT id FROM mailboxes WHERE account = ?1 AND name = ?2")?;
        Ok(statement.query_row(params![account.0, name], |row| row.get(0).map(MailboxKey))?)
    }

    /// Deletes an account that holds nothing any more; says whether it did.
    pub fn drop_account(&self, account: AccountKey) -> Result<bool, StoreError> {
        const HOLDS: &str = "
            SELECT 1 FROM placements p JOIN mailboxes b ON b.id = p.mailbox WHERE b.account = ?1
            UNION ALL SELECT 1 FROM drafts WHERE account = ?1";
        if self.transaction.prepare_cached(HOLDS)?.exists([account.0])? {
            return Ok(false);
        }
        const OF_MAILBOXES: &str = "WHERE mailbox IN (SELECT id FROM mailboxes WHERE account = ?1)";
        for table in BY_MAILBOX.into_iter().chain(["unfetched"]) {
            self.transaction.execute(&format!("DELETE FROM {table} {OF_MAILBOXES}"), [account.0])?;
        }
        let tables = [
            "pending_changes",
            "copies",
            "gmail_messages",
            "gmail_labels",
            "servers",
            "label_names",
            "aliases",
        ];
        for table in tables.into_iter().chain(["mailboxes"]) {
            self.transaction.execute(&format!("DELETE FROM {table} WHERE account = ?1"), [account.0])?;
        }
        self.transaction.execute("DELETE FROM accounts WHERE id = ?1", [account.0])?;
        Ok(true)
    }

    /// Deletes the drafts of an account; says how many there were.
    pub fn drop_drafts(&self, account: AccountKey) -> Result<usize, StoreError> {
        Ok(self.transaction.execute("DELETE FROM drafts WHERE account = ?1", [account.0])?)
    }

    /// Notes that mail came in for this account.
    pub fn touch_account(&self, account: AccountKey, now: i64) -> Result<(), StoreError> {
        self.transaction
            .execute("UPDATE accounts SET synced_epoch = ?2 WHERE id = ?1", params![account.0, now])?;
        Ok(())
    }
}

/// The usual names of mailboxes, in the languages that servers without SPECIAL-USE (RFC 6154) speak most.
const USUAL_NAMES: [(MailboxRole, &[&str]); 6] = [
    (MailboxRole::Inbox, &["inbox"]),
    (
        MailboxRole::Sent,
        &[
            "sent",
            "sent mail",
            "sent items",
            "sent messages",
            "gesendet",
            "gesendete objekte",
            "gesendete elemente",
            "envoyés",
            "éléments envoyés",
            "messages envoyés",
            "enviados",
            "elementos enviados",
            "inviata",
            "posta inviata",
            "verzonden",
            "verzonden items",
            "skickat",
            "sendt",
            "wysłane",
            "odeslané",
            "отправленные",
        ],
    ),
    (
        MailboxRole::Drafts,
        &[
            "drafts",
            "draft",
            "entwürfe",
            "brouillons",
            "borradores",
            "bozze",
            "concepten",
            "rascunhos",
            "utkast",
            "kladder",
            "szkice",
            "koncepty",
            "черновики",
        ],
    ),
    (
        MailboxRole::Trash,
        &[
            "trash",
            "deleted items",
            "deleted messages",
            "bin",
            "papierkorb",
            "gelöscht",
            "gelöschte objekte",
            "gelöschte elemente",
            "corbeille",
            "éléments supprimés",
            "papelera",
            "elementos eliminados",
            "cestino",
            "prullenbak",
            "lixeira",
            "papperskorgen",
            "kosz",
            "koš",
            "корзина",
        ],
    ),
    (
        MailboxRole::Spam,
        &[
            "spam",
            "junk",
            "junk e-mail",
            "junk email",
            "bulk mail",
            "spamverdacht",
            "unerwünscht",
            "courrier indésirable",
            "indésirables",
            "correo no deseado",
            "posta indesiderata",
            "ongewenste e-mail",
            "skräppost",
            "спам",
        ],
    ),
    (
        MailboxRole::Archive,
        &["archive", "archives", "all mail", "archiv", "archivo", "archivio", "archief", "arkiv"],
    ),
];

/// What a mailbox is for, told by its usual names.
fn role(name: &str) -> Option<MailboxRole> {
    let last = name.rsplit('/').next().unwrap_or(name).to_lowercase();
    USUAL_NAMES.iter().find(|(_, names)| names.contains(&last.as_str())).map(|(role, _)| *role)
}

impl WriteTransaction<'_> {
    /// Has an account's mail become files in this folder, in the place of going to a server; `None`: no longer.
    pub fn set_send_folder(&self, account: AccountKey, folder: Option<&str>) -> Result<(), StoreError> {
        let mut set =
            self.transaction.prepare_cached("UPDATE accounts SET send_folder = ?2 WHERE id = ?1")?;
        set.execute(params![account.0, folder])?;
        Ok(())
    }
}

impl Reader {
    /// The folder that an account's mail leaves into, in the place of a server.
    pub fn send_folder(&self, account: AccountKey) -> Result<Option<String>, StoreError> {
        let mut statement =
            self.connection().prepare_cached("SELECT send_folder FROM accounts WHERE id = ?1")?;
        Ok(statement.query_row([account.0], |row| row.get(0)).optional()?.flatten())
    }

    /// All accounts with mail, by address.
    pub fn accounts(&self) -> Result<Vec<Account>, StoreError> {
        const SELECT: &str = "
            SELECT id, address, kind, synced_epoch FROM accounts
            WHERE kind NOT IN ('whatsapp', 'linkedin') ORDER BY address";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let rows = statement.query_map([], |row| {
            Ok(Account {
                key: AccountKey(row.get(0)?),
                address: row.get(1)?,
                kind: row.get(2)?,
                synced_epoch: row.get(3)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The account with this address.
    pub fn account(&self, address: &str) -> Result<Option<AccountKey>, StoreError> {
        let mut statement = self.connection().prepare_cached("SELECT id FROM accounts WHERE address = ?1")?;
        Ok(statement.query_row([address], |row| row.get(0).map(AccountKey)).optional()?)
    }

    /// All mailboxes with their counts, by account and name.
    pub fn mailboxes(&self) -> Result<Vec<Mailbox>, StoreError> {
        const SELECT: &str = "
            SELECT b.id, b.account, b.name, b.role,
                   coalesce(sum(c.count), 0), coalesce(sum(c.unread), 0), coalesce(sum(c.bytes), 0)
            FROM mailboxes b LEFT JOIN mailbox_counts c ON c.mailbox = b.id
            WHERE b.role IS NOT 'gone' GROUP BY b.id ORDER BY b.account, b.name";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let rows = statement.query_map([], |row| {
            Ok(Mailbox {
                key: MailboxKey(row.get(0)?),
                account: AccountKey(row.get(1)?),
                name: row.get(2)?,
                role: row.get(3)?,
                count: row.get(4)?,
                unread: row.get(5)?,
                bytes: row.get(6)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::role;
    use crate::model::MailboxRole;

    #[test]
    fn mailboxes_are_known_by_their_usual_names_in_many_languages() {
        for (name, expected) in [
            ("INBOX/Entwürfe", Some(MailboxRole::Drafts)),
            ("Éléments envoyés", Some(MailboxRole::Sent)),
            ("Черновики", Some(MailboxRole::Drafts)),
            ("Papelera", Some(MailboxRole::Trash)),
            ("Draughts", None),
        ] {
            assert_eq!(role(name), expected, "{name}");
        }
    }
}
