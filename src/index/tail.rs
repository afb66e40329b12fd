//! What the store holds and the index does not yet: searched through a small index in memory.

use std::sync::Arc;

use roaring::RoaringTreemap;
use tantivy::query::Query;
use tantivy::{IndexWriter, Searcher};

use crate::index::attachment_text::Extractor;
use crate::index::filled::Filled;
use crate::index::{Best, Document, Fields, Found, IndexError};
use crate::store::{ChangeKind, Reader};

/// At most this many messages are looked through; the rest waits for the indexer.
const MOST: usize = 2_000;

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
        let changes = reader.newest_changes_after(indexed, MOST)?;
        let Some(seen) = changes.first().map(|change| change.number) else { return Ok(None) };
        let waiting = reader.count_changes_after(indexed)?.saturating_sub(MOST);
        let changed: RoaringTreemap = changes.iter().map(|change| change.message.0.cast_unsigned()).collect();
        let failed = |error| IndexError::from_tantivy(std::path::Path::new("memory"), &error);
        let index = fields.in_memory().map_err(failed)?;
        let mut writer: IndexWriter<Filled> = index.writer_with_num_threads(1, 20_000_000).map_err(failed)?;
        let mut stored: Vec<_> =
            changes.iter().filter(|c| c.kind == ChangeKind::Content).map(|c| c.message).collect();
        stored.sort_unstable();
        stored.dedup();
        for key in stored {
            if let Some(document) = Document::of_stored(reader, key, extractor)? {
                writer.add_document(Filled::new(document, fields, None)).map_err(failed)?;
            }
        }
        writer.commit().map_err(failed)?;
        let searcher = index.reader().map_err(failed)?.searcher();
        Ok(Some(Self { searcher, changed, seen, waiting }))
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
