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
    Scanner::new(&brackets(&text)).run()
}

/// Reads the value of From, which names one sender as a rule: names in front of the only address belong to it, however
/// many commas are between them.
pub(super) fn senders(value: &[u8]) -> Vec<Address> {
    let mut list = list(value);
    let is_name = |address: &Address| address.address.is_empty();
    let Some(first) = list.iter().position(|address| !is_name(address)) else { return list };
    if first == 0 || !list[first + 1..].iter().all(is_name) {
        return list;
    }
    let names: Vec<String> = list.drain(..first).map(|address| address.name).collect();
    let own = Some(std::mem::take(&mut list[0].name)).filter(|name| !name.is_empty());
    list[0].name = names.into_iter().chain(own).collect::<Vec<_>>().join(", ");
    list
}

/// A text whose brackets were written for a web page has them as brackets.
fn brackets(text: &str) -> Cow<'_, str> {
    if text.contains("&lt;") && text.contains("&gt;") {
        return text.replace("&lt;", "<").replace("&gt;", ">").into();
    }
    text.into()
}

/// What has been read of one address.
#[derive(Default)]
struct Draft<'a> {
    /// Words outside brackets, as written; quoted strings without quotes.
    phrase: Vec<Cow<'a, str>>,
    comment: String,
    address: Option<String>,
    is_quoted: bool,
}

/// What is known of the parentheses ahead; each doubt is looked into once, so that time stays linear.
enum Parentheses {
    Pair,
    Close,
    NeverClose,
}

