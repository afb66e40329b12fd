//! Writes the bytes of a message: text, HTML beside it, files. Nothing in them is for the recipients of Bcc: they stand in
//! the envelope only. There is no `Date`: [`dated`](crate::model::dated) puts it in when the message leaves.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mail_builder::headers::address::{Address as Written, EmailAddress};
use mail_builder::headers::content_type::ContentType;
use mail_builder::headers::message_id::MessageId;
use mail_builder::headers::raw::Raw;
use mail_builder::headers::text::Text;
use mail_builder::headers::{Header, HeaderType};
use sha2::{Digest, Sha256};

use crate::drafts::attachment::{Attached, MESSAGE};
use crate::drafts::quoted_printable;
use crate::model::{Address, Recipients};

/// What a message is made of. Everything in it has been checked.
pub(super) struct Letter<'a> {
    /// Who it is from.
    pub(super) from: &'a Address,
    /// Who gets it.
    pub(super) recipients: &'a Recipients,
    /// Where answers are to go.
    pub(super) reply_to: Option<&'a Address>,
    /// Subject.
    pub(super) subject: &'a str,
    /// Plain text.
    pub(super) text: &'a str,
    /// The same as HTML.
    pub(super) html: Option<&'a str>,
    /// Files.
    pub(super) attachments: &'a [Attached],
    /// Without angle brackets.
    pub(super) message_id: &'a str,
    /// Message-IDs of the message it replies to.
    pub(super) in_reply_to: &'a [String],
    /// Message-IDs of the conversation before it, oldest first.
    pub(super) references: &'a [String],
}

/// The message as it would leave, but for its date. `From` is the first field: the date goes behind it.
pub(super) fn freeze(letter: &Letter<'_>) -> Vec<u8> {
    let mut message = Vec::new();
    put(&mut message, "From", &list(std::slice::from_ref(letter.from)));
    put(&mut message, "Message-ID", &MessageId::new(letter.message_id));
    let Recipients { to, cc, .. } = letter.recipients;
    if to.is_empty() && cc.is_empty() {
        // A header with nobody in it is taken for spam; this is the usual way to say it (RFC 5322, 3.4).
        put(&mut message, "To", &Raw::new("undisclosed-recipients:;"));
    }
    let reply_to = letter.reply_to.map(std::slice::from_ref).unwrap_or_default();
    for (name, people) in [("To", to.as_slice()), ("Cc", cc), ("Reply-To", reply_to)] {
        if !people.is_empty() {
            put(&mut message, name, &list(people));
        }
    }
    put(&mut message, "Subject", &subject(letter.subject));
    for (name, ids) in [("In-Reply-To", letter.in_reply_to), ("References", letter.references)] {
        if !ids.is_empty() {
            put(&mut message, name, &MessageId::from(ids));
        }
    }
    put(&mut message, "MIME-Version", &Raw::new("1.0"));
    message.extend(content(letter));
    message
}

fn put(message: &mut Vec<u8>, name: &str, value: &impl Header) {
    message.extend_from_slice(name.as_bytes());
    message.extend_from_slice(b": ");
    value.write_header(message, name.len() + 2);
}

/// The body with the fields that describe it: as simple as what is in it allows.
fn content(letter: &Letter<'_>) -> Vec<u8> {
    let text = text_part("text/plain", letter.text);
    let body = match letter.html {
        None => text,
        Some(html) => multipart("alternative", &[text, text_part("text/html", html)], letter.message_id),
    };
    if letter.attachments.is_empty() {
        return body;
    }
    let files = letter.attachments.iter().map(file_part);
    let parts: Vec<_> = [body].into_iter().chain(files).collect();
    multipart("mixed", &parts, letter.message_id)
}

fn text_part(content_type: &str, text: &str) -> Vec<u8> {
    let mut part = Vec::new();
    put(&mut part, "Content-Type", &ContentType::new(content_type).attribute("charset", "utf-8"));
    put(&mut part, "Content-Transfer-Encoding", &Raw::new("quoted-printable"));
    part.extend_from_slice(b"\r\n");
    part.extend_from_slice(quoted_printable::encode(text).as_bytes());
    part
}

