//! Writes the text index: one process at a time, following the store's change log.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::Directory;
use tantivy::directory::error::LockError;
use tantivy::directory::{INDEX_WRITER_LOCK, MmapDirectory};
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, UserOperation};
use tantivy::{IndexWriter, TantivyError};

use crate::index::attachment_text::Extractor;
use crate::index::filled::Filled;
use crate::index::full_text::seen;
use crate::index::gate::Gate;
use crate::index::schema::LAYOUT;
use crate::index::{Document, Fields, IdsQuery, IndexError};
use crate::model::MessageKey;
use crate::store::{Reader, create_private_directory};

/// How much an indexer may take for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// For work that waits for nothing but the index.
    Full,
    /// For work that mostly waits for others.
    Gentle,
}

impl Effort {
    /// Threads, and the memory of each.
    fn share(self) -> (usize, usize) {
        match self {
            Self::Full => (2, 32_000_000),
            Self::Gentle => (1, 24_000_000),
        }
    }
}

/// A segment with this many messages is not merged any more.
const LARGE_SEGMENT: usize = 100_000;
/// Segments with fewer messages count as equally small: they are merged together whenever there are enough of them.
const SMALL_SEGMENT: u32 = 1000;
/// How many messages are handed to the index at once: each time, a thread of it may have to be woken.
const GROUP: usize = 16;
/// Bytes of text that may wait to be indexed.
const WAITING: usize = 16 << 20;
/// How many messages are taken from the store between two commits while catching up.
const STEP: usize = 20_000;

/// The one writer of the text index.
pub struct Indexer {
    writer: IndexWriter<Filled>,
    fields: Arc<Fields>,
    gate: Arc<Gate>,
    group: Vec<UserOperation<Filled>>,
    seen: i64,
    identity: String,
    path: PathBuf,
    /// Whether anything was taken in since it was opened.
    has_added: bool,
}

impl Indexer {
    /// Opens the index for writing, or makes it. `None` when another process is writing: it indexes for all.
    /// An index that cannot be read, or that follows another store, is begun anew; the store is not touched.
    pub fn try_open(directory: &Path, store: &Reader, effort: Effort) -> Result<Option<Self>, IndexError> {
        match Self::open(directory, store, effort) {
            Err(IndexError::Damaged { .. }) => {
                if !clear(directory)? {
                    return Ok(None);
                }
                Self::open(directory, store, effort)
            }
            other => other,
        }
    }

    /// Deletes the index and begins it anew; `None` when another process is writing.
    pub fn start_over(directory: &Path, store: &Reader) -> Result<Option<Self>, IndexError> {
        let Some(mut indexer) = Self::try_open(directory, store, Effort::Full)? else { return Ok(None) };
        indexer.writer.delete_all_documents().map_err(|e| indexer.failed(&e))?;
        indexer.seen = 0;
        indexer.commit()?;
        Ok(Some(indexer))
    }

    fn open(directory: &Path, store: &Reader, effort: Effort) -> Result<Option<Self>, IndexError> {
        let failed = |error| IndexError::from_tantivy(directory, &error);
        create_private_directory(directory)?;
        let fields = Arc::new(Fields::new());
        let index = fields.open_or_create(directory).map_err(failed)?;
        let (threads, memory) = effort.share();
        let options = IndexWriterOptions::builder()
            .num_worker_threads(threads)
            .memory_budget_per_thread(memory)
            .num_merge_threads(1)
            .build();
        let writer = match index.writer_with_options(options) {
            Err(TantivyError::LockFailure(LockError::LockBusy, _)) => return Ok(None),
            other => other.map_err(failed)?,
        };
        writer.set_merge_policy(Box::new(merge_policy()));
        // Only now, with the lock in hand, nobody else can move it on.
        let identity = store.identity()?;
        let seen = seen(&index, &identity).map_err(failed)?;
        let (gate, group, path) = (Arc::new(Gate::new(WAITING)), Vec::new(), directory.to_owned());
        Ok(Some(Self { writer, fields, gate, group, seen, identity, path, has_added: false }))
    }

    /// The number of the last change that was taken in.
    #[must_use]
    pub fn seen(&self) -> i64 {
        self.seen
    }

    /// Takes in a message that was just stored.
    pub fn add(&mut self, document: Document) -> Result<(), IndexError> {
        self.has_added = true;
        let bytes = document.text.len();
        if self.group.len() >= GROUP || !self.gate.has_room(bytes) {
            self.hand_on()?;
        }
        let pass = Gate::pass(&self.gate, bytes);
        self.group.push(UserOperation::Add(Filled::new(document, &self.fields, Some(pass))));
        Ok(())
    }

    /// Hands on what has been gathered.
    fn hand_on(&mut self) -> Result<(), IndexError> {
        let group = std::mem::take(&mut self.group);
        self.writer.run(group).map_err(|error| self.failed(&error))?;
        Ok(())
    }

