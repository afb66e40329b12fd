//! One folder of the vault, held open, and what can be done in it by name. A name is never followed through a link, so
//! whatever somebody puts into the way between two looks, nothing outside the folder is reached.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, Stat, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, fstat, futimens,
    mkdirat, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;
use uuid::Uuid;

/// What nobody but us calls a file; hidden, so that Obsidian does not look at it.
const TEMPORARY: &str = ".mailkeep-";

/// Which file or folder something is, whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    number: u64,
}

/// A folder that is open.
pub(super) struct Folder(OwnedFd);

/// A plain file that is open for reading.
pub(super) struct OpenFile {
    file: File,
    pub(super) stat: Stat,
}

/// Whether a name that is taken may be given to another file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replace {
    Allowed,
    Refused,
}

impl Folder {
    /// The root, which the owner named: links on the way to it are theirs.
    pub(super) fn root(path: &Path) -> io::Result<Self> {
        Ok(Self(rustix::fs::open(path, directory_flags() & !OFlags::NOFOLLOW, Mode::empty())?))
    }

    /// A folder in this one.
    pub(super) fn folder(&self, name: &str) -> io::Result<Self> {
        Ok(Self(open_beneath(&self.0, name, directory_flags()).map_err(|error| self.explained(name, error))?))
    }

    /// A folder in this one, made if it is not there.
    pub(super) fn made_folder(&self, name: &str) -> io::Result<Self> {
        match self.folder(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            found => return found,
        }
        match mkdirat(&self.0, name, Mode::from_raw_mode(0o755)) {
            Ok(()) | Err(Errno::EXIST) => self.folder(name),
            Err(error) => Err(error.into()),
        }
    }

    /// Which folder it is.
    pub(super) fn identity(&self) -> io::Result<Identity> {
        Ok(identity(&fstat(&self.0)?))
    }

