//! Body text and attachments out of a message's structure: which parts a reader shows, in what order, and
//! what the others are. Refuses to hash what is only body text.

use std::borrow::Cow;

use crate::model::{Attachment, ContentHash, Defect, Disposition, Findings, Flag, Reason};

use super::agreement::{self, Doubt};
use super::alternative::{OTHER_PART, beside, choose, solid};
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
        if part.doubt == Doubt::Whole {
            let reading = self.reading(|body, text| body.show_as_read(tree, index, place, text));
            return self.leave_in_doubt(reading, HEADER);
        }
        self.show_as_read(tree, index, place, text);
    }

    /// Shows a part as its header is read here.
    fn show_as_read(&mut self, tree: &Tree<'_>, index: usize, place: TreePosition<'_>, text: &mut String) {
        let part = &tree.parts[index];
        match (part.kind, part.content_type.value.as_str()) {
            (Kind::Multipart, "multipart/alternative") => self.show_alternative(tree, part, place, text),
            (Kind::Multipart, "multipart/related") => self.show_related(tree, part, place, text),
            (Kind::Multipart, "multipart/signed") => self.show_signed(tree, part, place, text),
            // What can be read in it is not what was encrypted.
            (Kind::Multipart, "multipart/encrypted") => self.doubt_all(tree, &part.children, place),
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

    /// What is read by `show`, by itself.
    fn reading(&mut self, show: impl FnOnce(&mut Self, &mut String)) -> Visible {
        let outside = (std::mem::take(&mut self.findings), std::mem::take(&mut self.doubtful));
        let mut text = String::new();
        show(self, &mut text);
        let findings = std::mem::replace(&mut self.findings, outside.0);
        let doubtful = std::mem::replace(&mut self.doubtful, outside.1);
        Visible { text, doubtful, findings }
    }

    fn leave_in_doubt(&mut self, reading: Visible, why: &'static str) {
        let reading = in_doubt(reading, why);
        self.findings.join(reading.findings);
        append(&mut self.doubtful, reading.doubtful);
    }

    fn doubt_all(&mut self, tree: &Tree<'_>, parts: &[usize], place: TreePosition<'_>) {
        for part in parts {
            let reading = self.alternative(tree, *part, place);
            self.leave_in_doubt(reading, OTHER_PART);
        }
    }

    /// What is signed. The signature is not shown by who knows it, and what stands behind it only by others.
    fn show_signed(&mut self, tree: &Tree<'_>, part: &Part<'_>, place: TreePosition<'_>, text: &mut String) {
        let Some((signed, others)) = part.children.split_first() else { return };
        self.show(tree, *signed, place, text);
        self.doubt_all(tree, others, place);
    }

    /// The root of a multipart/related. Where that is not the first part that can be shown, or of a type that not every program
    /// shows, they disagree about which one it is, and it is in doubt.
    fn show_related(&mut self, tree: &Tree<'_>, part: &Part<'_>, place: TreePosition<'_>, text: &mut String) {
        let Some(root) = part.children.iter().find(|child| !tree.parts[**child].is_resource) else { return };
        let may_be_shown = |child: &&usize| {
            let kind = &tree.parts[**child].content_type.value;
            ["text/", "multipart/", "message/"].iter().any(|family| kind.starts_with(family))
        };
        let has_rival =
            part.children.iter().take_while(|child| *child != root).any(|child| may_be_shown(&child));
        if has_rival || role(tree, *root) == Role::Odd {
            self.doubt_all(tree, &[*root], place);
        } else {
            self.show(tree, *root, place, text);
        }
    }

    /// The last alternative that every program shows, which is what they show, even where it shows nothing; the plain
    /// text where there is no other. What some take instead must say the same.
    fn show_alternative(
        &mut self,
        tree: &Tree<'_>,
        part: &Part<'_>,
        place: TreePosition<'_>,
        text: &mut String,
    ) {
        let last = |role: Role| part.children.iter().rposition(|child| self::role(tree, *child) == role);
        let (plain_at, rich_at) = (last(Role::Plain), last(Role::Rich));
        let plain = self.plain_alternative(tree, part);
        let mut choice = match rich_at {
            Some(at) => {
                choose(&plain.text, self.alternative(tree, part.children[at], place), plain_at > rich_at)
            }
            None => plain,
        };
        for (at, child) in part.children.iter().enumerate() {
            if role(tree, *child) == Role::Odd {
                let other = self.alternative(tree, *child, place);
                choice = beside(choice, &other, Some(at) > rich_at.or(plain_at));
            }
        }
        self.findings.join(choice.findings);
        append(&mut self.doubtful, choice.doubtful);
        append(text, choice.text);
    }

    /// An alternative by itself. Who looks for one may not ask whether it was to be a file.
    fn alternative(&mut self, tree: &Tree<'_>, child: usize, place: TreePosition<'_>) -> Visible {
        let part = &tree.parts[child];
        let is_page = part.kind == Kind::Leaf && part.content_type.value == "text/html";
        if is_page && shown_as(part).is_none() {
            return self.reading(|body, text| body.show_leaf(part, Shown::Html, text));
        }
        self.reading(|body, text| body.show(tree, child, place, text))
    }

    /// The last plain text that says anything.
    fn plain_alternative(&mut self, tree: &Tree<'_>, part: &Part<'_>) -> Visible {
        let is_plain = |child: &&usize| role(tree, **child) == Role::Plain;
        let mut first = None;
        for child in part.children.iter().rev().filter(is_plain) {
            let plain = self.rendered(&tree.parts[*child], Shown::Plain).unwrap_or_default();
            if !plain.text.trim().is_empty() {
                return plain;
            }
            first.get_or_insert(plain);
        }
        first.unwrap_or_default()
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

    /// The visible text of a part; `None` for HTML that cannot be shown safely. What programs decode differently is in doubt.
    fn rendered(&mut self, part: &Part<'_>, shown: Shown) -> Option<Visible> {
        let unwrapped = part.transfer.decode(part.body);
        if !unwrapped.sound {
            self.note(Defect::Encoding);
        }
        let declared = declared_charset(part);
        let reading = match shown {
            Shown::Plain => charset::read_plain(&unwrapped.bytes, declared.as_deref()),
            Shown::Html => {
                let own = meta_charset(&unwrapped.bytes).filter(|_| declared.is_none());
                charset::read_html(&unwrapped.bytes, declared.as_deref(), own.as_deref())
            }
        };
        if !reading.decoded.fits {
            self.note(Defect::Charset);
        }
        let text = with_line_feeds(&reading.decoded.text);
        let is_source = || part.doubt == Doubt::Type && shown == Shown::Plain && agreement::holds_tags(&text);
        let doubt = match (unwrapped.alike, reading.alike) {
            (false, _) => Some(TRANSFER),
            (_, false) => Some(CHARSET),
            _ if is_of_odd_text(part) => Some(OTHER_PART),
            _ if is_source() => Some(HEADER),
            _ => None,
        };
        let visible = match shown {
            Shown::Plain => visible_text::from_plain(&text),
            Shown::Html => visible_text::from_html(&text)?,
        };
        Some(match doubt {
            Some(why) => in_doubt(visible, why),
            None => visible,
        })
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

/// What a part is among alternatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// What every program can show, and takes where there is nothing better.
    Plain,
    /// What every program takes before plain text.
    Rich,
    /// What some programs show and others do not know, or take for something else.
    Odd,
    /// What nobody shows.
    Nothing,
}

fn role(tree: &Tree<'_>, index: usize) -> Role {
    let part = &tree.parts[index];
    let kind = part.content_type.value.as_str();
    match part.kind {
        _ if part.is_resource => Role::Nothing,
        Kind::Leaf => match (shown_as(part), kind) {
            (Some(_), _) if part.doubt != Doubt::None => Role::Odd,
            (Some(Shown::Plain), "text/plain") => Role::Plain,
            (Some(Shown::Html), "text/html") => Role::Rich,
            (Some(_), _) => Role::Odd,
            (None, "text/html") => Role::Odd,
            (None, kind) if tree::is_message(kind) => Role::Odd,
            (None, _) => Role::Nothing,
        },
        Kind::Message => Role::Odd,
        // Their numbers grow, and their depth is bounded.
        Kind::Multipart => {
            let mut roles = part.children.iter().map(|child| role(tree, *child));
            let is_sure = part.doubt != Doubt::Whole;
            let best = roles.clone().find(|role| matches!(role, Role::Plain | Role::Rich));
            match best {
                Some(_) if is_sure => Role::Rich,
                _ if roles.any(|role| role != Role::Nothing) => Role::Odd,
                _ => Role::Nothing,
            }
        }
    }
}

/// Whether a part is text that some programs show in another way: what stands in its commands, or all of it where they find no
/// parts in it.
fn is_of_odd_text(part: &Part<'_>) -> bool {
    let kind = part.content_type.value.as_str();
    matches!(kind, "text/enriched" | "text/richtext") || kind.starts_with("multipart/")
}

/// Takes what can be read out of the text, because it may be that nobody sees it.
fn in_doubt(mut visible: Visible, why: &'static str) -> Visible {
    let text = std::mem::take(&mut visible.text);
    if !text.trim().is_empty() {
        visible.findings.flag(Flag::DoubtfulText);
        visible.findings.doubt_characters(why, solid(&text));
        append(&mut visible.doubtful, text);
    }
    visible
}

fn disposition_of(part: &Part<'_>) -> Parametered {
    part.header.first("Content-Disposition").map(Parametered::read).unwrap_or_default()
}

/// What a report says to machines in words that people can read: which address failed, which message was meant.
const REPORTS: [&str; 3] =
    ["message/delivery-status", "message/disposition-notification", "text/rfc822-headers"];

/// What leaves text in doubt: what its header says, its transfer encoding, its charset.
const HEADER: &str = "header";
const TRANSFER: &str = "transfer encoding";
const CHARSET: &str = "charset";

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

fn declared_charset<'a>(part: &'a Part<'_>) -> Option<Cow<'a, str>> {
    let plain = part.content_type.plain("charset").map(Cow::Borrowed);
    plain.or_else(|| part.content_type.decoded("charset").map(Cow::Owned))
}

/// The declared charset; HTML may declare it in its own head.
pub(super) fn charset_of<'a>(part: &'a Part<'_>, shown: Shown, bytes: &[u8]) -> Option<Cow<'a, str>> {
    let declared = declared_charset(part);
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
