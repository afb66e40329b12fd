//! Finds the nearest vectors.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::index::IndexError;
use crate::index::vectors::record::{HEAD, Question, Record, record_size};
use crate::index::vectors::{Manifest, file, sketch};
use crate::model::MessageKey;

/// So many vectors are compared exactly, at least.
const POOL: usize = 4_096;
/// Passages that are told of one message.
const MOST_PASSAGES: usize = 3;

/// A message that is near to what was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Near {
    /// The message.
    pub message: MessageKey,
    /// How near its nearest passage is: 1 is the same, 0 has nothing to do with it.
    pub score: f32,
    /// Its nearest passages, the nearest first.
    pub passages: Vec<Passage>,
}

/// A passage of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// Which one of the message, from 0.
    pub ordinal: u16,
    /// Where it stands in the visible text, in bytes. Empty when only the subject was compared.
    pub range: Range<usize>,
    /// How near it is.
    pub score: f32,
}

/// The vectors, for searching.
pub struct Vectors {
    directory: PathBuf,
    manifest: Manifest,
    file: Option<File>,
    /// Of each record the message; 0 for what is not to be found.
    messages: Vec<MessageKey>,
    sketches: Vec<u64>,
}

impl Vectors {
    /// Opens the vectors in a directory; `None` when there are none. They are read when they are first needed.
    pub fn open(directory: &Path) -> Result<Option<Self>, IndexError> {
        let Some(manifest) = Manifest::read(directory)? else { return Ok(None) };
        let directory = directory.to_owned();
        Ok(Some(Self { directory, manifest, file: None, messages: Vec::new(), sketches: Vec::new() }))
    }

    /// What counted when it was last looked at.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Looks whether there is more, or something else; whether it is. Without vectors it is an error.
    pub fn refresh(&mut self) -> Result<bool, IndexError> {
        let found = Manifest::read(&self.directory)?;
        let found = found.ok_or_else(|| IndexError::damaged_vectors(&self.directory, "they are gone"))?;
        if found == self.manifest {
            return Ok(false);
        }
        let is_same = (found.file, found.dimensions) == (self.manifest.file, self.manifest.dimensions);
        if !is_same || found.records < self.messages.len() {
            self.file = None;
            self.messages.clear();
            self.sketches.clear();
        }
        self.manifest = found;
        Ok(true)
    }

    /// Reads the sketches of what was not read before, and checks every record on the way.
    pub fn load(&mut self) -> Result<(), IndexError> {
        let (dimensions, records) = (self.manifest.dimensions, self.manifest.records);
        if self.messages.len() == records {
            return Ok(());
        }
        let failed = |error: io::Error| IndexError::vectors(&self.directory, &error);
        let file = match self.file.take() {
            Some(file) => file,
            None => File::open(file::path(&self.directory, self.manifest.file)).map_err(failed)?,
        };
        // Before there is room made for what a manifest promises.
        let needed = records.checked_mul(record_size(dimensions)).map(|bytes| bytes as u64);
        if needed.is_none_or(|needed| file.metadata().map_or(0, |file| file.len()) < needed) {
            return Err(failed(io::ErrorKind::UnexpectedEof.into()));
        }
        let places = self.messages.len()..records;
        self.messages.reserve_exact(places.len());
        self.sketches.reserve_exact(places.len() * sketch::words(dimensions));
        let (messages, sketches) = (&mut self.messages, &mut self.sketches);
        let read = file::each(&file, dimensions, places, |_, record| {
            if !record.is_erased() && !record.is_sound() {
                return Err(io::ErrorKind::InvalidData.into());
            }
            messages.push(if record.head().of == 0 { MessageKey(0) } else { record.message() });
            sketch::push(record.components().iter().map(|byte| byte.cast_signed() > 0), sketches);
            Ok(())
        });
        if let Err(error) = read {
            self.messages.clear();
            self.sketches.clear();
            return Err(IndexError::vectors(&self.directory, &error));
        }
        self.file = Some(file);
        Ok(())
    }

