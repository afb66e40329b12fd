//! The copy among the sent mail is held against what left: what a provider changed is told, and nothing else is.

use std::time::Duration;

use mailkeep::drafts::{NewAttachment, NewDraft};
use mailkeep::model::{AccountSettings, Endpoint, ItemState, SignIn, Tls, Via};
use mailkeep::outbox::delivery;
use mailkeep::outbox::propose::Request;
use mailkeep::store::{DeliveryStatus, Item};
use serde_json::{Value, json};

use crate::gmail::Machine;
use crate::sends::{Outgoing, gmail};
use crate::world::dovecot::Dovecot;
use crate::world::flaky_smtp::FlakySmtp;
use crate::world::gmail::GmailDouble;
use crate::world::{ACCOUNT, World, list};

const TEXT: &str = "Grüße an alle.\nWir treffen uns um zwölf.\n";

/// An account that sends through one server and has its mail on another.
fn outgoing(server: &Dovecot, user: &str, smtp: &FlakySmtp) -> Outgoing {
    let world = World::with_account(server.port, user);
    world.sync();
    let outgoing = Outgoing::empty(world);
    let endpoint = |port| Some(Endpoint { host: "127.0.0.1".to_owned(), port, tls: Tls::None });
    let settings = AccountSettings {
        via: Via::default(),
        user: user.to_owned(),
        sign_in: SignIn::Password,
        imap: endpoint(server.port),
        smtp: endpoint(smtp.port),
    };
    outgoing.change(|tx| tx.set_account(ACCOUNT, &settings, 0).map(drop));
    outgoing
}

fn letter() -> NewDraft {
    let file = NewAttachment::Base64 {
        name: "menu.pdf".to_owned(),
        content_type: None,
        content: "JVBERi0xLjQgbWVudQo=".to_owned(),
    };
    NewDraft { body: TEXT.to_owned(), attachments: vec![file], ..Outgoing::letter("Lunch at noon") }
}

/// Sends the letter; the item, and the message as it left.
fn sent(outgoing: &Outgoing, letter: &NewDraft) -> (Item, String) {
    let item = outgoing.approved_letter(letter, &Request::default());
    outgoing.send();
    assert_eq!(outgoing.state(&item), ItemState::Sent, "{:?}", outgoing.again(&item).reason);
    let message = String::from_utf8(outgoing.message(&item)).unwrap();
    (item, message)
}

fn shown(outgoing: &Outgoing, item: &Item) -> Value {
    outgoing.world.json(&["outbox", "show", &item.draft.id.to_string()])["provider_changed"].clone()
}

/// One thing in the place of another, which must be there.
fn with(message: &str, old: &str, new: &str) -> String {
    assert!(message.contains(old), "no {old} in {message}");
    message.replacen(old, new, 1)
}

