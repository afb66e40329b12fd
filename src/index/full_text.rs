//! Opens the text index for reading.

use std::path::{Path, PathBuf};

use roaring::RoaringTreemap;
use tantivy::query::Query;
use tantivy::{Index, IndexReader, ReloadPolicy, Searcher};

use crate::index::schema::LAYOUT;
use crate::index::{Best, Fields, Found, IndexError};

/// From this many messages on, a search is worth more than one thread.
const WORTH_SHARING: u64 = 200_000;

/// The text index, for searching.
pub struct FullText {
    index: Index,
    reader: IndexReader,
    fields: Fields,
    seen: i64,
    path: PathBuf,
}

impl FullText {
    /// Opens the index in `directory`; `None` when there is none.
    pub fn open(directory: &Path) -> Result<Option<Self>, IndexError> {
        if !directory.join("meta.json").exists() {
            return Ok(None);
        }
        let failed = |error| IndexError::from_tantivy(directory, &error);
        let fields = Fields::new();
        let mut index = fields.open(directory).map_err(failed)?;
        let seen = seen(&index).map_err(failed)?;
        if documents(&index).map_err(failed)? > WORTH_SHARING {
            index.set_default_multithread_executor().map_err(failed)?;
        }
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().map_err(failed)?;
        Ok(Some(Self { index, reader, fields, seen, path: directory.to_owned() }))
    }

    /// The number of the last change of the store that the index holds for certain.
    #[must_use]
    pub fn seen(&self) -> i64 {
        self.seen
    }

    /// Looks whether the index has moved on.
    pub fn refresh(&mut self) -> Result<(), IndexError> {
        let failed = |error| IndexError::from_tantivy(&self.path, &error);
        // The number is read before the segments: they can only hold more than it says, never less.
        let seen = seen(&self.index).map_err(failed)?;
        self.reader.reload().map_err(failed)?;
        self.seen = seen;
        Ok(())
    }

    /// The fields to ask in.
    #[must_use]
    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    /// The current state of the index.
    #[must_use]
    pub fn searcher(&self) -> Searcher {
        self.reader.searcher()
    }

    /// Runs a query.
    pub fn search(&self, query: &dyn Query, best: &Best) -> Result<Found, IndexError> {
        self.searcher().search(query, best).map_err(|error| IndexError::from_tantivy(&self.path, &error))
    }

    /// The rows of all messages in the index.
    pub fn rows(&self) -> Result<RoaringTreemap, IndexError> {
        let failed = |error| IndexError::from_tantivy(&self.path, &error);
        let mut rows = RoaringTreemap::new();
        for segment in self.searcher().segment_readers() {
            let ids = segment.fast_fields().u64("id").map_err(failed)?;
            rows.extend(segment.doc_ids_alive().filter_map(|doc| ids.first(doc)));
        }
        Ok(rows)
    }

    /// How many documents the index holds.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.searcher().num_docs()
    }
}

fn documents(index: &Index) -> tantivy::Result<u64> {
    Ok(index.searchable_segment_metas()?.iter().map(|segment| u64::from(segment.num_docs())).sum())
}

/// The commit payload is `LAYOUT CHANGE`. Another layout counts as damaged: the index is built anew.
pub(super) fn seen(index: &Index) -> tantivy::Result<i64> {
    let payload = index.load_metas()?.payload.unwrap_or_else(|| format!("{LAYOUT} 0"));
    let change =
        payload.split_once(' ').filter(|(layout, _)| *layout == LAYOUT).and_then(|(_, n)| n.parse().ok());
    change.ok_or_else(|| tantivy::TantivyError::SchemaError(format!("layout `{payload}` is not ours")))
}
