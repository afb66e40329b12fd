//! Copies of the store: taken while others write, put back only where nothing would be lost.

use std::fs::{self, File};
use std::path::Path;

use rusqlite::{Connection, params};

use crate::store::open::{create_private_directory, renew_identity};
use crate::store::reader::beside;
use crate::store::{Reader, Store, StoreError};

/// Writes a consistent copy of the store to `target`, while others may go on writing.
/// The copy appears under its name only when it is whole and on the disk.
pub fn backup(reader: &Reader, target: &Path) -> Result<(), StoreError> {
    refuse_if_there(target)?;
    let partial = partial_name(target);
    copy(reader, &partial)?;
    publish(&partial, target)
}

/// Puts a backup in the place of a store that is not there. The copy is checked before it gets the name.
pub fn restore(backup: &Path, target: &Path) -> Result<(), StoreError> {
    for ending in ["", "-wal", "-shm"] {
        refuse_if_there(&beside(target, ending))?;
    }
    File::open(backup).map_err(|e| StoreError::file(backup, e))?;
    let reader = Reader::open(backup)?;
    reader.check_pages()?;
    if let Some(directory) = target.parent() {
        create_private_directory(directory)?;
    }
    let partial = partial_name(target);
    copy(&reader, &partial)?;
    take_every_yes_back(&partial)?;
    renew_identity(&Connection::open(&partial)?)?;
    publish(&partial, target)
}

/// What was approved or on its way when the copy was made may have left since: somebody has to say yes again.
fn take_every_yes_back(partial: &Path) -> Result<(), StoreError> {
    let mut store = Store::open_existing(partial)?;
    let tx = store.begin()?;
    tx.take_every_yes_back("restored from a backup: it may have left since")?;
    tx.commit().map(drop)
}

/// Copies the store as one moment saw it, what is still in the write-ahead log included.
fn copy(reader: &Reader, partial: &Path) -> Result<(), StoreError> {
    let name = partial.to_str().ok_or_else(|| {
        let source = std::io::Error::new(std::io::ErrorKind::InvalidInput, "the name is not valid UTF-8");
        StoreError::file(partial, source)
    })?;
    remove_if_there(partial)?;
    reader.connection().pragma_update(None, "query_only", false)?;
    let copied = reader.connection().execute("VACUUM INTO ?1", params![name]);
    reader.connection().pragma_update(None, "query_only", true)?;
    if let Err(error) = copied {
        remove_if_there(partial)?;
        return Err(error.into());
    }
    Ok(())
}

fn refuse_if_there(target: &Path) -> Result<(), StoreError> {
    if target.exists() { Err(StoreError::Exists { path: target.to_owned() }) } else { Ok(()) }
}

fn partial_name(target: &Path) -> std::path::PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    target.with_file_name(name)
}

fn remove_if_there(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(StoreError::file(path, error)),
        _ => Ok(()),
    }
}

fn publish(partial: &Path, target: &Path) -> Result<(), StoreError> {
    make_private(partial).map_err(|e| StoreError::file(partial, e))?;
    File::open(partial).and_then(|file| file.sync_all()).map_err(|e| StoreError::file(partial, e))?;
    fs::rename(partial, target).map_err(|e| StoreError::file(target, e))?;
    let directory = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(directory).and_then(|file| file.sync_all()).map_err(|e| StoreError::file(directory, e))
}

fn make_private(path: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
