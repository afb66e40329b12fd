//! Keeps copies on the server of what was written here: drafts in the mailbox for drafts, what was sent in the one for
//! sent mail. Each is put there once, also when we are killed in between; what another program changed or deleted is
//! reported on the draft and never overwritten. Nothing is sent.

use crate::model::{DraftKey, MailboxRole};
use crate::store::{CopyProblem, CopyTask, KeptCopy, Reader, RemoteCopyId};
use crate::sync::SyncError;
use crate::sync::account::AccountReport;
use crate::sync::pipeline::{Change, Destination, Feed};

/// A place on a server where copies are kept. Whoever syncs an account in another way than by IMAP brings one of its
/// own, and has [`DraftMirror`] do the rest.
pub(super) trait RemoteDrafts {
    /// Whether the copy is where we put it, untouched.
    fn holds(&mut self, remote_id: &RemoteCopyId) -> Result<bool, SyncError>;
    /// Where there are copies of a message, by its Message-ID without angle brackets.
    fn find(&mut self, message_id: &str) -> Result<Vec<RemoteCopyId>, SyncError>;
    /// Where there are messages that had this Message-ID before a provider gave them another.
    fn find_renamed(&mut self, _message_id: &str) -> Result<Vec<RemoteCopyId>, SyncError> {
        Ok(Vec::new())
    }
    /// The bytes of a copy; `None` when it is not there.
    fn bytes(&mut self, remote_id: &RemoteCopyId) -> Result<Option<Vec<u8>>, SyncError>;
    /// Puts a message there and says where it is.
    fn put(&mut self, message_id: &str, raw: &[u8]) -> Result<RemoteCopyId, SyncError>;
    /// Takes one copy away; it may be gone already.
    fn remove(&mut self, remote_id: &RemoteCopyId) -> Result<(), SyncError>;
}

/// Brings what is on a drafts into line with what is here.
pub(super) struct DraftMirror<'a> {
    pub(super) drafts: &'a mut dyn RemoteDrafts,
    pub(super) reader: &'a Reader,
    pub(super) feed: &'a mut Feed<Destination>,
    pub(super) report: &'a mut AccountReport,
}

const CHANGED: &str = "another program changed it on the server; both versions are kept, and edits here stay here until \
                       the one on the server is gone";
const DELETED: &str = "another program deleted it on the server, or sent it; it is kept here, and the next edit puts it \
                       back";

