//! The archive as a reader sees it: the store, the text index, and the tail the index has not seen yet.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use roaring::RoaringTreemap;

use crate::clock::Clock;
use crate::home::Home;
use crate::index::attachment_text::Extractor;
use crate::index::embedder::Models;
use crate::index::semantic::SemanticIndex;
use crate::index::{Fields, FullText, IndexError, MAY_WAIT, Tail};
use crate::model::{AccountKey, Audience, MessageKey, NotFound};
use crate::query::audience::{self, Withheld};
use crate::query::guarded_sql::{Order, run_apart};
use crate::query::shared_tail::{self, Wanted};
use crate::query::{GuardedSql, QueryError, SqlAnswer, SqlError, SqlOptions};
use crate::store::{Reader, StoreError};

/// No call opens more that is worth telling.
const MOST_OPENED: usize = 1_000;

/// A question asks the index several times, and what it learns of places in it must hold until it is answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hold {
    Free,
    /// From the next look on.
    Next,
    /// As of this change of the store.
    At(i64),
}

/// Everything a question needs. Cheap to ask often: it notices by itself when the store has changed.
pub struct Archive {
    pub(super) reader: Reader,
    pub(super) text: Option<FullText>,
    pub(super) tail: Option<Arc<Tail>>,
    pub(super) fields: Arc<Fields>,
    pub(super) clock: Clock,
    pub(super) facts: HashMap<String, (i64, Arc<RoaringTreemap>)>,
    pub(super) extractor: Extractor,
    paths: (PathBuf, PathBuf),
    pub(super) audience: Audience,
    pub(super) withheld: Withheld,
    /// Where the vectors are.
    pub(super) vectors: PathBuf,
    /// What they are asked with.
    pub(super) models: Arc<Models>,
    /// The vectors, once they were asked for.
    pub(super) semantic: Option<SemanticIndex>,
    checked: Option<i64>,
    /// Whether index and tail stay as they are.
    hold: Hold,
    /// Messages whose text or bytes were given out since somebody asked.
    opened: RefCell<BTreeSet<MessageKey>>,
}

impl Archive {
    /// Opens the store and index of a home; where there is none, an empty archive answers. For an assistant every
    /// answer is given as if withheld messages did not exist, and says how many they are.
    pub fn open(
        home: &Home,
        audience: Audience,
        clock: Clock,
        extractor: Extractor,
    ) -> Result<Self, QueryError> {
        let paths = (home.store(), home.text_index());
        let reader = audience::open(&paths.0, audience)?;
        let text = open_text(&paths.1, &reader)?;
        Ok(Self {
            reader,
            text,
            tail: None,
            fields: Arc::new(Fields::new()),
            clock,
            facts: HashMap::new(),
            extractor,
            paths,
            audience,
            withheld: Withheld::default(),
            vectors: home.vectors(),
            models: Arc::new(Models::none()),
            semantic: None,
            checked: None,
            hold: Hold::Free,
            opened: RefCell::default(),
        })
    }

    /// The same, able to find mail by meaning with this model.
    #[must_use]
    pub fn with_models(self, models: &Arc<Models>) -> Self {
        Self { models: Arc::clone(models), ..self }
    }

    /// Notes that the text or the bytes of a message are given out.
    pub(super) fn note_opened(&self, key: MessageKey) {
        let mut opened = self.opened.borrow_mut();
        if self.audience == Audience::Assistant && opened.len() < MOST_OPENED {
            opened.insert(key);
        }
    }

    /// The short ids of messages that were opened since this was last asked.
    pub fn take_opened(&self) -> Vec<String> {
        let opened = std::mem::take(&mut *self.opened.borrow_mut());
        let id = |key| self.reader.message(key).ok().flatten().map(|message| message.id.to_string());
        opened.into_iter().filter_map(id).collect()
    }

    /// A connection of its own for the caller's SELECTs.
    pub fn guarded_sql(&self, options: &SqlOptions) -> Result<GuardedSql, QueryError> {
        GuardedSql::new(&audience::open(&self.paths.0, self.audience)?, options)
    }

    /// Runs one SELECT of the caller's in a process of its own: for who has more to do than this.
    pub fn sql_apart(
        &self,
        options: &SqlOptions,
        sql: &str,
        limit: usize,
        time: Duration,
    ) -> Result<SqlAnswer, SqlError> {
        let for_assistant = self.audience == Audience::Assistant;
        let (store, sql) = (self.paths.0.clone(), sql.to_owned());
        let order = Order { store, for_assistant, options: *options, sql, limit, time };
        let answer = run_apart(self.extractor.program(), &order)?;
        answer.opened.iter().for_each(|key| self.note_opened(*key));
        Ok(answer)
    }

    /// Whether an empty archive answers for one that is not there yet.
    #[must_use]
    pub fn is_stand_in(&self) -> bool {
        self.reader.is_stand_in()
    }

    /// Stops, from another thread, the question that is being answered.
    #[must_use]
    pub fn interrupter(&self) -> Box<dyn Fn() + Send> {
        let handle = self.reader.connection().get_interrupt_handle();
        Box::new(move || handle.interrupt())
    }

