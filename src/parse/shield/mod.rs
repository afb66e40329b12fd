//! Whether a message carries a secret of its own: a one-time code, a link that resets a password or signs in.
//! Pure, and judged by what a person sees. Mail that merely talks about such things passes.

mod phrases;

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::model::SecretKind;

use phrases::{ASKED_FOR, CODES, COPULAS, EXAMPLES, OTHER_CODES, RESETS, SIGN_INS};

/// Mail that carries a secret is short; as much of it is looked at.
const LOOKED_AT: usize = 4 << 10;
/// How far from its name a code stands on the same line.
const NEAR: usize = 60;
/// How many lines a code or link may stand from its name.
const NEAR_LINES: usize = 4;

/// What a phrase tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    OtherCode,
    Reset,
    SignIn,
    AskedFor,
}

/// A phrase that was found, and where.
#[derive(Debug, Clone, Copy)]
struct Found {
    kind: Kind,
    start: usize,
    end: usize,
    line: usize,
}

/// The secret that a subject and the visible text carry.
#[must_use]
pub fn secret(subject: &str, text: &str) -> Option<SecretKind> {
    let text = lower_case(&text[..text.floor_char_boundary(LOOKED_AT)]);
    let subject = lower_case(subject.trim());
    if !names_a_secret(&subject) && !names_a_secret(&text) {
        return None;
    }
    let whole = format!("{subject}\n\n{}", own_words(&text));
    let page = Page { lines: whole.lines().collect(), whole: &whole, found: find_phrases(&whole) };
    page.code().or_else(|| page.link())
}

fn lower_case(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.to_lowercase() }
}

/// Most mail ends here. Every message is looked through: worth the larger, faster kind of matcher.
fn names_a_secret(text: &str) -> bool {
    static NAMES: OnceLock<AhoCorasick> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        let phrases = [CODES, RESETS, SIGN_INS].into_iter().flat_map(|list| list.split('|'));
        let matcher = AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).build(phrases);
        matcher.expect("the phrases are constants and compile")
    });
    names.is_match(text)
}

/// The text without what is quoted: an answer to a message is not the message.
fn own_words(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('>'));
    lines.collect::<Vec<_>>().join("\n")
}

fn matcher() -> &'static (AhoCorasick, Vec<Kind>) {
    static MATCHER: OnceLock<(AhoCorasick, Vec<Kind>)> = OnceLock::new();
    MATCHER.get_or_init(|| {
        let lists = [
            (CODES, Kind::Code),
            (OTHER_CODES, Kind::OtherCode),
            (RESETS, Kind::Reset),
            (SIGN_INS, Kind::SignIn),
            (ASKED_FOR, Kind::AskedFor),
        ];
        let all = lists.iter().flat_map(|(phrases, kind)| phrases.split('|').map(|phrase| (phrase, *kind)));
        let (phrases, kinds): (Vec<&str>, Vec<Kind>) = all.unzip();
        let matcher = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(phrases);
        (matcher.expect("the phrases are constants and compile"), kinds)
    })
}

fn find_phrases(text: &str) -> Vec<Found> {
    let (matcher, kinds) = matcher();
    let mut line = 0;
    let mut counted = 0;
    let mut found = Vec::new();
    for hit in matcher.find_iter(text) {
        line += text[counted..hit.start()].matches('\n').count();
        counted = hit.start();
        let kind = kinds[hit.pattern().as_usize()];
        if is_whole_word(text, hit.start(), hit.end()) {
            found.push(Found { kind, start: hit.start(), end: hit.end(), line });
        }
    }
    found
}

/// `otp` inside `hotplug` is nothing.
fn is_whole_word(text: &str, start: usize, end: usize) -> bool {
    let is_latin = |c: char| c.is_ascii_alphanumeric();
    !(text[..start].ends_with(is_latin) && text[start..].starts_with(is_latin))
        && (end - start > 4 || !text[end..].starts_with(is_latin))
}

/// A message as it is judged.
struct Page<'t> {
    whole: &'t str,
    lines: Vec<&'t str>,
    found: Vec<Found>,
}

