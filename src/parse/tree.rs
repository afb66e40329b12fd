//! The MIME structure of a message: one pass over its lines, with bounded depth and number of parts.
//! Owns boundaries and IMAP part numbers; refuses to decode anything but what tells the structure.

use crate::model::Defect;

use super::agreement::{self, Doubt};
use super::header::{Header, Owner, end_of_line};
use super::parameters::Parametered;
use super::transfer::Transfer;

/// How many multiparts and messages may stand inside each other.
pub(super) const MAX_DEPTH: usize = 50;
/// How many messages may stand inside each other; each is hashed whole, so fewer than [`MAX_DEPTH`].
const MAX_MESSAGES: usize = 10;
/// How many parts of a message are listed.
pub(super) const MAX_PARTS: usize = 1000;

/// What a part is to the structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Content of its own.
    Leaf,
    /// A multipart; its children follow.
    Multipart,
    /// A message inside the message, not encoded; its root follows as the only child.
    Message,
}

/// One node of the structure.
#[derive(Debug)]
pub(super) struct Part<'a> {
    /// IMAP part number; empty for a multipart at the root.
    pub number: String,
    pub kind: Kind,
    pub header: Header<'a>,
    pub content_type: Parametered,
    pub transfer: Transfer,
    /// The bytes behind the header, still encoded.
    pub body: &'a [u8],
    /// Indices of the parts directly inside.
    pub children: Vec<usize>,
    /// Whether it only serves another part of a multipart/related, or stands inside such a one.
    pub is_resource: bool,
    /// What programs may read differently in it.
    pub doubt: Doubt,
    start: usize,
    /// Whether it is the root of a message, which has no number of its own while it is a multipart.
    is_root: bool,
}

/// The parts of a message; the first is its root.
#[derive(Debug, Default)]
pub(super) struct Tree<'a> {
    pub parts: Vec<Part<'a>>,
    pub defects: Vec<Defect>,
}

/// A part whose end has not been seen.
struct Open {
    part: usize,
    /// Set for a multipart that has not been closed.
    boundary: Option<Vec<u8>>,
}

/// Where in the structure a tree stands that does not start at the message itself.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TreePosition<'p> {
    /// Part number of the message around it; empty for none.
    pub number: &'p str,
    /// How many levels stand around it.
    pub depth: usize,
    /// How many of them are messages.
    pub messages: usize,
}

impl TreePosition<'_> {
    /// Whether a message here may hold another one.
    pub(super) fn may_hold_message(self) -> bool {
        self.depth < MAX_DEPTH && self.messages < MAX_MESSAGES
    }
}

/// Reads the structure of a message.
pub(super) fn read<'a>(bytes: &'a [u8], place: TreePosition<'_>) -> Tree<'a> {
    let mut reader = Reader {
        bytes,
        depth: place.depth,
        messages: place.messages,
        open: Vec::new(),
        tree: Tree::default(),
    };
    reader.run(place.number);
    reader.tree.mark_resources();
    reader.tree
}

impl Tree<'_> {
    /// Marks all but the root of each multipart/related, and what stands inside them. Parts come before their children.
    fn mark_resources(&mut self) {
        for index in 0..self.parts.len() {
            let part = &self.parts[index];
            let is_related = part.kind == Kind::Multipart && part.content_type.value == "multipart/related";
            let root = if is_related { self.root_of(part) } else { None };
            if !is_related && !part.is_resource {
                continue;
            }
            let (inherited, children) = (part.is_resource, part.children.clone());
            for child in children {
                self.parts[child].is_resource = inherited || Some(child) != root;
            }
        }
    }

    /// The part that `start` names, else the first one that can be shown (RFC 2387, 3.2: the first one).
    fn root_of(&self, related: &Part<'_>) -> Option<usize> {
        let named = related.content_type.decoded("start").and_then(|start| {
            let is_start = |child: &&usize| {
                let id = self.parts[**child].header.first("Content-ID");
                id.is_some_and(|id| bare_id(id) == bare_id(start.as_bytes()))
            };
            related.children.iter().find(is_start)
        });
        let shows = |child: &&usize| {
            let kind = &self.parts[**child].content_type.value;
            ["text/", "multipart/", "message/"].iter().any(|family| kind.starts_with(family))
        };
        named.or_else(|| related.children.iter().find(shows)).or(related.children.first()).copied()
    }
}

