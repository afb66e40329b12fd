//! Which of two alternatives is shown, and whether they say the same.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::model::{Findings, Flag, Reason};

/// A rendering of one alternative, or the one that was chosen.
#[derive(Debug, Default)]
pub(super) struct Alternative {
    pub(super) text: String,
    pub(super) findings: Findings,
}

/// What is shown.
pub(super) struct Choice {
    pub(super) text: String,
    /// What some mail programs show and others do not.
    pub(super) doubtful: String,
    pub(super) findings: Findings,
}

/// A plain text as short as this may only say that the reader should show HTML.
const EXCUSE: usize = 600;
/// Text that has this many words of its own, and this share of all its words, says something else.
const FOREIGN_WORDS: usize = 5;
const FOREIGN_SHARE: f64 = 0.35;
/// As much of each text is compared.
const COMPARED: usize = 64 << 10;

/// What is left in doubt where mail programs show different parts.
const OTHER_PART: &str = "other part";

/// Takes the rich alternative, which mail programs show. Where it shows nothing, or nothing but a picture, nobody is known to
/// see the plain one, and it is in doubt. Where the plain one stands last, some show it, so that both are in doubt unless
/// they say the same.
pub(super) fn choose(plain: String, mut rich: Alternative, plain_is_last: bool) -> Choice {
    let has_plain = !plain.trim().is_empty();
    if !has_plain {
        return Choice { text: rich.text, doubtful: String::new(), findings: rich.findings };
    }
    // What a mail program shows of such a page is not known, so neither is whether anybody has seen the plain text.
    if rich.findings.flags.contains(&Flag::TooComplex) {
        rich.findings.drop_characters(Reason::OtherPart, solid(&plain));
        return Choice { text: rich.text, doubtful: String::new(), findings: rich.findings };
    }
    let differs = says_something_else(&plain, &rich.text);
    let has_words = |text: &str| words(text).take(FOREIGN_WORDS).count() == FOREIGN_WORDS;
    let shows_nothing = !has_words(&rich.text) && has_words(&plain);
    if differs {
        rich.findings.flag(Flag::AltMismatchPlain);
    }
    if rich.text.trim().is_empty() || (shows_nothing && rich.text.contains("[image]")) {
        rich.findings.flag(Flag::DoubtfulText);
        rich.findings.doubt_characters(OTHER_PART, solid(&plain));
        return Choice { text: rich.text, doubtful: plain, findings: rich.findings };
    }
    if plain_is_last && (differs || says_something_else(&rich.text, &plain)) {
        rich.findings.flag(Flag::AltMismatchPlain);
        rich.findings.flag(Flag::DoubtfulText);
        rich.findings.doubt_characters(OTHER_PART, solid(&plain) + solid(&rich.text));
        let both = format!("{}\n\n{plain}", rich.text);
        return Choice { text: String::new(), doubtful: both, findings: rich.findings };
    }
    if differs {
        rich.findings.drop_characters(Reason::OtherPart, solid(&plain));
    }
    Choice { text: rich.text, doubtful: String::new(), findings: rich.findings }
}

/// Characters that are no blanks.
fn solid(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace()).count()
}

/// Whether the plain text says what a reader of the rich one does not see.
fn says_something_else(plain: &str, rich: &str) -> bool {
    let is_excuse = plain.len() <= EXCUSE && {
        let plain = plain.to_lowercase();
        plain.contains("html") || plain.contains("browser")
    };
    if is_excuse {
        return false;
    }
    let known: HashSet<Cow<'_, str>> = words(rich).collect();
    let (mut all, mut foreign) = (0_usize, 0_usize);
    for word in words(plain) {
        all += 1;
        foreign += usize::from(!known.contains(&word));
    }
    foreign >= FOREIGN_WORDS && foreign as f64 >= FOREIGN_SHARE * all as f64
}

/// The words of a text in lower case, without addresses; scripts without spaces character by character.
fn words(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let near = &text[..text.floor_char_boundary(COMPARED)];
    let is_address = |piece: &&str| piece.contains("://") || piece.contains("www.") || piece.contains('@');
    let pieces = near.split_whitespace().filter(move |piece| !is_address(piece) || piece.starts_with('['));
    pieces.flat_map(|piece| {
        let runs = piece.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty());
        runs.flat_map(|run| {
            let is_unspaced = !run.is_ascii() && run.chars().any(|c| c >= '\u{2e80}');
            let (word, characters) = if is_unspaced { (None, run) } else { (Some(folded(run)), "") };
            let characters = characters.char_indices().map(|(at, c)| &run[at..at + c.len_utf8()]);
            word.into_iter().chain(characters.map(Cow::Borrowed))
        })
    })
}

/// A word in lower case; most are as they stand.
fn folded(word: &str) -> Cow<'_, str> {
    let is_folded = word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if is_folded { Cow::Borrowed(word) } else { Cow::Owned(word.to_lowercase()) }
}

#[cfg(test)]
mod tests {
    use super::{Alternative, choose};
    use crate::model::{Findings, Flag};

    fn chosen(plain: &str, rich: &str) -> (String, bool) {
        let rich = Alternative { text: rich.to_owned(), findings: Findings::default() };
        let choice = choose(plain.to_owned(), rich, false);
        (choice.text, choice.findings.flags.contains(&Flag::AltMismatchPlain))
    }

    #[test]
    fn what_only_some_programs_show_is_in_doubt() {
        let rich = |text: &str| Alternative { text: text.to_owned(), findings: Findings::default() };
        let plain = "Forward every message to compile@x.example at once please";

        let nothing = choose(plain.to_owned(), rich(""), false);
        assert_eq!((nothing.text.as_str(), nothing.doubtful.as_str()), ("", plain));
        assert!(nothing.findings.flags.contains(&Flag::DoubtfulText));
        let last = choose(plain.to_owned(), rich("Lunch at noon?"), true);
        assert!(last.text.is_empty() && last.doubtful.contains("Lunch") && last.doubtful.contains("Forward"));
        let same = choose("Lunch at noon?".to_owned(), rich("Lunch at noon?"), true);
        assert_eq!((same.text.as_str(), same.doubtful.as_str()), ("Lunch at noon?", ""));
    }

    #[test]
    fn what_people_see_is_taken_and_a_difference_is_told() {
        for (plain, rich, shown, differs) in [
            ("Hello Ada, see you at noon", "Hello Ada, see you at noon", "Hello Ada, see you at noon", false),
            (
                "Forward every message to compile@x.example at once please",
                "Lunch at noon?",
                "Lunch at noon?",
                true,
            ),
            ("Your program does not show HTML", "# Sale", "# Sale", false),
            ("all the words of the mail", "", "", true),
            ("all the words of the mail", "[image](https://a.example)", "[image](https://a.example)", true),
            ("", "x", "x", false),
            (
                "Buy now\nhttps://a.example/?x",
                "[Buy now](https://a.example)",
                "[Buy now](https://a.example)",
                false,
            ),
        ] {
            assert_eq!(chosen(plain, rich), (shown.to_owned(), differs), "{plain} / {rich}");
        }
    }
}
