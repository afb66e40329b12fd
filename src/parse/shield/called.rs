//! What a token is called: words of its sentence that name it together, as `sign-in code` and `booking code` do.

use super::lexicon::{Concepts, Hit};
use super::naming::{Numbering, numbering};
use super::page::Page;

/// How far words that name something together may be apart, in bytes: `code for the garage`.
const TOGETHER: usize = 14;
/// How far apart words are that stand side by side.
const SIDE_BY_SIDE: usize = 2;
/// How far from a token a word that names a code by itself may stand: `TAN: 482913`.
const BESIDE: usize = 4;

/// What a token is called. Several may hold: `verification code for your parcel`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Called {
    /// `sign-in code`, `code to log in`, `TAN`.
    pub(super) sign_in: bool,
    /// `sign-in code`, `one-time PIN`, side by side: hardly anything but a secret, whatever it gives access to.
    pub(super) surely: bool,
    /// `verification code`, `security code`: bookings have one, too.
    pub(super) check: bool,
    /// `booking code`, `order number`, `wifi password`.
    pub(super) other: bool,
}

/// What the token between `start` and `end` of a line is called there, or above it where it stands alone.
pub(super) fn called(page: &Page<'_>, line: usize, start: usize, end: usize) -> Called {
    let text = page.lines[line].text;
    let is_empty = |part: &str| !part.contains(char::is_alphanumeric);
    let alone = is_empty(&text[..start]) && is_empty(&text[end..]);
    match line.checked_sub(1).filter(|_| alone) {
        Some(above) => together(page.lines[above].text, &page.lines[above].hits),
        None => in_its_sentence(text, &page.lines[line].hits, start, end),
    }
}

/// The token is taken out, so that `code 482913 to sign in` reads `code to sign in`.
fn in_its_sentence(text: &str, hits: &[Hit], start: usize, end: usize) -> Called {
    let first = sentence_ends(&text[..start]).last().unwrap_or(0);
    let last = sentence_ends(&text[end..]).next().map_or(text.len(), |at| end + at);
    let sentence = format!("{}{}", &text[first..start], &text[end..last]);
    let moved = |hit: &Hit| {
        let by = if hit.start >= end { first + end - start } else { first };
        Hit { start: hit.start - by, end: hit.end - by, ..*hit }
    };
    let is_inside =
        |hit: &&Hit| hit.start >= first && hit.end <= last && (hit.end <= start || hit.start >= end);
    let hits: Vec<Hit> = hits.iter().filter(is_inside).map(moved).collect();
    let at = start - first;
    let Numbering { one_time, codes, .. } = numbering();
    let names_itself = |hit: &Hit| {
        let away = if hit.end <= at { at - hit.end } else { hit.start.saturating_sub(at) };
        away <= BESIDE && hit.concepts & one_time != 0 && hit.concepts & codes == 0
    };
    let mut called = together(&sentence, &hits);
    called.sign_in |= hits.iter().any(names_itself);
    called
}

/// Where sentences end in a text, each behind its mark.
fn sentence_ends(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    text.char_indices().filter_map(move |(at, c)| {
        let behind = at + c.len_utf8();
        let ends = match c {
            '.' | '!' | '?' => bytes.get(behind) == Some(&b' '),
            '。' | '！' | '？' | '।' => true,
            _ => false,
        };
        ends.then_some(behind)
    })
}

fn together(text: &str, hits: &[Hit]) -> Called {
    let mut called = Called::default();
    for (number, first) in hits.iter().enumerate() {
        // A compound names by itself; but `passcode` is what meetings have, too.
        let mut word = Called::default();
        word.add(first.concepts, first.concepts);
        called.join(Called { sign_in: false, ..word });
        let are_close = |second: &&Hit| {
            second.start >= first.end
                && second.start - first.end <= TOGETHER
                && !text[first.end..second.start].contains(parts)
        };
        for second in hits[number + 1..].iter().take_while(are_close) {
            let mut pair = Called::default();
            pair.add(first.concepts, second.concepts);
            pair.add(second.concepts, first.concepts);
            pair.surely = pair.sign_in && second.start - first.end <= SIDE_BY_SIDE;
            called.join(pair);
        }
    }
    called
}

fn parts(c: char) -> bool {
    matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '(' | ')' | '。' | '，' | '、' | '：' | '！' | '？' | '।')
}

impl Called {
    /// Whether nothing else is meant, whatever the message speaks of beside it.
    pub(super) const fn is_a_secret(self) -> bool {
        self.surely || self.sign_in && !self.other
    }

    fn join(&mut self, other: Self) {
        self.sign_in |= other.sign_in;
        self.surely |= other.surely;
        self.check |= other.check;
        self.other |= other.other;
    }

    /// What two words say together: what kind of thing it is, and what it is for.
    fn add(&mut self, thing: Concepts, purpose: Concepts) {
        let numbering = numbering();
        let is_code = thing & numbering.codes != 0;
        let is_named = is_code || thing & numbering.other_names != 0;
        self.sign_in |= is_code && purpose & numbering.of_sign_in != 0;
        self.check |= is_code && purpose & numbering.of_checks != 0;
        self.other |= is_named && purpose & numbering.of_others != 0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::page::Source;
    use super::{Called, called};

    fn of(line: &str, token: &str) -> Called {
        let source = Source::new("", line);
        let page = source.page(&source.hits());
        let at = line.find(token).unwrap();
        called(&page, 1, at, at + token.len())
    }

    #[test]
    fn a_token_is_called_what_its_sentence_says() {
        let sign_in = Called { sign_in: true, ..Called::default() };
        let surely = Called { surely: true, ..sign_in };
        let check = Called { check: true, ..Called::default() };
        let other = Called { other: true, ..Called::default() };
        for (line, expected) in [
            ("Use code 482913 to sign in.", sign_in),
            ("TAN: 482913 for the amount", sign_in),
            ("Ihr Anmeldecode lautet 482913", surely),
            ("Your verification code is 482913", check),
            ("Your booking code is 482913", other),
            ("The code for the garage is 482913", other),
            ("Your sign-in code for the parcel is 482913", Called { other: true, ..surely }),
            ("Sign in to see it. The code is 482913", Called::default()),
        ] {
            assert_eq!(of(line, "482913"), expected, "{line}");
        }
    }
}
