//! Gmail's drafts as a place for copies of what was written here. What was sent Gmail keeps by itself.
//!
//! An id names the draft and the message it was when we made it: another message means that somebody else edited it.

use crate::model::MailboxRole;
use crate::source::gmail::{DraftIds, GmailSource};
use crate::store::{CopyTask, Reader, RemoteCopyId};
use crate::sync::SyncError;
use crate::sync::draft_mirror::{DraftMirror, RemoteDrafts, leave_to_provider};
use crate::sync::gmail::GmailPass;

struct GmailDrafts<'s, 'a> {
    source: &'s mut GmailSource<'a>,
    reader: &'s Reader,
    /// The copy that was last found untouched.
    held: Option<DraftIds>,
}

fn written(ids: &DraftIds) -> RemoteCopyId {
    RemoteCopyId::Name(format!("{} {}", ids.draft, ids.message.cast_signed()))
}

fn read(ids: &RemoteCopyId) -> Option<DraftIds> {
    let RemoteCopyId::Name(name) = ids else { return None };
    let (draft, message) = name.split_once(' ')?;
    Some(DraftIds { draft: draft.to_owned(), message: message.parse::<i64>().ok()?.cast_unsigned() })
}

impl RemoteDrafts for GmailDrafts<'_, '_> {
    fn holds(&mut self, ids: &RemoteCopyId) -> Result<bool, SyncError> {
        let Some(wanted) = read(ids) else { return Ok(false) };
        let is_there = self.source.draft(&wanted.draft)? == Some(wanted.clone());
        self.held = is_there.then_some(wanted);
        Ok(is_there)
    }

    fn find(&mut self, message_id: &str) -> Result<Vec<RemoteCopyId>, SyncError> {
        Ok(self.source.drafts_with(message_id)?.iter().map(written).collect())
    }

    fn bytes(&mut self, ids: &RemoteCopyId) -> Result<Option<Vec<u8>>, SyncError> {
        let draft = read(ids).map(|ids| self.source.draft_bytes(&ids.draft)).transpose()?;
        Ok(draft.flatten())
    }

    /// A copy that is there becomes the new one: then there is no moment with two of them, or with none.
    fn put(&mut self, message_id: &str, raw: &[u8]) -> Result<RemoteCopyId, SyncError> {
        let there = self.source.drafts_with(message_id)?;
        let own = self.held.take().filter(|held| there.contains(held));
        let thread = self.reader.gmail_thread_of(message_id)?;
        Ok(written(&self.source.put_draft(own.as_ref().map(|ids| ids.draft.as_str()), raw, thread)?))
    }

    fn remove(&mut self, ids: &RemoteCopyId) -> Result<(), SyncError> {
        match read(ids) {
            // An edit of ours made another message of it: it is the new copy now.
            Some(ids) if self.source.draft(&ids.draft)? == Some(ids.clone()) => {
                Ok(self.source.delete_draft(&ids.draft)?)
            }
            _ => Ok(()),
        }
    }
}

impl GmailPass<'_> {
    /// Keeps copies of what was written here.
    pub(super) fn keep_copies(&mut self) -> Result<(), SyncError> {
        let tasks = self.reader.copy_tasks(self.account.key)?;
        let (drafts, sent): (Vec<&CopyTask>, Vec<&CopyTask>) =
            tasks.iter().partition(|task| task.role == MailboxRole::Drafts);
        leave_to_provider(self.feed, &sent)?;
        let Self { source, reader, feed, report, .. } = self;
        let mut remote = GmailDrafts { source, reader, held: None };
        let mut mirror = DraftMirror { drafts: &mut remote, reader, feed, report };
        drafts.iter().try_for_each(|task| mirror.carry_out(task))
    }
}
