//! Opens the text index for reading.

use std::path::{Path, PathBuf};

use roaring::RoaringTreemap;
use tantivy::query::Query;
use tantivy::{Index, IndexReader, ReloadPolicy, Searcher};

use crate::index::schema::LAYOUT;
use crate::index::{Best, Fields, Found, IndexError};
use crate::store::Reader;

/// From this many messages on, a search is worth more than one thread.
const WORTH_SHARING: u64 = 200_000;

/// The text index, for searching.
pub struct FullText {
    index: Index,
    reader: IndexReader,
    fields: Fields,
    seen: i64,
    identity: String,
    path: PathBuf,
}

impl FullText {
    /// Opens the index in `directory` that follows `store`; `None` when there is none.
    pub fn open(directory: &Path, store: &Reader) -> Result<Option<Self>, IndexError> {
        match directory.join("meta.json").try_exists() {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(error) => {
                return Err(IndexError::File { path: directory.to_owned(), detail: error.to_string() });
            }
        }
        let failed = |error| IndexError::from_tantivy(directory, &error);
        let fields = Fields::new();
        let mut index = fields.open(directory).map_err(failed)?;
        let identity = store.identity()?;
        let seen = seen(&index, &identity).map_err(failed)?;
        if documents(&index).map_err(failed)? > WORTH_SHARING {
            index.set_default_multithread_executor().map_err(failed)?;
        }
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().map_err(failed)?;
        Ok(Some(Self { index, reader, fields, seen, identity, path: directory.to_owned() }))
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
        let seen = seen(&self.index, &self.identity).map_err(failed)?;
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

/// How many changes the index in `directory` has not seen; all, where there is no index that follows this store.
pub fn lag(directory: &Path, store: &Reader) -> Result<usize, IndexError> {
    let opened = Fields::new().open(directory);
    let identity = store.identity()?;
    let indexed = opened.and_then(|index| seen(&index, &identity)).unwrap_or(0);
    Ok(store.count_changes_after(indexed)?)
}

fn documents(index: &Index) -> tantivy::Result<u64> {
    Ok(index.searchable_segment_metas()?.iter().map(|segment| u64::from(segment.num_docs())).sum())
}

/// The commit payload is `LAYOUT STORE CHANGE`. Another layout, or an index that follows another store, counts as
/// damaged: it is built anew.
pub(super) fn seen(index: &Index, identity: &str) -> tantivy::Result<i64> {
    let Some(payload) = index.load_metas()?.payload else { return Ok(0) };
    let change =
        payload.strip_prefix(&format!("{LAYOUT} {identity} ")).and_then(|change| change.parse().ok());
    change.ok_or_else(|| tantivy::TantivyError::SchemaError(format!("`{payload}` is not for this store")))
}
