//! Files that were too large for an answer: in a private directory, under names nobody can guess, deleted after an
//! hour and when the server ends.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use uuid::Uuid;

use crate::tools::{ErrorKind, ToolError};

/// How long a file is kept.
const KEPT: Duration = Duration::from_secs(3600);
/// The most bytes of a name; file systems allow 255, and the random part takes 37.
const LONGEST_NAME: usize = 120;

/// The files this process has saved.
#[derive(Default)]
pub(super) struct KeptFiles {
    saved: Mutex<Vec<PathBuf>>,
}

impl KeptFiles {
    /// Saves bytes under a name that is safe whatever the sender called it.
    pub(super) fn save(&self, directory: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, ToolError> {
        self.save_with(directory, name, |file| file.write_all(bytes))
    }

    /// The same for what is written piece by piece.
    pub(super) fn save_with(
        &self,
        directory: &Path,
        name: &str,
        write: impl FnOnce(&mut fs::File) -> std::io::Result<()>,
    ) -> Result<PathBuf, ToolError> {
        let path = directory.join(format!("{}_{}", Uuid::new_v4(), safe_name(name)));
        let written = make_private(directory).and_then(|()| {
            sweep(directory);
            write_private(&path, write)
        });
        written.map_err(|error| {
            ToolError::new(ErrorKind::Unavailable, format!("cannot save the file: {error}"))
                .with_hint("the user checks free space and permissions of the mailkeep home")
        })?;
        self.saved.lock().unwrap_or_else(PoisonError::into_inner).push(path.clone());
        Ok(path)
    }

    /// Deletes what this process has saved.
    pub(super) fn clear(&self) {
        for path in self.saved.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = fs::remove_file(path);
        }
    }
}

fn make_private(directory: &Path) -> std::io::Result<()> {
    fs::create_dir_all(directory)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(directory, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

fn write_private(
    path: &Path,
    write: impl FnOnce(&mut fs::File) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let written = write(&mut options.open(path)?);
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}

/// Deletes files that are older than an hour, also those of processes that ended badly.
pub(super) fn sweep(directory: &Path) {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in entries {
        let modified = entry.metadata().and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        if modified.elapsed().is_ok_and(|age| age > KEPT) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A file name without anything that means something to a file system or a shell.
fn safe_name(name: &str) -> String {
    let mut safe = String::new();
    for c in name.rsplit(['/', '\\']).next().unwrap_or_default().chars() {
        let c = if c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ' ') { c } else { '_' };
        if safe.len() + c.len_utf8() > LONGEST_NAME {
            break;
        }
        safe.push(c);
    }
    let safe = safe.trim_matches([' ', '.']);
    if safe.is_empty() { "attachment".to_owned() } else { safe.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{KeptFiles, safe_name};

    #[test]
    fn hostile_names_become_plain_ones() {
        let names =
            ["../../etc/passwd", "a\0b\n.pdf", "C:\\x\\evil.exe", "...", "", "ok.pdf", "$(rm -rf).sh"];
        let safe: Vec<_> = names.into_iter().map(safe_name).collect();

        assert_eq!(
            safe,
            ["passwd", "a_b_.pdf", "evil.exe", "attachment", "attachment", "ok.pdf", "__rm -rf_.sh"]
        );
        assert!(safe_name(&"ä".repeat(500)).len() <= 120);
    }

    #[test]
    fn files_are_private_and_go_with_the_process() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("out");
        let kept = KeptFiles::default();

        let path = kept.save(&out, "report.pdf", b"bytes").unwrap();

        assert_eq!(std::fs::read(&path).unwrap(), b"bytes");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            assert_eq!(std::fs::metadata(&out).unwrap().permissions().mode() & 0o777, 0o700);
        }
        kept.clear();
        assert!(!path.exists());
    }
}
