//! How far the audit chain had got when something last left, in the file that a worker holds its lock on, beside the store.
//! A store that does not know that link is an older copy that somebody put back: what it calls approved may have left since.
//! It is not waited for until it is on the disk: only a power cut within seconds of a send, and an old copy after it, take
//! it away.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::PathBuf;

use crate::home::Home;
use crate::model::{ContentHash, Lane};
use crate::store::{AuditRow, StoreError, WriteTransaction};

/// The mark of one lane.
#[derive(Debug)]
pub(super) struct Mark {
    file: File,
    path: PathBuf,
}

/// Forgets how far the chain had got, because somebody put an older one in its place who has taken every yes back.
pub fn forget_marks(home: &Home) -> Result<(), StoreError> {
    for lane in [Lane::Mail, Lane::WhatsApp, Lane::LinkedIn] {
        let path = home.outbox_lock(lane.name());
        match OpenOptions::new().write(true).truncate(true).open(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(StoreError::file(&path, error));
            }
            _ => {}
        }
    }
    Ok(())
}

impl Mark {
    /// Takes the lock of the one who sends on a lane, and with it the mark; `None`: another process has it. It ends with the
    /// process, whatever becomes of it.
    pub(super) fn lock(home: &Home, lane: Lane) -> Result<Option<Self>, StoreError> {
        if !home.directory().exists() {
            return Ok(None);
        }
        let path = home.outbox_lock(lane.name());
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(|error| StoreError::file(&path, error))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { file, path })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(StoreError::file(&path, error)),
        }
    }

    /// Whether the chain has the link as it was; `None`: there is no mark yet.
    pub(super) fn is_known(&self, tx: &WriteTransaction<'_>) -> Result<Option<bool>, StoreError> {
        let Some((id, hash)) = self.read().map_err(|error| self.failed(error))? else { return Ok(None) };
        Ok(Some(tx.audit_link(id)?.is_some_and(|link| link.computed().to_hex() == hash)))
    }

    /// Notes that the chain has got as far as this link. Always as long as before, so that it needs no room on the disk.
    pub(super) fn set(&self, link: &AuditRow) -> Result<(), StoreError> {
        self.write(link.id, &link.hash).map_err(|error| self.failed(error))
    }

    fn read(&self) -> io::Result<Option<(i64, String)>> {
        let (mut file, mut text) = (&self.file, String::new());
        file.rewind()?;
        file.read_to_string(&mut text)?;
        let parts = text.trim_end().split_once(' ');
        Ok(parts.and_then(|(id, hash)| Some((id.parse().ok()?, hash.to_owned()))))
    }

    fn write(&self, id: i64, hash: &ContentHash) -> io::Result<()> {
        let mut file = &self.file;
        file.rewind()?;
        file.write_all(format!("{id:020} {}\n", hash.to_hex()).as_bytes())
    }

    fn failed(&self, error: io::Error) -> StoreError {
        StoreError::file(&self.path, error)
    }
}
