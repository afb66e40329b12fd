//! Writes drafts: checks what was given, takes from the answered message what a reply needs, freezes the bytes and
//! stores them. Never makes or migrates the store.

use std::path::PathBuf;

use crate::clock::Clock;
use crate::drafts::allowed_files::AllowedFiles;
use crate::drafts::attachment::{Files, checked};
use crate::drafts::content::{Before, Body, Content, Frozen, reply_to, subject_of};
use crate::drafts::forward::Passed;
use crate::drafts::reply::Parent;
use crate::drafts::sender::Sender;
use crate::drafts::{DraftChange, DraftError, NewDraft, ReplyTo, reading, recipient};
use crate::home::Home;
use crate::model::{Audience, Channel, Draft, DraftHash, DraftId, Recipients};
use crate::store::{self, ConnectionPool, Reader, WriteTransaction};

/// What a new draft begins with.
struct Start<'a> {
    reader: &'a Reader,
    sender: &'a Sender,
    parent: Option<&'a Parent>,
}

/// The drafts of a home.
pub struct Drafts {
    connections: ConnectionPool,
    clock: Clock,
    audience: Audience,
    files: AllowedFiles,
}

impl Drafts {
    /// The drafts of this home, as a program may write them that acts for the owner: it can neither pass on nor attach
    /// what the shield withholds. Nothing is opened yet.
    #[must_use]
    pub fn new(home: &Home, clock: Clock) -> Self {
        let files = AllowedFiles { directories: Vec::new(), home: home.directory().to_owned() };
        Self { connections: ConnectionPool::to(home.store()), clock, audience: Audience::Assistant, files }
    }

    /// The same for the owner, who sees everything.
    #[must_use]
    pub fn for_person(self) -> Self {
        Self { audience: Audience::Person, ..self }
    }

    /// The same with directories that files may be attached from.
    #[must_use]
    pub fn attaching_from(mut self, directories: Vec<PathBuf>) -> Self {
        self.files.directories = directories;
        self
    }

    /// Writes a draft. When this returns, it is on the disk.
    pub fn create(&self, new: &NewDraft) -> Result<Draft, DraftError> {
        let id = self.create_on(Channel::Mail, new)?;
        find(&*self.connections.reader()?, &id.to_string())
    }

    /// Writes a mail that is an item of this channel. On another one than mail it is no draft that anybody edits.
    pub fn create_on(&self, channel: Channel, new: &NewDraft) -> Result<DraftId, DraftError> {
        let reader = self.connections.reader()?;
        let sender = Sender::find(&reader, &new.account)?;
        let parent = self.parent(&reader, new, &sender)?;
        let id = reader.fresh_draft_id()?;
        let start = Start { reader: &reader, sender: &sender, parent: parent.as_ref() };
        let content = self.content(new, &start, id)?;
        let frozen = content.freeze()?;
        let draft = store::NewDraft {
            channel,
            account: sender.key,
            id,
            message_id: &content.message_id,
            answers: parent.map(|parent| parent.key),
            revision: content.revision(&frozen),
        };
        let mut store = self.connections.writer()?;
        let tx = store.begin()?;
        tx.insert_draft(&draft)?;
        tx.commit()?;
        Ok(id)
    }

    /// Changes a draft: adds a revision with a hash of its own, and takes back any yes to the one before.
    pub fn update(&self, id: &str, change: &DraftChange) -> Result<Draft, DraftError> {
        let prepared = self.prepare(id, change)?;
        let mut store = self.connections.writer()?;
        let tx = store.begin()?;
        prepared.write(&tx)?;
        tx.commit()?;
        self.get(id)
    }

    /// The revision that a change makes of a draft: checked and frozen, and not written yet.
    pub fn prepare(&self, id: &str, change: &DraftChange) -> Result<PreparedRevision, DraftError> {
        let reader = self.connections.reader()?;
        let draft = find(&reader, id)?;
        refuse_leaving(&draft)?;
        if change.after.is_some_and(|after| after != draft.revision) {
            return Err(DraftError::ChangedMeanwhile { id: draft.id.to_string() });
        }
        let before = whole(&draft, reader.draft_bytes(draft.key, draft.revision)?.unwrap_or_default())?;
        let before = Before {
            draft: &draft,
            raw: &before,
            sender: &Sender::find(&reader, &draft.account)?,
            files: &self.files(&reader),
        };
        let content = Content::changed(&before, change, self.clock.now().as_second())?;
        let frozen = content.freeze()?;
        Ok(PreparedRevision { draft, content, frozen })
    }

    /// Removes a draft and all its revisions.
    pub fn delete(&self, id: &str) -> Result<(), DraftError> {
        let draft = find(&*self.connections.reader()?, id)?;
        refuse_leaving(&draft)?;
        let mut store = self.connections.writer()?;
        let tx = store.begin()?;
        if !tx.delete_draft(draft.key)? {
            return Err(DraftError::ChangedMeanwhile { id: draft.id.to_string() });
        }
        tx.commit()?;
        Ok(())
    }

    /// Whether mail of this account may be from this address.
    #[must_use]
    pub fn may_be_from(&self, account: &str, from: &str) -> bool {
        let sender = self.connections.reader().map_err(DraftError::from);
        sender.and_then(|reader| Sender::find(&reader, account)?.asked_for(from)).is_ok()
    }

    /// One draft at its newest revision.
    pub fn get(&self, id: &str) -> Result<Draft, DraftError> {
        find(&*self.connections.reader()?, id)
    }

