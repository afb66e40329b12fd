//! Facts that change: flags, labels, mailboxes, threads. They live in the store and reach a search as sets of
//! rows, kept until the store's change number moves on. They name the tables themselves (`main.`): what is withheld
//! from the audience is left out of a search as a whole, and counted by these very sets.

use std::sync::Arc;

use roaring::RoaringTreemap;
use rusqlite::{Params, params};

use crate::model::{MailboxKey, ThreadKey};
use crate::query::language::{Leaf, State};
use crate::query::{Archive, QueryError};
use crate::store::Reader;

impl Archive {
    /// The rows for which a fact holds; `None` for leaves that are not such facts.
    pub(in crate::query) fn rows(
        &mut self,
        leaf: &Leaf,
        change: i64,
    ) -> Result<Option<Arc<RoaringTreemap>>, QueryError> {
        let name = leaf.to_string();
        if let Some((known, rows)) = self.facts.get(&name)
            && *known == change
        {
            return Ok(Some(Arc::clone(rows)));
        }
        let Some(rows) = read_rows(&self.reader, leaf)? else {
            return Ok(None);
        };
        let rows = Arc::new(rows);
        self.facts.retain(|_, (known, _)| *known == change);
        self.facts.insert(name, (change, Arc::clone(&rows)));
        Ok(Some(rows))
    }
}

fn read_rows(reader: &Reader, leaf: &Leaf) -> Result<Option<RoaringTreemap>, QueryError> {
    Ok(Some(match leaf {
        Leaf::Is(state) => select(reader, with_state(*state), [])?,
        Leaf::In(name) if name.eq_ignore_ascii_case("gone") => {
            select(reader, GONE, [])? | in_mailboxes(reader, name)?
        }
        Leaf::In(name) => in_mailboxes(reader, name)?,
        Leaf::Label(name) => labelled(reader, name)?,
        Leaf::Category(name) => select(reader, OF_CATEGORY, category_names(name))?,
        Leaf::HasUserLabels => select(reader, WITH_USER_LABEL, [])?,
        Leaf::Account(address) => select(reader, OF_ACCOUNT, [address])?,
        Leaf::Thread(name) => of_thread(reader, name)?,
        Leaf::MessageId(id) => select(reader, "SELECT id FROM main.messages WHERE message_id = ?1", [id])?,
        _ => return Ok(None),
    }))
}

const WITH_LABEL: &str = "
    SELECT p.message FROM label_names l CROSS JOIN main.placement_labels pl ON pl.label = l.id
    CROSS JOIN main.placements p ON p.id = pl.placement
    WHERE l.name = ?1 OR replace(replace(l.name, ' ', '-'), '/', '-') = ?1 COLLATE NOCASE";
const OF_CATEGORY: &str = "
    SELECT p.message FROM label_names l CROSS JOIN main.placement_labels pl ON pl.label = l.id
    CROSS JOIN main.placements p ON p.id = pl.placement WHERE l.name IN (?1, ?2)";
/// Labels that nobody made: Gmail's categories and marks, what its export calls mailboxes, and keywords of IMAP.
const WITH_USER_LABEL: &str = "
    SELECT p.message FROM label_names l CROSS JOIN main.placement_labels pl ON pl.label = l.id
    CROSS JOIN main.placements p ON p.id = pl.placement
    WHERE l.name NOT LIKE 'category\\_%' ESCAPE '\\' AND l.name NOT LIKE 'category %' AND l.name NOT LIKE '$%'
      AND l.name NOT IN ('important', 'chat', 'chats', 'inbox', 'sent', 'drafts', 'trash', 'spam', 'starred', 'unread',
                         'opened', 'archived')";
const OF_ACCOUNT: &str = "
    SELECT p.message FROM main.placements p JOIN mailboxes b ON b.id = p.mailbox
    JOIN accounts a ON a.id = b.account WHERE a.address = ?1";
const OF_MAILBOX: &str = "SELECT message FROM main.placements WHERE mailbox = ?1";
/// A message is gone when no account shows it any more.
const GONE: &str = "
    SELECT p.message FROM main.gone g JOIN main.placements p ON p.id = g.placement
    WHERE NOT EXISTS (SELECT 1 FROM main.placements o LEFT JOIN main.gone h ON h.placement = o.id
                      WHERE o.message = p.message AND h.placement IS NULL)";
const IMPORTANT: &str = "
    SELECT p.message FROM label_names l CROSS JOIN main.placement_labels pl ON pl.label = l.id
    CROSS JOIN main.placements p ON p.id = pl.placement WHERE l.name = 'important'";
