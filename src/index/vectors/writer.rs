//! Writes vectors: one process at a time. Records are added at the end and count once the manifest says so; what is
//! outdated or forgotten is overwritten with zeros where it lies.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::index::IndexError;
use crate::index::embedder::ModelInfo;
use crate::index::vectors::manifest::MOST_DIMENSIONS;
use crate::index::vectors::record::{self, RecordHead, record_size};
use crate::index::vectors::{Manifest, Rows, file};
use crate::model::MessageKey;
use crate::store::create_private_directory;

/// From so many erased records on, a file of which most are erased is written anew.
const WORTH_COMPACTING: usize = 1_000;

/// The one writer of the vectors.
pub struct VectorWriter {
    /// Held while it writes.
    lock: File,
    directory: PathBuf,
    file: File,
    manifest: Manifest,
    known: Known,
    /// Records that are to be committed.
    pending: Vec<u8>,
    /// Records that were found damaged when it was opened, and were erased.
    damaged: usize,
}

/// What the file holds.
#[derive(Default)]
struct Known {
    /// Messages that have their first vector, or need none.
    first: Rows,
    /// Of messages with several vectors: how many there are and how many there should be.
    several: HashMap<MessageKey, (u16, u16)>,
    erased: usize,
}

impl Known {
    /// Takes a record in; whether it continues what is there of its message.
    fn take(&mut self, head: &RecordHead) -> bool {
        if head.ordinal == 0 {
            if head.of > 1 {
                self.several.insert(head.message, (1, head.of));
            }
            return self.first.insert(head.message);
        }
        match self.several.get_mut(&head.message) {
            Some((have, of)) if *have == head.ordinal && *of == head.of && *have < *of => *have += 1,
            _ => return false,
        }
        true
    }

    fn forget(&mut self, message: MessageKey) {
        self.first.remove(message);
        self.several.remove(&message);
    }

    fn missing(&self) -> u64 {
        self.several.values().map(|(have, of)| u64::from(of - have)).sum()
    }
}

impl VectorWriter {
    /// Opens the vectors of a store and a model for writing, or makes them; `None` when another process is writing.
    /// Vectors of another store or model are given up; damaged ones are erased, so that they can be made again.
    pub fn try_open(directory: &Path, store: &str, model: &ModelInfo) -> Result<Option<Self>, IndexError> {
        let Some(lock) = lock(directory)? else { return Ok(None) };
        let manifest = match Manifest::read(directory) {
            Ok(Some(found)) if found.store == store && found.info() == *model => found,
            Ok(_) | Err(IndexError::VectorsDamaged { .. }) => begin(directory, store, model)?,
            Err(error) => return Err(error),
        };
        Self::with(lock, directory, manifest).map(Some)
    }

    /// Gives up all vectors and begins anew; `None` when another process is writing.
    pub fn start_over(directory: &Path, store: &str, model: &ModelInfo) -> Result<Option<Self>, IndexError> {
        let Some(lock) = lock(directory)? else { return Ok(None) };
        let manifest = begin(directory, store, model)?;
        Self::with(lock, directory, manifest).map(Some)
    }

    fn with(lock: File, directory: &Path, manifest: Manifest) -> Result<Self, IndexError> {
        let path = file::path(directory, manifest.file);
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = opened.map_err(|error| IndexError::vectors(directory, &error))?;
        let (directory, known) = (directory.to_owned(), Known::default());
        let mut writer = Self { lock, directory, file, manifest, known, pending: Vec::new(), damaged: 0 };
        writer.read().map_err(|error| writer.failed(&error))?;
        if writer.known.erased > WORTH_COMPACTING && writer.known.erased * 2 > writer.manifest.records {
            writer.compact()?;
        }
        Ok(writer)
    }

