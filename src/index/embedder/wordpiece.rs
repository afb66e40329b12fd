//! BERT's tokeniser: text -> words -> pieces of a fixed vocabulary. The numbers are those of the reference implementation
//! (lower case, without accents), but for names of special tokens: in mail they are only words.

use std::collections::HashMap;
use std::ops::Range;

use unicode_normalization::char::decompose_canonical;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

use crate::index::IndexError;

/// A word with more characters is unknown.
const LONGEST_WORD: usize = 100;

/// A word as the model sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordSpan {
    /// Where it stands in the text, in bytes.
    pub range: Range<usize>,
    /// Lower case, without accents.
    pub text: String,
}

/// Text -> numbers of the vocabulary.
pub struct WordPiece {
    ids: HashMap<Box<str>, i32>,
    unknown: i32,
    start: i32,
    end: i32,
}

impl WordPiece {
    /// Reads a vocabulary: one piece a line, its number is that of the line.
    pub fn new(vocabulary: &str) -> Result<Self, IndexError> {
        let ids: HashMap<Box<str>, i32> =
            (0..).zip(vocabulary.lines()).map(|(id, piece)| (piece.into(), id)).collect();
        let special = |name: &str| {
            let missing = || IndexError::Model { detail: format!("its vocabulary has no `{name}`") };
            ids.get(name).copied().ok_or_else(missing)
        };
        let (unknown, start, end) = (special("[UNK]")?, special("[CLS]")?, special("[SEP]")?);
        Ok(Self { ids, unknown, start, end })
    }

    /// The numbers of a text between those of start and end, `most` in all.
    #[must_use]
    pub fn encode(&self, text: &str, most: usize) -> Vec<i32> {
        let mut ids = vec![self.start];
        for word in words(text) {
            self.push_pieces(&word.text, &mut ids);
            if ids.len() >= most {
                break;
            }
        }
        ids.truncate(most.saturating_sub(1));
        ids.push(self.end);
        ids
    }

    /// Adds the pieces of a word: always the longest that fits. One that cannot be put together is unknown as a whole.
    pub fn push_pieces(&self, word: &str, ids: &mut Vec<i32>) {
        let before = ids.len();
        if word.chars().count() > LONGEST_WORD {
            return ids.push(self.unknown);
        }
        let mut rest = word;
        let mut piece = String::new();
        while !rest.is_empty() {
            piece.clear();
            if rest.len() < word.len() {
                piece.push_str("##");
            }
            let prefix = piece.len();
            piece.push_str(rest);
            let Some((id, length)) = self.longest(&mut piece, prefix) else {
                ids.truncate(before);
                return ids.push(self.unknown);
            };
            ids.push(id);
            rest = &rest[length..];
        }
    }

    /// The longest beginning that is a piece, and how many bytes of the word it takes.
    fn longest(&self, piece: &mut String, prefix: usize) -> Option<(i32, usize)> {
        while piece.len() > prefix {
            if let Some(id) = self.ids.get(piece.as_str()) {
                return Some((*id, piece.len() - prefix));
            }
            piece.pop();
        }
        None
    }
}

/// The words of a text, with signs and ideographs as words of their own.
pub(super) fn words(text: &str) -> impl Iterator<Item = WordSpan> + '_ {
    let mut scanner = Scanner { chars: text.char_indices(), word: None, ready: Vec::new() };
    std::iter::from_fn(move || scanner.next_word())
}

struct Scanner<'a> {
    chars: std::str::CharIndices<'a>,
    /// The word that is being put together.
    word: Option<WordSpan>,
    /// Finished words, the last one first.
    ready: Vec<WordSpan>,
}

impl Scanner<'_> {
    fn next_word(&mut self) -> Option<WordSpan> {
        while self.ready.is_empty() {
            let Some((at, c)) = self.chars.next() else { return self.word.take() };
            self.take(at, c);
        }
        self.ready.pop()
    }

    fn take(&mut self, at: usize, c: char) {
        if c == '\u{fffd}' || is_control(c) {
            return;
        }
        if c.is_whitespace() {
            self.ready.extend(self.word.take());
            return;
        }
        let range = at..at + c.len_utf8();
        let is_alone = is_ideograph(c);
        let mut finished = Vec::new();
        finished.extend(self.word.take_if(|_| is_alone));
        decompose_canonical(c, |part| {
            if part.general_category() == GeneralCategory::NonspacingMark {
                return;
            }
            for lower in part.to_lowercase() {
                self.push(lower, &range, &mut finished);
            }
        });
        finished.extend(self.word.take_if(|_| is_alone));
        finished.reverse();
        self.ready = finished;
    }

    fn push(&mut self, c: char, range: &Range<usize>, finished: &mut Vec<WordSpan>) {
        if is_punctuation(c) {
            finished.extend(self.word.take());
            finished.push(WordSpan { range: range.clone(), text: c.to_string() });
            return;
        }
        let word = self.word.get_or_insert_with(|| WordSpan { range: range.clone(), text: String::new() });
        word.range.end = range.end;
        word.text.push(c);
    }
}

fn is_control(c: char) -> bool {
    !matches!(c, '\t' | '\n' | '\r') && c.general_category_group() == GeneralCategoryGroup::Other
}

fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || c.general_category_group() == GeneralCategoryGroup::Punctuation
}

/// The blocks that BERT calls Chinese characters.
fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2a6df}' | '\u{2a700}'..='\u{2b73f}'
        | '\u{2b740}'..='\u{2b81f}' | '\u{2b920}'..='\u{2ceaf}' | '\u{f900}'..='\u{faff}' | '\u{2f800}'..='\u{2fa1f}')
}

#[cfg(test)]
mod tests;