    /// Brings index and tail up to date with the store; returns the store's change number.
    pub(super) fn refresh(&mut self) -> Result<i64, QueryError> {
        if let Hold::At(change) = self.hold {
            return Ok(change);
        }
        let newest = self.follow_store()?;
        if self.hold == Hold::Next {
            self.hold = Hold::At(newest);
        }
        Ok(newest)
    }

    /// Asks something for which index and tail are brought up to date once.
    pub(super) fn held<T>(&mut self, ask: impl FnOnce(&mut Self) -> T) -> T {
        self.hold = Hold::Next;
        let answer = ask(self);
        self.hold = Hold::Free;
        answer
    }

    fn follow_store(&mut self) -> Result<i64, QueryError> {
        self.look_again()?;
        let newest = self.reader.newest_change()?;
        if self.checked == Some(newest) {
            return Ok(newest);
        }
        match &mut self.text {
            Some(text) if text.seen() < newest => text.refresh()?,
            Some(_) => {}
            None => self.text = open_text(&self.paths.1, &self.reader)?,
        }
        let indexed = self.text.as_ref().map_or(0, FullText::seen);
        let wanted = Wanted { store: self.reader.identity()?, audience: self.audience, indexed, newest };
        let (reader, fields, extractor) = (&self.reader, &self.fields, &self.extractor);
        self.tail = None;
        self.tail = shared_tail::get(wanted, || Tail::read(reader, fields, indexed, extractor))?;
        self.checked = Some(newest);
        Ok(newest)
    }

    /// Opens the store if there was none before.
    pub(super) fn look_again(&mut self) -> Result<(), QueryError> {
        if self.reader.is_stand_in() {
            self.reader = audience::open(&self.paths.0, self.audience)?;
        }
        Ok(())
    }

    /// Messages that can not be found by their words yet, because nobody has indexed them.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.tail.as_ref().map_or(0, |tail| tail.waiting)
    }

    /// Whether the store holds more that the index has not seen than may be left to the tail.
    pub fn is_behind(&self) -> Result<bool, QueryError> {
        let indexed = self.text.as_ref().map_or(0, FullText::seen);
        Ok(self.reader.count_changes_after(indexed)? > MAY_WAIT)
    }

    /// The account with this address; the error names those there are.
    pub fn account(&self, address: &str) -> Result<AccountKey, QueryError> {
        if let Some(key) = self.reader.account(address)? {
            return Ok(key);
        }
        let known = self.reader.accounts()?.into_iter().map(|account| account.address).collect();
        Err(NotFound::Account { address: address.to_owned(), known }.into())
    }
}

/// The index, if there is one that can be read; without it the tail answers, as far as it reaches.
fn open_text(index: &Path, store: &Reader) -> Result<Option<FullText>, QueryError> {
    match FullText::open(index, store) {
        Err(IndexError::Damaged { .. }) => Ok(None),
        other => Ok(other?),
    }
}

impl From<rusqlite::Error> for QueryError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(StoreError::from(error))
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::{Archive, Audience, Clock, Extractor, Home};
    use crate::model::{ContentHash, DateHints, Flags};
    use crate::parse;
    use crate::store::{Envelope, NewMessage, NewPlacement, Store};

    fn bring(home: &Home, subject: &str) {
        let raw = format!(
            "From: bob@example.org\r\nSubject: {subject}\r\nMessage-ID: <{subject}@x>\r\n\r\nlens\r\n"
        );
        let mut store = Store::open(&home.store()).unwrap();
        let parsed = parse::message(raw.as_bytes(), &DateHints::default());
        let codec = store.codec().clone();
        let mut encoder = codec.encoder().unwrap();
        let frame = encoder.pack(&Envelope::of(&parsed).to_json(), &parsed.text, raw.as_bytes()).unwrap();
        let mut tx = store.begin().unwrap();
        let account = tx.account("ada@example.org", 0).unwrap();
        let mailbox = tx.mailbox(account, "INBOX").unwrap();
        let hash = ContentHash::of_message(raw.as_bytes());
        let new = NewMessage { hash, size: raw.len(), parsed: &parsed, frame: &frame, gmail_id: None };
        let place = NewPlacement { mailbox, flags: Flags::default(), labels: &[], on_server: None };
        tx.store(&new, &place).unwrap();
        tx.commit().unwrap();
    }

    #[test]
    fn index_and_tail_follow_the_store_once_for_a_question_and_again_for_the_next() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::at(directory.path());
        bring(&home, "one");
        let clock = Clock::frozen(Timestamp::UNIX_EPOCH);
        let extractor = Extractor::new("none".into());
        let mut archive = Archive::open(&home, Audience::Person, clock, extractor).unwrap();

        let (before, after) = archive.held(|archive| {
            let state = |archive: &mut Archive| (archive.count("lens", None), archive.refresh());
            let before = state(archive);
            bring(&home, "two");
            (before, state(archive))
        });

        assert_eq!((before.0.unwrap(), before.1.unwrap()), (after.0.unwrap(), after.1.unwrap()));
        assert_eq!(archive.count("lens", None).unwrap(), 2);
    }
}
