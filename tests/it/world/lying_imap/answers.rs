//! The honest answers: what a server with these mailboxes says to a command.

use std::fmt::Write;

use super::Mode;
use super::truth::{Folder, Folders, Letter};

/// What a command asks for, as far as lies tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Capability,
    Enable,
    List,
    Status,
    /// SELECT or EXAMINE.
    Open,
    /// The flags of everything.
    Listing,
    /// The flags of what has changed.
    Changes,
    /// The sizes of messages, without their bytes.
    Sizes,
    /// How messages begin.
    Beginnings,
    /// The bytes of messages.
    Bodies,
    Search,
    Logout,
    Other,
}

/// An answer: responses with their literals and line ends, and the line that ends the command.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    pub(crate) lines: Vec<Vec<u8>>,
    pub(crate) end: Vec<u8>,
    /// Responses that come only after the end.
    pub(crate) late: Vec<Vec<u8>>,
    /// Bytes after which the connection is closed; all of it is sent otherwise.
    pub(crate) cut: Option<usize>,
}

impl Answer {
    fn ok(tag: &str) -> Self {
        Self { end: format!("{tag} OK done\r\n").into_bytes(), ..Self::default() }
    }

    fn refused(tag: &str, why: &str) -> Self {
        Self { end: format!("{tag} {why}\r\n").into_bytes(), ..Self::default() }
    }

    fn line(&mut self, text: impl AsRef<[u8]>) {
        self.lines.push([text.as_ref(), b"\r\n"].concat());
    }

    /// All its bytes, in the order in which they are sent.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        [self.lines.concat(), self.end.clone(), self.late.concat()].concat()
    }
}

/// A command, taken apart.
#[derive(Debug, Clone)]
pub(crate) struct Command {
    pub(crate) tag: String,
    pub(crate) kind: Kind,
    /// The command in full.
    pub(crate) text: String,
    /// The mailbox that it is about: named in it, or open.
    pub(crate) mailbox: Option<String>,
}

impl Command {
    pub(crate) fn new(line: &str, open: Option<&str>) -> Self {
        let (tag, text) = line.split_once(' ').unwrap_or((line, ""));
        let kind = kind(text);
        let named = matches!(kind, Kind::Status | Kind::Open).then(|| name(text));
        let mailbox = named.or_else(|| open.map(str::to_owned));
        Self { tag: tag.to_owned(), kind, text: text.to_owned(), mailbox }
    }
}

fn kind(text: &str) -> Kind {
    let upper = text.to_ascii_uppercase();
    match upper.split(' ').next().unwrap_or("") {
        "CAPABILITY" => Kind::Capability,
        "ENABLE" => Kind::Enable,
        "LIST" => Kind::List,
        "STATUS" => Kind::Status,
        "SELECT" | "EXAMINE" => Kind::Open,
        "LOGOUT" => Kind::Logout,
        "UID" if upper.starts_with("UID SEARCH") => Kind::Search,
        "UID" if upper.contains("BODY.PEEK[]") => Kind::Bodies,
        "UID" if upper.contains("BODY.PEEK[HEADER]") => Kind::Beginnings,
        "UID" if upper.contains("CHANGEDSINCE") => Kind::Changes,
        "UID" if upper.contains("RFC822.SIZE") => Kind::Sizes,
        "UID" if upper.starts_with("UID FETCH") => Kind::Listing,
        _ => Kind::Other,
    }
}

/// The name of the mailbox in a command.
fn name(text: &str) -> String {
    let rest = text.split_once(' ').map_or("", |(_, rest)| rest);
    let quoted = rest.strip_prefix('"').and_then(|rest| rest.split_once('"')).map(|(name, _)| name);
    let name = quoted.unwrap_or_else(|| rest.split(' ').next().unwrap_or(""));
    if name.eq_ignore_ascii_case("INBOX") { "INBOX".to_owned() } else { name.to_owned() }
}

