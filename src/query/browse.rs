//! Newest-first lists for people and tools: one account or all, one folder or all but drafts, trash and spam, unread
//! only, one sender. Walks SQLite indexes side by side and stops when the page is full, however large the mailboxes are.

use std::collections::BinaryHeap;

use rusqlite::{CachedStatement, Rows, params};

use crate::index::Order;
use crate::model::{AccountKey, Address, ContentHash, Flags, MailboxKey, MessageKey, ShortId};
use crate::query::audience::Shown;
use crate::query::search::{Match, Page, iso_date, snippet};
use crate::query::{Archive, QueryError};
use crate::text_safety::one_line;

/// What to list.
#[derive(Debug, Clone, Default)]
pub struct Browse {
    /// Of this account; `None` is all of them.
    pub account: Option<AccountKey>,
    /// In this mailbox: its name, or what it is for (`inbox`, `sent`), or `starred`.
    pub folder: Option<String>,
    /// Only unread messages.
    pub unread: bool,
    /// Only from this sender: an address, or a part of name or address.
    pub sender: Option<String>,
}

/// A message as a list shows it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// Its row; 0 for a draft that was written here.
    pub key: MessageKey,
    /// Short id.
    pub id: String,
    /// Message-ID without angle brackets.
    pub message_id: Option<String>,
    /// Its thread, as `thread:` takes it.
    pub thread: String,
    /// Address of the account that holds it; of several the first that was asked for.
    pub account: String,
    /// The sender as written.
    pub from: String,
    /// The sender's name; empty when there is none.
    pub name: String,
    /// The sender's address.
    pub address: String,
    /// Subject.
    pub subject: String,
    /// Date in UTC.
    pub date: String,
    /// Whether it is unread.
    pub unread: bool,
    /// Whether it is starred.
    pub starred: bool,
    /// Whether it has an attachment.
    pub has_attachments: bool,
    /// The mailbox that holds it, or did last.
    pub mailbox: String,
    /// Since when no server shows it any more, in UTC.
    pub gone: Option<String>,
    /// Its labels.
    pub labels: Vec<String>,
    /// How it begins, or the passages that match.
    pub snippet: String,
    /// Why a search shows it; empty in lists.
    pub matched: Match,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// The messages.
    pub items: Vec<Summary>,
    /// Whether there are more behind them.
    pub more: bool,
    /// Messages that this page would show if they were not kept from this audience; none are counted where that
    /// depends on what they say.
    pub withheld: usize,
}

/// The folders that are meant by what they are for, whatever the mailboxes are called.
pub const FOLDERS: [&str; 7] = ["inbox", "sent", "drafts", "trash", "spam", "starred", GONE];

/// The folder of what no server shows any more.
const GONE: &str = "gone";

const IN_MAILBOX: &str =
    "SELECT epoch, message FROM placements WHERE mailbox = ?1 ORDER BY epoch DESC, message DESC";
const UNREAD_IN_MAILBOX: &str = "
    SELECT epoch, message FROM placements WHERE mailbox = ?1 AND flags & 1 = 0 ORDER BY epoch DESC, message DESC";
const FROM_SENDER: &str = "SELECT epoch, id FROM messages WHERE sender = ?1 ORDER BY epoch DESC, id DESC";
const STARRED: &str = "
    SELECT m.epoch, m.id FROM placements p JOIN messages m ON m.id = p.message
    WHERE p.flags & 22 <> 0 AND p.flags & 4 <> 0 AND ?1 = ?1 ORDER BY m.epoch DESC, m.id DESC";
/// The domain comes first because there is an index of it.
const SENDERS: &str = "SELECT id FROM senders WHERE domain = ?1 AND address = ?2";
const SENDERS_LIKE: &str = "SELECT id FROM senders WHERE display LIKE ?1 ESCAPE '\\' LIMIT 1000";
const SUMMARY: &str = "
    SELECT m.hash, m.thread, m.epoch, s.name, s.address, m.subject, m.has_attachments, s.display, m.message_id
    FROM messages m JOIN senders s ON s.id = m.sender WHERE m.id = ?1";
