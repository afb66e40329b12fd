//! Who is "Sam"? People that mail came from or went to, by a part of their name or address. The table of senders is
//! looked through, never the messages; whom the owner only wrote to is found in the newest mails of theirs that match.

mod spelling;

use std::collections::HashMap;

use rusqlite::params;
use serde::Serialize;

use crate::index::Order;
use crate::model::Address;
use crate::query::people::spelling::{Likeness, Wanted};
use crate::query::{Archive, Page, QueryError, iso_date};
use crate::text_safety::one_line;

/// Somebody that mail came from or went to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Person {
    /// Their address, in small letters.
    pub address: String,
    /// Their name as it is written most often; empty when it never is.
    pub name: String,
    /// Other names they go by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_names: Vec<String>,
    /// Mails of theirs that are here.
    pub from_them: u64,
    /// Mails of the owner's to them.
    pub to_them: u64,
    /// When the last of either was written, in UTC.
    pub last: Option<String>,
}

/// More than so many candidates are not counted: the words were too common.
const MOST_CANDIDATES: usize = 500;
/// So many of the owner's own mails are looked at for people who never wrote.
const OWN_MAILS: usize = 200;
/// Names beside the first.
const MOST_NAMES: usize = 3;

/// An address that fits, and what is known of it.
struct Candidate {
    address: String,
    likeness: Likeness,
    /// Rows of the table of senders, each with the name that stands there.
    senders: Vec<(i64, String)>,
    /// Mails in all mailboxes, for the order.
    weight: i64,
    /// Whether the owner wrote to it.
    written_to: bool,
}

const SENDERS: &str = "SELECT id, name, address FROM senders";
/// Kept counts, by mailbox: one look for each mailbox, however many mails there are.
const WEIGHT: &str = "
    SELECT coalesce(sum(c.count), 0) FROM mailboxes b CROSS JOIN sender_counts c ON c.mailbox = b.id
    WHERE c.sender = ?1";
const COUNT: &str = "SELECT count(*) FROM messages WHERE sender = ?1";
const NEWEST: &str = "SELECT epoch FROM messages WHERE sender = ?1 ORDER BY epoch DESC LIMIT 1";

impl Archive {
    /// People whose name or address fits, the likeliest first; how many more there are is told beside.
    pub fn people(&mut self, who: &str, page: Page) -> Result<(Vec<Person>, usize), QueryError> {
        self.look_again()?;
        let Some(wanted) = Wanted::read(who) else { return Ok((Vec::new(), 0)) };
        let mut candidates = self.senders_like(&wanted)?;
        self.add_recipients(&wanted, &mut candidates)?;
        let own: Vec<String> = self.reader.accounts()?.into_iter().map(|it| it.address).collect();
        candidates.retain(|address, _| !own.iter().any(|mine| mine.eq_ignore_ascii_case(address)));
        let mut candidates: Vec<_> = candidates.into_values().collect();
        candidates.sort_by(|a, b| b.likeness.cmp(&a.likeness).then_with(|| a.address.cmp(&b.address)));
        candidates.truncate(MOST_CANDIDATES);
        self.weigh(&mut candidates)?;
        candidates.retain(|candidate| candidate.weight > 0 || candidate.written_to);
        candidates.sort_by(|a, b| {
            (b.likeness, b.weight).cmp(&(a.likeness, a.weight)).then_with(|| a.address.cmp(&b.address))
        });
        let rest = candidates.len().saturating_sub(page.offset + page.limit);
        let shown = candidates.into_iter().skip(page.offset).take(page.limit);
        let mut people = Vec::new();
        for candidate in shown {
            people.extend(self.person(candidate)?);
        }
        Ok((people, rest))
    }

