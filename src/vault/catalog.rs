//! What notes say, kept in memory from one question to the next. A note is read again when its file is another one or
//! was written since; every question looks at every file it is about, so nothing is told that is no longer there.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::FileType;
use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::clock::Clock;
use crate::vault::beneath::{Folder, OpenFile};
use crate::vault::path::is_note_name;
use crate::vault::{LARGEST_NOTE, Note, Stamp, Vault, VaultError, VaultPath, Yaml};

/// So many bytes of text are kept; what is beyond is read again each time.
const MOST_KEPT: usize = 256 << 20;
/// Folders below folders, so deep and no deeper.
const DEEPEST: usize = 100;
/// A file that was written so shortly before it was read may be written again without looking any different.
const UNSURE_SECONDS: i64 = 2;

/// Notes as they were when they were last read.
#[derive(Debug)]
pub(super) struct Catalog {
    clock: Clock,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    folders: HashMap<VaultPath, Arc<Vec<Arc<Known>>>>,
    bytes: usize,
}

/// What is known about a note.
#[derive(Debug)]
pub(super) struct Known {
    name: String,
    stamp: Stamp,
    is_sure: bool,
    /// The frontmatter; `None` when it cannot be read.
    pub(super) frontmatter: Option<Vec<(String, Yaml)>>,
    /// The values of the frontmatter and the body, as they are searched.
    pub(super) folded: String,
}

/// A note that is looked at.
pub(super) struct Seen<'a> {
    folder: &'a VaultPath,
    /// What is known about it.
    pub(super) known: &'a Known,
}

impl Known {
    /// About how many bytes it takes in memory.
    fn size(&self) -> usize {
        self.name.len() + self.folded.len() + 300
    }
}

impl Seen<'_> {
    /// Where it is.
    pub(super) fn path(&self) -> VaultPath {
        self.folder.child(&self.known.name).unwrap_or_default()
    }
}

/// Whether a look at notes goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    GoesOn,
    Ends,
}

/// Who looks at notes.
pub(super) type See<'a> = &'a mut dyn FnMut(&Seen<'_>) -> Look;

impl Catalog {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, kept: Mutex::default() }
    }

    /// Shows the notes of one folder by name, those behind `after`.
    pub(super) fn folder(
        &self,
        vault: &Vault,
        path: &VaultPath,
        after: Option<&VaultPath>,
        see: See<'_>,
    ) -> Result<(), VaultError> {
        let (path, folder) = vault.folder(path)?;
        Walk { catalog: self, after, see, deepest: 0, look: Look::GoesOn }.folder(&path, &folder, 0);
        Ok(())
    }

    /// Shows all notes, folder by folder, those behind `after`.
    pub(super) fn everything(
        &self,
        vault: &Vault,
        after: Option<&VaultPath>,
        see: See<'_>,
    ) -> Result<(), VaultError> {
        let (path, folder) = vault.folder(&VaultPath::root())?;
        Walk { catalog: self, after, see, deepest: DEEPEST, look: Look::GoesOn }.folder(&path, &folder, 0);
        Ok(())
    }

    /// What was known about the notes of a folder, by name.
    fn known(&self, folder: &VaultPath) -> Arc<Vec<Arc<Known>>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.folders.get(folder).cloned().unwrap_or_default()
    }

    fn keep(&self, folder: &VaultPath, notes: Vec<Arc<Known>>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let old = kept.folders.remove(folder).map_or(0, |notes| size(&notes));
        kept.bytes = kept.bytes.saturating_sub(old);
        let bytes = size(&notes);
        if kept.bytes + bytes <= MOST_KEPT {
            kept.bytes += bytes;
            kept.folders.insert(folder.clone(), Arc::new(notes));
        }
    }

    fn read(&self, file: OpenFile, name: &str) -> Option<Known> {
        let stamp = Stamp::of(&file.stat);
        let now = self.clock.now().as_second();
        let is_sure = stamp.modified_at() < now - UNSURE_SECONDS && stamp.changed_at() < now - UNSURE_SECONDS;
        let bytes = file.read(LARGEST_NOTE).ok()?;
        let raw = || folded(&String::from_utf8_lossy(&bytes));
        let (frontmatter, folded) = match Note::parse(VaultPath::root(), bytes.clone()) {
            Ok(note) => (Some(note.frontmatter().to_vec()), folded(&searched(&note))),
            Err(_) => (None, raw()),
        };
        Some(Known { name: name.to_owned(), stamp, is_sure, frontmatter, folded })
    }
}

