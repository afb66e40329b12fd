//! One pass over an account on an IMAP server: learn what has changed in all mailboxes, bring in what is new, and
//! only then take away what has gone. So a message that was moved is still here when it is met in its new place,
//! and a pass that is cut off anywhere has taken nothing away that the next one would have to fetch again.

use std::collections::{BTreeSet, HashMap};

use crate::model::{DateHints, MailboxKey};
use crate::source::imap::{Cursor, FetchFailure, FetchMode, ImapSource, Listing, Message, Remote};
use crate::store::{NewPlacement, Reader, RemoteMailbox, ServerUid, Unmatched};
use crate::sync::account::{AccountReport, SyncAccount, SyncOptions, SyncProgress};
use crate::sync::imap::beside::Looked;
use crate::sync::imap::plan::Plan;
use crate::sync::pipeline::{Destination, Feed};
use crate::sync::prepare::{GmailIds, Raw};
use crate::sync::{SyncError, gone};

/// How many rows one change of the store touches at most, so that transactions stay short.
pub(in crate::sync) const STEP: usize = 200;
/// How many messages are asked for their size at once.
const SIZES: usize = 1000;

/// One pass over one account.
pub(in crate::sync) struct Pass<'a> {
    pub(in crate::sync) source: ImapSource,
    pub(in crate::sync) reader: &'a Reader,
    pub(in crate::sync) feed: &'a mut Feed<Destination>,
    pub(in crate::sync) account: &'a SyncAccount,
    pub(in crate::sync) options: &'a SyncOptions,
    /// Connections beside the first one that are still good.
    pub(in crate::sync) spare: Vec<ImapSource>,
    pub(in crate::sync) progress: &'a SyncProgress,
    pub(in crate::sync) report: &'a mut AccountReport,
    pub(in crate::sync) scope: Scope,
}

/// What of an account is brought in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sync) enum Scope {
    /// Everything, both ways.
    Everything,
    /// Only what must be read to have every message of Gmail's once, and only from the server.
    GmailMessages,
}

impl Scope {
    /// Whether a mailbox belongs to it. In Gmail all that is neither trash nor spam is in one.
    fn covers(self, remote: &Remote) -> bool {
        self == Self::Everything || matches!(remote.role, Some("archive" | "trash" | "spam"))
    }
}

/// Messages that may be met again under another uid, by size.
pub(in crate::sync) type UnmatchedBySize = HashMap<u64, Vec<Unmatched>>;

