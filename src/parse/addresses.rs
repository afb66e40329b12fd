//! Address lists: From, To, Cc, Bcc, Reply-To. Groups are flattened, comments become names where there is
//! no other, missing brackets and quotes are tolerated. Refuses to invent an address.

use std::borrow::Cow;

use crate::model::Address;

use super::charset;
use super::parameters::{quoted_length, unescaped};
use super::words;

/// Reads one field's value.
pub(super) fn list(value: &[u8]) -> Vec<Address> {
    let text = charset::decode_unlabelled(value.trim_ascii());
    let text = words::unfolded(&text);
    Scanner::new(&text).run()
}

/// What has been read of one address.
#[derive(Default)]
struct Draft<'a> {
    /// Words outside brackets, as written; quoted strings without quotes.
    phrase: Vec<Cow<'a, str>>,
    comment: String,
    address: Option<String>,
}

/// What is known of the parentheses ahead; each doubt is looked into once, so that time stays linear.
enum Parentheses {
    Pair,
    Close,
    NeverClose,
}

/// How far a closing bracket may be from its opening one when there are commas between them.
const LONGEST_ROUTE: usize = 1000;

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    draft: Draft<'a>,
    addresses: Vec<Address>,
    parentheses: Parentheses,
    /// Set once a quote turned out to have no end, so that we look for it only once.
    unclosed: bool,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            draft: Draft::default(),
            addresses: Vec::new(),
            parentheses: Parentheses::Pair,
            unclosed: false,
        }
    }

    fn run(mut self) -> Vec<Address> {
        while let Some(&byte) = self.text.as_bytes().get(self.at) {
            match byte {
                b',' | b';' => self.finish_address(),
                b':' => self.start_group(),
                b'"' => self.quoted(),
                b'(' => self.comment(),
                b'<' => self.bracketed(),
                b' ' | b'\t' | b')' | b'>' => self.at += 1,
                _ => self.word(),
            }
        }
        self.finish_address();
        self.addresses
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn finish_address(&mut self) {
        self.at += 1;
        self.addresses.extend(self.draft.take_address());
    }

    /// A colon ends a group's name, which we do not keep.
    fn start_group(&mut self) {
        self.at += 1;
        self.draft.clear();
    }

    fn quoted(&mut self) {
        let closed = (!self.unclosed).then(|| quoted_length(self.rest().as_bytes())).flatten();
        let Some(length) = closed else {
            self.unclosed = true;
            self.at += 1;
            return;
        };
        let content = unescaped(&self.rest()[1..length - 1]);
        self.at += length;
        match self.rest().starts_with('@') {
            // A quoted local part, such as "john doe"@example.org.
            true => {
                let domain_length = word_end(self.rest());
                let domain = &self.rest()[..domain_length];
                self.draft.address = Some(format!("\"{content}\"{domain}"));
                self.at += domain_length;
            }
            false => self.draft.phrase.push(content.into()),
        }
    }

    fn comment(&mut self) {
        let Some(length) = self.comment_end() else {
            self.at += 1;
            return;
        };
        if !self.draft.comment.is_empty() {
            self.draft.comment.push(' ');
        }
        let content = self.rest()[1..length - 1].trim();
        self.draft.comment.push_str(&unescaped(content));
        self.at += length;
    }

    /// The length of the comment here; where parentheses do not pair, the next closing one ends it.
    fn comment_end(&mut self) -> Option<usize> {
        let rest = self.rest();
        match self.parentheses {
            Parentheses::Pair => {
                let length = comment_length(rest);
                if length.is_none() {
                    self.parentheses = Parentheses::Close;
                    return self.comment_end();
                }
                length
            }
            Parentheses::Close => {
                let length = rest.find(')').map(|at| at + 1);
                if length.is_none() {
                    self.parentheses = Parentheses::NeverClose;
                }
                length
            }
            Parentheses::NeverClose => None,
        }
    }

    fn bracketed(&mut self) {
        let rest = &self.rest()[1..];
        let end = memchr::memchr3(b'>', b',', b';', rest.as_bytes()).unwrap_or(rest.len());
        // A route (`<@relay,@relay:user@host>`) has commas inside the brackets.
        let near = &rest.as_bytes()[..rest.len().min(LONGEST_ROUTE)];
        let end = match memchr::memchr(b'>', near) {
            Some(close) if rest.starts_with('@') || rest[..close].contains('"') => close,
            _ => end,
        };
        if let Some(address) = bare_address(&rest[..end]) {
            self.draft.address.get_or_insert(address);
        }
        self.at += 1 + end;
    }

    fn word(&mut self) {
        let rest = self.rest();
        let length = words::word_length(rest).unwrap_or_else(|| word_end(rest)).max(1);
        self.draft.push_word(&rest[..length]);
        self.at += length;
    }
}

fn word_end(text: &str) -> usize {
    let ends = |byte| matches!(byte, b' ' | b'\t' | b',' | b';' | b':' | b'<' | b'>' | b'(' | b')' | b'"');
    text.bytes().position(ends).unwrap_or(text.len())
}

/// The length of the comment at the start, nested ones included.
fn comment_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at + 1),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn without_comments(text: &str) -> String {
    let pieces = text.split('(').enumerate();
    let kept = pieces.map(|(index, piece)| match (index, piece.split_once(')')) {
        (1.., Some((_, rest))) => rest,
        _ => piece,
    });
    kept.collect()
}

