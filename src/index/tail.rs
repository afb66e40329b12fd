//! What the store holds and the index does not yet: searched through a small index in memory.

use std::sync::Arc;

use roaring::RoaringTreemap;
use tantivy::indexer::NoMergePolicy;
use tantivy::query::Query;
use tantivy::{IndexWriter, Searcher};

use crate::index::attachment_text::Extractor;
use crate::index::filled::Filled;
use crate::index::{Best, Document, Fields, Found, IndexError};
use crate::store::{ChangeKind, Reader};

/// At most this many changes are looked through without the index; the rest waits for the indexer.
pub const LOOKED_THROUGH: usize = 2_000;

/// What the writer holds before it makes a segment; less is not allowed.
const MEMORY: usize = 15_000_000;

/// As many bytes of text may wait for the writer.
const MOST_QUEUED: usize = 4 << 20;

/// So many may be left to the tail for good: looking through them costs a reader less than a commit of the index costs
/// a writer.
pub const MAY_WAIT: usize = 100;

/// The newest messages, as far as the index has not seen them.
pub struct Tail {
    searcher: Searcher,
    /// Rows that changed since: whatever the index says about them is out of date.
    pub changed: RoaringTreemap,
    /// The newest change that is covered.
    pub seen: i64,
    /// Changes that neither the index nor this tail covers.
    pub waiting: usize,
}

impl Tail {
    /// Reads what changed after `indexed`; `None` when nothing did.
    pub fn read(
        reader: &Reader,
        fields: &Arc<Fields>,
        indexed: i64,
        extractor: &Extractor,
    ) -> Result<Option<Self>, IndexError> {
        let changes = reader.newest_changes_after(indexed, LOOKED_THROUGH)?;
        let Some(seen) = changes.first().map(|change| change.number) else { return Ok(None) };
        let waiting = reader.count_changes_after(indexed)?.saturating_sub(LOOKED_THROUGH);
        let changed: RoaringTreemap = changes.iter().map(|change| change.message.0.cast_unsigned()).collect();
        let failed = |error| IndexError::from_tantivy(std::path::Path::new("memory"), &error);
        let index = fields.in_memory().map_err(failed)?;
        let mut writer: IndexWriter<Filled> = index.writer_with_num_threads(1, MEMORY).map_err(failed)?;
        // What is gone in a moment is not worth merging, which would hold everything twice.
        writer.set_merge_policy(Box::new(NoMergePolicy));
        let mut stored: Vec<_> =
            changes.iter().filter(|c| c.kind == ChangeKind::Content).map(|c| c.message).collect();
        stored.sort_unstable();
        stored.dedup();
        let mut queued = 0;
        for key in stored {
            if let Some(document) = Document::in_passing(reader, key, extractor)? {
                queued += document.text.len() + 1_000;
                writer.add_document(Filled::new(document, fields, None)).map_err(failed)?;
            }
            // The writer takes documents as fast as they are read, and holds them until it comes to them.
            if queued > MOST_QUEUED {
                writer.commit().map_err(failed)?;
                queued = 0;
            }
        }
        writer.commit().map_err(failed)?;
        let searcher = index.reader().map_err(failed)?.searcher();
        Ok(Some(Self { searcher, changed, seen, waiting }))
    }

    /// These documents alone, whatever else there is.
    pub fn of(documents: Vec<Document>, fields: &Arc<Fields>) -> Result<Self, IndexError> {
        let failed = |error| IndexError::from_tantivy(std::path::Path::new("memory"), &error);
        let index = fields.in_memory().map_err(failed)?;
        let mut writer: IndexWriter<Filled> = index.writer_with_num_threads(1, MEMORY).map_err(failed)?;
        for document in documents {
            writer.add_document(Filled::new(document, fields, None)).map_err(failed)?;
        }
        writer.commit().map_err(failed)?;
        let searcher = index.reader().map_err(failed)?.searcher();
        Ok(Self { searcher, changed: RoaringTreemap::new(), seen: 0, waiting: 0 })
    }

    /// The state of the tail.
    #[must_use]
    pub fn searcher(&self) -> &Searcher {
        &self.searcher
    }

    /// Runs a query.
    pub fn search(&self, query: &dyn Query, best: &Best) -> Result<Found, IndexError> {
        self.searcher
            .search(query, best)
            .map_err(|error| IndexError::from_tantivy(std::path::Path::new("memory"), &error))
    }
}
