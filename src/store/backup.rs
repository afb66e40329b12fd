//! Copies of the store: taken while others write, put back only where nothing would be lost.

use std::fs::{self, File};
use std::path::Path;

use rusqlite::params;

use crate::store::open::create_private_directory;
use crate::store::{Reader, StoreError};

/// Writes a consistent copy of the store to `target`, while others may go on writing.
/// The copy appears under its name only when it is whole and on the disk.
pub fn backup(reader: &Reader, target: &Path) -> Result<(), StoreError> {
    refuse_if_there(target)?;
    let partial = partial_name(target);
    remove_if_there(&partial)?;
    reader.connection().pragma_update(None, "query_only", false)?;
    let copied = reader.connection().execute("VACUUM INTO ?1", params![partial.to_string_lossy()]);
    reader.connection().pragma_update(None, "query_only", true)?;
    if let Err(error) = copied {
        remove_if_there(&partial)?;
        return Err(error.into());
    }
    publish(&partial, target)
}

/// Puts a backup in the place of a store that is not there. The copy is checked before it gets the name.
pub fn restore(backup: &Path, target: &Path) -> Result<(), StoreError> {
    refuse_if_there(target)?;
    File::open(backup).map_err(|e| StoreError::file(backup, e))?;
    Reader::open(backup)?.check_pages()?;
    if let Some(directory) = target.parent() {
        create_private_directory(directory)?;
    }
    let partial = partial_name(target);
    fs::copy(backup, &partial).map_err(|e| StoreError::file(&partial, e))?;
    publish(&partial, target)
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
