//! The vault: reads, writes, moves and lists below its root.

use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Stat};
use unicode_normalization::UnicodeNormalization;

use crate::vault::beneath::{Folder, Identity, OpenFile, Replace};
use crate::vault::path::is_note_name;
use crate::vault::{LARGEST_NOTE, Note, VaultError, VaultPath};

/// Notes below one directory. It may write everywhere there; assistants get a [`ToolVault`](crate::vault::ToolVault).
#[derive(Debug, Clone)]
pub struct Vault {
    root: PathBuf,
    closed: fn(&str) -> bool,
    /// Whether a note that is moved counts as written.
    marks_moves: bool,
}

/// Something in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it is.
    pub path: VaultPath,
    /// What it is.
    pub kind: EntryKind,
}

/// What something in a folder is. Links, pipes and devices are nothing of the vault's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A file that ends in `.md`.
    Note,
    /// Another plain file.
    File,
    /// A folder.
    Folder,
}

/// How a file was when it was looked at; another stamp means another content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp {
    file: (u64, u64),
    size: i64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    pub(super) fn of(stat: &Stat) -> Self {
        Self {
            file: (stat.st_dev, stat.st_ino),
            size: stat.st_size,
            modified: (stat.st_mtime, stat.st_mtime_nsec.cast_signed()),
            changed: (stat.st_ctime, stat.st_ctime_nsec.cast_signed()),
        }
    }

    /// The size in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        u64::try_from(self.size).unwrap_or_default()
    }

    /// When the content was last written, in seconds since 1970.
    #[must_use]
    pub fn modified_at(&self) -> i64 {
        self.modified.0
    }

    /// The same in nanoseconds: as exact as the file system keeps it.
    #[must_use]
    pub const fn modified_nanos(&self) -> i64 {
        self.modified.0.saturating_mul(1_000_000_000).saturating_add(self.modified.1)
    }

    /// When anything about the file last changed, its name included, in seconds since 1970. No program sets this.
    #[must_use]
    pub fn changed_at(&self) -> i64 {
        self.changed.0
    }
}

impl Vault {
    /// The vault at this directory, which must be there.
    pub fn open(root: &Path) -> Result<Self, VaultError> {
        let vault = Self::at(root.to_owned());
        vault.folder_at_root()?;
        Ok(vault)
    }

    /// The same, whether it is there yet or not.
    pub(super) fn at(root: PathBuf) -> Self {
        Self { root, closed: |_| false, marks_moves: false }
    }

    /// The same for tools: nothing is written below folders whose names are `closed`, and what they move counts as
    /// written. Else two notes could change places, be read, and change back as old as they were.
    pub(super) fn closing(self, closed: fn(&str) -> bool) -> Self {
        Self { closed, marks_moves: true, ..self }
    }

    /// The directory.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Reads a note. A frontmatter that is no YAML is an error; [`Vault::read_bytes`] gives what is there.
    pub fn read(&self, path: &VaultPath) -> Result<Note, VaultError> {
        let (path, file) = self.open_file(path)?;
        let bytes = whole(&path, file)?;
        Note::parse(path, bytes)
    }

    /// Reads any plain file.
    pub fn read_bytes(&self, path: &VaultPath) -> Result<Vec<u8>, VaultError> {
        let (path, file) = self.open_file(path)?;
        whole(&path, file)
    }

