//! How like a name is to what somebody typed: letters without their accents, words by their beginnings, short forms of
//! first names. Pure.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// How well a name fits, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// The letters stand somewhere inside a word.
    Inside,
    /// Another form of the same first name.
    OtherForm,
    /// Words begin so.
    Beginning,
    /// A word of the name, or the address before the `@`, is exactly this.
    Word,
    /// The whole address.
    Address,
}

/// What somebody looks for.
pub(super) struct Wanted {
    words: Vec<String>,
}

/// First names and what people make of them; any two of a line stand for each other.
const FORMS: &[&[&str]] = &[
    &["alexander", "alexandra", "alex", "sasha", "sandy", "xander"],
    &["andrew", "andreas", "andy", "drew"],
    &["anthony", "tony"],
    &["barbara", "babs", "barb"],
    &["benjamin", "ben", "benny"],
    &["caroline", "carolin", "caro", "carrie"],
    &["catherine", "katherine", "katharina", "kathrin", "cathy", "kathy", "kate", "katie", "kati"],
    &["charles", "karl", "charlie", "chuck"],
    &["christopher", "christoph", "christian", "christina", "christine", "chris", "kit"],
    &["daniel", "dan", "danny"],
    &["david", "dave"],
    &["deborah", "debbie", "deb"],
    &["edward", "eduard", "ed", "eddie", "ted", "ned"],
    &["elizabeth", "elisabeth", "liz", "lisa", "beth", "betty", "eliza", "sissi"],
    &["francis", "frank", "franz", "francisco", "paco"],
    &["frederick", "friedrich", "fred", "freddy", "fritz"],
    &["gregory", "greg"],
    &["henry", "heinrich", "harry", "hank", "heiner"],
    &["james", "jim", "jimmy", "jamie"],
    &["jennifer", "jen", "jenny"],
    &["john", "johannes", "hans", "jack", "johnny", "jonathan", "jon"],
    &["joseph", "josef", "jose", "joe", "joey", "pepe", "sepp"],
    &["lawrence", "laurence", "larry"],
    &["leonard", "leonardo", "leo", "len"],
    &["margaret", "margarete", "maggie", "meg", "peggy", "greta", "gretchen", "rita"],
    &["matthew", "matthias", "matt"],
    &["michael", "mike", "mick", "mickey", "misha"],
    &["nicholas", "nikolaus", "nick", "nico", "klaus"],
    &["patricia", "patrick", "pat", "patty", "paddy", "trish"],
    &["peter", "pete"],
    &["philip", "phil"],
    &["rebecca", "becky"],
    &["richard", "dick", "rick", "ricky", "rich"],
    &["robert", "rob", "bob", "bobby", "robbie"],
    &["ronald", "ron"],
    &["samuel", "samantha", "sam", "sammy"],
    &["stephen", "steven", "stefan", "stephan", "steve"],
    &["susan", "susanne", "sue", "susie"],
    &["theodore", "theodor", "theo", "ted", "teddy"],
    &["thomas", "tom", "tommy"],
    &["timothy", "tim"],
    &["victoria", "vicky", "tori"],
    &["william", "wilhelm", "bill", "billy", "will", "willi", "liam"],
];
/// Fewer letters than this inside a word say nothing.
const LEAST_INSIDE: usize = 3;

impl Wanted {
    /// What was typed; `None` when there is no letter in it.
    pub(super) fn read(who: &str) -> Option<Self> {
        let words: Vec<String> =
            folded(who).split(is_between).filter(|it| !it.is_empty()).map(str::to_owned).collect();
        (!words.is_empty()).then_some(Self { words })
    }

    /// The same as words of a search.
    pub(super) fn search(&self) -> String {
        self.words.iter().map(|word| format!("\"{}\"", word.replace('"', " "))).collect::<Vec<_>>().join(" ")
    }

    /// How well somebody fits: as well as the word that fits worst.
    pub(super) fn likeness(&self, name: &str, address: &str) -> Option<Likeness> {
        if let [only] = self.words.as_slice()
            && only.eq_ignore_ascii_case(address)
        {
            return Some(Likeness::Address);
        }
        let (name, address) = (folded(name), folded(address));
        let all = self.words.iter().map(|word| word_likeness(word, &name, &address));
        all.min_by_key(|likeness| *likeness).flatten()
    }
}

fn word_likeness(wanted: &str, name: &str, address: &str) -> Option<Likeness> {
    let local = address.split('@').next().unwrap_or_default();
    let words = || name.split(is_break).chain(address.split(is_break)).filter(|word| !word.is_empty());
    if words().any(|word| word == wanted) || local == wanted || address == wanted {
        return Some(Likeness::Word);
    }
    if words().any(|word| word.starts_with(wanted)) || address.starts_with(wanted) {
        return Some(Likeness::Beginning);
    }
    let forms = FORMS.iter().filter(|forms| forms.contains(&wanted));
    if forms.flat_map(|forms| forms.iter()).any(|form| words().any(|word| word == *form)) {
        return Some(Likeness::OtherForm);
    }
    let is_long = wanted.chars().count() >= LEAST_INSIDE;
    (is_long && (name.contains(wanted) || address.contains(wanted))).then_some(Likeness::Inside)
}

/// What stands between words that somebody types; an address stays whole.
fn is_between(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | ';' | '<' | '>' | '(' | ')' | '"' | '\'')
}

/// What stands between words of names and addresses.
fn is_break(c: char) -> bool {
    !c.is_alphanumeric()
}

/// Small letters without accents: `Zoë Çelik` is `zoe celik`. `ß`, `ø` and `ł`, which are no letters with accents to
/// Unicode, are spelt as people without such keys type them.
fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase) {
        match c {
            'ß' => out.push_str("ss"),
            'ø' => out.push('o'),
            'ł' => out.push('l'),
            'đ' => out.push('d'),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'ı' => out.push('i'),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Likeness, Wanted};

    fn likeness(who: &str, name: &str, address: &str) -> Option<Likeness> {
        Wanted::read(who).unwrap().likeness(name, address)
    }

    #[test]
    fn a_name_is_found_however_it_is_typed() {
        for (who, name, address, expected) in [
            ("sam", "Samuel Ortiz", "so@x.example", Likeness::Beginning),
            ("Sam", "Sam Ortiz", "so@x.example", Likeness::Word),
            ("bob", "Robert Stone", "rs@x.example", Likeness::OtherForm),
            ("zoe celik", "Zoë Çelik", "z@x.example", Likeness::Word),
            ("ZOË", "zoe", "z@x.example", Likeness::Word),
            ("groß", "Hanna Gross", "h@x.example", Likeness::Word),
            ("ortiz", "", "samuel.ortiz@x.example", Likeness::Word),
            ("acme", "Billing", "noreply@mail.acme.example", Likeness::Word),
            ("rti", "Samuel Ortiz", "so@x.example", Likeness::Inside),
            ("so@x.example", "Samuel Ortiz", "SO@x.example", Likeness::Address),
            ("Ортис", "Самуил Ортис", "so@x.example", Likeness::Word),
        ] {
            assert_eq!(likeness(who, name, address), Some(expected), "{who} {name} {address}");
        }
    }

    #[test]
    fn every_word_has_to_fit() {
        assert_eq!(likeness("sam stone", "Samuel Ortiz", "so@x.example"), None);
        assert_eq!(likeness("sam orti", "Samuel Ortiz", "so@x.example"), Some(Likeness::Beginning));
        assert_eq!(likeness("ti", "Samuel Ortiz", "so@x.example"), None);
        assert!(Wanted::read(" <,> ").is_none());
    }
}
