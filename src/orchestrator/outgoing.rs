//! Notes that are to be sent: those in `Drafts` wait as items of the outbox, those in `Approved` are told of at its door
//! for folders, and what became of each is written into its note. What was sent goes to `Done`.

use std::collections::{BTreeMap, BTreeSet};

use crate::crash_point::crash_point;
use crate::model::ItemState;
use crate::orchestrator::assigning::{Waiting, assigned};
use crate::orchestrator::notes::{
    self, APPROVED, DONE, DRAFTS, Found, IS_DONE, NEEDS_ACTION, NEEDS_INFO, PENDING, PENDING_APPROVAL,
};
use crate::orchestrator::state::Standing;
use crate::orchestrator::{Orchestrator, OrchestratorError, Pace};
use crate::outbox::approval::folder::{FolderAnswer, MovedNote};
use crate::outbox::propose::{NoteLetter, OutboxError, QueuedNote, Status};
use crate::text_safety::note_line;
use crate::vault::{Note, VaultError, Yaml};

/// One look at all notes that are to be sent.
pub(super) struct Look {
    pub(super) standing: BTreeMap<String, Standing>,
    problems: BTreeMap<String, String>,
    /// Items whose note was seen.
    pub(super) seen: BTreeSet<String>,
    /// Notes of messages, which change with the answers to them.
    emails: Vec<Found>,
    pub(super) pace: Pace,
}

impl Look {
    /// The last state of an item that was written into its note.
    fn told(&self, id: Option<&str>) -> String {
        id.and_then(|id| self.standing.get(id)).map(|it| it.told.clone()).unwrap_or_default()
    }
}

impl Orchestrator {
    /// Brings notes and items together.
    pub(super) fn settle(&self) -> Result<Pace, OrchestratorError> {
        // In this order, a note that is moved meanwhile is seen twice and not missed.
        let drafts = notes::read_folder(&self.parts.vault, DRAFTS)?;
        let approved = notes::read_folder(&self.parts.vault, APPROVED)?;
        let mut look = Look {
            standing: self.look(|state| state.notes.clone()),
            problems: BTreeMap::new(),
            seen: BTreeSet::new(),
            emails: notes::read_folder(&self.parts.vault, NEEDS_ACTION)?.notes,
            pace: Pace::Usual,
        };
        self.file_what_is_over(&mut look.emails)?;
        let mut hidden = BTreeSet::new();
        for (path, problem) in drafts.unreadable.iter().chain(&approved.unreadable) {
            hidden.insert(path.name().to_owned());
            look.problems.insert(path.to_string(), problem.clone());
        }
        for waiting in assigned(approved, drafts, &look.standing) {
            self.settle_or_tell(&waiting, &mut look)?;
        }
        self.let_go(&mut look, &hidden)?;
        let Look { standing, problems, pace, emails, .. } = look;
        self.tell_problems(&problems);
        let messages: BTreeSet<_> =
            emails.iter().filter_map(|found| notes::text(&found.note, "message_id")).collect();
        self.change(|state| {
            (state.notes, state.problems) = (standing, problems);
            state.forget_tries(&messages);
        })?;
        Ok(pace)
    }

    /// What is wrong with one note keeps no other from being sent.
    fn settle_or_tell(&self, waiting: &Waiting, look: &mut Look) -> Result<(), OrchestratorError> {
        if let Some(item) = &waiting.item {
            look.seen.insert(item.clone());
        }
        let path = waiting.found.note.path().to_string();
        match self.settle_one(waiting, look) {
            // Somebody is at it: the next look sees what they did.
            Err(OrchestratorError::Vault(VaultError::Changed { .. } | VaultError::NotFound { .. })) => Ok(()),
            Err(OrchestratorError::Outbox(error)) if is_about_the_note(&error) => {
                let problem = format!("{error}; {}", error.hint());
                self.write_error(waiting, &problem);
                look.problems.insert(path, problem);
                Ok(())
            }
            Err(OrchestratorError::Vault(error)) => {
                look.problems.insert(path, error.to_string());
                Ok(())
            }
            other => other,
        }
    }

