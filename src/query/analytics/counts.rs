//! How many messages there are: of a filter, of a sender, a domain, a mailbox. Read from the counts that the store keeps.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use roaring::RoaringTreemap;
use rusqlite::params;
use serde::{Deserialize, Serialize};

use crate::query::QueryError;
use crate::query::analytics::selection::{Mailboxes, Scope, Selected};
use crate::query::analytics::{Db, Filter, Period, Span, Timeline};
use crate::query::search::iso_date;
use crate::text_safety::many_lines;

/// A sender and how many messages are from there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SenderCount {
    /// Sender as written; null for messages that name none.
    pub from: Option<String>,
    /// Messages.
    pub count: i64,
}

/// A domain and how many messages are from there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DomainCount {
    /// Domain.
    pub domain: String,
    /// Messages.
    pub count: i64,
}

/// A mailbox and how many messages it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MailboxCount {
    /// Name; mailboxes of the same name are counted together.
    pub mailbox: String,
    /// Messages.
    pub count: i64,
}

/// The overview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EmailStats {
    /// Messages.
    pub total_emails: i64,
    /// First and last date.
    pub date_range: DateRange,
    /// The most frequent senders.
    pub top_senders: Vec<SenderCount>,
    /// The most frequent domains.
    pub top_domains: Vec<DomainCount>,
    /// Messages a mailbox.
    pub mailbox_distribution: Vec<MailboxCount>,
}

/// First and last date; null where no message has one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DateRange {
    /// First.
    pub earliest: Option<String>,
    /// Last.
    pub latest: Option<String>,
}

/// What `email_stats` counts by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupBy {
    /// Sender as written.
    Sender,
    /// The sender's domain.
    Domain,
    /// Mailbox.
    Mailbox,
    /// `YYYY-MM-DD`
    Day,
    /// `YYYY-MM`
    Month,
    /// `YYYY`
    Year,
    /// `Mon 09`
    WeekdayHour,
}

/// What `email_stats` takes.
#[derive(Debug, Clone)]
pub struct Grouped {
    /// What to count by.
    pub by: GroupBy,
    /// Only in this mailbox.
    pub mailbox: Option<String>,
    /// Only from this time.
    pub span: Span,
    /// How many groups.
    pub limit: usize,
}

/// One group of `email_stats`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Group {
    /// What they have in common.
    pub key: String,
    /// Messages.
    pub count: i64,
}

/// Messages a sender, by the sender's number. Numbers are dense, so that a list beats a map.
#[derive(Default)]
pub(super) struct SenderCounts(Vec<i64>);

impl SenderCounts {
    pub(super) fn add(&mut self, sender: i64, count: i64) {
        let at = usize::try_from(sender).unwrap_or_default();
        if at >= self.0.len() {
            self.0.resize(at + 1, 0);
        }
        self.0[at] += count;
    }

    pub(super) fn of(&self, sender: i64) -> i64 {
        usize::try_from(sender).ok().and_then(|at| self.0.get(at)).copied().unwrap_or_default()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (i64, i64)> {
        (0_i64..).zip(self.0.iter().copied()).filter(|(_, count)| *count > 0)
    }
}

/// Up to so many messages are looked up one by one.
const FEW: u64 = 20_000;

impl Db<'_> {
    /// How many rows a filter leaves.
    pub fn count(&mut self, filter: &Filter) -> Result<i64, QueryError> {
        let selected = self.select(filter)?;
        if !selected.is_textual() {
            return self.count_within(&selected.scope());
        }
        if let (Some(senders), None, true) = (&selected.senders, &selected.subjects, selected.span.is_all()) {
            let counts = self.sender_counts(&selected.mailboxes)?;
            return Ok(senders.iter().map(|sender| counts.of(*sender)).sum());
        }
        self.count_rows(&selected)
    }

    fn count_rows(&mut self, selected: &Selected) -> Result<i64, QueryError> {
        let messages = self.matching(selected)?;
        if messages.len() <= FEW {
            return self.count_each(&messages, selected);
        }
        if selected.mailboxes == Mailboxes::All && selected.span.is_all() && self.is_plain()? {
            return Ok(messages.len().cast_signed());
        }
        let mailboxes = self.mailbox_list(&selected.mailboxes)?;
        let span = (selected.span.from, selected.span.until);
        self.archive.count_arrivals(&messages, &mailboxes, span)
    }

