//! Writes drafts: checks what was given, takes from the answered message what a reply needs, freezes the bytes and
//! stores them. Opens the store for writing only for the moment of the write, and never makes or migrates it.

use std::path::PathBuf;

use crate::clock::Clock;
use crate::drafts::mime::{self, Letter};
use crate::drafts::reply::Parent;
use crate::drafts::{DraftError, recipient, subject};
use crate::home::Home;
use crate::model::{AccountKey, DateHints, Draft, DraftHash, DraftId, Recipients};
use crate::parse;
use crate::store::{self, Reader, Revision, Store};
use crate::text_safety::{is_invisible, one_line};

const LONGEST_SUBJECT: usize = 1000;
const LONGEST_BODY: usize = 10 << 20;

/// What somebody wants to write.
#[derive(Debug, Clone, Default)]
pub struct NewDraft {
    /// Address of the account it will leave from.
    pub account: String,
    /// Recipients, each `bob@example.org` or `Bob Stone <bob@example.org>`. Empty in a reply: whoever wrote the
    /// message, or wants the answer.
    pub to: Vec<String>,
    /// Cc.
    pub cc: Vec<String>,
    /// Bcc.
    pub bcc: Vec<String>,
    /// Subject. Empty in a reply: that of the message, with `Re:` in front.
    pub subject: String,
    /// Plain text; lines may have any length.
    pub body: String,
    /// The message it replies to.
    pub reply: Option<ReplyTo>,
}

/// A message that is answered.
#[derive(Debug, Clone, Default)]
pub struct ReplyTo {
    /// Any id of a message that the account holds.
    pub message: String,
    /// Whether everybody who got the message gets the answer.
    pub all: bool,
}

/// What is to be different in a draft; `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftChange {
    /// To.
    pub to: Option<Vec<String>>,
    /// Cc.
    pub cc: Option<Vec<String>>,
    /// Bcc.
    pub bcc: Option<Vec<String>>,
    /// Subject.
    pub subject: Option<String>,
    /// Plain text.
    pub body: Option<String>,
    /// The revision that the change was made to; another one by now is a conflict.
    pub after: Option<i64>,
}

/// The drafts of a home.
#[derive(Debug, Clone)]
pub struct Drafts {
    store: PathBuf,
    clock: Clock,
}

impl Drafts {
    /// The drafts of this home; nothing is opened yet.
    #[must_use]
    pub fn new(home: &Home, clock: Clock) -> Self {
        Self { store: home.store(), clock }
    }

    /// Writes a draft. When this returns, it is on the disk.
    pub fn create(&self, new: &NewDraft) -> Result<Draft, DraftError> {
        let reader = Reader::open(&self.store)?;
        let (account, address) = sender(&reader, &new.account)?;
        let parent_of = |reply: &ReplyTo| Parent::find(&reader, &reply.message, &address);
        let parent = new.reply.as_ref().map(parent_of).transpose()?;
        let id = reader.fresh_draft_id()?;
        let epoch = self.clock.now().as_second();
        let content = Content {
            message_id: message_id(id, epoch, &address),
            recipients: recipients(new, parent.as_ref(), &reader)?,
            subject: subject_of(new, parent.as_ref())?,
            body: checked_body(&new.body)?,
            in_reply_to: parent.as_ref().map(Parent::in_reply_to).unwrap_or_default(),
            references: parent.as_ref().map(Parent::references).unwrap_or_default(),
            account: address,
            epoch,
        };
        let (raw, hash) = content.freeze()?;
        let draft = store::NewDraft {
            account,
            id,
            message_id: &content.message_id,
            answers: parent.map(|parent| parent.key),
            revision: content.revision(&raw, hash),
        };
        let mut store = Store::open_existing(&self.store)?;
        let tx = store.begin()?;
        tx.insert_draft(&draft)?;
        tx.commit()?;
        find(&reader, &id.to_string())
    }

