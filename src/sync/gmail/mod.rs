//! One pass over an account in Gmail: tell it what was changed here, learn what has happened there, bring in what is
//! new, and only then take away what has gone.
//!
//! The point in the history is taken before anything is listed, and what has happened since is applied to what was
//! listed. Putting a label on and taking it off can be repeated, and the last word counts: so a list that is a little
//! older or newer than another, and a pass that was cut off, all lead to the same end.

mod fill;
mod follow;
mod push;
mod drafts;

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use crate::model::{DateHints, MailboxKey, MailboxRole, MessageKey};
use crate::source::SourceError;
use crate::source::gmail::{
    self, Fetched, GmailSource, History, LabelIds, LabelNames, Outcome, UNITS_PER_MESSAGE, standing,
};
use crate::store::{GmailPlace, Reader, ServerUid};
use crate::sync::account::{AccountReport, SyncAccount, SyncProgress};
use crate::sync::imap::pass::STEP;
use crate::sync::pipeline::{Destination, Feed};
use crate::sync::prepare::{GmailIds, Raw};
use crate::sync::{SyncError, gone};

/// One pass over one account.
pub(super) struct GmailPass<'a> {
    pub(super) source: GmailSource<'a>,
    pub(super) reader: &'a Reader,
    pub(super) feed: &'a mut Feed<Destination>,
    pub(super) account: &'a SyncAccount,
    pub(super) progress: &'a SyncProgress,
    pub(super) report: &'a mut AccountReport,
    /// The account's mailboxes.
    pub(super) boxes: Boxes,
    /// Messages that did not come in this pass.
    pub(super) unread: BTreeSet<u64>,
    /// Messages that could not be found when they were fetched.
    pub(super) lost: BTreeSet<u64>,
}

/// Up to so many messages that have gone are asked for one by one before that is believed.
const MOST_CONFIRMED: usize = 500;

/// The mailboxes of an account in Gmail.
#[derive(Debug, Clone, Default)]
pub(super) struct Boxes(Vec<(MailboxRole, MailboxKey)>);

impl Boxes {
    fn keys(&self) -> Vec<MailboxKey> {
        self.0.iter().map(|(_, key)| *key).collect()
    }

    /// Where a message with these labels belongs.
    fn place(&self, number: u32, gmail_id: u64, ids: LabelIds, names: &LabelNames) -> GmailPlace {
        let standing = standing(&ids, names);
        let (inside, outside): (Vec<_>, Vec<_>) =
            self.0.iter().partition(|(role, _)| standing.roles.contains(role));
        let keys = |all: Vec<&(MailboxRole, MailboxKey)>| all.into_iter().map(|(_, key)| *key).collect();
        GmailPlace {
            number,
            gmail_id,
            ids,
            mailboxes: keys(inside),
            elsewhere: keys(outside),
            flags: standing.flags,
            labels: standing.labels,
        }
    }
}

