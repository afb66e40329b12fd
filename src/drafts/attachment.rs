//! Files that a draft takes along: from base64, from allowed directories, from messages of the archive. Their bytes are
//! taken once and frozen with the draft. What would not fit, and programs, are refused by name.

use std::path::Path;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use sha2::{Digest, Sha256};

use crate::drafts::allowed_files::AllowedFiles;
use crate::drafts::reply::seen;
use crate::drafts::{DraftError, NewAttachment, executable, recipient};
use crate::model::{Audience, ContentHash, Draft, DraftAttachment, FitMessage, MessageKey};
use crate::parse;
use crate::store::{Part, Reader, StoreError};
use crate::text_safety::{is_invisible, one_line};

/// What servers take: 25 MB of message, encoded.
pub(super) const LARGEST_MESSAGE: usize = 25 << 20;
const MOST_ATTACHMENTS: usize = 100;
const LONGEST_NAME: usize = 200;
const ANYTHING: &str = "application/octet-stream";
/// A message inside the message: the one kind of file that is not encoded (RFC 2046, 5.2.1).
pub(super) const MESSAGE: &str = "message/rfc822";

/// A file with its bytes, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attached {
    pub(super) name: String,
    pub(super) content_type: String,
    pub(super) bytes: Vec<u8>,
}

impl Attached {
    /// What is known about it beside its bytes, as the part with this number.
    pub(super) fn described(&self, part: String) -> DraftAttachment {
        DraftAttachment {
            name: self.name.clone(),
            content_type: self.content_type.clone(),
            size: self.bytes.len() as u64,
            sha256: ContentHash(Sha256::digest(&self.bytes).into()).to_hex(),
            part,
        }
    }

    /// A message as a file. One that could not travel as it is goes as plain bytes.
    pub(super) fn message(name: String, bytes: &[u8]) -> Self {
        let lines = with_line_ends(bytes);
        if FitMessage::new(&lines).is_ok() {
            return Self { name, content_type: MESSAGE.to_owned(), bytes: lines };
        }
        Self { name, content_type: ANYTHING.to_owned(), bytes: bytes.to_vec() }
    }

    /// A file of a stranger's: its name cannot mislead, and its type is one.
    fn of_stranger(part: &Part, bytes: Vec<u8>) -> Self {
        let name = cleaned_name(part.name.as_deref().unwrap_or_default(), &part.part, &part.content_type);
        if part.content_type == MESSAGE {
            return Self::message(name, &bytes);
        }
        let content_type = media_type(&part.content_type).unwrap_or_else(|_| ANYTHING.to_owned());
        Self { name, content_type, bytes }
    }
}

/// Where files come from.
pub(super) struct Files<'a> {
    pub(super) reader: &'a Reader,
    pub(super) audience: Audience,
    pub(super) allowed: &'a AllowedFiles,
}

impl Files<'_> {
    /// Takes what is to be attached.
    pub(super) fn take(&self, wanted: &[NewAttachment]) -> Result<Vec<Attached>, DraftError> {
        let mut taken = Vec::new();
        for one in wanted {
            taken.push(self.take_one(one)?);
            check_size(&taken)?;
        }
        checked(taken)
    }

    fn take_one(&self, wanted: &NewAttachment) -> Result<Attached, DraftError> {
        match wanted {
            NewAttachment::Base64 { name, content_type, content } => {
                from_base64(name, content_type.as_deref(), content)
            }
            NewAttachment::File { path } => self.allowed.read(path),
            NewAttachment::Part { message, part } => {
                let key = seen(self.reader, message, self.audience)?;
                let parts = self.reader.parts(key)?;
                let known =
                    || parts.iter().map(|part| part.name.clone().unwrap_or(part.part.clone())).collect();
                let found = find_part(&parts, part.trim()).ok_or_else(|| DraftError::UnknownPart {
                    message: one_line(message),
                    part: one_line(part),
                    known: known(),
                })?;
                Ok(from_message(self.reader, key, found)?)
            }
        }
    }

    /// All files of a message.
    pub(super) fn of_message(&self, key: MessageKey) -> Result<Vec<Attached>, DraftError> {
        let parts = self.reader.parts(key)?;
        let counted = parts.iter().filter(|part| part.counts);
        checked(counted.map(|part| from_message(self.reader, key, part)).collect::<Result<_, _>>()?)
    }
}

/// A file of a message by its name, its part, or its number counted from 1, in this order.
fn find_part<'a>(parts: &'a [Part], wanted: &str) -> Option<&'a Part> {
    let exact = |part: &&Part| part.name.as_deref() == Some(wanted);
    let by_part =
        |part: &&Part| part.part == wanted || wanted.strip_prefix("part-") == Some(part.part.as_str());
    let any_case = |part: &&Part| part.name.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(wanted));
    let number = wanted.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let by_name = parts.iter().find(exact).or_else(|| parts.iter().find(by_part));
    by_name.or_else(|| parts.iter().find(any_case)).or_else(|| parts.get(number?))
}

