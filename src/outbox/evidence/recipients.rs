//! Who gets it, and who they are to the owner. Somebody is known by mail that the owner sent to them, never by mail that
//! says it is from them.

use serde::Serialize;

use crate::model::{Address, Mentions, ParsedMessage};
use crate::outbox::OutboxError;
use crate::outbox::evidence::look_alike::{Known, LookAlike};
use crate::outbox::evidence::{EXAMINED, Sources};
use crate::parse;
use crate::store::{Item, Reader};

/// An answer by a program counts for so many seconds: 14 days.
const AWAY: i64 = 14 * 24 * 3_600;
/// So many of somebody's newest messages are looked at for one.
const LOOKED_AT: usize = 5;
/// So much of a header is read.
const HEADER: usize = 64 << 10;
/// The archive is searched for so many addresses that nobody has exchanged mail with.
const SEARCHED: usize = 20;

/// Everybody who gets it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Recipients {
    /// To.
    pub to: Vec<Recipient>,
    /// Cc.
    pub cc: Vec<Recipient>,
    /// Bcc: nobody sees them in the message.
    pub bcc: Vec<Recipient>,
    /// How many of them nothing was looked up for; they stand in the lists without facts.
    pub unexamined: usize,
}

/// Somebody who gets it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Recipient {
    /// The address in full, as in the envelope.
    pub address: String,
    /// The name that the message shows for it; empty when there is none.
    pub name: String,
    /// The part of its domain that somebody registered.
    pub registrable: String,
    /// The domain in the letters that its ASCII form stands for, where that is another.
    pub spelt: Option<String>,
    /// Whether anything below was looked up.
    pub is_examined: bool,
    /// Messages here that say they are from it.
    pub from_them: u64,
    /// Messages that the owner sent to it.
    pub to_them: u64,
    /// The last of either.
    pub last: Option<i64>,
    /// Whether the owner never wrote to it.
    pub is_first_contact: bool,
    /// Whether it is an address of the owner's own.
    pub is_own: bool,
    /// Where it was seen, if nobody exchanged mail with it: it may come from there.
    pub only_seen_in: Option<Mentions>,
    /// Somebody the owner knows, for whom it could be taken.
    pub look_alike: Option<LookAlike>,
    /// The last time that something sent from here did not reach it.
    pub bounced: Option<Bounce>,
    /// An answer by a program of theirs to a message of the owner's, of the last 14 days.
    pub auto_reply: Option<AutoReply>,
}

/// Something that did not arrive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bounce {
    /// When it was known.
    pub at: i64,
    /// What was said about it.
    pub detail: Option<String>,
}

/// An answer by a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AutoReply {
    /// When it was written.
    pub at: i64,
    /// Short id of the message.
    pub message: String,
    /// Its subject.
    pub subject: String,
}

impl Recipients {
    pub(super) fn of(
        sources: &mut Sources<'_>,
        item: &Item,
        message: &ParsedMessage,
    ) -> Result<Self, OutboxError> {
        let lists = &item.draft.recipients;
        let mut look = Look::new(sources, message)?;
        let to = look.list(&lists.to)?;
        let cc = look.list(&lists.cc)?;
        let bcc = look.list(&lists.bcc)?;
        let unexamined = lists.all().count().saturating_sub(EXAMINED);
        Ok(Self { to, cc, bcc, unexamined })
    }

    /// Whom something goes to that is no mail: the archive knows nothing about them.
    pub(super) fn on_other_channel(recipients: &crate::model::Recipients) -> Self {
        let of = |to: &Address| Recipient { address: to.address.clone(), ..Recipient::default() };
        Self { to: recipients.all().map(of).collect(), ..Self::default() }
    }

    /// All of them, in order.
    pub fn all(&self) -> impl Iterator<Item = &Recipient> {
        self.to.iter().chain(&self.cc).chain(&self.bcc)
    }

    /// How many they are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.to.len() + self.cc.len() + self.bcc.len()
    }

    /// To how many of those that were looked up the owner never wrote.
    #[must_use]
    pub fn first_contacts(&self) -> usize {
        self.all().filter(|it| it.is_first_contact).count()
    }
}

/// Looks recipients up, as many as may be.
struct Look<'a, 's> {
    sources: &'a mut Sources<'s>,
    message: &'a ParsedMessage,
    own: Vec<String>,
    /// Read when somebody new is met.
    known: Option<Known>,
    examined: usize,
    searched: usize,
}

