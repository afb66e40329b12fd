//! What a server says, line by line. Total: a line that makes no sense becomes [`Response::Other`].

use crate::model::UidSet;
use crate::wire::imap::parser::{Parser, Value};
use crate::wire::imap::{mailbox_name, moment};

/// How a command or a connection fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It worked.
    Ok,
    /// It was refused.
    No,
    /// It was not understood.
    Bad,
    /// The server hangs up.
    Bye,
    /// Signed in without being asked.
    PreAuth,
}

/// A code in brackets behind a status, such as `[UIDVALIDITY 3]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Code {
    /// Its name in upper case; empty when there is none.
    pub name: String,
    /// What follows the name.
    pub argument: String,
}

/// A message, as far as it was asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fetched {
    /// Its uid.
    pub uid: Option<u32>,
    /// Its flags, as written.
    pub flags: Option<Vec<String>>,
    /// When the server received it, in seconds since 1970.
    pub internal_epoch: Option<i64>,
    /// Its size in bytes.
    pub size: Option<u64>,
    /// Its header block.
    pub header: Option<Vec<u8>>,
    /// What follows the header block, or a piece of it.
    pub text: Option<Vec<u8>>,
    /// Its bytes, or a piece of them.
    pub body: Option<Vec<u8>>,
    /// Where that piece begins, when the server says so.
    pub body_from: Option<u64>,
    /// X-GM-MSGID.
    pub gmail_message: Option<u64>,
    /// X-GM-THRID.
    pub gmail_thread: Option<u64>,
    /// X-GM-LABELS, decoded.
    pub gmail_labels: Option<Vec<String>>,
}

impl Fetched {
    /// Whether the piece that came can be the one that begins here.
    #[must_use]
    pub fn begins_at(&self, from: usize) -> bool {
        self.body_from.is_none_or(|at| at == from as u64)
    }

    /// Whether its bytes came, and there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.body.as_ref().is_some_and(Vec::is_empty)
    }
}

/// A mailbox as LIST tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Attributes, in lower case.
    pub attributes: Vec<String>,
    /// What separates levels; `None` when there are none.
    pub separator: Option<char>,
    /// Its name as the server writes it.
    pub wire_name: String,
    /// Its name, decoded.
    pub name: String,
}

/// A mailbox as STATUS tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MailboxStatus {
    /// Its name as the server writes it.
    pub wire_name: String,
    /// Messages in it.
    pub messages: Option<u32>,
    /// UIDNEXT.
    pub next_uid: Option<u32>,
    /// UIDVALIDITY.
    pub uidvalidity: Option<u32>,
    /// HIGHESTMODSEQ.
    pub modseq: Option<u64>,
}

/// When messages have gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Since a state that we named.
    Earlier,
    /// Just now.
    Now,
}

/// One response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Response {
    /// The end of a command.
    Done(u32, Status, Code, String),
    /// A status that belongs to no command.
    Status(Status, Code, String),
    /// The server waits for more.
    Continue(String),
    /// What the server can do, in upper case.
    Capability(Vec<String>),
    /// A mailbox.
    List(Listed),
    /// The state of a mailbox.
    MailboxStatus(MailboxStatus),
    /// How many messages the open mailbox has.
    Exists(u32),
    /// A message has gone, by its number.
    Expunge(u32),
    /// Messages have gone, by uid.
    Vanished(When, UidSet),
    /// What was searched for, by uid or number, as it was asked.
    Search(UidSet),
    /// A message.
    Fetch(Box<Fetched>),
    /// It should tell something that we know, and cannot be read.
    Garbled,
    /// Anything else.
    Other,
}

impl Response {
    /// Reads one response whose literals stand behind it, one after the other, by the lengths it announces.
    #[must_use]
    pub fn parse(line: &[u8], mut behind: &[u8]) -> Self {
        let mut literals = Vec::new();
        for announced in line.split(|byte| *byte == b'{').skip(1) {
            let digits: String =
                announced.iter().take_while(|b| b.is_ascii_digit()).map(|b| char::from(*b)).collect();
            let (literal, rest) = behind.split_at(digits.parse().unwrap_or(0).min(behind.len()));
            literals.push(literal.to_vec());
            behind = rest;
        }
        parse(line, literals)
    }
}

