//! Which concepts a text speaks of, in the languages that most mail is written in: `lexicon.txt`, found in one pass.

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

const LEXICON: &str = include_str!("lexicon.txt");

/// A set of concepts, one bit each, in the order of the file.
pub(super) type Concepts = u64;

/// Where a concept is spoken of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) concepts: Concepts,
}

struct Stem {
    concepts: Concepts,
    begins_a_word: bool,
    ends_a_word: bool,
}

struct Lexicon {
    names: Vec<&'static str>,
    stems: Vec<Stem>,
    texts: Vec<&'static str>,
    matcher: AhoCorasick,
}

/// What the concepts are called, in the order of their bits.
pub(super) fn names() -> &'static [&'static str] {
    &lexicon().names
}

/// The bit of a concept.
pub(super) fn concept(name: &str) -> Concepts {
    names().iter().position(|known| *known == name).map_or(0, |at| 1 << at)
}

/// Concepts that secrets are named by.
pub(super) const NAMED_BY: [&str; 21] = [
    "code",
    "pin",
    "one_time",
    "verify",
    "two_step",
    "login",
    "password",
    "reset",
    "forgot",
    "new_password",
    "user_name",
    "backup",
    "seed",
    "magic_link",
    "activate",
    "enter",
    "figure",
    "screen",
    "sign_up",
    "approve",
    "change_it",
];

/// The ASCII stems of some concepts, for a first look at every message: worth the larger, faster kind of matcher.
pub(super) struct FirstLook {
    concepts: Vec<Concepts>,
    begins_a_word: Vec<bool>,
    matcher: AhoCorasick,
}

impl FirstLook {
    pub(super) fn new(wanted: Concepts) -> Self {
        let all = || lexicon().stems.iter().zip(&lexicon().texts);
        let known: Vec<_> =
            all().filter(|(stem, text)| stem.concepts & wanted != 0 && text.is_ascii()).collect();
        let matcher = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .ascii_case_insensitive(true)
            .build(known.iter().map(|(_, text)| *text))
            .expect("the lexicon is a constant and compiles");
        Self {
            concepts: known.iter().map(|(stem, _)| stem.concepts & wanted).collect(),
            begins_a_word: known.iter().map(|(stem, _)| stem.begins_a_word).collect(),
            matcher,
        }
    }

    /// What an ASCII text may speak of beside what is `known` already, until it is `enough`: never less than `hits` say.
    pub(super) fn at(&self, text: &str, known: Concepts, enough: impl Fn(Concepts) -> bool) -> Concepts {
        let bytes = text.as_bytes();
        let begins = |at: usize| {
            at == 0 || !bytes[at - 1].is_ascii_alphanumeric() || !bytes[at].is_ascii_alphanumeric()
        };
        let mut said = known;
        for found in self.matcher.find_overlapping_iter(text) {
            let number = found.pattern().as_usize();
            let more = self.concepts[number] & !said != 0;
            if more && (!self.begins_a_word[number] || begins(found.start())) {
                said |= self.concepts[number];
                if enough(said) {
                    break;
                }
            }
        }
        said
    }
}

/// Everything that a text in lower case speaks of, in order.
pub(super) fn hits(text: &str) -> Vec<Hit> {
    let lexicon = lexicon();
    let mut hits = Vec::new();
    for found in lexicon.matcher.find_iter(text) {
        let stem = &lexicon.stems[found.pattern().as_usize()];
        if stem.stands(text, found.start(), found.end()) {
            hits.push(Hit { start: found.start(), end: found.end(), concepts: stem.concepts });
        }
    }
    hits
}

impl Stem {
    /// `otp` inside `hotplug` is nothing.
    fn stands(&self, text: &str, start: usize, end: usize) -> bool {
        let inside = |before: Option<char>, after: Option<char>| {
            before.is_some_and(is_of_a_word) && after.is_some_and(is_of_a_word)
        };
        let first = text[start..].chars().next();
        let last = text[..end].chars().next_back();
        !(self.begins_a_word && inside(text[..start].chars().next_back(), first)
            || self.ends_a_word && inside(last, text[end..].chars().next()))
    }
}

