//! The drafts that were written here, for searches that ask for drafts (`is:draft`, `in:drafts`). Their words are
//! looked for as those of messages are, in an index in memory that holds nothing else; what a message is by its places
//! (state, mailbox, account, thread) a draft is by itself. Its copy on a server is left out: each draft is found once.

use std::collections::BTreeSet;

use crate::index::{Best, Document, Found, Order, Tail};
use crate::model::{Address, DateHints, Draft, MessageKey, ThreadKey};
use crate::parse;
use crate::query::audience::Shown;
use crate::query::language::{Leaf, Query, State};
use crate::query::search::find::FoundPage;
use crate::query::search::{Match, Page, iso_date, order, snippet};
use crate::query::{Archive, QueryError, Summary};
use crate::store::Envelope;
use crate::text_safety::one_line;

/// The mailbox that a draft is shown in.
const MAILBOX: &str = "drafts";
/// Rows of messages never get this far, so that no fact about a message is taken for one about a draft.
const FIRST_ROW: i64 = 1 << 48;
const EVERYTHING: Page = Page { limit: usize::MAX >> 2, offset: 0 };

/// A page of what was found: first the drafts that were written here, then messages.
pub(in crate::query) struct FoundWithDrafts {
    /// How many there are of both.
    pub(in crate::query) total: u64,
    /// The drafts of the page.
    pub(in crate::query) drafts: Vec<DraftHit>,
    /// The messages of the page.
    pub(in crate::query) messages: Found,
    /// The words that snippets of messages should show.
    pub(in crate::query) words: Vec<Vec<String>>,
    /// The dates that the messages of the page cover.
    pub(in crate::query) shown: Shown,
    /// Whether there are more behind the page.
    pub(in crate::query) more: bool,
}

impl FoundWithDrafts {
    /// Messages only.
    pub(super) fn without_drafts(found: FoundPage) -> Self {
        let FoundPage { messages, words, shown, more } = found;
        Self { total: messages.total, drafts: Vec::new(), messages, words, shown, more }
    }
}

/// A draft that was found.
pub(in crate::query) struct DraftHit {
    draft: Draft,
    snippet: String,
}

impl DraftHit {
    /// As lists show it.
    pub(in crate::query) fn summary(self) -> Summary {
        let Draft { id, message_id, account, from, subject, updated, answers, attachments, .. } = self.draft;
        Summary {
            key: MessageKey::default(),
            id: id.to_string(),
            message_id: Some(message_id),
            from: from.to_string(),
            thread: answers.map(|answered| format!("t{}", answered.thread.0)).unwrap_or_default(),
            name: from.name,
            account,
            address: from.address,
            subject: one_line(&subject),
            date: iso_date(updated),
            unread: false,
            starred: false,
            has_attachments: !attachments.is_empty(),
            mailbox: MAILBOX.to_owned(),
            gone: None,
            labels: Vec::new(),
            snippet: self.snippet,
            matched: Match::default(),
        }
    }
}

impl Archive {
    /// Finds the hits of a page, with the drafts that were written here where the query asks for drafts.
    pub(in crate::query) fn find_with_drafts(
        &mut self,
        query: &Query,
        order: Order,
        page: Page,
    ) -> Result<FoundWithDrafts, QueryError> {
        let Some(mailboxes) = self.drafts_asked_for(query)? else {
            return Ok(FoundWithDrafts::without_drafts(self.find_page(query, order, page)?));
        };
        let (mut messages, words) = self.find_sorted(query, order, EVERYTHING)?;
        let copies: BTreeSet<_> = self.reader.copies_of_drafts()?.into_iter().collect();
        messages.hits.retain(|hit| !copies.contains(&hit.key));
        let drafts = self.drafts_matching(query, &mailboxes)?;
        let total = (drafts.len() + messages.hits.len()) as u64;
        let before = page.offset.saturating_sub(drafts.len());
        let drafts: Vec<_> = drafts.into_iter().skip(page.offset).take(page.limit).collect();
        messages.hits.drain(..before.min(messages.hits.len()));
        let room = page.limit - drafts.len();
        let first = messages.hits.first().map(|hit| hit.epoch).filter(|_| before > 0);
        let next = messages.hits.get(room).map(|hit| hit.epoch);
        messages.hits.truncate(room);
        let shown = Shown::page(first, next, order);
        let more = total > (page.offset + drafts.len() + messages.hits.len()) as u64;
        Ok(FoundWithDrafts { total, drafts, messages, words, shown, more })
    }

    /// Everything that matches: rows of messages in the order they were stored, and drafts, newest first, where the
    /// query asks for drafts.
    pub fn matching_with_drafts(
        &mut self,
        text: &str,
        account: Option<&str>,
    ) -> Result<(Vec<MessageKey>, Vec<Draft>), QueryError> {
        let query = self.understand(text, account)?;
        let found = self.find_with_drafts(&query, order(&query, None), EVERYTHING)?;
        let mut keys: Vec<_> = found.messages.hits.into_iter().map(|hit| hit.key).collect();
        keys.sort_unstable();
        Ok((keys, found.drafts.into_iter().map(|hit| hit.draft).collect()))
    }

    /// The drafts that match, newest first.
    fn drafts_matching(&mut self, query: &Query, mailboxes: &[String]) -> Result<Vec<DraftHit>, QueryError> {
        let mut asked = Vec::new();
        for draft in self.reader.drafts(None, EVERYTHING.limit, 0)? {
            let rest = self.about(query, &draft, mailboxes)?;
            if rest != nothing() {
                asked.push((draft, rest));
            }
        }
        let has_words = asked.iter().any(|(_, rest)| *rest != Query::All);
        let index = has_words.then(|| self.index_of(&asked)).transpose()?;
        let mut hits = Vec::new();
        for (draft, rest) in asked {
            let words = self.words_found(index.as_ref(), &draft, &rest)?;
            hits.extend(words.map(|words| DraftHit { snippet: snippet::around(&draft.body, &words), draft }));
        }
        Ok(hits)
    }

