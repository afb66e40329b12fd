//! A query for messages whose row is in a bitmap: how facts that change (flags, labels, mailboxes) reach a text search.

use std::fmt;
use std::sync::Arc;

use roaring::RoaringTreemap;
use tantivy::columnar::Column;
use tantivy::query::{ConstScorer, EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::{DocId, DocSet, Score, SegmentReader, TERMINATED};

/// Matches the messages in a set of rows.
#[derive(Clone)]
pub struct IdsQuery {
    rows: Arc<RoaringTreemap>,
}

impl IdsQuery {
    /// A query for these rows.
    #[must_use]
    pub fn new(rows: Arc<RoaringTreemap>) -> Self {
        Self { rows }
    }
}

impl fmt::Debug for IdsQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IdsQuery({} rows)", self.rows.len())
    }
}

impl Query for IdsQuery {
    fn weight(&self, _: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(self.clone()))
    }
}

impl Weight for IdsQuery {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let ids = reader.fast_fields().u64("id")?;
        let mut docs = RowDocs { rows: Arc::clone(&self.rows), ids, doc: 0, end: reader.max_doc() };
        docs.settle();
        Ok(Box::new(ConstScorer::new(docs, boost)))
    }

    fn explain(&self, _: &SegmentReader, _: DocId) -> tantivy::Result<Explanation> {
        Ok(Explanation::new("rows", 1.0))
    }
}

/// Looks at documents one by one. It says that it is as long as the segment, so that in an
/// intersection the other side leads and only its candidates are looked up here.
struct RowDocs {
    rows: Arc<RoaringTreemap>,
    ids: Column<u64>,
    doc: DocId,
    end: DocId,
}

impl RowDocs {
    /// Moves on to the first matching document at or behind the current one.
    fn settle(&mut self) {
        while self.doc < self.end && !self.ids.first(self.doc).is_some_and(|id| self.rows.contains(id)) {
            self.doc += 1;
        }
        if self.doc >= self.end {
            self.doc = TERMINATED;
        }
    }
}

impl DocSet for RowDocs {
    fn advance(&mut self) -> DocId {
        if self.doc != TERMINATED {
            self.doc += 1;
            self.settle();
        }
        self.doc
    }

    fn seek(&mut self, target: DocId) -> DocId {
        if self.doc < target {
            self.doc = target;
            self.settle();
        }
        self.doc
    }

    fn doc(&self) -> DocId {
        self.doc
    }

    fn size_hint(&self) -> u32 {
        self.end
    }
}
