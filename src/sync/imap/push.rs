//! Tells a server what was changed here, in the order in which it was changed. A change that was made and not
//! noted, because we were killed in between, is made again, which changes nothing.

use std::collections::BTreeSet;

use crate::model::MailboxKey;
use crate::source::imap::{Changed, ImapSource};
use crate::store::{ChangeAction, PendingChange, RemoteMailbox, Settled};
use crate::sync::SyncError;
use crate::sync::account::AccountReport;
use crate::sync::imap::pass::Pass;
use crate::sync::pipeline::{Destination, Feed};

impl Pass<'_> {
    /// Makes all changes that wait.
    pub(in crate::sync) fn push(&mut self) -> Result<(), SyncError> {
        let waiting = self.reader.pending_changes(self.account.key)?;
        if waiting.is_empty() {
            return Ok(());
        }
        let mailboxes = self.reader.remote_mailboxes(self.account.key)?;
        let mut failed = BTreeSet::new();
        for change in waiting {
            let outcome = match mailboxes.iter().find(|mailbox| mailbox.key == change.mailbox) {
                Some(mailbox) => self.make(&change, mailbox)?,
                None => Some(Changed::Refused("its mailbox is no longer on the server".to_owned())),
            };
            let Some(outcome) = outcome else { continue };
            if outcome != Changed::Made {
                failed.insert(change.mailbox);
            }
            settle_change(self.feed, self.report, &change, outcome)?;
        }
        self.look_again(failed)
    }

    /// Makes one change; `None` when it must wait until the mailbox has been read anew.
    fn make(
        &mut self,
        change: &PendingChange,
        mailbox: &RemoteMailbox,
    ) -> Result<Option<Changed>, SyncError> {
        let Some(uid) = self.reader.uid_of(change.message, change.mailbox)? else {
            return Ok(Some(Changed::Gone));
        };
        let uidvalidity = match self.source.select(&mailbox.wire_name) {
            Err(error) if ImapSource::is_refusal(&error) => {
                return Ok(Some(Changed::Refused(error.to_string())));
            }
            other => other?,
        };
        if uidvalidity != mailbox.uidvalidity {
            return Ok(None);
        }
        let source = &mut self.source;
        Ok(Some(match &change.action {
            ChangeAction::AddLabel(label) => source.set_label(uid, label, true)?,
            ChangeAction::RemoveLabel(label) => source.set_label(uid, label, false)?,
            ChangeAction::SetFlag(flags) => source.set_flags(uid, *flags, true)?,
            ChangeAction::ClearFlag(flags) => source.set_flags(uid, *flags, false)?,
            ChangeAction::Move(role) => match self.reader.mailbox_for(self.account.key, role.name())? {
                Some(target) => source.move_to(uid, &target)?,
                None => Changed::Refused(format!("the server has no mailbox for {}", role.name())),
            },
        }))
    }

    /// Where the server did not follow us, we follow the server: its word on these mailboxes is asked for anew.
    fn look_again(&mut self, mailboxes: BTreeSet<MailboxKey>) -> Result<(), SyncError> {
        self.feed.change(Box::new(move |tx| mailboxes.iter().try_for_each(|mailbox| tx.unfill(*mailbox))))?;
        Ok(self.feed.flush()?)
    }
}

/// Notes what became of a change.
pub(in crate::sync) fn settle_change(
    feed: &mut Feed<Destination>,
    report: &mut AccountReport,
    change: &PendingChange,
    outcome: Changed,
) -> Result<(), SyncError> {
    let reason = match outcome {
        Changed::Made => None,
        Changed::Gone => Some("the message is no longer on the server".to_owned()),
        Changed::Refused(reason) => Some(reason),
    };
    match &reason {
        None => report.pushed += 1,
        Some(reason) => report.problems.push(format!("a change was not made on the server: {reason}")),
    }
    let number = change.number;
    feed.change(Box::new(move |tx| {
        tx.settle(number, reason.as_deref().map_or(Settled::Pushed, Settled::Failed))
    }))?;
    Ok(())
}