const PLACES: &str = "
    SELECT p.mailbox, p.flags, coalesce(g.mailbox, b.name), b.account,
           (SELECT json_group_array(l.name) FROM placement_labels pl JOIN label_names l ON l.id = pl.label
             WHERE pl.placement = p.id), g.epoch, a.address
    FROM placements p JOIN mailboxes b ON b.id = p.mailbox JOIN accounts a ON a.id = b.account
    LEFT JOIN gone g ON g.placement = p.id
    WHERE p.message = ?1 ORDER BY g.epoch IS NOT NULL, p.id";

impl Archive {
    /// The newest messages that fit.
    pub fn browse(&mut self, browse: &Browse, page: Page) -> Result<Listing, QueryError> {
        let scope = self.scope(browse)?;
        let (rows, next) = self.browsed(browse, &scope, page)?;
        let first = rows.first().map(|row| row.epoch).filter(|_| page.offset > 0);
        let withheld = match browse.sender {
            Some(_) => 0,
            None => {
                let shown = Shown::page(first, next, Order::Newest);
                self.count_withheld(shown, |account, mailbox, flags| scope.holds(account, mailbox, flags))?
            }
        };
        let more = next.is_some();
        Ok(Listing { items: self.with_snippets(rows)?, more, withheld })
    }

    /// The rows of a page, and the date of the message behind it.
    fn browsed(
        &self,
        browse: &Browse,
        scope: &Scope,
        page: Page,
    ) -> Result<(Vec<Row>, Option<i64>), QueryError> {
        let _snapshot = self.reader.connection().unchecked_transaction()?;
        let (sql, keys) = self.streams(browse, scope)?;
        let mut statements = Vec::with_capacity(keys.len());
        for _ in &keys {
            statements.push(self.reader.connection().prepare_cached(sql)?);
        }
        let mut merged = Merged::new(&mut statements, &keys)?;
        let (mut rows, mut skipped, mut next) = (Vec::new(), 0, None);
        while let Some(key) = merged.next()? {
            let Some(places) = self.places(key, Some(scope))? else { continue };
            if skipped < page.offset {
                skipped += 1;
            } else if rows.len() == page.limit {
                next = self.row(key, places)?.map(|row| row.epoch);
                break;
            } else {
                rows.extend(self.row(key, places)?);
            }
        }
        Ok((rows, next))
    }

    /// Whether a list of this account can show a message.
    pub fn shows(&self, key: MessageKey, account: Option<AccountKey>) -> Result<bool, QueryError> {
        Ok(self.places(key, Scope::whole(account).as_ref())?.is_some())
    }

    /// A message as a list of this account shows it.
    pub fn summary(
        &self,
        key: MessageKey,
        account: Option<AccountKey>,
    ) -> Result<Option<Summary>, QueryError> {
        let row = self.row_in(key, Scope::whole(account).as_ref())?;
        Ok(self.with_snippets(row.into_iter().collect())?.pop())
    }

    /// Messages as a list of this account shows them; `None` for those it does not hold.
    pub(super) fn rows_in(
        &self,
        keys: &[MessageKey],
        account: Option<&str>,
    ) -> Result<Vec<Option<Row>>, QueryError> {
        let account = account.map(|address| self.reader.account(address)).transpose()?.flatten();
        let scope = Scope::whole(account);
        keys.iter().map(|key| self.row_in(*key, scope.as_ref())).collect()
    }

    fn row_in(&self, key: MessageKey, scope: Option<&Scope>) -> Result<Option<Row>, QueryError> {
        match self.places(key, scope)? {
            Some(places) => self.row(key, places),
            None => Ok(None),
        }
    }

    /// The rows with how their texts begin.
    fn with_snippets(&self, rows: Vec<Row>) -> Result<Vec<Summary>, QueryError> {
        let keys: Vec<_> = rows.iter().map(|row| row.summary.key).collect();
        let snippets = self.reader.map_texts(&keys, |_, text| snippet::beginning_of(text))?;
        let rows = rows.into_iter().zip(snippets);
        Ok(rows.map(|(row, snippet)| Summary { snippet, ..row.summary }).collect())
    }

