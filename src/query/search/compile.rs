//! Turns a query of the search language into a query of the text index.

use std::ops::Bound;
use std::sync::Arc;

use tantivy::query::{
    AllQuery, BooleanQuery, BoostQuery, ConstScoreQuery, EmptyQuery, Occur, PhraseQuery, Query as IndexQuery,
    RangeQuery, RegexPhraseQuery, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Searcher, Term};

use crate::index::{Fields, IdsQuery, IndexError, SteadyQuery, forms_of};
use crate::query::language::{Leaf, Nearness, Query, Scope};
use crate::query::search::phrase::{Part, Phrase};
use crate::query::{Archive, QueryError};

type Boxed = Box<dyn IndexQuery>;

/// A query that the index can run, and the words in it that a person looks for, each in all its forms; a form that
/// ends in `*` stands for all words that begin so.
pub(super) struct Compiled {
    pub(super) query: Boxed,
    pub(super) words: Vec<Vec<String>>,
}

/// Compiles a query against the words that `searcher` knows.
pub(super) fn compile(
    archive: &mut Archive,
    query: &Query,
    searcher: &Searcher,
    change: i64,
) -> Result<Compiled, QueryError> {
    let fields = Arc::clone(&archive.fields);
    let mut compiler = Compiler { archive, searcher, fields, change, words: Vec::new(), unshown: false };
    let query = compiler.tree(query)?;
    Ok(Compiled { query, words: compiler.words })
}

struct Compiler<'a> {
    archive: &'a mut Archive,
    searcher: &'a Searcher,
    fields: Arc<Fields>,
    change: i64,
    words: Vec<Vec<String>>,
    /// Whether what is looked for just now must not be there, so that no snippet can show it.
    unshown: bool,
}

