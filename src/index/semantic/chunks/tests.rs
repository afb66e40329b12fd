//! What of a message is read for its meaning.

use super::{MOST, MOST_OF_DIGEST, WINDOW, Window, chosen, windows};
use crate::index::IndexError;
use crate::index::embedder::{Embedder, MeasuredWord, ModelInfo, QueryVector};

/// Every word is one token.
struct OneEach(ModelInfo);

impl Embedder for OneEach {
    fn info(&self) -> &ModelInfo {
        &self.0
    }

    fn words(&self, text: &str, most: usize) -> Vec<MeasuredWord> {
        let start = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
        let word = |word: &str| MeasuredWord { range: start(word)..start(word) + word.len(), tokens: 1 };
        text.split_whitespace().take(most).map(word).collect()
    }

    fn embed(&self, _: &[&str]) -> Result<Vec<Vec<f32>>, IndexError> {
        Ok(Vec::new())
    }

    fn embed_query(&self, _: &str) -> Result<QueryVector, IndexError> {
        Ok(QueryVector { vector: Vec::new(), sample: None })
    }
}

fn cut(subject: &str, text: &str) -> Vec<Window> {
    let info = ModelInfo { id: "one each".to_owned(), sha256: String::new() };
    windows(&OneEach(info), subject, text)
}

fn numbered(count: usize) -> String {
    (0..count).map(|number| format!("w{number} ")).collect()
}

#[test]
fn a_short_message_is_one_passage_with_its_subject() {
    let text = "Hello Ada,\n\nthe pump is here.\n-- \nBob";

    let windows = cut("Re: The pump", text);

    assert_eq!(windows.len(), 1);
    assert_eq!(&text[windows[0].range.clone()], "Hello Ada,\n\nthe pump is here.");
    assert_eq!(windows[0].text, "The pump\nHello Ada,\n\nthe pump is here.");
}

#[test]
fn no_window_is_larger_than_the_model_can_read_and_neighbours_overlap() {
    let text = numbered(400);

    let windows = cut("one two three", &text);

    let words = |window: &Window| window.text.split_whitespace().count();
    assert!(windows.iter().all(|window| words(window) <= WINDOW - 2), "{windows:?}");
    assert_eq!(words(&windows[0]), WINDOW - 2);
    for pair in windows.windows(2) {
        let shared = &text[pair[1].range.start..pair[0].range.end];
        assert_eq!(shared.split_whitespace().count(), 16);
    }
}

#[test]
fn a_long_subject_leaves_room_for_the_text() {
    let windows = cut(&numbered(500), &numbered(500));

    assert_eq!(windows[0].text.split_whitespace().count(), WINDOW - 2);
    assert!(windows[0].text.starts_with("w0 w1") && windows[0].text.contains("w23\nw0 w1"));
}

#[test]
fn a_message_has_few_passages_and_a_digest_some_from_everywhere() {
    assert_eq!(cut("s", &numbered(900)).len(), MOST);

    let text = numbered(20_000);
    let digest = cut("s", &text);

    assert_eq!(digest.len(), MOST_OF_DIGEST);
    assert!(digest[15].range.start > text.len() * 9 / 10);
    for count in 0..200 {
        let places: Vec<usize> = chosen(count).collect();
        assert!(places.len() <= MOST_OF_DIGEST && places.is_sorted_by(|a, b| a < b));
        assert!(places.iter().all(|place| *place < count) && places.len() >= count.min(MOST));
    }
}

#[test]
fn quotes_are_left_out_and_answers_between_them_are_one_passage() {
    let text = "> Tea at noon?\nYes, please.\n> And cake?\nNo, thanks.\n";

    let windows = cut("Lunch", text);

    assert_eq!(windows[0].text, "Lunch\nYes, please.\n\nNo, thanks.");
    assert_eq!(windows[0].range, 15..text.len() - 1);
}

#[test]
fn what_has_no_words_has_only_its_subject_or_nothing() {
    assert_eq!(cut("Hello", " \n "), [Window { range: 0..0, text: "Hello".to_owned() }]);
    assert_eq!(cut("", ""), []);
}
