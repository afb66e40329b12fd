//! Messages, newest first. Several commands are under way at once, so that the server never waits for us; a large
//! message comes in pieces.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::{DefaultHasher, Hasher};

use crate::model::{Flags, UidSet};
use crate::source::SourceError;
use crate::source::imap::{ImapSource, flags};
use crate::wire::WireError;
use crate::wire::imap::{Fetched, Response, Status};

/// Messages asked for with one command: few at first, so that the newest are here at once, then more and more,
/// because some servers look through the whole mailbox after each command.
const FIRST_CHUNK: usize = 100;
const LAST_CHUNK: usize = 2000;
/// Commands that are under way.
const UNDER_WAY: usize = 3;
/// The most that is asked for of one message at a time.
const PIECE: usize = 2 << 20;
/// How much of large messages may wait for their rest; what goes beyond is asked for again.
const WAITING: usize = 16 << 20;
/// How much behind the header is looked at to tell messages apart whose headers are the same.
const SAMPLE: usize = 1024;
/// A message larger than this is not taken.
const LARGEST: usize = 256 << 20;

/// A message of a server.
#[derive(Debug)]
pub struct Message {
    /// Its uid.
    pub uid: u32,
    /// Its bytes, or those it begins with; empty when only facts were asked for.
    pub bytes: Vec<u8>,
    /// Its size as the server tells it.
    pub size: u64,
    /// When the server received it, in seconds since 1970.
    pub internal_epoch: Option<i64>,
    /// Its flags.
    pub flags: Flags,
    /// Its keywords or labels.
    pub labels: Vec<String>,
    /// Gmail's number of it and of its thread.
    pub gmail: Option<(u64, Option<u64>)>,
}

/// How messages are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FetchMode {
    /// Many at once.
    Many,
    /// Many at once, and none that comes in pieces: of these nothing is heard.
    Small,
    /// One after the other.
    OneByOne,
}

/// A message that was asked for and not given, or not taken.
#[derive(Debug)]
pub struct FetchFailure {
    /// Its uid.
    pub uid: u32,
    /// Why.
    pub problem: String,
    /// Whether it may work another time.
    pub retry: bool,
}

impl Message {
    fn of(uid: u32, fetched: Fetched) -> Self {
        let (flags, mut labels) = flags::split(&fetched.flags.unwrap_or_default());
        labels.extend(flags::gmail_labels(fetched.gmail_labels.unwrap_or_default()));
        Self {
            uid,
            bytes: fetched
                .body
                .unwrap_or_else(|| [fetched.header, fetched.text].into_iter().flatten().flatten().collect()),
            size: fetched.size.unwrap_or(0),
            internal_epoch: fetched.internal_epoch,
            flags,
            labels,
            gmail: fetched.gmail_message.map(|message| (message, fetched.gmail_thread)),
        }
    }
}

/// A command that is under way.
struct Asked {
    tag: u32,
    /// What it has not brought yet.
    missing: BTreeSet<u32>,
    /// What it has brought, and a hash of the bytes.
    given: BTreeMap<u32, u64>,
}

/// A run over many messages.
struct Run<'a> {
    source: &'a mut ImapSource,
    chunks: VecDeque<Vec<u32>>,
    most: usize,
    takes_large: bool,
    under_way: VecDeque<Asked>,
    large: Vec<(u32, Fetched)>,
    waiting: usize,
    again: Vec<u32>,
    /// Asked for, and neither given nor refused.
    missing: Vec<u32>,
    unread: Vec<FetchFailure>,
}

