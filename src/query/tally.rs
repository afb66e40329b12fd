//! Counts what a search finds: by sender, list, mailbox, label or account, and split by day, month or year. A message
//! counts once in each group it belongs to, however many mailboxes hold it.

use std::collections::HashMap;

use jiff::Timestamp;
use roaring::RoaringTreemap;
use rusqlite::Row;
use serde::{Deserialize, Serialize};

use crate::model::AccountKey;
use crate::query::analytics::{Period, Span};
use crate::query::{AccountInfo, Archive, QueryError};
use crate::text_safety::one_line;

/// What to count by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TallyBy {
    /// Sender as written.
    Sender,
    /// The sender's domain.
    Domain,
    /// Mailing list, by its List-Id.
    List,
    /// Mailbox.
    Mailbox,
    /// Label.
    Label,
    /// Address of the account.
    Account,
    /// `YYYY-MM-DD`
    Day,
    /// `YYYY-MM`
    Month,
    /// `YYYY`
    Year,
    /// `Mon 09`
    WeekdayHour,
}

impl TallyBy {
    /// Whether groups are parts of time.
    #[must_use]
    pub fn is_time(self) -> bool {
        matches!(self, Self::Day | Self::Month | Self::Year)
    }
}

/// What is to be counted.
#[derive(Debug, Clone)]
pub struct Tally<'a> {
    /// Only what this search finds; empty is everything.
    pub query: &'a str,
    /// Only in this account.
    pub account: Option<&'a AccountInfo>,
    /// Only from this time.
    pub span: Span,
    /// What to count by.
    pub by: TallyBy,
    /// Split every group by this part of time.
    pub per: Option<Period>,
}

/// A group and how many messages it has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// What they have in common.
    pub key: String,
    /// Which day, month or year, where groups are split.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<String>,
    /// Messages.
    pub count: i64,
    /// Their raw bytes together, where groups are lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<i64>,
}

/// Up to so many messages are looked up one by one; more are found along the table.
const FEW: u64 = 20_000;

/// Each gives the row, the date, the group and the account that puts the message into it, for a list the size, too, along the table and for one
/// message.
const BY_SENDER: [&str; 2] = [
    "SELECT m.id, m.epoch, s.display, NULL FROM messages m JOIN senders s ON s.id = m.sender",
    "SELECT m.id, m.epoch, s.display, NULL FROM messages m JOIN senders s ON s.id = m.sender WHERE m.id = ?1",
];
const BY_DOMAIN: [&str; 2] = [
    "SELECT m.id, m.epoch, s.domain, NULL FROM messages m JOIN senders s ON s.id = m.sender WHERE s.domain <> ''",
    "SELECT m.id, m.epoch, s.domain, NULL FROM messages m JOIN senders s ON s.id = m.sender
     WHERE m.id = ?1 AND s.domain <> ''",
];
const BY_LIST: [&str; 2] = [
    "SELECT m.id, m.epoch, m.list_id, NULL, m.size FROM messages m WHERE m.list_id IS NOT NULL",
    "SELECT m.id, m.epoch, m.list_id, NULL, m.size FROM messages m WHERE m.id = ?1 AND m.list_id IS NOT NULL",
];
const BY_MAILBOX: [&str; 2] = [
    "SELECT DISTINCT m.id, m.epoch, b.name, b.account FROM messages m JOIN placements p ON p.message = m.id
     JOIN mailboxes b ON b.id = p.mailbox WHERE b.role IS NOT 'gone'",
    "SELECT DISTINCT m.id, m.epoch, b.name, b.account FROM messages m JOIN placements p ON p.message = m.id
     JOIN mailboxes b ON b.id = p.mailbox WHERE m.id = ?1 AND b.role IS NOT 'gone'",
];
const BY_LABEL: [&str; 2] = [
    "SELECT DISTINCT m.id, m.epoch, l.name, l.account FROM messages m JOIN placements p ON p.message = m.id
     JOIN placement_labels pl ON pl.placement = p.id JOIN label_names l ON l.id = pl.label",
    "SELECT DISTINCT m.id, m.epoch, l.name, l.account FROM messages m JOIN placements p ON p.message = m.id
     JOIN placement_labels pl ON pl.placement = p.id JOIN label_names l ON l.id = pl.label WHERE m.id = ?1",
];
const BY_ACCOUNT: [&str; 2] = [
    "SELECT DISTINCT m.id, m.epoch, a.address, b.account FROM messages m JOIN placements p ON p.message = m.id
     JOIN mailboxes b ON b.id = p.mailbox JOIN accounts a ON a.id = b.account",
    "SELECT DISTINCT m.id, m.epoch, a.address, b.account FROM messages m JOIN placements p ON p.message = m.id
     JOIN mailboxes b ON b.id = p.mailbox JOIN accounts a ON a.id = b.account WHERE m.id = ?1",
];
const BY_TIME: [&str; 2] = [
    "SELECT m.id, m.epoch, NULL, NULL FROM messages m",
    "SELECT m.id, m.epoch, NULL, NULL FROM messages m WHERE m.id = ?1",
];