    /// Reads what is there, and erases what is damaged or left over.
    fn read(&mut self) -> io::Result<()> {
        let size = record_size(self.manifest.dimensions);
        let there = usize::try_from(self.file.metadata()?.len()).unwrap_or(usize::MAX) / size;
        if there < self.manifest.records {
            self.damaged += self.manifest.records - there;
            self.manifest.records = there;
        }
        let (mut unsound, mut broken, mut known) = (Vec::new(), Rows::default(), Known::default());
        file::each(&self.file, self.manifest.dimensions, 0..self.manifest.records, |place, record| {
            if record.is_erased() {
                known.erased += 1;
            } else if !record.is_sound() {
                unsound.push(place);
            } else if !known.take(&record.head()) {
                broken.insert(record.message());
            }
            Ok(())
        })?;
        self.file.set_len((self.manifest.records * size) as u64)?;
        self.damaged += unsound.len();
        for place in unsound {
            self.zero(place)?;
            known.erased += 1;
        }
        self.known = known;
        if !broken.is_empty() {
            self.erase_records(&broken)?;
        }
        if self.damaged > 0 {
            self.file.sync_data()?;
        }
        Ok(())
    }

    /// What counts.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// How many records were damaged when it was opened.
    #[must_use]
    pub const fn damaged(&self) -> usize {
        self.damaged
    }

    /// The messages that have their first vector, or need none.
    #[must_use]
    pub const fn first(&self) -> &Rows {
        &self.known.first
    }

    /// How many vectors a message has and should have, when these are not the same.
    #[must_use]
    pub fn unfinished(&self, message: MessageKey) -> Option<(u16, u16)> {
        self.known.several.get(&message).filter(|(have, of)| have < of).copied()
    }

