//! Body text and attachments out of a message's structure: which parts a reader shows, in what order, and
//! what the others are. Refuses to hash what is only body text.

use std::borrow::Cow;

use crate::model::{Attachment, ContentHash, Defect, Disposition, Findings, Flag, Reason};

use super::alternative::{Alternative, choose};
use super::charset;
use super::inline_references::InlineReferences;
use super::parameters::Parametered;
use super::transfer::Transfer;
use super::tree::{self, Kind, MAX_PARTS, Part, Tree, TreePosition};
use super::visible_text::{self, Visible};
use super::words;
use super::{addresses, file_name};

/// What a message holds besides its header.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub text: String,
    pub attachments: Vec<Attachment>,
    pub defects: Vec<Defect>,
    pub findings: Findings,
    /// Text that may be hidden.
    pub doubtful: String,
    inline: InlineReferences,
}

/// How a part is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    Plain,
    Html,
}

/// Reads body and attachments of a message whose structure is known.
pub(super) fn read(tree: &Tree<'_>) -> Body {
    let mut body = Body::default();
    body.message(tree, TreePosition::default());
    body.inline.settle(&mut body.attachments);
    body
}

impl Body {
    /// Adds a message's text and attachments.
    fn message(&mut self, tree: &Tree<'_>, place: TreePosition<'_>) {
        tree.defects.iter().for_each(|defect| self.note(*defect));
        let mut text = std::mem::take(&mut self.text);
        self.list_attachments(tree);
        if !tree.parts.is_empty() {
            self.show(tree, 0, place, &mut text);
        }
        self.text = text;
    }

    fn note(&mut self, defect: Defect) {
        if !self.defects.contains(&defect) {
            self.defects.push(defect);
        }
    }

    fn show(&mut self, tree: &Tree<'_>, index: usize, place: TreePosition<'_>, text: &mut String) {
        let part = &tree.parts[index];
        match (part.kind, part.content_type.value.as_str()) {
            (Kind::Multipart, "multipart/alternative") => self.show_alternative(tree, part, place, text),
            (Kind::Multipart, "multipart/related") => self.show_related(tree, part, place, text),
            (Kind::Multipart, _) => {
                for child in &part.children {
                    self.show(tree, *child, place, text);
                }
            }
            (Kind::Message, _) => {
                for child in &part.children {
                    introduce(&tree.parts[*child], text);
                    self.show(tree, *child, place, text);
                }
            }
            (Kind::Leaf, kind) if tree::is_message(kind) => self.show_encoded_message(part, place, text),
            (Kind::Leaf, _) => {
                if let Some(shown) = shown_as(part) {
                    self.show_leaf(part, shown, text);
                }
            }
        }
    }

    /// The root of a multipart/related. Where that is not the first part that can be shown, mail programs disagree about
    /// which one is, and it is in doubt.
    fn show_related(&mut self, tree: &Tree<'_>, part: &Part<'_>, place: TreePosition<'_>, text: &mut String) {
        let Some(root) = part.children.iter().find(|child| !tree.parts[**child].is_resource) else { return };
        let is_text = |child: &&usize| {
            matches!(tree.parts[**child].content_type.value.as_str(), "text/html" | "text/plain")
        };
        if part.children.iter().take_while(|child| *child != root).any(|child| is_text(&child)) {
            let other = self.alternative(tree, *root, place);
            self.findings.join(other.findings);
            self.findings.flag(Flag::DoubtfulText);
            let count = other.text.chars().filter(|c| !c.is_whitespace()).count();
            self.findings.doubt_characters("other part", count);
            append(&mut self.doubtful, other.text);
        } else {
            self.show(tree, *root, place, text);
        }
    }

    /// The last alternative that can be shown, which is what mail programs show, even where it shows nothing; the plain
    /// text where there is no other.
    fn show_alternative(
        &mut self,
        tree: &Tree<'_>,
        part: &Part<'_>,
        place: TreePosition<'_>,
        text: &mut String,
    ) {
        let plain = self.plain_alternative(tree, part);
        let is_rich =
            |child: &&usize| shown_as(&tree.parts[**child]) != Some(Shown::Plain) && shows(tree, **child);
        let Some(rich) = part.children.iter().rev().find(is_rich) else {
            self.findings.join(plain.findings);
            return append(text, plain.text);
        };
        let shown = self.alternative(tree, *rich, place);
        let is_plain = |child: &&usize| shown_as(&tree.parts[**child]) == Some(Shown::Plain);
        let last_plain = part.children.iter().rev().find(is_plain);
        let choice = choose(plain.text, shown, last_plain.is_some_and(|plain| plain > rich));
        self.findings.join(choice.findings);
        append(&mut self.doubtful, choice.doubtful);
        append(text, choice.text);
    }