    /// Notes that everything up to this change was taken in.
    pub fn saw(&mut self, change: i64) {
        self.seen = self.seen.max(change);
    }

    /// Makes all that was taken in durable and visible to readers.
    pub fn commit(&mut self) -> Result<(), IndexError> {
        self.hand_on()?;
        let payload = format!("{LAYOUT} {} {}", self.identity, self.seen);
        let path = self.path.clone();
        let failed = |error| IndexError::from_tantivy(&path, &error);
        let mut commit = self.writer.prepare_commit().map_err(failed)?;
        commit.set_payload(&payload);
        crate::crash_point::crash_point("before the index is committed");
        commit.commit().map_err(failed)?;
        crate::crash_point::crash_point("after the index is committed");
        Ok(())
    }

    /// Takes in everything the store's change log holds beyond what the index has seen.
    /// `progress` is told how many changes are done.
    pub fn catch_up(
        &mut self,
        reader: &Reader,
        extractor: &Extractor,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), IndexError> {
        let mut done = 0;
        let extractor = extractor.for_many();
        loop {
            // Read first: whatever lies up to here and is not among the changes of content is none of ours.
            let newest = reader.newest_change()?;
            let changes = reader.changes_after(self.seen, STEP)?;
            if changes.is_empty() {
                self.saw(newest);
                return Ok(());
            }
            let last = changes.last().map_or(self.seen, |change| change.number);
            let messages: BTreeSet<_> = changes.iter().map(|change| change.message).collect();
            // What was gathered before must not come after what is forgotten now.
            self.hand_on()?;
            self.forget(&messages)?;
            for message in messages {
                if let Some(document) = Document::of_stored(reader, message, &extractor)? {
                    self.add(document)?;
                }
                done += 1;
                progress(done);
            }
            self.seen = last;
            self.commit()?;
        }
    }

    /// Drops what the index knows about these messages; an index that is empty knows nothing.
    fn forget(&self, messages: &BTreeSet<MessageKey>) -> Result<(), IndexError> {
        let segments = self.writer.index().searchable_segment_metas().map_err(|e| self.failed(&e))?;
        if segments.is_empty() && !self.has_added {
            return Ok(());
        }
        let rows = messages.iter().map(|message| message.0.cast_unsigned()).collect();
        let outdated = IdsQuery::new(Arc::new(rows));
        self.writer.delete_query(Box::new(outdated)).map_err(|e| self.failed(&e))?;
        Ok(())
    }

    /// Writes every part of the index anew that still holds something of removed messages, and deletes the old files.
    pub fn erase_removed(&mut self) -> Result<(), IndexError> {
        self.commit()?;
        for segment in self.writer.index().searchable_segment_metas().map_err(|e| self.failed(&e))? {
            if segment.has_deletes() {
                self.writer.merge(&[segment.id()]).wait().map_err(|e| self.failed(&e))?;
            }
        }
        self.writer.garbage_collect_files().wait().map_err(|e| self.failed(&e))?;
        Ok(())
    }

    /// Lets merges that are under way finish, and gives the index free for others.
    pub fn close(self) -> Result<(), IndexError> {
        let Self { writer, path, .. } = self;
        writer.wait_merging_threads().map_err(|error| IndexError::from_tantivy(&path, &error))
    }

    fn failed(&self, error: &TantivyError) -> IndexError {
        IndexError::from_tantivy(&self.path, error)
    }
}

/// Large segments stay as they are: merging them again costs memory and time, and several can be searched at once.
/// Small ones are merged with their like, so that a few new messages never cost the merge of many old ones.
fn merge_policy() -> LogMergePolicy {
    let mut policy = LogMergePolicy::default();
    policy.set_max_docs_before_merge(LARGE_SEGMENT);
    policy.set_min_layer_size(SMALL_SEGMENT);
    policy
}

/// Deletes what is in the directory, unless another process is writing there; says whether it did.
fn clear(directory: &Path) -> Result<bool, IndexError> {
    let failed =
        |error: std::io::Error| IndexError::File { path: directory.to_owned(), detail: error.to_string() };
    let opened =
        MmapDirectory::open(directory).map_err(|e| IndexError::from_tantivy(directory, &e.into()))?;
    let _lock = match opened.acquire_lock(&INDEX_WRITER_LOCK) {
        Err(LockError::LockBusy) => return Ok(false),
        Err(LockError::IoError(error)) => return Err(failed(std::io::Error::other(error))),
        Ok(lock) => lock,
    };
    for entry in fs::read_dir(directory).map_err(failed)?.flatten() {
        if entry.path().file_name() != INDEX_WRITER_LOCK.filepath.file_name() {
            fs::remove_file(entry.path()).map_err(failed)?;
        }
    }
    Ok(true)
}