    /// Changes a draft: adds a revision with a hash of its own, and takes back any yes to the one before.
    pub fn update(&self, id: &str, change: &DraftChange) -> Result<Draft, DraftError> {
        let reader = Reader::open(&self.store)?;
        let draft = find(&reader, id)?;
        refuse_leaving(&draft)?;
        if change.after.is_some_and(|after| after != draft.revision) {
            return Err(DraftError::ChangedMeanwhile { id: draft.id.to_string() });
        }
        let before = reader.draft_bytes(draft.key, draft.revision)?.unwrap_or_default();
        let content = Content::changed(&draft, change, &before, self.clock.now().as_second())?;
        let (raw, hash) = content.freeze()?;
        let mut store = Store::open_existing(&self.store)?;
        let tx = store.begin()?;
        if !tx.revise_draft(draft.key, draft.revision, &content.revision(&raw, hash))? {
            return Err(DraftError::ChangedMeanwhile { id: draft.id.to_string() });
        }
        tx.commit()?;
        find(&reader, id)
    }

    /// Removes a draft and all its revisions.
    pub fn delete(&self, id: &str) -> Result<(), DraftError> {
        let draft = find(&Reader::open(&self.store)?, id)?;
        refuse_leaving(&draft)?;
        let mut store = Store::open_existing(&self.store)?;
        let tx = store.begin()?;
        if !tx.delete_draft(draft.key)? {
            return Err(DraftError::ChangedMeanwhile { id: draft.id.to_string() });
        }
        tx.commit()?;
        Ok(())
    }

    /// One draft at its newest revision.
    pub fn get(&self, id: &str) -> Result<Draft, DraftError> {
        find(&Reader::open(&self.store)?, id)
    }

    /// The message as it would leave: the frozen bytes of a draft's newest revision.
    pub fn bytes(&self, draft: &Draft) -> Result<Vec<u8>, DraftError> {
        let bytes = Reader::open(&self.store)?.draft_bytes(draft.key, draft.revision)?;
        bytes.ok_or_else(|| DraftError::UnknownDraft { id: draft.id.to_string() })
    }
}

/// Everything a revision is made of, checked.
struct Content {
    account: String,
    message_id: String,
    epoch: i64,
    recipients: Recipients,
    subject: String,
    body: String,
    in_reply_to: Vec<String>,
    references: Vec<String>,
}

impl Content {
    /// The content of a draft after a change; its place in the conversation is read from its own bytes.
    fn changed(draft: &Draft, change: &DraftChange, before: &[u8], epoch: i64) -> Result<Self, DraftError> {
        let parsed = parse::message(before, &DateHints::default());
        let list = |field, given: &Option<Vec<String>>, kept: &[_]| match given {
            Some(items) => recipient::read(field, items),
            None => Ok(kept.to_vec()),
        };
        let recipients = Recipients {
            to: list("to", &change.to, &draft.recipients.to)?,
            cc: list("cc", &change.cc, &draft.recipients.cc)?,
            bcc: list("bcc", &change.bcc, &draft.recipients.bcc)?,
        };
        Ok(Self {
            account: draft.account.clone(),
            message_id: draft.message_id.clone(),
            epoch,
            recipients: recipient::each_once(recipients)?,
            subject: change.subject.as_deref().map_or_else(|| Ok(draft.subject.clone()), checked_subject)?,
            body: change.body.as_deref().map_or_else(|| Ok(draft.body.clone()), checked_body)?,
            in_reply_to: parsed.in_reply_to,
            references: parsed.references,
        })
    }

    /// The bytes that would leave, and what stands for all of it.
    fn freeze(&self) -> Result<(Vec<u8>, DraftHash), DraftError> {
        if self.recipients.is_empty() {
            return Err(DraftError::NoRecipient);
        }
        let raw = mime::freeze(&Letter {
            from: &self.account,
            recipients: &self.recipients,
            subject: &self.subject,
            body: &self.body,
            message_id: &self.message_id,
            epoch: self.epoch,
            in_reply_to: &self.in_reply_to,
            references: &self.references,
        });
        let hash = DraftHash::of(&self.account, &self.recipients, &raw);
        Ok((raw, hash))
    }

