//! Cuts text into the words that are indexed and searched, the same way on both sides.
//!
//! Words are runs of letters, digits and `_`, in lower case, with accents folded. Scripts written without
//! spaces give each character and each pair of neighbours. A word longer than 64 bytes is cut there.
//!
//! Beside a word, at its position, may stand a second form of it: `mueller` beside `muller` for `Müller`, and `c++`
//! beside `c`. Signs that people look for (`€`, `$`, `§`, arrows, emoji) are words too, but take no position:
//! they stand at that of the word behind them, so that phrases of words are what they would be without signs.

use std::borrow::Cow;

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use unicode_normalization::UnicodeNormalization;

const LONGEST: usize = 64;
/// Signs that may belong to a word's name.
const MOST_SIGNS: usize = 3;
/// The two dots of an umlaut, where they are a character of their own.
const DIAERESIS: char = '\u{308}';

/// One word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// Where it begins in the text, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Which word of the text it is; second forms and signs share one with a word.
    pub position: usize,
    /// What it is to the words around it.
    pub kind: WordKind,
}

/// What a word is to the words around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordKind {
    /// A word, or one character of a script without spaces.
    Plain,
    /// That character and the next one.
    Pair,
    /// The word before it, with `ä`, `ö` and `ü` spelt `ae`, `oe` and `ue`.
    Spelling,
    /// The word before it, with the signs that belong to its name: `c++`, `c#`.
    Named,
    /// A sign.
    Sign,
}

/// Walks over the words of a text. The folded form of the current word is in `text()`.
pub struct Words<'a> {
    /// The text with its ASCII letters in lower case: done at once, this costs next to nothing.
    source: Cow<'a, str>,
    at: usize,
    position: usize,
    folded: String,
    /// A second form of the word that was returned last, and how it is written.
    second: Option<Word>,
    spelling: String,
    last_sign: Option<(usize, char)>,
}

