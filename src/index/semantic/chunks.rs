//! Cuts a message into the passages that become vectors: what its author wrote or passes on, in windows that overlap a
//! little, each with the subject before it. Quotes, history and signatures are left out: they are another message's.

use std::ops::Range;

use crate::index::embedder::{Embedder, MeasuredWord};
use crate::model::answered_subject;
use crate::parse::quotation;

/// Tokens of a window, with the two that mark its beginning and end.
const WINDOW: usize = 128;
const MARKS: usize = 2;
/// Tokens of the subject that stand before each passage.
const SUBJECT: usize = 24;
/// Tokens that two passages share, so that a sentence on the border is whole in one of them.
const OVERLAP: usize = 16;
/// Passages of a message.
const MOST: usize = 4;
/// Passages of a long digest, which are spread over it.
const MOST_OF_DIGEST: usize = 16;
/// A text counts as a digest when it would have so many times the passages that are taken of it.
const DIGEST: usize = 3;
/// So much of a text is looked at.
const MOST_TOKENS: usize = 40_000;

/// A passage as the model reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// Where the passage stands in the visible text, in bytes; empty when there is only a subject.
    pub range: Range<usize>,
    /// The subject and the passage.
    pub text: String,
}

/// The passages of a message, in the order of the text; none when there is nothing in it.
#[must_use]
pub fn windows(embedder: &dyn Embedder, subject: &str, text: &str) -> Vec<Window> {
    let kept = quotation::carried(text);
    let (subject, subject_tokens) = shortened(embedder, answered_subject(subject).unwrap_or(subject));
    let words = words(embedder, text, &kept);
    if words.is_empty() {
        let only = Window { range: 0..0, text: subject.to_owned() };
        return if subject.is_empty() { Vec::new() } else { vec![only] };
    }
    let passages = passages(&words, WINDOW - MARKS - subject_tokens);
    let window = |words: &[MeasuredWord]| {
        let range = words[0].range.start..words[words.len() - 1].range.end;
        Window { text: joined(subject, text, &kept, &range), range }
    };
    chosen(passages.len()).map(|at| window(&words[passages[at].clone()])).collect()
}

/// The beginning of the subject, and how many tokens it takes.
fn shortened<'s>(embedder: &dyn Embedder, subject: &'s str) -> (&'s str, usize) {
    let (mut end, mut tokens) = (0, 0);
    for word in embedder.words(subject, SUBJECT + 1) {
        if tokens + word.tokens > SUBJECT {
            break;
        }
        (end, tokens) = (word.range.end, tokens + word.tokens);
    }
    (&subject[..end], tokens)
}

/// The words of what is kept.
fn words(embedder: &dyn Embedder, text: &str, kept: &[Range<usize>]) -> Vec<MeasuredWord> {
    let (mut words, mut left) = (Vec::new(), MOST_TOKENS);
    for part in kept {
        for mut word in embedder.words(&text[part.clone()], left) {
            word.range = part.start + word.range.start..part.start + word.range.end;
            left = left.saturating_sub(word.tokens);
            words.push(word);
        }
        if left == 0 {
            break;
        }
    }
    words
}

/// Runs of whole words that fit, each beginning a little before the last one ends.
fn passages(words: &[MeasuredWord], room: usize) -> Vec<Range<usize>> {
    let mut passages = Vec::new();
    let mut start = 0;
    loop {
        let mut end = start + 1;
        let mut tokens = words[start].tokens;
        while end < words.len() && tokens + words[end].tokens <= room {
            tokens += words[end].tokens;
            end += 1;
        }
        passages.push(start..end);
        if end == words.len() {
            return passages;
        }
        start = back(words, start + 1, end);
    }
}

/// As many words before `end` as make up the overlap, but none before `least`.
fn back(words: &[MeasuredWord], least: usize, end: usize) -> usize {
    let (mut start, mut tokens) = (end, 0);
    while start > least && tokens + words[start - 1].tokens <= OVERLAP {
        start -= 1;
        tokens += words[start].tokens;
    }
    start
}

/// Which of so many passages are taken: the first ones, or of a digest some from everywhere.
fn chosen(count: usize) -> impl Iterator<Item = usize> {
    let most = (count / DIGEST).clamp(MOST, MOST_OF_DIGEST).min(count);
    let is_digest = most > MOST;
    (0..most).map(move |at| if is_digest { at * count / most } else { at })
}

/// The subject, and of this range of the text what is kept.
fn joined(subject: &str, text: &str, kept: &[Range<usize>], range: &Range<usize>) -> String {
    let mut joined = subject.to_owned();
    for part in kept {
        let own = part.start.max(range.start)..part.end.min(range.end);
        if own.start < own.end {
            joined.push('\n');
            joined.push_str(&text[own]);
        }
    }
    joined
}

#[cfg(test)]
mod tests;