#[test]
fn what_a_provider_changed_is_told_once_and_audited() {
    let Some(server) = Dovecot::start("what_a_provider_changed_is_told") else { return };
    let changes: [(&str, &str, &str); 9] = [
        ("subject", "Subject: Lunch", "Subject: [SPAM?] Lunch"),
        ("text", "um zw=C3=B6lf.", "um zw=C3=B6lf.=0D=0A-- =0D=0ASent with FreeMail"),
        (
            "recipients",
            "To: \"Bob Stone\" <bob@stone.example>",
            "To: Bob Stone <bob@stone.example>, eve@sea.example",
        ),
        ("recipients", "Cc: <cleo@river.example>\r\n", ""),
        ("recipients", "Cc: <cleo@river.example>\r\n", "Cc: cleo@river.example\r\nBcc: eve@sea.example\r\n"),
        ("from", "From: <ada@example.org>", "From: Ada of FreeMail <ada@free.example>"),
        ("reply_to", "MIME-Version:", "Reply-To: eve@sea.example\r\nMIME-Version:"),
        ("attachments", "JVBERi0xLjQgbWVudQo=", "JVBERi0xLjQgTUVOVQo="),
        ("attachments", "menu.pdf", "menu.pdf.txt"),
    ];
    for (number, (what, old, new)) in changes.into_iter().enumerate() {
        let (user, smtp) = (format!("user{number}"), FlakySmtp::good());
        let outgoing = outgoing(&server, &user, &smtp);
        let (item, message) = sent(&outgoing, &letter());
        let copy = if what == "attachments" { message.replace(old, new) } else { with(&message, old, new) };
        assert_ne!(copy, message);
        server.client(&user).append("Sent", "\\Seen", copy.as_bytes());

        outgoing.world.sync();
        outgoing.world.sync();

        let told = shown(&outgoing, &item);
        assert_eq!(list(&told).len(), 1, "{what}: {told}");
        let names: Vec<_> = list(&told[0]["changes"]).iter().map(|change| change["what"].clone()).collect();
        assert_eq!(names, [what], "{told}");
        let audited = outgoing.audited(&item);
        assert_eq!(audited.iter().filter(|kind| *kind == "provider_changed").count(), 1, "{audited:?}");
        assert_eq!(server.client(&user).uids("Sent").len(), 1, "{what}: no second copy");
        assert_eq!(outgoing.world.json(&["audit", "verify"])["ok"], json!(true));
        let people = outgoing.world.run(&["outbox", "show", &item.draft.id.to_string()]).stdout;
        assert!(String::from_utf8(people).unwrap().contains("the provider changed it"), "{what}");
    }
}

/// What a server makes of a message; it is given the text in another encoding too.
type Alteration = fn(&str, &str) -> String;

#[test]
fn what_servers_do_to_every_message_is_no_change() {
    let Some(server) = Dovecot::start("what_servers_do_to_every_message") else { return };
    let in_latin = "R3L832UgYW4gYWxsZS4NCldpciB0cmVmZmVuIHVucyB1\r\nbSB6d/ZsZi4NCg==\r\n";
    let alterations: [(&str, Alteration); 5] = [
        ("as it is", |message, _| message.to_owned()),
        ("a way", |message, _| {
            let trace = "Return-Path: <ada@example.org>\r\nReceived: from laptop by mx.example.org;\r\n\tMon, 15 Jun \
                         2026 12:00:00 +0000\r\nDKIM-Signature: v=1; a=rsa-sha256; b=abc\r\nX-Spam: no\r\n";
            format!("{trace}{message}")
        }),
        ("folds and a date", |message, _| {
            let folded = with(message, "Subject: Lunch at noon", "Subject: Lunch at\r\n noon");
            with(&folded, "12:00:00 +0000", "14:00:07 +0200")
        }),
        ("those whom nobody sees", |message, _| {
            with(message, "MIME-Version:", "Bcc: Dora@Hill.example\r\nMIME-Version:")
        }),
        ("another encoding", |message, latin| {
            let (head, _) = message.split_once("\r\n\r\n").unwrap();
            let head = with(head, "quoted-printable", "base64");
            let head = head.replace("utf-8", "iso-8859-1");
            format!("{head}\r\n\r\n{latin}")
        }),
    ];
    for (number, (what, alter)) in alterations.into_iter().enumerate() {
        let (user, smtp) = (format!("user{number}"), FlakySmtp::good());
        let outgoing = outgoing(&server, &user, &smtp);
        let (item, message) = sent(&outgoing, &NewDraft { attachments: Vec::new(), ..letter() });
        server.client(&user).append("Sent", "\\Seen", alter(&message, in_latin).as_bytes());

        outgoing.world.sync();

        assert_eq!(shown(&outgoing, &item), json!([]), "{what}");
        assert_eq!(outgoing.audited(&item), ["proposed", "approved", "attempt", "dot", "sent"], "{what}");
        assert_eq!(server.client(&user).uids("Sent").len(), 1, "{what}");
        assert_eq!(outgoing.world.json(&["status"])["outbox"]["changed_by_provider"], 0, "{what}");
    }
}