    fn settle_one(&self, waiting: &Waiting, look: &mut Look) -> Result<(), OrchestratorError> {
        let mut note = waiting.found.note.clone();
        let known = waiting.item.as_deref().and_then(|id| self.parts.proposals.note_item(id));
        // A note whose item has left and was filed is a new one: somebody wants to send the like again.
        let known = known.filter(|item| {
            item.draft.state != ItemState::Sent || look.standing.contains_key(&item.draft.id.to_string())
        });
        let has_left = known.as_ref().is_some_and(|item| item.draft.state == ItemState::Sent);
        let known = known.map(|item| item.draft.id.to_string());
        if !has_left && !wants_to_leave(waiting, &look.told(known.as_deref())) {
            return self.take_back(known.as_deref(), waiting.folder, look);
        }
        let letter = notes::letter(&note);
        if letter.to.is_empty() && letter.answers.is_none() {
            let problem = "it says neither `to` nor `reply_to_message_id`";
            look.problems.insert(note.path().to_string(), problem.to_owned());
            return self.take_back(known.as_deref(), waiting.folder, look);
        }
        let item = self.queue(waiting, &letter, known.as_deref(), look)?.item;
        let id = item.draft.id.to_string();
        let is_copy = known.as_deref() != Some(&id) && !look.seen.insert(id.clone());
        if is_copy {
            return self.link(&mut note, &id, &item.code.to_string());
        }
        let is_told = look.told(Some(&id)) == item.draft.state.name();
        if is_asked(waiting) && is_told && may_ask_again(item.draft.state) {
            self.parts.proposals.ask_again(&id, &self.records)?;
        }
        self.stand(waiting, &id, look);
        self.link(&mut note, &id, &item.code.to_string())?;
        self.follow_move(waiting, &id, &mut note, look)?;
        self.write_outcome(waiting.folder, &id, &mut note, look)?;
        if note.text() != waiting.found.note.text()
            && let Some(standing) = look.standing.get_mut(&id)
        {
            standing.modified = self.parts.vault.stamp(note.path())?.modified_nanos();
        }
        Ok(())
    }

    /// Has a note wait as it is. One that cannot is not what its item says any more.
    fn queue(
        &self,
        waiting: &Waiting,
        letter: &NoteLetter,
        known: Option<&str>,
        look: &mut Look,
    ) -> Result<QueuedNote, OrchestratorError> {
        let file = notes::fingerprint(&waiting.found);
        crash_point("before a note is proposed");
        let queued = self.parts.proposals.queue_note(letter, known, &file, &self.records);
        if queued.as_ref().is_err_and(is_about_the_note) {
            self.take_back(known, waiting.folder, look)?;
        }
        crash_point("after a note was proposed");
        Ok(queued?)
    }

    /// Writes into a note which item it is.
    fn link(&self, note: &mut Note, id: &str, code: &str) -> Result<(), OrchestratorError> {
        if notes::text(note, "item").as_deref() == Some(id) {
            return Ok(());
        }
        self.tell("queued", note.path().as_str(), &format!("{id} {code}"));
        self.write(note, &[("item", id.into()), ("code", code.into())])
    }

    /// Remembers since when an item's note has had its name while it waited, and that nobody has written it since. Who
    /// writes another text between two looks and the old one back leaves nothing but the time of the file.
    fn stand(&self, waiting: &Waiting, id: &str, look: &mut Look) {
        let now = self.now();
        let standing = look.standing.entry(id.to_owned()).or_default();
        let name = waiting.found.note.path().name();
        let modified = waiting.found.stamp.modified_nanos();
        let was_moved = standing.name != name || waiting.folder == DRAFTS && standing.folder != DRAFTS;
        if was_moved || standing.modified != modified {
            standing.since = now;
        }
        standing.modified = modified;
        (standing.folder, standing.name) = (waiting.folder.to_owned(), name.to_owned());
        standing.missing_since = None;
    }

