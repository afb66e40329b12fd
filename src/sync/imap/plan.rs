//! What must be done for one mailbox: the difference between what the server has and what is here. No network.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{MailboxKey, UidSet};
use crate::source::imap::{FlagState, Listing, Opened};
use crate::store::{NewFacts, Reader, RemoteMailbox, StoreError};

/// What must be done for one mailbox.
#[derive(Debug, Clone)]
pub(in crate::sync) struct Plan {
    pub(in crate::sync) mailbox: MailboxKey,
    pub(in crate::sync) wire_name: String,
    pub(in crate::sync) name: String,
    pub(in crate::sync) uidvalidity: u32,
    pub(in crate::sync) next_uid: u32,
    pub(in crate::sync) modseq: Option<u64>,
    /// Uids to bring in, ascending.
    pub(in crate::sync) new: Vec<u32>,
    /// Other flags and labels for what is here.
    pub(in crate::sync) facts: Vec<NewFacts>,
    /// Uids that the server no longer has.
    pub(in crate::sync) vanished: Vec<u32>,
    /// Whether everything the server has was looked at.
    pub(in crate::sync) is_full: bool,
    /// What of the server's word does not add up. Then nothing has gone, and the next sync looks at everything anew.
    pub(in crate::sync) doubt: Option<String>,
}

impl Plan {
    pub(in crate::sync) fn empty(local: &RemoteMailbox, opened: &Opened) -> Self {
        Self {
            mailbox: local.key,
            wire_name: local.wire_name.clone(),
            name: local.name.clone(),
            uidvalidity: opened.uidvalidity,
            next_uid: opened.next_uid,
            modseq: opened.modseq,
            new: Vec::new(),
            facts: Vec::new(),
            vanished: Vec::new(),
            is_full: false,
            doubt: None,
        }
    }

    /// Believes nothing of what has gone.
    pub(in crate::sync) fn doubted(mut self, why: String) -> Self {
        self.vanished.clear();
        self.doubt = Some(why);
        self
    }

    /// The same mailbox with only these messages to bring in.
    pub(in crate::sync) fn with_new(&self, new: Vec<u32>) -> Self {
        Self { new, ..self.clone() }
    }

    /// Whether there is nothing to do, and nothing new to write down.
    pub(in crate::sync) fn is_idle(&self, local: &RemoteMailbox) -> bool {
        self.new.is_empty()
            && self.facts.is_empty()
            && self.vanished.is_empty()
            && (self.next_uid, self.modseq) == (local.next_uid, local.modseq)
    }

    /// The difference by what the server says has changed; `None` when that does not add up to what it has now.
    pub(in crate::sync) fn of_changes(
        reader: &Reader,
        local: &RemoteMailbox,
        opened: &Opened,
        changed: &[FlagState],
    ) -> Result<Option<Self>, StoreError> {
        let _one_state = reader.snapshot()?;
        let mut plan = Self::empty(local, opened);
        let unfetched: BTreeMap<u32, bool> = reader.unfetched(local.key)?.into_iter().collect();
        let mut arrived = BTreeSet::new();
        for seen in changed.iter().filter(|seen| !opened.vanished.contains(seen.uid)) {
            match reader.placed_at(local.key, seen.uid)? {
                Some(placed) if placed.has(seen.flags, &seen.labels) => {}
                Some(_) => plan.facts.push(facts(seen)),
                None if unfetched.contains_key(&seen.uid) => {}
                None => {
                    arrived.insert(seen.uid);
                }
            }
        }
        for (first, last) in opened.vanished.ranges() {
            plan.vanished.extend(reader.uids_between(local.key, *first, *last)?);
        }
        let lost = unfetched.keys().filter(|uid| opened.vanished.contains(**uid));
        plan.vanished.extend(lost.copied());
        let expected = local.count + arrived.len() as u64 - (plan.vanished.len() as u64).min(local.count);
        let retried = unfetched.iter().filter(|(uid, retry)| **retry && !opened.vanished.contains(**uid));
        plan.new = arrived.into_iter().chain(retried.map(|(uid, _)| *uid)).collect();
        plan.new.sort_unstable();
        Ok((expected == u64::from(opened.exists)).then_some(plan))
    }

    /// The difference by all that the server has.
    pub(in crate::sync) fn of_listing(
        reader: &Reader,
        local: &RemoteMailbox,
        opened: &Opened,
        listing: &Listing,
    ) -> Result<Self, StoreError> {
        let mut plan = Self { is_full: true, ..Self::empty(local, opened) };
        let mut here: BTreeMap<u32, _> =
            reader.placed(local.key)?.into_iter().map(|placed| (placed.uid, placed)).collect();
        let mut unfetched: BTreeMap<u32, bool> = reader.unfetched(local.key)?.into_iter().collect();
        let mut new = BTreeSet::new();
        for seen in &listing.seen {
            match (here.remove(&seen.uid), unfetched.remove(&seen.uid)) {
                (Some(placed), _) if placed.has(seen.flags, &seen.labels) => {}
                (Some(_), _) => plan.facts.push(facts(seen)),
                (None, Some(false)) => {}
                (None, _) => {
                    new.insert(seen.uid);
                }
            }
        }
        plan.new = new.into_iter().collect();
        plan.vanished = here.into_keys().chain(unfetched.into_keys()).collect();
        if listing.is_whole {
            return Ok(plan);
        }
        let (listed, announced) = (listing.seen.len(), opened.exists);
        let why = match listed == announced as usize {
            true => {
                format!("of {listed} messages the server lists some under uids that it has not given yet")
            }
            false => format!("the server says it has {announced} messages and lists {listed}"),
        };
        Ok(plan.doubted(why))
    }

    /// Whether the plan takes for granted that messages have gone, or that none came where uids were given.
    pub(in crate::sync) fn must_be_confirmed(&self, local: &RemoteMailbox) -> bool {
        let given = local.next_uid..self.next_uid;
        let came = self.new.iter().filter(|uid| given.contains(uid)).count();
        !self.vanished.is_empty() || came < given.len()
    }

    /// Whether what will be here by this plan is what the server has.
    pub(in crate::sync) fn leads_to(&self, reader: &Reader, there: &UidSet) -> Result<bool, StoreError> {
        let vanished: BTreeSet<u32> = self.vanished.iter().copied().collect();
        let mut here: BTreeSet<u32> = reader.uids_between(self.mailbox, 1, u32::MAX)?.into_iter().collect();
        here.extend(reader.unfetched(self.mailbox)?.into_iter().map(|(uid, _)| uid));
        here.extend(&self.new);
        let left = here.difference(&vanished);
        Ok(left.clone().count() as u64 == there.count() && left.copied().all(|uid| there.contains(uid)))
    }
}

fn facts(seen: &FlagState) -> NewFacts {
    NewFacts { uid: seen.uid, flags: seen.flags, labels: seen.labels.clone() }
}