    fn alternative(&mut self, tree: &Tree<'_>, child: usize, place: TreePosition<'_>) -> Alternative {
        let outside = std::mem::take(&mut self.findings);
        let mut text = String::new();
        self.show(tree, child, place, &mut text);
        Alternative { text, findings: std::mem::replace(&mut self.findings, outside) }
    }

    fn plain_alternative(&mut self, tree: &Tree<'_>, part: &Part<'_>) -> Visible {
        let children = part.children.iter().map(|child| &tree.parts[*child]);
        let mut plain =
            children.rev().filter(|child| child.kind == Kind::Leaf && shown_as(child) == Some(Shown::Plain));
        plain
            .find_map(|child| {
                self.rendered(child, Shown::Plain).filter(|plain| !plain.text.trim().is_empty())
            })
            .unwrap_or_default()
    }

    /// A message in base64 or quoted-printable, which RFC 2046 forbids and mailers send.
    fn show_encoded_message(&mut self, part: &Part<'_>, place: TreePosition<'_>, text: &mut String) {
        if !part.transfer.is_encoded() || !place.may_hold_message() {
            return self.note(Defect::TooDeep);
        }
        let bytes = part.transfer.decode(part.body).bytes;
        let inner_place = inside(part, place);
        let inner = tree::read(&bytes, inner_place);
        if let Some(root) = inner.parts.first() {
            introduce(root, text);
        }
        std::mem::swap(text, &mut self.text);
        self.message(&inner, inner_place);
        std::mem::swap(text, &mut self.text);
    }

    fn show_leaf(&mut self, part: &Part<'_>, shown: Shown, text: &mut String) {
        match self.rendered(part, shown) {
            Some(visible) => {
                self.findings.join(visible.findings);
                append(&mut self.doubtful, visible.doubtful);
                append(text, visible.text);
            }
            None => {
                self.findings.flag(Flag::TooComplex);
                self.findings.drop_characters(Reason::TooComplex, part.body.len());
                append(text, TOO_COMPLEX.to_owned());
            }
        }
    }

    /// The visible text of a part; `None` for HTML that cannot be shown safely.
    fn rendered(&mut self, part: &Part<'_>, shown: Shown) -> Option<Visible> {
        let unwrapped = part.transfer.decode(part.body);
        if !unwrapped.sound {
            self.note(Defect::Encoding);
        }
        let name = charset_of(part, shown, &unwrapped.bytes);
        let decoded = charset::decode(&unwrapped.bytes, name.as_deref());
        if !decoded.fits {
            self.note(Defect::Charset);
        }
        let text = with_line_feeds(&decoded.text);
        match shown {
            Shown::Plain => Some(visible_text::from_plain(&text)),
            // Browsers do not read such letters, and see other markup.
            Shown::Html if charset::moves_markup(&unwrapped.bytes, &decoded.text) => None,
            Shown::Html => visible_text::from_html(&text),
        }
    }

    fn list_attachments(&mut self, tree: &Tree<'_>) {
        for part in &tree.parts {
            let disposition = disposition_of(part);
            if part.kind == Kind::Multipart || !is_file(part, &disposition) {
                continue;
            }
            if self.attachments.len() == MAX_PARTS {
                return self.note(Defect::TooManyParts);
            }
            self.list(tree, part, &disposition);
        }
        if self.inline.has_open_questions() {
            let is_page = |part: &&Part<'_>| part.kind == Kind::Leaf && is_html(&part.content_type.value);
            for part in tree.parts.iter().filter(is_page) {
                self.inline.learn(&part.transfer.decode(part.body).bytes);
            }
        }
    }

