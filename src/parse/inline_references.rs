//! Which parts an HTML body shows by itself, by `cid:` or by location: those are no attachments to a person.
//! Reads HTML as bytes; refuses to understand it beyond its references.

use std::collections::HashSet;

use crate::model::Attachment;

use super::charset;
use super::header::Header;

/// Longer targets are data of their own.
const LONGEST_TARGET: usize = 500;
/// No body shows more parts than a message may have; the rest are ordinary links and images.
const MAX_TARGETS: usize = 10_000;

/// Attachments that may be shown by a body, and what bodies refer to.
#[derive(Debug, Default)]
pub(super) struct InlineReferences {
    questions: Vec<Question>,
    targets: HashSet<String>,
}

#[derive(Debug)]
struct Question {
    attachment: usize,
    names: Vec<String>,
}

impl InlineReferences {
    /// Remembers an attachment that does not count when a body refers to it.
    pub(super) fn ask(&mut self, attachment: usize, header: &Header<'_>) {
        let content_id = header.first("Content-ID").map(|value| format!("cid:{}", bare(value)));
        let location = header.first("Content-Location").map(bare);
        let names: Vec<String> = content_id.into_iter().chain(location).collect();
        if !names.is_empty() {
            self.questions.push(Question { attachment, names });
        }
    }

    /// Whether any HTML needs to be looked at.
    pub(super) fn has_open_questions(&self) -> bool {
        !self.questions.is_empty()
    }

    /// Collects the targets of `cid:` and `src=` in an HTML body.
    pub(super) fn learn(&mut self, html: &[u8]) {
        for (at, _) in html.windows(4).enumerate().filter(|(_, four)| is_reference(four)).take(MAX_TARGETS) {
            let target = match html[at] {
                b's' | b'S' => html[at + 4..].strip_prefix(b"\"").or(html[at + 4..].strip_prefix(b"'")),
                _ => Some(&html[at..]),
            };
            let target = target.unwrap_or(&html[at + 4..]);
            let length = target.iter().take(LONGEST_TARGET).take_while(|byte| !ends_target(**byte)).count();
            self.targets.insert(percent_decoded(&target[..length]));
        }
    }

    /// Takes the count from every attachment that a body shows.
    pub(super) fn settle(&self, attachments: &mut [Attachment]) {
        for question in &self.questions {
            let shown = question.names.iter().any(|name| self.targets.contains(name));
            if let Some(attachment) = attachments.get_mut(question.attachment) {
                attachment.counts &= !shown;
            }
        }
    }
}

fn is_reference(four: &[u8]) -> bool {
    four.eq_ignore_ascii_case(b"cid:") || four.eq_ignore_ascii_case(b"src=")
}

fn ends_target(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'>' | b'<' | b')' | b'&')
}

/// A reference as it is compared: `cid:` in lower case, `%40` as `@`.
fn percent_decoded(target: &[u8]) -> String {
    let text = charset::decode_unlabelled(target).replace("%40", "@");
    match text.get(..4) {
        Some(scheme) if scheme.eq_ignore_ascii_case("cid:") => format!("cid:{}", &text[4..]),
        _ => text,
    }
}

/// A Content-ID or Content-Location without brackets and blanks.
fn bare(value: &[u8]) -> String {
    let text = charset::decode_unlabelled(value);
    let text = text.trim().trim_matches(['<', '>', '"']);
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use super::InlineReferences;

    #[test]
    fn targets_are_found_however_they_are_quoted() {
        let mut references = InlineReferences::default();
        references.learn(b"<img src=\"CID:a%40b\"> <img src=c.png> url(cid:d) <img SRC='e.png'>");
        for target in ["cid:a@b", "c.png", "cid:d", "e.png"] {
            assert!(references.targets.contains(target), "{target}");
        }
    }
}