impl Archive {
    /// Counts. Parts of time come newest first, other groups largest first, and equal ones by name.
    pub fn tally(&mut self, asked: &Tally<'_>) -> Result<Vec<Counted>, QueryError> {
        let rows = self.tallied_rows(asked)?;
        let _snapshot = self.reader.connection().unchecked_transaction()?;
        let mut counts = Counts { asked, groups: HashMap::new() };
        let [along, one] = statements(asked.by);
        match rows {
            Some(rows) if rows.len() <= FEW => {
                let mut statement = self.reader.connection().prepare_cached(one)?;
                for row in &rows {
                    counts.add_all(statement.query([row.cast_signed()])?, None)?;
                }
            }
            rows => {
                let mut statement = self.reader.connection().prepare_cached(along)?;
                counts.add_all(statement.query([])?, rows.as_ref())?;
            }
        }
        Ok(counts.sorted())
    }

    /// The rows of the messages that are meant; `None` when all are.
    fn tallied_rows(&mut self, asked: &Tally<'_>) -> Result<Option<RoaringTreemap>, QueryError> {
        let account = asked.account.map(|account| account.address.as_str());
        if asked.query.is_empty() && account.is_none() {
            return Ok(None);
        }
        let keys = self.matching(asked.query, account)?;
        Ok(Some(keys.into_iter().map(|key| key.0.cast_unsigned()).collect()))
    }
}

fn statements(by: TallyBy) -> [&'static str; 2] {
    match by {
        TallyBy::Sender => BY_SENDER,
        TallyBy::Domain => BY_DOMAIN,
        TallyBy::List => BY_LIST,
        TallyBy::Mailbox => BY_MAILBOX,
        TallyBy::Label => BY_LABEL,
        TallyBy::Account => BY_ACCOUNT,
        TallyBy::Day | TallyBy::Month | TallyBy::Year | TallyBy::WeekdayHour => BY_TIME,
    }
}

/// What is known of a group.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    count: i64,
    bytes: Option<i64>,
}

/// Groups in the making.
struct Counts<'a> {
    asked: &'a Tally<'a>,
    groups: HashMap<(Option<String>, String), Sum>,
}

impl Counts<'_> {
    fn add_all(
        &mut self,
        mut rows: rusqlite::Rows<'_>,
        only: Option<&RoaringTreemap>,
    ) -> Result<(), QueryError> {
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            if only.is_none_or(|only| only.contains(id.cast_unsigned())) {
                self.add(row)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, row: &Row<'_>) -> Result<(), QueryError> {
        let epoch: i64 = row.get(1)?;
        let account = row.get::<_, Option<i64>>(3)?.map(AccountKey);
        if self.asked.account.is_some_and(|asked| account.is_some_and(|account| account != asked.key)) {
            return Ok(());
        }
        if !(self.asked.span.from..=self.asked.span.until).contains(&epoch) {
            return Ok(());
        }
        let key = match part_of_time(self.asked.by, epoch) {
            Some(part) => part,
            None => one_line(row.get_ref(2)?.as_str().unwrap_or_default()),
        };
        let period = self.asked.per.map(|period| shown(epoch, pattern(period)));
        let sum = self.groups.entry((period, key)).or_default();
        sum.count += 1;
        if self.asked.by == TallyBy::List {
            sum.bytes = Some(sum.bytes.unwrap_or_default() + row.get::<_, i64>(4)?);
        }
        Ok(())
    }

    fn sorted(self) -> Vec<Counted> {
        let by_time = self.asked.by.is_time();
        let counted =
            |((period, key), sum): (_, Sum)| Counted { key, period, count: sum.count, bytes: sum.bytes };
        let mut groups: Vec<Counted> = self.groups.into_iter().map(counted).collect();
        groups.sort_by(|a, b| {
            let newest = b.period.cmp(&a.period);
            let order = if by_time { b.key.cmp(&a.key) } else { b.count.cmp(&a.count) };
            newest.then(order).then_with(|| a.key.cmp(&b.key))
        });
        groups
    }
}

fn part_of_time(by: TallyBy, epoch: i64) -> Option<String> {
    let pattern = match by {
        TallyBy::Day => pattern(Period::Daily),
        TallyBy::Month => pattern(Period::Monthly),
        TallyBy::Year => pattern(Period::Yearly),
        TallyBy::WeekdayHour => "%a %H",
        _ => return None,
    };
    Some(shown(epoch, pattern))
}

const fn pattern(period: Period) -> &'static str {
    match period {
        Period::Daily => "%Y-%m-%d",
        Period::Monthly => "%Y-%m",
        Period::Yearly => "%Y",
    }
}

/// A moment in UTC.
fn shown(epoch: i64, pattern: &str) -> String {
    Timestamp::from_second(epoch).unwrap_or_default().strftime(pattern).to_string()
}
