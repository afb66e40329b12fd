//! Goes through a directory tree in the order of its names and says what stands where. Opens no file.
//!
//! Memory stays bounded: a directory with very many names is listed again for each batch of them.
//! Links to directories are not followed, so a loop cannot hold us and nothing is read twice.

use std::collections::BinaryHeap;
use std::ffi::OsString;
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};
use std::vec;

use super::error::FileError;
use super::maildir;

const BATCH: usize = 32 * 1024;

/// A file to look at.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Where it is.
    pub(super) path: PathBuf,
    /// What its place says about it.
    pub(super) place: Location,
}

/// What the place of a file says about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Location {
    /// Nothing: its name and bytes decide.
    Anywhere,
    /// It is a message of a Maildir, in this folder.
    Maildir(Option<String>),
}

/// The walk through a tree.
#[derive(Default)]
pub(super) struct Walk {
    levels: Vec<Level>,
    passed_by: u64,
}

struct Level {
    path: PathBuf,
    role: Role,
    names: Names,
}

enum Role {
    /// A directory that is no part of a Maildir, with its name from where the walk began.
    Tree(Option<String>),
    /// A directory inside a Maildir, or one itself, with the name of its mailbox.
    Folder(Option<String>),
    /// The `cur` or `new` of this mailbox.
    Messages(Option<String>),
}

impl Walk {
    /// A walk through `directory`, which is told apart as everywhere below it.
    pub(super) fn through(directory: &Path) -> Self {
        let mut walk = Self::default();
        if maildir::holds_messages(directory) {
            walk.push(directory.to_path_buf(), Role::Messages(None));
        } else {
            walk.enter(directory.to_path_buf(), Role::Tree(None));
        }
        walk
    }

    /// How many entries were neither a file nor a directory to go into.
    pub(super) const fn passed_by(&self) -> u64 {
        self.passed_by
    }

    /// The next file, or a directory that could not be listed.
    pub(super) fn next(&mut self) -> Option<Result<Found, FileError>> {
        loop {
            let level = self.levels.last_mut()?;
            match level.names.next(&level.path) {
                None => {
                    self.levels.pop();
                }
                Some(Err(error)) => {
                    let path = self.levels.pop()?.path;
                    return Some(Err(FileError::reading(&path, error)));
                }
                Some(Ok(entry)) => {
                    if let Some(found) = self.visit(&entry) {
                        return Some(Ok(found));
                    }
                }
            }
        }
    }

    fn visit(&mut self, entry: &Entry) -> Option<Found> {
        let level = self.levels.last()?;
        let path = level.path.join(&entry.name);
        let kind = entry.kind.resolve(&path);
        let place = match (&level.role, kind) {
            (Role::Messages(mailbox), Kind::File) if !is_hidden(entry) => Location::Maildir(mailbox.clone()),
            (Role::Folder(_), Kind::File) if maildir::is_bookkeeping(&entry.name) => return None,
            (Role::Tree(_) | Role::Folder(_), Kind::File) => Location::Anywhere,
            (Role::Tree(_) | Role::Folder(_), Kind::Directory) => {
                self.descend(path, entry);
                return None;
            }
            _ => {
                self.passed_by += 1;
                return None;
            }
        };
        Some(Found { path, place })
    }

    fn descend(&mut self, path: PathBuf, entry: &Entry) {
        let Some(level) = self.levels.last() else { return };
        let (Role::Tree(parent) | Role::Folder(parent) | Role::Messages(parent)) = &level.role;
        let mailbox = Some(maildir::mailbox(parent.as_deref(), &entry.name));
        match &level.role {
            Role::Tree(_) => self.enter(path, Role::Tree(mailbox)),
            _ if maildir::PARTS.iter().any(|part| entry.name == *part) && maildir::is_folder(&level.path) => {
            }
            _ => self.enter(path, Role::Folder(mailbox)),
        }
    }

    /// Puts the directory on top; of a Maildir first `cur`, then `new`, then what is beside them.
    fn enter(&mut self, path: PathBuf, role: Role) {
        let holds_messages = match role {
            Role::Tree(_) => maildir::is_maildir(&path),
            Role::Folder(_) | Role::Messages(_) => maildir::is_folder(&path),
        };
        if !holds_messages {
            return self.push(path, role);
        }
        // A Maildir in a directory of Maildirs is a mailbox of that name: mbsync and others lay them out so.
        let (Role::Tree(mailbox) | Role::Folder(mailbox) | Role::Messages(mailbox)) = role;
        let parts = ["new", "cur"].map(|part| path.join(part));
        self.push(path, Role::Folder(mailbox.clone()));
        for part in parts.into_iter().filter(|part| part.is_dir()) {
            self.push(part, Role::Messages(mailbox.clone()));
        }
    }

    fn push(&mut self, path: PathBuf, role: Role) {
        let names = Names::default();
        self.levels.push(Level { path, role, names });
    }
}

fn is_hidden(entry: &Entry) -> bool {
    entry.name.as_encoded_bytes().starts_with(b".")
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    name: OsString,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    File,
    Directory,
    Link,
    Other,
}

impl Kind {
    fn of(file_type: FileType) -> Self {
        match file_type {
            kind if kind.is_file() => Self::File,
            kind if kind.is_dir() => Self::Directory,
            kind if kind.is_symlink() => Self::Link,
            _ => Self::Other,
        }
    }

    /// A link to a file is as good as the file; every other link is left alone.
    fn resolve(self, path: &Path) -> Self {
        match self {
            Self::Link if path.is_file() => Self::File,
            kind => kind,
        }
    }
}

/// The names of one directory in order, a batch at a time.
#[derive(Default)]
struct Names {
    batch: vec::IntoIter<Entry>,
    last: Option<OsString>,
    complete: bool,
}

impl Names {
    fn next(&mut self, directory: &Path) -> Option<io::Result<Entry>> {
        if self.batch.len() == 0
            && !self.complete
            && let Err(error) = self.list(directory, BATCH)
        {
            return Some(Err(error));
        }
        self.batch.next().map(Ok)
    }

    /// Lists the `limit` first names behind the last batch.
    fn list(&mut self, directory: &Path, limit: usize) -> io::Result<()> {
        let mut first = BinaryHeap::new();
        self.complete = true;
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let (name, kind) = (entry.file_name(), Kind::of(entry.file_type()?));
            if self.last.as_ref().is_some_and(|last| name <= *last) {
                continue;
            }
            first.push(Entry { name, kind });
            if first.len() > limit {
                first.pop();
                self.complete = false;
            }
        }
        let batch = first.into_sorted_vec();
        self.last = batch.last().map(|entry| entry.name.clone());
        self.batch = batch.into_iter();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{BATCH, Names};

    #[test]
    fn a_directory_listed_in_small_batches_gives_every_name_once_and_in_order() {
        let directory = tempfile::tempdir().unwrap();
        let mut expected: Vec<String> = (0..25).map(|n| format!("{}", n * 7 % 25)).collect();
        for name in &expected {
            std::fs::write(directory.path().join(name), "").unwrap();
        }
        expected.sort();

        for limit in [1, 4, 5, 25, BATCH] {
            let (mut names, mut seen) = (Names::default(), Vec::new());
            while !names.complete {
                names.list(directory.path(), limit).unwrap();
                seen.extend(names.batch.by_ref().map(|entry| entry.name.into_string().unwrap()));
            }
            assert_eq!(seen, expected);
        }
    }
}