    /// The messages nearest to a vector among the allowed, at most `wanted`, the nearest first. The order never
    /// depends on anything but the vectors.
    pub fn nearest(
        &self,
        vector: &[f32],
        wanted: usize,
        allowed: impl Fn(MessageKey) -> bool,
    ) -> Result<Vec<Near>, IndexError> {
        if vector.len() != self.manifest.dimensions {
            let detail =
                format!("{} dimensions were asked for, {} are kept", vector.len(), self.manifest.dimensions);
            return Err(IndexError::damaged_vectors(&self.directory, detail));
        }
        let question = Question::new(vector);
        let mut passages = Vec::new();
        for place in self.pool(vector, wanted, allowed) {
            passages.extend(self.compare(place, &question)?);
        }
        passages.sort_by(|(one, a), (other, b)| {
            b.score.total_cmp(&a.score).then(one.cmp(other)).then(a.ordinal.cmp(&b.ordinal))
        });
        Ok(by_message(passages, wanted))
    }

    /// The records that are worth a closer look.
    fn pool(&self, vector: &[f32], wanted: usize, allowed: impl Fn(MessageKey) -> bool) -> Vec<usize> {
        let mut asked = Vec::new();
        sketch::push(vector.iter().map(|x| *x > 0.0), &mut asked);
        let mut distances = sketch::distances(&self.sketches, &asked);
        let mut counts = vec![0; vector.len() + 1];
        for (distance, message) in distances.iter_mut().zip(&self.messages) {
            if *message != MessageKey(0) && allowed(*message) {
                counts[usize::from(*distance)] += 1;
            } else {
                *distance = u16::MAX;
            }
        }
        let horizon = sketch::horizon(&counts, POOL.max(wanted * 40)).min(u16::MAX - 1);
        (0..distances.len()).filter(|place| distances[*place] <= horizon).collect()
    }

    /// Compares one record exactly; `None` for one that was erased or replaced meanwhile.
    fn compare(
        &self,
        place: usize,
        question: &Question,
    ) -> Result<Option<(MessageKey, Passage)>, IndexError> {
        let Some(bytes) = self.read(place)? else { return Ok(None) };
        let record = Record(&bytes);
        let head = record.head();
        // Allowed was the message that stood here when the sketches were read.
        if head.message != self.messages[place] {
            return Ok(None);
        }
        let range = head.start as usize..head.end as usize;
        let passage = Passage { ordinal: head.ordinal, range, score: record.nearness(question) };
        Ok(Some((head.message, passage)))
    }

    /// Reads a record and checks it; `None` for one that was erased.
    fn read(&self, place: usize) -> Result<Option<Vec<u8>>, IndexError> {
        let size = record_size(self.manifest.dimensions);
        let failed = |error: &io::Error| IndexError::vectors(&self.directory, error);
        let file = self.file.as_ref().ok_or_else(|| failed(&io::ErrorKind::NotFound.into()))?;
        let mut bytes = vec![0; size];
        for _ in 0..2 {
            file::read_at(file, &mut bytes, (place * size) as u64).map_err(|error| failed(&error))?;
            let record = Record(&bytes);
            if record.is_erased() || record.is_sound() {
                return Ok((!record.is_erased()).then_some(bytes));
            }
            // It may have been read while it was erased; then it is gone at the second look.
        }
        Err(failed(&io::ErrorKind::InvalidData.into()))
    }

    /// The direction of a whole message: the mean of its vectors. `None` when it has none.
    pub fn direction(&self, message: MessageKey) -> Result<Option<Vec<f32>>, IndexError> {
        let mut mean = vec![0.0; self.manifest.dimensions];
        let places = (0..self.messages.len()).filter(|place| self.messages[*place] == message);
        for place in places {
            if let Some(bytes) = self.read(place)? {
                mean.iter_mut().zip(Record(&bytes).vector()).for_each(|(sum, x)| *sum += x);
            }
        }
        let length = mean.iter().map(|x| x * x).sum::<f32>().sqrt();
        Ok((length > 0.0).then(|| mean.iter().map(|x| x / length).collect()))
    }

    /// Bytes on the disk.
    #[must_use]
    pub fn size(&self) -> u64 {
        (self.manifest.records * (HEAD + self.manifest.dimensions)) as u64
    }
}

/// Passages in order -> messages in the order of their best passage.
fn by_message(passages: Vec<(MessageKey, Passage)>, wanted: usize) -> Vec<Near> {
    let mut places: HashMap<MessageKey, usize> = HashMap::new();
    let mut near: Vec<Near> = Vec::new();
    for (message, passage) in passages {
        match places.get(&message) {
            Some(place) => {
                let known = &mut near[*place].passages;
                if known.len() < MOST_PASSAGES {
                    known.push(passage);
                }
            }
            None if near.len() < wanted => {
                places.insert(message, near.len());
                near.push(Near { message, score: passage.score, passages: vec![passage] });
            }
            None => {}
        }
    }
    near
}