impl Compiler<'_> {
    fn tree(&mut self, query: &Query) -> Result<Boxed, QueryError> {
        match query {
            Query::All => Ok(Box::new(AllQuery)),
            Query::And(parts) => self.and(parts),
            Query::Or(parts) => self.or(parts),
            Query::Not(_) => self.and(std::slice::from_ref(query)),
            Query::Leaf(leaf) => self.leaf(leaf),
        }
    }

    fn and(&mut self, parts: &[Query]) -> Result<Boxed, QueryError> {
        let mut clauses: Vec<(Occur, Boxed)> = Vec::new();
        for part in parts {
            let clause = match part {
                Query::Not(inner) => (Occur::MustNot, self.negated(inner)?),
                other => (Occur::Must, self.tree(other)?),
            };
            clauses.push(clause);
        }
        if clauses.iter().all(|(occur, _)| *occur == Occur::MustNot) {
            clauses.push((Occur::Must, unscored(Box::new(AllQuery))));
        }
        Ok(boolean(clauses))
    }

    fn negated(&mut self, query: &Query) -> Result<Boxed, QueryError> {
        self.unshown = !self.unshown;
        let compiled = self.tree(query);
        self.unshown = !self.unshown;
        Ok(Box::new(SteadyQuery::new(compiled?)))
    }

    fn or(&mut self, parts: &[Query]) -> Result<Boxed, QueryError> {
        let clauses = parts.iter().map(|part| Ok((Occur::Should, self.tree(part)?)));
        Ok(boolean(clauses.collect::<Result<_, QueryError>>()?))
    }

    fn leaf(&mut self, leaf: &Leaf) -> Result<Boxed, QueryError> {
        let query: Boxed = match leaf {
            Leaf::Text { scope, text, exact } => return self.text(*scope, text, *exact),
            Leaf::Near(nearness) => return self.near(nearness),
            Leaf::List(list) => return Ok(self.phrase_in(&[self.fields.list], &Phrase::exact(list), false)),
            Leaf::HasAttachment => self.mark("attachment"),
            Leaf::Type(kind) => self.mark(&format!("type={kind}")),
            Leaf::Dated { from, until } => self.dated(*from, *until),
            Leaf::Larger(size) => self.sized(Bound::Excluded(*size), Bound::Unbounded),
            Leaf::Smaller(size) => self.sized(Bound::Unbounded, Bound::Excluded(*size)),
            fact => match self.archive.rows(fact, self.change)? {
                Some(rows) => Box::new(IdsQuery::new(rows)),
                None => Box::new(EmptyQuery),
            },
        };
        Ok(unscored(query))
    }

    fn text(&mut self, scope: Scope, text: &str, exact: bool) -> Result<Boxed, QueryError> {
        let fields = fields_of(&self.fields, scope);
        let is_shown = has_forms(scope);
        let phrase = if exact { Phrase::exact(text) } else { Phrase::typed(text) };
        match phrase.parts.as_slice() {
            [word] if !exact && !phrase.is_open && is_shown => self.any_form(&fields, word),
            _ => Ok(self.phrase_in(&fields, &phrase, is_shown)),
        }
    }

    /// A word in any form with the same stem.
    fn any_form(&mut self, fields: &[Field], word: &Part) -> Result<Boxed, QueryError> {
        let mut forms = Vec::new();
        for spelling in &word.spellings {
            forms.extend(self.forms(fields, spelling)?);
        }
        let terms = forms
            .iter()
            .flat_map(|(form, fields)| fields.iter().map(|field| Term::from_field_text(*field, form)));
        let clauses: Vec<_> = terms.map(|term| (Occur::Should, self.weighted(term))).collect();
        self.note(forms.into_iter().map(|(form, _)| form).collect());
        Ok(boolean(clauses))
    }

    fn forms(
        &self,
        fields: &[Field],
        word: &str,
    ) -> Result<Vec<(String, std::collections::BTreeSet<Field>)>, QueryError> {
        Ok(forms_of(self.searcher, fields, word).map_err(|error| IndexError::searching(&error))?)
    }

    /// Words that stand next to each other in one of the fields; a text without any is nowhere.
    fn phrase_in(&mut self, fields: &[Field], phrase: &Phrase, is_shown: bool) -> Boxed {
        let last = phrase.parts.len().saturating_sub(1);
        for (number, part) in phrase.parts.iter().enumerate().filter(|_| is_shown) {
            let is_open = phrase.is_open && number == last;
            let form = |spelling: &String| if is_open { format!("{spelling}*") } else { spelling.clone() };
            self.note(part.spellings.iter().map(form).collect());
        }
        boolean(fields.iter().map(|field| (Occur::Should, phrase_query(*field, phrase))).collect())
    }

    /// Two words that stand close to each other in one of the fields.
    fn near(&mut self, nearness: &Nearness) -> Result<Boxed, QueryError> {
        let mut clauses = Vec::new();
        let fields = fields_of(&self.fields, nearness.scope);
        let (first, second) = (self.known(&fields, &nearness.first)?, self.known(&fields, &nearness.second)?);
        if !first.is_empty() && !second.is_empty() {
            let (first, second) = (any_of(&first), any_of(&second));
            for (offset, slop) in windows(nearness.within, nearness.ordered) {
                let terms = vec![(0, first.clone()), (offset, second.clone())];
                let close = fields
                    .iter()
                    .map(|field| RegexPhraseQuery::new_with_offset_and_slop(*field, terms.clone(), slop));
                clauses.extend(close.map(|query| (Occur::Should, Box::new(query) as Boxed)));
            }
        }
        Ok(boolean(clauses))
    }

    /// The forms of a word, as many as a phrase can bear.
    fn known(&mut self, fields: &[Field], text: &str) -> Result<Vec<String>, QueryError> {
        let mut forms = Vec::new();
        for spelling in Phrase::exact(text).parts.iter().flat_map(|part| &part.spellings) {
            forms.extend(self.forms(fields, spelling)?.into_iter().map(|(form, _)| form));
        }
        self.note(forms.clone());
        Ok(forms)
    }

    fn dated(&self, from: Option<i64>, until: Option<i64>) -> Boxed {
        let term = |epoch| Term::from_field_i64(self.fields.epoch, epoch);
        Box::new(RangeQuery::new(
            from.map_or(Bound::Unbounded, |epoch| Bound::Included(term(epoch))),
            until.map_or(Bound::Unbounded, |epoch| Bound::Excluded(term(epoch))),
        ))
    }

    /// A term that counts as much as its field does.
    fn weighted(&self, term: Term) -> Boxed {
        let weight = self.weight_of(term.field());
        let query = scored_term(term);
        if weight == 1.0 { query } else { Box::new(BoostQuery::new(query, weight)) }
    }

    /// Who wrote a message and what it is called says more about it than a word in its text.
    fn weight_of(&self, field: Field) -> f32 {
        if field == self.fields.subject || field == self.fields.from { 2.0 } else { 1.0 }
    }

    fn note(&mut self, forms: Vec<String>) {
        if !self.unshown {
            self.words.push(forms);
        }
    }

    fn mark(&self, mark: &str) -> Boxed {
        Box::new(TermQuery::new(Term::from_field_text(self.fields.marks, mark), IndexRecordOption::Basic))
    }

    fn sized(&self, from: Bound<u64>, until: Bound<u64>) -> Boxed {
        let term = |size| Term::from_field_u64(self.fields.size, size);
        Box::new(RangeQuery::new(from.map(term), until.map(term)))
    }
}