const OF_THREAD: &str = "SELECT id FROM main.messages WHERE thread = ?1";
const OF_GMAIL_THREAD: &str = "SELECT id FROM main.messages WHERE x_gm_thrid = ?1";
const MAILBOXES: &str = "
    SELECT id FROM mailboxes
    WHERE role IS NOT 'gone'
      AND (name = ?1 COLLATE NOCASE OR role = lower(?1) OR lower(name) LIKE '%/' || lower(?2) ESCAPE '\\')";

/// The marks of `placements_marked` are 2, 4 and 16; naming all of them lets SQLite use that index.
fn with_state(state: State) -> &'static str {
    match state {
        State::Unread => "SELECT message FROM main.placements WHERE flags & 1 = 0",
        State::Read => "SELECT message FROM main.placements WHERE flags & 1 <> 0",
        State::Replied => "SELECT message FROM main.placements WHERE flags & 22 <> 0 AND flags & 2 <> 0",
        State::Starred => "SELECT message FROM main.placements WHERE flags & 22 <> 0 AND flags & 4 <> 0",
        State::Gone => GONE,
        State::Important => IMPORTANT,
        State::Draft => "SELECT message FROM main.placements WHERE flags & 22 <> 0 AND flags & 16 <> 0",
    }
}

/// Messages with a label, and what Gmail calls a label that is a mailbox or a flag here.
fn labelled(reader: &Reader, name: &str) -> Result<RoaringTreemap, QueryError> {
    let mut rows = select(reader, WITH_LABEL, [name])?;
    if let Some(fact) = system_label(name) {
        rows |= read_rows(reader, &fact)?.unwrap_or_default();
    }
    Ok(rows)
}

/// What Gmail's own labels are here.
pub(super) fn system_label(name: &str) -> Option<Leaf> {
    let role = |role: &str| Some(Leaf::In(role.to_owned()));
    match name.to_lowercase().as_str() {
        "inbox" => role("inbox"),
        "sent" => role("sent"),
        "draft" | "drafts" => role("drafts"),
        "trash" | "bin" => role("trash"),
        "spam" | "junk" => role("spam"),
        "archive" => role("archive"),
        "unread" => Some(Leaf::Is(State::Unread)),
        "read" => Some(Leaf::Is(State::Read)),
        "starred" => Some(Leaf::Is(State::Starred)),
        "important" => Some(Leaf::Is(State::Important)),
        _ => None,
    }
}

/// How Gmail's interface and its export name a category.
fn category_names(name: &str) -> [String; 2] {
    let name = if name == "primary" { "personal" } else { name };
    [format!("category_{name}"), format!("category {name}")]
}

/// Mailboxes that a name stands for: the full name, its last part, or what they are for (`sent`, `trash`).
pub(super) fn mailboxes(reader: &Reader, name: &str) -> Result<Vec<MailboxKey>, QueryError> {
    let escaped = name.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    let mut statement = reader.connection().prepare_cached(MAILBOXES)?;
    let rows = statement.query_map(params![name, escaped], |row| row.get(0).map(MailboxKey))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn in_mailboxes(reader: &Reader, name: &str) -> Result<RoaringTreemap, QueryError> {
    let mut rows = RoaringTreemap::new();
    for mailbox in mailboxes(reader, name)? {
        rows |= select(reader, OF_MAILBOX, [mailbox.0])?;
    }
    Ok(rows)
}

/// A thread by its number, by a Gmail thread id, or by any message in it.
fn of_thread(reader: &Reader, name: &str) -> Result<RoaringTreemap, QueryError> {
    let number = name.strip_prefix(['t', 'T']).unwrap_or(name).parse::<i64>().ok();
    if let Some(thread) = number.map(ThreadKey)
        && let Some(root) = reader.current_thread(thread)?
    {
        return select(reader, OF_THREAD, [root.0]);
    }
    if let Some(gmail) = number {
        let rows = select(reader, OF_GMAIL_THREAD, [gmail])?;
        if !rows.is_empty() {
            return Ok(rows);
        }
    }
    let mut rows = RoaringTreemap::new();
    for key in reader.resolve(name)? {
        if let Some(message) = reader.message(key)? {
            rows |= select(reader, OF_THREAD, [message.thread.0])?;
        }
    }
    Ok(rows)
}

fn select(reader: &Reader, sql: &str, params: impl Params) -> Result<RoaringTreemap, QueryError> {
    let mut statement = reader.connection().prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut set = RoaringTreemap::new();
    while let Some(row) = rows.next()? {
        set.insert(row.get::<_, i64>(0)?.cast_unsigned());
    }
    Ok(set)
}