    fn list(&mut self, tree: &Tree<'_>, part: &Part<'_>, disposition: &Parametered) {
        let unwrapped = match part.kind {
            Kind::Leaf => part.transfer.decode(part.body),
            _ => Transfer::Identity.decode(part.body),
        };
        if !unwrapped.sound {
            self.note(Defect::Encoding);
        }
        let file_name = file_name::of(disposition, &part.content_type);
        let kind = part.content_type.value.as_str();
        let is_file = !kind.starts_with("text/") || kind == "text/calendar";
        let disposition = match disposition.value.as_str() {
            "attachment" => Disposition::Attachment,
            "inline" => Disposition::Inline,
            _ => Disposition::None,
        };
        let named = file_name.is_some() && is_file;
        if named && disposition != Disposition::Attachment {
            self.inline.ask(self.attachments.len(), &part.header);
        }
        self.attachments.push(Attachment {
            part: part.number.clone(),
            name: file_name.or_else(|| subject_inside(tree, part)),
            content_type: kind.to_owned(),
            size: unwrapped.bytes.len() as u64,
            hash: ContentHash::of(&unwrapped.bytes),
            disposition,
            counts: named || disposition == Disposition::Attachment,
        });
    }
}

/// The decoded bytes of the part with this number.
pub(super) fn part_bytes(bytes: &[u8], number: &str, place: TreePosition<'_>) -> Option<Vec<u8>> {
    let tree = tree::read(bytes, place);
    if let Some(part) = tree.parts.iter().find(|part| part.number == number) {
        return Some(match part.kind {
            Kind::Leaf => part.transfer.decode(part.body).bytes.into_owned(),
            _ => part.body.to_vec(),
        });
    }
    let around = tree.parts.iter().find(|part| {
        let inside = number.strip_prefix(part.number.as_str());
        part.kind == Kind::Leaf
            && tree::is_message(&part.content_type.value)
            && inside.is_some_and(|rest| rest.starts_with('.'))
    })?;
    let may_look = place.may_hold_message() && around.transfer.is_encoded();
    let inner = may_look.then(|| around.transfer.decode(around.body).bytes)?;
    part_bytes(&inner, number, inside(around, place))
}

fn inside<'p>(part: &'p Part<'_>, place: TreePosition<'_>) -> TreePosition<'p> {
    TreePosition { number: &part.number, depth: place.depth + 1, messages: place.messages + 1 }
}

/// Whether a part, or any in it, is of a kind that is shown.
fn shows(tree: &Tree<'_>, index: usize) -> bool {
    let part = &tree.parts[index];
    match part.kind {
        Kind::Leaf => shown_as(part).is_some() || tree::is_message(&part.content_type.value),
        Kind::Message => true,
        // Their numbers grow, and their depth is bounded.
        Kind::Multipart => part.children.iter().any(|child| shows(tree, *child)),
    }
}

fn disposition_of(part: &Part<'_>) -> Parametered {
    part.header.first("Content-Disposition").map(Parametered::read).unwrap_or_default()
}

/// What a report says to machines in words that people can read: which address failed, which message was meant.
const REPORTS: [&str; 3] =
    ["message/delivery-status", "message/disposition-notification", "text/rfc822-headers"];

/// Stands where HTML could not be shown.
const TOO_COMPLEX: &str = "[this part is too complex to show safely]";

/// How a mail reader shows a part within the text; `None` for an attachment.
pub(super) fn shown_as(part: &Part<'_>) -> Option<Shown> {
    let kind = part.content_type.value.as_str();
    let (is_report, is_html) = (REPORTS.contains(&kind), is_html(kind));
    let is_text = is_report || is_html || kind.starts_with("text/") || kind.starts_with("multipart/");
    if part.kind != Kind::Leaf || part.is_resource || !is_text {
        return None;
    }
    let disposition = disposition_of(part);
    match kind {
        _ if disposition.value == "attachment" => None,
        "text/plain" => Some(Shown::Plain),
        _ if is_report => Some(Shown::Plain),
        "text/enriched" | "text/richtext" => Some(Shown::Html),
        _ if is_html && kind.starts_with("text/") => Some(Shown::Html),
        _ if is_html => file_name::of(&disposition, &part.content_type).is_none().then_some(Shown::Html),
        "text/calendar" | "text/vcard" | "text/x-vcard" | "text/directory" | "text/rtf" | "text/css"
        | "text/javascript" | "text/x-amp-html" | "text/watch-html" => None,
        _ if kind.starts_with("multipart/") => Some(Shown::Plain),
        _ if disposition.value == "inline" || file_name::of(&disposition, &part.content_type).is_none() => {
            Some(Shown::Plain)
        }
        _ => None,
    }
}