/// The fields in which a text is looked for.
pub(super) fn fields_of(fields: &Fields, scope: Scope) -> Vec<Field> {
    match scope {
        Scope::Anywhere => {
            vec![fields.body, fields.subject, fields.from, fields.to, fields.cc, fields.file_name]
        }
        Scope::From => vec![fields.from],
        Scope::To => vec![fields.to, fields.cc, fields.bcc],
        Scope::Cc => vec![fields.cc],
        Scope::Bcc => vec![fields.bcc],
        Scope::Subject => vec![fields.subject],
        Scope::Body => vec![fields.body],
        Scope::FileName => vec![fields.file_name],
        Scope::AttachmentText => vec![fields.attachment],
    }
}

/// Whether words are looked for by their stems and shown in snippets: names of people and files are not.
fn has_forms(scope: Scope) -> bool {
    matches!(scope, Scope::Anywhere | Scope::Subject | Scope::Body | Scope::AttachmentText)
}

fn phrase_query(field: Field, phrase: &Phrase) -> Boxed {
    let term = |spelling: &String| Term::from_field_text(field, spelling);
    let is_plain = !phrase.is_open && phrase.parts.iter().all(|part| part.spellings.len() == 1);
    match phrase.parts.as_slice() {
        [] => Box::new(EmptyQuery),
        [word] if phrase.is_open => any(word.spellings.iter().map(|begun| beginning_with(field, begun))),
        [word] => any(word.spellings.iter().map(|spelling| scored_term(term(spelling)))),
        parts if is_plain => {
            let terms = parts.iter().map(|part| (part.at, term(&part.spellings[0]))).collect();
            Box::new(PhraseQuery::new_with_offset(terms))
        }
        parts => {
            let last = parts.len() - 1;
            let pattern = |(number, part): (usize, &Part)| {
                let open = if phrase.is_open && number == last { ".*" } else { "" };
                (part.at, format!("{}{open}", any_of(&part.spellings)))
            };
            let patterns = parts.iter().enumerate().map(pattern).collect();
            Box::new(RegexPhraseQuery::new_with_offset(field, patterns))
        }
    }
}

/// Words that begin so. All of them, however many: a list that were cut would differ between the index and the tail.
/// They count the same, so that the newest of them come first.
fn beginning_with(field: Field, begun: &str) -> Boxed {
    let from = Term::from_field_text(field, begun);
    let until = Term::from_field_text(field, &format!("{begun}{}", char::MAX));
    Box::new(ConstScoreQuery::new(
        Box::new(RangeQuery::new(Bound::Included(from), Bound::Included(until))),
        1.0,
    ))
}

/// A pattern for each of these words and no other.
fn any_of(words: &[String]) -> String {
    let words: Vec<_> = words.iter().map(|word| regex::escape(word)).collect();
    format!("({})", words.join("|"))
}

/// Where the second of two words is looked for, counted from the first, and how far from there: together they say that
/// they are at most `within` words apart, and in this order if so wanted.
fn windows(within: u32, ordered: bool) -> Vec<(usize, u32)> {
    if !ordered {
        return vec![(0, within)];
    }
    // From 1 to an odd number is a middle and the same to both sides; an even number takes two such stretches.
    let half = (within.max(1) - 1) / 2;
    let middle = half as usize + 1;
    if within.is_multiple_of(2) { vec![(middle, half), (middle + 1, half)] } else { vec![(middle, half)] }
}

fn any(queries: impl Iterator<Item = Boxed>) -> Boxed {
    boolean(queries.map(|query| (Occur::Should, query)).collect())
}

fn scored_term(term: Term) -> Boxed {
    Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))
}

fn unscored(query: Boxed) -> Boxed {
    Box::new(ConstScoreQuery::new(query, 0.0))
}

fn boolean(mut clauses: Vec<(Occur, Boxed)>) -> Boxed {
    if clauses.is_empty() {
        return Box::new(EmptyQuery);
    }
    if clauses.len() == 1 && clauses[0].0 != Occur::MustNot {
        return clauses.remove(0).1;
    }
    Box::new(BooleanQuery::new(clauses))
}

#[cfg(test)]
mod tests {
    use super::windows;

    #[test]
    fn windows_cover_every_distance_that_is_near_enough_and_no_other() {
        for within in 1..30_u32 {
            let near = |distance: i64, ordered| {
                let moved = |(offset, slop): (usize, u32)| {
                    (distance - i64::try_from(offset).unwrap()).unsigned_abs() <= u64::from(slop)
                };
                windows(within, ordered).into_iter().any(moved)
            };
            for distance in -40_i64..40 {
                let close = distance.unsigned_abs() <= u64::from(within);
                assert_eq!(near(distance, false), close, "{distance} {within}");
                assert_eq!(near(distance, true), close && distance > 0, "{distance} {within}");
            }
        }
    }
}