impl Pass<'_> {
    /// Makes what is here the same as what the server has; what the server no longer has stays, as gone.
    pub(in crate::sync) fn run(&mut self) -> Result<(), SyncError> {
        if self.scope == Scope::Everything {
            self.push()?;
        }
        let mut remotes = self.remotes()?;
        let mut locals = self.mailboxes_for(&remotes)?;
        if self.scope == Scope::Everything && self.keep_copies(&remotes, &locals)? {
            remotes = self.remotes()?;
            locals = self.mailboxes_for(&remotes)?;
        }
        let plans = self.learn_all(&remotes, &locals)?;
        let dropped = self.dropped_mailboxes(&remotes, &locals)?;
        let unmatched = self.unmatched(&plans, &dropped)?;
        let total = plans.iter().map(|plan| plan.new.len()).sum();
        self.progress.begin(&self.account.address, total);
        self.bring_in_all(&plans, &unmatched)?;
        if !plans.is_empty() || !dropped.is_empty() {
            self.settle(&plans)?;
            let Self { reader, feed, report, .. } = self;
            dropped.into_iter().try_for_each(|mailbox| drop_mailbox(reader, feed, report, mailbox))?;
        }
        gone::let_go(self.reader, self.feed, self.account, self.report)
    }

    /// Finds out what has changed in all mailboxes.
    fn learn_all(&mut self, remotes: &[Remote], locals: &[RemoteMailbox]) -> Result<Vec<Plan>, SyncError> {
        let mut looked = self.look_ahead(remotes, locals)?;
        let mut plans = Vec::new();
        for remote in remotes {
            let Some(local) = locals.iter().find(|local| local.wire_name == remote.wire_name) else {
                continue;
            };
            match self.learn(remote, local, looked.remove(&remote.wire_name)) {
                Ok(plan) => plans.extend(plan),
                Err(error) if error.is_refusal() => {
                    self.report.lacks(format!("mailbox `{}`: {error}", remote.name));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(plans)
    }

    /// Mailboxes that the server no longer has. Its list is not enough: each is asked for by name.
    fn dropped_mailboxes<'l>(
        &mut self,
        remotes: &[Remote],
        locals: &'l [RemoteMailbox],
    ) -> Result<Vec<&'l RemoteMailbox>, SyncError> {
        let mut dropped = Vec::new();
        if self.scope != Scope::Everything {
            return Ok(dropped);
        }
        for local in locals {
            if remotes.iter().any(|remote| remote.wire_name == local.wire_name) {
                continue;
            }
            if self.source.has_mailbox(&local.wire_name)? {
                let name = &local.name;
                self.report.lacks(format!("the server's list leaves out the mailbox `{name}`, which it has"));
            } else {
                dropped.push(local);
            }
        }
        Ok(dropped)
    }

    /// The server's mailboxes that are looked at.
    pub(in crate::sync) fn remotes(&mut self) -> Result<Vec<Remote>, SyncError> {
        let large = self.large_mailboxes()?;
        let mut remotes = self.source.mailboxes(&large)?;
        remotes.problems.into_iter().for_each(|problem| self.report.lacks(problem));
        remotes.mailboxes.retain(|remote| self.scope.covers(remote));
        Ok(remotes.mailboxes)
    }

    /// Mailboxes whose state is learnt by opening them.
    fn large_mailboxes(&self) -> Result<BTreeSet<String>, SyncError> {
        let locals = self.reader.remote_mailboxes(self.account.key)?;
        let is_large = |local: &RemoteMailbox| local.count >= self.source.large();
        let large = locals.into_iter().filter(|l| l.filled && l.modseq.is_some() && is_large(l));
        Ok(large.map(|local| local.wire_name).collect())
    }

    /// The rows of the server's mailboxes, made where they are missing.
    pub(in crate::sync) fn mailboxes_for(
        &mut self,
        remotes: &[Remote],
    ) -> Result<Vec<RemoteMailbox>, SyncError> {
        let account = self.account.key;
        let locals = self.reader.remote_mailboxes(account)?;
        let missing: Vec<_> = remotes
            .iter()
            .filter(|remote| !locals.iter().any(|local| local.wire_name == remote.wire_name))
            .map(|remote| (remote.name.clone(), remote.wire_name.clone(), remote.role))
            .collect();
        if missing.is_empty() {
            return Ok(locals);
        }
        self.feed.change(Box::new(move |tx| {
            for (name, remote, role) in &missing {
                tx.remote_mailbox(account, name, remote, *role)?;
            }
            Ok(())
        }))?;
        self.feed.flush()?;
        Ok(self.reader.remote_mailboxes(account)?)
    }

    /// Finds out what has changed in a mailbox, which may have been looked into; `None` when nothing has.
    fn learn(
        &mut self,
        remote: &Remote,
        local: &RemoteMailbox,
        looked: Option<Looked>,
    ) -> Result<Option<Plan>, SyncError> {
        if is_unchanged(remote, local) {
            return Ok(None);
        }
        let cursor = Cursor { uidvalidity: local.uidvalidity, modseq: local.modseq };
        let is_clear =
            |looked: &Looked| looked.listing.is_whole && (looked.opened.exists > 0 || local.count == 0);
        let (mut opened, listing) = match looked.filter(is_clear) {
            Some(looked) => (looked.opened, Some(looked.listing)),
            None => (self.source.examine(&local.wire_name, local.filled.then_some(cursor))?, None),
        };
        let mut local = local.clone();
        if opened.uidvalidity != local.uidvalidity {
            self.detach(local.key, opened.uidvalidity)?;
            local.count = 0;
        } else if let Some(changed) = opened.changed.take()
            && let Some(plan) = Plan::of_changes(self.reader, &local, &opened, &changed)?
            && self.is_confirmed(&plan, &local)?
        {
            return Ok(Some(plan).filter(|plan| !plan.is_idle(&local)));
        }
        let has_any = local.count > 0 || opened.exists > 0;
        let whole = Listing { is_whole: true, ..Listing::default() };
        let listing = match listing {
            Some(listing) => listing,
            None if has_any => self.source.list_all(&opened)?,
            None => whole,
        };
        let plan = Plan::of_listing(self.reader, &local, &opened, &listing)?;
        self.compared(plan, remote, listing.seen.len()).map(Some)
    }

    /// Whether the server's list of uids bears out what a plan takes for granted.
    fn is_confirmed(&mut self, plan: &Plan, local: &RemoteMailbox) -> Result<bool, SyncError> {
        if !plan.must_be_confirmed(local) {
            return Ok(true);
        }
        match self.source.uids()? {
            Some(there) => Ok(plan.leads_to(self.reader, &there)?),
            None => Ok(false),
        }
    }

    /// The plan, doubted when the server has said before that there are more messages, and says so again.
    fn compared(&mut self, plan: Plan, remote: &Remote, listed: usize) -> Result<Plan, SyncError> {
        let has_more = |count: Option<u32>| count.is_some_and(|count| count as usize > listed);
        let told = remote.status.as_ref().and_then(|status| status.messages);
        if plan.doubt.is_some() || !has_more(told) {
            return Ok(plan);
        }
        match self.source.message_count(&remote.wire_name)? {
            count @ Some(told) if has_more(count) => {
                Ok(plan.doubted(format!("the server says it has {told} messages and shows {listed}")))
            }
            _ => Ok(plan),
        }
    }

    /// The server gave new uids to everything: what is here waits to be found under them.
    fn detach(&mut self, mailbox: MailboxKey, uidvalidity: u32) -> Result<(), SyncError> {
        self.feed.change(Box::new(move |tx| tx.detach(mailbox, uidvalidity)))?;
        Ok(self.feed.flush()?)
    }

    /// What may be met again: moved, renamed, under new uids, or from files.
    fn unmatched(&self, plans: &[Plan], gone: &[&RemoteMailbox]) -> Result<UnmatchedBySize, SyncError> {
        let mut by_size = UnmatchedBySize::new();
        let mut add = |unmatched: Unmatched| by_size.entry(unmatched.size).or_default().push(unmatched);
        if plans.iter().all(|plan| plan.new.is_empty()) {
            return Ok(by_size);
        }
        self.reader.unmatched_messages(self.account.key)?.into_iter().for_each(&mut add);
        for plan in plans {
            for uid in &plan.vanished {
                self.reader.message_at(plan.mailbox, *uid)?.into_iter().for_each(&mut add);
            }
        }
        for mailbox in gone {
            self.reader.messages_in(mailbox.key)?.into_iter().for_each(&mut add);
        }
        Ok(by_size)
    }

    pub(in crate::sync) fn set_facts(&mut self, plan: &Plan) -> Result<(), SyncError> {
        for facts in plan.facts.chunks(STEP) {
            let (mailbox, facts) = (plan.mailbox, facts.to_vec());
            self.report.changed += facts.len() as u64;
            self.feed.change(Box::new(move |tx| {
                facts.iter().try_for_each(|facts| tx.set_facts(mailbox, facts).map(|_| ()))
            }))?;
        }
        Ok(())
    }

    pub(in crate::sync) fn bring_in(
        &mut self,
        plan: &Plan,
        unmatched: &UnmatchedBySize,
    ) -> Result<(), SyncError> {
        if plan.new.is_empty() {
            return Ok(());
        }
        self.progress.mailbox(&self.account.address, &plan.name, plan.new.len());
        self.source.reopen(&plan.wire_name, plan.uidvalidity)?;
        let unknown = match unmatched.is_empty() && !self.source.is_gmail() {
            true => plan.new.clone(),
            false => self.place_known(plan, unmatched)?,
        };
        let unknown: Vec<u32> =
            unknown.into_iter().filter(|uid| !self.report.given_up.contains(&(plan.mailbox, *uid))).collect();
        let mode = if self.report.is_careful { FetchMode::OneByOne } else { FetchMode::Many };
        let outcome = self.fetch(plan.mailbox, &unknown, mode);
        match (outcome, self.source.suspect()) {
            (Ok(unread), _) => self.note_failures(plan, unread),
            (Err(error), Some(uid)) if error.can_retry() => {
                self.give_up(plan, uid, &error)?;
                Err(error)
            }
            (Err(error), _) => Err(error),
        }
    }

    /// The server hangs up on one message: the others must not suffer for it.
    fn give_up(&mut self, plan: &Plan, uid: u32, error: &SyncError) -> Result<(), SyncError> {
        self.report.given_up.insert((plan.mailbox, uid));
        self.report.is_careful = false;
        let unread = FetchFailure { uid, problem: error.to_string(), retry: true };
        self.note_failures(plan, vec![unread])
    }

    /// Places what is here already, without asking for its bytes; gives back the uids of the rest.
    fn place_known(&mut self, plan: &Plan, unmatched: &UnmatchedBySize) -> Result<Vec<u32>, SyncError> {
        if self.source.is_gmail() {
            // Most of a mailbox of Gmail's is in others too: what came from those must be there to be found.
            self.feed.flush_if_any()?;
        }
        let mut unknown = plan.new.clone();
        for uids in plan.new.rchunks(SIZES) {
            let sized = self.source.sizes(uids)?;
            if self.source.is_gmail() {
                for message in sized {
                    let number = message.gmail.map(|(number, _)| number);
                    let account = self.account.key;
                    let key =
                        number.map(|number| self.reader.stored_with_gmail_id(account, number)).transpose()?;
                    if let Some(key) = key.flatten() {
                        unknown.retain(|uid| *uid != message.uid);
                        self.place(plan.mailbox, key, message)?;
                    }
                }
                continue;
            }
            let sizes: HashMap<u32, u64> = sized.iter().map(|message| (message.uid, message.size)).collect();
            let candidates: Vec<u32> = sized
                .iter()
                .filter(|message| {
                    unmatched.get(&message.size).is_some_and(|all| all.iter().any(|l| fits(l, message)))
                })
                .map(|message| message.uid)
                .collect();
            for message in self.source.beginnings(&candidates)? {
                // An answer about another message, or about another mailbox.
                if sizes.get(&message.uid) != Some(&message.size) {
                    continue;
                }
                let all = unmatched.get(&message.size).map_or(&[][..], Vec::as_slice);
                if let Some(key) = self.same_beginning(all, &message)? {
                    unknown.retain(|uid| *uid != message.uid);
                    self.place(plan.mailbox, key, message)?;
                }
            }
        }
        Ok(unknown)
    }

    /// The one message here with this size, date and beginning; `None` when there is none, or more than one.
    fn same_beginning(
        &self,
        unmatched: &[Unmatched],
        message: &Message,
    ) -> Result<Option<crate::model::MessageKey>, SyncError> {
        let mut found = None;
        for candidate in unmatched.iter().filter(|candidate| fits(candidate, message)) {
            let is_same = !message.bytes.is_empty()
                && self.reader.raw(candidate.message).is_ok_and(|raw| raw.starts_with(&message.bytes));
            match found {
                _ if !is_same => {}
                Some(other) if other != candidate.message => return Ok(None),
                _ => found = Some(candidate.message),
            }
        }
        Ok(found)
    }

    fn place(
        &mut self,
        mailbox: MailboxKey,
        key: crate::model::MessageKey,
        message: Message,
    ) -> Result<(), SyncError> {
        let internal_epoch = message.internal_epoch.unwrap_or(0);
        let on_server = Some(ServerUid { uid: message.uid, internal_epoch });
        self.report.placed += 1;
        self.progress.done(&self.account.address, 1);
        self.feed.change(Box::new(move |tx| {
            let place = NewPlacement { mailbox, flags: message.flags, labels: &message.labels, on_server };
            tx.place_stored(key, &place).map(|_| ())
        }))?;
        Ok(())
    }

    fn fetch(
        &mut self,
        mailbox: MailboxKey,
        uids: &[u32],
        mode: FetchMode,
    ) -> Result<Vec<FetchFailure>, SyncError> {
        let Self { source, feed, report, progress, account, .. } = self;
        source.fetch(uids, mode, |message: Message| {
            report.fetched += 1;
            progress.done(&account.address, 1);
            progress.check_stop()?;
            let (raw, to) = incoming(mailbox, message);
            Ok(feed.message(raw, to)?)
        })
    }

    /// Writes down which messages could not be had, and which now could.
    pub(in crate::sync) fn note_failures(
        &mut self,
        plan: &Plan,
        unread: Vec<FetchFailure>,
    ) -> Result<(), SyncError> {
        let mailbox = plan.mailbox;
        let before = self.reader.unfetched(mailbox)?;
        if before.is_empty() && unread.is_empty() {
            return Ok(());
        }
        for item in &unread {
            self.report.lacks(format!("message {} of `{}`: {}", item.uid, plan.name, item.problem));
        }
        let kept = |uid: &u32| self.report.given_up.contains(&(mailbox, *uid));
        let had: Vec<u32> = before.iter().map(|(uid, _)| *uid).collect();
        let had: Vec<u32> =
            had.into_iter().filter(|uid| plan.new.binary_search(uid).is_ok() && !kept(uid)).collect();
        self.feed.change(Box::new(move |tx| {
            had.iter().try_for_each(|uid| tx.forget_unfetched(mailbox, *uid))?;
            unread.iter().try_for_each(|item| tx.note_unfetched(mailbox, item.uid, &item.problem, item.retry))
        }))?;
        Ok(())
    }

    /// How many messages were not found again under new uids, once all that was found is stored.
    fn count_detached(&mut self, mailbox: MailboxKey) -> Result<usize, SyncError> {
        self.feed.flush()?;
        Ok(self.reader.detached_count(mailbox)?)
    }

    /// Takes away what has gone, and writes down how far each mailbox is. Steps are taken in the order in which they
    /// are handed in, so that nothing goes before what came is stored.
    fn settle(&mut self, plans: &[Plan]) -> Result<(), SyncError> {
        for plan in plans {
            match &plan.doubt {
                None => self.settle_one(plan)?,
                Some(doubt) => {
                    self.report.lacks(format!("mailbox `{}`: {doubt}; nothing is taken as gone", plan.name));
                    let mailbox = plan.mailbox;
                    self.feed.change(Box::new(move |tx| tx.unfill(mailbox)))?;
                }
            }
        }
        Ok(self.feed.flush()?)
    }

    fn settle_one(&mut self, plan: &Plan) -> Result<(), SyncError> {
        let mailbox = plan.mailbox;
        for uids in plan.vanished.chunks(STEP) {
            let (uids, gone) = (uids.to_vec(), self.report.gone.clone());
            self.feed.change(Box::new(move |tx| {
                uids.iter().try_for_each(|uid| {
                    gone.add(u64::from(tx.remove(mailbox, *uid)?));
                    tx.forget_unfetched(mailbox, *uid)
                })
            }))?;
        }
        let detached = if plan.is_full { self.count_detached(mailbox)? } else { 0 };
        // A message that could not be fetched may be one of those that wait to be found under new uids.
        if detached == 0 || self.reader.unfetched(mailbox)?.iter().all(|(_, retry)| !retry) {
            take_detached(self.feed, self.report, mailbox, detached)?;
        }
        let (next_uid, modseq) = (plan.next_uid, plan.modseq);
        self.feed.change(Box::new(move |tx| tx.set_filled(mailbox, next_uid, modseq)))?;
        Ok(())
    }
}