impl ImapSource {
    /// Fetches messages of the open mailbox, the newest first; `uids` must ascend. What the server no longer has is
    /// passed over, when a list of what it has adds up. Gives back what could not be had. With mode, one at a time is asked for, so that
    /// [`Self::suspect`] knows which one a server could not stand.
    pub fn fetch<E: From<SourceError>>(
        &mut self,
        uids: &[u32],
        mode: FetchMode,
        mut on: impl FnMut(Message) -> Result<(), E>,
    ) -> Result<Vec<FetchFailure>, E> {
        let (chunks, most) = match mode {
            FetchMode::OneByOne => (uids.rchunks(1).map(<[u32]>::to_vec).collect(), 1),
            FetchMode::Many | FetchMode::Small => (growing_chunks(uids), UNDER_WAY),
        };
        let mut run = Run {
            source: self,
            chunks,
            most,
            takes_large: mode != FetchMode::Small,
            under_way: VecDeque::new(),
            large: Vec::new(),
            waiting: 0,
            again: Vec::new(),
            missing: Vec::new(),
            unread: Vec::new(),
        };
        run.all(&mut on)?;
        run.look_for_missing()?;
        run.one_by_one(&mut on)?;
        run.look_for_missing()?;
        run.give_up_on_rest();
        Ok(run.unread)
    }

    /// The one message that was asked for when the connection was lost.
    #[must_use]
    pub fn suspect(&self) -> Option<u32> {
        self.suspect
    }

    /// Sizes of messages of the open mailbox, and with Gmail all but their bytes.
    pub fn sizes(&mut self, uids: &[u32]) -> Result<Vec<Message>, SourceError> {
        let items = match self.capabilities.gmail {
            true => "RFC822.SIZE FLAGS INTERNALDATE X-GM-MSGID X-GM-LABELS",
            false => "RFC822.SIZE INTERNALDATE",
        };
        self.facts(uids, items)
    }

    /// Facts of messages of the open mailbox, and how they begin: the header block and a little of what follows.
    pub fn beginnings(&mut self, uids: &[u32]) -> Result<Vec<Message>, SourceError> {
        let gmail = if self.capabilities.gmail { " X-GM-LABELS" } else { "" };
        let begin = format!("BODY.PEEK[HEADER] BODY.PEEK[TEXT]<0.{SAMPLE}>");
        self.facts(uids, &format!("RFC822.SIZE FLAGS INTERNALDATE {begin}{gmail}"))
    }

    fn facts(&mut self, uids: &[u32], items: &str) -> Result<Vec<Message>, SourceError> {
        let mut messages = BTreeMap::new();
        if uids.is_empty() {
            return Ok(Vec::new());
        }
        let set = UidSet::of_sorted(uids.iter().copied());
        self.client.run(&format!("UID FETCH {set} ({items})"), |response| {
            if let Response::Fetch(fetched) = response
                && let (Some(uid), Some(_)) = (fetched.uid, fetched.size)
                && uids.binary_search(&uid).is_ok()
            {
                messages.insert(uid, Message::of(uid, *fetched));
            }
        })?;
        Ok(messages.into_values().collect())
    }

