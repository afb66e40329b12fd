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
    folders: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    folders: HashMap<VaultPath, HashMap<String, Arc<Known>>>,
    bytes: usize,
}

/// What is known about a note.
#[derive(Debug)]
pub(super) struct Known {
    stamp: Stamp,
    is_sure: bool,
    /// The frontmatter; `None` when it cannot be read.
    pub(super) frontmatter: Option<Vec<(String, Yaml)>>,
    /// The values of the frontmatter and the body, as they are searched.
    pub(super) folded: String,
}

/// Whether a look at notes goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    GoesOn,
    Ends,
}

impl Catalog {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, folders: Mutex::default() }
    }

    /// Shows the notes of one folder by name, those behind `after`.
    pub(super) fn folder(
        &self,
        vault: &Vault,
        path: &VaultPath,
        after: Option<&VaultPath>,
        see: &mut dyn FnMut(&VaultPath, &Known) -> Look,
    ) -> Result<(), VaultError> {
        let (path, folder) = vault.folder(path)?;
        Walk { catalog: self, after, see, deepest: 0 }.folder(&path, &folder, 0);
        Ok(())
    }

    /// Shows all notes, folder by folder, those behind `after`.
    pub(super) fn everything(
        &self,
        vault: &Vault,
        after: Option<&VaultPath>,
        see: &mut dyn FnMut(&VaultPath, &Known) -> Look,
    ) -> Result<(), VaultError> {
        let (path, folder) = vault.folder(&VaultPath::root())?;
        Walk { catalog: self, after, see, deepest: DEEPEST }.folder(&path, &folder, 0);
        Ok(())
    }

    /// What was known about the notes of a folder. It is taken away meanwhile, so that nobody waits for anybody.
    fn take(&self, folder: &VaultPath) -> HashMap<String, Arc<Known>> {
        let mut kept = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let notes = kept.folders.remove(folder).unwrap_or_default();
        kept.bytes = kept.bytes.saturating_sub(size(&notes));
        notes
    }

    fn give_back(&self, folder: &VaultPath, notes: HashMap<String, Arc<Known>>) {
        let mut kept = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = size(&notes);
        if kept.bytes + bytes <= MOST_KEPT {
            kept.bytes += bytes;
            if let Some(other) = kept.folders.insert(folder.clone(), notes) {
                kept.bytes = kept.bytes.saturating_sub(size(&other));
            }
        }
    }

    fn read(&self, file: OpenFile, path: &VaultPath) -> Option<Known> {
        let stamp = Stamp::of(&file.stat);
        let now = self.clock.now().as_second();
        let is_sure = stamp.modified_at() < now - UNSURE_SECONDS && stamp.changed_at() < now - UNSURE_SECONDS;
        let bytes = file.read(LARGEST_NOTE).ok()?;
        let (frontmatter, folded) = match Note::parse(path.clone(), bytes.clone()) {
            Ok(note) => (Some(note.frontmatter().to_vec()), folded(&searched(&note))),
            Err(_) => (None, folded(&String::from_utf8_lossy(&bytes))),
        };
        Some(Known { stamp, is_sure, frontmatter, folded })
    }
}

struct Walk<'a> {
    catalog: &'a Catalog,
    after: Option<&'a VaultPath>,
    see: &'a mut dyn FnMut(&VaultPath, &Known) -> Look,
    deepest: usize,
}

impl Walk<'_> {
    fn folder(&mut self, path: &VaultPath, folder: &Folder, depth: usize) -> Look {
        let Ok(mut names) = folder.names() else { return Look::GoesOn };
        names.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let mut known = self.catalog.take(path);
        let mut look = Look::GoesOn;
        for (name, kind) in &names {
            look = self.entry(path, folder, (name, *kind), &mut known, depth);
            if look == Look::Ends {
                break;
            }
        }
        if look == Look::GoesOn {
            known.retain(|name, _| names.binary_search_by(|(other, _)| other.cmp(name)).is_ok());
        }
        self.catalog.give_back(path, known);
        look
    }

    fn entry(
        &mut self,
        at: &VaultPath,
        folder: &Folder,
        (name, kind): (&str, FileType),
        known: &mut HashMap<String, Arc<Known>>,
        depth: usize,
    ) -> Look {
        let is_note = is_note_name(name);
        if !is_note && (depth >= self.deepest || kind == FileType::RegularFile) {
            return Look::GoesOn;
        }
        let Some(path) = at.child(name) else { return Look::GoesOn };
        let Ok(stat) = folder.stat(name) else { return Look::GoesOn };
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory if depth < self.deepest && !self.is_before(&path) => {
                folder.folder(name).map_or(Look::GoesOn, |inner| self.folder(&path, &inner, depth + 1))
            }
            FileType::RegularFile if is_note && !self.is_passed(&path) => {
                let stamp = Stamp::of(&stat);
                let fresh = known.get(name).filter(|known| known.is_sure && known.stamp == stamp).cloned();
                let Some(note) = fresh.or_else(|| self.read(folder, name, &path, known)) else {
                    return Look::GoesOn;
                };
                (self.see)(&path, &note)
            }
            _ => Look::GoesOn,
        }
    }

    fn read(
        &self,
        folder: &Folder,
        name: &str,
        path: &VaultPath,
        known: &mut HashMap<String, Arc<Known>>,
    ) -> Option<Arc<Known>> {
        let file = folder.open(name).ok().filter(|file| file.size() <= LARGEST_NOTE)?;
        let note = Arc::new(self.catalog.read(file, path)?);
        known.insert(name.to_owned(), Arc::clone(&note));
        Some(note)
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

fn size(notes: &HashMap<String, Arc<Known>>) -> usize {
    notes.iter().map(|(name, note)| name.len() + note.folded.len() + 200).sum()
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
