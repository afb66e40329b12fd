//! Takes what was changed here to the server, and nothing else: brings in no mail, makes no store, writes no index. So a
//! process that only serves tools can do it, beside whoever syncs.

use std::collections::BTreeSet;

use crate::home::Home;
use crate::source::imap::ImapSource;
use crate::sync::SyncError;
use crate::sync::account::{
    AccountReport, SyncAccount, SyncOptions, SyncProgress, connect, gmail_source, open_for, write_down,
};
use crate::sync::gmail::{Boxes, GmailPass};
use crate::sync::imap::pass::{Pass, Scope};
use crate::sync::lock::lock_for_push;
use crate::sync::pipeline::{Destination, Feed, changes_only};

/// Makes the account's server follow what was changed here: labels, flags, moves and drafts. What the server says of
/// each stands in the store. Nothing that waits is no reason to connect.
pub fn push(
    home: &Home,
    account: &SyncAccount,
    options: &SyncOptions,
    progress: &SyncProgress,
) -> Result<(), SyncError> {
    if !has_waiting(home, account)? {
        return Ok(());
    }
    let _lock = lock_for_push(&home.sync_lock(account.key.0), &account.address)?;
    let mut outcome = Ok(());
    let written = changes_only(&home.store(), |mut feed| {
        let passed = pass(home, account, options, (&mut feed, progress));
        // What the server has done is noted, however the rest went.
        outcome = feed.flush_if_any().map_err(SyncError::from).and(passed);
    });
    if let Err(error) = &outcome
        && error.wants_sign_in()
    {
        let report = AccountReport::failed(&account.address, outcome.err().unwrap_or(SyncError::HungUp));
        write_down(home, (std::slice::from_ref(account), std::slice::from_ref(&report)))?;
        return report.error.map_or(Ok(()), Err);
    }
    written.and(outcome)
}

fn has_waiting(home: &Home, account: &SyncAccount) -> Result<bool, SyncError> {
    let reader = open_for(home, account)?;
    Ok(!reader.pending_changes(account.key)?.is_empty() || !reader.copy_tasks(account.key)?.is_empty())
}

fn pass(
    home: &Home,
    account: &SyncAccount,
    options: &SyncOptions,
    (feed, progress): (&mut Feed<Destination>, &SyncProgress),
) -> Result<(), SyncError> {
    let reader = &open_for(home, account)?;
    let report = &mut AccountReport::default();
    if let Some(gmail) = &account.gmail {
        let source = gmail_source(gmail, (account, options), &progress.stop);
        let (boxes, unread, lost) = (Boxes::default(), BTreeSet::new(), BTreeSet::new());
        return GmailPass { source, reader, feed, account, progress, report, boxes, unread, lost }
            .push_only();
    }
    let source = connect(account, options, progress)?;
    let (spare, scope) = (Vec::new(), Scope::Everything);
    let mut pass = Pass { source, spare, reader, feed, account, options, progress, report, scope };
    pass.push_only()?;
    ImapSource::leave(pass.source);
    Ok(())
}
