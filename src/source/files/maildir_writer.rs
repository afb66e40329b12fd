//! Writes messages into a Maildir. A message appears in `cur` whole or not at all; nothing that is there is replaced.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::error::FileError;
use super::maildir;
use crate::model::Flags;

/// Stands between the unique name and the flags; a colon cannot be part of a file name everywhere.
const MARK: &str = if cfg!(windows) { ";2," } else { ":2," };
const SUFFIX: &str = ".mailkeep";

/// Writes one Maildir. Names are numbered, so the same messages give the same names.
pub struct MaildirWriter {
    directory: PathBuf,
    next_number: u64,
}

impl MaildirWriter {
    /// Makes a Maildir in `directory`, or goes on in the one that is there.
    ///
    /// # Errors
    /// When the directory holds other things, or cannot be written.
    pub fn create(directory: &Path) -> Result<Self, FileError> {
        if !maildir::is_maildir(directory) && !is_free(directory)? {
            return Err(FileError::NotAMaildir {
                path: directory.to_path_buf(),
            });
        }
        for part in maildir::PARTS.map(|part| directory.join(part)) {
            fs::create_dir_all(&part).map_err(|error| FileError::writing(&part, error))?;
        }
        let next_number = 1 + highest_number(directory)?;
        Ok(Self {
            directory: directory.to_path_buf(),
            next_number,
        })
    }

    /// Writes one message with its flags; the file gets the time `epoch`, in seconds since 1970.
    ///
    /// # Errors
    /// When the file cannot be written; nothing of it is left then.
    pub fn append(&mut self, bytes: &[u8], flags: Flags, epoch: i64) -> Result<(), FileError> {
        let name = format!("{}.{:08}{SUFFIX}", epoch.max(0), self.next_number);
        let temporary = self.directory.join("tmp").join(&name);
        let target = self
            .directory
            .join("cur")
            .join(format!("{name}{MARK}{}", flags.to_maildir()));
        let written = write(&temporary, bytes, epoch).and_then(|()| fs::rename(&temporary, &target));
        if let Err(error) = written {
            // The failure to write is what counts; that nothing was there to remove is no second one.
            let _ = fs::remove_file(&temporary);
            return Err(FileError::writing(&target, error));
        }
        self.next_number += 1;
        Ok(())
    }
}

fn write(path: &Path, bytes: &[u8], epoch: i64) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    time_of(epoch).map_or(Ok(()), |time| file.set_modified(time))
}

fn time_of(epoch: i64) -> Option<SystemTime> {
    let distance = Duration::from_secs(epoch.unsigned_abs());
    if epoch < 0 {
        UNIX_EPOCH.checked_sub(distance)
    } else {
        UNIX_EPOCH.checked_add(distance)
    }
}

/// Whether a Maildir can be made there: nothing, or an empty directory.
fn is_free(directory: &Path) -> Result<bool, FileError> {
    match fs::read_dir(directory) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(FileError::writing(directory, error)),
    }
}

/// The highest number that names in this Maildir carry from earlier writing.
fn highest_number(directory: &Path) -> Result<u64, FileError> {
    let mut highest = 0;
    for part in maildir::PARTS.map(|part| directory.join(part)) {
        let failed = |error| FileError::reading(&part, error);
        for entry in fs::read_dir(&part).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            highest = highest.max(number_of(&name).unwrap_or(0));
        }
    }
    Ok(highest)
}

fn number_of(name: &OsStr) -> Option<u64> {
    let (stem, _) = name.to_str()?.split_once(SUFFIX)?;
    stem.rsplit_once('.')?.1.parse().ok()
}
