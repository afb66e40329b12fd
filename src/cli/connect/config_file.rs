//! A client's file on the disk: read, copied before it is changed, replaced in one step.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use tempfile::NamedTempFile;

use crate::cli::failure::Failure;

/// Longer chains of links are a circle.
const MOST_LINKS: usize = 40;

/// A file as it was when it was read; it need not exist.
pub(super) struct ConfigFile {
    /// The path the client reads.
    path: PathBuf,
    /// The file behind all links.
    target: PathBuf,
    text: Option<String>,
}

impl ConfigFile {
    pub(super) fn read(path: PathBuf) -> Result<Self, Failure> {
        let target = behind_links(&path).map_err(|error| unreadable(&path, &error))?;
        let text = match fs::read(&target) {
            Ok(bytes) => Some(String::from_utf8(bytes).map_err(|_| not_text(&path))?),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(unreadable(&path, &error)),
        };
        Ok(Self { path, target, text })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What the file says; nothing when there is none.
    pub(super) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// Puts a new text in the place of the old one, and says where a copy of the old one is.
    pub(super) fn replace(&self, text: &str, now: Timestamp) -> Result<Option<PathBuf>, Failure> {
        self.refuse_read_only()?;
        let backup = self.back_up(now).map_err(|error| self.unwritten(&error))?;
        let fresh = self.write_beside(text).map_err(|error| self.unwritten(&error))?;
        self.refuse_changed()?;
        fresh.persist(&self.target).map_err(|error| self.unwritten(&error.error))?;
        // The new text is in place; a directory that cannot be synced does not undo that.
        let _ = File::open(self.directory()).and_then(|directory| directory.sync_all());
        Ok(backup)
    }

    fn directory(&self) -> &Path {
        self.target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// Whoever made the file read-only did not want it changed, although replacing it would work.
    fn refuse_read_only(&self) -> Result<(), Failure> {
        match fs::metadata(&self.target) {
            Ok(file) if file.permissions().readonly() => Err(Failure::new(
                "config_read_only",
                format!("`{}` is read-only", self.path.display()),
                format!("make it writable first: chmod u+w '{}'", self.target.display()),
            )),
            _ => Ok(()),
        }
    }

    /// Clients write their files too; what one wrote in the meantime must not be lost.
    fn refuse_changed(&self) -> Result<(), Failure> {
        let now = fs::read(&self.target).ok();
        if now.as_deref() == self.text.as_deref().map(str::as_bytes) {
            return Ok(());
        }
        let message = format!("`{}` was changed by another program just now", self.path.display());
        Err(Failure::new("config_changed", message, "run the command again, or close the client first"))
    }

    /// Copies the file, unless a copy of just this text is there.
    fn back_up(&self, now: Timestamp) -> io::Result<Option<PathBuf>> {
        let Some(text) = &self.text else { return Ok(None) };
        let first = suffixed(&self.path, ".mailkeep-backup");
        let later = suffixed(&self.path, &now.strftime(".mailkeep-backup-%Y%m%dT%H%M%SZ").to_string());
        for backup in [first, later] {
            match fs::read(&backup) {
                Ok(copy) if copy == text.as_bytes() => return Ok(Some(backup)),
                Ok(_) => {}
                Err(_) => return self.copy_to(backup, text).map(Some),
            }
        }
        Err(io::Error::new(ErrorKind::AlreadyExists, "a backup of this very second is there already"))
    }

    /// The copy may hold what the file holds of other servers' secrets, so nobody else may read it either.
    fn copy_to(&self, backup: PathBuf, text: &str) -> io::Result<PathBuf> {
        let mut copy = NamedTempFile::new_in(backup.parent().unwrap_or(Path::new(".")))?;
        copy.write_all(text.as_bytes())?;
        copy.as_file().set_permissions(self.permissions()?)?;
        keep_owner(&self.target, copy.path());
        copy.as_file().sync_all()?;
        copy.persist(&backup).map_err(|error| error.error)?;
        Ok(backup)
    }

    fn permissions(&self) -> io::Result<Permissions> {
        fs::metadata(&self.target).map(|file| file.permissions())
    }

    fn write_beside(&self, text: &str) -> io::Result<NamedTempFile> {
        fs::create_dir_all(self.directory())?;
        let mut fresh = NamedTempFile::new_in(self.directory())?;
        fresh.write_all(text.as_bytes())?;
        if self.text.is_some() {
            fresh.as_file().set_permissions(self.permissions()?)?;
            keep_owner(&self.target, fresh.path());
        }
        fresh.as_file().sync_all()?;
        Ok(fresh)
    }

    fn unwritten(&self, error: &io::Error) -> Failure {
        let message = format!("cannot write `{}`: {error}", self.path.display());
        Failure::new("config_unwritable", message, "see what would change with `--dry-run`")
    }
}

/// A file changed by root stays its owner's, where that can be done.
#[cfg(unix)]
fn keep_owner(old: &Path, new: &Path) {
    use std::os::unix::fs::{MetadataExt, chown};
    if let Ok(file) = fs::metadata(old) {
        let _ = chown(new, Some(file.uid()), Some(file.gid()));
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &Path, _: &Path) {}

/// The file a path leads to, which need not exist.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(target),
        }
    }
    Err(io::Error::other("its links lead in a circle"))
}

fn suffixed(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let message = format!("cannot read `{}`: {error}", path.display());
    Failure::new("config_unreadable", message, "see that it is a file you may read")
}

fn not_text(path: &Path) -> Failure {
    let message = format!("`{}` is not UTF-8 text", path.display());
    Failure::new("config_invalid", message, "save it as UTF-8 and try again; nothing was changed")
}
