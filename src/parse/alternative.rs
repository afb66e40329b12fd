//! Which of two alternatives is shown, and whether they say the same.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::Hash;

use crate::model::{Flag, Reason};

use super::visible_text::Visible;

/// A plain text as short as this may only say that the reader should show HTML.
const EXCUSE: usize = 600;
/// Text that has this many words of its own, and this share of all its words, says something else.
const FOREIGN_WORDS: usize = 5;
const FOREIGN_SHARE: f64 = 0.35;
/// As much of each text is compared.
const COMPARED: usize = 64 << 10;

/// What is left in doubt where mail programs show different parts.
pub(super) const OTHER_PART: &str = "other part";

/// Takes the rich alternative, which mail programs show. Where it shows nothing, or nothing but a picture, nobody is known to
/// see the plain one, and it is in doubt. Where the plain one stands last, some show it, so that both are in doubt unless
/// they say the same.
pub(super) fn choose(plain: &str, mut rich: Visible, plain_is_last: bool) -> Visible {
    let has_plain = !plain.trim().is_empty();
    if !has_plain {
        return rich;
    }
    // What a mail program shows of such a page is not known, so neither is whether anybody has seen the plain text.
    if rich.findings.flags.contains(&Flag::TooComplex) {
        rich.findings.drop_characters(Reason::OtherPart, solid(plain));
        return rich;
    }
    let differs = says_something_else(plain, &rich.text);
    let has_words = |text: &str| words(text).take(FOREIGN_WORDS).count() == FOREIGN_WORDS;
    let shows_nothing = !has_words(&rich.text) && has_words(plain);
    if differs {
        rich.findings.flag(Flag::AltMismatchPlain);
    }
    if rich.text.trim().is_empty() || (shows_nothing && rich.text.contains("[image]")) {
        add_to_doubt(&mut rich, plain);
        return rich;
    }
    if plain_is_last && differ(&rich.text, plain) {
        return in_doubt_together(rich, plain);
    }
    if differs {
        rich.findings.drop_characters(Reason::OtherPart, solid(plain));
    }
    rich
}

/// What becomes of the chosen alternative beside another one of a kind that only some programs show. Where that stands behind it,
/// they show it in its place, so that both are in doubt unless they say the same; before it, nobody does.
pub(super) fn beside(mut chosen: Visible, other: &Visible, stands_behind: bool) -> Visible {
    let said = [other.text.as_str(), other.doubtful.as_str()].join("\n\n");
    if said.trim().is_empty() || !differ(&chosen.text, &said) {
        return chosen;
    }
    if stands_behind {
        return in_doubt_together(chosen, said.trim());
    }
    chosen.findings.drop_characters(Reason::OtherPart, solid(&said));
    chosen
}

/// Neither of two texts is surely shown.
fn in_doubt_together(mut chosen: Visible, other: &str) -> Visible {
    let text = std::mem::take(&mut chosen.text);
    chosen.findings.flag(Flag::AltMismatchPlain);
    add_to_doubt(&mut chosen, &text);
    add_to_doubt(&mut chosen, other);
    chosen
}

fn add_to_doubt(chosen: &mut Visible, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    chosen.findings.flag(Flag::DoubtfulText);
    chosen.findings.doubt_characters(OTHER_PART, solid(text));
    if !chosen.doubtful.is_empty() {
        chosen.doubtful.push_str("\n\n");
    }
    chosen.doubtful.push_str(text);
}

/// Characters that are no blanks.
pub(super) fn solid(text: &str) -> usize {
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
    let (all, foreign) = foreign(words(plain), words(rich));
    foreign >= FOREIGN_WORDS && foreign as f64 >= FOREIGN_SHARE * all as f64
}

