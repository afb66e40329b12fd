//! What the index tells about a few documents that were found: how close the words stand in them, and which of them a
//! query holds for. No text is read.

use std::collections::HashMap;

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::query::{EnableScoring, Query};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocAddress, DocId, DocSet, Searcher, SegmentReader, Term};

/// So many places of a word in a document are looked at.
const MOST_PLACES: usize = 100;

/// How close the words, each given in all its forms, stand to each other in a field of these documents: 1 where all are
/// neighbours, 0 where fewer than two are there.
pub fn closeness(
    searcher: &Searcher,
    field: Field,
    words: &[Vec<String>],
    documents: &[DocAddress],
) -> tantivy::Result<Vec<f32>> {
    let mut close = vec![0.0; documents.len()];
    for (segment, wanted) in by_segment(documents) {
        let segment = searcher.segment_reader(segment);
        let mut postings = postings(segment, field, words)?;
        let mut places = Vec::new();
        for (document, number) in wanted {
            places.clear();
            for (word, list) in &mut postings {
                add_places(list, *word, document, &mut places);
            }
            places.sort_unstable();
            close[number] = nearness(&places, words.len());
        }
    }
    Ok(close)
}

/// For which of these documents a query holds.
pub fn holding(
    searcher: &Searcher,
    query: &dyn Query,
    documents: &[DocAddress],
) -> tantivy::Result<Vec<bool>> {
    let mut held = vec![false; documents.len()];
    let weight = query.weight(EnableScoring::disabled_from_searcher(searcher))?;
    for (segment, wanted) in by_segment(documents) {
        let mut found = weight.scorer(searcher.segment_reader(segment), 1.0)?;
        for (document, number) in wanted {
            held[number] = seek(&mut *found, document);
        }
    }
    Ok(held)
}

/// The documents of each segment in their order, each with its number in the list.
fn by_segment(documents: &[DocAddress]) -> HashMap<u32, Vec<(DocId, usize)>> {
    let mut segments: HashMap<u32, Vec<(DocId, usize)>> = HashMap::new();
    for (number, at) in documents.iter().enumerate() {
        segments.entry(at.segment_ord).or_default().push((at.doc_id, number));
    }
    segments.values_mut().for_each(|wanted| wanted.sort_unstable());
    segments
}

/// The lists of all forms that this segment has, each with the number of its word.
fn postings(
    segment: &SegmentReader,
    field: Field,
    words: &[Vec<String>],
) -> tantivy::Result<Vec<(usize, SegmentPostings)>> {
    let inverted = segment.inverted_index(field)?;
    let mut lists = Vec::new();
    for (number, forms) in words.iter().enumerate() {
        for form in forms {
            let term = Term::from_field_text(field, form);
            let list = inverted.read_postings(&term, IndexRecordOption::WithFreqsAndPositions)?;
            lists.extend(list.map(|list| (number, list)));
        }
    }
    Ok(lists)
}

fn add_places(list: &mut SegmentPostings, word: usize, document: DocId, places: &mut Vec<(u32, usize)>) {
    if !seek(list, document) {
        return;
    }
    let mut positions = Vec::new();
    list.positions(&mut positions);
    places.extend(positions.into_iter().take(MOST_PLACES).map(|position| (position, word)));
}

/// Goes on to a document, if it is not past it; whether it stands there.
fn seek<D: DocSet + ?Sized>(list: &mut D, document: DocId) -> bool {
    if list.doc() < document {
        list.seek(document);
    }
    list.doc() == document
}

/// From the shortest stretch that holds every word that is there at all.
fn nearness(places: &[(u32, usize)], words: usize) -> f32 {
    let mut counts = vec![0_usize; words];
    places.iter().for_each(|(_, word)| counts[*word] += 1);
    let present = counts.iter().filter(|count| **count > 0).count();
    if present < 2 {
        return 0.0;
    }
    counts.fill(0);
    let (mut inside, mut first, mut shortest) = (0, 0, u32::MAX);
    for (last, word) in places {
        inside += usize::from(counts[*word] == 0);
        counts[*word] += 1;
        while inside == present {
            let (start, left) = places[first];
            shortest = shortest.min(last - start);
            counts[left] -= 1;
            inside -= usize::from(counts[left] == 0);
            first += 1;
        }
    }
    let least = (present - 1) as f32;
    (least / (shortest as f32).max(least)) * (present as f32 / words as f32)
}

#[cfg(test)]
mod tests {
    use super::nearness;

    #[test]
    fn neighbours_are_closest_and_one_word_alone_is_close_to_nothing() {
        let apart = nearness(&[(0, 0), (9, 1), (20, 0)], 2);

        assert!((nearness(&[(3, 0), (4, 1)], 2) - 1.0).abs() < 1e-6);
        assert!((apart - 1.0 / 9.0).abs() < 1e-6);
        assert_eq!(nearness(&[(3, 0), (8, 0)], 2), 0.0);
        assert_eq!(nearness(&[], 2), 0.0);
    }

    #[test]
    fn a_word_that_is_missing_makes_the_others_count_less() {
        assert!(nearness(&[(3, 0), (4, 1)], 3) < nearness(&[(3, 0), (4, 1), (5, 2)], 3));
    }
}
