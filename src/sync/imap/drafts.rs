//! A mailbox of an IMAP server as a place for copies.

use crate::model::{MailboxKey, MailboxRole};
use crate::source::imap::{ImapSource, Remote};
use crate::store::{CopyProblem, CopyTask, RemoteCopyId, RemoteMailbox};
use crate::sync::SyncError;
use crate::sync::draft_mirror::{DraftMirror, RemoteDrafts, leave_to_provider};
use crate::sync::imap::pass::Pass;

/// A mailbox, selected.
struct ImapDrafts<'a> {
    source: &'a mut ImapSource,
    mailbox: MailboxKey,
    wire_name: String,
    uidvalidity: u32,
    flags: &'static str,
    trash: Option<String>,
}

impl ImapDrafts<'_> {
    fn at(&self, uid: u32) -> RemoteCopyId {
        RemoteCopyId::Uid { mailbox: self.mailbox, uidvalidity: self.uidvalidity, uid }
    }

    /// The uid of a remote_id, if it still means something in this mailbox.
    fn uid(&self, remote_id: &RemoteCopyId) -> Option<u32> {
        match remote_id {
            RemoteCopyId::Uid { mailbox, uidvalidity, uid }
                if *mailbox == self.mailbox && *uidvalidity == self.uidvalidity =>
            {
                Some(*uid)
            }
            _ => None,
        }
    }
}

impl RemoteDrafts for ImapDrafts<'_> {
    fn holds(&mut self, remote_id: &RemoteCopyId) -> Result<bool, SyncError> {
        match self.uid(remote_id) {
            Some(uid) => Ok(self.source.is_there(uid)?),
            None => Ok(false),
        }
    }

    fn find(&mut self, message_id: &str) -> Result<Vec<RemoteCopyId>, SyncError> {
        let uids = self.source.with_message_id(message_id)?;
        Ok(uids.into_iter().map(|uid| self.at(uid)).collect())
    }

    fn find_renamed(&mut self, message_id: &str) -> Result<Vec<RemoteCopyId>, SyncError> {
        let uids = self.source.renamed_from(message_id)?;
        Ok(uids.into_iter().map(|uid| self.at(uid)).collect())
    }

    fn bytes(&mut self, remote_id: &RemoteCopyId) -> Result<Option<Vec<u8>>, SyncError> {
        match self.uid(remote_id) {
            Some(uid) => Ok(self.source.bytes_of(uid)?),
            None => Ok(None),
        }
    }

    fn put(&mut self, message_id: &str, raw: &[u8]) -> Result<RemoteCopyId, SyncError> {
        if let Some((uidvalidity, uid)) = self.source.append(&self.wire_name, self.flags, raw)? {
            return Ok(RemoteCopyId::Uid { mailbox: self.mailbox, uidvalidity, uid });
        }
        // The server does not say where it put the message; what was added last with this Message-ID is it.
        self.source.refresh()?;
        let newest = self.source.with_message_id(message_id)?.pop();
        newest.map(|uid| self.at(uid)).ok_or_else(|| self.source.lost_append(&self.wire_name).into())
    }

    fn remove(&mut self, remote_id: &RemoteCopyId) -> Result<(), SyncError> {
        let Some(uid) = self.uid(remote_id) else { return Ok(()) };
        Ok(self.source.remove(uid, self.trash.as_deref())?)
    }
}

