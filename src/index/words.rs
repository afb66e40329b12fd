//! Cuts text into the words that are indexed and searched, the same way on both sides.
//!
//! Words are runs of letters, digits and `_`, in lower case, with accents folded. Scripts written without
//! spaces give each character and each pair of neighbours. A word longer than 64 bytes is cut there.

use std::borrow::Cow;

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use unicode_normalization::UnicodeNormalization;

const LONGEST: usize = 64;

/// One word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// Where it begins in the text, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Which word of the text it is; a character and the pair it begins share one.
    pub position: usize,
    /// Whether it is a pair of characters of a script without spaces.
    pub pair: bool,
}

/// Walks over the words of a text. The folded form of the current word is in `text()`.
pub struct Words<'a> {
    /// The text with its ASCII letters in lower case: done at once, this costs next to nothing.
    source: Cow<'a, str>,
    at: usize,
    position: usize,
    folded: String,
    pair: Option<Word>,
}

impl<'a> Words<'a> {
    /// Starts at the beginning of `text`.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let source = match text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            true => Cow::Owned(text.to_ascii_lowercase()),
            false => Cow::Borrowed(text),
        };
        Self { source, at: 0, position: 0, folded: String::new(), pair: None }
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
        if let Some(pair) = self.pair.take() {
            self.fold(&pair, folded);
            return Some(pair);
        }
        if let Some(word) = self.plain() {
            folded.push_str(&self.source[word.start..word.end]);
            return Some(word);
        }
        let first = self.skip_to_word()?;
        Some(if is_unspaced(first) { self.unspaced(first, folded) } else { self.spaced(folded) })
    }

    /// The next word, if nothing but ASCII stands up to its end: nearly always.
    fn plain(&mut self) -> Option<Word> {
        let rest = &self.source.as_bytes()[self.at..];
        let skipped = rest.iter().position(|byte| class(*byte) != SEPARATOR)?;
        let rest = &rest[skipped..];
        let length = rest.iter().position(|byte| class(*byte) != WORD).unwrap_or(rest.len());
        let is_whole = rest.get(length).is_none_or(u8::is_ascii);
        if !is_whole || length == 0 || length > LONGEST {
            return None;
        }
        let start = self.at + skipped;
        let word = Word { start, end: start + length, position: self.position, pair: false };
        self.at = word.end;
        self.position += 1;
        Some(word)
    }

    fn skip_to_word(&mut self) -> Option<char> {
        loop {
            let rest = &self.source.as_bytes()[self.at..];
            let skipped = rest.iter().position(|byte| class(*byte) != SEPARATOR)?;
            self.at += skipped;
            if rest[skipped].is_ascii() {
                return Some(char::from(rest[skipped]));
            }
            let c = self.source[self.at..].chars().next()?;
            if is_word(c) {
                return Some(c);
            }
            self.at += c.len_utf8();
        }
    }

    /// A character of a script without spaces; its pair with the next one follows.
    fn unspaced(&mut self, c: char, folded: &mut String) -> Word {
        let start = self.at;
        let middle = start + c.len_utf8();
        let word = Word { start, end: middle, position: self.position, pair: false };
        if let Some(next) = self.source[middle..].chars().next().filter(|next| is_unspaced(*next)) {
            self.pair = Some(Word { end: middle + next.len_utf8(), pair: true, ..word });
        }
        self.fold(&word, folded);
        self.at = middle;
        self.position += 1;
        word
    }

    fn spaced(&mut self, folded: &mut String) -> Word {
        let start = self.at;
        self.take_ascii(folded);
        while self.take_wide(folded) {
            self.take_ascii(folded);
        }
        cut(folded);
        let word = Word { start, end: self.at, position: self.position, pair: false };
        self.position += 1;
        word
    }

    /// Takes a run of ASCII letters and digits into the current word.
    fn take_ascii(&mut self, folded: &mut String) {
        let rest = &self.source.as_bytes()[self.at..];
        let length = rest.iter().position(|byte| class(*byte) != WORD).unwrap_or(rest.len());
        folded.push_str(&self.source[self.at..self.at + length]);
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
        fold(c, folded);
        self.at += c.len_utf8();
        true
    }

    fn fold(&self, word: &Word, folded: &mut String) {
        folded.extend(self.source[word.start..word.end].nfkc().flat_map(char::to_lowercase));
    }
}

const SEPARATOR: u8 = 0;
const WORD: u8 = 1;
const BEYOND_ASCII: u8 = 2;
/// What a byte is to words. By table: text is looked at byte by byte, and this is asked for every one.
const CLASSES: [u8; 256] = {
    let mut table = [BEYOND_ASCII; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        table[byte as usize] = if byte.is_ascii_alphanumeric() || byte == b'_' { WORD } else { SEPARATOR };
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
        assert_eq!(words("Héllo, wörld_2 don't"), ["hello0", "world_21", "don2", "t3"]);
        assert_eq!(words("Straße Ångström naïve"), ["strasse0", "angstrom1", "naive2"]);
        assert_eq!(words("Привет Ёж"), ["привет0", "еж1"]);
        assert_eq!(words("e\u{301}tude"), ["etude0"]);
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