    /// Whether every message is in one mailbox and none is withheld.
    fn is_plain(&mut self) -> Result<bool, QueryError> {
        const SELECT: &str = "
            SELECT (SELECT coalesce(sum(count), 0) FROM message_counts)
                 = (SELECT coalesce(sum(count), 0) FROM mailbox_counts)";
        let once: bool = self.connection().query_row(SELECT, [], |row| row.get(0))?;
        Ok(once && !self.archive.withholds()?)
    }

    /// The messages that text leaves.
    fn matching(&self, selected: &Selected) -> Result<RoaringTreemap, QueryError> {
        let Some(senders) = &selected.senders else {
            return Ok(selected.subjects.clone().unwrap_or_default());
        };
        let mut found = RoaringTreemap::new();
        for sender in senders {
            let messages = self.numbers(OF_SENDER, [*sender])?;
            found.extend(messages.into_iter().map(i64::cast_unsigned));
        }
        if let Some(subjects) = &selected.subjects {
            found &= subjects;
        }
        Ok(found)
    }

    fn count_each(&self, messages: &RoaringTreemap, selected: &Selected) -> Result<i64, QueryError> {
        let mut statement = self.connection().prepare_cached(ARRIVALS_OF)?;
        let mut count = 0;
        for message in messages {
            let mut rows =
                statement.query(params![message.cast_signed(), selected.span.from, selected.span.until])?;
            while let Some(row) = rows.next()? {
                count += i64::from(selected.mailboxes.hold(row.get(0)?));
            }
        }
        Ok(count)
    }

    /// How many rows are withheld in the mailboxes and the time that a question is about, whatever else it asks for.
    pub fn withheld(&self, mailbox: Option<&str>, span: Span) -> Result<i64, QueryError> {
        let mailboxes = self.mailboxes(mailbox)?;
        let span = (!span.is_all()).then_some((span.from, span.until));
        let found = self.archive.withheld_arrivals(span)?.into_iter();
        Ok(found.filter(|(mailbox, _)| mailboxes.hold(*mailbox)).map(|(_, count)| count).sum())
    }

    pub(super) fn mailbox_list(&self, mailboxes: &Mailboxes) -> Result<Vec<i64>, QueryError> {
        match mailboxes {
            Mailboxes::Only(list) => Ok(list.clone()),
            Mailboxes::All => self.numbers("SELECT id FROM mailboxes", []),
        }
    }

    /// Messages a sender.
    fn sender_counts(&self, mailboxes: &Mailboxes) -> Result<SenderCounts, QueryError> {
        const SELECT: &str = "SELECT sender, count FROM sender_counts WHERE mailbox = ?1";
        let mut counts = SenderCounts::default();
        let mut statement = self.connection().prepare_cached(SELECT)?;
        for mailbox in self.mailbox_list(mailboxes)? {
            let mut rows = statement.query([mailbox])?;
            while let Some(row) = rows.next()? {
                counts.add(row.get(0)?, row.get(1)?);
            }
        }
        Ok(counts)
    }

    /// The overview.
    pub fn stats(&self, top: usize) -> Result<EmailStats, QueryError> {
        let mailboxes = self.mailboxes(None)?;
        let counts = self.sender_counts(&mailboxes)?;
        let top = self.clamp(top);
        Ok(EmailStats {
            total_emails: counts.0.iter().sum(),
            date_range: self.date_range(&mailboxes)?,
            top_senders: self.name_senders(&counts, top)?,
            top_domains: self.name_domains(&counts, top)?,
            mailbox_distribution: self.mailbox_stats()?,
        })
    }

    /// The most frequent senders; equal counts by name.
    pub fn top_senders(&self, limit: usize, mailbox: Option<&str>) -> Result<Vec<SenderCount>, QueryError> {
        self.name_senders(&self.sender_counts(&self.mailboxes(mailbox)?)?, self.clamp(limit))
    }

