//! What leaves with a message, read from its frozen bytes for the person who decides: all words of its text and of its
//! HTML, where links lead, and what its files are. Believes nothing but the bytes.

use serde::Serialize;

use crate::drafts::file_kind::FileKind;
use crate::drafts::html::{Link, Targets, Words};
use crate::model::{Attachment, DateHints};
use crate::parse::{self, Leaf};

/// The words, links and files of a message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Contents {
    /// Its text.
    pub text: String,
    /// The HTML beside it.
    pub html: Option<HtmlContents>,
    /// Its files.
    pub files: Vec<FileContents>,
}

/// What HTML says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HtmlContents {
    /// As it leaves.
    pub source: String,
    /// All its words; behind those of a link stands its number in the list.
    pub words: String,
    /// Its links.
    pub links: Vec<Link>,
    /// Whether the text has the same words.
    pub is_same_as_text: bool,
}

/// What a file is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileContents {
    /// Number of its part.
    pub part: String,
    /// Its name.
    pub name: String,
    /// The type that the message gives it.
    pub content_type: String,
    /// What it is by its content.
    pub kind: &'static str,
    /// Whether its name says that it is something else.
    pub is_disguised: bool,
    /// Bytes.
    pub size: u64,
    /// SHA-256 of its bytes.
    pub sha256: String,
}

impl Contents {
    /// Reads the bytes that leave.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let attachments = parse::message(bytes, &DateHints::default()).attachments;
        let leaves = parse::leaves(bytes);
        let is_file = |leaf: &&Leaf| attachments.iter().any(|file| is_within(&leaf.part, &file.part));
        let body = |content_type: &str| {
            let of_type = leaves.iter().filter(|leaf| leaf.content_type == content_type && !is_file(leaf));
            let texts: Vec<_> = of_type.filter_map(|leaf| decoded(bytes, &leaf.part)).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        };
        let text = body("text/plain").unwrap_or_default().replace("\r\n", "\n");
        let html = body("text/html").map(|html| HtmlContents::of(html, &text));
        Self { text, html, files: attachments.iter().map(|file| FileContents::of(file, bytes)).collect() }
    }

    /// Its links.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        self.html.as_ref().map(|html| html.links.as_slice()).unwrap_or_default()
    }
}

impl HtmlContents {
    fn of(source: String, text: &str) -> Self {
        let same = |targets| Words::of(&source, targets).text.split_whitespace().eq(text.split_whitespace());
        let is_same_as_text = same(Targets::Written) || same(Targets::Left);
        let Words { text: words, links } = Words::of(&source, Targets::Numbered);
        Self { source, words, links, is_same_as_text }
    }

    /// All its words as the text would have them: behind those of a link stands where it leads.
    #[must_use]
    pub fn as_text(&self) -> String {
        Words::of(&self.source, Targets::Written).text
    }
}

impl FileContents {
    fn of(file: &Attachment, message: &[u8]) -> Self {
        let bytes = parse::part_bytes(message, &file.part).unwrap_or_default();
        let kind = FileKind::of(&file.content_type, &bytes);
        let name = file.name.clone().unwrap_or_default();
        Self {
            part: file.part.clone(),
            is_disguised: kind.is_disguised_as(&name),
            kind: kind.words,
            name,
            content_type: file.content_type.clone(),
            size: file.size,
            sha256: file.hash.to_hex(),
        }
    }
}

/// Whether a part is this one or stands in it.
fn is_within(part: &str, outer: &str) -> bool {
    part.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn decoded(bytes: &[u8], part: &str) -> Option<String> {
    Some(String::from_utf8_lossy(&parse::part_bytes(bytes, part)?).into_owned())
}

#[cfg(test)]
mod tests {
    use super::Contents;

    fn message(body: &str) -> Contents {
        Contents::of(format!("From: a@x.example\r\nMIME-Version: 1.0\r\n{body}").as_bytes())
    }

    #[test]
    fn a_text_alone_is_the_text() {
        let contents = message("Content-Type: text/plain; charset=utf-8\r\n\r\nAt noon?\r\n");

        assert_eq!((contents.text.as_str(), contents.html, contents.files.len()), ("At noon?\n", None, 0));
    }

    #[test]
    fn both_parts_and_every_file_are_read_and_told_apart() {
        let contents = message(
            "Content-Type: multipart/mixed; boundary=m\r\n\r\n--m\r\nContent-Type: multipart/alternative; boundary=a\r\n\r\n\
             --a\r\nContent-Type: text/plain\r\n\r\nhello\r\n--a\r\nContent-Type: text/html\r\n\r\n\
             <p>hello <a href=\"https://evil.example/x\">bank.example</a></p>\r\n--a--\r\n--m\r\n\
             Content-Type: text/html; name=a.pdf\r\nContent-Disposition: attachment; filename=a.pdf\r\n\r\n<html>file\r\n--m\r\n\
             Content-Type: text/plain\r\nContent-Disposition: attachment; filename=b.txt\r\n\r\nother\r\n--m--\r\n",
        );

        let html = contents.html.as_ref().unwrap();
        assert_eq!((contents.text.as_str(), html.words.as_str()), ("hello", "hello bank.example [1]"));
        assert!(!html.is_same_as_text);
        assert_eq!(contents.links()[0].poses_as.as_deref(), Some("bank.example"));
        let files: Vec<_> =
            contents.files.iter().map(|file| (file.name.as_str(), file.kind, file.is_disguised)).collect();
        assert_eq!(files, [("a.pdf", "HTML page", true), ("b.txt", "text", false)]);
    }
}