struct Walk<'a> {
    catalog: &'a Catalog,
    after: Option<&'a VaultPath>,
    see: See<'a>,
    deepest: usize,
    look: Look,
}

impl Walk<'_> {
    /// Looks at a folder. What is known about it and its names are in the same order, so they are gone through together.
    fn folder(&mut self, path: &VaultPath, folder: &Folder, depth: usize) {
        let Ok(mut names) = folder.names() else { return };
        names.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let known = self.catalog.known(path);
        let mut old = known.iter().peekable();
        let mut notes = Vec::with_capacity(known.len());
        let mut is_changed = false;
        let mut bytes = 0;
        for (name, kind) in &names {
            while old.next_if(|note| note.name < *name).is_some() {
                is_changed = true;
            }
            let known = old.next_if(|note| note.name == *name);
            if self.look == Look::Ends {
                notes.extend(known.cloned());
            } else if is_note_name(name) && *kind != FileType::Directory {
                let note = self.note(path, folder, name, known);
                is_changed |=
                    !matches!((&note, known), (Some(note), Some(known)) if Arc::ptr_eq(note, known));
                bytes += note.as_ref().map_or(0, |note| note.size());
                // What is too much to keep need not be held until the end, either.
                notes.extend(note.filter(|_| bytes <= MOST_KEPT));
            } else if depth < self.deepest && matches!(kind, FileType::Directory | FileType::Unknown) {
                self.inner(path, folder, name, depth);
            }
        }
        if is_changed || old.next().is_some() {
            self.catalog.keep(path, notes);
        }
    }

    fn inner(&mut self, at: &VaultPath, folder: &Folder, name: &str, depth: usize) {
        let Some(path) = at.child(name).filter(|path| !self.is_before(path)) else { return };
        if let Ok(inner) = folder.folder(name) {
            self.folder(&path, &inner, depth + 1);
        }
    }

    /// Looks at a note, reading it if it is another one than before; what is known about it now.
    fn note(
        &mut self,
        at: &VaultPath,
        folder: &Folder,
        name: &str,
        known: Option<&Arc<Known>>,
    ) -> Option<Arc<Known>> {
        let is_passed = self.after.is_some() && at.child(name).is_none_or(|path| self.is_passed(&path));
        if is_passed {
            return known.cloned();
        }
        let stamp = Stamp::of(&folder.stat(name).ok()?);
        let same = known.filter(|known| known.is_sure && known.stamp == stamp);
        let note = match same {
            Some(known) => Arc::clone(known),
            None => Arc::new(self.read(at, folder, name)?),
        };
        self.look = (self.see)(&Seen { folder: at, known: &note });
        Some(note)
    }

    /// Reads a plain file that can be named and is not too long.
    fn read(&self, at: &VaultPath, folder: &Folder, name: &str) -> Option<Known> {
        at.child(name)?;
        let file = folder.open(name).ok().filter(|file| file.size() <= LARGEST_NOTE)?;
        self.catalog.read(file, name)
    }

    /// Whether a note was shown on an earlier page.
    fn is_passed(&self, path: &VaultPath) -> bool {
        self.after.is_some_and(|after| in_order(path, after) != Ordering::Greater)
    }

    /// Whether everything in a folder was.
    fn is_before(&self, folder: &VaultPath) -> bool {
        self.is_passed(folder)
            && self
                .after
                .is_some_and(|after| !after.names().zip(folder.names()).all(|(one, other)| one == other))
    }
}

/// The order in which notes are shown: name by name from the root.
pub(super) fn in_order(one: &VaultPath, other: &VaultPath) -> Ordering {
    one.names().cmp(other.names())
}

fn size(notes: &[Arc<Known>]) -> usize {
    notes.iter().map(|note| note.size()).sum()
}

/// What is searched of a note: the values of its frontmatter, and its body.
pub(super) fn searched(note: &Note) -> String {
    let mut text = String::new();
    for (_, value) in note.frontmatter() {
        value.scalars(&mut |scalar| {
            text.push_str(&scalar.as_text().unwrap_or_default());
            text.push('\n');
        });
    }
    text.push_str(note.body());
    text
}

/// A text as it is compared: in lower case, and its letters written in one way.
pub(super) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let lower = text.to_lowercase();
    if is_nfc(&lower) { lower } else { lower.nfc().collect() }
}