impl GmailPass<'_> {
    /// Makes what is here the same as what Gmail has; what Gmail no longer has stays, as gone.
    pub(super) fn run(&mut self) -> Result<(), SyncError> {
        self.bring_in()?;
        gone::let_go(self.reader, self.feed, self.account, self.report)
    }

    /// Takes to Gmail what waits for it.
    pub(super) fn push_only(&mut self) -> Result<(), SyncError> {
        self.boxes = self.find_boxes()?;
        self.push()?;
        self.keep_copies()
    }

    fn bring_in(&mut self) -> Result<(), SyncError> {
        self.boxes = self.find_boxes()?;
        let touched = self.push()?;
        self.keep_copies()?;
        let since = self.reader.gmail_history(self.account.key)?;
        let history = since.map(|since| self.source.history(since)).transpose()?.flatten();
        if let Some(history) = history {
            return self.follow(history, touched);
        }
        let Some(start) = self.fill()? else { return Ok(()) };
        // When it was forgotten already, the next sync looks at everything anew.
        let nothing = History { newest: start, events: Vec::new() };
        let history = self.source.history(start)?.unwrap_or(nothing);
        self.follow(history, touched)
    }

    /// The rows of the mailboxes, made where they are missing.
    fn find_boxes(&mut self) -> Result<Boxes, SyncError> {
        let account = self.account.key;
        let find = |reader: &Reader| -> Result<Boxes, SyncError> {
            let rows = reader.remote_mailboxes(account)?;
            let row = |role: MailboxRole| {
                let fits = |name: &str, wire_name: &str| {
                    name == role.usual_mailbox() && wire_name == gmail::remote_name(role)
                };
                rows.iter().find(|row| fits(&row.name, &row.wire_name)).map(|row| (role, row.key))
            };
            Ok(Boxes(gmail::mailboxes().into_iter().filter_map(row).collect()))
        };
        let boxes = find(self.reader)?;
        if boxes.0.len() == gmail::mailboxes().len() {
            return Ok(boxes);
        }
        self.feed.change(Box::new(move |tx| {
            gmail::mailboxes().into_iter().try_for_each(|role| {
                let (name, remote) = (role.usual_mailbox(), gmail::remote_name(role));
                tx.remote_mailbox(account, name, remote, Some(role.name())).map(|_| ())
            })
        }))?;
        self.feed.flush()?;
        find(self.reader)
    }

    /// Puts a message that is here where its labels say.
    fn place(&mut self, message: MessageKey, place: GmailPlace) -> Result<(), SyncError> {
        self.feed.change(Box::new(move |tx| tx.place_gmail(message, &place).map(|_| ())))?;
        Ok(())
    }

    /// Notes messages that Gmail has and that were not known.
    fn add(&mut self, ids: &[u64]) -> Result<(), SyncError> {
        if ids.is_empty() {
            return Ok(());
        }
        let account = self.account.key;
        for ids in ids.chunks(STEP * 10) {
            let ids = ids.to_vec();
            self.feed.change(Box::new(move |tx| tx.add_gmail(account, &ids)))?;
        }
        Ok(self.feed.flush()?)
    }

    /// Brings messages in, in this order. Their rows must be there.
    fn fetch(&mut self, ids: &[u64], names: &LabelNames) -> Result<(), SyncError> {
        let ids: Vec<u64> = ids.iter().copied().filter(|id| !self.unread.contains(id)).collect();
        if ids.is_empty() {
            return Ok(());
        }
        let address = &self.account.address;
        self.progress.begin(address, ids.len());
        if let Some(gmail) = &self.account.gmail {
            self.progress.limit(address, gmail.quota.per_second(UNITS_PER_MESSAGE));
        }
        let mut intake = Intake {
            reader: self.reader,
            feed: &mut *self.feed,
            account: self.account,
            progress: self.progress,
            report: &mut *self.report,
            boxes: &self.boxes,
            unread: &mut self.unread,
            lost: &mut self.lost,
            names,
        };
        self.source.fetch(&ids, |outcome| intake.take(outcome))?;
        self.settle_lost()
    }

    /// What could not be found when it was fetched has gone since it was listed, if Gmail says so once more.
    fn settle_lost(&mut self) -> Result<(), SyncError> {
        for id in std::mem::take(&mut self.lost) {
            if !self.source.has(id)? {
                self.remove(&[id])?;
                continue;
            }
            self.report.lacks(format!("message {id:x}: Gmail has it and does not give it"));
            self.unread.insert(id);
        }
        Ok(())
    }

    /// Takes away what Gmail no longer has.
    fn remove(&mut self, ids: &[u64]) -> Result<(), SyncError> {
        let (account, keys) = (self.account.key, self.boxes.keys());
        for ids in ids.chunks(STEP) {
            let (ids, keys, gone) = (ids.to_vec(), keys.clone(), self.report.gone.clone());
            self.feed.change(Box::new(move |tx| {
                ids.iter().try_for_each(|id| {
                    gone.add(u64::from(tx.remove_gmail(account, *id, &keys)?));
                    Ok(())
                })
            }))?;
        }
        Ok(())
    }

    /// Of messages that are said to have gone, those that Gmail itself says it does not have.
    fn surely_gone(&mut self, ids: Vec<u64>) -> Result<Vec<u64>, SyncError> {
        let mut gone = Vec::new();
        for id in ids {
            if !self.source.has(id)? {
                gone.push(id);
            }
        }
        Ok(gone)
    }

    /// Writes down how far we are, and the names that all of it goes by.
    fn settle(&mut self, newest: u64, names: &LabelNames) -> Result<(), SyncError> {
        let (account, names) = (self.account.key, names.clone());
        self.feed.change(Box::new(move |tx| {
            tx.set_gmail_labels(account, &names)?;
            tx.set_history(account, Some(newest))
        }))?;
        Ok(self.feed.flush()?)
    }
}

/// Takes in what the source gives.
struct Intake<'i> {
    reader: &'i Reader,
    feed: &'i mut Feed<Destination>,
    account: &'i SyncAccount,
    progress: &'i SyncProgress,
    report: &'i mut AccountReport,
    boxes: &'i Boxes,
    unread: &'i mut BTreeSet<u64>,
    lost: &'i mut BTreeSet<u64>,
    names: &'i LabelNames,
}

impl Intake<'_> {
    fn take(&mut self, outcome: Outcome) -> Result<(), SyncError> {
        if self.progress.stop.load(Ordering::Relaxed) {
            return Err(SourceError::stopped().into());
        }
        self.progress.done(&self.account.address, 1);
        match outcome {
            Outcome::Came(message) => self.store(*message),
            Outcome::Gone(id) => {
                self.lost.insert(id);
                Ok(())
            }
            Outcome::Unread(id, problem, retry) => self.note(id, problem, retry),
        }
    }

    fn store(&mut self, message: Fetched) -> Result<(), SyncError> {
        let Some(row) = self.reader.gmail_row(self.account.key, message.id)? else { return Ok(()) };
        let place = self.boxes.place(row.number, message.id, message.labels, self.names);
        let Some(mailbox) = place.mailboxes.first().copied() else { return Ok(()) };
        self.report.fetched += 1;
        let internal_epoch = message.internal_epoch.unwrap_or(0);
        let hints = DateHints { mbox_line: None, file_time: message.internal_epoch };
        let gmail = Some(GmailIds { message: message.id, thread: message.thread });
        let to = Destination {
            mailbox,
            flags: place.flags,
            labels: place.labels.clone(),
            on_server: Some(ServerUid { uid: row.number, internal_epoch }),
            afterwards: Some(Box::new(move |tx, key| tx.place_gmail(key, &place).map(|_| ()))),
        };
        Ok(self.feed.message(Raw { bytes: message.bytes, hints, gmail }, to)?)
    }

    fn note(&mut self, id: u64, problem: String, retry: bool) -> Result<(), SyncError> {
        let Some(row) = self.reader.gmail_row(self.account.key, id)? else { return Ok(()) };
        self.report.lacks(format!("message {id:x}: {problem}"));
        self.unread.insert(id);
        Ok(self.feed.change(Box::new(move |tx| tx.note_gmail_problem(row.number, &problem, retry)))?)
    }
}

/// Labels that were made, renamed or deleted between two lists of names.
fn renamed(before: &LabelNames, after: &LabelNames) -> BTreeSet<String> {
    let all = before.keys().chain(after.keys());
    all.filter(|id| before.get(*id) != after.get(*id)).cloned().collect()
}