    /// What is left to ask of a draft once all that is known of it is answered.
    fn about(&self, query: &Query, draft: &Draft, mailboxes: &[String]) -> Result<Query, QueryError> {
        let each = |parts: &[Query]| -> Result<Vec<Query>, QueryError> {
            parts.iter().map(|part| self.about(part, draft, mailboxes)).collect()
        };
        Ok(match query {
            Query::All => Query::All,
            Query::And(parts) => match each(parts)? {
                parts if parts.contains(&nothing()) => nothing(),
                parts => Query::and(parts),
            },
            Query::Or(parts) => Query::or(each(parts)?.into_iter().filter(|p| *p != nothing()).collect()),
            Query::Not(part) => self.about(part, draft, mailboxes)?.negated(),
            Query::Leaf(leaf) => match self.holds(leaf, draft, mailboxes)? {
                Some(true) => Query::All,
                Some(false) => nothing(),
                None => query.clone(),
            },
        })
    }

    /// Whether a fact holds for a draft; `None` for what its document tells.
    fn holds(&self, leaf: &Leaf, draft: &Draft, mailboxes: &[String]) -> Result<Option<bool>, QueryError> {
        Ok(match leaf {
            Leaf::Is(state) => Some(matches!(state, State::Draft | State::Read)),
            Leaf::In(name) => Some(is_for_drafts(name, mailboxes)),
            Leaf::Label(_) => Some(false),
            Leaf::Account(address) => Some(address.eq_ignore_ascii_case(&draft.account)),
            Leaf::MessageId(id) => Some(*id == draft.message_id),
            Leaf::Thread(name) => {
                let number = name.strip_prefix(['t', 'T']).unwrap_or(name).parse().ok().map(ThreadKey);
                let thread = number.map(|number| self.reader.current_thread(number)).transpose()?.flatten();
                Some(thread.is_some() && thread == draft.answers.map(|answered| answered.thread))
            }
            _ => None,
        })
    }

    /// The names of mailboxes for drafts, where the query asks for drafts. Most queries do not, and the store is not asked.
    pub(super) fn drafts_asked_for(&self, query: &Query) -> Result<Option<Vec<String>>, QueryError> {
        let leaves = query.positive_leaves();
        if !leaves.iter().any(|leaf| matches!(leaf, Leaf::Is(State::Draft) | Leaf::In(_))) {
            return Ok(None);
        }
        let mailboxes = self.draft_mailboxes()?;
        let asks = leaves.into_iter().any(|leaf| match leaf {
            Leaf::Is(State::Draft) => true,
            Leaf::In(name) => is_for_drafts(name, &mailboxes),
            _ => false,
        });
        Ok(asks.then_some(mailboxes))
    }

    /// The names of mailboxes for drafts.
    fn draft_mailboxes(&self) -> Result<Vec<String>, QueryError> {
        const NAMES: &str = "SELECT DISTINCT name FROM mailboxes WHERE role = 'drafts'";
        let mut statement = self.reader.connection().prepare_cached(NAMES)?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The drafts, as far as anything is left to ask about them, ready to be searched by their words.
    fn index_of(&self, drafts: &[(Draft, Query)]) -> Result<Tail, QueryError> {
        let mut documents = Vec::new();
        for (draft, _) in drafts.iter().filter(|(_, rest)| *rest != Query::All) {
            let raw = self.reader.dated_draft(draft.key, draft.revision)?.unwrap_or_default();
            let mut parsed = parse::message(&raw, &DateHints::default());
            let bcc = draft.recipients.bcc.iter().map(Address::shown).collect();
            let envelope = Envelope { bcc, ..Envelope::of(&parsed) };
            let document = Document::of_parsed(&mut parsed, envelope, &raw, &self.extractor);
            documents.push(document.stored_as(row_of(draft)));
        }
        Ok(Tail::of(documents, &self.fields)?)
    }

    /// The words that a draft was found by; `None` when it does not match.
    fn words_found(
        &mut self,
        index: Option<&Tail>,
        draft: &Draft,
        rest: &Query,
    ) -> Result<Option<Vec<Vec<String>>>, QueryError> {
        let Some(index) = index.filter(|_| *rest != Query::All) else { return Ok(Some(Vec::new())) };
        let change = self.reader.newest_change()?;
        let compiled = self.compile(rest, &index.searcher().clone(), change)?;
        let all = Best { limit: EVERYTHING.limit, order: Order::Newest, hidden: None, newest: 0 };
        let found = index.search(&*compiled.query, &all)?;
        Ok(found.hits.iter().any(|hit| hit.key == row_of(draft)).then_some(compiled.words))
    }
}

fn row_of(draft: &Draft) -> MessageKey {
    MessageKey(FIRST_ROW + draft.key.0)
}

fn nothing() -> Query {
    Query::All.negated()
}

/// Whether a name means the mailbox for drafts: by what it is for, by its full name, or by its last part.
fn is_for_drafts(name: &str, mailboxes: &[String]) -> bool {
    let name = name.to_lowercase();
    let is_meant = |mailbox: &String| {
        let mailbox = mailbox.to_lowercase();
        mailbox == name || mailbox.rsplit('/').next() == Some(name.as_str())
    };
    name == MAILBOX || mailboxes.iter().any(is_meant)
}
