//! A bare name: a query of one to three words that a sender is called by. That person's own mails come first, then those
//! that only mention the name.

use tantivy::Term;
use tantivy::query::{BooleanQuery, ConstScoreQuery, Occur, Query as IndexQuery};

use crate::index::Order;
use crate::query::language::{Leaf, Query, Scope};
use crate::query::search::NONE;
use crate::query::search::phrase::Phrase;
use crate::query::{Archive, QueryError};

/// Names have no more words.
const MOST_WORDS: usize = 3;
/// One word alone is a name if at most so many messages have it in their text for each that is from such a sender.
const MENTIONS: u64 = 20;
/// More than any match of so few words counts.
const OWN: f32 = 1_000.0;

/// The same query, with what is by the sender before all else.
pub(super) fn first(query: Box<dyn IndexQuery>, by_sender: Box<dyn IndexQuery>) -> Box<dyn IndexQuery> {
    let own = Box::new(ConstScoreQuery::new(by_sender, OWN));
    Box::new(BooleanQuery::new(vec![(Occur::Must, query), (Occur::Should, own)]))
}

impl Archive {
    /// The messages whose sender is called as the query says, if it is nothing but a name.
    pub(super) fn bare_name(&mut self, query: &Query) -> Result<Option<Query>, QueryError> {
        let Some(words) = words(query) else { return Ok(None) };
        let from = |leaf: &Leaf| match leaf {
            Leaf::Text { text, exact, .. } => {
                Query::Leaf(Leaf::Text { scope: Scope::From, text: text.clone(), exact: *exact })
            }
            other => Query::Leaf(other.clone()),
        };
        let by_sender = Query::and(words.iter().map(|leaf| from(leaf)).collect());
        let own = self.find_sorted(&by_sender, Order::Newest, NONE)?.0.total;
        let is_name = own > 0
            && match words.as_slice() {
                [Leaf::Text { text, .. }] => self.is_mostly_a_name(text, own),
                _ => true,
            };
        Ok(is_name.then_some(by_sender))
    }

    /// Whether a word is not just any word that some sender is called by as well. An address always is a name.
    fn is_mostly_a_name(&self, text: &str, own: u64) -> bool {
        let phrase = Phrase::exact(text);
        let [part] = phrase.parts.as_slice() else { return true };
        let Some(text) = &self.text else { return false };
        let term = Term::from_field_text(self.fields.body, &part.spellings[0]);
        text.searcher().doc_freq(&term).is_ok_and(|mentions| mentions <= own * MENTIONS)
    }
}

/// The words of a query that has nothing else to look for; filters may stand beside them.
fn words(query: &Query) -> Option<Vec<&Leaf>> {
    let parts = match query {
        Query::And(parts) => parts.as_slice(),
        other => std::slice::from_ref(other),
    };
    let mut words = Vec::new();
    for part in parts {
        match part {
            Query::Leaf(leaf @ Leaf::Text { scope: Scope::Anywhere, text, .. }) if !text.ends_with('*') => {
                words.push(leaf);
            }
            other if other.leaves().into_iter().any(Leaf::is_text) => return None,
            _ => {}
        }
    }
    (1..=MOST_WORDS).contains(&words.len()).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::words;
    use crate::clock::Clock;
    use crate::query::language::parse;

    #[test]
    fn a_name_is_a_few_words_and_nothing_else_to_look_for() {
        let clock = Clock::frozen("2024-07-10T12:00:00Z".parse().unwrap());
        let count = |text: &str| words(&parse(text, &clock).unwrap()).map_or(0, |words| words.len());

        assert_eq!(["ada", "ada berg", "\"Ada Berg\" is:unread", "ada in:inbox"].map(count), [1, 2, 1, 1]);
        assert_eq!(["a b c d", "ada subject:x", "ad*", "ada -bob", "is:unread", ""].map(count), [0; 6]);
    }
}