    fn row(&self, key: MessageKey, places: Places) -> Result<Option<Row>, QueryError> {
        let mut statement = self.reader.connection().prepare_cached(SUMMARY)?;
        let mut rows = statement.query([key.0])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let (name, display): (String, String) = (row.get(3)?, row.get(7)?);
        let address: String = row.get(4)?;
        let epoch: i64 = row.get(2)?;
        let summary = Summary {
            key,
            id: ShortId::of(&ContentHash(row.get(0)?)).to_string(),
            thread: format!("t{}", row.get::<_, i64>(1)?),
            account: places.account,
            message_id: row.get(8)?,
            date: iso_date(epoch),
            from: one_line(&display),
            name: one_line(if name.is_empty() && address.is_empty() { &display } else { &name }),
            address: one_line(&address),
            subject: one_line(&row.get::<_, String>(5)?),
            has_attachments: row.get(6)?,
            snippet: String::new(),
            matched: Match::default(),
            unread: places.unread,
            starred: places.starred,
            mailbox: places.mailbox,
            gone: places.gone.map(iso_date),
            labels: places.labels,
        };
        Ok(Some(Row { epoch, summary }))
    }

    /// What is known of where a message is, within the scope; `None` when it is not there.
    fn places(&self, key: MessageKey, scope: Option<&Scope>) -> Result<Option<Places>, QueryError> {
        let mut statement = self.reader.connection().prepare_cached(PLACES)?;
        let mut rows = statement.query([key.0])?;
        let mut found: Option<Places> = None;
        while let Some(row) = rows.next()? {
            let (mailbox, account) = (MailboxKey(row.get(0)?), AccountKey(row.get(3)?));
            let flags = Flags::from_bits(row.get(1)?);
            if !scope.is_none_or(|scope| scope.holds(account, mailbox, flags)) {
                continue;
            }
            let labels: Vec<String> = serde_json::from_str(&row.get::<_, String>(4)?).unwrap_or_default();
            let places = found.get_or_insert_with(Places::default);
            if places.account.is_empty() {
                (places.mailbox, places.gone, places.account) = (row.get(2)?, row.get(5)?, row.get(6)?);
            }
            places.join(flags, labels);
        }
        Ok(found)
    }

    /// The walks whose merged rows hold everything that can be on the list.
    fn streams(&self, browse: &Browse, scope: &Scope) -> Result<(&'static str, Vec<i64>), QueryError> {
        if let Some(sender) = &browse.sender {
            return Ok((FROM_SENDER, self.senders(sender)?));
        }
        if scope.starred {
            return Ok((STARRED, vec![0]));
        }
        let sql = if browse.unread { UNREAD_IN_MAILBOX } else { IN_MAILBOX };
        Ok((sql, scope.mailboxes.iter().flatten().map(|mailbox| mailbox.0).collect()))
    }