    /// The most frequent domains; equal counts by name.
    pub fn top_domains(&self, limit: usize) -> Result<Vec<DomainCount>, QueryError> {
        self.name_domains(&self.sender_counts(&self.mailboxes(None)?)?, self.clamp(limit))
    }

    /// Messages a mailbox, the fullest first.
    pub fn mailbox_stats(&self) -> Result<Vec<MailboxCount>, QueryError> {
        const SELECT: &str = "
            SELECT b.name, sum(c.count) FROM mailboxes b JOIN mailbox_counts c ON c.mailbox = b.id
            WHERE c.count > 0 AND (?1 IS NULL OR b.account = ?1) AND b.role IS NOT 'gone'
            GROUP BY b.name ORDER BY 2 DESC, 1 LIMIT ?2";
        let account = self.bounds.account.map(|account| account.0);
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let rows = statement.query_map(params![account, self.bounds.max_limit], |row| {
            Ok(MailboxCount { mailbox: row.get(0)?, count: row.get(1)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Only those that can be among the first are named.
    fn name_senders(&self, counts: &SenderCounts, limit: usize) -> Result<Vec<SenderCount>, QueryError> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let mut counts: Vec<(i64, i64)> = counts.iter().collect();
        if counts.len() > limit {
            let (_, (_, least), _) =
                counts.select_nth_unstable_by_key(limit - 1, |(_, count)| Reverse(*count));
            let least = *least;
            counts.retain(|(_, count)| *count >= least);
        }
        let mut statement = self.connection().prepare_cached("SELECT display FROM senders WHERE id = ?1")?;
        let mut named = Vec::with_capacity(counts.len());
        for (sender, count) in counts {
            let from: String = statement.query_row([sender], |row| row.get(0))?;
            let from = Some(many_lines(&from)).filter(|from| !from.is_empty());
            named.push(SenderCount { from, count });
        }
        named.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.from.cmp(&b.from)));
        named.truncate(limit);
        Ok(named)
    }

    fn name_domains(&self, counts: &SenderCounts, limit: usize) -> Result<Vec<DomainCount>, QueryError> {
        const SELECT: &str = "SELECT id, domain FROM senders INDEXED BY senders_by_domain ORDER BY domain";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let mut rows = statement.query([])?;
        let mut domains: Vec<DomainCount> = Vec::new();
        while let Some(row) = rows.next()? {
            let count = counts.of(row.get(0)?);
            if count == 0 {
                continue;
            }
            let domain = row.get_ref(1)?.as_str().unwrap_or_default();
            match domains.last_mut() {
                Some(last) if last.domain == domain => last.count += count,
                _ => domains.push(DomainCount { domain: domain.to_owned(), count }),
            }
        }
        domains.retain(|found| !found.domain.is_empty() && found.count > 0);
        domains.sort_by_key(|found| Reverse(found.count));
        domains.truncate(limit);
        Ok(domains)
    }

    /// When the first and the last message came in.
    fn date_range(&self, mailboxes: &Mailboxes) -> Result<DateRange, QueryError> {
        let ends = |sql| -> Result<Vec<i64>, QueryError> {
            let of = |mailbox| self.numbers(sql, [mailbox]);
            Ok(self.mailbox_list(mailboxes)?.into_iter().map(of).collect::<Result<Vec<_>, _>>()?.concat())
        };
        Ok(DateRange {
            earliest: ends(FIRST_IN)?.into_iter().min().map(iso_date),
            latest: ends(LAST_IN)?.into_iter().max().map(iso_date),
        })
    }

    /// Counts by what `email_stats` is asked for.
    pub fn grouped(&self, asked: &Grouped) -> Result<Vec<Group>, QueryError> {
        let mailboxes = self.mailboxes(asked.mailbox.as_deref())?;
        let limit = self.clamp(asked.limit);
        let scope = Scope { mailboxes: &mailboxes, span: asked.span, by: Timeline::Written };
        let mut groups: Vec<Group> = match asked.by {
            GroupBy::Sender => {
                let named = self.name_senders(&self.senders_within(&mailboxes, asked.span)?, limit)?;
                let name = |from: Option<String>| from.unwrap_or_else(|| "(no sender)".to_owned());
                named.into_iter().map(|found| Group { key: name(found.from), count: found.count }).collect()
            }
            GroupBy::Domain => {
                let named = self.name_domains(&self.senders_within(&mailboxes, asked.span)?, limit)?;
                named.into_iter().map(|found| Group { key: found.domain, count: found.count }).collect()
            }
            GroupBy::Mailbox => self.by_mailbox(&mailboxes, asked.span)?,
            GroupBy::Day => self.by_period(&scope, Period::Daily)?,
            GroupBy::Month => self.by_period(&scope, Period::Monthly)?,
            GroupBy::Year => self.by_period(&scope, Period::Yearly)?,
            GroupBy::WeekdayHour => {
                let cells = self.heatmap_of(&scope)?.into_iter();
                cells
                    .map(|cell| Group {
                        key: format!("{} {:02}", cell.day_of_week, cell.hour),
                        count: cell.count,
                    })
                    .collect()
            }
        };
        // Of days, months and years the last ones matter.
        if matches!(asked.by, GroupBy::Day | GroupBy::Month | GroupBy::Year) {
            groups.drain(..groups.len().saturating_sub(limit));
        }
        groups.truncate(limit);
        Ok(groups)
    }

    fn by_period(&self, scope: &Scope<'_>, period: Period) -> Result<Vec<Group>, QueryError> {
        let counts = self.periods(scope, period)?.into_iter();
        Ok(counts.map(|found| Group { key: found.period, count: found.count }).collect())
    }

    fn by_mailbox(&self, mailboxes: &Mailboxes, span: Span) -> Result<Vec<Group>, QueryError> {
        let mut counts: BTreeMap<String, i64> = BTreeMap::new();
        for mailbox in self.mailbox_list(mailboxes)? {
            let only = Mailboxes::Only(vec![mailbox]);
            let count = self.count_within(&Scope { mailboxes: &only, span, by: Timeline::Written })?;
            let name = "SELECT name FROM mailboxes WHERE id = ?1";
            let name: String = self.connection().query_row(name, [mailbox], |row| row.get(0))?;
            *counts.entry(name).or_default() += count;
        }
        let mut groups: Vec<_> =
            counts.into_iter().filter(|(_, n)| *n > 0).map(|(key, count)| Group { key, count }).collect();
        groups.sort_by_key(|group| Reverse(group.count));
        Ok(groups)
    }

    /// Messages a sender within a time; all of time is kept as counts.
    fn senders_within(&self, mailboxes: &Mailboxes, span: Span) -> Result<SenderCounts, QueryError> {
        const SELECT: &str = "
            SELECT m.sender, count(*) FROM placements p CROSS JOIN messages m ON m.id = p.message
            WHERE p.mailbox = ?1 AND p.epoch BETWEEN ?2 AND ?3 GROUP BY 1";
        if span.is_all() {
            return self.sender_counts(mailboxes);
        }
        let mut counts = SenderCounts::default();
        let mut statement = self.connection().prepare_cached(SELECT)?;
        for mailbox in self.mailbox_list(mailboxes)? {
            let mut rows = statement.query(params![mailbox, span.from, span.until])?;
            while let Some(row) = rows.next()? {
                counts.add(row.get(0)?, row.get(1)?);
            }
        }
        Ok(counts)
    }
}

pub(super) const FIRST_IN: &str =
    "SELECT internal_epoch FROM placements WHERE mailbox = ?1 ORDER BY internal_epoch LIMIT 1";
pub(super) const LAST_IN: &str =
    "SELECT internal_epoch FROM placements WHERE mailbox = ?1 ORDER BY internal_epoch DESC LIMIT 1";
pub(super) const OF_SENDER: &str = "SELECT id FROM messages WHERE sender = ?1";
pub(super) const ARRIVALS_OF: &str = "
    SELECT p.mailbox FROM messages m CROSS JOIN placements p ON p.message = m.id
    WHERE m.id = ?1 AND p.internal_epoch BETWEEN ?2 AND ?3";
