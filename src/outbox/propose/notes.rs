//! Notes of the vault as proposals. A note is what would leave: it is matched to its item by the hash of what it freezes to,
//! and a note that says something else is the next revision, whoever wrote it. A person is always asked.

use std::path::Path;

use crate::drafts::{DraftChange, Drafts, NewDraft, ReplyTo};
use crate::model::{ItemState, SendRecords};
use crate::outbox::OutboxError;
use crate::outbox::propose::{Proposals, Request};
use crate::store::{Item, ItemFilter, Reader};

/// The profile of items that are notes.
pub const NOTES: &str = "vault";
/// Who asks, where nobody says who wrote a note.
const CLIENT: &str = "a note of the vault";

/// What a note says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoteLetter {
    /// The account it leaves from; left out, the one that holds the answered message, or the only one.
    pub account: Option<String>,
    /// Recipients; in an answer nobody stands for the sender of the message.
    pub to: Vec<String>,
    /// Cc.
    pub cc: Vec<String>,
    /// Bcc.
    pub bcc: Vec<String>,
    /// Subject; in an answer none stands for that of the message.
    pub subject: String,
    /// The text.
    pub body: String,
    /// Any id of the message that it answers.
    pub answers: Option<String>,
}

/// A note that is an item.
#[derive(Debug, Clone)]
pub struct QueuedNote {
    /// The item.
    pub item: Item,
    /// Whether the item says exactly what the note says. Not where the note was changed after it began to leave.
    pub is_same: bool,
}

impl Proposals {
    /// Sees to it that a note waits for a yes as it is: as the item that it was before, at a new revision if it says
    /// something else now, or as a new item. `file` tells this note from every other one, however often it is asked about.
    pub fn queue_note(
        &self,
        letter: &NoteLetter,
        known: Option<&str>,
        file: &str,
        records: &SendRecords,
    ) -> Result<QueuedNote, OutboxError> {
        let request = request(file, records);
        match known.and_then(|id| self.note_item(id)) {
            Some(item) if self.is_about_the_same(&item, letter)? => self.requeue(item, letter, &request),
            Some(item) => {
                self.let_go(&item)?;
                self.queue_new(letter, &request)
            }
            None => self.queue_new(letter, &request),
        }
    }

    /// Asks once more about a note that was decided about, or that nobody could send.
    pub fn ask_again(&self, id: &str, records: &SendRecords) -> Result<Item, OutboxError> {
        let request = Request { idempotency_key: None, is_new: false, ..request(id, records) };
        self.propose(id, &request).map(|proposed| proposed.item)
    }

    /// The item of a note, whatever its state.
    #[must_use]
    pub fn note_item(&self, id: &str) -> Option<Item> {
        let reader = self.approvals.connections().reader().ok()?;
        super::find(&reader, id).ok().filter(|item| item.origin.profile.as_deref() == Some(NOTES))
    }

    /// Ids of the notes of a vault that wait for a yes, or for their turn.
    pub fn waiting_notes(&self, vault: &Path) -> Result<Vec<String>, OutboxError> {
        let states = vec![ItemState::PendingApproval, ItemState::Approved];
        let filter = ItemFilter { states, limit: usize::MAX >> 1, offset: 0 };
        let items = self.approvals.connections().reader()?.items(&filter)?;
        let is_note = |item: &Item| {
            item.origin.profile.as_deref() == Some(NOTES) && item.records.vault.as_deref() == Some(vault)
        };
        Ok(items.iter().filter(|item| is_note(item)).map(|item| item.draft.id.to_string()).collect())
    }

    fn queue_new(&self, letter: &NoteLetter, request: &Request) -> Result<QueuedNote, OutboxError> {
        let account = self.account_of(letter)?;
        let reply = letter.answers.as_ref().map(|message| ReplyTo { message: message.clone(), all: false });
        let draft = self.drafts().create(&NewDraft {
            account,
            to: letter.to.clone(),
            cc: letter.cc.clone(),
            bcc: letter.bcc.clone(),
            subject: letter.subject.clone(),
            body: letter.body.clone(),
            reply,
            ..NewDraft::default()
        })?;
        let id = draft.id.to_string();
        let proposed = self.propose(&id, request).inspect_err(|_| {
            // Nobody asks for it: a draft that is left behind would be one that nobody wrote.
            let _ = self.drafts().delete(&id);
        })?;
        Ok(QueuedNote { item: proposed.item, is_same: true })
    }