    fn body_items(&self, from: usize) -> String {
        let gmail = if self.capabilities.gmail { " X-GM-MSGID X-GM-LABELS" } else { "" };
        let threads = if self.capabilities.gmail_threads { " X-GM-THRID" } else { "" };
        format!("(UID FLAGS INTERNALDATE{gmail}{threads} BODY.PEEK[]<{from}.{PIECE}>)")
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// The uids in chunks that grow, from the end on.
fn growing_chunks(uids: &[u32]) -> VecDeque<Vec<u32>> {
    let mut chunks = VecDeque::new();
    let (mut rest, mut size) = (uids, FIRST_CHUNK);
    while !rest.is_empty() {
        let (older, newest) = rest.split_at(rest.len().saturating_sub(size));
        chunks.push_back(newest.to_vec());
        (rest, size) = (older, (size * 2).min(LAST_CHUNK));
    }
    chunks
}

/// A piece of a large message.
struct Piece {
    bytes: Vec<u8>,
    /// How large the whole is, as the server tells.
    size: Option<u64>,
}

impl Piece {
    /// Whether nothing follows. Sizes that servers tell are not always exact: behind a short piece that ends before the
    /// size it is asked once more, and only nothing is the end.
    fn is_last(&self, so_far: usize) -> bool {
        let is_all = self.size.is_none_or(|size| so_far as u64 >= size);
        self.bytes.is_empty() || self.bytes.len() != PIECE && is_all
    }
}

impl Run<'_> {
    fn all<E: From<SourceError>>(&mut self, on: &mut impl FnMut(Message) -> Result<(), E>) -> Result<(), E> {
        loop {
            self.ask()?;
            if self.under_way.is_empty() {
                return Ok(());
            }
            match self.read()? {
                Response::Fetch(fetched) => {
                    if let Some((uid, fetched)) = self.expected(*fetched)? {
                        on(Message::of(uid, fetched))?;
                    }
                }
                Response::Done(tag, status, ..) => {
                    self.done(tag, status);
                    // Large messages are finished while they are few.
                    if self.under_way.is_empty() || self.waiting > WAITING {
                        self.drain(on)?;
                        self.finish_large(on)?;
                    }
                }
                _ => {}
            }
        }
    }

    /// Lets everything that is under way arrive.
    fn drain<E: From<SourceError>>(
        &mut self,
        on: &mut impl FnMut(Message) -> Result<(), E>,
    ) -> Result<(), E> {
        while !self.under_way.is_empty() {
            match self.read()? {
                Response::Fetch(fetched) => {
                    if let Some((uid, fetched)) = self.expected(*fetched)? {
                        on(Message::of(uid, fetched))?;
                    }
                }
                Response::Done(tag, status, ..) => self.done(tag, status),
                _ => {}
            }
        }
        Ok(())
    }

    fn ask(&mut self) -> Result<(), SourceError> {
        while self.under_way.len() < self.most
            && let Some(chunk) = self.chunks.pop_front()
        {
            self.source.suspect = if self.most == 1 { chunk.first().copied() } else { None };
            let set = UidSet::of_sorted(chunk.iter().copied());
            let items = self.source.body_items(0);
            let tag = self.source.client.send(&format!("UID FETCH {set} {items}"))?;
            let missing = chunk.into_iter().collect();
            self.under_way.push_back(Asked { tag, missing, given: BTreeMap::new() });
        }
        Ok(())
    }

    fn read(&mut self) -> Result<Response, SourceError> {
        Ok(self.source.client.read()?)
    }

    /// A message that was asked for, once, and whole; a large one waits for its rest.
    fn expected(&mut self, mut fetched: Fetched) -> Result<Option<(u32, Fetched)>, SourceError> {
        let (Some(uid), Some(body)) = (fetched.uid, fetched.body.as_ref()) else { return Ok(None) };
        if !fetched.begins_at(0) || !self.is_first(uid, body)? {
            return Ok(None);
        }
        let length = body.len();
        if length == 0 {
            // Hardly a message: it is asked for once more, alone, before it is believed.
            self.again.push(uid);
            return Ok(None);
        }
        if length != PIECE {
            return Ok(Some((uid, fetched)));
        }
        if !self.takes_large {
            return Ok(None);
        }
        if self.waiting > WAITING {
            fetched.body = Some(Vec::new());
        } else {
            self.waiting += length;
        }
        self.large.push((uid, fetched));
        Ok(None)
    }

    /// Whether a message was asked for and comes for the first time. A server that gives it again, and not as it was, is
    /// believed no further.
    fn is_first(&mut self, uid: u32, body: &[u8]) -> Result<bool, SourceError> {
        let hash = hash(body);
        for asked in &mut self.under_way {
            if asked.missing.remove(&uid) {
                asked.given.insert(uid, hash);
                return Ok(true);
            }
            if asked.given.get(&uid).is_some_and(|before| *before != hash) {
                let detail = format!("the server gives message {uid} twice, with different bytes");
                return Err(SourceError::incomplete(detail));
            }
        }
        Ok(false)
    }

    fn done(&mut self, tag: u32, status: Status) {
        self.source.suspect = None;
        let Some(place) = self.under_way.iter().position(|asked| asked.tag == tag) else { return };
        let Some(Asked { missing, .. }) = self.under_way.remove(place) else { return };
        match status {
            Status::Ok => self.missing.extend(missing),
            // Not every server that has Gmail's extensions has all of them.
            Status::Bad if self.source.capabilities.gmail_threads => {
                self.source.capabilities.gmail_threads = false;
                self.chunks.push_front(missing.into_iter().collect());
            }
            _ => self.again.extend(missing),
        }
    }

    /// Asks for the rest of large messages, piece by piece.
    fn finish_large<E: From<SourceError>>(
        &mut self,
        on: &mut impl FnMut(Message) -> Result<(), E>,
    ) -> Result<(), E> {
        for (uid, mut fetched) in std::mem::take(&mut self.large) {
            let mut bytes = fetched.body.take().unwrap_or_default();
            let mut is_whole = false;
            while !is_whole && bytes.len() <= LARGEST {
                let Some(piece) = self.piece(uid, bytes.len())? else { break };
                bytes.extend_from_slice(&piece.bytes);
                is_whole = piece.is_last(bytes.len());
            }
            if bytes.len() > LARGEST {
                let problem = format!("it is larger than {} MB", LARGEST >> 20);
                self.unread.push(FetchFailure { uid, problem, retry: false });
            } else if is_whole {
                fetched.body = Some(bytes);
                on(Message::of(uid, fetched))?;
            } else {
                self.missing.push(uid);
            }
        }
        self.waiting = 0;
        Ok(())
    }

    /// A piece of a message; `None` when it does not come.
    fn piece(&mut self, uid: u32, from: usize) -> Result<Option<Piece>, SourceError> {
        let mut piece = None;
        let items = format!("(UID RFC822.SIZE BODY.PEEK[]<{from}.{PIECE}>)");
        self.source.client.run(&format!("UID FETCH {uid} {items}"), |response| {
            if let Response::Fetch(fetched) = response
                && fetched.uid == Some(uid)
                && fetched.begins_at(from)
                && let Some(bytes) = fetched.body
            {
                piece = Some(Piece { bytes, size: fetched.size });
            }
        })?;
        Ok(piece)
    }

    /// What did not come without a word may have gone since it was listed. What the server still lists is asked for
    /// once more, alone; while its list does not add up, nothing has gone.
    fn look_for_missing(&mut self) -> Result<(), SourceError> {
        if self.missing.is_empty() {
            return Ok(());
        }
        if let Some(there) = self.source.uids()? {
            self.missing.retain(|uid| there.contains(*uid));
        }
        self.missing.retain(|uid| !self.unread.iter().any(|unread| unread.uid == *uid));
        self.again.append(&mut self.missing);
        Ok(())
    }

    /// What was asked for twice and is still listed is missed, and said so.
    fn give_up_on_rest(&mut self) {
        let problem = "the server lists it and does not give it";
        let rest = std::mem::take(&mut self.again);
        self.unread.extend(rest.into_iter().map(|uid| FetchFailure {
            uid,
            problem: problem.to_owned(),
            retry: true,
        }));
    }

    /// Where the server refused a group, one of it may be to blame: asks for each alone.
    fn one_by_one<E: From<SourceError>>(
        &mut self,
        on: &mut impl FnMut(Message) -> Result<(), E>,
    ) -> Result<(), E> {
        for uid in std::mem::take(&mut self.again) {
            self.source.suspect = Some(uid);
            let mut found: Option<Fetched> = None;
            let items = self.source.body_items(0).replacen("(UID ", "(UID RFC822.SIZE ", 1);
            let outcome = self.source.client.run(&format!("UID FETCH {uid} {items}"), |response| {
                if let Response::Fetch(fetched) = response
                    && fetched.uid == Some(uid)
                    && fetched.begins_at(0)
                    && fetched.body.is_some()
                {
                    found = Some(*fetched);
                }
            });
            match (outcome, found) {
                // An empty message is believed only when the server also says that it is empty.
                (_, Some(fetched)) if fetched.is_empty() && fetched.size != Some(0) => {
                    self.missing.push(uid);
                }
                (_, Some(fetched)) if fetched.body.as_ref().is_some_and(|body| body.len() == PIECE) => {
                    if self.takes_large {
                        self.large.push((uid, fetched));
                        self.finish_large(on)?;
                    }
                }
                (_, Some(fetched)) => on(Message::of(uid, fetched))?,
                (Ok(_), None) => self.missing.push(uid),
                (Err(WireError::Refused { detail, .. }), None) => {
                    self.unread.push(FetchFailure {
                        uid,
                        problem: format!("the server says: {detail}"),
                        retry: true,
                    });
                }
                (Err(error), None) => return Err(SourceError::from(error).into()),
            }
            self.source.suspect = None;
        }
        Ok(())
    }
}