    fn senders_like(&self, wanted: &Wanted) -> Result<HashMap<String, Candidate>, QueryError> {
        let mut found = HashMap::new();
        let mut statement = self.reader.connection().prepare_cached(SENDERS)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (name, address) = (row.get_ref(1)?.as_str(), row.get_ref(2)?.as_str());
            let (name, address) = (name.unwrap_or_default(), address.unwrap_or_default());
            if let Some(likeness) = wanted.likeness(name, address).filter(|_| address.contains('@')) {
                note(&mut found, address, likeness).senders.push((row.get(0)?, one_line(name)));
            }
        }
        Ok(found)
    }

    /// Those whom the owner wrote to, and who may never have answered.
    fn add_recipients(
        &mut self,
        wanted: &Wanted,
        found: &mut HashMap<String, Candidate>,
    ) -> Result<(), QueryError> {
        let query = self.understand(&format!("from:me to:({})", wanted.search()), None)?;
        let page = Page { limit: OWN_MAILS, offset: 0 };
        let hits = self.find_sorted(&query, Order::Newest, page)?.0.hits;
        for hit in hits {
            let envelope = self.reader.envelope(hit.key)?;
            for written in envelope.to.iter().chain(&envelope.cc).chain(&envelope.bcc) {
                let Address { name, address } = Address::from_shown(written);
                if let Some(likeness) = wanted.likeness(&name, &address).filter(|_| address.contains('@')) {
                    let candidate = note(found, &address, likeness);
                    candidate.written_to = true;
                    if candidate.senders.is_empty() && !name.is_empty() {
                        candidate.senders.push((0, one_line(&name)));
                    }
                }
            }
        }
        Ok(())
    }

    /// How much mail came from each, of what is shown to who asks.
    fn weigh(&self, candidates: &mut [Candidate]) -> Result<(), QueryError> {
        let mut statement = self.reader.connection().prepare_cached(WEIGHT)?;
        for candidate in candidates {
            for (sender, _) in &candidate.senders {
                candidate.weight += statement.query_row(params![sender], |row| row.get::<_, i64>(0))?;
            }
        }
        Ok(())
    }

    /// What is known of one; `None` when all of it is kept from who asks.
    fn person(&mut self, candidate: Candidate) -> Result<Option<Person>, QueryError> {
        let (mut names, mut from_them, mut last) = (Vec::new(), 0, None);
        for (sender, name) in candidate.senders {
            let count: u64 = self.one(COUNT, sender)?.unwrap_or_default();
            from_them += count;
            last = last.max(self.one::<i64>(NEWEST, sender)?);
            if count > 0 || sender == 0 {
                names.push((count, name));
            }
        }
        let query = self.understand(&format!("from:me to:\"{}\"", quotable(&candidate.address)), None)?;
        let (sent, _) = self.find_sorted(&query, Order::Newest, Page { limit: 1, offset: 0 })?;
        last = last.max(sent.hits.first().map(|hit| hit.epoch));
        if from_them == 0 && sent.total == 0 {
            return Ok(None);
        }
        names.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let mut names: Vec<_> = names.into_iter().map(|(_, name)| name).filter(|it| !it.is_empty()).collect();
        let mut met = std::collections::HashSet::new();
        names.retain(|name| met.insert(name.to_lowercase()));
        let mut names = names.into_iter();
        Ok(Some(Person {
            name: names.next().unwrap_or_default(),
            other_names: names.take(MOST_NAMES).collect(),
            address: candidate.address,
            from_them,
            to_them: sent.total,
            last: last.map(iso_date),
        }))
    }

    fn one<T: rusqlite::types::FromSql>(&self, sql: &str, sender: i64) -> Result<Option<T>, QueryError> {
        use rusqlite::OptionalExtension;
        let mut statement = self.reader.connection().prepare_cached(sql)?;
        Ok(statement.query_row([sender], |row| row.get(0)).optional()?)
    }
}

/// The candidate with this address, as good as it has been met.
fn note<'a>(
    found: &'a mut HashMap<String, Candidate>,
    address: &str,
    likeness: Likeness,
) -> &'a mut Candidate {
    let address = one_line(address).to_lowercase();
    let new = || Candidate {
        address: address.clone(),
        likeness,
        senders: Vec::new(),
        weight: 0,
        written_to: false,
    };
    let candidate = found.entry(address.clone()).or_insert_with(new);
    candidate.likeness = candidate.likeness.max(likeness);
    candidate
}

/// An address as it may stand between quotation marks of a search.
fn quotable(address: &str) -> String {
    address.replace(['"', '\\'], " ")
}