    fn requeue(&self, item: Item, letter: &NoteLetter, request: &Request) -> Result<QueuedNote, OutboxError> {
        let id = item.draft.id.to_string();
        if !item.draft.state.may_be_edited() {
            let is_same = item.draft.body == letter.body;
            return Ok(QueuedNote { item, is_same });
        }
        let change = change(letter, item.draft.revision);
        let is_same = self.drafts().prepare(&id, &change)?.changes_nothing();
        if is_same && item.draft.state != ItemState::Draft {
            return Ok(QueuedNote { item, is_same });
        }
        if !is_same {
            self.drafts().update(&id, &change)?;
        }
        let request = Request { is_new: false, ..request.clone() };
        Ok(QueuedNote { item: self.propose(&id, &request)?.item, is_same: true })
    }

    /// Whether a note can be a revision of an item: the account and the message that is answered cannot change.
    fn is_about_the_same(&self, item: &Item, letter: &NoteLetter) -> Result<bool, OutboxError> {
        let reader = self.approvals.connections().reader()?;
        let same_account =
            letter.account.as_ref().is_none_or(|it| it.eq_ignore_ascii_case(&item.draft.account));
        let answered = letter.answers.as_deref().map(|id| answered(&reader, id)).transpose()?.flatten();
        let own = item.draft.answers.map(|it| it.message.to_string());
        Ok(same_account && (!item.draft.state.may_be_edited() || answered == own))
    }

    /// A note that became another letter leaves nothing behind that waits.
    fn let_go(&self, item: &Item) -> Result<(), OutboxError> {
        let may_end = matches!(item.draft.state, ItemState::PendingApproval | ItemState::Approved);
        if may_end { self.withdraw(&item.draft.id.to_string()).map(drop) } else { Ok(()) }
    }

    fn account_of(&self, letter: &NoteLetter) -> Result<String, OutboxError> {
        let reader = self.approvals.connections().reader()?;
        let accounts = reader.accounts()?;
        if let Some(named) = &letter.account {
            let known = accounts.iter().find(|account| account.address.eq_ignore_ascii_case(named));
            return Ok(known.map_or_else(|| named.clone(), |account| account.address.clone()));
        }
        let holder = letter.answers.as_deref().map(|id| holder(&reader, id)).transpose()?.flatten();
        match (holder, accounts.as_slice()) {
            (Some(address), _) => Ok(address),
            (None, [only]) => Ok(only.address.clone()),
            (None, several) => {
                let known = several.iter().map(|account| account.address.clone()).collect();
                Err(OutboxError::NoteAccount { known })
            }
        }
    }

    fn drafts(&self) -> Drafts {
        Drafts::new(&self.home, self.clock.clone())
    }
}

fn request(file: &str, records: &SendRecords) -> Request {
    Request {
        client: Some(CLIENT.to_owned()),
        profile: Some(NOTES.to_owned()),
        tool: None,
        idempotency_key: Some(file.to_owned()),
        may_be_partial: false,
        records: records.clone(),
        is_new: true,
        always_ask: true,
    }
}

/// What a note changes; what it leaves to the answered message stays.
fn change(letter: &NoteLetter, after: i64) -> DraftChange {
    DraftChange {
        to: Some(letter.to.clone()).filter(|to| !to.is_empty()),
        cc: Some(letter.cc.clone()),
        bcc: Some(letter.bcc.clone()),
        subject: Some(letter.subject.clone()).filter(|subject| !subject.is_empty()),
        body: Some(letter.body.clone()),
        after: Some(after),
        ..DraftChange::default()
    }
}

/// The short id of the message that an id names.
fn answered(reader: &Reader, id: &str) -> Result<Option<String>, OutboxError> {
    let Some(key) = reader.resolve(id)?.first().copied() else { return Ok(None) };
    Ok(reader.message(key)?.map(|message| message.id.to_string()))
}

/// The account that holds the message that an id names.
fn holder(reader: &Reader, id: &str) -> Result<Option<String>, OutboxError> {
    let Some(key) = reader.resolve(id)?.first().copied() else { return Ok(None) };
    Ok(reader.first_placement(key)?.map(|place| place.account))
}