/// Reads one response: its line without the line end, literals as `{n}` in their place.
pub(super) fn parse(line: &[u8], literals: Vec<Vec<u8>>) -> Response {
    let mut parser = Parser::new(line, literals);
    match parser.word() {
        "*" => untagged(&mut parser).unwrap_or_else(|| unread(line)),
        "+" => Response::Continue(lossy(parser.rest())),
        tag => tagged(tag, &mut parser).unwrap_or(Response::Other),
    }
}

fn tagged(tag: &str, parser: &mut Parser<'_>) -> Option<Response> {
    let tag = tag.strip_prefix('k')?.parse().ok()?;
    let status = status(parser.word())?;
    let (code, text) = code_and_text(parser.rest());
    Some(Response::Done(tag, status, code, text))
}

/// A response that could not be read: garbled when it begins like one that we know, or like none.
fn unread(line: &[u8]) -> Response {
    let mut parser = Parser::new(line, Vec::new());
    parser.word();
    let (first, second) = (parser.word().to_ascii_uppercase(), parser.word().to_ascii_uppercase());
    let is_known = matches!(first.as_str(), "LIST" | "STATUS" | "VANISHED" | "SEARCH" | "ESEARCH")
        || matches!(second.as_str(), "FETCH" | "EXISTS" | "EXPUNGE");
    let is_word = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_graphic());
    if is_known || !is_word { Response::Garbled } else { Response::Other }
}

fn untagged(parser: &mut Parser<'_>) -> Option<Response> {
    let word = parser.word().to_ascii_uppercase();
    if let Ok(number) = word.parse::<u32>() {
        return numbered(number, parser);
    }
    if let Some(status) = status(&word) {
        let (code, text) = code_and_text(parser.rest());
        return Some(Response::Status(status, code, text));
    }
    match word.as_str() {
        "CAPABILITY" => Some(Response::Capability(words(&lossy(parser.rest())))),
        "LIST" => list(parser),
        "STATUS" => mailbox_status(parser),
        "VANISHED" => vanished(parser),
        "SEARCH" => searched(&lossy(parser.rest())),
        "ESEARCH" => extended_search(&lossy(parser.rest())),
        _ => None,
    }
}

/// What a search found; no answer when one of the numbers cannot be read.
fn searched(found: &str) -> Option<Response> {
    let numbers: Option<Vec<u32>> =
        found.split_ascii_whitespace().map(|uid| uid.parse().ok().filter(|uid| *uid > 0)).collect();
    let mut numbers = numbers?;
    numbers.sort_unstable();
    numbers.dedup();
    Some(Response::Search(UidSet::of_sorted(numbers)))
}

/// `(TAG "k5") UID ALL 1:3,7` (RFC 9051, 7.3.4); without `ALL` nothing was found.
fn extended_search(found: &str) -> Option<Response> {
    let found = found.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or(found, |(_, rest)| rest);
    let mut words = found.split_ascii_whitespace();
    let found = words.find(|word| word.eq_ignore_ascii_case("ALL")).map(|_| words.next());
    match found {
        None => Some(Response::Search(UidSet::default())),
        Some(set) => UidSet::parse(set?).map(Response::Search),
    }
}

fn numbered(number: u32, parser: &mut Parser<'_>) -> Option<Response> {
    match parser.word().to_ascii_uppercase().as_str() {
        "EXISTS" => Some(Response::Exists(number)),
        "EXPUNGE" => Some(Response::Expunge(number)),
        "FETCH" => Some(Response::Fetch(Box::new(fetched(parser.value()?.list()?)))),
        _ => None,
    }
}

fn status(word: &str) -> Option<Status> {
    Some(match word.to_ascii_uppercase().as_str() {
        "OK" => Status::Ok,
        "NO" => Status::No,
        "BAD" => Status::Bad,
        "BYE" => Status::Bye,
        "PREAUTH" => Status::PreAuth,
        _ => return None,
    })
}

fn code_and_text(rest: &[u8]) -> (Code, String) {
    let text = lossy(rest);
    let Some((code, text)) = text.strip_prefix('[').and_then(|inner| inner.split_once(']')) else {
        return (Code::default(), text);
    };
    let (name, argument) = code.split_once(' ').unwrap_or((code, ""));
    let code = Code { name: name.to_ascii_uppercase(), argument: argument.to_owned() };
    (code, text.trim_start().to_owned())
}