    fn revision<'a>(&'a self, raw: &'a [u8], hash: DraftHash) -> Revision<'a> {
        Revision {
            epoch: self.epoch,
            recipients: &self.recipients,
            subject: &self.subject,
            body: &self.body,
            hash,
            raw,
        }
    }
}

fn find(reader: &Reader, id: &str) -> Result<Draft, DraftError> {
    let unknown = || DraftError::UnknownDraft { id: id.trim().to_owned() };
    let id = DraftId::parse(id.trim()).ok_or_else(unknown)?;
    reader.draft(id)?.ok_or_else(unknown)
}

fn refuse_leaving(draft: &Draft) -> Result<(), DraftError> {
    match draft.state.may_be_edited() {
        true => Ok(()),
        false => Err(DraftError::NotEditable { id: draft.id.to_string(), state: draft.state }),
    }
}

/// The account to write from, with its address as it is known.
fn sender(reader: &Reader, address: &str) -> Result<(AccountKey, String), DraftError> {
    let accounts = reader.accounts()?;
    let wanted = address.trim();
    let Some(account) = accounts.iter().find(|account| account.address.eq_ignore_ascii_case(wanted)) else {
        let known = accounts.into_iter().map(|account| account.address).collect();
        return Err(DraftError::UnknownAccount { address: wanted.to_owned(), known });
    };
    recipient::check_address(&account.address).map_err(|problem| DraftError::BadAddress {
        field: "account",
        value: account.address.clone(),
        problem,
    })?;
    Ok((account.key, account.address.clone()))
}

/// Those who were named, and those whom a reply adds.
fn recipients(new: &NewDraft, parent: Option<&Parent>, reader: &Reader) -> Result<Recipients, DraftError> {
    let mut recipients = Recipients {
        to: recipient::read("to", &new.to)?,
        cc: recipient::read("cc", &new.cc)?,
        bcc: recipient::read("bcc", &new.bcc)?,
    };
    if let (Some(reply), Some(parent)) = (&new.reply, parent) {
        let own: Vec<String> = reader.accounts()?.into_iter().map(|account| account.address).collect();
        if recipients.to.is_empty() {
            recipients.to = parent.sender(&own);
        }
        if reply.all {
            recipients.cc.extend(parent.others(&own));
        }
        if recipients.is_empty() {
            return Err(DraftError::NobodyToAnswer { id: reply.message.clone() });
        }
    }
    recipient::each_once(recipients)
}

fn subject_of(new: &NewDraft, parent: Option<&Parent>) -> Result<String, DraftError> {
    let given = checked_subject(&new.subject)?;
    Ok(match parent {
        None => given,
        Some(parent) if given.is_empty() => subject::reply_to(&visible(&parent.subject)),
        Some(parent) => subject::given_for_reply(&given, &visible(&parent.subject)),
    })
}

/// A stranger's subject without what nobody sees, no longer than ours may be.
fn visible(subject: &str) -> String {
    let room = LONGEST_SUBJECT - "Re: ".len();
    one_line(subject).chars().filter(|c| !is_invisible(*c)).take(room).collect()
}

fn checked_subject(subject: &str) -> Result<String, DraftError> {
    let subject = subject.trim();
    recipient::refuse_hidden("subject", subject)?;
    let length = subject.chars().count();
    if length > LONGEST_SUBJECT {
        return Err(DraftError::TooLong { field: "subject", length, limit: LONGEST_SUBJECT });
    }
    Ok(subject.to_owned())
}

fn checked_body(body: &str) -> Result<String, DraftError> {
    if body.contains('\0') {
        let value = String::new();
        return Err(DraftError::HiddenCharacter { field: "body", value, character: '\0' });
    }
    if body.len() > LONGEST_BODY {
        return Err(DraftError::TooLong { field: "body", length: body.len(), limit: LONGEST_BODY });
    }
    Ok(body.to_owned())
}

/// Unique, because the draft's id is; fixed, because it is made once.
fn message_id(id: DraftId, epoch: i64, account: &str) -> String {
    let domain = account.rsplit_once('@').map_or("localhost", |(_, domain)| domain);
    format!("{id}.{epoch}@{domain}")
}