/// What the truth is.
pub(crate) fn honest(folders: &Folders, mode: Mode, command: &Command) -> Answer {
    let folder = command.mailbox.as_ref().and_then(|name| folders.get(name));
    match (command.kind, folder) {
        (Kind::Capability, _) => {
            let mut answer = Answer::ok(&command.tag);
            answer.line(format!("* CAPABILITY {}", mode.capabilities()));
            answer
        }
        (Kind::Enable, _) => {
            let mut answer = Answer::ok(&command.tag);
            answer.line("* ENABLED QRESYNC");
            answer
        }
        (Kind::List, _) => list(folders, mode, command),
        (Kind::Status, Some(folder)) => {
            let mut answer = Answer::ok(&command.tag);
            answer.line(status(command.mailbox.as_deref().unwrap_or(""), folder, mode));
            answer
        }
        (Kind::Open, Some(folder)) => open(folder, mode, command),
        (Kind::Search, Some(folder)) => search(folder, command),
        (Kind::Status | Kind::Open | Kind::Search, None) => {
            Answer::refused(&command.tag, "NO [NONEXISTENT] there is no such mailbox")
        }
        (Kind::Logout | Kind::Other, _) => Answer::ok(&command.tag),
        (_, Some(folder)) => fetch(folder, command),
        (_, None) => Answer::refused(&command.tag, "BAD no mailbox is open"),
    }
}

fn list(folders: &Folders, mode: Mode, command: &Command) -> Answer {
    let mut answer = Answer::ok(&command.tag);
    for (name, folder) in folders {
        answer.line(format!("* LIST (\\HasNoChildren {}) \"/\" \"{name}\"", folder.role));
    }
    if command.text.contains("STATUS (") {
        for (name, folder) in folders {
            answer.line(status(name, folder, mode));
        }
    }
    answer
}

fn status(name: &str, folder: &Folder, mode: Mode) -> String {
    let Folder { next_uid, uidvalidity, modseq, .. } = folder;
    let count = folder.letters.len();
    let modseq = if mode == Mode::Plain { String::new() } else { format!(" HIGHESTMODSEQ {modseq}") };
    format!("* STATUS \"{name}\" (MESSAGES {count} UIDNEXT {next_uid} UIDVALIDITY {uidvalidity}{modseq})")
}

fn open(folder: &Folder, mode: Mode, command: &Command) -> Answer {
    let mut answer = Answer::ok(&command.tag);
    answer.end = format!("{} OK [READ-ONLY] done\r\n", command.tag).into_bytes();
    answer.line("* FLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft)");
    answer.line("* OK [PERMANENTFLAGS ()] read-only");
    answer.line(format!("* {} EXISTS", folder.letters.len()));
    answer.line("* 0 RECENT");
    answer.line(format!("* OK [UIDVALIDITY {}] valid", folder.uidvalidity));
    answer.line(format!("* OK [UIDNEXT {}] next", folder.next_uid));
    if mode != Mode::Plain {
        answer.line(format!("* OK [HIGHESTMODSEQ {}] highest", folder.modseq));
    }
    let Some((uidvalidity, since)) = known(&command.text) else { return answer };
    if uidvalidity == folder.uidvalidity {
        let gone = folder.vanished.iter().filter(|(modseq, _)| *modseq > since);
        let gone: Vec<String> = gone.map(|(_, uid)| uid.to_string()).collect();
        if !gone.is_empty() {
            answer.line(format!("* VANISHED (EARLIER) {}", gone.join(",")));
        }
        for (uid, letter) in folder.letters.iter().filter(|(_, letter)| letter.modseq > since) {
            answer.lines.push(fetched(folder, (*uid, letter), "FLAGS MODSEQ"));
        }
    }
    answer
}

/// The UIDVALIDITY and the modseq that a client says it knows (`QRESYNC (9 17)`).
fn known(text: &str) -> Option<(u32, u64)> {
    let inner = text.split_once("QRESYNC (")?.1.split([')', ' ']).collect::<Vec<_>>();
    Some((inner.first()?.parse().ok()?, inner.get(1)?.parse().ok()?))
}