fn bare_id(id: &[u8]) -> &[u8] {
    let id = id.trim_ascii();
    let id = id.strip_prefix(b"<").unwrap_or(id);
    id.strip_suffix(b">").unwrap_or(id)
}

struct Reader<'a> {
    bytes: &'a [u8],
    depth: usize,
    messages: usize,
    open: Vec<Open>,
    tree: Tree<'a>,
}

/// What a line with a known boundary does.
struct Delimiter {
    /// Position in the stack of open parts.
    level: usize,
    closes: bool,
}

impl<'a> Reader<'a> {
    fn run(&mut self, number: &str) {
        let mut at = self.start_message(0, number);
        while self.open.iter().any(|open| open.boundary.is_some()) {
            let Some((line_start, line_end, delimiter)) = self.next_delimiter(at) else {
                self.note(Defect::Boundary);
                break;
            };
            self.close_down_to(delimiter.level + 1, line_start);
            at = line_end;
            if delimiter.closes {
                self.close_down_to(delimiter.level, line_start);
            } else if self.tree.parts.len() < MAX_PARTS {
                at = self.start_child(line_end, delimiter.level);
            } else {
                self.note(Defect::TooManyParts);
                self.close_down_to(0, line_start);
            }
        }
        self.close_down_to(0, self.bytes.len());
    }

    fn note(&mut self, defect: Defect) {
        if !self.tree.defects.contains(&defect) {
            self.tree.defects.push(defect);
        }
    }

    /// Starts a message's root; `number` is that of the message part around it. Returns where its body starts.
    fn start_message(&mut self, at: usize, number: &str) -> usize {
        let header = self.header(at, Owner::Message);
        let content_type = content_type(&header, "text/plain");
        let number = match content_type.value.starts_with("multipart/") {
            true => number.to_owned(),
            false => joined(number, 1),
        };
        self.start(at, number, header, content_type)
    }

    fn start_child(&mut self, at: usize, level: usize) -> usize {
        let parent = &self.tree.parts[self.open[level].part];
        let number = joined(&parent.number, parent.children.len() + 1);
        let default = match parent.content_type.value.as_str() {
            "multipart/digest" => "message/rfc822",
            _ => "text/plain",
        };
        let header = self.header(at, Owner::Part);
        let content_type = content_type(&header, default);
        self.start(at, number, header, content_type)
    }