    /// Tells the outbox where the note lies.
    fn follow_move(
        &self,
        waiting: &Waiting,
        id: &str,
        note: &mut Note,
        look: &Look,
    ) -> Result<(), OrchestratorError> {
        let Some(item) = self.parts.proposals.note_item(id) else { return Ok(()) };
        if waiting.folder == DRAFTS {
            if item.moved.is_some() && !item.draft.state.may_have_left() {
                self.parts.door.moved_back(id)?;
                self.write_if_there(note, "approval")?;
            }
            return Ok(());
        }
        if item.draft.state != ItemState::PendingApproval {
            return Ok(());
        }
        let name = note.path().name();
        let moved = MovedNote {
            id,
            says: &item.hash(),
            at: self.now().min(waiting.found.stamp.changed_at()),
            standing_since: look.standing.get(id).filter(|it| it.name == name).map(|it| it.since),
        };
        crash_point("before the door is told");
        match self.parts.door.moved(&moved)? {
            FolderAnswer::Approved => {
                self.tell("approved", note.path().as_str(), id);
                self.write_if_there(note, "approval")?;
            }
            FolderAnswer::Waits(why) => {
                let words =
                    format!("waits for your yes on the page or in `mailkeep outbox review`: {}", why.words());
                if notes::text(note, "approval").as_deref() != Some(&words) {
                    self.tell("waits", note.path().as_str(), &why.words());
                }
                self.write(note, &[("approval", words.into())])?;
            }
            FolderAnswer::Decided(_) => {}
        }
        crash_point("after the door was told");
        Ok(())
    }

    /// Writes into a note what became of its item.
    fn write_outcome(
        &self,
        folder: &str,
        id: &str,
        note: &mut Note,
        look: &mut Look,
    ) -> Result<(), OrchestratorError> {
        let status = self.parts.proposals.status(id)?;
        let (state, reason) = (status.item.draft.state, status.item.reason.clone().unwrap_or_default());
        let answers = notes::text(note, "reply_to_message_id");
        match state {
            ItemState::Sent => return self.finish(id, &status, note, look),
            ItemState::Draft | ItemState::PendingApproval => {}
            ItemState::Approved | ItemState::Sending => {
                look.pace = Pace::Soon;
                if !reason.is_empty() {
                    self.write(note, &[("error", note_line(&reason).into())])?;
                }
            }
            over => self.write_end(over, &status, note, look)?,
        }
        if state.is_under_way()
            && let Some(answers) = answers
        {
            let path = format!("{folder}/{}", note.path().name());
            self.mark_email(
                &mut look.emails,
                &answers,
                PENDING,
                &[("status", PENDING_APPROVAL), ("reply", &path)],
            )?;
        }
        let standing = look.standing.entry(id.to_owned()).or_default();
        state.name().clone_into(&mut standing.told);
        Ok(())
    }

    /// An item that will not leave: refused, expired, failed, or nobody can say.
    fn write_end(
        &self,
        state: ItemState,
        status: &Status,
        note: &mut Note,
        look: &mut Look,
    ) -> Result<(), OrchestratorError> {
        let id = status.item.draft.id.to_string();
        if look.standing.get(&id).is_some_and(|it| it.told == state.name()) {
            return Ok(());
        }
        let usual =
            if state == ItemState::Unknown { "it may have left; nobody can say" } else { state.name() };
        let reason = note_line(status.item.reason.as_deref().filter(|it| !it.is_empty()).unwrap_or(usual));
        self.tell("failed", note.path().as_str(), &format!("{id} {state}: {reason}"));
        self.write(note, &[("status", state.name().into()), ("error", reason.as_str().into())])?;
        if status.item.error_code.as_deref() == Some("AUTH_FAILED") {
            let account = &status.item.draft.account;
            let command = format!("mailkeep account login {account}");
            self.escalate(&format!("sending {account}"), &reason, &command)?;
        }
        if let Some(answers) = notes::text(note, "reply_to_message_id") {
            let told = format!("the answer was not sent: {reason}");
            self.mark_email(
                &mut look.emails,
                &answers,
                PENDING_APPROVAL,
                &[("status", NEEDS_INFO), ("error", &told)],
            )?;
        }
        Ok(())
    }