/// A provider that gives the message another id, and keeps ours beside it.
fn renamed(message: &str, id: &str, field: &str) -> String {
    let own = format!("Message-ID: <{id}>");
    with(message, &own, &format!("Message-ID: <ABC123@eur.prod.example>\r\n{field}: <{id}>"))
}

#[test]
fn a_provider_that_gives_another_id_gets_no_second_copy_and_reports_and_answers_find_it() {
    let Some(server) = Dovecot::start("a_provider_that_gives_another_id") else { return };
    for (number, field) in
        ["X-Microsoft-Original-Message-ID", "X-Google-Original-Message-ID"].into_iter().enumerate()
    {
        let (user, smtp) = (format!("user{number}"), FlakySmtp::with("dot_hang"));
        let outgoing = outgoing(&server, &user, &smtp);
        let (item, message) = sent(&outgoing, &letter());
        let copy = renamed(&message, &item.draft.message_id, field);
        server.client(&user).append("Sent", "\\Seen", copy.as_bytes());
        // What comes back knows only the provider's id; one answer comes before the copy was seen, one after.
        let answer = |number: usize, to: &str| {
            format!(
                "From: bob@stone.example\r\nTo: {ACCOUNT}\r\nSubject: something else {number}\r\nDate: Mon, 15 Jun 2026 \
                 12:30:00 +0000\r\nMessage-ID: <answer{number}@stone.example>\r\nIn-Reply-To: <{to}>\r\n\r\nYes.\r\n"
            )
        };
        let bounce = format!(
            "From: Mail Delivery Subsystem <mailer-daemon@eur.prod.example>\r\nTo: {ACCOUNT}\r\nSubject: Undeliverable: \
             Lunch\r\nDate: Mon, 15 Jun 2026 12:01:00 +0000\r\nMIME-Version: 1.0\r\nContent-Type: multipart/report; \
             report-type=delivery-status; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nno\r\n--b\r\n\
             Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; \
             bob@stone.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n--b\r\nContent-Type: text/rfc822-headers\r\n\r\n\
             Message-ID: <ABC123@eur.prod.example>\r\nTo: bob@stone.example\r\n\r\n--b--\r\n"
        );
        let mut client = server.client(&user);
        client.append("INBOX", "", answer(1, &item.draft.message_id).as_bytes());
        client.append("INBOX", "", answer(2, "ABC123@eur.prod.example").as_bytes());
        client.append("INBOX", "", bounce.as_bytes());
        outgoing.world.sync();
        client.append("INBOX", "", answer(3, "ABC123@eur.prod.example").as_bytes());
        outgoing.world.sync();

        assert_eq!(client.uids("Sent").len(), 1, "{field}");
        assert_eq!(shown(&outgoing, &item), json!([]), "{field}: another id is no change of what it says");
        assert_eq!(outgoing.reader().aliases_of(item.draft.key).unwrap(), ["ABC123@eur.prod.example"]);
        let bounced = outgoing.deliveries(&item);
        let bounced: Vec<_> = bounced
            .iter()
            .filter(|one| one.status == DeliveryStatus::Bounced)
            .map(|one| &one.recipient)
            .collect();
        assert_eq!(bounced, ["bob@stone.example"], "{field}");
        let database = outgoing.world.database();
        let threads: i64 = database
            .query_row(
                "SELECT count(DISTINCT thread) FROM messages
                 WHERE message_id LIKE 'answer%' OR message_id LIKE 'ABC123%'",
                [],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(threads, 1, "{field}");
    }
}

#[test]
fn an_answer_to_the_id_in_the_reply_of_the_server_is_in_the_thread_of_what_was_sent() {
    let Some(server) = Dovecot::start("an_answer_to_the_id_in_the_reply") else { return };
    let smtp = FlakySmtp::good();
    let outgoing = outgoing(&server, "ada", &smtp);
    let (item, _) = sent(&outgoing, &letter());
    assert_eq!(outgoing.reader().aliases_of(item.draft.key).unwrap(), ["Q17.given@flaky.example"]);
    let answer = "From: bob@stone.example\r\nTo: ada@example.org\r\nSubject: yes\r\nMessage-ID: <answer@stone.example>\r\n\
                  Date: Mon, 15 Jun 2026 12:30:00 +0000\r\nIn-Reply-To: <Q17.given@flaky.example>\r\n\r\nYes.\r\n";
    server.client("ada").append("INBOX", "", answer.as_bytes());

    outgoing.world.sync();

    let database = outgoing.world.database();
    let thread = |id: &str| -> i64 {
        database
            .query_row("SELECT thread FROM messages WHERE message_id = ?1", [id], |row| row.get(0))
            .unwrap()
    };
    assert_eq!(thread("answer@stone.example"), thread(&item.draft.message_id));
    outgoing.world.assert_sound();
}

#[test]
fn what_nobody_could_say_is_sent_once_a_copy_with_another_id_is_among_the_sent() {
    let Some(server) = Dovecot::start("what_nobody_could_say_is_sent") else { return };
    let smtp = FlakySmtp::with("dot_drop");
    let outgoing = outgoing(&server, "ada", &smtp);
    let item = outgoing.approved_letter(&letter(), &Request::default());
    outgoing.send();
    assert_eq!(outgoing.state(&item), ItemState::Unknown);
    let message = String::from_utf8(smtp.taken()[0].bytes.clone()).unwrap();
    let copy = renamed(&message, &item.draft.message_id, "X-Microsoft-Original-Message-ID");
    server.client("ada").append("Sent", "\\Seen", copy.as_bytes());

    outgoing.world.sync();
    outgoing.send();

    assert_eq!((outgoing.state(&item), smtp.taken().len()), (ItemState::Sent, 1));
    assert_eq!(server.client("ada").uids("Sent").len(), 1);
}

#[test]
fn a_copy_of_somebody_elses_message_changes_nothing() {
    let Some(server) = Dovecot::start("a_copy_of_somebody_elses_message") else { return };
    let smtp = FlakySmtp::good();
    let outgoing = outgoing(&server, "ada", &smtp);
    let (item, message) = sent(&outgoing, &letter());
    // Not among the sent mail: a stranger can put a message with our id into the inbox.
    let forged = with(&message, "Subject: Lunch", "Subject: Bring money to lunch");
    server.client("ada").append("INBOX", "", forged.as_bytes());

    outgoing.world.sync();

    assert_eq!(shown(&outgoing, &item), json!([]));
}

#[test]
fn what_gmail_changed_is_told() {
    for changes in [false, true] {
        let double = GmailDouble::start(ACCOUNT, Duration::from_millis(50));
        let outgoing = gmail::outgoing(&double);
        let item = outgoing.approved("Lunch");
        outgoing.send();
        assert_eq!(outgoing.state(&item), ItemState::Sent);
        for message in double.google().mailbox.messages.values_mut().filter(|_| changes) {
            let raw = String::from_utf8(message.raw.clone()).unwrap();
            message.raw =
                with(&raw, "Subject: Lunch", "Subject: Lunch (sent by a free account)").into_bytes();
        }

        let (home, clock) = (outgoing.home(), outgoing.clock());
        let machine = Machine::of(outgoing.world, ACCOUNT);
        machine.try_sync(&double);
        let looked = delivery::look(&home, &clock).unwrap();

        let told = machine.world.json(&["outbox", "show", &item.draft.id.to_string()]);
        assert_eq!(looked.changed_copies, usize::from(changes), "{told}");
        assert_eq!(list(&told["provider_changed"]).len(), usize::from(changes), "{told}");
    }
}