impl Pass<'_> {
    /// Takes to the server what waits for it. Mailboxes are those that were met before, unless none is for drafts.
    pub(in crate::sync) fn push_only(&mut self) -> Result<(), SyncError> {
        self.push()?;
        if self.reader.copy_tasks(self.account.key)?.is_empty() {
            return Ok(());
        }
        if self.named_for(MailboxRole::Drafts)?.is_some() {
            return self.keep_copies(&[], &[]).map(drop);
        }
        let remotes = self.remotes()?;
        let mailboxes = self.mailboxes_for(&remotes)?;
        self.keep_copies(&remotes, &mailboxes).map(drop)
    }

    /// Keeps copies of what was written here; says whether anything was done on the server.
    pub(in crate::sync) fn keep_copies(
        &mut self,
        remotes: &[Remote],
        mailboxes: &[RemoteMailbox],
    ) -> Result<bool, SyncError> {
        let tasks = self.reader.copy_tasks(self.account.key)?;
        for role in [MailboxRole::Drafts, MailboxRole::Sent] {
            let own: Vec<_> = tasks.iter().filter(|task| task.role == role).collect();
            if !own.is_empty() {
                let marked = remotes.iter().find(|remote| remote.role == Some(role.name()));
                let marked =
                    marked.and_then(|marked| mailboxes.iter().find(|m| m.wire_name == marked.wire_name));
                self.keep_in(role, &own, marked.cloned())?;
            }
        }
        Ok(!tasks.is_empty())
    }

    fn keep_in(
        &mut self,
        role: MailboxRole,
        tasks: &[&CopyTask],
        marked: Option<RemoteMailbox>,
    ) -> Result<(), SyncError> {
        if role == MailboxRole::Sent && self.source.keeps_sent() {
            return leave_to_provider(self.feed, tasks);
        }
        let mailbox = marked.map_or_else(|| self.unmarked_mailbox(role), |marked| Ok(Some(marked)))?;
        let Some(mailbox) = mailbox else {
            let problem = format!("the server has no mailbox for {} and lets us make none", role.name());
            return self.refuse_all(tasks, &problem);
        };
        let uidvalidity = match self.source.select(&mailbox.wire_name) {
            Err(error) if ImapSource::is_refusal(&error) => {
                return self.refuse_all(tasks, &error.to_string());
            }
            other => other?,
        };
        let trash = self.reader.mailbox_for(self.account.key, MailboxRole::Trash.name())?;
        let flags = if role == MailboxRole::Drafts { "\\Draft \\Seen" } else { "\\Seen" };
        let Self { source, reader, feed, report, .. } = self;
        let (mailbox, wire_name) = (mailbox.key, mailbox.wire_name);
        let mut drafts = ImapDrafts { source, mailbox, wire_name, uidvalidity, flags, trash };
        let mut mirror = DraftMirror { drafts: &mut drafts, reader, feed, report };
        tasks.iter().try_for_each(|task| mirror.carry_out(task))
    }

    /// The mailbox for a use on a server that marks none: one with a usual name, or a new one.
    fn unmarked_mailbox(&mut self, role: MailboxRole) -> Result<Option<RemoteMailbox>, SyncError> {
        if let Some(known) = self.named_for(role)? {
            return Ok(Some(known));
        }
        if !self.source.make_mailbox(role.name())? {
            return Ok(None);
        }
        let remotes = self.remotes()?;
        self.mailboxes_for(&remotes)?;
        self.named_for(role)
    }

    fn named_for(&self, role: MailboxRole) -> Result<Option<RemoteMailbox>, SyncError> {
        let name = self.reader.mailbox_for(self.account.key, role.name())?;
        let all = self.reader.remote_mailboxes(self.account.key)?;
        Ok(all.into_iter().find(|mailbox| Some(&mailbox.wire_name) == name.as_ref()))
    }

    fn refuse_all(&mut self, tasks: &[&CopyTask], problem: &str) -> Result<(), SyncError> {
        self.report.problems.push(problem.to_owned());
        let all: Vec<_> = tasks.iter().map(|task| (task.role, task.message_id.clone())).collect();
        let problem = problem.to_owned();
        self.feed.change(Box::new(move |tx| {
            all.iter().try_for_each(|(role, message_id)| {
                tx.note_copy_problem((*role, message_id), CopyProblem::Refused, &problem)
            })
        }))?;
        Ok(self.feed.flush()?)
    }
}
