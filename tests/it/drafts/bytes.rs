//! The bytes of a draft, read back by our own parser and by Python's.

use std::io::Write;
use std::process::{Command, Stdio};

use mailkeep::drafts::NewDraft;
use serde_json::{Value, json};

use super::{drafts, frozen, letter, strings, world};
use crate::world::{list, skipped};

const READ: &str = r#"
import email, email.policy, json, sys
message = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)
people = lambda name: [[a.display_name, a.addr_spec] for field in message.get_all(name, []) for a in field.addresses]
print(json.dumps({
    "subject": str(message["subject"]), "from": people("from"), "to": people("to"), "cc": people("cc"),
    "names": [name.lower() for name in message.keys()], "body": message.get_content().replace("\r\n", "\n"),
    "type": message.get_content_type(), "charset": message.get_content_charset(),
    "id": message["message-id"], "defects": [str(d) for d in message.defects],
}))
"#;

/// What Python's `email` reads; `None` where there is no Python.
fn python(raw: &[u8]) -> Option<Value> {
    let python =
        Command::new("python3").args(["-c", READ]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = python else {
        skipped("drafts read by Python", "python3 is not installed");
        return None;
    };
    child.stdin.take().unwrap().write_all(raw).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// Both readers must read this subject and this text, and no line may be longer than mail allows.
fn reads_back(new: &NewDraft) -> Vec<u8> {
    let world = world();
    let draft = drafts(&world).create(new).unwrap();
    let (raw, parsed) = frozen(&world, &draft);
    let text = String::from_utf8(raw.clone()).expect("quoted-printable and encoded words are ASCII");

    assert!(text.is_ascii());
    assert!(text.split("\r\n").all(|line| line.len() <= 998 && !line.contains(['\r', '\n'])), "{text}");
    assert_eq!(parsed.subject, new.subject);
    assert_eq!(parsed.message_id.as_deref(), Some(draft.message_id.as_str()));
    if let Some(read) = python(&raw) {
        let body = new.body.replace("\r\n", "\n").replace('\r', "\n");
        assert_eq!(read["subject"], new.subject);
        assert_eq!(read["body"], format!("{}\n", body.strip_suffix('\n').unwrap_or(&body)));
        assert_eq!(read["id"], format!("<{}>", draft.message_id));
        assert_eq!(read["defects"], json!([]));
        assert_eq!((&read["type"], &read["charset"]), (&json!("text/plain"), &json!("utf-8")));
    }
    raw
}

#[test]
fn text_of_every_kind_comes_back_as_it_was_written() {
    for body in [
        "",
        "one line without an end",
        "From the start\n.\n..\nFrom here\n>From there\n",
        "trailing blanks  \nand tabs\t\n\n\n",
        "a\r\nb\rc\n",
        "= =20 =3D =\n",
        "--frontier\nContent-Type: text/html\n\n<b>no</b>\n",
        "Grüße aus Köln, 東京, שלום, 👩‍👩‍👧‍👦 and that\n",
        &"word ".repeat(400),
        &"x".repeat(5000),
        &"ä€𝄞".repeat(1000),
    ] {
        reads_back(&NewDraft { body: body.to_owned(), ..letter() });
    }
}

#[test]
fn subjects_of_every_kind_come_back_as_they_were_written() {
    for subject in [
        "",
        "Größe & Maße: 50 % =?utf-8?Q?not_encoded?=",
        "=?utf-8?B?SGVsbG8=?=",
        "日本語の件名がとても長いとき、行は折り返されなければならないが、文字は壊れてはならない",
        "two  blanks and a \"quote\" <and> a, comma; a (comment)",
        "👩‍👩‍👧‍👦 family",
        "long ".repeat(150).trim_end(),
        &"x".repeat(1000),
    ] {
        reads_back(&NewDraft { subject: subject.to_owned(), ..letter() });
    }
}

/// Needs two encoded words. Python puts a blank between those (RFC 2047, 6.2 says not to), so it is no judge here.
const LONG: (&str, &str) = (
    "A very long name that goes on and on so that the line must be folded somewhere, if only it could",
    "l@stone.example",
);

#[test]
fn names_of_every_kind_come_back_as_they_were_written() {
    let world = world();
    let people = [
        ("Jürgen Groß", "j@stone.example"),
        ("Stone, Rob", "rob@stone.example"),
        ("O'Neill \"Bob\" (home)", "neill@stone.example"),
        ("山田 太郎", "taro@stone.example"),
        ("", "plain@stone.example"),
        LONG,
    ];
    let shown = |(name, address): &(&str, &str)| format!("{name} <{address}>");
    let new = NewDraft { cc: people.iter().map(shown).collect(), ..letter() };

    let draft = drafts(&world).create(&new).unwrap();

    let (raw, parsed) = frozen(&world, &draft);
    let read: Vec<_> = parsed.cc.iter().map(|a| (a.name.as_str(), a.address.as_str())).collect();
    assert_eq!(read, people);
    let expected: Vec<_> = people
        .iter()
        .filter(|person| **person != LONG)
        .map(|(name, address)| json!([name, address]))
        .collect();
    let judged = python(&raw).map(|read| list(&read["cc"])[..expected.len()].to_vec());
    assert!(judged.is_none_or(|read| read == expected));
}

#[test]
fn those_of_bcc_get_the_message_and_stand_nowhere_in_it() {
    let world = world();
    let new = NewDraft { bcc: strings(&["Eve <eve@secret.example>"]), ..letter() };

    let draft = drafts(&world).create(&new).unwrap();

    let (raw, _) = frozen(&world, &draft);
    let text = String::from_utf8(raw).unwrap().to_lowercase();
    assert!(!text.contains("eve") && !text.contains("bcc"), "{text}");
    let all: Vec<_> = draft.recipients.all().map(|to| to.address.as_str()).collect();
    assert_eq!(all, ["bob@stone.example", "eve@secret.example"]);
}

#[test]
fn a_message_for_bcc_alone_still_has_a_to_field() {
    let world = world();
    let new = NewDraft { to: Vec::new(), bcc: strings(&["eve@secret.example"]), ..letter() };

    let draft = drafts(&world).create(&new).unwrap();

    let (raw, _) = frozen(&world, &draft);
    assert!(String::from_utf8(raw).unwrap().contains("\r\nTo: undisclosed-recipients:;\r\n"));
}

#[test]
fn the_header_has_each_field_once_and_nothing_more() {
    let raw = reads_back(&letter());

    let names = python(&raw).map(|read| read["names"].clone());

    let expected =
        ["from", "message-id", "to", "subject", "mime-version", "content-type", "content-transfer-encoding"];
    assert!(names.is_none_or(|names| names == json!(expected)));
    assert!(!String::from_utf8(raw).unwrap().contains("Date:"), "it is put in when the message leaves");
}

#[test]
fn nothing_can_be_smuggled_into_the_header() {
    let world = world();
    let bad = [
        NewDraft { subject: "x\r\nBcc: eve@secret.example".to_owned(), ..letter() },
        NewDraft { subject: "x\u{202e}y".to_owned(), ..letter() },
        NewDraft { to: strings(&["bob@stone.example\r\nBcc: eve@secret.example"]), ..letter() },
        NewDraft { cc: strings(&["Bob\u{0} <bob@stone.example>"]), ..letter() },
        NewDraft { bcc: strings(&["bob@stone.example\n", "x\ny@z.example"]), ..letter() },
        NewDraft { body: "a\0b".to_owned(), ..letter() },
    ];

    for new in bad {
        let error = drafts(&world).create(&new).unwrap_err();
        assert_eq!(error.code(), "hidden_character", "{new:?}: {error}");
    }

    assert_eq!(
        super::archive(&world).drafts(None, mailkeep::query::Page { limit: 9, offset: 0 }).unwrap().total,
        0
    );
}

#[test]
fn what_cannot_be_sent_is_refused_by_field_and_value() {
    let world = world();
    let refused = |new: NewDraft| {
        let error = drafts(&world).create(&new).unwrap_err();
        (error.code(), error.to_string(), error.hint())
    };

    let (code, text, hint) = refused(NewDraft { cc: strings(&["bob(at)stone.example"]), ..letter() });
    assert_eq!(code, "bad_address");
    assert!(text.starts_with("`cc` holds `bob(at)stone.example`"), "{text}");
    assert!(hint.contains("bob@example.org"), "{hint}");
    assert_eq!(refused(NewDraft { to: Vec::new(), ..letter() }).0, "no_recipient");
    assert_eq!(refused(NewDraft { subject: "x".repeat(1001), ..letter() }).0, "too_long");
    assert_eq!(
        refused(NewDraft { to: (0..501).map(|n| format!("p{n}@x.example")).collect(), ..letter() }).0,
        "too_long"
    );
    let (code, _, hint) = refused(NewDraft { account: "carl@x.example".to_owned(), ..letter() });
    assert_eq!((code, hint.as_str()), ("unknown_account", "the accounts are: ada@example.org"));
}

#[test]
fn a_message_that_left_has_the_date_of_its_leaving_in_every_copy() {
    let world = world();
    let draft = drafts(&world).create(&letter()).unwrap();
    let copy = || {
        let reader = mailkeep::store::Reader::open(&world.home().join("mail.db")).unwrap();
        String::from_utf8(reader.dated_draft(draft.key, draft.revision).unwrap().unwrap()).unwrap()
    };
    assert!(copy().contains("\r\nDate: Mon, 15 Jun 2026 12:00:00 +0000\r\n"));
    let attempt = "INSERT INTO attempts (draft, revision, approval, fence, host, begun_ms, data_ms, dot_ms)
                   VALUES (?1, 1, 1, 1, 'x', 1781611200000, 1781611201999, ?2)";

    world.database().execute(attempt, (draft.key.0, None::<i64>)).unwrap();
    assert!(copy().contains("\r\nDate: Mon, 15 Jun 2026 12:00:00 +0000\r\n"), "nothing has left");
    world.database().execute(attempt, (draft.key.0, 1_781_611_202_000_i64)).unwrap();

    assert!(copy().contains("\r\nDate: Tue, 16 Jun 2026 12:00:01 +0000\r\n"), "{}", copy());
}
