//! The forms of a word: every word in the index with the same English stem. Only full words are indexed,
//! which keeps phrases exact and the index small; stems are found by looking along the dictionary.

use std::collections::{BTreeMap, BTreeSet};

use frostem::{Algorithm, Stemmer};
use tantivy::Searcher;
use tantivy::schema::Field;

/// More forms than any English word has; beyond it, only the most alike are kept.
const MOST: usize = 64;
/// Endings are short: a word much longer than the stem is another word.
const LONGEST_ENDING: usize = 12;

/// Words that Snowball maps to a stem they do not begin with (its list of exceptions).
const IRREGULAR: [&str; 4] = ["skies", "dying", "lying", "tying"];

/// What an English word has in common with its other forms; any other word as it is.
#[must_use]
pub fn stem(word: &str) -> String {
    if is_english(word) { Stemmer::new(Algorithm::English).stem(word).into_owned() } else { word.to_owned() }
}

/// The words of these fields that have the same stem as `word`, itself included, the most alike first. With each come
/// the fields it may stand in.
pub fn forms_of(
    searcher: &Searcher,
    fields: &[Field],
    word: &str,
) -> tantivy::Result<Vec<(String, BTreeSet<Field>)>> {
    let stemmer = Stemmer::new(Algorithm::English);
    let stem = stemmer.stem(word).into_owned();
    let anywhere: BTreeSet<Field> = fields.iter().copied().collect();
    if !is_english(word) || stem.len() <= 1 {
        return Ok(vec![(word.to_owned(), anywhere)]);
    }
    let mut forms = BTreeMap::from([(word.to_owned(), BTreeSet::new())]);
    for segment in searcher.segment_readers() {
        for field in fields {
            collect_forms(segment.inverted_index(*field)?.terms(), &stemmer, &stem, |form| {
                forms.entry(form.to_owned()).or_default().insert(*field);
            })?;
        }
    }
    let irregular = IRREGULAR.iter().filter(|form| stemmer.stem(form) == stem);
    forms.extend(irregular.map(|form| ((*form).to_owned(), anywhere.clone())));
    let mut forms: Vec<_> = forms.into_iter().collect();
    forms.sort_by_key(|(form, _)| (form != word, form.len().abs_diff(word.len())));
    forms.truncate(MOST);
    Ok(forms)
}

fn collect_forms(
    terms: &tantivy::termdict::TermDictionary,
    stemmer: &Stemmer,
    stem: &str,
    mut found: impl FnMut(&str),
) -> tantivy::Result<()> {
    let common = common_beginning(stem);
    let mut stream = terms.range().ge(common).lt(end_of_range(common)).into_stream()?;
    while stream.advance() {
        let Ok(term) = std::str::from_utf8(stream.key()) else {
            continue;
        };
        if term.len() <= stem.len() + LONGEST_ENDING && is_english(term) && stemmer.stem(term) == stem {
            found(term);
        }
    }
    Ok(())
}

/// What every word with this stem begins with. The stemmer may have changed the last letter (`hoping` to `hope`,
/// `cries` to `cri`), or two of them after an undoubled letter, never more.
fn common_beginning(stem: &str) -> &str {
    match stem.len() {
        0..=2 => stem,
        3 if !stem.ends_with(['e', 'i']) => stem,
        length => &stem[..length - 1],
    }
}

fn end_of_range(beginning: &str) -> Vec<u8> {
    let mut end = beginning.as_bytes().to_vec();
    if let Some(last) = end.last_mut() {
        *last += 1;
    }
    end
}

fn is_english(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use frostem::{Algorithm, Stemmer};

    use super::{IRREGULAR, common_beginning};

    #[test]
    fn every_word_begins_as_its_stem_does() {
        let stemmer = Stemmer::new(Algorithm::English);
        let words = "hoping hopped hope hopes cries crying cry running runs ran using used use uses being be \
            relational conditionally feasibility feasible organization organizer generously hopefulness vileness \
            analogies happiness agreed plastered conflated troubling sized falling filing activate formality \
            electrical formative meetings meeting meets invoices invoiced dies die skis lies ties added adding \
            ability abilities sensibilities replied replies reply queries query taxes matrices";
        for word in words.split_whitespace() {
            let stem = stemmer.stem(word).into_owned();
            assert!(word.starts_with(common_beginning(&stem)) || IRREGULAR.contains(&word), "{word} {stem}");
        }
    }
}
