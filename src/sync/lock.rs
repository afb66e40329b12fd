//! Keeps processes apart: one at a time speaks to an account's server, and nobody moves the account elsewhere meanwhile.
//! A push is short and brings nothing in, so that a sync waits for it instead of leaving the work to it; what is at it
//! stands in the locked file.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::home::Home;
use crate::model::AccountKey;
use crate::store::StoreError;
use crate::sync::SyncError;

/// How often one who waits for another process looks whether it has ended.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// No push takes longer, unless something is wrong with it.
const LONGEST_PUSH: Duration = Duration::from_secs(60);
/// What stands in the file during a push.
const PUSH: &[u8] = b"push";

/// As long as this is held, nobody else syncs the account.
#[derive(Debug)]
pub struct AccountLock(File);

impl Drop for AccountLock {
    fn drop(&mut self) {
        let _ = self.0.set_len(0);
    }
}

/// Waits so long for a sync of the account to end, and keeps the next one from beginning.
pub fn hold_account(
    home: &Home,
    account: AccountKey,
    address: &str,
    wait: Duration,
) -> Result<AccountLock, SyncError> {
    let path = home.sync_lock(account.0);
    patiently(wait, || lock(&path, address), || true)
}

/// Takes a lock, unless another process has it.
pub(super) fn lock(path: &Path, address: &str) -> Result<AccountLock, SyncError> {
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
    let file = file.map_err(|error| StoreError::file(path, error))?;
    match file.try_lock() {
        Ok(()) => {
            // One who was killed has left its word behind.
            let _ = file.set_len(0);
            Ok(AccountLock(file))
        }
        Err(TryLockError::WouldBlock) => Err(SyncError::Busy { address: address.to_owned() }),
        Err(TryLockError::Error(error)) => Err(StoreError::file(path, error).into()),
    }
}

/// The same for a sync: one that another process does is left to it, a push is waited for.
pub(super) fn lock_for_sync(path: &Path, address: &str) -> Result<AccountLock, SyncError> {
    let is_push = || fs::read(path).is_ok_and(|what| what == PUSH);
    match lock(path, address) {
        // A push that has only just begun may not have said so yet.
        Err(error) if error.is_busy() => thread::sleep(LOOK_EVERY),
        other => return other,
    }
    patiently(LONGEST_PUSH, || lock(path, address), is_push)
}

/// The same for a push.
pub(super) fn lock_for_push(path: &Path, address: &str) -> Result<AccountLock, SyncError> {
    let mut held = lock(path, address)?;
    held.0.write_all(PUSH).map_err(|error| StoreError::file(path, error))?;
    Ok(held)
}

/// Tries until it works, the time is over, or it is not worth waiting for.
fn patiently(
    wait: Duration,
    mut take: impl FnMut() -> Result<AccountLock, SyncError>,
    is_worth_it: impl Fn() -> bool,
) -> Result<AccountLock, SyncError> {
    let until = Instant::now() + wait;
    loop {
        match take() {
            Err(error) if error.is_busy() && Instant::now() < until && is_worth_it() => {
                thread::sleep(LOOK_EVERY);
            }
            other => return other,
        }
    }
}
