//! Mail that its server no longer shows: how much of it there is, and when it is let go of by the owner's rule. A brake
//! keeps what goes in masses: a server that shows an empty mailbox one day must not empty the archive.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::store::Reader;
use crate::sync::SyncError;
use crate::sync::account::{AccountReport, SyncAccount};
use crate::sync::imap::pass::STEP;
use crate::sync::pipeline::{Destination, Feed};

/// Up to so many messages may go at once, whatever share of the account they are.
const FEW: usize = 50;
/// More of them may go at once as long as they are no more than one in this many.
const SHARE: u64 = 10;

/// Counts what is done in its turn, on another thread.
#[derive(Debug, Clone, Default)]
pub struct Tally(Arc<AtomicU64>);

impl Tally {
    pub(super) fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    /// How many there are, once everything is on the disk.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Lets go of what has been gone for as long as the owner's rule says, unless it is too much at once.
pub(super) fn let_go(
    reader: &Reader,
    feed: &mut Feed<Destination>,
    account: &SyncAccount,
    report: &mut AccountReport,
) -> Result<(), SyncError> {
    let due = reader.due(account.key, account.gone, account.clock.now().as_second())?;
    if due.is_empty() {
        return Ok(());
    }
    if due.len() > FEW && due.len() as u64 * SHARE > reader.message_count(account.key)? {
        report.held += due.len() as u64;
        let (key, rule) = (account.key, account.gone);
        feed.change(Box::new(move |tx| tx.hold_due(key, rule)))?;
        return Ok(feed.flush()?);
    }
    for some in due.chunks(STEP) {
        let (some, removed) = (some.to_vec(), report.removed.clone());
        feed.change(Box::new(move |tx| {
            removed.add(tx.let_go(&some)?);
            Ok(())
        }))?;
    }
    Ok(feed.flush()?)
}