    /// Further vectors that are to be made.
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.known.missing()
    }

    /// Notes by what its model is recognised, or refuses vectors of one that is not the one that made the others.
    pub fn recognise(&mut self, sample: Option<Vec<f32>>) -> Result<(), IndexError> {
        self.manifest.recognise(sample.as_deref())?;
        self.manifest.sample = self.manifest.sample.take().or(sample);
        Ok(())
    }

    /// Lets others write until it resumes.
    pub fn rest(&self) -> Result<(), IndexError> {
        self.lock.unlock().map_err(|error| self.failed(&error))
    }

    /// Becomes the one writer again; says whether it is, and what it knows still holds.
    pub fn resume(&self) -> Result<bool, IndexError> {
        match self.lock.try_lock() {
            Ok(()) => Ok(Manifest::read(&self.directory).ok().flatten().as_ref() == Some(&self.manifest)),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(self.failed(&error)),
        }
    }

    /// Adds a vector. Those of one message are added in order.
    pub fn add(&mut self, head: &RecordHead, vector: &[f32]) -> Result<(), IndexError> {
        if vector.len() > MOST_DIMENSIONS {
            let detail = format!("it makes {} dimensions, and {MOST_DIMENSIONS} is the most", vector.len());
            return Err(IndexError::Model { detail });
        }
        if self.manifest.dimensions == 0 {
            self.manifest.dimensions = vector.len();
        }
        if vector.len() != self.manifest.dimensions {
            let detail = format!("it made {} dimensions and then {}", self.manifest.dimensions, vector.len());
            return Err(IndexError::Model { detail });
        }
        record::write(head, vector, &mut self.pending);
        self.known.take(head);
        Ok(())
    }

    /// Notes that a message has nothing to compare.
    pub fn add_nothing(&mut self, message: MessageKey) -> Result<(), IndexError> {
        if self.manifest.dimensions == 0 {
            // How long a record is becomes known with the first vector; until then there is nothing to write it into.
            return Ok(());
        }
        let nothing = vec![0.0; self.manifest.dimensions];
        self.add(&RecordHead { message, start: 0, end: 0, ordinal: 0, of: 0 }, &nothing)
    }

    /// Makes what was added count, and notes how far the store's changes are known and how fast it goes.
    pub fn commit(&mut self, seen: i64, pace: Option<f64>) -> Result<(), IndexError> {
        let size = record_size(self.manifest.dimensions);
        let end = (self.manifest.records * size) as u64;
        let pending = std::mem::take(&mut self.pending);
        let written = self.append(end, &pending);
        if let Err(error) = written {
            // What is half there must not be counted by the next commit.
            let _ = self.file.set_len(end);
            return Err(self.failed(&error));
        }
        let manifest = Manifest {
            records: self.manifest.records + pending.len() / size,
            seen: self.manifest.seen.max(seen),
            messages: self.known.first.len(),
            missing: self.known.missing(),
            pace: pace.unwrap_or(self.manifest.pace),
            ..self.manifest.clone()
        };
        if manifest != self.manifest {
            manifest.write(&self.directory)?;
        }
        self.manifest = manifest;
        Ok(())
    }

    fn append(&mut self, end: u64, pending: &[u8]) -> io::Result<()> {
        if pending.is_empty() {
            return Ok(());
        }
        self.file.seek(SeekFrom::Start(end))?;
        self.file.write_all(pending)?;
        crate::crash_point::crash_point("before the records are synced");
        self.file.sync_data()
    }

    /// Overwrites what there is of these messages, and has it on the disk when it returns.
    pub fn erase(&mut self, messages: &Rows) -> Result<(), IndexError> {
        self.erase_records(messages).and_then(|()| self.file.sync_data()).map_err(|error| self.failed(&error))
    }

    fn erase_records(&mut self, messages: &Rows) -> io::Result<()> {
        let mut outdated = Vec::new();
        file::each(&self.file, self.manifest.dimensions, 0..self.manifest.records, |place, record| {
            if messages.contains(record.message()) {
                outdated.push((place, record.message()));
            }
            Ok(())
        })?;
        for (place, message) in outdated {
            self.zero(place)?;
            self.known.erased += 1;
            self.known.forget(message);
        }
        Ok(())
    }

    fn zero(&mut self, place: usize) -> io::Result<()> {
        let size = record_size(self.manifest.dimensions);
        self.file.seek(SeekFrom::Start((place * size) as u64))?;
        self.file.write_all(&vec![0; size])
    }

    /// Writes what is left into a new file.
    fn compact(&mut self) -> Result<(), IndexError> {
        let failed = |error: io::Error| IndexError::vectors(&self.directory, &error);
        let number = self.manifest.file + 1;
        let mut compact =
            File::create(file::path(&self.directory, number)).map(io::BufWriter::new).map_err(failed)?;
        let mut records = 0;
        file::each(&self.file, self.manifest.dimensions, 0..self.manifest.records, |_, record| {
            if record.is_erased() {
                return Ok(());
            }
            records += 1;
            compact.write_all(record.0)
        })
        .map_err(failed)?;
        let compact = compact.into_inner().map_err(|error| failed(error.into_error()))?;
        compact.sync_all().map_err(failed)?;
        self.manifest.file = number;
        self.manifest.records = records;
        self.manifest.write(&self.directory)?;
        remove_others(&self.directory, number);
        let opened = OpenOptions::new().read(true).write(true).open(file::path(&self.directory, number));
        self.file = opened.map_err(failed)?;
        self.known.erased = 0;
        Ok(())
    }

    fn failed(&self, error: &io::Error) -> IndexError {
        IndexError::vectors(&self.directory, error)
    }
}

/// Takes the lock of the writer, in a directory that is made when it is not there.
fn lock(directory: &Path) -> Result<Option<File>, IndexError> {
    let failed = |error: io::Error| IndexError::vectors(directory, &error);
    create_private_directory(directory)?;
    let opened = OpenOptions::new().write(true).create(true).truncate(false).open(directory.join("lock"));
    let lock = opened.map_err(failed)?;
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// Begins a file without vectors, with a number that no reader has open.
fn begin(directory: &Path, store: &str, model: &ModelInfo) -> Result<Manifest, IndexError> {
    let number = 1 + numbers(directory).max().unwrap_or(0);
    let manifest = Manifest::new(store, model, number);
    File::create(file::path(directory, number)).map_err(|error| IndexError::vectors(directory, &error))?;
    manifest.write(directory)?;
    remove_others(directory, number);
    Ok(manifest)
}

fn numbers(directory: &Path) -> impl Iterator<Item = u64> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".vectors")?.parse().ok())
}

/// Readers that have one open keep it until they look again.
fn remove_others(directory: &Path, number: u64) {
    for other in numbers(directory).filter(|other| *other != number).collect::<Vec<_>>() {
        let _ = fs::remove_file(file::path(directory, other));
    }
}

#[cfg(test)]
mod tests;