/// Takes placements of an earlier UIDVALIDITY away that were not found again.
pub(in crate::sync) fn take_detached(
    feed: &mut Feed<Destination>,
    report: &AccountReport,
    mailbox: MailboxKey,
    count: usize,
) -> Result<(), SyncError> {
    for _ in 0..count.div_ceil(STEP) {
        let gone = report.gone.clone();
        feed.change(Box::new(move |tx| {
            gone.add(tx.remove_detached(mailbox, STEP)?);
            Ok(())
        }))?;
    }
    Ok(())
}

/// A message of a mailbox as it is handed in.
pub(in crate::sync) fn incoming(mailbox: MailboxKey, message: Message) -> (Raw, Destination) {
    let hints = DateHints { mbox_line: None, file_time: message.internal_epoch };
    let gmail = message.gmail.map(|(message, thread)| GmailIds { message, thread });
    let internal_epoch = message.internal_epoch.unwrap_or(0);
    let to = Destination {
        mailbox,
        flags: message.flags,
        labels: message.labels,
        on_server: Some(ServerUid { uid: message.uid, internal_epoch }),
        afterwards: None,
    };
    (Raw { bytes: message.bytes, hints, gmail }, to)
}

/// Drops a mailbox that the server no longer has. What was in it and nowhere else stays, as gone.
pub(in crate::sync) fn drop_mailbox(
    reader: &Reader,
    feed: &mut Feed<Destination>,
    report: &AccountReport,
    mailbox: &RemoteMailbox,
) -> Result<(), SyncError> {
    let (key, count) = (mailbox.key, usize::try_from(mailbox.count).unwrap_or(0));
    for _ in 0..=count.div_ceil(STEP) + reader.detached_count(key)?.div_ceil(STEP) {
        let gone = report.gone.clone();
        feed.change(Box::new(move |tx| {
            gone.add(tx.remove_on_server(key, STEP)?);
            Ok(())
        }))?;
    }
    // The counts must be written before rows of counts are dropped.
    feed.flush()?;
    feed.change(Box::new(move |tx| tx.drop_mailbox(key)))?;
    Ok(feed.flush()?)
}

/// Whether a message on the server may be this one: everything but the bytes is the same.
fn fits(unmatched: &Unmatched, message: &Message) -> bool {
    unmatched.size == message.size && Some(unmatched.internal_epoch) == message.internal_epoch
}

/// Whether the server's word is enough that nothing has changed.
fn is_unchanged(remote: &Remote, local: &RemoteMailbox) -> bool {
    remote.status.as_ref().is_some_and(|status| {
        local.filled
            && local.to_retry == 0
            && status.modseq.is_some()
            && status.modseq == local.modseq
            && status.uidvalidity == Some(local.uidvalidity)
            && status.next_uid == Some(local.next_uid)
            && status.messages.map(u64::from) == Some(local.count)
    })
}
