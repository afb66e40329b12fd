//! Everything that Gmail has, against everything that is here: for the first time, and when the history does not reach
//! back far enough. What is here is not fetched again; its labels are learned from lists of each label's messages.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::source::gmail::{LabelIds, LabelNames, What};
use crate::sync::SyncError;
use crate::sync::gmail::{GmailPass, MOST_CONFIRMED, renamed};
use crate::sync::imap::pass::{drop_mailbox, take_detached};

/// How often everything is listed anew because something was taken away meanwhile.
const LISTINGS: u32 = 4;

/// What Gmail has.
#[derive(Default)]
struct Listing {
    /// Newest first.
    ids: Vec<u64>,
    met: HashSet<u64>,
    /// Labels of messages, as places in `labels`.
    carried: HashMap<u64, BTreeSet<u16>>,
    labels: Vec<String>,
    /// Whether nothing can have been missed.
    is_whole: bool,
}

impl Listing {
    fn add(&mut self, ids: Vec<u64>) {
        self.ids.extend(ids.into_iter().filter(|id| self.met.insert(*id)));
    }

    fn add_label(&mut self, label: &str, ids: Vec<u64>) {
        let place = self.labels.iter().position(|known| known == label).unwrap_or_else(|| {
            self.labels.push(label.to_owned());
            self.labels.len() - 1
        });
        let Ok(place) = u16::try_from(place) else { return };
        for id in ids {
            self.carried.entry(id).or_default().insert(place);
        }
    }

    fn labels_of(&self, id: u64) -> LabelIds {
        let places = self.carried.get(&id).into_iter().flatten();
        places.map(|place| self.labels[usize::from(*place)].clone()).collect()
    }
}

impl GmailPass<'_> {
    /// Brings in all that is missing and takes away what has gone; gives the point in the history to go on from, or
    /// `None` when Gmail's lists lack something, so that everything must be looked at anew.
    pub(super) fn fill(&mut self) -> Result<Option<u64>, SyncError> {
        let profile = self.source.own_profile()?;
        let start = profile.history_id;
        let names = self.source.labels()?;
        let listing = self.list(start, &names)?;
        let here = self.reader.gmail_ids(self.account.key)?;
        let known: HashSet<u64> = here.iter().copied().collect();
        let new: Vec<u64> = listing.ids.iter().copied().filter(|id| !known.contains(id)).collect();
        self.add(&new)?;
        let missing = self.place_known(&listing, &names)?;
        self.fetch(&missing, &names)?;
        self.feed.flush()?;
        let is_short = self.lacks_some(&listing, profile.messages_total)?;
        let unmet: Vec<u64> = here.into_iter().filter(|id| !listing.met.contains(id)).collect();
        let count = unmet.len();
        let adds_up = profile.messages_total.is_some_and(|total| listing.ids.len() as u64 >= total);
        let gone = match listing.is_whole && adds_up && count > MOST_CONFIRMED {
            true => unmet,
            false => self.surely_gone(unmet)?,
        };
        self.remove(&gone)?;
        if gone.len() < count {
            let left = count - gone.len();
            self.report.lacks(format!("Gmail's list leaves out {left} messages that Gmail has"));
        }
        if is_short || gone.len() < count {
            return Ok(None);
        }
        self.drop_others()?;
        self.settle(start, &names)?;
        Ok(Some(start))
    }

    /// Whether Gmail says that it has more messages than it lists. The same gap as the last time is its way of counting.
    fn lacks_some(&mut self, listing: &Listing, announced: Option<u64>) -> Result<bool, SyncError> {
        let listed = listing.ids.len() as u64;
        let Some(announced) = announced.filter(|_| listing.is_whole) else { return Ok(false) };
        let gap = announced.saturating_sub(listed);
        let account = self.account.key;
        if gap == self.reader.gmail_unlisted(account)? {
            return Ok(false);
        }
        self.feed.change(Box::new(move |tx| tx.set_unlisted(account, gap)))?;
        self.feed.flush()?;
        if gap > 0 {
            let problem = format!("Gmail says it has {announced} messages and lists {listed}");
            self.report.lacks(format!("{problem}; the next sync looks at everything anew"));
        }
        Ok(gap > 0)
    }

    /// Lists all messages, and the messages of each label when some of them are here already. Whoever turns pages
    /// while others take messages away may miss some, so that this is done again until nothing was taken away;
    /// what was met once counts, since the history tells what has gone since.
    fn list(&mut self, start: u64, names: &LabelNames) -> Result<Listing, SyncError> {
        let mut listing = Listing::default();
        let mut since = start;
        for _ in 0..LISTINGS {
            let ids = self.source.messages(None)?;
            let is_any_here =
                ids.iter().try_fold(false, |any, id| Ok::<_, SyncError>(any || self.is_here(*id)?))?;
            listing.add(ids);
            if is_any_here {
                for label in names.keys() {
                    let ids = self.source.messages(Some(label))?;
                    listing.add_label(label, ids);
                }
            }
            let Some(history) = self.source.history(since)? else { break };
            let is_taken_away = |what: &What| matches!(what, What::Deleted | What::Unlabelled(_));
            if !history.events.iter().any(|event| is_taken_away(&event.what)) {
                listing.is_whole = true;
                break;
            }
            since = history.newest;
        }
        Ok(listing)
    }

    fn is_here(&self, id: u64) -> Result<bool, SyncError> {
        let row = self.reader.gmail_row(self.account.key, id)?;
        Ok(row.is_some_and(|row| row.message.is_some())
            || self.reader.stored_with_gmail_id(self.account.key, id)?.is_some())
    }

    /// Puts what is here where its labels say; gives back what must be fetched, newest first.
    fn place_known(&mut self, listing: &Listing, names: &LabelNames) -> Result<Vec<u64>, SyncError> {
        let account = self.account.key;
        let renamed = renamed(&self.reader.gmail_labels(account)?, names);
        let mut missing = Vec::new();
        for id in listing.ids.iter().copied() {
            let Some(row) = self.reader.gmail_row(account, id)? else { continue };
            let ids = listing.labels_of(id);
            let message = match row.message {
                Some(_) if row.labels == ids && ids.is_disjoint(&renamed) => continue,
                Some(message) => {
                    self.report.changed += u64::from(row.labels != ids);
                    message
                }
                None => match self.reader.stored_with_gmail_id(account, id)? {
                    Some(message) => {
                        self.report.placed += 1;
                        message
                    }
                    None => {
                        missing.extend(row.retry.then_some(id));
                        continue;
                    }
                },
            };
            let place = self.boxes.place(row.number, id, ids, names);
            self.place(message, place)?;
        }
        Ok(missing)
    }

    /// Drops mailboxes that came over IMAP: all that was in them and is still there has its place now.
    fn drop_others(&mut self) -> Result<(), SyncError> {
        let own = self.boxes.keys();
        for mailbox in self.reader.remote_mailboxes(self.account.key)? {
            if !own.contains(&mailbox.key) {
                drop_mailbox(self.reader, self.feed, self.report, &mailbox)?;
                continue;
            }
            let detached = self.reader.detached_count(mailbox.key)?;
            take_detached(self.feed, self.report, mailbox.key, detached)?;
        }
        Ok(())
    }
}