impl<'a, 's> Look<'a, 's> {
    fn new(sources: &'a mut Sources<'s>, message: &'a ParsedMessage) -> Result<Self, OutboxError> {
        let own = own_addresses(sources.reader)?;
        Ok(Self { sources, message, own, known: None, examined: 0, searched: 0 })
    }

    fn list(&mut self, list: &[Address]) -> Result<Vec<Recipient>, OutboxError> {
        list.iter().map(|to| self.one(to)).collect()
    }

    fn one(&mut self, to: &Address) -> Result<Recipient, OutboxError> {
        let recipient = self.named(to);
        if self.examined == EXAMINED {
            return Ok(recipient);
        }
        self.examined += 1;
        self.examine(recipient)
    }

    /// The address and what its letters alone tell. The name is the one that leaves, not the one that was given.
    fn named(&self, to: &Address) -> Recipient {
        let domain = to.domain();
        let headed = || self.message.to.iter().chain(&self.message.cc);
        // A header as long as the list of recipients is not searched for each of them.
        let shown =
            (self.examined < EXAMINED).then(|| headed().find(|it| it.address == to.address)).flatten();
        Recipient {
            address: to.address.clone(),
            name: shown.map(|it| it.name.clone()).unwrap_or_default(),
            registrable: parse::site(&domain).to_owned(),
            spelt: parse::spelt_out(&domain),
            ..Recipient::default()
        }
    }

    fn examine(&mut self, mut it: Recipient) -> Result<Recipient, OutboxError> {
        let reader = self.sources.reader;
        let passed = reader.correspondence(&it.address)?;
        it.is_examined = true;
        it.is_own = self.own.iter().any(|own| own.eq_ignore_ascii_case(&it.address));
        (it.from_them, it.to_them) = (passed.from_them, passed.to_them);
        it.last = passed.last_from.max(passed.last_to);
        it.is_first_contact = passed.to_them == 0 && !it.is_own;
        if it.is_first_contact {
            it.look_alike = self.known()?.look_alike(&it);
            it.only_seen_in = self.mentioned(&it);
        }
        it.bounced = reader.last_bounce(&it.address)?.map(|(at, detail)| Bounce { at, detail });
        it.auto_reply = auto_reply(reader, &it.address, self.sources.now)?;
        Ok(it)
    }

    fn known(&mut self) -> Result<&Known, OutboxError> {
        if self.known.is_none() {
            self.known = Some(Known::read(self.sources.reader, &self.own)?);
        }
        Ok(self.known.as_ref().expect("it was put there a line before"))
    }

    /// Where an address was seen from which no message came.
    fn mentioned(&mut self, it: &Recipient) -> Option<Mentions> {
        if it.from_them > 0 || self.searched == SEARCHED {
            return None;
        }
        self.searched += 1;
        (self.sources.mentions)(&it.address)
    }
}

/// All addresses that are the owner's.
fn own_addresses(reader: &Reader) -> Result<Vec<String>, OutboxError> {
    let mut own = Vec::new();
    for account in reader.accounts()? {
        own.extend(reader.sending_addresses(account.key)?.into_iter().map(|it| it.address));
    }
    Ok(own)
}

/// The newest answer by a program. Anybody can write one in somebody's name, so it must answer what the owner sent.
fn auto_reply(reader: &Reader, address: &str, now: i64) -> Result<Option<AutoReply>, OutboxError> {
    const DAY: i64 = 24 * 3_600;
    for (key, at) in reader.messages_from(address, (now - AWAY, now + DAY), LOOKED_AT)? {
        if !parse::automatic::is_auto_reply(&reader.raw_up_to(key, HEADER)?) {
            continue;
        }
        let envelope = reader.envelope(key)?;
        let mut answered = envelope.in_reply_to.iter().chain(&envelope.references).take(LOOKED_AT * 4);
        let is_answer =
            answered.try_fold(false, |is, id| Ok::<_, OutboxError>(is || reader.is_own_message_id(id)?))?;
        if let Some(glimpse) = reader.glimpse(key)?.filter(|_| is_answer) {
            return Ok(Some(AutoReply { at, message: glimpse.id.to_string(), subject: glimpse.subject }));
        }
    }
    Ok(None)
}
