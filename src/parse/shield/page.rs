//! A message as it is judged: its subject and the lines that are its own, with what each of them speaks of.

use std::sync::OnceLock;

use super::lexicon::{self, Concepts, FirstLook, Hit};
use super::naming::{FEW_WORDS, Numbering, is_enough, numbering};
use super::tokens::{Token, tokens};

/// Mail that carries a secret is short; as much of it is looked at.
const LOOKED_AT: usize = 4 << 10;
const LONGEST_SUBJECT: usize = 400;
/// So little text is weighed whatever it says.
const SHORT: usize = 600;
/// More of either are not looked at.
const MOST_TOKENS: usize = 48;
const MOST_LINKS: usize = 24;

/// The longest word between an account and what it is for, with its blanks: `cuenta de reservas`.
const OF: usize = 4;

/// A line that is not blank. The first one of a page is the subject.
pub(super) struct Line<'t> {
    pub(super) text: &'t str,
    pub(super) hits: Vec<Hit>,
    pub(super) concepts: Concepts,
}

/// A link, and what it says where it has a text of its own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub(super) line: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) label: Option<(usize, usize)>,
}

/// A message as it is judged.
pub(super) struct Page<'t> {
    pub(super) lines: Vec<Line<'t>>,
    /// Each with the line that it stands in.
    pub(super) tokens: Vec<(usize, Token)>,
    pub(super) links: Vec<Link>,
    /// All links, also those that are not looked at.
    pub(super) link_count: usize,
    pub(super) words: usize,
    pub(super) has_quotes: bool,
    pub(super) concepts: Concepts,
}

/// What a page is made from: the text as it stands and in lower case, byte for byte beside each other.
pub(super) struct Source {
    whole: String,
    lower: String,
    has_quotes: bool,
}

/// Whether there is anything in it that secrets are named by. Most mail ends here, before anything is copied.
pub(super) fn may_carry(subject: &str, text: &str) -> bool {
    let text = &text[..text.floor_char_boundary(LOOKED_AT)];
    let is_patch = text.contains("\n@@ -") || text.contains("\ndiff --git ");
    !is_patch && (text.len() <= SHORT || says_enough(subject, text))
}

/// Whether a text that is not short may speak of secrets in several ways, or else has few words of its own.
fn says_enough(subject: &str, text: &str) -> bool {
    static LOOK: OnceLock<FirstLook> = OnceLock::new();
    let Numbering { of_secrets, named_by, .. } = numbering();
    let look = LOOK.get_or_init(|| FirstLook::new(of_secrets | named_by));
    if !text.is_ascii() || !subject.is_ascii() {
        return true;
    }
    let mut said = look.at(subject, 0, is_enough);
    for line in own_lines(text) {
        said = look.at(line, said, is_enough);
        if is_enough(said) {
            return true;
        }
    }
    let words = || own_lines(text).chain([subject]).flat_map(str::split_ascii_whitespace);
    said & named_by != 0 && words().nth(FEW_WORDS).is_none()
}

/// The lines of a text that quote nothing: an answer to a message is not the message.
fn own_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim_start().starts_with('>'))
}

impl Source {
    pub(super) fn new(subject: &str, text: &str) -> Self {
        let text = &text[..text.floor_char_boundary(LOOKED_AT)];
        let subject = &subject[..subject.floor_char_boundary(LONGEST_SUBJECT)];
        let mut whole = String::with_capacity(subject.len() + text.len() + 1);
        whole.extend(subject.trim().chars().map(|c| if c == '\n' { ' ' } else { c }));
        let mut has_quotes = false;
        for line in text.lines() {
            // An answer to a message is not the message.
            if line.trim_start().starts_with('>') {
                has_quotes = true;
            } else if !line.trim().is_empty() {
                whole.push('\n');
                whole.push_str(line);
            }
        }
        let lower = lower_case(&whole);
        Self { whole, lower, has_quotes }
    }

    /// Everything the text speaks of.
    pub(super) fn hits(&self) -> Vec<Hit> {
        lexicon::hits(&self.lower)
    }

    pub(super) fn words(&self) -> usize {
        self.whole.split_ascii_whitespace().count()
    }

    pub(super) fn page(&self, hits: &[Hit]) -> Page<'_> {
        let mut page = Page {
            lines: lines(&self.whole, hits),
            tokens: Vec::new(),
            links: Vec::new(),
            link_count: self.whole.match_indices("://").count() + bare_addresses(&self.whole).count(),
            words: self.words(),
            has_quotes: self.has_quotes,
            concepts: hits.iter().fold(0, |all, hit| all | hit.concepts),
        };
        page.look();
        page
    }
}

/// Lower case, with every letter where it was: one whose small form is longer stays as it is.
fn lower_case(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let small = |c: char| {
        let mut forms = c.to_lowercase();
        match (forms.next(), forms.next()) {
            (Some(form), None) if form.len_utf8() == c.len_utf8() => form,
            _ => c,
        }
    };
    text.chars().map(small).collect()
}

fn lines<'t>(whole: &'t str, hits: &[Hit]) -> Vec<Line<'t>> {
    let mut hits = hits.iter().copied().peekable();
    let mut start = 0;
    whole
        .split('\n')
        .map(|text| {
            let end = start + text.len();
            let mut own = Vec::new();
            while let Some(hit) = hits.next_if(|hit| hit.start < end) {
                let place = |at: usize| at.saturating_sub(start).min(text.len());
                own.push(Hit { start: place(hit.start), end: place(hit.end), ..hit });
            }
            start = end + 1;
            let concepts = own.iter().fold(0, |all, hit| all | hit.concepts);
            Line { text, hits: own, concepts }
        })
        .collect()
}