    /// Opens a plain file; neither a link, nor a pipe that would make us wait.
    pub(super) fn open(&self, name: &str) -> io::Result<OpenFile> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = open_beneath(&self.0, name, flags).map_err(|error| self.explained(name, error))?;
        let stat = fstat(&file)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok(OpenFile { file: File::from(file), stat }),
            FileType::Directory => Err(io::ErrorKind::IsADirectory.into()),
            _ => Err(special()),
        }
    }

    /// What is known about a name, without following it.
    pub(super) fn stat(&self, name: &str) -> io::Result<Stat> {
        Ok(statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// The names in it and what they are; names that are no text are left out.
    pub(super) fn names(&self) -> io::Result<Vec<(String, FileType)>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            if let Ok(name) = entry.file_name().to_str()
                && !matches!(name, "." | "..")
            {
                names.push((name.to_owned(), entry.file_type()));
            }
        }
        Ok(names)
    }

    /// Writes a file as a whole: under another name first, then in its place.
    pub(super) fn put(&self, name: &str, bytes: &[u8], replace: Replace) -> io::Result<()> {
        let temporary = self.temporary(name, bytes)?;
        let placed = match replace {
            Replace::Allowed => renameat(&self.0, &temporary, &self.0, name).map_err(io::Error::from),
            Replace::Refused => self.rename_new(&temporary, self, name),
        };
        if placed.is_err() {
            self.forget(&temporary);
        }
        self.settle();
        placed
    }

    /// Writes a file in the place of one that holds these bytes; says whether it did. The two are exchanged and what
    /// comes out is looked at, so that neither a change nor a move of the last moment is lost.
    pub(super) fn replace(&self, name: &str, original: &[u8], bytes: &[u8]) -> io::Result<bool> {
        let temporary = self.temporary(name, bytes)?;
        let replaced = match self.exchange(&temporary, name) {
            Err(Errno::NOENT) => Ok(false),
            // Some file systems cannot exchange.
            Err(Errno::NOSYS | Errno::INVAL | Errno::NOTSUP) => {
                renameat(&self.0, &temporary, &self.0, name).map(|()| true).map_err(io::Error::from)
            }
            Err(error) => Err(error.into()),
            Ok(()) if self.holds(&temporary, original) => Ok(true),
            Ok(()) => self.exchange(&temporary, name).map(|()| false).map_err(io::Error::from),
        };
        self.forget(&temporary);
        self.settle();
        replaced
    }

    /// A whole file under a name that nobody looks at.
    fn temporary(&self, name: &str, bytes: &[u8]) -> io::Result<String> {
        let temporary = format!("{TEMPORARY}{}.tmp", Uuid::new_v4().simple());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(openat(&self.0, &temporary, flags, Mode::from_raw_mode(0o644))?);
        let filled = self.fill(file, name, bytes);
        if filled.is_err() {
            self.forget(&temporary);
        }
        filled.map(|()| temporary)
    }

    fn forget(&self, temporary: &str) {
        let _ = unlinkat(&self.0, temporary, AtFlags::empty());
    }

    fn holds(&self, name: &str, bytes: &[u8]) -> bool {
        let most = bytes.len() as u64 + 1;
        self.open(name).and_then(|file| file.read(most)).is_ok_and(|found| found == bytes)
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    fn exchange(&self, one: &str, other: &str) -> Result<(), Errno> {
        rustix::fs::renameat_with(&self.0, one, &self.0, other, rustix::fs::RenameFlags::EXCHANGE)
    }

    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    fn exchange(&self, _: &str, _: &str) -> Result<(), Errno> {
        Err(Errno::NOSYS)
    }

    fn fill(&self, mut file: File, name: &str, bytes: &[u8]) -> io::Result<()> {
        if let Ok(old) = self.stat(name)
            && FileType::from_raw_mode(old.st_mode) == FileType::RegularFile
        {
            rustix::fs::fchmod(&file, Mode::from_raw_mode(old.st_mode & 0o777))?;
        }
        file.write_all(bytes)?;
        file.sync_all()
    }

    /// Adds bytes to the end of a file, made if it is not there.
    pub(super) fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let flags = OFlags::WRONLY
            | OFlags::APPEND
            | OFlags::CREATE
            | OFlags::NOFOLLOW
            | OFlags::NONBLOCK
            | OFlags::NOCTTY
            | OFlags::CLOEXEC;
        let file = openat(&self.0, name, flags, Mode::from_raw_mode(0o644))
            .map_err(|error| self.explained(name, error))?;
        let stat = fstat(&file)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile || stat.st_nlink > 1 {
            return Err(special());
        }
        let mut file = File::from(file);
        file.write_all(bytes)?;
        file.sync_data()
    }

    /// Gives a file another name, here or in another folder; a name that is taken stays.
    pub(super) fn rename_new(&self, name: &str, to: &Self, new: &str) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        {
            let renamed =
                rustix::fs::renameat_with(&self.0, name, &to.0, new, rustix::fs::RenameFlags::NOREPLACE);
            match renamed {
                // Some file systems cannot promise it.
                Err(Errno::NOSYS | Errno::INVAL | Errno::NOTSUP) => {}
                done => {
                    done?;
                    to.settle();
                    return Ok(());
                }
            }
        }
        rustix::fs::linkat(&self.0, name, &to.0, new, AtFlags::empty())?;
        unlinkat(&self.0, name, AtFlags::empty())?;
        to.settle();
        Ok(())
    }

    /// Has the system write down what names there are; not every file system can.
    fn settle(&self) {
        let _ = rustix::fs::fsync(&self.0);
    }

    /// A link in the way is called a link, whatever the system calls it.
    fn explained(&self, name: &str, error: Errno) -> io::Error {
        let is_link =
            || self.stat(name).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
        match error {
            Errno::LOOP | Errno::XDEV => special(),
            Errno::NOTDIR if is_link() => special(),
            // A pipe without a reader, and a socket.
            Errno::NXIO => special(),
            error => error.into(),
        }
    }
}

impl OpenFile {
    /// Gives it the time of now, as if it had been written.
    pub(super) fn mark_written(&self) -> io::Result<()> {
        let at = |tv_nsec| Timespec { tv_sec: 0, tv_nsec };
        let times = Timestamps { last_access: at(UTIME_OMIT), last_modification: at(UTIME_NOW) };
        Ok(futimens(&self.file, &times)?)
    }

    pub(super) fn size(&self) -> u64 {
        u64::try_from(self.stat.st_size).unwrap_or_default()
    }

    /// The bytes, at most so many.
    pub(super) fn read(self, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(usize::try_from(self.size().min(most)).unwrap_or_default());
        self.file.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Whether the file has another name somewhere, which a change would reach, too.
    pub(super) fn has_other_names(&self) -> bool {
        self.stat.st_nlink > 1
    }
}

/// The error for links, pipes, devices and files of two names.
fn special() -> io::Error {
    io::Error::from(io::ErrorKind::Unsupported)
}

fn identity(stat: &Stat) -> Identity {
    Identity { device: stat.st_dev, number: stat.st_ino }
}

fn directory_flags() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

/// Opens a name in a folder by the kernel's own rules for staying beneath it.
#[cfg(target_os = "linux")]
fn open_beneath(folder: impl AsFd, name: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;
    let rules = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(&folder, name, flags, Mode::empty(), rules) {
        // Kernels before 5.6, and sandboxes that do not know the call.
        Err(Errno::NOSYS | Errno::PERM) => openat(folder, name, flags, Mode::empty()),
        opened => opened,
    }
}

/// One name at a time, never through a link: the same rules where the kernel has no call for them.
#[cfg(not(target_os = "linux"))]
fn open_beneath(folder: impl AsFd, name: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    openat(folder, name, flags, Mode::empty())
}
