//! Writes the bytes of a message. Nothing in them is for the recipients of Bcc: they stand in the envelope only.

use mail_builder::MessageBuilder;
use mail_builder::headers::HeaderType;
use mail_builder::headers::address::{Address as Written, EmailAddress};
use mail_builder::headers::date::Date;
use mail_builder::headers::message_id::MessageId;
use mail_builder::headers::raw::Raw;
use mail_builder::headers::text::Text;
use mail_builder::mime::MimePart;

use crate::drafts::quoted_printable;
use crate::model::{Address, Recipients};

/// What a message is made of. Everything in it has been checked.
pub(super) struct Letter<'a> {
    /// The account's address.
    pub(super) from: &'a str,
    /// Who gets it.
    pub(super) recipients: &'a Recipients,
    /// Subject.
    pub(super) subject: &'a str,
    /// Plain text.
    pub(super) body: &'a str,
    /// Without angle brackets.
    pub(super) message_id: &'a str,
    /// When it was written, in seconds since 1970.
    pub(super) epoch: i64,
    /// Message-IDs of the message it replies to.
    pub(super) in_reply_to: &'a [String],
    /// Message-IDs of the conversation before it, oldest first.
    pub(super) references: &'a [String],
}

/// The message as it would leave.
pub(super) fn freeze(letter: &Letter<'_>) -> Vec<u8> {
    let mut message = MessageBuilder::new()
        .header("From", Written::new_address(None::<&str>, letter.from))
        .header("Date", Date::new(letter.epoch))
        .header("Message-ID", MessageId::new(letter.message_id));
    message = match (letter.recipients.to.as_slice(), letter.recipients.cc.as_slice()) {
        // A header with nobody in it is taken for spam; this is the usual way to say it (RFC 5322, 3.4).
        ([], []) => message.header("To", Raw::new("undisclosed-recipients:;")),
        ([], cc) => message.header("Cc", list(cc)),
        (to, []) => message.header("To", list(to)),
        (to, cc) => message.header("To", list(to)).header("Cc", list(cc)),
    };
    message = message.header("Subject", subject(letter.subject));
    for (name, ids) in [("In-Reply-To", letter.in_reply_to), ("References", letter.references)] {
        if !ids.is_empty() {
            message = message.header(name, MessageId::from(ids));
        }
    }
    let text = MimePart::new("text/plain", quoted_printable::encode(letter.body))
        .transfer_encoding("quoted-printable");
    let mut bytes = Vec::new();
    message.body(text).serialize(&mut bytes);
    bytes
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
mod tests {
    use proptest::prelude::{ProptestConfig, Strategy, proptest};

    use super::{Letter, freeze};
    use crate::model::{Address, DateHints, Recipients};
    use crate::parse;
    use crate::text_safety::{is_invisible, visible};

    /// A line that may stand in a subject or a name.
    fn line() -> impl Strategy<Value = String> {
        ("\\PC{0,40}", "[ -~]{0,120}", "[=?utf8QBäé _]{0,30}")
            .prop_map(|(a, b, c)| seen(&format!("{a} {b} {c}")))
    }

    fn seen(text: &str) -> String {
        let text: String = text.chars().filter(|c| !is_invisible(*c)).collect();
        visible(&text).0.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn letter<'a>(recipients: &'a Recipients, subject: &'a str, body: &'a str) -> Letter<'a> {
        Letter {
            from: "ada@example.org",
            recipients,
            subject,
            body,
            message_id: "d0123456789ab.1@example.org",
            epoch: 1_780_000_000,
            in_reply_to: &[],
            references: &[],
        }
    }

    fn field_names(raw: &str) -> Vec<&str> {
        let (header, _) = raw.split_once("\r\n\r\n").unwrap();
        let fields = header.split("\r\n").filter(|line| !line.starts_with([' ', '\t']));
        fields.map(|line| line.split_once(':').unwrap().0).collect()
    }

    const FIELDS: [&str; 8] = [
        "From",
        "Date",
        "Message-ID",
        "To",
        "Subject",
        "MIME-Version",
        "Content-Type",
        "Content-Transfer-Encoding",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn whatever_is_written_comes_back_and_stays_in_its_field(
            name in line(),
            subject in line(),
            body in "(\\PC|\n|\r| \n|From |\\.){0,300}",
        ) {
            // Quotes around a name are never part of it, and the other characters are refused in one.
            let name = name.replace("=?", "").replace(['@', '<', '>'], "");
            let name = seen(name.trim_matches(['"', '\'', ' ']));
            let to = vec![Address::new(&name, "bob@stone.example")];
            let recipients = Recipients { to: to.clone(), ..Recipients::default() };

            let raw = freeze(&letter(&recipients, &subject, &body));

            let text = std::str::from_utf8(&raw).unwrap();
            assert!(text.is_ascii() && text.split("\r\n").all(|line| line.len() <= 998), "{text}");
            assert_eq!(field_names(text), FIELDS, "{text}");
            let parsed = parse::message(&raw, &DateHints::default());
            assert_eq!(parsed.subject, subject, "{text}");
            assert_eq!(parsed.to, to, "{text}");
            let lines = body.replace("\r\n", "\n").replace('\r', "\n");
            let sent = format!("{}\n", lines.strip_suffix('\n').unwrap_or(&lines)).replace('\n', "\r\n");
            assert_eq!(String::from_utf8(parse::part_bytes(&raw, "1").unwrap()).unwrap(), sent);
        }
    }
}