impl DraftMirror<'_> {
    /// Does one task. What the server refuses is noted on the draft and tried again with the next sync.
    pub(super) fn carry_out(&mut self, task: &CopyTask) -> Result<(), SyncError> {
        let outcome = match (task.wanted, &task.copy) {
            (Some((draft, revision)), _) => self.keep(task, draft, revision),
            (None, Some(copy)) => self.take_away(&task.message_id, copy),
            (None, None) => Ok(()),
        };
        match outcome {
            Err(error) if error.is_refusal() => self.trouble(task, CopyProblem::Refused, &error.to_string()),
            other => other,
        }
    }

    /// Sees to it that a revision is there, and no earlier one.
    fn keep(&mut self, task: &CopyTask, draft: DraftKey, revision: i64) -> Result<(), SyncError> {
        let Some(raw) = self.raw(task, draft, revision)? else { return Ok(()) };
        let copy = task.copy.as_ref();
        let here = match copy.and_then(|copy| copy.remote_id.as_ref()) {
            Some(remote_id) if self.drafts.holds(remote_id)? => Some(remote_id.clone()),
            _ => None,
        };
        if let (Some(copy), Some(_)) = (copy, &here) {
            self.clear_stale(copy)?;
        }
        let others: Vec<RemoteCopyId> = match (copy, &here) {
            // Untouched where we put it, and nothing was under way: nobody else need be asked.
            (Some(copy), Some(_)) if copy.attempt.is_none() => Vec::new(),
            _ => self
                .find(task, draft)?
                .into_iter()
                .filter(|remote_id| Some(remote_id) != here.as_ref())
                .collect(),
        };
        match (others.as_slice(), copy) {
            ([], Some(copy)) if here.is_some() && copy.revision == Some(revision) => Ok(()),
            ([], _) if here.is_some() => self.put(task, (draft, revision), &raw, here.as_ref()),
            ([], Some(copy)) if was_missed(copy, revision) => {
                self.trouble(task, CopyProblem::Deleted, DELETED)
            }
            ([], _) => self.put(task, (draft, revision), &raw, None),
            // In the mailbox for sent mail any copy will do.
            ([other, ..], copy) if task.role == MailboxRole::Sent => {
                self.meet(task, (draft, revision), other, (copy, None))
            }
            ([other], copy) => self.meet(task, (draft, revision), other, (copy, here.as_ref())),
            _ => self.trouble(task, CopyProblem::Changed, CHANGED),
        }
    }

    /// What is to be there: of what was sent, the very bytes that were.
    fn raw(&self, task: &CopyTask, draft: DraftKey, revision: i64) -> Result<Option<Vec<u8>>, SyncError> {
        Ok(match task.role {
            MailboxRole::Sent => self.reader.sent_bytes(draft, revision)?,
            _ => self.reader.dated_draft(draft, revision)?,
        })
    }

    /// Where there are copies: of what was sent, also under the Message-ID that a provider gave it.
    fn find(&mut self, task: &CopyTask, draft: DraftKey) -> Result<Vec<RemoteCopyId>, SyncError> {
        let mut found = self.drafts.find(&task.message_id)?;
        if task.role == MailboxRole::Sent {
            for alias in self.reader.aliases_of(draft)? {
                found.extend(self.drafts.find(&alias)?);
            }
            if found.is_empty() {
                found = self.drafts.find_renamed(&task.message_id)?;
            }
        }
        Ok(found)
    }

    /// There is a copy that we do not know of: ours, if we were cut off while we made it or if its bytes are ours.
    fn meet(
        &mut self,
        task: &CopyTask,
        (draft, revision): (DraftKey, i64),
        other: &RemoteCopyId,
        (copy, here): (Option<&KeptCopy>, Option<&RemoteCopyId>),
    ) -> Result<(), SyncError> {
        let attempt = copy.and_then(|copy| copy.attempt);
        let known = match (task.role, attempt) {
            (MailboxRole::Sent, _) => Some(revision),
            (_, Some(attempt)) => Some(attempt),
            _ => self.revision_with(draft, revision, other)?,
        };
        let Some(known) = known else { return self.trouble(task, CopyProblem::Changed, CHANGED) };
        let Some(key) = self.begin(task, draft, known)? else { return Ok(()) };
        self.made(key, known, other.clone(), here.cloned())?;
        match (known == revision, self.raw(task, draft, revision)?) {
            (false, Some(raw)) => self.put(task, (draft, revision), &raw, Some(other)),
            _ => Ok(()),
        }
    }

    /// The newest revision with exactly these bytes.
    fn revision_with(
        &mut self,
        draft: DraftKey,
        newest: i64,
        remote_id: &RemoteCopyId,
    ) -> Result<Option<i64>, SyncError> {
        let Some(bytes) = self.drafts.bytes(remote_id)? else { return Ok(None) };
        for revision in (1..=newest).rev() {
            if self.reader.dated_draft(draft, revision)?.is_some_and(|raw| raw == bytes) {
                return Ok(Some(revision));
            }
        }
        Ok(None)
    }

    /// Puts a revision there: first noted, then done, then noted where, and only then is the one before removed.
    fn put(
        &mut self,
        task: &CopyTask,
        (draft, revision): (DraftKey, i64),
        raw: &[u8],
        before: Option<&RemoteCopyId>,
    ) -> Result<(), SyncError> {
        let Some(key) = self.begin(task, draft, revision)? else { return Ok(()) };
        let remote_id = self.drafts.put(&task.message_id, raw)?;
        self.made(key, revision, remote_id, before.cloned())
    }

    /// Notes what is about to be put there; `None` when the draft was deleted meanwhile.
    fn begin(&mut self, task: &CopyTask, draft: DraftKey, revision: i64) -> Result<Option<i64>, SyncError> {
        let role = task.role;
        self.note(Box::new(move |tx| tx.begin_copy(draft, role, revision)))?;
        Ok(self.reader.copy(role, &task.message_id)?.map(|copy| copy.key))
    }

    fn made(
        &mut self,
        key: i64,
        revision: i64,
        remote_id: RemoteCopyId,
        before: Option<RemoteCopyId>,
    ) -> Result<(), SyncError> {
        let stale = before.clone();
        self.note(Box::new(move |tx| tx.copy_made(key, revision, &remote_id, stale.as_ref())))?;
        self.report.pushed += 1;
        match before {
            Some(before) => self.remove_stale(key, &before),
            None => Ok(()),
        }
    }

    fn clear_stale(&mut self, copy: &KeptCopy) -> Result<(), SyncError> {
        match &copy.stale {
            Some(stale) => self.remove_stale(copy.key, stale),
            None => Ok(()),
        }
    }

    fn remove_stale(&mut self, key: i64, stale: &RemoteCopyId) -> Result<(), SyncError> {
        self.drafts.remove(stale)?;
        self.note(Box::new(move |tx| tx.stale_copy_removed(key)))
    }

    /// Removes the copies we made of a draft that is no more. What another program made of it stays.
    fn take_away(&mut self, message_id: &str, copy: &KeptCopy) -> Result<(), SyncError> {
        let mut ours: Vec<RemoteCopyId> = copy.stale.iter().chain(&copy.remote_id).cloned().collect();
        if copy.attempt.is_some() {
            ours.extend(self.drafts.find(message_id)?);
        }
        for remote_id in &ours {
            if self.drafts.holds(remote_id)? {
                self.drafts.remove(remote_id)?;
            }
        }
        let key = copy.key;
        self.note(Box::new(move |tx| tx.forget_copy(key)))?;
        self.report.pushed += 1;
        Ok(())
    }

    fn trouble(&mut self, task: &CopyTask, problem: CopyProblem, detail: &str) -> Result<(), SyncError> {
        let (role, message_id, text) = (task.role, task.message_id.clone(), detail.to_owned());
        self.report.problems.push(format!("what was written here as `{message_id}`: {detail}"));
        self.note(Box::new(move |tx| tx.note_copy_problem((role, &message_id), problem, &text)))
    }

    /// Writes something down, on the disk.
    fn note(&mut self, change: Change) -> Result<(), SyncError> {
        self.feed.change(change)?;
        Ok(self.feed.flush()?)
    }
}

/// The provider keeps what was sent; there is nothing for us to do.
pub(super) fn leave_to_provider(feed: &mut Feed<Destination>, tasks: &[&CopyTask]) -> Result<(), SyncError> {
    if tasks.is_empty() {
        return Ok(());
    }
    let done: Vec<_> =
        tasks.iter().filter_map(|task| Some((task.copy.as_ref()?.key, task.wanted?.1))).collect();
    feed.change(Box::new(move |tx| {
        done.iter().try_for_each(|(key, revision)| tx.leave_copy(*key, *revision))
    }))?;
    Ok(feed.flush()?)
}

/// Whether a copy that was there is gone, and no edit since asks for a new one.
fn was_missed(copy: &KeptCopy, revision: i64) -> bool {
    copy.remote_id.is_some() && copy.missed_at.is_none_or(|missed| missed == revision)
}
