//! A query that can stand behind a NOT. Tantivy asks what is excluded for documents before the one it stands at, which its
//! phrases do not bear (an assertion in debug builds); this answers from where it stands and never goes back.

use std::fmt;

use tantivy::query::{EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::{DocId, DocSet, Score, SegmentReader, Term};

/// Matches what the inner query matches.
pub struct SteadyQuery(Box<dyn Query>);

impl SteadyQuery {
    /// The same query, to be excluded.
    #[must_use]
    pub fn new(query: Box<dyn Query>) -> Self {
        Self(query)
    }
}

impl Clone for SteadyQuery {
    fn clone(&self) -> Self {
        Self(self.0.box_clone())
    }
}

impl fmt::Debug for SteadyQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Steady({:?})", self.0)
    }
}

impl Query for SteadyQuery {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(SteadyWeight(self.0.weight(scoring)?)))
    }

    fn query_terms<'a>(&'a self, visitor: &mut dyn FnMut(&'a Term, bool)) {
        self.0.query_terms(visitor);
    }
}

struct SteadyWeight(Box<dyn Weight>);

impl Weight for SteadyWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        Ok(Box::new(Steady(self.0.scorer(reader, boost)?)))
    }

    fn explain(&self, reader: &SegmentReader, doc: DocId) -> tantivy::Result<Explanation> {
        self.0.explain(reader, doc)
    }
}

/// Takes no short cut of the inner scorer's: `DocSet` has safe ones of its own.
struct Steady(Box<dyn Scorer>);

impl DocSet for Steady {
    fn advance(&mut self) -> DocId {
        self.0.advance()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.0.seek(target)
    }

    fn doc(&self) -> DocId {
        self.0.doc()
    }

    fn size_hint(&self) -> u32 {
        self.0.size_hint()
    }
}

impl Scorer for Steady {
    fn score(&mut self) -> Score {
        self.0.score()
    }
}
