//! ConnectionPool that are used again. Opening one reads the whole schema, which takes longer than most of what is asked.

use std::ops::{Deref, DerefMut};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use crate::store::open::require_version;
use crate::store::{Codec, Reader, Store, StoreError};

/// So many of each kind wait for their next use.
const KEPT: usize = 2;

/// Lends connections to one store, and keeps those that come back.
pub struct ConnectionPool {
    path: PathBuf,
    readers: Mutex<Vec<Kept<Reader>>>,
    writers: Mutex<Vec<Kept<Store>>>,
}

impl ConnectionPool {
    /// ConnectionPool to the store at `path`; nothing is opened yet.
    #[must_use]
    pub const fn to(path: PathBuf) -> Self {
        Self { path, readers: Mutex::new(Vec::new()), writers: Mutex::new(Vec::new()) }
    }

    /// Somebody who reads, as [`Reader::open`] opens it.
    pub fn reader(&self) -> Result<Lent<'_, Reader>, StoreError> {
        lend(&self.readers, &self.path, Reader::open)
    }

    /// Somebody who writes, as [`Store::open_existing`] opens it.
    pub fn writer(&self) -> Result<Lent<'_, Store>, StoreError> {
        lend(&self.writers, &self.path, Store::open_existing)
    }
}

/// An open connection, and which file it leads to: another one may stand there after a restore.
struct Kept<T> {
    connection: T,
    file: FileId,
}

/// Device and number of a file; none where there is no file.
type FileId = Option<(u64, u64)>;

fn file_id(path: &Path) -> FileId {
    path.metadata().ok().map(|found| (found.dev(), found.ino()))
}

fn lend<'a, T: Connected>(
    shelf: &'a Mutex<Vec<Kept<T>>>,
    path: &Path,
    open: fn(&Path) -> Result<T, StoreError>,
) -> Result<Lent<'a, T>, StoreError> {
    let file = file_id(path);
    let kept = locked(shelf).pop().filter(|kept| kept.file == file && kept.connection.is_current(path));
    let kept = match kept {
        Some(kept) => kept,
        None => Kept { connection: open(path)?, file },
    };
    Ok(Lent { kept: Some(kept), shelf })
}

fn locked<T>(shelf: &Mutex<Vec<Kept<T>>>) -> MutexGuard<'_, Vec<Kept<T>>> {
    shelf.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A connection for one use.
pub struct Lent<'a, T: Connected> {
    kept: Option<Kept<T>>,
    shelf: &'a Mutex<Vec<Kept<T>>>,
}

/// What can be lent.
pub trait Connected {
    /// Whether the schema is still the one it was opened with, and nothing of the last use is left.
    fn is_current(&self, path: &Path) -> bool;
}

impl Connected for Reader {
    fn is_current(&self, path: &Path) -> bool {
        is_usable(self.connection(), self.codec(), path)
    }
}

impl Connected for Store {
    fn is_current(&self, path: &Path) -> bool {
        is_usable(self.connection(), self.codec(), path)
    }
}

fn is_usable(connection: &Connection, codec: &Codec, path: &Path) -> bool {
    connection.is_autocommit()
        && require_version(connection, path).is_ok()
        && codec.knows_newest_of(connection).unwrap_or(false)
}

impl<T: Connected> Deref for Lent<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.kept.as_ref().expect("it is given back when it is dropped").connection
    }
}

impl<T: Connected> DerefMut for Lent<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.kept.as_mut().expect("it is given back when it is dropped").connection
    }
}

impl<T: Connected> Drop for Lent<'_, T> {
    fn drop(&mut self) {
        let mut shelf = locked(self.shelf);
        if shelf.len() < KEPT {
            shelf.extend(self.kept.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ConnectionPool;
    use crate::store::Store;

    #[test]
    fn a_connection_that_came_back_is_lent_again_and_sees_what_others_wrote() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("mail.db");
        let mut other = Store::open(&path).unwrap();
        let connections = ConnectionPool::to(path);
        connections.reader().unwrap().connection().pragma_update(None, "cache_size", 123).unwrap();

        let tx = other.begin().unwrap();
        tx.set_paused(Some(7)).unwrap();
        tx.commit().unwrap();
        let again = connections.reader().unwrap();

        assert_eq!(again.outbox_state().unwrap().paused, Some(7));
        let pages: i64 = again.connection().query_row("PRAGMA cache_size", [], |row| row.get(0)).unwrap();
        assert_eq!(pages, 123, "another connection was opened");
    }

    #[test]
    fn a_store_that_was_put_in_the_place_of_another_is_the_one_that_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let (path, put) = (directory.path().join("mail.db"), directory.path().join("put.db"));
        drop(Store::open(&path).unwrap());
        let connections = ConnectionPool::to(path.clone());
        drop((connections.reader().unwrap(), connections.writer().unwrap()));

        let mut other = Store::open(&put).unwrap();
        let tx = other.begin().unwrap();
        tx.set_paused(Some(7)).unwrap();
        tx.commit().unwrap();
        drop(other);
        std::fs::rename(&put, &path).unwrap();

        assert_eq!(connections.reader().unwrap().outbox_state().unwrap().paused, Some(7));
        let mut writer = connections.writer().unwrap();
        assert_eq!(writer.begin().unwrap().outbox_state().unwrap().paused, Some(7));
    }

    #[test]
    fn what_was_not_committed_is_gone_with_its_use() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("mail.db");
        drop(Store::open(&path).unwrap());
        let connections = ConnectionPool::to(path);

        connections.writer().unwrap().begin().unwrap().set_paused(Some(7)).unwrap();

        assert_eq!(connections.reader().unwrap().outbox_state().unwrap().paused, None);
        assert!(connections.writer().unwrap().begin().is_ok());
    }
}