fn search(folder: &Folder, command: &Command) -> Answer {
    let mut answer = Answer::ok(&command.tag);
    let upper = command.text.to_ascii_uppercase();
    let set = upper.split_once("SEARCH ").and_then(|(_, rest)| rest.strip_prefix("UID ")).unwrap_or("1:*");
    let found = folder.named(set.split(' ').next().unwrap_or("1:*"));
    if upper.contains("RETURN (") {
        let all: Vec<String> = found.iter().map(u32::to_string).collect();
        let all = if all.is_empty() { String::new() } else { format!(" ALL {}", all.join(",")) };
        answer.line(format!("* ESEARCH (TAG \"{}\") UID{all}", command.tag));
        return answer;
    }
    answer.line(found.iter().fold("* SEARCH".to_owned(), |line, uid| format!("{line} {uid}")));
    answer
}

fn fetch(folder: &Folder, command: &Command) -> Answer {
    let mut answer = Answer::ok(&command.tag);
    let mut words = command.text.splitn(4, ' ').skip(2);
    let (set, items) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let since = items.split_once("CHANGEDSINCE ").and_then(|(_, rest)| {
        rest.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse::<u64>().ok())
    });
    let items = items.to_ascii_uppercase();
    for uid in folder.named(set) {
        let letter = &folder.letters[&uid];
        if since.is_none_or(|since| letter.modseq > since) {
            answer.lines.push(fetched(folder, (uid, letter), &items));
        }
    }
    answer
}

/// One FETCH response with what was asked for.
pub(crate) fn fetched(folder: &Folder, message: (u32, &Letter), items: &str) -> Vec<u8> {
    let (uid, letter) = message;
    let mut out = format!("* {} FETCH (UID {uid}", folder.number(uid)).into_bytes();
    let mut text = String::new();
    if items.contains("FLAGS") {
        write!(text, " FLAGS ({})", letter.flags).unwrap();
    }
    if items.contains("INTERNALDATE") {
        write!(text, " INTERNALDATE \"02-Mar-2026 10:{:02}:00 +0000\"", letter.bytes.len() % 60).unwrap();
    }
    if items.contains("RFC822.SIZE") {
        write!(text, " RFC822.SIZE {}", letter.bytes.len()).unwrap();
    }
    if items.contains("MODSEQ") || items.contains("CHANGEDSINCE") {
        write!(text, " MODSEQ ({})", letter.modseq).unwrap();
    }
    out.extend_from_slice(text.as_bytes());
    let split = letter.bytes.windows(4).position(|four| four == b"\r\n\r\n").map_or(0, |at| at + 4);
    let (header, body) = letter.bytes.split_at(split);
    if items.contains("BODY.PEEK[HEADER]") {
        literal(&mut out, "BODY[HEADER]", header);
    }
    if items.contains("BODY.PEEK[TEXT]") {
        literal(&mut out, "BODY[TEXT]<0>", &body[..body.len().min(1024)]);
    }
    if let Some((_, rest)) = items.split_once("BODY.PEEK[]") {
        let numbers = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')).map(|(inner, _)| inner);
        let (from, count) = numbers.and_then(|inner| inner.split_once('.')).map_or((0, usize::MAX), |pair| {
            (pair.0.parse().unwrap_or(0), pair.1.parse().unwrap_or(usize::MAX))
        });
        let start = letter.bytes.len().min(from);
        let end = letter.bytes.len().min(start.saturating_add(count));
        let name = if numbers.is_some() { format!("BODY[]<{from}>") } else { "BODY[]".to_owned() };
        literal(&mut out, &name, &letter.bytes[start..end]);
    }
    out.extend_from_slice(b")\r\n");
    out
}

fn literal(out: &mut Vec<u8>, name: &str, bytes: &[u8]) {
    out.extend_from_slice(format!(" {name} {{{}}}\r\n", bytes.len()).as_bytes());
    out.extend_from_slice(bytes);
}