pub(super) fn words(text: &str) -> Vec<String> {
    text.split_ascii_whitespace().map(str::to_ascii_uppercase).collect()
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn list(parser: &mut Parser<'_>) -> Option<Response> {
    let attributes =
        parser.value()?.list()?.iter().filter_map(Value::text).map(|a| a.to_lowercase()).collect();
    let separator = parser.value()?.text().and_then(|text| text.chars().next());
    let wire_name = parser.value()?.text()?;
    let name = mailbox_name::decode(wire_name.as_bytes());
    Some(Response::List(Listed { attributes, separator, wire_name, name }))
}

fn mailbox_status(parser: &mut Parser<'_>) -> Option<Response> {
    let mut status = MailboxStatus { wire_name: parser.value()?.text()?, ..MailboxStatus::default() };
    let mut values = parser.value()?.list()?.into_iter();
    while let (Some(name), Some(value)) = (values.next(), values.next()) {
        let small = value.number().and_then(|number| u32::try_from(number).ok());
        match name.text()?.to_ascii_uppercase().as_str() {
            "MESSAGES" => status.messages = small,
            "UIDNEXT" => status.next_uid = small,
            "UIDVALIDITY" => status.uidvalidity = small,
            "HIGHESTMODSEQ" => status.modseq = value.number().filter(|modseq| *modseq > 0),
            _ => {}
        }
    }
    Some(Response::MailboxStatus(status))
}

fn vanished(parser: &mut Parser<'_>) -> Option<Response> {
    let word = parser.word();
    let (when, uids) = match word.eq_ignore_ascii_case("(EARLIER)") {
        true => (When::Earlier, parser.word()),
        false => (When::Now, word),
    };
    UidSet::parse(uids).map(|uids| Response::Vanished(when, uids))
}

fn fetched(values: Vec<Value>) -> Fetched {
    let mut fetched = Fetched::default();
    let mut values = values.into_iter();
    while let (Some(name), Some(value)) = (values.next(), values.next()) {
        let name = name.text().unwrap_or_default().to_ascii_uppercase();
        match name.as_str() {
            "UID" => {
                fetched.uid =
                    value.number().and_then(|number| u32::try_from(number).ok()).filter(|uid| *uid > 0);
            }
            "FLAGS" => fetched.flags = value.list().as_deref().map(texts),
            "INTERNALDATE" => fetched.internal_epoch = value.text().and_then(|text| moment::parse(&text)),
            "RFC822.SIZE" => fetched.size = value.number(),
            "X-GM-MSGID" => fetched.gmail_message = value.number(),
            "X-GM-THRID" => fetched.gmail_thread = value.number(),
            "X-GM-LABELS" => fetched.gmail_labels = value.list().as_deref().map(labels),
            _ if name.starts_with("BODY[]") => {
                fetched.body_from = origin(&name);
                take_body(&mut fetched, value);
            }
            _ if name.starts_with("BODY[HEADER]") => fetched.header = bytes(value),
            _ if name.starts_with("BODY[TEXT]") => fetched.text = bytes(value),
            _ => {}
        }
    }
    fetched
}

/// Where a piece of a message begins: `BODY[]<7>`.
fn origin(name: &str) -> Option<u64> {
    name.split_once('<')?.1.strip_suffix('>')?.parse().ok()
}

fn take_body(fetched: &mut Fetched, value: Value) {
    // NIL is how some servers write an empty message.
    fetched.body = if value == Value::Nil { Some(Vec::new()) } else { bytes(value) };
}

fn bytes(value: Value) -> Option<Vec<u8>> {
    match value {
        Value::Text(bytes) => Some(bytes),
        Value::Atom(text) => Some(text.into_bytes()),
        _ => None,
    }
}

fn texts(values: &[Value]) -> Vec<String> {
    values.iter().filter_map(Value::text).collect()
}

fn labels(values: &[Value]) -> Vec<String> {
    texts(values).iter().map(|label| mailbox_name::decode(label.as_bytes())).collect()
}

#[cfg(test)]
#[path = "response_tests.rs"]
mod tests;
