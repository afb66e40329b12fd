//! Words of the index that are spelt nearly like another: what was probably meant by one that is not there.

use std::collections::HashMap;

use tantivy::Searcher;
use tantivy::schema::Field;
use tantivy::termdict::TermDictionary;

/// A word that is nearly the one that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookalike {
    /// The word.
    pub word: String,
    /// How many letters differ.
    pub distance: usize,
    /// In how many fields of messages it stands, also of removed ones.
    pub frequency: u64,
}

/// Words shorter than this are like too many others.
const SHORTEST: usize = 4;
/// How many words of a dictionary are compared at most.
const MOST_COMPARED: usize = 100_000;

/// From this many letters on two of them may differ.
const LONG: usize = 7;

/// The words in these fields that differ from a word in a letter, or in two where it is longer, however it is spelt: the
/// most alike first, of those the most frequent. The first two letters may be swapped; otherwise the first is taken to be
/// right.
pub fn words_like(
    searcher: &Searcher,
    fields: &[Field],
    spellings: &[String],
) -> tantivy::Result<Vec<Lookalike>> {
    let Some(word) = spellings.first() else { return Ok(Vec::new()) };
    let letters: Vec<char> = word.chars().collect();
    if letters.len() < SHORTEST || !letters.iter().all(|letter| letter.is_alphabetic()) {
        return Ok(Vec::new());
    }
    let mut found: HashMap<String, Lookalike> = HashMap::new();
    for segment in searcher.segment_readers() {
        for field in fields {
            let index = segment.inverted_index(*field)?;
            for first in first_letters(&letters) {
                compare(index.terms(), first, spellings, &mut found)?;
            }
        }
    }
    let mut found: Vec<Lookalike> = found.into_values().collect();
    found.sort_by(|one, two| {
        let order = (one.distance, two.frequency).cmp(&(two.distance, one.frequency));
        order.then_with(|| one.word.cmp(&two.word))
    });
    Ok(found)
}

fn first_letters(letters: &[char]) -> Vec<char> {
    if letters[0] == letters[1] { vec![letters[0]] } else { vec![letters[0], letters[1]] }
}

fn compare(
    terms: &TermDictionary,
    first: char,
    spellings: &[String],
    found: &mut HashMap<String, Lookalike>,
) -> tantivy::Result<()> {
    let word = &spellings[0];
    let reach = if word.chars().count() < LONG { 1 } else { 2 };
    let beginning = first.to_string();
    let mut stream = terms.range().ge(&beginning).lt(format!("{first}{}", char::MAX)).into_stream()?;
    let mut compared = 0;
    while stream.advance() && compared < MOST_COMPARED {
        let Ok(term) = std::str::from_utf8(stream.key()) else { continue };
        if term == word.as_str()
            || term.len().abs_diff(word.len()) > reach
            || !term.chars().all(char::is_alphabetic)
        {
            continue;
        }
        compared += 1;
        let distances = spellings.iter().map(|spelling| strsim::osa_distance(spelling, term));
        let distance = distances.max().unwrap_or(usize::MAX);
        if distance <= reach {
            let new = || Lookalike { word: term.to_owned(), distance, frequency: 0 };
            let entry = found.entry(term.to_owned()).or_insert_with(new);
            entry.frequency += u64::from(stream.value().doc_freq);
        }
    }
    Ok(())
}