impl Line<'_> {
    /// The words of an address are no words of the text.
    fn say_nothing_in(&mut self, stretches: &[(usize, usize)]) {
        if !stretches.is_empty() {
            self.hits
                .retain(|hit| !stretches.iter().any(|(start, end)| hit.start < *end && hit.end > *start));
        }
    }

    /// A parcel account is an account and no parcel: what an account is for is no purpose of its own.
    fn take_accounts_for_what_they_are(&mut self) {
        let Numbering { account, of_others, .. } = numbering();
        let is_account = |hit: &Hit| hit.concepts & account != 0;
        let is_of = |between: &str| {
            between.len() <= OF && between.chars().all(|c| c == ' ' || c == '-' || c.is_alphabetic())
        };
        for second in 1..self.hits.len() {
            let (first, next) = (self.hits[second - 1], self.hits[second]);
            let between = &self.text[first.end.min(next.start)..next.start];
            if is_account(&next) && between.len() <= 1 {
                self.hits[second - 1].concepts &= !of_others;
            } else if is_account(&first) && is_of(between) {
                self.hits[second].concepts &= !of_others;
            }
        }
        self.concepts = self.hits.iter().fold(0, |all, hit| all | hit.concepts);
    }
}

impl Page<'_> {
    /// Finds links and tokens.
    fn look(&mut self) {
        let password = lexicon::concept("password");
        let of_all = self.lines[0].concepts & (password | lexicon::concept("login")) != 0;
        for number in 0..self.lines.len() {
            let line = self.lines[number].text;
            let links = links(line, number);
            let left_out: Vec<(usize, usize)> = links.iter().map(|link| (link.start, link.end)).collect();
            self.lines[number].say_nothing_in(&left_out);
            self.lines[number].take_accounts_for_what_they_are();
            if self.tokens.len() < MOST_TOKENS {
                let of_passwords = of_all || self.lines[number].concepts & password != 0;
                let tokens = tokens(line, &left_out, of_passwords);
                self.tokens.extend(tokens.into_iter().map(|token| (number, token)));
            }
            if self.links.len() < MOST_LINKS {
                self.links.extend(links);
            }
        }
        self.concepts = self.lines.iter().fold(0, |all, line| all | line.concepts);
    }
}

/// Where addresses begin that are written without a scheme: `www.example.org/login`.
fn bare_addresses(text: &str) -> impl Iterator<Item = usize> {
    let begins = |at: &usize| {
        let before = text[..*at].chars().next_back();
        let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '@' | '-' | '_');
        !before.is_some_and(is_inside) && text[at + 4..].starts_with(|c: char| c.is_ascii_alphanumeric())
    };
    text.match_indices("www.").map(|(at, _)| at).filter(begins)
}

/// The addresses in a line, with the text before one in brackets as its label: `[Sign in](https://...)`.
fn links(line: &str, number: usize) -> Vec<Link> {
    let mut links = Vec::new();
    let mut from = 0;
    let mut bare = bare_addresses(line).peekable();
    loop {
        while bare.next_if(|at| *at < from).is_some() {}
        let with_scheme = line[from..].find("://").map(|found| from + found);
        let Some(at) = with_scheme.into_iter().chain(bare.peek().copied()).min() else { break };
        let start = line[..at]
            .rfind(|c: char| !c.is_ascii_alphanumeric())
            .map_or(0, |before| before + line[before..].chars().next().map_or(1, char::len_utf8));
        let ends = |c: char| c.is_whitespace() || matches!(c, ')' | '>' | '"' | '<' | ']') || c >= '\u{3000}';
        let end = line[at..].find(ends).map_or(line.len(), |length| at + length);
        let label = line[..start]
            .strip_suffix("](")
            .and_then(|before| before.rfind('[').map(|open| (open + 1, before.len())));
        links.push(Link { line: number, start, end, label });
        from = end.max(at + 3).min(line.len());
    }
    links
}

#[cfg(test)]
mod tests {
    use super::{Source, lower_case};

    #[test]
    fn lower_case_leaves_every_letter_in_its_place() {
        for text in ["Şİfre GÜNCEL", "ẞ und ÄÖ", "КОД", "plain", "ǅ ﬁ K"] {
            assert_eq!(lower_case(text).len(), text.len(), "{text}");
        }
        assert_eq!(lower_case("КОД"), "код");
    }

    #[test]
    fn links_have_labels_and_hold_no_tokens() {
        let source = Source::new(
            "Hi",
            "[Sign in now](https://a.example/k/482913)\n> quoted 118204\nhttp://b.example www.c.example/x",
        );
        let page = source.page(&source.hits());

        let shown: Vec<_> =
            page.links.iter().map(|link| &page.lines[link.line].text[link.start..link.end]).collect();
        assert_eq!(shown, ["https://a.example/k/482913", "http://b.example", "www.c.example/x"]);
        assert_eq!(
            page.links[0].label.map(|(start, end)| &page.lines[1].text[start..end]),
            Some("Sign in now")
        );
        assert!(page.tokens.is_empty() && page.has_quotes);
        assert_eq!(page.link_count, 3);
    }
}