/// Letters of scripts that write words apart; the others have no case.
fn is_of_a_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || (!c.is_ascii() && (c.is_lowercase() || c.is_uppercase()))
}

fn lexicon() -> &'static Lexicon {
    static LEXICON: OnceLock<Lexicon> = OnceLock::new();
    LEXICON.get_or_init(read)
}

fn read() -> Lexicon {
    let mut names = Vec::new();
    let mut known: Vec<(&'static str, Stem)> = Vec::new();
    for line in LEXICON.lines().filter(|line| !line.starts_with('#')) {
        let Some((name, stems)) = line.split_once(": ") else { continue };
        let bit: Concepts = 1 << names.len();
        names.push(name);
        for written in stems.split('|') {
            let bare = written.trim_start_matches('-').trim_end_matches('$');
            let begins_a_word = !written.starts_with('-');
            let ends_a_word = written.ends_with('$');
            known.push((bare, Stem { concepts: bit, begins_a_word, ends_a_word }));
        }
    }
    let (texts, mut stems) = joined(known);
    inherit(&names, &texts, &mut stems);
    let matcher = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&texts);
    Lexicon { names, stems, texts, matcher: matcher.expect("the lexicon is a constant and compiles") }
}

/// One stem for each text: what several concepts list speaks of all of them.
fn joined(mut known: Vec<(&'static str, Stem)>) -> (Vec<&'static str>, Vec<Stem>) {
    known.sort_by_key(|(text, _)| *text);
    let mut texts: Vec<&'static str> = Vec::new();
    let mut stems: Vec<Stem> = Vec::new();
    for (text, stem) in known {
        match stems.last_mut().filter(|_| texts.last() == Some(&text)) {
            Some(last) => {
                last.concepts |= stem.concepts;
                last.begins_a_word &= stem.begins_a_word;
                last.ends_a_word &= stem.ends_a_word;
            }
            None => {
                texts.push(text);
                stems.push(stem);
            }
        }
    }
    (texts, stems)
}

/// The longest stem is found, so it speaks also of what the shorter ones inside it do: `new password` of `password`.
/// What programs are made of does not: `source code` is no `code`.
fn inherit(names: &[&str], texts: &[&'static str], stems: &mut [Stem]) {
    let patch = names.iter().position(|name| *name == "patch").map_or(0, |at| 1 << at);
    let shorter = AhoCorasick::new(texts).expect("the lexicon is a constant and compiles");
    let inside = |text: &str| {
        let found = shorter
            .find_overlapping_iter(text)
            .filter(|found| stems[found.pattern().as_usize()].stands(text, found.start(), found.end()));
        found.fold(0, |all, found| all | stems[found.pattern().as_usize()].concepts)
    };
    let all: Vec<Concepts> = texts.iter().map(|text| inside(text)).collect();
    for (stem, all) in stems.iter_mut().zip(all).filter(|(stem, _)| stem.concepts & patch == 0) {
        stem.concepts |= all & !patch;
    }
}

#[cfg(test)]
mod tests {
    use super::{concept, hits, names};

    fn spoken_of(text: &str) -> Vec<&'static str> {
        let all = hits(text).iter().fold(0, |all, hit| all | hit.concepts);
        names().iter().filter(|name| all & concept(name) != 0).copied().collect()
    }

    #[test]
    fn every_line_of_the_file_is_a_concept_and_they_fit_into_a_set() {
        let lines = super::LEXICON.lines().filter(|line| !line.starts_with('#'));

        assert_eq!(lines.count(), names().len());
        assert!(names().len() <= 64);
    }

    #[test]
    fn stems_are_found_in_compounds_and_not_in_other_words() {
        assert_eq!(spoken_of("ihr bestätigungscode"), ["code", "verify"]);
        assert_eq!(spoken_of("einmalpasswort"), ["one_time", "password"]);
        assert_eq!(spoken_of("a new password"), ["password", "new_password"]);
        assert_eq!(spoken_of("the source code"), ["patch"]);
        assert_eq!(spoken_of("a hotplug driver to pinpoint"), ["patch"]);
        assert_eq!(spoken_of("您的验证码是482913"), ["code", "verify", "is_your"]);
    }
}