impl<'a> Words<'a> {
    /// Starts at the beginning of `text`.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let source = match text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            true => Cow::Owned(text.to_ascii_lowercase()),
            false => Cow::Borrowed(text),
        };
        Self {
            source,
            at: 0,
            position: 0,
            folded: String::new(),
            second: None,
            spelling: String::new(),
            last_sign: None,
        }
    }

    /// The folded form of the word that `advance` returned last.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.folded
    }

    /// Goes to the next word.
    pub fn advance(&mut self) -> Option<Word> {
        let mut folded = std::mem::take(&mut self.folded);
        let word = self.advance_into(&mut folded);
        self.folded = folded;
        word
    }

    /// Goes to the next word and puts its folded form into a string of the caller's.
    fn advance_into(&mut self, folded: &mut String) -> Option<Word> {
        folded.clear();
        if self.second.is_some() {
            return self.second_form(folded);
        }
        if let Some((word, next)) = self.plain() {
            folded.push_str(&self.source[word.start..word.end]);
            if matches!(next, b'+' | b'#') {
                self.look_for_name(word, folded);
            }
            return Some(word);
        }
        self.uncommon(folded)
    }

    /// The second form of the word before.
    fn second_form(&mut self, folded: &mut String) -> Option<Word> {
        let second = self.second.take()?;
        match second.kind {
            WordKind::Pair => self.fold(&second, folded),
            _ => folded.push_str(&self.spelling),
        }
        Some(second)
    }

    /// The next word, whatever it is made of.
    fn uncommon(&mut self, folded: &mut String) -> Option<Word> {
        Some(match self.skip_to_word()? {
            first if is_unspaced(first) => self.unspaced(first, folded),
            first if is_word(first) => self.spaced(folded),
            sign => self.sign(sign, folded),
        })
    }

    /// The next word and the byte behind it, if nothing but ASCII stands up to its end: nearly always.
    #[inline]
    fn plain(&mut self) -> Option<(Word, u8)> {
        let rest = &self.source.as_bytes()[self.at..];
        let skipped = rest.iter().position(|byte| class(*byte) != SEPARATOR)?;
        let rest = &rest[skipped..];
        let length = rest.iter().position(|byte| class(*byte) != WORD).unwrap_or(rest.len());
        let next = rest.get(length).copied().unwrap_or(b' ');
        if !next.is_ascii() || length == 0 || length > LONGEST {
            return None;
        }
        let start = self.at + skipped;
        let word = Word { start, end: start + length, position: self.position, kind: WordKind::Plain };
        self.at = word.end;
        self.position += 1;
        Some((word, next))
    }

    /// `c++` and `c#`: up to three signs right behind a word, and no letter behind them.
    #[cold]
    fn look_for_name(&mut self, word: Word, folded: &str) {
        let rest = &self.source.as_bytes()[self.at..];
        let signs = rest.iter().take_while(|byte| matches!(byte, b'+' | b'#')).count();
        let goes_on = rest.get(signs).is_some_and(|byte| class(*byte) == WORD);
        if (1..=MOST_SIGNS).contains(&signs) && !goes_on {
            self.spelling.clear();
            self.spelling.push_str(folded);
            self.spelling.push_str(&self.source[self.at..self.at + signs]);
            self.second = Some(Word { end: self.at + signs, kind: WordKind::Named, ..word });
        }
    }

    fn skip_to_word(&mut self) -> Option<char> {
        loop {
            let rest = &self.source.as_bytes()[self.at..];
            let skipped = rest.iter().position(|byte| class(*byte) != SEPARATOR)?;
            self.at += skipped;
            let c = self.source[self.at..].chars().next()?;
            if is_word(c) || self.is_new_sign(c) {
                return Some(c);
            }
            self.at += c.len_utf8();
        }
    }

    /// Whether this is a sign that has not just been met: `€€€` is one.
    fn is_new_sign(&self, c: char) -> bool {
        is_sign(c) && self.last_sign != Some((self.position, c))
    }

    fn sign(&mut self, c: char, folded: &mut String) -> Word {
        let start = self.at;
        self.at += c.len_utf8();
        self.last_sign = Some((self.position, c));
        folded.push(c);
        Word { start, end: self.at, position: self.position, kind: WordKind::Sign }
    }

    /// A character of a script without spaces; its pair with the next one follows.
    fn unspaced(&mut self, c: char, folded: &mut String) -> Word {
        let start = self.at;
        let middle = start + c.len_utf8();
        let word = Word { start, end: middle, position: self.position, kind: WordKind::Plain };
        if let Some(next) = self.source[middle..].chars().next().filter(|next| is_unspaced(*next)) {
            self.second = Some(Word { end: middle + next.len_utf8(), kind: WordKind::Pair, ..word });
        }
        self.fold(&word, folded);
        self.at = middle;
        self.position += 1;
        word
    }

    fn spaced(&mut self, folded: &mut String) -> Word {
        let start = self.at;
        self.spelling.clear();
        self.take_ascii(folded);
        while self.take_wide(folded) {
            self.take_ascii(folded);
        }
        cut(folded);
        let word = Word { start, end: self.at, position: self.position, kind: WordKind::Plain };
        self.position += 1;
        if self.spelling.is_empty() {
            self.look_for_name(word, folded);
        } else {
            cut(&mut self.spelling);
            self.second = Some(Word { kind: WordKind::Spelling, ..word });
        }
        word
    }

    /// Takes a run of ASCII letters and digits into the current word.
    fn take_ascii(&mut self, folded: &mut String) {
        let rest = &self.source.as_bytes()[self.at..];
        let length = rest.iter().position(|byte| class(*byte) != WORD).unwrap_or(rest.len());
        let run = &self.source[self.at..self.at + length];
        folded.push_str(run);
        if !self.spelling.is_empty() {
            self.spelling.push_str(run);
        }
        self.at += length;
    }

    /// Takes a character beyond ASCII into the current word, unless the word ends before it.
    fn take_wide(&mut self, folded: &mut String) -> bool {
        let Some(c) = self.source[self.at..].chars().next() else {
            return false;
        };
        if c.is_ascii() || is_unspaced(c) || !(is_word(c) || is_mark(c)) {
            return false;
        }
        let before = folded.len();
        fold(c, folded);
        self.spell(c, folded, before);
        self.at += c.len_utf8();
        true
    }

    /// Writes a character into the second spelling, which there is from the first letter on that has one.
    fn spell(&mut self, c: char, folded: &str, before: usize) {
        let has_second = is_umlaut(c) || c == DIAERESIS && folded.ends_with(['a', 'o', 'u']);
        if has_second && self.spelling.is_empty() {
            self.spelling.push_str(&folded[..before]);
        }
        if has_second || !self.spelling.is_empty() {
            self.spelling.push_str(&folded[before..]);
        }
        if has_second {
            self.spelling.push('e');
        }
    }

    fn fold(&self, word: &Word, folded: &mut String) {
        folded.extend(self.source[word.start..word.end].nfkc().flat_map(char::to_lowercase));
    }
}

