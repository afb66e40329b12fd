//! Lets the text index follow the store: at once for what this process stores, from the change log for the rest.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::index::attachment_text::Extractor;
use crate::index::{Document, IndexError, Indexer};
use crate::store::Reader;

/// How long a commit of the index may be put off. A kill costs a later process this much catching up.
const COMMIT_EVERY: Duration = Duration::from_secs(60);

/// Follows the store, when no other process does.
pub struct Follower {
    indexer: Option<Indexer>,
    reader: Reader,
    extractor: Extractor,
    committed: Instant,
}

impl Follower {
    /// Takes over indexing if nobody else has it, and catches up with the store.
    /// `progress` is told how many messages were caught up with.
    pub fn start(
        store: &Path,
        index: &Path,
        extractor: &Extractor,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Self, IndexError> {
        let reader = Reader::open(store)?;
        let mut indexer = Indexer::try_open(index)?;
        if let Some(indexer) = &mut indexer {
            indexer.catch_up(&reader, extractor, progress)?;
        }
        Ok(Self { indexer, reader, extractor: extractor.clone(), committed: Instant::now() })
    }

    /// Whether this process writes the index.
    #[must_use]
    pub fn is_writing(&self) -> bool {
        self.indexer.is_some()
    }

    /// Takes in a batch that was just stored: `before` is the newest change it built on, `after` its own last.
    pub fn take(&mut self, documents: Vec<Document>, before: i64, after: i64) -> Result<(), IndexError> {
        let Some(indexer) = &mut self.indexer else {
            return Ok(());
        };
        if indexer.seen() == before {
            for document in documents {
                indexer.add(document)?;
            }
            indexer.saw(after);
        } else {
            // Another process stored something in between: only the change log has all of it, in order.
            indexer.catch_up(&self.reader, &self.extractor, &mut |_| {})?;
        }
        if self.committed.elapsed() >= COMMIT_EVERY {
            indexer.commit()?;
            self.committed = Instant::now();
        }
        Ok(())
    }

    /// Commits, takes in what others stored meanwhile, and gives the index free.
    pub fn finish(self) -> Result<(), IndexError> {
        let Some(mut indexer) = self.indexer else {
            return Ok(());
        };
        indexer.commit()?;
        indexer.catch_up(&self.reader, &self.extractor, &mut |_| {})?;
        indexer.close()
    }
}
