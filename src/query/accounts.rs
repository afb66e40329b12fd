//! The accounts, their mailboxes and labels, as tools and people are told about them.

use crate::model::AccountKey;
use crate::query::{Archive, QueryError, iso_date};

/// An account and how fresh it is.
#[derive(Debug, Clone, PartialEq)]
pub struct AccountInfo {
    /// Its row.
    pub key: AccountKey,
    /// Its address.
    pub address: String,
    /// `local`: filled from files.
    pub kind: String,
    /// When mail last came in, in seconds since 1970.
    pub synced_epoch: Option<i64>,
    /// Why the last sync failed.
    pub problem: Option<String>,
    /// Whether that was a sign-in that the server refused, so that nothing helps but the person.
    pub wants_sign_in: bool,
    /// How many messages its mailboxes hold.
    pub messages: i64,
}

impl AccountInfo {
    /// Whether it has a server, or had one that mail may still come from.
    #[must_use]
    pub fn has_server(&self) -> bool {
        self.kind != "local"
    }

    /// Whether there is anything to ask it: mail, or a server that mail comes from.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.messages > 0 || self.has_server()
    }

    /// When mail last came in, in UTC.
    #[must_use]
    pub fn synced_at(&self) -> Option<String> {
        self.synced_epoch.map(iso_date)
    }
}

/// A mailbox and what it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct MailboxInfo {
    /// Its name, folders separated by `/`.
    pub name: String,
    /// What it is for: `inbox`, `sent`, `drafts`, `trash`, `spam`, `archive`.
    pub role: Option<String>,
    /// Messages in it.
    pub count: i64,
    /// Unread ones.
    pub unread: i64,
}

const LABELS: &str = "SELECT name FROM label_names WHERE account = ?1 ORDER BY name";

impl Archive {
    /// All accounts, by address.
    pub fn accounts(&self) -> Result<Vec<AccountInfo>, QueryError> {
        let accounts = self.reader.accounts()?.into_iter();
        let mailboxes = self.reader.mailboxes()?;
        let info = |account: crate::store::Account| {
            let problem = self.reader.sync_problem(account.key)?;
            let of_account = mailboxes.iter().filter(|mailbox| mailbox.account == account.key);
            Ok(AccountInfo {
                messages: of_account.map(|mailbox| mailbox.count).sum(),
                key: account.key,
                address: account.address,
                kind: account.kind,
                synced_epoch: account.synced_epoch,
                wants_sign_in: problem.as_ref().is_some_and(crate::store::SyncProblem::wants_sign_in),
                problem: problem.map(|problem| problem.message),
            })
        };
        accounts.map(info).collect()
    }

    /// The mailboxes of an account, by name.
    pub fn mailboxes_of(&self, account: AccountKey) -> Result<Vec<MailboxInfo>, QueryError> {
        let mailboxes = self.reader.mailboxes()?.into_iter().filter(|mailbox| mailbox.account == account);
        Ok(mailboxes
            .map(|mailbox| MailboxInfo {
                name: mailbox.name,
                role: mailbox.role,
                count: mailbox.count,
                unread: mailbox.unread,
            })
            .collect())
    }

    /// The labels of an account, by name.
    pub fn labels_of(&self, account: AccountKey) -> Result<Vec<String>, QueryError> {
        let mut statement = self.reader.connection().prepare_cached(LABELS)?;
        let rows = statement.query_map([account.0], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
