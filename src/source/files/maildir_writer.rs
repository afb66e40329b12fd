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
            return Err(FileError::NotAMaildir { path: directory.to_path_buf() });
        }
        for part in maildir::PARTS.map(|part| directory.join(part)) {
            fs::create_dir_all(&part).map_err(|error| FileError::writing(&part, error))?;
        }
        let next_number = 1 + highest_number(directory)?;
        Ok(Self { directory: directory.to_path_buf(), next_number })
    }

    /// Writes one message with its flags; the file gets the time `epoch`, in seconds since 1970.
    ///
    /// # Errors
    /// When the file cannot be written; nothing of it is left then.
    pub fn append(&mut self, bytes: &[u8], flags: Flags, epoch: i64) -> Result<(), FileError> {
        let name = format!("{}.{:08}{SUFFIX}", epoch.max(0), self.next_number);
        let temporary = self.directory.join("tmp").join(&name);
        let target = self.directory.join("cur").join(format!("{name}{MARK}{}", flags.to_maildir()));
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
    if epoch < 0 { UNIX_EPOCH.checked_sub(distance) } else { UNIX_EPOCH.checked_add(distance) }
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Flags, MaildirWriter};
    use crate::source::files::FileSource;

    #[test]
    fn what_was_written_reads_back_with_flags_and_times() {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().join("m");
        let mut writer = MaildirWriter::create(&directory).unwrap();
        writer.append(b"one", Flags::SEEN | Flags::FLAGGED, 1_451_988_000).unwrap();
        writer.append(b"two", Flags::NONE, -5).unwrap();

        let messages: Vec<_> = FileSource::open(&directory).unwrap().map(Result::unwrap).collect();

        let (two, one) = (&messages[0], &messages[1]);
        assert_eq!((&one.bytes[..], one.flags), (&b"one"[..], Flags::SEEN | Flags::FLAGGED));
        assert_eq!((&two.bytes[..], two.flags), (&b"two"[..], Flags::NONE));
        assert_eq!((two.hints.file_time, one.hints.file_time), (Some(-5), Some(1_451_988_000)));
        assert_eq!(fs::read_dir(directory.join("tmp")).unwrap().count(), 0);
    }

    #[test]
    fn writing_on_in_a_maildir_replaces_nothing() {
        let place = tempfile::tempdir().unwrap();
        for flags in [Flags::NONE, Flags::SEEN, Flags::NONE] {
            let mut writer = MaildirWriter::create(place.path()).unwrap();
            writer.append(b"the same", flags, 7).unwrap();
        }

        assert_eq!(FileSource::open(place.path()).unwrap().count(), 3);
    }

    #[test]
    fn no_maildir_is_made_among_other_files() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("letter.txt"), "x").unwrap();

        let refused = MaildirWriter::create(place.path()).err().unwrap();

        assert_eq!(refused.code(), "not_a_maildir");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }
}