/// A file. Other characters than ASCII in its name are written as RFC 2231 says.
fn file_part(file: &Attached) -> Vec<u8> {
    let mut part = Vec::new();
    let is_words = file.content_type.starts_with("text/") && std::str::from_utf8(&file.bytes).is_ok();
    let named = |value: &str, name: &'static str| {
        ContentType::new(value.to_owned()).attribute(name, file.name.clone())
    };
    let is_message = file.content_type == MESSAGE;
    let content_type = named(&file.content_type, "name");
    let content_type = if is_words { content_type.attribute("charset", "utf-8") } else { content_type };
    put(&mut part, "Content-Type", &content_type);
    put(&mut part, "Content-Transfer-Encoding", &Raw::new(if is_message { "7bit" } else { "base64" }));
    put(&mut part, "Content-Disposition", &named("attachment", "filename"));
    part.extend_from_slice(b"\r\n");
    if is_message {
        part.extend_from_slice(&file.bytes);
        return part;
    }
    let encoded = STANDARD.encode(&file.bytes);
    part.extend_from_slice(
        encoded.as_bytes().chunks(BASE64_LINE).collect::<Vec<_>>().join(&b"\r\n"[..]).as_slice(),
    );
    part
}

const BASE64_LINE: usize = 76;

/// Parts with lines between them that stand in none of them.
fn multipart(kind: &str, parts: &[Vec<u8>], message_id: &str) -> Vec<u8> {
    let boundary = boundary(kind, parts, message_id);
    let mut whole = Vec::new();
    put(
        &mut whole,
        "Content-Type",
        &ContentType::new(format!("multipart/{kind}")).attribute("boundary", boundary.as_str()),
    );
    for part in parts {
        whole.extend_from_slice(format!("\r\n--{boundary}\r\n").as_bytes());
        whole.extend_from_slice(part);
    }
    whole.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
    whole
}

/// The same for the same message. `=_` stands in no quoted-printable and no base64 (RFC 2045, 6.7); a message inside could
/// hold anything, also an earlier revision of this one.
fn boundary(kind: &str, parts: &[Vec<u8>], message_id: &str) -> String {
    let candidate = |number: u64| {
        let digest = Sha256::digest(format!("{kind} {number} {message_id}"));
        let digits: String = digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
        format!("=_{digits}")
    };
    let is_free =
        |name: &String| parts.iter().all(|part| memchr::memmem::find(part, name.as_bytes()).is_none());
    (0..).map(candidate).find(is_free).unwrap_or_default()
}

/// A subject that looks encoded would be decoded, and the recipient would see another one than the owner: there
/// every character is written as what it is (RFC 2047, 4.2).
fn subject(text: &str) -> HeaderType<'_> {
    if !text.contains("=?") {
        return Text::new(text).into();
    }
    let words = text.chars().collect::<Vec<_>>();
    let words = words.chunks(ENCODED_WORD).map(|word| {
        let bytes = word.iter().collect::<String>().into_bytes();
        let digits: String = bytes.iter().map(|byte| format!("={byte:02X}")).collect();
        format!("=?utf-8?Q?{digits}?=")
    });
    Raw::new(words.collect::<Vec<_>>().join(" ")).into()
}

/// Characters in an encoded word of at most 75: each may take four bytes, and each byte three characters.
const ENCODED_WORD: usize = 5;

fn list(addresses: &[Address]) -> Written<'_> {
    let written = |address: &'_ Address| EmailAddress {
        name: Some(address.name.clone()).filter(|name| !name.is_empty()).map(Into::into),
        email: address.address.clone().into(),
    };
    Written::new_list(addresses.iter().map(|address| Written::Address(written(address))).collect())
}

#[cfg(test)]
mod tests;
