//! Words of a query as the index has them: where they stand, in which spellings, and whether the last is a beginning.
//! Pure: knows nothing of an index that is open.

use crate::index::{WordKind, Words};

/// A word of a phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// Where it stands, counted from the first.
    pub(super) at: usize,
    /// How it may be spelt; never empty.
    pub(super) spellings: Vec<String>,
}

/// The words of a text that stand next to each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Phrase {
    pub(super) parts: Vec<Part>,
    /// Whether the last word only begins so: `invoic*`.
    pub(super) is_open: bool,
}

impl Phrase {
    /// The words of a text as it stands.
    pub(super) fn exact(text: &str) -> Self {
        Self { parts: parts(text), is_open: false }
    }

    /// The words of a text in which a star right behind the last word leaves its end open.
    pub(super) fn typed(text: &str) -> Self {
        let begun = text.strip_suffix('*').filter(|begun| ends_in_word(begun));
        Self { parts: parts(begun.unwrap_or(text)), is_open: begun.is_some() }
    }
}

/// Whether the last character belongs to a word, so that a star behind it means more of it.
fn ends_in_word(text: &str) -> bool {
    text.chars().next_back().is_some_and(|last| last.is_alphanumeric() || last == '_')
}

/// Where a script has no spaces, pairs say it all; where signs belong to a name, the name does.
fn parts(text: &str) -> Vec<Part> {
    let mut words = Words::new(text);
    let mut all: Vec<(Part, WordKind)> = Vec::new();
    while let Some(word) = words.advance() {
        let spelling = words.text().to_owned();
        match (word.kind, all.last_mut()) {
            (WordKind::Spelling, Some((last, _))) => last.spellings.push(spelling),
            (WordKind::Pair | WordKind::Named, Some(last)) => {
                *last = (Part { at: word.position, spellings: vec![spelling] }, word.kind);
            }
            _ => all.push((Part { at: word.position, spellings: vec![spelling] }, word.kind)),
        }
    }
    let covered: Vec<bool> = (0..all.len()).map(|i| i > 0 && is_covered(&all[i - 1], &all[i])).collect();
    let kept = all.into_iter().zip(covered).filter(|(_, covered)| !covered);
    kept.map(|((part, _), _)| part).collect()
}

/// Whether a character is already said by the pair before it.
fn is_covered(before: &(Part, WordKind), this: &(Part, WordKind)) -> bool {
    let ends_so = |pair: &String| this.0.spellings.iter().any(|character| pair.ends_with(character));
    this.1 == WordKind::Plain
        && before.1 == WordKind::Pair
        && before.0.at + 1 == this.0.at
        && before.0.spellings.iter().any(ends_so)
}

#[cfg(test)]
mod tests {
    use super::Phrase;

    fn spelt(phrase: &Phrase) -> Vec<String> {
        let parts = phrase.parts.iter();
        parts.map(|part| format!("{}{}", part.at, part.spellings.join("|"))).collect()
    }

    #[test]
    fn a_phrase_in_a_script_without_spaces_is_its_pairs() {
        let of = |text| spelt(&Phrase::exact(text));
        assert_eq!(of("東京都"), ["0東京", "1京都"]);
        assert_eq!(of("東"), ["0東"]);
        assert_eq!(of("東京 meeting 都"), ["0東京", "2meeting", "3都"]);
        assert_eq!(of("foo-bar"), ["0foo", "1bar"]);
        assert_eq!(of("--"), [""; 0]);
    }

    #[test]
    fn spellings_names_and_signs_are_parts_of_a_phrase() {
        let of = |text| spelt(&Phrase::exact(text));
        assert_eq!(of("Jürgen Müller"), ["0jurgen|juergen", "1muller|mueller"]);
        assert_eq!(of("C++ 17"), ["0c++", "117"]);
        assert_eq!(of("€100"), ["0€", "0100"]);
        assert_eq!(of("100 €"), ["0100", "1€"]);
    }

    #[test]
    fn a_star_right_behind_a_word_leaves_its_end_open() {
        let open = |text| Phrase::typed(text).is_open;
        assert!(open("invoic*") && open("ada.lov*") && open("Mül*") && open("x_*"));
        assert!(!open("invoice") && !open("*") && !open("foo.*") && !open("foo**") && !open("a*b"));
        assert!(!Phrase::exact("invoic*").is_open);
    }
}