/// How far a closing bracket may be from its opening one when there are commas between them.
const LONGEST_ROUTE: usize = 1000;
/// How many commas a name may have that should have been quoted; more of them make a list of names.
const COMMAS_IN_NAME: usize = 3;

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    draft: Draft<'a>,
    addresses: Vec<Address>,
    /// Names that a comma ended and that had no address: the next brackets may be theirs.
    waiting: Vec<String>,
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
            waiting: Vec::new(),
            parentheses: Parentheses::Pair,
            unclosed: false,
        }
    }

    fn run(mut self) -> Vec<Address> {
        while let Some(&byte) = self.text.as_bytes().get(self.at) {
            match byte {
                b',' => self.comma(),
                b';' => self.finish_address(),
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

    /// A comma ends an address, unless it stands in a name that should have been quoted (`Berg, Ada <ada@x>`).
    fn comma(&mut self) {
        let is_name = self.draft.has_only_a_name() && self.waiting.len() < COMMAS_IN_NAME;
        if self.draft.is_empty() {
            self.at += 1;
        } else if is_name && (!self.draft.is_quoted || !self.has_name_ahead()) {
            self.at += 1;
            self.waiting.extend(self.draft.take_address().map(|address| address.name));
        } else {
            self.finish_address();
        }
    }

    /// Whether a name and not a bracket follows the comma here.
    fn has_name_ahead(&self) -> bool {
        !self.rest()[1..].trim_start_matches([' ', '\t']).starts_with('<')
    }

    fn finish_address(&mut self) {
        self.at += 1;
        let (is_whole, is_quoted) = (self.draft.address.is_some(), self.draft.is_quoted);
        let address = self.draft.take_address();
        let mut names = std::mem::take(&mut self.waiting);
        match address {
            Some(address) if is_whole && !names.is_empty() && !is_quoted => {
                names.extend(Some(address.name).filter(|name| !name.is_empty()));
                self.addresses.push(Address { name: names.join(", "), address: address.address });
            }
            other => self.addresses.extend(names.into_iter().map(|name| Address::new(name, "")).chain(other)),
        }
    }

    /// A colon ends a group's name, which we do not keep, unless it stands in a link (`Ada [mailto:ada@x]`).
    fn start_group(&mut self) {
        let is_link = |word: &Cow<'_, str>| word.trim_start_matches(OPENING).eq_ignore_ascii_case("mailto");
        if self.draft.phrase.last().is_some_and(is_link) {
            self.draft.phrase.pop();
            self.at += 1;
            return;
        }
        self.draft.clear();
        self.finish_address();
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
            false => {
                self.draft.is_quoted = true;
                self.draft.phrase.push(content.into());
            }
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
        let near = &rest.as_bytes()[..rest.len().min(LONGEST_ROUTE)];
        let closed = memchr::memchr(b'>', near).filter(|close| is_one_bracket(&rest[..*close]));
        let end = closed.or_else(|| memchr::memchr3(b'>', b',', b';', rest.as_bytes())).unwrap_or(rest.len());
        if let Some(words) = name_inside(&rest[..end]) {
            self.draft.phrase.extend(words.map(Cow::from));
            self.at = self.text.len() - rest.len() + end;
            return;
        }
        let mut found = pieces_inside(&rest[..end]).into_iter().filter_map(bare_address);
        if let Some(address) = found.next() {
            self.draft.address.get_or_insert(address);
        }
        for address in found {
            self.finish_address();
            self.draft.address = Some(address);
        }
        self.at = self.text.len() - rest.len() + end;
    }

    fn word(&mut self) {
        let rest = self.rest();
        let encoded = words::word_length(rest);
        let length = encoded.unwrap_or_else(|| word_end(rest)).max(1);
        let is_local_part = encoded.is_some() && rest[length..].starts_with('@');
        if is_local_part && self.draft.address.is_none() {
            let length = length + word_end(&rest[length..]);
            self.draft.address = bare_address(&rest[..length]);
            self.at += length;
            return;
        }
        self.draft.push_word(&rest[..length]);
        self.at += length;
    }
}

/// Whether what stands before a closing bracket is one bracket's content, however odd, and not one that was never
/// closed and the addresses behind it. A route (`<@relay,@relay:user@host>`) has commas, too.
fn is_one_bracket(inside: &str) -> bool {
    let is_odd = inside.starts_with('@') || inside.contains('"');
    is_odd || !inside.contains('<') || !inside.contains([',', ';'])
}

/// What stands between brackets: as a rule one address, also where it holds a comma or brackets of its own; several
/// where each piece is one.
fn pieces_inside(inside: &str) -> Vec<&str> {
    if !inside.contains(['<', ',', ';']) || inside.trim_start().starts_with('@') || inside.contains('"') {
        return vec![inside];
    }
    let inside = match inside.rsplit_once('<') {
        Some((before, last)) if before.contains('@') && !last.contains('@') => before,
        Some((_, last)) => last,
        None => inside,
    };
    let pieces = || inside.split([',', ';']).map(str::trim).filter(|piece| !piece.is_empty());
    let is_name = |piece: &str| !piece.contains('@');
    if pieces().any(|piece| is_name(piece) && !piece.contains(' ')) {
        return vec![inside];
    }
    pieces().filter(|piece| !is_name(piece)).collect()
}

/// The words between brackets that hold a name: several of them, and no address in any disguise.
fn name_inside(inside: &str) -> Option<impl Iterator<Item = &str>> {
    let words = || inside.split_whitespace();
    let is_name = words().count() > 1
        && !inside.contains(['@', ':', '"'])
        && !words::may_hold_encoded_word(inside)
        && disguised(&words().collect::<Vec<_>>()).is_none();
    is_name.then(words)
}

/// The address in `ada at example.org`, as archives of lists write it.
fn disguised(words: &[impl AsRef<str>]) -> Option<String> {
    match words {
        [local, at, domain] if at.as_ref() == "at" && domain.as_ref().contains('.') => {
            Some(format!("{}@{}", local.as_ref(), domain.as_ref()))
        }
        _ => None,
    }
}

/// What some writers put around an address in the place of brackets.
const OPENING: [char; 8] = ['[', '{', '\'', '*', '\u{ff1c}', '\u{ab}', '\u{2039}', '|'];
const CLOSING: [char; 8] = [']', '}', '\'', '*', '\u{ff1e}', '\u{bb}', '\u{203a}', '|'];

/// An address without what was put around it; one at a number in brackets keeps them (`ada@[192.0.2.1]`).
fn unwrapped(word: &str) -> &str {
    let word = word.trim_start_matches(OPENING);
    if word.contains("@[") { word } else { word.trim_end_matches(CLOSING) }
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
    if let Some(address) = disguised(&inside.split_whitespace().collect::<Vec<_>>()) {
        return Some(address);
    }
    let inside = unquoted(inside);
    let inside = match inside.split_once(':') {
        Some((route, address)) if route.starts_with('@') || route.eq_ignore_ascii_case("mailto") => address,
        _ => inside,
    };
    let address = match (inside.contains('"'), inside.contains('(')) {
        (true, _) => words::one_line(inside),
        (false, true) => words::without_blanks(&without_comments(inside)),
        (false, false) => words::without_blanks(inside),
    };
    let address = if words::may_hold_encoded_word(&address) { decoded_address(address) } else { address };
    (!address.is_empty()).then_some(address)
}

/// An address without quotes around all of it, which belong around its local part at most.
fn unquoted(address: &str) -> &str {
    let inner = address.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.filter(|inner| inner.contains('@') && !inner.contains(['"', '\\'])).unwrap_or(address)
}

/// An address with encoded words, which RFC 2047 forbids and mailers send. It stays as it is where it would decode to
/// what an address cannot be: `=?utf-8?Q?ceo=40bank.example=3E?=@evil.example` must not look like the bank's.
fn decoded_address(address: String) -> String {
    let decoded = words::one_line(&words::encoded_words(&address));
    let is_foreign = |c: char| c.is_whitespace() || c.is_control() || "<>()[],;:\"\\".contains(c);
    match decoded.matches('@').count() <= 1 && !decoded.contains(is_foreign) {
        true => decoded,
        false => address,
    }
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
        self.is_quoted = false;
    }

    fn is_empty(&self) -> bool {
        self.phrase.is_empty() && self.comment.is_empty() && self.address.is_none()
    }

    /// Whether there are words, none of which is or names an address.
    fn has_only_a_name(&self) -> bool {
        let names_one = |word: &Cow<'_, str>| word.contains('@') && !words::may_hold_encoded_word(word);
        let is_disguised = disguised(&self.phrase).is_some();
        let is_local_user = self.phrase.len() == 1 && !self.comment.is_empty();
        self.address.is_none()
            && !self.phrase.is_empty()
            && !is_disguised
            && !is_local_user
            && !self.phrase.iter().any(names_one)
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
            return bare_address(unwrapped(&self.phrase.remove(at)));
        }
        let address = disguised(&self.phrase)?;
        self.phrase.clear();
        Some(address)
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
            ("UPS, <ups@example.org>", "UPS <ups@example.org>"),
            ("\"UPS\", <ups@example.org>", "UPS <ups@example.org>"),
            (
                "Berg, Ada <ada@x.org>, Curie, Marie, Dr. <m@x.org>",
                "Berg, Ada <ada@x.org> | Curie, Marie, Dr. <m@x.org>",
            ),
            ("=?utf-8?Q?Berg?=, =?utf-8?Q?Ad=C3=A4?= <a@x.org>", "Berg, Adä <a@x.org>"),
            ("\"Ada Berg\", \"Bob\" <bob@x.org>", "Ada Berg | Bob <bob@x.org>"),
            ("root, daemon, ada@x.org", "root | daemon | ada@x.org"),
            ("ada, bob, carl, dan, Eve <eve@x.org>", "ada | bob | carl | dan | Eve <eve@x.org>"),
            ("a@x.org, Bob <b@x.org>", "a@x.org | Bob <b@x.org>"),
            ("Ada <ada,berg@x.org>", "Ada <ada,berg@x.org>"),
            ("Ada <ada@x.org, bob@x.org>, c@x.org", "Ada <ada@x.org> | bob@x.org | c@x.org"),
            ("Ada <Berg, Ada B, ada@x.org>", "Ada <Berg,AdaB,ada@x.org>"),
            ("Ada <Ada Berg, ada@x.org>", "Ada <ada@x.org>"),
            ("Ada <ada@x.org, Bob <bob@x.org>", "Ada <ada@x.org> | Bob <bob@x.org>"),
            ("Ada <<ada@x.org>>", "Ada <ada@x.org>"),
            ("Ada <Ada Berg <ada@x.org>>", "Ada <ada@x.org>"),
            ("Ada <ada@x.org <ada>", "Ada <ada@x.org>"),
            ("=?utf-8?Q?ad=C3=A4?=@x.org", "adä@x.org"),
            ("Ada <=?utf-8?Q?ad=C3=A4?=@x.org>", "Ada <adä@x.org>"),
            ("<=?utf-8?Q?ada=40x.org?=>", "ada@x.org"),
            ("=?utf-8?Q?ceo=40bank.org=3E?=@evil.org", "=?utf-8?Q?ceo=40bank.org=3E?=@evil.org"),
        ] {
            assert_eq!(shown(value), expected, "{value}");
        }
    }

    #[test]
    fn a_sender_is_found_however_the_field_is_broken() {
        let shown = |value: &str| {
            let list: Vec<String> =
                super::senders(value.as_bytes()).iter().map(ToString::to_string).collect();
            list.join(" | ")
        };
        for (value, expected) in [
            ("UPS, <info@ml.example>", "UPS <info@ml.example>"),
            ("Foo,Bar,<x@y.org>", "Foo, Bar <x@y.org>"),
            ("a, b <x@y.org>", "a, b <x@y.org>"),
            ("a, b, c, d, e, f <x@y.org>", "a, b, c, d, e, f <x@y.org>"),
            ("\"Sales\", \"Support\" <x@y.org>", "Sales, Support <x@y.org>"),
            ("Foo; Bar <x@y.org>", "Foo, Bar <x@y.org>"),
            ("Foo Bar <foo@x.org>, Baz", "Foo Bar <foo@x.org> | Baz"),
            ("a@x.org, Bob <b@x.org>", "a@x.org | Bob <b@x.org>"),
            ("<Foo Bar> foo@x.org", "Foo Bar <foo@x.org>"),
            ("Foo <Foo Bar>", "Foo Foo Bar"),
            ("\"Foo\" <\"foo@x.org\">", "Foo <foo@x.org>"),
            ("Foo [mailto:foo@x.org]", "Foo <foo@x.org>"),
            ("Foo mailto:foo@x.org", "Foo <foo@x.org>"),
            ("Foo <foo at x.org>", "Foo <foo@x.org>"),
            ("Foo &lt;foo@x.org&gt;", "Foo <foo@x.org>"),
            ("Foo [foo@x.org]", "Foo <foo@x.org>"),
            ("Foo \u{ff1c}foo@x.org\u{ff1e}", "Foo <foo@x.org>"),
            ("'foo@x.org'", "foo@x.org"),
            ("ada@[192.0.2.1]", "ada@[192.0.2.1]"),
            ("Foo foo@x.org>", "Foo <foo@x.org>"),
            ("foo@x.org <>", "foo@x.org"),
            ("\"foo@x.org\"", "foo@x.org"),
            ("<x@y.org> Foo", "Foo <x@y.org>"),
            ("x@y.org Foo", "Foo <x@y.org>"),
            ("Only, Names", "Only | Names"),
            ("Team: Bar <x@y.org>", "Bar <x@y.org>"),
            ("", ""),
            ("<>", ""),
            (",,;", ""),
        ] {
            assert_eq!(shown(value), expected, "{value}");
        }
    }

    #[test]
    fn hostile_lists_take_linear_time() {
        for piece in [
            "(",
            "(()",
            "\"",
            "<",
            ",",
            "=?",
            "a:",
            "<@,",
            "\\\"(",
            "<a,",
            "a,",
            "<a@b,c@d,",
            "=?a?q?b?=@",
            "\"a\", ",
            "mailto:",
            "<a b>",
            "&lt;a&gt;",
        ] {
            list(piece.repeat(60_000 / piece.len()).as_bytes());
        }
    }
}
