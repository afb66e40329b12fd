//! Turns a query of the search language into a query of the text index.

use std::ops::Bound;

use std::sync::Arc;

use tantivy::query::{
    AllQuery, BooleanQuery, ConstScoreQuery, EmptyQuery, Occur, PhraseQuery, Query as IndexQuery, RangeQuery,
    TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Searcher, Term};

use crate::index::{Fields, IdsQuery, IndexError, Words, forms_of};
use crate::query::language::{Leaf, Query, Scope};
use crate::query::{Archive, QueryError};

type Boxed = Box<dyn IndexQuery>;

/// A query that the index can run, and the words in it that a person looks for, each in all its forms.
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
    let mut compiler = Compiler { archive, searcher, fields, change, words: Vec::new(), negated: false };
    let query = compiler.tree(query)?.unwrap_or_else(|| Box::new(AllQuery));
    Ok(Compiled { query, words: compiler.words })
}

struct Compiler<'a> {
    archive: &'a mut Archive,
    searcher: &'a Searcher,
    fields: Arc<Fields>,
    change: i64,
    words: Vec<Vec<String>>,
    negated: bool,
}

impl Compiler<'_> {
    /// `None` means no restriction: text without a single word in it, such as a lone dash.
    fn tree(&mut self, query: &Query) -> Result<Option<Boxed>, QueryError> {
        match query {
            Query::All => Ok(None),
            Query::And(parts) => self.and(parts),
            Query::Or(parts) => self.or(parts),
            Query::Not(part) => self.and(std::slice::from_ref(&Query::Not(part.clone()))),
            Query::Leaf(leaf) => self.leaf(leaf),
        }
    }

    fn and(&mut self, parts: &[Query]) -> Result<Option<Boxed>, QueryError> {
        let mut clauses: Vec<(Occur, Boxed)> = Vec::new();
        for part in parts {
            let (occur, inner) = match part {
                Query::Not(inner) => (Occur::MustNot, &**inner),
                other => (Occur::Must, other),
            };
            if let Some(compiled) = self.signed(occur, inner)? {
                clauses.push((occur, compiled));
            }
        }
        if !clauses.is_empty() && clauses.iter().all(|(occur, _)| *occur == Occur::MustNot) {
            clauses.push((Occur::Must, unscored(Box::new(AllQuery))));
        }
        Ok((!clauses.is_empty()).then(|| boolean(clauses)))
    }

    fn signed(&mut self, occur: Occur, query: &Query) -> Result<Option<Boxed>, QueryError> {
        if occur != Occur::MustNot {
            return self.tree(query);
        }
        if *query == Query::All {
            return Ok(Some(Box::new(AllQuery)));
        }
        self.negated = !self.negated;
        let compiled = self.tree(query);
        self.negated = !self.negated;
        compiled
    }

    fn or(&mut self, parts: &[Query]) -> Result<Option<Boxed>, QueryError> {
        let mut clauses = Vec::new();
        for part in parts {
            if let Some(compiled) = self.tree(part)? {
                clauses.push((Occur::Should, compiled));
            }
        }
        Ok((!clauses.is_empty()).then(|| boolean(clauses)))
    }

    fn leaf(&mut self, leaf: &Leaf) -> Result<Option<Boxed>, QueryError> {
        let query: Boxed = match leaf {
            Leaf::Text { scope, text, exact } => return self.text(*scope, text, *exact),
            Leaf::List(list) => return self.phrase_in(&[self.fields.list], list),
            Leaf::HasAttachment => self.mark("attachment"),
            Leaf::Type(kind) => self.mark(&format!("type={kind}")),
            Leaf::Dated { from, until } => Box::new(RangeQuery::new(
                from.map_or(Bound::Unbounded, |epoch| {
                    Bound::Included(Term::from_field_i64(self.fields.epoch, epoch))
                }),
                until.map_or(Bound::Unbounded, |epoch| {
                    Bound::Excluded(Term::from_field_i64(self.fields.epoch, epoch))
                }),
            )),
            Leaf::Larger(size) => self.sized(Bound::Excluded(*size), Bound::Unbounded),
            Leaf::Smaller(size) => self.sized(Bound::Unbounded, Bound::Excluded(*size)),
            fact => match self.archive.rows(fact, self.change)? {
                Some(rows) => Box::new(IdsQuery::new(rows)),
                None => Box::new(EmptyQuery),
            },
        };
        Ok(Some(unscored(query)))
    }

    fn text(&mut self, scope: Scope, text: &str, exact: bool) -> Result<Option<Boxed>, QueryError> {
        let fields = self.scope(scope);
        let words = phrase_words(text);
        let stems =
            !exact && matches!(scope, Scope::Anywhere | Scope::Subject | Scope::Body | Scope::AttachmentText);
        match words.as_slice() {
            [] => Ok(None),
            [(_, word)] if stems => self.any_form(&fields, word).map(Some),
            _ => self.phrase_in(&fields, text),
        }
    }

    fn scope(&self, scope: Scope) -> Vec<Field> {
        let fields = &self.fields;
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

    /// A word in any form with the same stem.
    fn any_form(&mut self, fields: &[Field], word: &str) -> Result<Boxed, QueryError> {
        let forms = forms_of(self.searcher, fields, word).map_err(|error| IndexError::searching(&error))?;
        let terms = forms
            .iter()
            .flat_map(|(form, fields)| fields.iter().map(|field| Term::from_field_text(*field, form)));
        let clauses: Vec<_> = terms.map(|term| (Occur::Should, scored_term(term))).collect();
        self.note(forms.into_iter().map(|(form, _)| form).collect());
        Ok(if clauses.is_empty() { Box::new(EmptyQuery) } else { boolean(clauses) })
    }

    /// Words that stand next to each other, as written, in one of the fields.
    fn phrase_in(&mut self, fields: &[Field], text: &str) -> Result<Option<Boxed>, QueryError> {
        let words = phrase_words(text);
        if words.is_empty() {
            return Ok(None);
        }
        words.iter().for_each(|(_, word)| self.note(vec![word.clone()]));
        Ok(Some(boolean(fields.iter().map(|field| (Occur::Should, phrase(*field, &words))).collect())))
    }

    fn note(&mut self, forms: Vec<String>) {
        if !self.negated {
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

/// The words of a phrase and where they stand in it. Where a script has no spaces, pairs say it all.
pub(in crate::query) fn phrase_words(text: &str) -> Vec<(usize, String)> {
    let mut words = Words::new(text);
    let mut all: Vec<(usize, String, bool)> = Vec::new();
    while let Some(word) = words.advance() {
        if word.pair && all.last().is_some_and(|(position, _, pair)| *position == word.position && !pair) {
            all.pop();
        }
        all.push((word.position, words.text().to_owned(), word.pair));
    }
    let covered: Vec<bool> = (0..all.len())
        .map(|i| {
            i > 0
                && !all[i].2
                && all[i - 1].2
                && all[i - 1].0 + 1 == all[i].0
                && is_last_of_pair(&all[i - 1].1, &all[i].1)
        })
        .collect();
    all.into_iter()
        .zip(covered)
        .filter(|(_, covered)| !covered)
        .map(|((at, word, _), _)| (at, word))
        .collect()
}

fn is_last_of_pair(pair: &str, character: &str) -> bool {
    pair.ends_with(character)
}

fn phrase(field: Field, words: &[(usize, String)]) -> Boxed {
    match words {
        [(_, word)] => scored_term(Term::from_field_text(field, word)),
        _ => {
            let terms = words.iter().map(|(at, word)| (*at, Term::from_field_text(field, word))).collect();
            Box::new(PhraseQuery::new_with_offset(terms))
        }
    }
}

fn scored_term(term: Term) -> Boxed {
    Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))
}

fn unscored(query: Boxed) -> Boxed {
    Box::new(ConstScoreQuery::new(query, 0.0))
}

fn boolean(mut clauses: Vec<(Occur, Boxed)>) -> Boxed {
    if clauses.len() == 1 && clauses[0].0 != Occur::MustNot {
        return clauses.remove(0).1;
    }
    Box::new(BooleanQuery::new(clauses))
}

#[cfg(test)]
mod tests {
    use super::phrase_words;

    #[test]
    fn a_phrase_in_a_script_without_spaces_is_its_pairs() {
        let spelt =
            |text| phrase_words(text).into_iter().map(|(at, word)| format!("{at}{word}")).collect::<Vec<_>>();
        assert_eq!(spelt("東京都"), ["0東京", "1京都"]);
        assert_eq!(spelt("東"), ["0東"]);
        assert_eq!(spelt("東京 meeting 都"), ["0東京", "2meeting", "3都"]);
        assert_eq!(spelt("foo-bar"), ["0foo", "1bar"]);
        assert_eq!(spelt("--"), [""; 0]);
    }
}