const SEPARATOR: u8 = 0;
const WORD: u8 = 1;
const SIGN: u8 = 2;
const BEYOND_ASCII: u8 = 3;
/// What a byte is to words. By table: text is looked at byte by byte, and this is asked for every one.
const CLASSES: [u8; 256] = {
    let mut table = [BEYOND_ASCII; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        table[byte as usize] = match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' => WORD,
            b'$' => SIGN,
            _ => SEPARATOR,
        };
        byte += 1;
    }
    table
};

fn class(byte: u8) -> u8 {
    CLASSES[usize::from(byte)]
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || is_unspaced(c)
}

/// Signs that people look for. Punctuation, bullets and what tables are drawn with are none.
fn is_sign(c: char) -> bool {
    matches!(c,
        '$' | '¢'..='¥' | '§' | '©' | '®' | '°' | '±' | '×' | '÷'
        | '\u{e3f}'                    // baht
        | '\u{20a0}'..='\u{20cf}'      // currencies
        | '\u{2100}'..='\u{214f}'      // ™, №, ℃
        | '\u{2190}'..='\u{22ff}'      // arrows, mathematics
        | '\u{2600}'..='\u{27bf}'      // symbols, dingbats
        | '\u{2b00}'..='\u{2bff}'
        | '\u{1f000}'..='\u{1faff}')
}

fn is_umlaut(c: char) -> bool {
    matches!(c, 'ä' | 'ö' | 'ü' | 'ø' | 'Ä' | 'Ö' | 'Ü' | 'Ø')
}

/// Combining accents: part of the word they stand on, and folded away.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{200d}' | '\u{ad}')
}

fn is_unspaced(c: char) -> bool {
    // Asked of every word, and most are answered here.
    c >= '\u{e00}'
        && matches!(c,
        '\u{e00}'..='\u{eff}'        // Thai, Lao
        | '\u{f00}'..='\u{fff}'      // Tibetan
        | '\u{1000}'..='\u{109f}'    // Myanmar
        | '\u{1100}'..='\u{11ff}'    // Hangul
        | '\u{1780}'..='\u{17ff}'    // Khmer
        | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' // Kana
        | '\u{3100}'..='\u{318f}' | '\u{31a0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' // Han
        | '\u{ac00}'..='\u{d7af}'    // Hangul
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}'    // half-width Kana
        | '\u{20000}'..='\u{3134f}')
}

/// Lower case without accents. Letters that Unicode does not take apart are spelt as people type them.
fn fold(c: char, out: &mut String) {
    match c {
        'ß' | 'ẞ' => out.push_str("ss"),
        'æ' | 'Æ' => out.push_str("ae"),
        'œ' | 'Œ' => out.push_str("oe"),
        'ø' | 'Ø' => out.push('o'),
        'đ' | 'Đ' | 'ð' | 'Ð' => out.push('d'),
        'ł' | 'Ł' => out.push('l'),
        'þ' | 'Þ' => out.push_str("th"),
        'ı' => out.push('i'),
        c => out.extend(
            std::iter::once(c)
                .nfkd()
                .filter(|c| !is_mark(*c))
                .flat_map(char::to_lowercase)
                .filter(|c| !is_mark(*c)),
        ),
    }
}