/// What stands between brackets, without blanks, inner brackets and the route before the colon.
fn bare_address(inside: &str) -> Option<String> {
    let inside = inside.trim().trim_start_matches('<');
    let inside = match inside.split_once(':') {
        Some((route, address)) if route.starts_with('@') || route.eq_ignore_ascii_case("mailto") => address,
        _ => inside,
    };
    let address = match (inside.contains('"'), inside.contains('(')) {
        (true, _) => words::one_line(inside),
        (false, true) => words::without_blanks(&without_comments(inside)),
        (false, false) => words::without_blanks(inside),
    };
    let address = match words::may_hold_encoded_word(&address) {
        true => words::encoded_words(&address).into_owned(),
        false => address,
    };
    (!address.is_empty()).then_some(address)
}

impl<'a> Draft<'a> {
    /// Adds a word; blanks around the dots of an address are obsolete syntax.
    fn push_word(&mut self, word: &'a str) {
        match self.phrase.last_mut() {
            Some(last) if last.contains('@') && (word.starts_with('.') || last.ends_with(['.', '@'])) => {
                last.to_mut().push_str(word);
            }
            _ => self.phrase.push(word.into()),
        }
    }

    fn clear(&mut self) {
        self.phrase.clear();
        self.comment.clear();
        self.address = None;
    }

    /// What was read, and an empty draft for the next one.
    fn take_address(&mut self) -> Option<Address> {
        let address = self.address.take().or_else(|| self.address_among_words());
        let mut name = display_name(&self.phrase.join(" "));
        let comment = display_name(&self.comment);
        let address = match address {
            Some(address) => address,
            // `root (Cron Daemon)`: a local user and a comment.
            None if self.phrase.len() == 1 && !comment.is_empty() => std::mem::take(&mut name),
            None => String::new(),
        };
        if name.is_empty() && !address.is_empty() {
            name = comment;
        }
        self.clear();
        (!name.is_empty() || !address.is_empty()).then_some(Address { name, address })
    }

    /// An address that stands without brackets, also in the disguise of list archives (`ada at example.org`).
    fn address_among_words(&mut self) -> Option<String> {
        if let Some(at) =
            self.phrase.iter().position(|word| word.contains('@') && !words::may_hold_encoded_word(word))
        {
            return bare_address(&self.phrase.remove(at));
        }
        match self.phrase.as_slice() {
            [local, at, domain] if at == "at" && domain.contains('.') => {
                let address = format!("{local}@{domain}");
                self.phrase.clear();
                Some(address)
            }
            _ => None,
        }
    }
}

/// A name without encoded words, line breaks and the single quotes some mailers put around it.
fn display_name(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let name = words::one_line(&words::encoded_words(text));
    let inner = name.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    let inner = inner.or_else(|| name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')));
    inner.map(str::to_owned).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::list;

    fn shown(value: &str) -> String {
        let addresses: Vec<String> = list(value.as_bytes()).iter().map(ToString::to_string).collect();
        addresses.join(" | ")
    }

    #[test]
    fn addresses_are_read_in_every_form() {
        for (value, expected) in [
            ("Ada <ada@example.org>, bob@example.org", "Ada <ada@example.org> | bob@example.org"),
            ("\"Love, Ada\" <ada@example.org>", "Love, Ada <ada@example.org>"),
            ("ada@example.org (Ada (the) Countess)", "Ada (the) Countess <ada@example.org>"),
            ("Friends: ada@a.org, Bob <bob@b.org>;, c@c.org", "ada@a.org | Bob <bob@b.org> | c@c.org"),
            ("undisclosed-recipients:;", ""),
            ("=?utf-8?Q?Ren=C3=A9,_x?= <r@example.org>", "René, x <r@example.org>"),
            ("\"=?utf-8?Q?Ren=C3=A9?=\" <r@example.org>", "René <r@example.org>"),
            ("Ada <ada@example.org", "Ada <ada@example.org>"),
            ("Ada ada@example.org", "Ada <ada@example.org>"),
            ("ada at example.org (Ada L)", "Ada L <ada@example.org>"),
            ("root (Cron Daemon)", "Cron Daemon <root>"),
            ("'ada@example.org' <ada@example.org>", "ada@example.org <ada@example.org>"),
            ("<@relay,@two:ada@example.org>", "ada@example.org"),
            ("\"ada l\"@example.org", "\"ada l\"@example.org"),
            ("O\"Brien <o@example.org>", "O Brien <o@example.org>"),
            ("Ada\r\n Lovelace <ada\r\n @example.org>", "Ada Lovelace <ada@example.org>"),
            ("Only A Name", "Only A Name"),
            ("Ada (oops <ada@example.org>", "Ada oops <ada@example.org>"),
            ("a@b.org; c@d.org", "a@b.org | c@d.org"),
            ("Ada <ada@(home)example.org>, joe@test  . example", "Ada <ada@example.org> | joe@test.example"),
            ("a@b.org (the end), (nobody)", "the end <a@b.org>"),
            ("<>", ""),
        ] {
            assert_eq!(shown(value), expected, "{value}");
        }
    }

    #[test]
    fn hostile_lists_take_linear_time() {
        for piece in ["(", "(()", "\"", "<", ",", "=?", "a:", "<@,", "\\\"("] {
            list(piece.repeat(60_000 / piece.len()).as_bytes());
        }
    }
}
