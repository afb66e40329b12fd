//! Whatever is written comes back as it was, in every form a message can have.

use proptest::prelude::{ProptestConfig, Strategy, any, prop, prop_oneof, proptest};

use super::{Letter, freeze};
use crate::drafts::attachment::{Attached, MESSAGE};
use crate::model::{Address, DateHints, FitMessage, Recipients, dated};
use crate::parse;
use crate::text_safety::{is_invisible, visible};

/// A line that may stand in a subject or a name.
fn line() -> impl Strategy<Value = String> {
    ("\\PC{0,40}", "[ -~]{0,120}", "[=?utf8QBäé _]{0,30}").prop_map(|(a, b, c)| seen(&format!("{a} {b} {c}")))
}

fn seen(text: &str) -> String {
    let text: String = text.chars().filter(|c| !is_invisible(*c)).collect();
    visible(&text).0.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Quotes around a name are never part of it, and the other characters are refused in one.
fn person(name: &str) -> Address {
    let name = name.replace("=?", "").replace(['@', '<', '>'], "");
    Address::new(seen(name.trim_matches(['"', '\'', ' '])), "bob@stone.example")
}

fn file_name(text: &str) -> String {
    let name = seen(&text.replace("=?", "").replace(['/', '\\'], "-"));
    let name: String = name.chars().take(200).collect();
    let name = name.trim().trim_matches('"').trim();
    if name.chars().all(|c| c == '.') { "file".to_owned() } else { name.to_owned() }
}

/// What a draft's file may be: any bytes, or a message.
fn file() -> impl Strategy<Value = Attached> {
    let bytes = (line(), "(application|image|text)/[a-z.+-]{1,12}[a-z]", any::<Vec<u8>>());
    let bytes = bytes.prop_map(|(name, content_type, bytes)| Attached {
        name: file_name(&name),
        content_type,
        bytes,
    });
    let message = (line(), "[ -~]{0,60}").prop_map(|(name, words)| {
        let raw = format!("From: x@y.example\r\nSubject: {}\r\n\r\n{words}\r\n", words.trim());
        Attached { name: file_name(&name), content_type: MESSAGE.to_owned(), bytes: raw.into_bytes() }
    });
    prop_oneof![4 => bytes, 1 => message]
}

fn letter<'a>(from: &'a Address, recipients: &'a Recipients, subject: &'a str, text: &'a str) -> Letter<'a> {
    Letter {
        from,
        recipients,
        reply_to: None,
        subject,
        text,
        html: None,
        attachments: &[],
        message_id: "d0123456789ab.1@example.org",
        in_reply_to: &[],
        references: &[],
    }
}

fn field_names(raw: &[u8]) -> Vec<&str> {
    let (header, _) = std::str::from_utf8(raw).unwrap().split_once("\r\n\r\n").unwrap();
    let fields = header.split("\r\n").filter(|line| !line.starts_with([' ', '\t']));
    fields.map(|line| line.split_once(':').unwrap().0).collect()
}

const FIELDS: [&str; 5] = ["From", "Message-ID", "To", "Subject", "MIME-Version"];
const OF_TEXT: [&str; 2] = ["Content-Type", "Content-Transfer-Encoding"];

fn as_sent(text: &str) -> String {
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    format!("{}\n", lines.strip_suffix('\n').unwrap_or(&lines)).replace('\n', "\r\n")
}

fn part(raw: &[u8], number: &str) -> String {
    String::from_utf8(parse::part_bytes(raw, number).unwrap()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn whatever_is_written_comes_back_and_stays_in_its_field(
        from in line(),
        name in line(),
        subject in line(),
        body in "(\\PC|\n|\r| \n|From |\\.){0,300}",
    ) {
        let (from, to) = (person(&from), vec![person(&name)]);
        let recipients = Recipients { to: to.clone(), ..Recipients::default() };

        let raw = freeze(&letter(&from, &recipients, &subject, &body));

        let text = String::from_utf8_lossy(&raw);
        assert!(FitMessage::new(&raw).is_ok(), "{text}");
        assert_eq!(field_names(&raw), [FIELDS.as_slice(), OF_TEXT.as_slice()].concat(), "{text}");
        let parsed = parse::message(&dated(&raw, 1_780_000_000), &DateHints::default());
        assert_eq!(parsed.subject, subject, "{text}");
        assert_eq!((parsed.from, parsed.to), (vec![from], to), "{text}");
        assert_eq!(parsed.defects, [], "{text}");
        assert_eq!(part(&raw, "1"), as_sent(&body));
    }

    #[test]
    fn every_form_comes_back_as_it_was(
        body in "(\\PC|\n|--=_|From ){0,100}",
        html in prop::option::of("(\\PC|\n|<p>|--=_){0,100}"),
        files in prop::collection::vec(file(), 0..4),
    ) {
        let bob = Address::new("Bob", "bob@stone.example");
        let recipients = Recipients { to: vec![bob.clone()], ..Recipients::default() };
        let plain = letter(&bob, &recipients, "Files", &body);

        let raw = freeze(&Letter { html: html.as_deref(), attachments: &files, ..plain });

        let shown = String::from_utf8_lossy(&raw);
        assert!(FitMessage::new(&raw).is_ok(), "{shown}");
        let parsed = parse::message(&dated(&raw, 1_780_000_000), &DateHints::default());
        assert_eq!(parsed.defects, [], "{shown}");
        let inner = if files.is_empty() { "" } else { "1." };
        match &html {
            None => assert_eq!(part(&raw, "1"), as_sent(&body)),
            Some(html) => {
                assert_eq!(part(&raw, &format!("{inner}1")), as_sent(&body));
                assert_eq!(part(&raw, &format!("{inner}2")), as_sent(html));
            }
        }
        for (number, file) in files.iter().enumerate() {
            let number = (number + 2).to_string();
            assert_eq!(parse::part_bytes(&raw, &number).unwrap(), file.bytes, "{shown}");
            let read = parsed.attachments.iter().find(|read| read.part == number).expect(&shown);
            assert_eq!(read.content_type, file.content_type, "{shown}");
            assert_eq!(read.name.as_deref().unwrap_or_default(), file.name, "{shown}");
        }
    }
}

#[test]
fn a_message_inside_that_holds_our_boundary_does_not_end_its_part() {
    let bob = Address::new("", "bob@stone.example");
    let recipients = Recipients { to: vec![bob.clone()], ..Recipients::default() };
    let file =
        |bytes: Vec<u8>| Attached { name: "a.eml".to_owned(), content_type: MESSAGE.to_owned(), bytes };
    let plain = letter(&bob, &recipients, "x", "y");
    let first = freeze(&Letter { attachments: &[file(b"Subject: a\r\n\r\nb\r\n".to_vec())], ..plain });

    let again = letter(&bob, &recipients, "x", "y");
    let second = freeze(&Letter { attachments: &[file(first.clone())], ..again });

    assert_eq!(parse::part_bytes(&second, "2").unwrap(), first);
}