impl Page<'_> {
    fn has(&self, kind: Kind) -> bool {
        self.found.iter().any(|found| found.kind == kind)
    }

    fn of(&self, kind: Kind) -> impl Iterator<Item = &Found> {
        self.found.iter().filter(move |found| found.kind == kind)
    }

    fn code(&self) -> Option<SecretKind> {
        let named = self.of(Kind::Code).any(|name| self.is_beside_a_code(name) || self.is_above_a_code(name));
        named.then_some(SecretKind::OneTimeCode)
    }

    /// `Your verification code is 123456`, `123456 is your verification code`.
    fn is_beside_a_code(&self, name: &Found) -> bool {
        let line_start = self.whole[..name.start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = self.whole[name.end..].find('\n').map_or(self.whole.len(), |at| name.end + at);
        let before = &self.whole[line_start..name.start];
        let after = &self.whole[name.end..line_end];
        let before = &before[before.ceil_char_boundary(before.len().saturating_sub(NEAR))..];
        let after = &after[..after.floor_char_boundary(NEAR)];
        if self.is_another_code(&self.whole[line_start..line_end]) {
            return false;
        }
        let behind =
            codes(after).into_iter().any(|(at, code)| is_presented(&after[..at], &after[at + code.len()..]));
        let ahead = codes(before).into_iter().any(|(at, code)| {
            let gap = &before[at + code.len()..];
            gap.split_whitespace().count() <= 7
                && !is_example(&before[..at])
                && before[..at].trim().len() < 30
        });
        behind || ahead
    }

    /// A code that stands alone, close to where it is named.
    fn is_above_a_code(&self, name: &Found) -> bool {
        let first = name.line.saturating_sub(2);
        let last = (name.line + 2 * NEAR_LINES).min(self.lines.len());
        // The subject speaks for the whole message.
        let last = if name.line == 0 { self.lines.len().min(30) } else { last };
        !self.is_another_code(self.lines.get(name.line).copied().unwrap_or_default())
            && self.lines[first.min(last)..last].iter().any(|line| is_lone_code(line))
            && (self.has(Kind::AskedFor) || self.of(Kind::Code).count() > 1 || self.lines.len() < 15)
    }

    fn is_another_code(&self, line: &str) -> bool {
        OTHER_CODES.split('|').any(|other| line.contains(other)) && !self.has(Kind::AskedFor)
    }

    fn link(&self) -> Option<SecretKind> {
        if !self.has(Kind::AskedFor) {
            return None;
        }
        let near = |kind| self.of(kind).any(|name| self.is_near_a_link(name));
        if near(Kind::Reset) {
            return Some(SecretKind::ResetLink);
        }
        near(Kind::SignIn).then_some(SecretKind::SignInLink)
    }

    /// A link at the phrase or a few lines below, which is not just one of many.
    fn is_near_a_link(&self, name: &Found) -> bool {
        let last = match name.line {
            0 => self.lines.len().min(30),
            line => (line + 1 + 2 * NEAR_LINES).min(self.lines.len()),
        };
        let links: usize = self.lines.iter().map(|line| link_count(line)).sum();
        let asked_near =
            self.of(Kind::AskedFor).any(|asked| asked.line.abs_diff(name.line) <= 16 || name.line == 0);
        links <= MOST_LINKS
            && asked_near
            && self.lines[name.line.min(last)..last].iter().any(|line| link_count(line) > 0)
    }
}

/// A message whose point is one link has few others.
const MOST_LINKS: usize = 12;

fn link_count(line: &str) -> usize {
    line.matches("://").count()
}

/// Stretches of a line that may be codes: four to eight digits, also in two groups, or capitals and digits.
/// The text is in lower case, so letters count when digits are among them.
fn codes(line: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    for word in line.split_inclusive(|c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '*' | '`'
                    | '"'
                    | '('
                    | ')'
                    | '['
                    | ']'
                    | ':'
                    | '：'
                    | '。'
                    | ','
                    | '，'
                    | '、'
                    | '「'
                    | '」'
                    | '【'
                    | '】'
                    | '“'
                    | '”'
            )
    }) {
        let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        let start = bare.len() - bare.trim_start_matches(|c: char| !c.is_alphanumeric()).len();
        let bare = &bare[start..];
        if is_code(bare) {
            found.push((at + start, bare));
        } else if let Some(digits) = digits_inside(bare) {
            // Scripts without spaces write on right behind the code.
            found.push((at + start + digits.0, digits.1));
        }
        at += word.len();
    }
    join_groups(line, found)
}

