//! The parts of a report: what is said to people, what is said to machines, and what is sent back of the message.
//! Looks only at the report itself: a bounce that somebody forwards stands inside another message and is not one.

use std::borrow::Cow;

use super::super::charset;
use super::super::tree::{Kind, Part, Tree};
use super::super::visible_text::{self, prefix};
use super::super::words;
use super::delivery_status::{self, Statuses};
use super::{returned, signs};

/// How much of a text is read: explanations are short, and the header of what is returned follows at once.
const MOST_TEXT: usize = 256 << 10;
/// How much of a page is read.
const MOST_PAGE: usize = 512 << 10;

/// What a report consists of.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    /// What is said to people, up to where the returned message begins.
    pub notice: String,
    /// Everything that is said to people, with a message that is returned as text.
    pub text: String,
    /// The header blocks of what is returned.
    pub returned: Vec<String>,
    /// What is returned, where that is a report itself: systems that pass mail on send back what came back to them.
    pub inner: Option<Vec<u8>>,
    /// The fields of message/delivery-status.
    machine: Vec<String>,
    /// Whether there is a part of RFC 5965.
    pub has_complaint: bool,
    /// The fields of a part of RFC 8098.
    receipt: String,
    /// Whether there is one.
    pub has_read_receipt: bool,
}

impl Pieces {
    pub(super) fn of(tree: &Tree<'_>) -> Self {
        let mut pieces = Self::default();
        let mut page = String::new();
        pieces.walk(tree, 0, &mut page);
        if pieces.text.trim().is_empty() && !page.is_empty() {
            pieces.text =
                visible_text::from_html(prefix(&page, MOST_PAGE)).map(|page| page.text).unwrap_or_default();
        }
        pieces.cut_notice();
        pieces
    }

    /// What is said to machines; where the structure is broken it stands in the text.
    pub(super) fn statuses(&self) -> Statuses {
        let read = delivery_status::read(self.machine.iter().map(String::as_str));
        if read.recipients.is_empty() {
            delivery_status::read([self.notice.as_str()].into_iter())
        } else {
            read
        }
    }

    /// Everything that was written into the report, for what stands in the wrong place.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        [&self.text, &self.receipt].into_iter().chain(&self.machine).map(String::as_str)
    }

    /// Whether there is a part that is meant for machines.
    pub(super) fn has_status(&self) -> bool {
        !self.machine.is_empty()
    }

    fn walk(&mut self, tree: &Tree<'_>, index: usize, page: &mut String) {
        let part = &tree.parts[index];
        if part.kind == Kind::Multipart {
            part.children.iter().for_each(|child| self.walk(tree, *child, page));
            return;
        }
        if index > 0 && part.header.first("Message-ID").is_some() {
            self.returned.push(own_header(part));
        }
        match part.content_type.value.as_str() {
            "message/delivery-status" | "message/global-delivery-status" => {
                self.machine.push(decoded(part, MOST_TEXT))
            }
            "message/feedback-report" => self.has_complaint = true,
            "message/disposition-notification" | "message/global-disposition-notification" => {
                self.has_read_receipt = true;
                self.receipt = decoded(part, MOST_TEXT);
            }
            kind if is_returned(kind) => {
                let block = header_block(part);
                self.keep_inner(&block, || bytes_of(part));
                self.returned.push(block);
            }
            "text/html" => page.push_str(&decoded(part, MOST_PAGE)),
            kind if kind.starts_with("text/") || kind.starts_with("multipart/") => {
                self.say(&decoded(part, MOST_TEXT))
            }
            _ => {}
        }
    }

    fn keep_inner<'a>(&mut self, header: &str, whole: impl FnOnce() -> Cow<'a, [u8]>) {
        if self.inner.is_none() && signs::is_titled_report(header.as_bytes()) {
            let whole = whole();
            self.inner = Some(whole[..whole.len().min(MOST_TEXT)].to_vec());
        }
    }

    fn say(&mut self, text: &str) {
        if self.text.len() < MOST_TEXT {
            self.text.push_str(text);
            self.text.push('\n');
        }
    }

    fn cut_notice(&mut self) {
        match returned::start_in(&self.text) {
            Some(start) => {
                self.notice = self.text[..start].to_owned();
                let returned = self.text[start..].to_owned();
                self.keep_inner(&returned, || Cow::Borrowed(returned.as_bytes()));
                self.returned.push(returned);
            }
            None => self.notice = self.text.clone(),
        }
    }
}

/// Whether a part of this type is the message that comes back, or its header.
fn is_returned(kind: &str) -> bool {
    matches!(
        kind,
        "message/rfc822"
            | "message/global"
            | "message/news"
            | "message/partial"
            | "message/rfc822-headers"
            | "message/global-headers"
            | "text/rfc822"
            | "text/rfc822-headers"
            | "text/rfc822-header"
    )
}

/// The header of a returned message, up to the blank line: what stands behind it is the person's own text.
fn header_block(part: &Part<'_>) -> String {
    let bytes = bytes_of(part);
    let start = bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let block = &bytes[start..bytes.len().min(start + MOST_TEXT)];
    let ends =
        ["\n\n", "\n\r\n"].into_iter().filter_map(|end| memchr::memmem::find(block, end.as_bytes())).min();
    charset::decode_unlabelled(&block[..ends.unwrap_or(block.len())]).into_owned()
}

/// A returned message that was put where a part belongs: its header is the part's.
fn own_header(part: &Part<'_>) -> String {
    let field = |name: &str| {
        let value = part.header.first(name).map(charset::decode_unlabelled)?;
        Some(format!("{name}: {}\n", words::unfolded(value.trim())))
    };
    ["Message-ID", "To", "Cc"].into_iter().filter_map(field).collect()
}

fn bytes_of<'a>(part: &Part<'a>) -> Cow<'a, [u8]> {
    if part.kind == Kind::Leaf { part.transfer.decode(part.body).bytes } else { Cow::Borrowed(part.body) }
}

/// The text of a part with line feeds, up to `most` bytes.
fn decoded(part: &Part<'_>, most: usize) -> String {
    let bytes = bytes_of(part);
    let name = part.content_type.decoded("charset");
    let text = charset::decode(&bytes[..bytes.len().min(most)], name.as_deref()).text;
    text.replace("\r\n", "\n").replace('\r', "\n")
}