    /// Whether a plain file is there.
    pub fn exists(&self, path: &VaultPath) -> Result<bool, VaultError> {
        match self.open_file(path) {
            Ok(_) => Ok(true),
            Err(VaultError::NotFound { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// How a file is now.
    pub fn stamp(&self, path: &VaultPath) -> Result<Stamp, VaultError> {
        Ok(Stamp::of(&self.open_file(path)?.1.stat))
    }

    /// Writes a note that was changed or made anew. Fails when somebody else changed it since it was read, or made one
    /// of the same name. Missing folders are made.
    pub fn save(&self, note: &mut Note) -> Result<(), VaultError> {
        let path = note.path().clone();
        match note.original() {
            None => self.put(&path, note.text().as_bytes(), Replace::Refused)?,
            Some(original) if original == note.text().as_bytes() => return Ok(()),
            Some(original) => self.put_if(&path, original, note.text().as_bytes())?,
        }
        note.saved();
        Ok(())
    }

    /// Writes a file, whatever was there before. Missing folders are made.
    pub fn write(&self, path: &VaultPath, bytes: &[u8]) -> Result<(), VaultError> {
        self.put(path, bytes, Replace::Allowed)
    }

    /// Gives a note another place. What is there already stays, and the call fails. Missing folders are made.
    pub fn rename(&self, from: &VaultPath, to: &VaultPath) -> Result<(), VaultError> {
        self.refuse_closed(from)?;
        self.refuse_closed(to)?;
        let (source, name) = self.writable_parent(from, Missing::Fails)?;
        let file = source.open(&name).map_err(|error| told(from, error))?;
        refuse_other_names(from, &file)?;
        let (target, new) = self.writable_parent(to, Missing::IsMade)?;
        if self.marks_moves {
            file.mark_written().map_err(|error| told(from, error))?;
        }
        match source.rename_new(&name, &target, &new) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(told(from, error)),
            done => done.map_err(|error| told(to, error)),
        }
    }

    /// Adds a line to the end of a file. Missing folders are made.
    pub fn append(&self, path: &VaultPath, line: &str) -> Result<(), VaultError> {
        let (folder, name) = self.writable_parent(path, Missing::IsMade)?;
        folder.append(&name, format!("{line}\n").as_bytes()).map_err(|error| told(path, error))
    }

    /// Makes a folder and those above it; one that is there is fine.
    pub fn make_folder(&self, path: &VaultPath) -> Result<(), VaultError> {
        self.writable_folder(path, Missing::IsMade).map(drop)
    }

    /// What lies in a folder, by name. What is hidden, and what no path can name, is left out.
    pub fn list(&self, folder: &VaultPath) -> Result<Vec<Entry>, VaultError> {
        let (path, folder) = self.folder(folder)?;
        let names = folder.names().map_err(|error| told(&path, error))?;
        let mut entries: Vec<_> =
            names.iter().filter_map(|(name, kind)| entry(&path, &folder, name, *kind)).collect();
        entries.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        Ok(entries)
    }

    /// All notes of the vault, folder by folder. A folder that goes away meanwhile is left out.
    pub fn notes(&self) -> Result<Vec<VaultPath>, VaultError> {
        let mut folders = vec![VaultPath::root()];
        let mut notes = Vec::new();
        while let Some(folder) = folders.pop() {
            let entries = match self.list(&folder) {
                Err(error) if folder.is_root() => return Err(error),
                entries => entries.unwrap_or_default(),
            };
            for entry in entries {
                match entry.kind {
                    EntryKind::Note => notes.push(entry.path),
                    EntryKind::Folder => folders.push(entry.path),
                    EntryKind::File => {}
                }
            }
        }
        notes.sort_unstable();
        Ok(notes)
    }

    fn put(&self, path: &VaultPath, bytes: &[u8], replace: Replace) -> Result<(), VaultError> {
        let (folder, name) = self.writable_parent(path, Missing::IsMade)?;
        match folder.open(&name) {
            Ok(_) if replace == Replace::Refused => {
                return Err(VaultError::AlreadyExists { path: path.to_string() });
            }
            Ok(old) => refuse_other_names(path, &old)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(told(path, error)),
        }
        folder.put(&name, bytes, replace).map_err(|error| told(path, error))
    }

    /// Writes a file if it still is as it was.
    fn put_if(&self, path: &VaultPath, original: &[u8], bytes: &[u8]) -> Result<(), VaultError> {
        let changed = || VaultError::Changed { path: path.to_string() };
        let (folder, name) = self.writable_parent(path, Missing::Fails)?;
        let old = match folder.open(&name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(changed()),
            old => old.map_err(|error| told(path, error))?,
        };
        refuse_other_names(path, &old)?;
        if whole(path, old)? != original {
            return Err(changed());
        }
        match folder.replace(&name, original, bytes).map_err(|error| told(path, error))? {
            true => Ok(()),
            false => Err(changed()),
        }
    }

    fn folder_at_root(&self) -> Result<Folder, VaultError> {
        Folder::root(&self.root).map_err(|source| VaultError::NoVault {
            root: crate::text_safety::one_line(&self.root.display().to_string()),
            source,
        })
    }

    /// A folder for reading, and how it is spelt on the disk.
    pub(super) fn folder(&self, path: &VaultPath) -> Result<(VaultPath, Folder), VaultError> {
        let (mut at, mut folder) = (VaultPath::root(), self.folder_at_root()?);
        for name in path.names() {
            let name = spelt(&folder, name);
            folder = folder.folder(&name).map_err(|error| told(path, error))?;
            at = at.child(&name).unwrap_or_default();
        }
        Ok((at, folder))
    }

    /// A plain file for reading, and how its path is spelt on the disk.
    pub(super) fn open_file(&self, path: &VaultPath) -> Result<(VaultPath, OpenFile), VaultError> {
        if path.is_root() {
            return Err(VaultError::BadPath { path: String::new(), problem: "it is the vault itself" });
        }
        let (at, folder) = self.folder(&path.parent()).map_err(|error| about(path, error))?;
        let name = spelt(&folder, path.name());
        let file = folder.open(&name).map_err(|error| told(path, error))?;
        Ok((at.child(&name).unwrap_or_default(), file))
    }

    fn writable_parent(&self, path: &VaultPath, missing: Missing) -> Result<(Folder, String), VaultError> {
        if path.is_root() {
            return Err(VaultError::BadPath { path: String::new(), problem: "it is the vault itself" });
        }
        self.refuse_closed(path)?;
        let folder = self.writable_folder(&path.parent(), missing).map_err(|error| about(path, error))?;
        let name = spelt(&folder, path.name());
        Ok((folder, name))
    }

    /// A folder to write into: not one of those that are closed, whatever it is called and however it is reached.
    fn writable_folder(&self, path: &VaultPath, missing: Missing) -> Result<Folder, VaultError> {
        self.refuse_closed(path)?;
        let mut folder = self.folder_at_root()?;
        let mut closed = Vec::new();
        for name in path.names() {
            closed.extend(self.closed_folders(&folder).map_err(|error| told(path, error))?);
            let name = spelt(&folder, name);
            let next = match missing {
                Missing::IsMade => folder.made_folder(&name),
                Missing::Fails => folder.folder(&name),
            };
            folder = next.map_err(|error| told(path, error))?;
            if closed.contains(&folder.identity().map_err(|error| told(path, error))?) {
                return Err(refused(path, CLOSED));
            }
        }
        Ok(folder)
    }

    /// A name that is closed is refused before any file is touched. At every depth: the folders that count may lie in
    /// one of the root's.
    pub(super) fn refuse_closed(&self, path: &VaultPath) -> Result<(), VaultError> {
        if path.names().any(self.closed) { Err(refused(path, CLOSED)) } else { Ok(()) }
    }

    fn closed_folders(&self, folder: &Folder) -> io::Result<Vec<Identity>> {
        let names = folder.names()?;
        let closed =
            names.iter().filter(|(name, kind)| *kind != FileType::RegularFile && (self.closed)(name));
        Ok(closed.filter_map(|(name, _)| folder.folder(name).ok()?.identity().ok()).collect())
    }
}

const CLOSED: &str = "only the owner changes what lies in Approved, Done and Logs";
const SPECIAL: &str = "a link, a device or a file of several names is in the way";

/// What becomes of a folder that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    Fails,
    IsMade,
}

fn refused(path: &VaultPath, problem: &'static str) -> VaultError {
    VaultError::Refused { path: path.to_string(), problem }
}

fn told(path: &VaultPath, error: io::Error) -> VaultError {
    match error.kind() {
        io::ErrorKind::Unsupported => refused(path, SPECIAL),
        io::ErrorKind::NotADirectory => VaultError::NotFound { path: path.to_string() },
        io::ErrorKind::IsADirectory => {
            VaultError::BadPath { path: path.to_string(), problem: "it is a folder" }
        }
        _ => VaultError::io(path.as_str(), error),
    }
}

/// An error about a folder, told about the note that was asked for.
fn about(path: &VaultPath, error: VaultError) -> VaultError {
    match error {
        VaultError::NotFound { .. } => VaultError::NotFound { path: path.to_string() },
        VaultError::Refused { problem, .. } => refused(path, problem),
        other => other,
    }
}

fn refuse_other_names(path: &VaultPath, file: &OpenFile) -> Result<(), VaultError> {
    if file.has_other_names() { Err(refused(path, SPECIAL)) } else { Ok(()) }
}

fn whole(path: &VaultPath, file: OpenFile) -> Result<Vec<u8>, VaultError> {
    let too_large = |size| VaultError::TooLarge { path: path.to_string(), size };
    if file.size() > LARGEST_NOTE {
        return Err(too_large(file.size()));
    }
    let bytes = file.read(LARGEST_NOTE + 1).map_err(|error| told(path, error))?;
    let size = bytes.len() as u64;
    if size > LARGEST_NOTE { Err(too_large(size)) } else { Ok(bytes) }
}

/// The name as the disk has it: letters with marks can be written in two ways, and both mean the same note.
fn spelt(folder: &Folder, name: &str) -> String {
    if name.is_ascii() || folder.stat(name).is_ok() {
        return name.to_owned();
    }
    let same = |other: &String| other.nfc().eq(name.nfc());
    let names = folder.names().unwrap_or_default();
    names.into_iter().map(|(other, _)| other).find(same).unwrap_or_else(|| name.to_owned())
}

fn entry(at: &VaultPath, folder: &Folder, name: &str, kind: FileType) -> Option<Entry> {
    let path = at.child(name)?;
    let kind = match kind {
        // Not every file system tells the kind in its lists.
        FileType::Unknown => FileType::from_raw_mode(folder.stat(name).ok()?.st_mode),
        known => known,
    };
    let kind = match kind {
        FileType::Directory => EntryKind::Folder,
        FileType::RegularFile if is_note_name(name) => EntryKind::Note,
        FileType::RegularFile => EntryKind::File,
        _ => return None,
    };
    Some(Entry { path, kind })
}
