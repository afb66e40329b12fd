//! Gmail's drafts as a place for copies of what was written here. What was sent Gmail keeps by itself.
//!
//! A spot names the draft and the message it was when we made it: another message means that somebody else edited it.

use crate::model::MailboxRole;
use crate::source::gmail::{DraftSpot, GmailSource};
use crate::store::{CopyTask, Reader, Spot};
use crate::sync::SyncError;
use crate::sync::copies::{Keeper, Shelf, leave_to_provider};
use crate::sync::gmail::GmailPass;

struct GmailShelf<'s, 'a> {
    source: &'s mut GmailSource<'a>,
    reader: &'s Reader,
    /// The copy that was last found untouched.
    held: Option<DraftSpot>,
}

fn written(spot: &DraftSpot) -> Spot {
    Spot::Name(format!("{} {}", spot.draft, spot.message.cast_signed()))
}

fn read(spot: &Spot) -> Option<DraftSpot> {
    let Spot::Name(name) = spot else { return None };
    let (draft, message) = name.split_once(' ')?;
    Some(DraftSpot { draft: draft.to_owned(), message: message.parse::<i64>().ok()?.cast_unsigned() })
}

impl Shelf for GmailShelf<'_, '_> {
    fn holds(&mut self, spot: &Spot) -> Result<bool, SyncError> {
        let Some(wanted) = read(spot) else { return Ok(false) };
        let is_there = self.source.draft(&wanted.draft)? == Some(wanted.clone());
        self.held = is_there.then_some(wanted);
        Ok(is_there)
    }

    fn find(&mut self, message_id: &str) -> Result<Vec<Spot>, SyncError> {
        Ok(self.source.drafts_with(message_id)?.iter().map(written).collect())
    }

    fn bytes(&mut self, spot: &Spot) -> Result<Option<Vec<u8>>, SyncError> {
        let draft = read(spot).map(|spot| self.source.draft_bytes(&spot.draft)).transpose()?;
        Ok(draft.flatten())
    }

    /// A copy that is there becomes the new one: then there is no moment with two of them, or with none.
    fn put(&mut self, message_id: &str, raw: &[u8]) -> Result<Spot, SyncError> {
        let there = self.source.drafts_with(message_id)?;
        let own = self.held.take().filter(|held| there.contains(held));
        let thread = self.reader.gmail_thread_of(message_id)?;
        Ok(written(&self.source.put_draft(own.as_ref().map(|spot| spot.draft.as_str()), raw, thread)?))
    }

    fn remove(&mut self, spot: &Spot) -> Result<(), SyncError> {
        match read(spot) {
            // An edit of ours made another message of it: it is the new copy now.
            Some(spot) if self.source.draft(&spot.draft)? == Some(spot.clone()) => {
                Ok(self.source.delete_draft(&spot.draft)?)
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
        let mut shelf = GmailShelf { source, reader, held: None };
        let mut keeper = Keeper { shelf: &mut shelf, reader, feed, report };
        drafts.iter().try_for_each(|task| keeper.carry_out(task))
    }
}
