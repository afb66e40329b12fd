//! The tokeniser against the reference's numbers.

use serde_json::Value;

use super::{WordPiece, words};

const VOCABULARY: &str = include_str!("../../../../models/vocab.txt");
const TABLE: &str = include_str!("../../../../tests/tokens/table.jsonl");

#[test]
fn every_line_of_the_table_has_the_numbers_of_the_reference() {
    let tokeniser = WordPiece::new(VOCABULARY).unwrap();

    let wrong: Vec<String> = TABLE
        .lines()
        .filter_map(|line| {
            let row: Value = serde_json::from_str(line).unwrap();
            let text = row["text"].as_str().unwrap();
            let expected: Vec<i32> = serde_json::from_value(row["ids"].clone()).unwrap();
            let found = tokeniser.encode(text, usize::MAX);
            (found != expected).then(|| format!("{text:?}: {found:?} for {expected:?}"))
        })
        .collect();

    assert_eq!(wrong, [""; 0]);
    assert!(TABLE.lines().count() >= 70);
}

#[test]
fn words_stand_where_they_are_found_and_cover_what_they_are_made_of() {
    for line in TABLE.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let text = row["text"].as_str().unwrap();
        let mut last = 0;
        for word in words(text) {
            assert!(word.range.start >= last.min(word.range.start) && word.range.end <= text.len());
            assert!(text.is_char_boundary(word.range.start) && text.is_char_boundary(word.range.end));
            assert!(!word.text.is_empty() && word.range.start < word.range.end, "{word:?}");
            last = word.range.end;
        }
    }
}

#[test]
fn names_of_special_tokens_are_words_like_others() {
    let tokeniser = WordPiece::new(VOCABULARY).unwrap();

    let ids = tokeniser.encode("a [SEP] b [CLS] [MASK]", 100);

    assert_eq!(ids.iter().filter(|id| [101, 102, 103].contains(*id)).count(), 2);
}

#[test]
fn a_long_text_ends_with_the_mark_of_the_end() {
    let tokeniser = WordPiece::new(VOCABULARY).unwrap();

    let ids = tokeniser.encode(&"mail ".repeat(500), 128);

    assert_eq!((ids.len(), ids[0], ids[127]), (128, 101, 102));
}

#[test]
fn a_vocabulary_without_marks_is_refused() {
    assert!(WordPiece::new("a\nb\n").is_err());
}