    /// The message as it would leave, but for its date: the frozen bytes of a draft's newest revision.
    pub fn bytes(&self, draft: &Draft) -> Result<Vec<u8>, DraftError> {
        let bytes = self.connections.reader()?.draft_bytes(draft.key, draft.revision)?;
        bytes.ok_or_else(|| DraftError::UnknownDraft { id: draft.id.to_string() })
    }

    fn files<'a>(&'a self, reader: &'a Reader) -> Files<'a> {
        Files { reader, audience: self.audience, allowed: &self.files }
    }

    /// The message that is answered.
    fn parent(&self, reader: &Reader, new: &NewDraft, sender: &Sender) -> Result<Option<Parent>, DraftError> {
        match (&new.reply, &new.forward) {
            (Some(_), Some(_)) => Err(DraftError::ReplyAndForward),
            (Some(ReplyTo { message, .. }), None) => {
                Parent::find(reader, message, &sender.account, self.audience).map(Some)
            }
            (None, _) => Ok(None),
        }
    }

    fn content(&self, new: &NewDraft, start: &Start<'_>, id: DraftId) -> Result<Content, DraftError> {
        let Start { reader, sender, parent } = *start;
        let files = self.files(reader);
        let passed = new.forward.as_ref().map(|forward| Passed::find(&files, forward)).transpose()?;
        let epoch = self.clock.now().as_second();
        let from = match &new.from {
            Some(wanted) => sender.asked_for(wanted)?,
            None => sender.answering(&parent.map(Parent::addressed).unwrap_or_default()),
        };
        let chain = passed.as_ref().map(|passed| passed.references.clone());
        let mut attachments = files.take(&new.attachments)?;
        let subject = subject_of(new, parent, passed.as_ref())?;
        let body = Body::of(new, passed.as_ref())?;
        attachments.extend(passed.map(|passed| passed.attachments).unwrap_or_default());
        Ok(Content {
            message_id: message_id(id, epoch, &from.address),
            recipients: recipients(new, parent, reader)?,
            reply_to: reply_to(new.reply_to_address.as_deref())?,
            subject,
            body,
            attachments: checked(attachments)?,
            in_reply_to: parent.map(Parent::in_reply_to).unwrap_or_default(),
            references: parent.map(Parent::references).or(chain).unwrap_or_default(),
            account: sender.account.clone(),
            from,
            epoch,
        })
    }
}

/// A revision that is checked and frozen, and not written yet.
pub struct PreparedRevision {
    draft: Draft,
    content: Content,
    frozen: Frozen,
}

impl PreparedRevision {
    /// Whether it is what the newest revision says already: the same hash over everything that would leave.
    #[must_use]
    pub fn changes_nothing(&self) -> bool {
        self.frozen.hash == self.draft.hash
    }

    /// Makes it the draft's newest revision and takes back any yes to the one before, unless somebody was faster.
    pub fn write(&self, tx: &WriteTransaction<'_>) -> Result<(), DraftError> {
        let Self { draft, content, frozen } = self;
        match tx.revise_draft(draft.key, draft.revision, &content.revision(frozen))? {
            true => Ok(()),
            false => Err(DraftError::ChangedMeanwhile { id: draft.id.to_string() }),
        }
    }
}

fn find(reader: &Reader, id: &str) -> Result<Draft, DraftError> {
    let unknown = || DraftError::UnknownDraft { id: id.trim().to_owned() };
    let id = DraftId::parse(id.trim()).ok_or_else(unknown)?;
    reader.draft(id)?.ok_or_else(unknown)
}

/// Bytes that are those the draft's hash stands for and that say what stands beside them: what somebody altered is not
/// frozen anew as if it had been written.
fn whole(draft: &Draft, raw: Vec<u8>) -> Result<Vec<u8>, DraftError> {
    let hash = DraftHash::of(&draft.account, &draft.from.address, &draft.recipients, &raw);
    match hash == draft.hash && reading::is_what_stands_in(draft, &raw) {
        true => Ok(raw),
        false => Err(DraftError::Altered { id: draft.id.to_string() }),
    }
}

fn refuse_leaving(draft: &Draft) -> Result<(), DraftError> {
    match draft.state.may_be_edited() {
        true => Ok(()),
        false => Err(DraftError::NotEditable { id: draft.id.to_string(), state: draft.state }),
    }
}

/// Those who were named, and those whom a reply adds.
fn recipients(new: &NewDraft, parent: Option<&Parent>, reader: &Reader) -> Result<Recipients, DraftError> {
    let mut recipients = Recipients {
        to: recipient::read("to", &new.to)?,
        cc: recipient::read("cc", &new.cc)?,
        bcc: recipient::read("bcc", &new.bcc)?,
    };
    if let (Some(reply), Some(parent)) = (&new.reply, parent) {
        let own = own_addresses(reader)?;
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

/// All addresses that are the owner's.
fn own_addresses(reader: &Reader) -> Result<Vec<String>, DraftError> {
    let mut own = Vec::new();
    for account in reader.accounts()? {
        own.extend(reader.sending_addresses(account.key)?.into_iter().map(|address| address.address));
    }
    Ok(own)
}

/// Unique, because the draft's id is; fixed, because it is made once.
fn message_id(id: DraftId, epoch: i64, from: &str) -> String {
    let domain = from.rsplit_once('@').map_or("localhost", |(_, domain)| domain);
    format!("{id}.{epoch}@{domain}")
}