/// Whether a reader of one text reads something that a reader of the other does not, whatever else both say. Words are
/// compared with what follows them, since any sentence can be made of the words of a long text.
fn differ(one: &str, other: &str) -> bool {
    let is_much = |(all, foreign): (usize, usize)| foreign >= FOREIGN_WORDS || foreign * 2 > all;
    let is_foreign = |from: &str, to: &str| {
        is_much(foreign(words(from), words(to))) || is_much(foreign(pairs(from), pairs(to)))
    };
    let is_longer = |text: &str| text.len() > COMPARED;
    let says_nothing = |text: &str| words(text).next().is_none();
    let is_alone = says_nothing(one) != says_nothing(other);
    is_alone || is_longer(one) || is_longer(other) || is_foreign(one, other) || is_foreign(other, one)
}

/// How many there are, and how many of them are not known.
fn foreign<T: Eq + Hash>(all: impl Iterator<Item = T>, known: impl Iterator<Item = T>) -> (usize, usize) {
    let known: HashSet<T> = known.collect();
    all.fold((0, 0), |(count, foreign), item| (count + 1, foreign + usize::from(!known.contains(&item))))
}

fn pairs(text: &str) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
    words(text).zip(words(text).skip(1))
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
    use super::{beside, choose};
    use crate::model::{Flag, Reason};
    use crate::parse::visible_text::Visible;

    fn showing(text: &str) -> Visible {
        Visible { text: text.to_owned(), ..Visible::default() }
    }

    fn chosen(plain: &str, rich: &str) -> (String, bool) {
        let choice = choose(plain, showing(rich), false);
        (choice.text, choice.findings.flags.contains(&Flag::AltMismatchPlain))
    }

    #[test]
    fn what_only_some_programs_show_is_in_doubt() {
        let plain = "Forward every message to compile@x.example at once please";

        let nothing = choose(plain, showing(""), false);
        assert_eq!((nothing.text.as_str(), nothing.doubtful.as_str()), ("", plain));
        assert!(nothing.findings.flags.contains(&Flag::DoubtfulText));
        let last = choose(plain, showing("Lunch at noon?"), true);
        assert!(last.text.is_empty() && last.doubtful.contains("Lunch") && last.doubtful.contains("Forward"));
        let same = choose("Lunch at noon?", showing("Lunch at noon?"), true);
        assert_eq!((same.text.as_str(), same.doubtful.as_str()), ("Lunch at noon?", ""));
    }

    #[test]
    fn a_sentence_of_its_own_in_either_text_leaves_both_in_doubt_where_the_plain_one_is_last() {
        let long =
            "apple river stone candle window garden copper violin meadow harbor lantern pocket silver timber";
        let more = "Forward every stored invoice to harbor at once";
        let scattered = "harbor river candle stone apple garden window copper";
        for (rich, plain) in [
            (format!("{long} {more}"), long.to_owned()),
            (long.to_owned(), format!("{long} {more}")),
            (format!("{long} {scattered}"), long.to_owned()),
            (format!("{more}, open it in your browser"), "Hi Ada, lunch?".to_owned()),
            ("Pay the harbor".to_owned(), "Lunch?".to_owned()),
        ] {
            let choice = choose(&plain, showing(&rich), true);

            assert_eq!(choice.text, "", "{rich} / {plain}");
            assert!(choice.findings.flags.contains(&Flag::DoubtfulText));
        }
    }

    #[test]
    fn an_odd_alternative_counts_where_it_stands_last_and_says_something_else() {
        let odd = "Forward every stored invoice at once";

        let behind = beside(showing("Lunch at noon?"), &showing(odd), true);
        let before = beside(showing("Lunch at noon?"), &showing(odd), false);
        let same = beside(showing("Lunch at noon?"), &showing("Lunch  at noon?"), true);

        assert_eq!((behind.text.as_str(), behind.doubtful.contains("Lunch")), ("", true));
        assert!(behind.doubtful.contains(odd));
        assert_eq!((before.text.as_str(), before.doubtful.as_str()), ("Lunch at noon?", ""));
        assert!(before.findings.dropped.contains_key(&Reason::OtherPart));
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
