//! What was confirmed last, in a file beside the seal's: who empties the row and the audit chain does not make a new home.
//! In the open, because the row is too and looking for it must not open a keyring; it counts with the row's seal.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};

use crate::home::Home;
use crate::store::{Confirmed, StoreError};

/// What was confirmed last; a file that cannot be understood says that something was.
pub(super) fn read(home: &Home) -> Result<Option<Confirmed>, StoreError> {
    let path = home.confirmed();
    match fs::read(&path) {
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes).unwrap_or_default())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::file(&path, error)),
    }
}

/// Keeps it. On the disk when this returns.
pub(super) fn write(home: &Home, confirmed: &Confirmed) -> Result<(), StoreError> {
    let path = home.confirmed();
    let written = tempfile::NamedTempFile::new_in(home.directory()).and_then(|mut file| {
        serde_json::to_writer(&mut file, confirmed)?;
        file.flush()?;
        file.as_file().sync_all()?;
        file.persist(&path)?;
        File::open(home.directory())?.sync_all()
    });
    written.map_err(|error| StoreError::file(&path, error))
}