/// Whether a media type means HTML, also where a mailer misspelt it (`text/htm`) or was too exact (`application/xhtml+xml`).
fn is_html(kind: &str) -> bool {
    let Some((family, kind)) = kind.split_once('/') else { return false };
    let kind = kind.strip_prefix("x-").unwrap_or(kind);
    let kind = kind.strip_suffix("+xml").unwrap_or(kind);
    matches!(family, "text" | "application") && matches!(kind, "html" | "htm" | "xhtml" | "html5" | "shtml")
}

/// Whether a part is listed: what is not shown, and what is shown but has a file name to be found by.
fn is_file(part: &Part<'_>, disposition: &Parametered) -> bool {
    match shown_as(part) {
        None => true,
        Some(Shown::Html) => disposition.decoded("filename").is_some(),
        Some(Shown::Plain) => file_name::of(disposition, &part.content_type).is_some(),
    }
}

/// The declared charset; HTML may declare it in its own head.
pub(super) fn charset_of<'a>(part: &'a Part<'_>, shown: Shown, bytes: &[u8]) -> Option<Cow<'a, str>> {
    let declared = part.content_type.plain("charset").map(Cow::Borrowed);
    let declared = declared.or_else(|| part.content_type.decoded("charset").map(Cow::Owned));
    match shown {
        Shown::Html => declared.or_else(|| meta_charset(bytes).map(Cow::Owned)),
        Shown::Plain => declared,
    }
}

fn meta_charset(html: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&html[..html.len().min(2048)]).to_ascii_lowercase();
    let mut rest = without_comments(&head);
    while let Some(at) = rest.find("<meta") {
        let tag = rest[at..].split('>').next().unwrap_or_default();
        if let Some((_, value)) = tag.split_once("charset=") {
            let value = value.trim_start_matches(['"', '\'']);
            return value.split(['"', '\'', ' ', ';', '/']).next().map(str::to_owned);
        }
        rest = rest.split_off(at + 5);
    }
    None
}

fn without_comments(html: &str) -> String {
    let mut parts = html.split("<!--");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once("-->").map_or("", |(_, behind)| behind))
}

fn with_line_feeds(text: &str) -> Cow<'_, str> {
    match memchr::memchr(b'\r', text.as_bytes()) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")),
    }
}

/// Adds a piece of text behind a blank line.
fn append(text: &mut String, piece: String) {
    if text.is_empty() {
        *text = piece;
    } else if !piece.trim().is_empty() {
        text.truncate(text.trim_end().len());
        text.push_str("\n\n");
        text.push_str(&piece);
    }
}

/// The lines that stand before a message inside the message, so that it can be found by what it is.
fn introduce(root: &Part<'_>, text: &mut String) {
    let subject = root.header.first("Subject").map(words::unstructured).unwrap_or_default();
    let mut lines = format!("--- Forwarded message: {subject} ---\n");
    let senders = root.header.first("From").map(addresses::senders).unwrap_or_default();
    let senders: Vec<String> = senders.iter().map(ToString::to_string).collect();
    if !senders.is_empty() {
        lines.push_str(&format!("From: {}\n", senders.join(", ")));
    }
    append(text, lines);
}

fn subject_inside(tree: &Tree<'_>, part: &Part<'_>) -> Option<String> {
    let decoded;
    let encoded_header;
    let header = match (part.kind, part.children.first()) {
        (Kind::Message, Some(root)) => &tree.parts[*root].header,
        (Kind::Leaf, _) if tree::is_message(&part.content_type.value) => {
            decoded = part.transfer.decode(part.body).bytes;
            encoded_header = super::header::Header::read(&decoded, super::header::Owner::Message, |_| false);
            &encoded_header
        }
        _ => return None,
    };
    file_name::of_subject(&header.first("Subject").map(words::unstructured)?)
}