    fn header(&mut self, at: usize, owner: Owner) -> Header<'a> {
        let open = &self.open;
        let header = Header::read(&self.bytes[at..], owner, |line| delimiter_in(open, line).is_some());
        if header.too_long {
            self.note(Defect::HeaderTooLong);
        }
        header
    }

    fn start(&mut self, at: usize, number: String, header: Header<'a>, content_type: Parametered) -> usize {
        let start = at + header.body_start;
        let transfer = header.first("Content-Transfer-Encoding").map_or(Transfer::Identity, Transfer::named);
        let doubt = agreement::doubt(&header, &content_type);
        let boundary = self.boundary_of(&header, &content_type);
        let doubt = if self.is_twin(boundary.as_deref()) { Doubt::Whole } else { doubt };
        let kind = match boundary {
            Some(_) => Kind::Multipart,
            None if self.holds_message(&content_type, transfer) => Kind::Message,
            None => Kind::Leaf,
        };
        let part = self.tree.parts.len();
        let parent_kind = self.open.last().map(|open| self.tree.parts[open.part].kind);
        let is_root = parent_kind.is_none_or(|kind| kind == Kind::Message);
        if let Some(parent) = self.open.last() {
            self.tree.parts[parent.part].children.push(part);
        }
        let inner_number = number.clone();
        self.tree.parts.push(Part {
            number,
            kind,
            header,
            content_type,
            transfer,
            body: &[],
            children: Vec::new(),
            is_resource: false,
            doubt,
            start,
            is_root,
        });
        self.open.push(Open { part, boundary });
        match kind {
            Kind::Message => self.start_message(start, &inner_number),
            _ => start,
        }
    }

    fn may_nest(&mut self) -> bool {
        let fits = self.depth + self.open.len() < MAX_DEPTH && self.tree.parts.len() < MAX_PARTS;
        if !fits {
            self.note(Defect::TooDeep);
        }
        fits
    }

    /// The boundary as it stands. Where programs may take another one, they see other parts, so that there is none.
    fn boundary_of(&mut self, header: &Header<'_>, content_type: &Parametered) -> Option<Vec<u8>> {
        if !content_type.value.starts_with("multipart/") {
            return None;
        }
        let boundary = content_type.plain("boundary").unwrap_or_default().trim_end().as_bytes().to_vec();
        let raw = header.first("Content-Type").unwrap_or_default();
        if boundary.is_empty() || !agreement::is_plain_boundary(raw, &boundary) {
            self.note(Defect::Boundary);
            return None;
        }
        self.may_nest().then_some(boundary)
    }

    /// Whether a boundary is that of a part around it, which is then in doubt too: which of them a line ends, programs
    /// decide differently.
    fn is_twin(&mut self, boundary: Option<&[u8]>) -> bool {
        let twin = self.open.iter().find(|open| boundary.is_some() && open.boundary.as_deref() == boundary);
        let Some(part) = twin.map(|open| open.part) else { return false };
        self.tree.parts[part].doubt = Doubt::Whole;
        true
    }

    fn holds_message(&mut self, content_type: &Parametered, transfer: Transfer) -> bool {
        let plain = matches!(transfer, Transfer::Identity | Transfer::Unknown);
        if !is_message(&content_type.value) || !plain {
            return false;
        }
        let kind_of = |open: &&Open| self.tree.parts[open.part].kind;
        let around = self.open.iter().filter(|open| kind_of(open) == Kind::Message).count();
        if self.messages + around >= MAX_MESSAGES {
            self.note(Defect::TooDeep);
            return false;
        }
        self.may_nest()
    }

    /// The next line that carries the boundary of an open multipart.
    fn next_delimiter(&self, from: usize) -> Option<(usize, usize, Delimiter)> {
        let mut at = from;
        while at < self.bytes.len() {
            if self.bytes[at..].starts_with(b"--") {
                let end = end_of_line(self.bytes, at);
                if let Some(delimiter) = delimiter_in(&self.open, &self.bytes[at..end]) {
                    return Some((at, end, delimiter));
                }
                at = end;
            } else {
                at = end_of_line(self.bytes, at);
            }
        }
        None
    }

    /// Ends every open part from this level of the stack upwards before the line at `end`.
    fn close_down_to(&mut self, level: usize, end: usize) {
        let end = before_line_end(self.bytes, end);
        while self.open.len() > level
            && let Some(Open { part, .. }) = self.open.pop()
        {
            let part = &mut self.tree.parts[part];
            part.body = self.bytes.get(part.start..end).unwrap_or_default();
            let is_hollow = part.kind == Kind::Multipart && part.children.is_empty();
            if is_hollow {
                part.kind = Kind::Leaf;
            }
            if part.is_root && part.kind == Kind::Leaf && part.content_type.value.starts_with("multipart/") {
                part.number = joined(&part.number, 1);
            }
            if is_hollow {
                self.note(Defect::Boundary);
            }
        }
    }
}

/// The line break before a boundary belongs to the boundary; the end of the message does not lose its own.
fn before_line_end(bytes: &[u8], end: usize) -> usize {
    if end == bytes.len() {
        return end;
    }
    match &bytes[..end] {
        [.., b'\r', b'\n'] => end - 2,
        [.., b'\n'] => end - 1,
        _ => end,
    }
}

/// Looks the line up among the open boundaries, innermost first; exact lines win over closing ones with a tail.
fn delimiter_in(open: &[Open], line: &[u8]) -> Option<Delimiter> {
    let text = line.strip_prefix(b"--")?.trim_ascii_end();
    let found = |test: fn(&[u8]) -> Option<bool>| {
        open.iter().enumerate().rev().find_map(|(level, open)| {
            let tail = text.strip_prefix(open.boundary.as_deref()?)?;
            test(tail).map(|closes| Delimiter { level, closes })
        })
    };
    let exact = |tail: &[u8]| match tail {
        b"" => Some(false),
        b"--" => Some(true),
        _ => None,
    };
    found(exact).or_else(|| found(|tail| tail.starts_with(b"--").then_some(true)))
}

fn joined(prefix: &str, index: usize) -> String {
    match prefix {
        "" => index.to_string(),
        _ => format!("{prefix}.{index}"),
    }
}