/// Refuses too many, too large and programs.
pub(super) fn checked(files: Vec<Attached>) -> Result<Vec<Attached>, DraftError> {
    if files.len() > MOST_ATTACHMENTS {
        return Err(DraftError::TooLong {
            field: "attachments",
            length: files.len(),
            limit: MOST_ATTACHMENTS,
        });
    }
    check_size(&files)?;
    files.iter().try_for_each(executable::refuse)?;
    Ok(files)
}

fn check_size(files: &[Attached]) -> Result<(), DraftError> {
    let size: usize = files.iter().map(|file| file.bytes.len().div_ceil(3) * 4).sum();
    if size > LARGEST_MESSAGE { Err(DraftError::TooLarge { size, limit: LARGEST_MESSAGE }) } else { Ok(()) }
}

/// What a draft has attached, read back from its bytes.
pub(super) fn of_draft(draft: &Draft, raw: &[u8]) -> Vec<Attached> {
    let read = |file: &DraftAttachment| Attached {
        name: file.name.clone(),
        content_type: file.content_type.clone(),
        bytes: parse::part_bytes(raw, &file.part).unwrap_or_default(),
    };
    draft.attachments.iter().map(read).collect()
}

fn from_message(reader: &Reader, key: MessageKey, part: &Part) -> Result<Attached, StoreError> {
    let bytes = parse::part_bytes(&reader.raw(key)?, &part.part).unwrap_or_default();
    Ok(Attached::of_stranger(part, bytes))
}

fn from_base64(name: &str, content_type: Option<&str>, content: &str) -> Result<Attached, DraftError> {
    let name = given_name(name)?;
    let refused = |problem| DraftError::BadAttachment { name: name.clone(), problem };
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let packed: Vec<u8> = content.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let bytes = GeneralPurpose::new(&STANDARD, config)
        .decode(packed)
        .map_err(|_| refused("its content is not base64"))?;
    let content_type = match content_type.map(str::trim).filter(|given| !given.is_empty()) {
        Some(given) => media_type(given).map_err(refused)?,
        None => type_of(&name).to_owned(),
    };
    if content_type == MESSAGE {
        return Ok(Attached::message(name, &bytes));
    }
    Ok(Attached { name, content_type, bytes })
}

/// A file that was read from a directory.
pub(super) fn from_file(path: &Path, bytes: Vec<u8>) -> Result<Attached, DraftError> {
    let name = given_name(&path.file_name().unwrap_or_default().to_string_lossy())?;
    let content_type = type_of(&name).to_owned();
    if content_type == MESSAGE {
        return Ok(Attached::message(name, &bytes));
    }
    Ok(Attached { name, content_type, bytes })
}

fn given_name(name: &str) -> Result<String, DraftError> {
    recipient::refuse_hidden("attachments", name.trim())?;
    let name = plain_name(name);
    let refused = |problem| DraftError::BadAttachment { name: one_line(&name), problem };
    match name.as_str() {
        "" => Err(refused("it needs a file name")),
        name if name.contains(['/', '\\']) => Err(refused("its name holds a path")),
        name if name.contains(DIRECTION_MARKS) => Err(refused("its name turns the direction of reading")),
        name if name.contains("=?") => Err(refused("its name would be decoded to another one")),
        name if name.chars().count() > LONGEST_NAME => Err(refused("its name is too long")),
        name => Ok(name.to_owned()),
    }
}

/// Marks that turn letters around them, and with them the ending of a name.
const DIRECTION_MARKS: [char; 3] = ['\u{200e}', '\u{200f}', '\u{61c}'];

/// A name as it is shown and as systems keep it: one blank between words, none and no dot at its end.
fn plain_name(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    words.join(" ").trim_end_matches(['.', ' ']).to_owned()
}

/// The name of a stranger's file without what nobody sees; `part-2` for one that has none.
fn cleaned_name(name: &str, part: &str, content_type: &str) -> String {
    let is_seen = |c: &char| !is_invisible(*c) && !DIRECTION_MARKS.contains(c);
    let visible: String = name.chars().filter(is_seen).collect();
    let visible = one_line(&visible).rsplit(['/', '\\']).next().unwrap_or_default().replace("=?", "=_");
    let visible = plain_name(&visible);
    let visible = visible.as_str();
    let skipped = visible.chars().count().saturating_sub(LONGEST_NAME);
    match visible {
        "" => format!("part-{part}{}", if content_type == MESSAGE { ".eml" } else { "" }),
        // The end of a name tells what a file is.
        visible => visible.chars().skip(skipped).collect(),
    }
}

/// The media type that is given, without parameters (RFC 2045, 5.1).
fn media_type(given: &str) -> Result<String, &'static str> {
    let named = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_token = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
    };
    let is_plain = given.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    match named.split_once('/') {
        Some((kind, sub)) if is_plain && is_token(kind) && is_token(sub) && named.len() <= 127 => {
            match kind {
                "multipart" => Err("its type is not one of a file"),
                "message" if named != MESSAGE => Ok(ANYTHING.to_owned()),
                _ => Ok(named),
            }
        }
        _ => Err("its type is not a media type such as `application/pdf`"),
    }
}

