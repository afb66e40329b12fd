//! Keeps processes apart: one at a time syncs an account, and nobody moves it to another server meanwhile.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::home::Home;
use crate::model::AccountKey;
use crate::store::StoreError;
use crate::sync::SyncError;

/// How often one who waits for another process looks whether it has ended.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// As long as this is held, nobody syncs the account.
#[derive(Debug)]
pub struct AccountLock(#[expect(dead_code, reason = "closing the file ends the lock")] File);

/// Waits so long for a sync of the account to end, and keeps the next one from beginning.
pub fn hold_account(
    home: &Home,
    account: AccountKey,
    address: &str,
    wait: Duration,
) -> Result<AccountLock, SyncError> {
    let until = Instant::now() + wait;
    loop {
        match lock(&home.sync_lock(account.0), address) {
            Err(SyncError::Busy { .. }) if Instant::now() < until => thread::sleep(LOOK_EVERY),
            other => return other,
        }
    }
}

/// Takes a lock, unless another process has it.
pub(super) fn lock(path: &Path, address: &str) -> Result<AccountLock, SyncError> {
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
    let file = file.map_err(|error| StoreError::file(path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(AccountLock(file)),
        Err(TryLockError::WouldBlock) => Err(SyncError::Busy { address: address.to_owned() }),
        Err(TryLockError::Error(error)) => Err(StoreError::file(path, error).into()),
    }
}
