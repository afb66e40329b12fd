//! Lets the text index follow the store: at once for what this process stores, from the change log for the rest.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::index::attachment_text::Extractor;
use crate::index::{self, Document, Effort, IndexError, Indexer};
use crate::store::Reader;

/// How long a commit of the index may be put off. A kill costs a later process this much catching up.
const COMMIT_EVERY: Duration = Duration::from_secs(20);

/// When the index is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Eagerness {
    /// From the first message on, to the last.
    Always,
    /// Once more messages wait than readers can look through themselves. A commit of the index takes longer than
    /// bringing in a handful of messages.
    WhenMany,
}

/// Follows the store, when no other process does.
pub struct Follower {
    indexer: Option<Indexer>,
    eagerness: Eagerness,
    effort: Effort,
    index: PathBuf,
    reader: Reader,
    extractor: Extractor,
    committed: Instant,
    /// Messages that were stored and left to the tail.
    left: usize,
}

impl Follower {
    /// Takes over indexing if nobody else has it, and catches up with the store; at once, or when it is worth it.
    pub fn start(
        store: &Path,
        index: &Path,
        extractor: &Extractor,
        eagerness: Eagerness,
    ) -> Result<Self, IndexError> {
        let effort = match eagerness {
            Eagerness::Always => Effort::Full,
            Eagerness::WhenMany => Effort::Gentle,
        };
        let mut follower = Self {
            indexer: None,
            eagerness,
            effort,
            index: index.to_owned(),
            reader: Reader::open(store)?,
            extractor: extractor.clone(),
            committed: Instant::now(),
            left: 0,
        };
        if eagerness == Eagerness::Always {
            follower.take_over()?;
        }
        Ok(follower)
    }

    /// Becomes the one that indexes, unless another process is.
    fn take_over(&mut self) -> Result<(), IndexError> {
        self.eagerness = Eagerness::Always;
        self.indexer = Indexer::try_open(&self.index, &self.reader, self.effort)?;
        self.catch_up()
    }

    /// Takes in what the store's change log holds beyond what the index has seen.
    pub fn catch_up(&mut self) -> Result<(), IndexError> {
        match &mut self.indexer {
            Some(indexer) => indexer.catch_up(&self.reader, &self.extractor, &mut |_| {}),
            None => Ok(()),
        }
    }

    /// Takes in a transaction that was just stored: `before` is the newest change it built on, `after` its own last.
    pub fn take(&mut self, documents: Vec<Document>, before: i64, after: i64) -> Result<(), IndexError> {
        if self.eagerness == Eagerness::WhenMany {
            self.left += documents.len();
            return if self.left > index::MAY_WAIT { self.take_over() } else { Ok(()) };
        }
        match &mut self.indexer {
            Some(indexer) if indexer.seen() == before => {
                for document in documents {
                    indexer.add(document)?;
                }
                indexer.saw(after);
            }
            // Another process stored something in between: only the change log has all of it, in order.
            Some(_) => self.catch_up()?,
            None => {}
        }
        if self.committed.elapsed() >= COMMIT_EVERY {
            self.settle()?;
        }
        Ok(())
    }

    fn settle(&mut self) -> Result<(), IndexError> {
        match &mut self.indexer {
            Some(indexer) => indexer.commit()?,
            None => self.take_over()?,
        }
        self.committed = Instant::now();
        Ok(())
    }

    /// Commits, takes in what others stored meanwhile, and gives the index free. Looks again afterwards: what was
    /// stored while it was closing belongs to nobody else.
    pub fn finish(mut self) -> Result<(), IndexError> {
        if self.eagerness == Eagerness::WhenMany && index::lag(&self.index, &self.reader)? <= index::MAY_WAIT
        {
            return Ok(());
        }
        self.settle()?;
        while self.indexer.is_some() {
            self.catch_up()?;
            let seen = self.indexer.as_ref().map_or(0, Indexer::seen);
            if let Some(indexer) = self.indexer.take() {
                indexer.close()?;
            }
            if self.reader.newest_content_change()? > seen {
                self.take_over()?;
            }
        }
        Ok(())
    }
}
