//! How often words stand in messages, from the index alone: a term's frequency, or the positions where several terms stand
//! next to each other. No text is read.

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, Searcher, SegmentReader, TERMINATED, Term};

/// A word and where it stands in what is looked for.
pub type PlacedWord = (usize, String);

/// A message that holds words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// Its row.
    pub row: u64,
    /// Its date.
    pub epoch: i64,
    /// How often.
    pub count: u32,
}

/// The messages in which these words stand next to each other in a field, in exactly these forms, and how often.
pub fn occurrences(
    searcher: &Searcher,
    field: Field,
    words: &[PlacedWord],
    found: &mut dyn FnMut(Occurrence),
) -> tantivy::Result<()> {
    for segment in searcher.segment_readers() {
        let (ids, epochs) = (segment.fast_fields().u64("id")?, segment.fast_fields().i64("epoch")?);
        each_document(segment, field, words, &mut |document, count| {
            let is_there = count > 0 && segment.alive_bitset().is_none_or(|alive| alive.is_alive(document));
            if let Some(row) = ids.first(document).filter(|_| is_there) {
                found(Occurrence { row, epoch: epochs.first(document).unwrap_or_default(), count });
            }
        })?;
    }
    Ok(())
}

fn each_document(
    segment: &SegmentReader,
    field: Field,
    words: &[PlacedWord],
    found: &mut dyn FnMut(DocId, u32),
) -> tantivy::Result<()> {
    let inverted = segment.inverted_index(field)?;
    let mut postings = Vec::with_capacity(words.len());
    for (at, word) in words {
        let term = Term::from_field_text(field, word);
        match inverted.read_postings(&term, IndexRecordOption::WithFreqsAndPositions)? {
            Some(list) => postings.push((u32::try_from(*at).unwrap_or(u32::MAX), list)),
            None => return Ok(()),
        }
    }
    match postings.as_mut_slice() {
        [] => {}
        [(_, only)] => {
            while only.doc() != TERMINATED {
                found(only.doc(), only.term_freq());
                only.advance();
            }
        }
        several => each_phrase(several, found),
    }
    Ok(())
}

/// Goes through the documents that hold all terms.
fn each_phrase(postings: &mut [(u32, SegmentPostings)], found: &mut dyn FnMut(DocId, u32)) {
    while let Some(document) = common_document(postings) {
        found(document, phrases(postings));
        postings[0].1.advance();
    }
}

/// The next document that all of them stand at.
fn common_document(postings: &mut [(u32, SegmentPostings)]) -> Option<DocId> {
    let mut document = postings[0].1.doc();
    loop {
        let mut furthest = document;
        for (_, list) in postings.iter_mut() {
            if furthest == TERMINATED {
                return None;
            }
            furthest = if list.doc() < furthest { list.seek(furthest) } else { list.doc() };
        }
        if furthest == TERMINATED {
            return None;
        }
        if furthest == document && postings.iter().all(|(_, list)| list.doc() == document) {
            return Some(document);
        }
        document = furthest;
    }
}

/// How often all terms stand in their places at the document that all of them are at.
fn phrases(postings: &mut [(u32, SegmentPostings)]) -> u32 {
    let mut starts: Option<Vec<u32>> = None;
    let mut positions = Vec::new();
    for (at, list) in postings {
        list.positions(&mut positions);
        let here = positions.iter().filter_map(|position| position.checked_sub(*at));
        starts = Some(match starts {
            None => here.collect(),
            Some(before) => here.filter(|start| before.binary_search(start).is_ok()).collect(),
        });
    }
    starts.map_or(0, |starts| u32::try_from(starts.len()).unwrap_or(u32::MAX))
}