fn cut(word: &mut String) {
    if word.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|end| word.is_char_boundary(*end)).unwrap_or(0);
        word.truncate(end);
    }
}

/// The tokenizer under which tantivy knows this.
#[derive(Clone, Default)]
pub(super) struct WordTokenizer {
    token: Token,
}

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        self.token.reset();
        WordStream { words: Words::new(text), token: &mut self.token }
    }
}

pub(super) struct WordStream<'a> {
    words: Words<'a>,
    token: &'a mut Token,
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(word) = self.words.advance_into(&mut self.token.text) else {
            return false;
        };
        self.token.offset_from = word.start;
        self.token.offset_to = word.end;
        self.token.position = word.position;
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::proptest;

    use super::Words;

    fn words(text: &str) -> Vec<String> {
        let mut words = Words::new(text);
        let mut all = Vec::new();
        while let Some(word) = words.advance() {
            all.push(format!("{}{}", words.text(), word.position));
        }
        all
    }

    #[test]
    fn words_are_folded_and_numbered() {
        assert_eq!(words("Héllo, wörld_2 don't"), ["hello0", "world_21", "woerld_21", "don2", "t3"]);
        assert_eq!(words("Straße Ångström naïve"), ["strasse0", "angstrom1", "angstroem1", "naive2"]);
        assert_eq!(words("Привет Ёж"), ["привет0", "еж1"]);
        assert_eq!(words("e\u{301}tude"), ["etude0"]);
    }

    #[test]
    fn umlauts_are_spelt_both_ways_however_they_are_encoded() {
        for text in ["Müller", "Mu\u{308}ller", "MÜLLER"] {
            assert_eq!(words(text), ["muller0", "mueller0"], "{text}");
        }
        assert_eq!(words("Mueller Muller"), ["mueller0", "muller1"]);
        assert_eq!(words("Jörg-Jürgen"), ["jorg0", "joerg0", "jurgen1", "juergen1"]);
        assert_eq!(words("Übergrößenträger"), ["ubergrossentrager0", "uebergroessentraeger0"]);
        assert_eq!(words("Zoë blue due"), ["zoe0", "blue1", "due2"]);
    }

    #[test]
    fn signs_that_people_look_for_are_words_without_a_position() {
        assert_eq!(words("cost € 100, 5€"), ["cost0", "€1", "1001", "52", "€3"]);
        assert_eq!(words("$HOME → §5 🎉🎉!"), ["$0", "home0", "→1", "§1", "51", "🎉2"]);
        assert_eq!(words("-> != ... • | ─ “”"), [""; 0]);
    }

    #[test]
    fn signs_of_a_name_belong_to_it() {
        assert_eq!(words("C++, C#."), ["c0", "c++0", "c1", "c#1"]);
        assert_eq!(words("a+b c++d f#"), ["a0", "b1", "c2", "d3", "f4", "f#4"]);
        assert_eq!(words("x++++ +++ é++"), ["x0", "e1", "e++1"]);
    }

    #[test]
    fn scripts_without_spaces_give_characters_and_pairs() {
        assert_eq!(words("東京都 ok"), ["東0", "東京0", "京1", "京都1", "都2", "ok3"]);
        assert_eq!(words("ﾃｽﾄ"), ["テ0", "テス0", "ス1", "スト1", "ト2"]);
        assert_eq!(words("abc東"), ["abc0", "東1"]);
    }

    #[test]
    fn an_endless_word_is_cut() {
        let cut = words(&"x".repeat(5000));
        assert_eq!(cut, [format!("{}0", "x".repeat(64))]);
    }

    proptest! {
        #[test]
        fn any_text_gives_words_inside_it(text in "\\PC*") {
            let mut words = Words::new(&text);
            while let Some(word) = words.advance() {
                assert!(text.get(word.start..word.end).is_some());
                assert!(words.text().len() <= 64 + 32);
            }
        }
    }
}
