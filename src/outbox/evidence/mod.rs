//! What the person is told beside a proposal, from their own archive: who the recipients are to them, what the thread has
//! come to, what the text says and does not hold, where its links lead, what assistants read before they asked.
//! Facts only, in plain types that any door can print. Changes nothing. What a stranger wrote makes nobody known.

mod attached;
mod links;
mod look_alike;
mod read_before;
mod recipients;
#[cfg(test)]
mod tests;
mod thread;

use serde::Serialize;

use crate::audit::CallLog;
use crate::drafts::{Contents, Link};
use crate::model::{Draft, Mentions};
use crate::outbox::OutboxError;
use crate::outbox::channels::{self, Reading};
use crate::store::{Item, Reader};
use crate::text_safety;

pub use look_alike::{Likeness, LookAlike};
pub use read_before::{ReadBefore, ReadMessage};
pub use recipients::{AutoReply, Bounce, Recipient, Recipients};
pub use thread::{OtherAnswer, Thread, ThreadMessage};

/// Facts are looked up for so many recipients; the others are listed without.
pub const EXAMINED: usize = 200;

/// Finds the messages that hold an address anywhere, in their text or header; `None`: in none.
pub type FindMentions<'a> = dyn FnMut(&str) -> Option<Mentions> + 'a;

/// What evidence is gathered from.
pub struct Sources<'a> {
    /// The store.
    pub reader: &'a Reader,
    /// What assistants read.
    pub calls: &'a CallLog,
    /// Searches the archive. One that finds nothing leaves a fact out and makes none up.
    pub mentions: &'a mut FindMentions<'a>,
    /// The time, in seconds since 1970.
    pub now: i64,
}

/// Everything that is known about an item. Times are seconds since 1970.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evidence {
    /// What a yes does, in the words of the button.
    pub effect: String,
    /// Everybody who gets it, each with what is known about them.
    pub recipients: Recipients,
    /// What it answers, and what has happened there since.
    pub thread: Option<Thread>,
    /// Words of the text that promise an attachment where there is none.
    pub says_attached: Option<String>,
    /// Where the links of the text lead, each host and target once.
    pub links: Vec<Link>,
    /// Links that are not in the list.
    pub more_links: usize,
    /// Characters that leave and are shown nowhere.
    pub unseen: usize,
    /// What assistants opened in the day before it was proposed.
    pub read_before: ReadBefore,
}

impl Evidence {
    /// Gathers it. Whatever leaves is read from the frozen bytes and the envelope.
    pub fn of(sources: &mut Sources<'_>, item: &Item) -> Result<Self, OutboxError> {
        let draft = &item.draft;
        let bytes = sources.reader.draft_bytes(draft.key, draft.revision)?.unwrap_or_default();
        let reading = Reading::of(&item.route, &bytes);
        let is_mail = channels::is_mail(&item.route);
        let recipients = if is_mail {
            Recipients::of(sources, item, &reading.message)?
        } else {
            Recipients::on_other_channel(&draft.recipients)
        };
        let (links, more_links) = links::of(&reading.contents);
        let effect =
            channels::effect(item, &reading).unwrap_or_else(|| effect(&recipients, &draft.from.address));
        Ok(Self {
            effect,
            thread: Thread::of(sources.reader, item)?,
            says_attached: attached::promised(&reading.contents).filter(|_| is_mail),
            links,
            more_links,
            unseen: unseen(draft, &reading.contents),
            read_before: ReadBefore::of(sources, item)?,
            recipients,
        })
    }
}

/// How many characters of all that leaves nobody can see. The reader of messages leaves them out of subjects and names, so
/// that those are taken as they were written.
fn unseen(draft: &Draft, contents: &Contents) -> usize {
    let people = [&draft.from].into_iter().chain(draft.recipients.all()).map(|person| &person.name);
    let files = draft.attachments.iter().map(|file| &file.name);
    let html = contents.html.iter().map(|html| &html.words);
    let texts = [&draft.subject, &contents.text].into_iter().chain(html).chain(files).chain(people);
    texts.map(|text| text_safety::unseen(text)).sum()
}

/// What a yes does: `Send to 3 people, 1 of them new, from ada@example.org`. New is whom the owner never wrote to.
fn effect(recipients: &Recipients, from: &str) -> String {
    let (people, new) = (recipients.count(), recipients.first_contacts());
    let whom = if people == 1 { "1 person".to_owned() } else { format!("{} people", with_commas(people)) };
    let new = match new {
        0 => String::new(),
        _ if people == 1 => ", who is new".to_owned(),
        new if new == people => ", all of them new".to_owned(),
        new => format!(", {} of them new", with_commas(new)),
    };
    let rest = match recipients.unexamined {
        0 => String::new(),
        rest => format!(", {} not looked up", with_commas(rest)),
    };
    format!("Send to {whom}{new}{rest}, from {from}")
}

fn with_commas(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