    fn senders(&self, sender: &str) -> Result<Vec<i64>, QueryError> {
        let connection = self.reader.connection();
        let address = sender.rsplit_once('<').map_or(sender, |(_, rest)| rest.trim_end_matches('>')).trim();
        let exact = connection
            .prepare_cached(SENDERS)?
            .query_map([Address::new("", address).domain(), address.to_lowercase()], |row| row.get(0))?
            .collect::<Result<Vec<_>, _>>()?;
        if !exact.is_empty() {
            return Ok(exact);
        }
        let escaped = sender.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        let mut statement = connection.prepare_cached(SENDERS_LIKE)?;
        let rows = statement.query_map([format!("%{escaped}%")], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn scope(&self, browse: &Browse) -> Result<Scope, QueryError> {
        let mut scope = Scope { account: browse.account, unread: browse.unread, ..Scope::default() };
        let folder = browse.folder.as_deref().map(str::to_lowercase);
        scope.starred = folder.as_deref() == Some("starred");
        let mut mailboxes = Vec::new();
        for mailbox in self.reader.mailboxes()?.into_iter().filter(|b| scope.is_asked(b.account)) {
            let role = mailbox.role.as_deref();
            let wanted = match folder.as_deref() {
                None => !matches!(role, Some("drafts" | "trash" | "spam")),
                Some("starred") => !matches!(role, Some("trash" | "spam")),
                Some(name) => mailbox.name.to_lowercase() == name || role == Some(name),
            };
            if wanted {
                mailboxes.push(mailbox.key);
            }
        }
        if folder.as_deref() == Some(GONE) {
            for account in self.reader.accounts()?.into_iter().filter(|one| scope.is_asked(one.key)) {
                mailboxes.extend(self.reader.mailbox_of_gone(account.key)?);
            }
        }
        match &browse.folder {
            Some(name) if mailboxes.is_empty() && !FOLDERS.contains(&name.to_lowercase().as_str()) => {
                Err(self.unknown_mailbox(name, browse.account)?)
            }
            _ => Ok(Scope { mailboxes: Some(mailboxes), ..scope }),
        }
    }

    fn unknown_mailbox(&self, name: &str, account: Option<AccountKey>) -> Result<QueryError, QueryError> {
        let asked = |key| account.is_none_or(|account| account == key);
        let mailboxes = self.reader.mailboxes()?.into_iter().filter(|mailbox| asked(mailbox.account));
        let mut known: Vec<String> = mailboxes.map(|mailbox| mailbox.name).collect();
        known.sort();
        known.dedup();
        Ok(QueryError::UnknownMailbox { name: one_line(name), known })
    }
}

/// A message on a list, whose snippet is still to come.
pub(super) struct Row {
    epoch: i64,
    pub(super) summary: Summary,
}

/// Which placements count.
#[derive(Debug, Default)]
struct Scope {
    /// Only of this one; `None` is all.
    account: Option<AccountKey>,
    /// Only these; `None` is all of the account's.
    mailboxes: Option<Vec<MailboxKey>>,
    unread: bool,
    starred: bool,
}

impl Scope {
    /// All of an account.
    fn whole(account: Option<AccountKey>) -> Option<Self> {
        account.map(|account| Self { account: Some(account), ..Self::default() })
    }

    fn is_asked(&self, account: AccountKey) -> bool {
        self.account.is_none_or(|asked| asked == account)
    }

    fn holds(&self, account: AccountKey, mailbox: MailboxKey, flags: Flags) -> bool {
        self.is_asked(account)
            && self.mailboxes.as_ref().is_none_or(|wanted| wanted.contains(&mailbox))
            && (!self.unread || !flags.contains(Flags::SEEN))
            && (!self.starred || flags.contains(Flags::FLAGGED))
    }
}

/// Where a message is, put together from its placements.
#[derive(Default)]
struct Places {
    account: String,
    mailbox: String,
    gone: Option<i64>,
    unread: bool,
    starred: bool,
    labels: Vec<String>,
}

impl Places {
    fn join(&mut self, flags: Flags, labels: Vec<String>) {
        self.unread |= !flags.contains(Flags::SEEN);
        self.starred |= flags.contains(Flags::FLAGGED);
        for label in labels {
            if !self.labels.contains(&label) {
                self.labels.push(label);
            }
        }
    }
}

/// Several walks that each go from new to old, as one; a message that more than one of them meets comes once.
struct Merged<'s> {
    walks: Vec<Rows<'s>>,
    heads: BinaryHeap<(i64, i64, usize)>,
    last: Option<i64>,
}

impl<'s> Merged<'s> {
    fn new(statements: &'s mut [CachedStatement<'_>], keys: &[i64]) -> Result<Self, QueryError> {
        let mut merged = Self { walks: Vec::with_capacity(keys.len()), heads: BinaryHeap::new(), last: None };
        for (statement, key) in statements.iter_mut().zip(keys) {
            merged.walks.push(statement.query(params![key])?);
            merged.advance(merged.walks.len() - 1)?;
        }
        Ok(merged)
    }

    fn next(&mut self) -> Result<Option<MessageKey>, QueryError> {
        while let Some((_, key, walk)) = self.heads.pop() {
            self.advance(walk)?;
            if self.last.replace(key) != Some(key) {
                return Ok(Some(MessageKey(key)));
            }
        }
        Ok(None)
    }

    fn advance(&mut self, walk: usize) -> Result<(), QueryError> {
        if let Some(row) = self.walks[walk].next()? {
            self.heads.push((row.get(0)?, row.get(1)?, walk));
        }
        Ok(())
    }
}