    /// What was sent is over: the message it answers first, so that whoever is killed in between finds the rest to do.
    fn finish(
        &self,
        id: &str,
        status: &Status,
        note: &mut Note,
        look: &mut Look,
    ) -> Result<(), OrchestratorError> {
        self.is_mended(&format!("sending {}", status.item.draft.account))?;
        if let Some(answers) = notes::text(note, "reply_to_message_id") {
            self.file_email(&mut look.emails, &answers)?;
        }
        let sent = jiff::Timestamp::from_second(status.item.sent.unwrap_or_else(|| self.now()));
        let sent = sent.map(|at| at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()).unwrap_or_default();
        let differs = status.item.draft.body != notes::letter(note).body;
        self.write_if_there(note, "error")?;
        self.write_if_there(note, "approval")?;
        let id_sent = status.item.draft.message_id.as_str();
        let mut fields =
            vec![("status", Yaml::from(IS_DONE)), ("sent_at", sent.into()), ("message_id", id_sent.into())];
        if differs {
            fields.push(("changed_after_sending", true.into()));
        }
        self.write(note, &fields)?;
        crash_point("before a note goes to Done");
        let done = notes::move_into(&self.parts.vault, note.path(), DONE)?;
        crash_point("after a note went to Done");
        look.standing.remove(id);
        self.tell("sent", done.as_str(), id);
        Ok(())
    }

    /// Sets keys of the frontmatter, and saves if that changed anything. Where keys cannot be changed without changing what
    /// the person wrote, the note stays as it is.
    pub(super) fn write(&self, note: &mut Note, fields: &[(&str, Yaml)]) -> Result<(), OrchestratorError> {
        let before = note.text().to_owned();
        for (key, value) in fields {
            match note.set(key, value.clone()) {
                Err(VaultError::Entangled { .. }) => {}
                set => set?,
            }
        }
        if note.text() != before {
            crash_point("before a note is changed");
            self.parts.vault.save(note)?;
            crash_point("after a note was changed");
        }
        Ok(())
    }

    /// Takes back what was written under a key.
    fn write_if_there(&self, note: &mut Note, key: &str) -> Result<(), OrchestratorError> {
        if notes::text(note, key).is_some() { self.write(note, &[(key, Yaml::Null)]) } else { Ok(()) }
    }

    /// What is wrong stands in the note itself; where it cannot, in what was seen.
    fn write_error(&self, waiting: &Waiting, problem: &str) {
        let _ = self.write(&mut waiting.found.note.clone(), &[("error", note_line(problem).into())]);
    }

    fn tell_problems(&self, problems: &BTreeMap<String, String>) {
        let known = self.look(|state| state.problems.clone());
        for (path, problem) in problems.iter().filter(|(path, problem)| known.get(*path) != Some(problem)) {
            self.tell("problem", path, problem);
        }
    }
}

/// Whether a note says that it is to leave.
fn is_asked(waiting: &Waiting) -> bool {
    notes::text(&waiting.found.note, "status").as_deref() == Some(PENDING_APPROVAL)
}

/// Whether a note is to leave: it says so, or it lies in `Approved` and says nothing else than we wrote into it.
fn wants_to_leave(waiting: &Waiting, told: &str) -> bool {
    let status = notes::text(&waiting.found.note, "status");
    let is_ours = |status: &str| status == ItemState::Approved.name() || status == told;
    is_asked(waiting) || waiting.folder == APPROVED && status.as_deref().is_none_or(is_ours)
}

/// Whether asking once more is the person's to wish: nothing of it can have left.
const fn may_ask_again(state: ItemState) -> bool {
    matches!(
        state,
        ItemState::Rejected
            | ItemState::Withdrawn
            | ItemState::Cancelled
            | ItemState::Expired
            | ItemState::Failed
    )
}

/// Whether an error is the note's own: others must not wait for it.
fn is_about_the_note(error: &OutboxError) -> bool {
    !matches!(error, OutboxError::Store(_) | OutboxError::Account(_))
}