/// The media type that a name tells.
fn type_of(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    TYPES.iter().find(|(known, _)| *known == ending).map_or(ANYTHING, |(_, name)| name)
}

const TYPES: [(&str, &str); 34] = [
    ("pdf", "application/pdf"),
    ("txt", "text/plain"),
    ("log", "text/plain"),
    ("md", "text/markdown"),
    ("csv", "text/csv"),
    ("tsv", "text/tab-separated-values"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("ics", "text/calendar"),
    ("vcf", "text/vcard"),
    ("json", "application/json"),
    ("xml", "application/xml"),
    ("rtf", "application/rtf"),
    ("eml", MESSAGE),
    ("zip", "application/zip"),
    ("tar", "application/x-tar"),
    ("gz", "application/gzip"),
    ("tgz", "application/gzip"),
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("svg", "image/svg+xml"),
    ("mp3", "audio/mpeg"),
    ("wav", "audio/wav"),
    ("mp4", "video/mp4"),
    ("doc", "application/msword"),
    ("xls", "application/vnd.ms-excel"),
    ("ppt", "application/vnd.ms-powerpoint"),
    ("odt", "application/vnd.oasis.opendocument.text"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
];

/// The same lines, each with CRLF at its end.
fn with_line_ends(bytes: &[u8]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(bytes.len() + bytes.len() / 32 + 2);
    let mut rest = bytes;
    while let Some(end) = memchr::memchr2(b'\r', b'\n', rest) {
        lines.extend_from_slice(&rest[..end]);
        lines.extend_from_slice(b"\r\n");
        rest = rest[end..].strip_prefix(b"\r\n").unwrap_or(&rest[end + 1..]);
    }
    if !rest.is_empty() {
        lines.extend_from_slice(rest);
        lines.extend_from_slice(b"\r\n");
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{Attached, MESSAGE, cleaned_name, from_base64, media_type, with_line_ends};

    #[test]
    fn base64_is_taken_with_and_without_line_ends_and_padding() {
        for content in ["aGk=", "aGk", "aG\r\nk=\r\n", " a G k "] {
            assert_eq!(from_base64("a.txt", None, content).unwrap().bytes, b"hi", "{content:?}");
        }
        for content in ["aGk*", "data:text/plain;base64,aGk=", "aGk=x"] {
            assert!(from_base64("a.txt", None, content).is_err(), "{content:?}");
        }
    }

    #[test]
    fn a_type_is_a_type_or_refused() {
        assert_eq!(media_type("Application/PDF").unwrap(), "application/pdf");
        assert_eq!(media_type("text/plain; charset=utf-8").unwrap(), "text/plain");
        for given in
            ["pdf", "a/b/c", "a/", "/b", "text/plain\r\nBcc: e@x", "text/pläin", "a b/c", "multipart/mixed"]
        {
            assert!(media_type(given).is_err(), "{given:?}");
        }
    }

    #[test]
    fn a_name_is_a_name_or_refused() {
        for name in [
            "",
            "..",
            "a/b.txt",
            "..\\b.txt",
            "=?utf-8?Q?x?=.txt",
            "a\r\nb.txt",
            "fdp.\u{202e}exe",
            "fdp.\u{200f}exe",
            "a\0.txt",
            "...",
        ] {
            assert!(from_base64(name, None, "").is_err(), "{name:?}");
        }
        for (name, kept) in [
            ("a.txt. . ", "a.txt"),
            ("a.pdf \u{a0}  \u{3000} .txt", "a.pdf .txt"),
            (" Scan  2.pdf ", "Scan 2.pdf"),
        ] {
            assert_eq!(from_base64(name, None, "").unwrap().name, kept);
            assert_eq!(cleaned_name(name, "2", "application/pdf"), kept);
        }
        assert_eq!(cleaned_name("C:\\temp\\b\u{202e}.pdf", "2", "application/pdf"), "b.pdf");
        assert_eq!(cleaned_name("", "1.2", MESSAGE), "part-1.2.eml");
    }

    #[test]
    fn a_message_travels_as_it_is_or_as_plain_bytes() {
        assert_eq!(with_line_ends(b"a\nb\r\nc\rd"), b"a\r\nb\r\nc\r\nd\r\n");

        let plain = Attached::message("a.eml".to_owned(), b"Subject: x\n\nhello\n");
        assert_eq!(
            (plain.content_type.as_str(), plain.bytes.as_slice()),
            (MESSAGE, &b"Subject: x\r\n\r\nhello\r\n"[..])
        );
        let eight_bit = Attached::message("a.eml".to_owned(), "Subject: x\n\nhällo\n".as_bytes());
        assert_eq!(eight_bit.content_type, "application/octet-stream");
        assert_eq!(eight_bit.bytes, "Subject: x\n\nhällo\n".as_bytes());
    }
}