/// `123 456`: exactly two groups of the same length make one code; more are a telephone number.
fn join_groups<'t>(line: &'t str, mut found: Vec<(usize, &'t str)>) -> Vec<(usize, &'t str)> {
    let runs = digit_runs(line);
    let is_blank = |from: usize, until: usize| matches!(&line[from..until], " " | "\u{a0}" | "-");
    for (place, pair) in runs.windows(2).enumerate() {
        let [(start, first_end), (second, end)] = *pair else { continue };
        let same = first_end - start == end - second && matches!(end - second, 3 | 4);
        let before = place.checked_sub(1).is_some_and(|before| is_blank(runs[before].1, start));
        let behind = runs.get(place + 2).is_some_and(|(next, _)| is_blank(end, *next));
        if same && is_blank(first_end, second) && !before && !behind {
            found.push((start, &line[start..end]));
        }
    }
    found
}

/// Where digits stand together.
fn digit_runs(line: &str) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, _) in line.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_digit()) {
        match runs.last_mut() {
            Some((_, end)) if *end == at => *end += 1,
            _ => runs.push((at, at + 1)),
        }
    }
    runs
}

fn digits_inside(word: &str) -> Option<(usize, &str)> {
    let start = word.find(|c: char| c.is_ascii_digit())?;
    let length = word[start..].find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len() - start);
    let mut around =
        word[..start].chars().next_back().into_iter().chain(word[start + length..].chars().next());
    let foreign = length < word.len() && around.all(|c| c >= '\u{2e80}');
    (foreign && (4..=8).contains(&length)).then(|| (start, &word[start..start + length]))
}

fn is_code(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let dashes = word.bytes().filter(|byte| *byte == b'-').count();
    let letters = word.bytes().filter(u8::is_ascii_lowercase).count();
    if digits + dashes + letters != word.len() || word.starts_with('-') || word.ends_with('-') {
        return false;
    }
    match (letters, dashes) {
        (0, 0) => (4..=8).contains(&digits) && !is_year(word),
        // `123-456`, but no telephone number and no date.
        (0, 1) => matches!(digits, 6 | 8) && word.split('-').all(|group| group.len() == digits / 2),
        // `G-123456`, `AB12-CD34`, `K7P2QX`.
        (_, 0 | 1) => digits >= 2 && (5..=12).contains(&word.len()) && !looks_like_a_name(word),
        _ => false,
    }
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && (word.starts_with("19") || word.starts_with("20"))
}

/// Letters and then a number: `rfc6238`, `base32`, `sha256`, `ipv4`.
fn looks_like_a_name(word: &str) -> bool {
    let letters = word.bytes().take_while(u8::is_ascii_lowercase).count();
    letters >= 2 && word[letters..].bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

/// Whether words lead to a code as to something that is handed over: `is`, a colon, or hardly anything.
fn is_presented(gap: &str, after: &str) -> bool {
    let words: Vec<&str> = gap.split_whitespace().collect();
    let bare =
        gap.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '`' | '"' | '“' | '【' | '「'));
    let last = words.last().copied().unwrap_or_default();
    let says_so = bare.ends_with([':', '：']) || COPULAS.split('|').any(|copula| copula == last);
    let goes_on = after.trim_start().starts_with(['%', '€', '$']);
    (words.len() <= 2 || (words.len() <= 8 && says_so)) && !is_example(gap) && !goes_on
}

fn is_example(before: &str) -> bool {
    let before = before.trim_end().trim_end_matches(['(', '"', '“']).trim_end();
    EXAMPLES.split('|').any(|example| {
        before.strip_suffix(example).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
    })
}

/// A line that holds a code and nothing else but marks.
fn is_lone_code(line: &str) -> bool {
    let bare = line.trim_matches(|c: char| !c.is_alphanumeric());
    let without_blanks: String = bare.split_whitespace().collect();
    let spaced = bare.contains(char::is_whitespace);
    let all_digits = without_blanks.bytes().all(|byte| byte.is_ascii_digit());
    (!spaced && is_code(bare)) || (spaced && all_digits && (4..=8).contains(&without_blanks.len()))
}

#[cfg(test)]
mod tests;