/// Whether this media type is a whole message.
pub(super) fn is_message(content_type: &str) -> bool {
    matches!(content_type, "message/rfc822" | "message/global" | "message/news")
}

fn content_type(header: &Header<'_>, default: &str) -> Parametered {
    let mut field = header.first("Content-Type").map(Parametered::read).unwrap_or_default();
    if field.value.is_empty() || !field.value.contains('/') {
        field.value = match field.value.as_str() {
            "text" => "text/plain",
            "html" => "text/html",
            _ => default,
        }
        .to_owned();
    }
    field
}

#[cfg(test)]
mod tests {
    use super::{Kind, MAX_DEPTH, MAX_PARTS, Tree, TreePosition, read};
    use crate::model::Defect;

    fn outline(text: &str) -> Vec<String> {
        let tree: Tree<'_> = read(text.as_bytes(), TreePosition::default());
        let show = |part: &super::Part<'_>| {
            let body = match part.kind {
                Kind::Leaf => String::from_utf8_lossy(part.body).into_owned(),
                _ => String::new(),
            };
            format!("{} {} {body}", part.number, part.content_type.value).trim().to_owned()
        };
        tree.parts.iter().map(show).collect()
    }

    #[test]
    fn parts_are_numbered_as_imap_does() {
        let text = "Content-Type: multipart/mixed; boundary=o\n\npreamble\n--o\n\none\n--o\n\
            Content-Type: message/rfc822\n\nContent-Type: multipart/mixed; boundary=i\n\n--i\n\ntwo\n--i--\nx\n--o\n\
            Content-Type: message/rfc822\n\nSubject: s\n\nthree\n--o--\nepilogue";
        assert_eq!(
            outline(text),
            [
                "multipart/mixed",
                "1 text/plain one",
                "2 message/rfc822",
                "2 multipart/mixed",
                "2.1 text/plain two",
                "3 message/rfc822",
                "3.1 text/plain three",
            ]
        );
        assert_eq!(outline("\n\nx"), ["1 text/plain x"]);
    }

    #[test]
    fn boundaries_that_are_prefixes_or_twins_keep_apart() {
        let text = "Content-Type: multipart/mixed; boundary=\"b--\"\n\n--b--\n\
            Content-Type: multipart/mixed; boundary=b\n\n--b\n\nin\n--b--x\n\n--b----\n";
        assert_eq!(outline(text).len(), 3);
        let twins = "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/mixed; boundary=b\n\n\
            --b\n\nin\n--b--\n--b\n\nout\n--b--\n";
        assert_eq!(outline(twins).last().unwrap(), "2 text/plain out");
    }

    #[test]
    fn a_multipart_without_parts_is_a_leaf() {
        let text = "Content-Type: multipart/mixed; boundary=b\n\nno parts";
        assert_eq!(outline(text), ["1 multipart/mixed no parts"]);
        assert_eq!(outline("Content-Type: multipart/mixed\n\nx"), ["1 multipart/mixed x"]);
        assert_eq!(read(text.as_bytes(), TreePosition::default()).defects, [Defect::Boundary]);
    }

    #[test]
    fn a_part_header_ends_at_a_boundary() {
        let text =
            "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n--b\n\nx\n--b--";
        assert_eq!(outline(text)[1..], ["1 text/html", "2 text/plain x"]);
    }

    #[test]
    fn depth_and_number_of_parts_are_bounded() {
        let deep: String = (0..10_000)
            .map(|level| format!("Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n"))
            .collect();
        let many = format!("Content-Type: multipart/mixed; boundary=b\n\n{}", "--b\n\nx\n".repeat(100_000));
        let matryoshka = "Content-Type: message/rfc822\n\n".repeat(10_000);

        let (deep, many) =
            (read(deep.as_bytes(), TreePosition::default()), read(many.as_bytes(), TreePosition::default()));
        let matryoshka = read(matryoshka.as_bytes(), TreePosition::default());

        assert!(deep.parts.len() <= MAX_DEPTH + 1 && deep.defects.contains(&Defect::TooDeep));
        assert!(many.parts.len() <= MAX_PARTS && many.defects.contains(&Defect::TooManyParts));
        assert!(matryoshka.parts.len() <= MAX_DEPTH + 1 && matryoshka.defects.contains(&Defect::TooDeep));
    }
}
