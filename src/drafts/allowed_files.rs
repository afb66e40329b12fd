//! Files that may be attached: plain files below the directories that the owner listed, wherever links and `..` lead.
//! What is hidden, and what mailkeep itself keeps, stays where it is.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use directories::BaseDirs;

use crate::drafts::DraftError;
use crate::drafts::attachment::{Attached, LARGEST_MESSAGE, from_file};

/// The directories, and the home that no file is taken from.
#[derive(Debug, Clone, Default)]
pub(super) struct AllowedFiles {
    pub(super) directories: Vec<PathBuf>,
    pub(super) home: PathBuf,
}

impl AllowedFiles {
    /// Reads a file as it is now.
    pub(super) fn read(&self, path: &Path) -> Result<Attached, DraftError> {
        let path = &in_home(path);
        let refused = |problem: String| DraftError::FileRefused {
            path: path.display().to_string(),
            problem,
            allowed: self.directories.iter().map(|directory| directory.display().to_string()).collect(),
        };
        let unreadable = |error: std::io::Error| refused(error.to_string());
        if self.directories.is_empty() {
            return Err(refused("no directory is listed for files to attach".to_owned()));
        }
        if !path.is_absolute() {
            return Err(refused("its path does not begin at the root".to_owned()));
        }
        let real = path.canonicalize().map_err(unreadable)?;
        self.check(&real).map_err(|problem| refused(problem.to_owned()))?;
        let file = open(&real).map_err(unreadable)?;
        // Somebody may have put a link into the way meanwhile: what was opened must be what was checked.
        if path.canonicalize().map_err(unreadable)? != real || !is_same(&file, &real).map_err(unreadable)? {
            return Err(refused("it was moved while it was read".to_owned()));
        }
        let mut bytes = Vec::new();
        file.take(LARGEST_MESSAGE as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        from_file(&real, bytes)
    }

    /// Whether a path without links is below a listed directory, and neither hidden nor mailkeep's own.
    fn check(&self, real: &Path) -> Result<(), &'static str> {
        if self.home.canonicalize().is_ok_and(|home| real.starts_with(home)) {
            return Err("it belongs to mailkeep");
        }
        let real_directories = self.directories.iter().filter_map(|directory| directory.canonicalize().ok());
        let mut below = real_directories.filter_map(|directory| real.strip_prefix(directory).ok());
        let Some(rest) = below.next() else {
            return Err("it is not below a directory that the owner listed");
        };
        let is_hidden = |part: Component<'_>| matches!(part, Component::Normal(name) if name.to_string_lossy().starts_with('.'));
        if rest.components().any(is_hidden) { Err("it is hidden") } else { Ok(()) }
    }
}

/// `~/x` as people write it.
fn in_home(path: &Path) -> PathBuf {
    let base = path.strip_prefix("~").ok().zip(BaseDirs::new());
    base.map_or_else(|| path.to_owned(), |(rest, base)| base.home_dir().join(rest))
}

/// Opens a plain file; neither a link, nor a pipe that would make us wait.
fn open(real: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    let file = options.open(real)?;
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("it is no plain file"));
    }
    Ok(file)
}

#[cfg(unix)]
fn is_same(file: &File, real: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (opened, named) = (file.metadata()?, real.symlink_metadata()?);
    Ok((opened.dev(), opened.ino()) == (named.dev(), named.ino()))
}

#[cfg(not(unix))]
fn is_same(_: &File, _: &Path) -> std::io::Result<bool> {
    Ok(true)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::AllowedFiles;

    #[test]
    fn only_plain_files_below_a_listed_directory_are_read() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        for directory in ["listed/sub", "listed/.ssh", "listed/home", "listed-too", "other"] {
            fs::create_dir_all(at(directory)).unwrap();
        }
        for file in [
            "listed/a.txt",
            "listed/sub/b.txt",
            "listed/.ssh/key",
            "listed/.env",
            "listed/home/secrets",
            "listed-too/c.txt",
            "other/d.txt",
        ] {
            fs::write(at(file), "text").unwrap();
        }
        symlink(at("other"), at("listed/out")).unwrap();
        symlink(at("other/d.txt"), at("listed/d.txt")).unwrap();
        symlink(at("listed/a.txt"), at("listed/again.txt")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, at("listed/pipe"), rustix::fs::Mode::RUSR).unwrap();
        let allowed = AllowedFiles { directories: vec![at("listed")], home: at("listed/home") };

        for name in [
            "listed/a.txt",
            "listed/sub/b.txt",
            "listed/again.txt",
            "listed/sub/../a.txt",
            "other/../listed/a.txt",
        ] {
            assert!(allowed.read(&at(name)).is_ok(), "{name}");
        }
        for name in [
            "other/d.txt",
            "listed/d.txt",
            "listed/out/d.txt",
            "listed/../other/d.txt",
            "listed-too/c.txt",
            "listed/.env",
            "listed/.ssh/key",
            "listed/home/secrets",
            "listed/none.txt",
            "listed",
            "listed/pipe",
        ] {
            assert!(allowed.read(&at(name)).is_err(), "{name}");
        }
        assert!(allowed.read(std::path::Path::new("listed/a.txt")).is_err());
        assert!(AllowedFiles::default().read(&at("listed/a.txt")).is_err());
    }
}
