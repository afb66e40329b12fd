//! What `tests/bounces` must be read as, and that no bytes can break the reading.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::{ProptestConfig, any, proptest};
use proptest::sample::select;

use super::{Kind, Report, report};

const OURS: &str = "item-1@ada.example";

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bounces")
}

fn sample(name: &str) -> Vec<u8> {
    fs::read(directory().join(name).with_extension("eml")).unwrap()
}

fn of(name: &str) -> Report {
    report(&sample(name)).unwrap_or_else(|| panic!("{name} is a report"))
}

/// Each recipient as `address action status`, the original address before it where it differs.
fn told(report: &Report) -> Vec<String> {
    let line = |recipient: &super::Recipient| {
        let address = recipient.address.as_deref().unwrap_or("-");
        let original = recipient.original.as_deref().filter(|original| *original != address);
        let original = original.map(|original| format!("{original} = ")).unwrap_or_default();
        let status = recipient.status.as_deref().unwrap_or("-");
        format!("{original}{address} {:?} {status}", recipient.action)
    };
    report.recipients.iter().map(line).collect()
}

#[test]
fn every_form_says_which_message_whom_and_what() {
    for (name, kind, recipients) in [
        ("status_failed", Kind::Bounce, &["bob@there.example Failed 5.1.1"][..]),
        (
            "status_original_recipient",
            Kind::Bounce,
            &["bob@there.example = u4711@pool.inside.example Failed 5.2.2"],
        ),
        ("status_delayed", Kind::Delay, &["bob@there.example Delayed 4.4.1"]),
        ("status_delivered", Kind::Delivery, &["bob@there.example Delivered 2.1.5"]),
        (
            "status_mixed",
            Kind::Bounce,
            &[
                "bob@there.example Failed 5.1.1",
                "cleo@there.example Delayed 4.2.2",
                "dora@there.example Relayed 2.0.0",
                "list@there.example Expanded 2.0.0",
            ],
        ),
        ("global_failed", Kind::Bounce, &["jürgen@müller.example Failed 5.1.1"]),
        ("global_domain", Kind::Bounce, &["bob@müller.example Failed 5.1.1"]),
        ("global_escaped", Kind::Bounce, &["用户@there.example Failed 5.6.7"]),
        ("text_copy_below", Kind::Bounce, &["bob@there.example Failed 5.1.1"]),
        (
            "text_failed_recipients",
            Kind::Bounce,
            &["bob@there.example = u4711@pool.inside.example Failed 5.7.1"],
        ),
        (
            "text_transcript",
            Kind::Bounce,
            &["bob@there.example Failed 5.1.1", "cleo@there.example Delayed -"],
        ),
        ("text_warning", Kind::Delay, &["bob@there.example Delayed 4.7.1"]),
        ("text_not_reached", Kind::Bounce, &["bob@there.example Failed -"]),
        ("text_german", Kind::Bounce, &["bob@there.example Failed 5.1.1"]),
        ("text_japanese", Kind::Bounce, &["bob@there.example Failed -"]),
        ("returned_encoded", Kind::Bounce, &["bob@there.example Failed 5.1.1"]),
        ("boundary_lost", Kind::Bounce, &["bob@there.example Failed 5.1.1"]),
    ] {
        let report = of(name);
        assert_eq!(
            (report.kind, told(&report)),
            (kind, recipients.iter().map(ToString::to_string).collect()),
            "{name}"
        );
        assert_eq!(report.original_ids, [OURS], "{name}");
    }
}

#[test]
fn what_a_notice_answers_is_known_where_it_returns_nothing() {
    let report = of("text_html_only");
    assert_eq!(report.original_ids, Vec::<String>::new());
    assert_eq!(report.answered_ids, [OURS]);
    assert_eq!(told(&report), ["bob@there.example Failed 5.1.1"]);
}

#[test]
fn a_notice_without_any_id_still_names_its_recipient() {
    let report = of("no_id");
    assert!(report.original_ids.is_empty() && report.answered_ids.is_empty());
    assert_eq!(told(&report), ["bob@there.example Failed -"]);
    assert_eq!(report.recipients[0].diagnostic, "[User unknown]");
}

#[test]
fn the_id_of_the_transaction_is_decoded() {
    assert_eq!(of("status_delivered").envelope_id.as_deref(), Some("7Kq+D2mPx"));
}

#[test]
fn diagnostics_are_one_line() {
    assert_eq!(of("status_failed").recipients[0].diagnostic, "550 5.1.1 nobody of that name here");
}

#[test]
fn complaints_read_receipts_and_auto_replies_are_other_kinds() {
    for (name, kind) in
        [("complaint", Kind::Complaint), ("read_receipt", Kind::ReadReceipt), ("auto_reply", Kind::AutoReply)]
    {
        let report = of(name);
        assert_eq!(report.kind, kind, "{name}");
        assert!(report.recipients.is_empty(), "{name} is about nobody's delivery");
    }
}

#[test]
fn a_refusal_that_calls_itself_a_receipt_is_a_bounce() {
    let receipt = String::from_utf8(sample("read_receipt")).unwrap();
    let refusal = receipt
        .replace("Bob Carter <bob@there.example>", "Mail Delivery Subsystem <admin@there.example>")
        .replace(
            "Your letter was shown.",
            "Your message to <bob@there.example> was rejected:\nQuota exceeded",
        );

    let report = report(refusal.as_bytes()).unwrap();

    assert_eq!((report.kind, told(&report)), (Kind::Bounce, vec!["bob@there.example Failed -".to_owned()]));
    assert_eq!(report.original_ids, [OURS]);
}

#[test]
fn people_who_write_about_a_bounce_send_none() {
    for name in ["forwarded_by_a_person", "told_by_a_person", "newsletter"] {
        assert_eq!(report(&sample(name)), None, "{name}");
    }
}

#[test]
fn ids_in_the_history_or_the_text_of_a_returned_message_are_not_its_own() {
    for name in ["status_failed", "text_copy_below"] {
        assert_eq!(of(name).original_ids, [OURS], "{name}");
    }
}

#[test]
fn a_report_that_passes_a_report_on_says_what_that_one_says() {
    let inner = String::from_utf8(sample("status_failed")).unwrap();
    let outer = format!(
        "Return-Path: <>\nFrom: MAILER-DAEMON@gateway.example\nSubject: Returned mail\nTo: ada@ada.example\n\
         Content-Type: multipart/mixed; boundary=\"outer\"\n\n--outer\n\nYour mail failed.\n\n\
         --outer\nContent-Type: message/rfc822\n\n{inner}\n--outer--\n"
    );

    let report = report(outer.as_bytes()).unwrap();

    assert_eq!(report.original_ids, ["notice-1@there.example", OURS]);
    assert_eq!(told(&report), ["bob@there.example Failed 5.1.1"]);
}

#[test]
fn crlf_and_lone_cr_change_nothing() {
    for name in ["status_mixed", "text_transcript", "text_copy_below"] {
        let text = String::from_utf8(sample(name)).unwrap();
        for end in ["\r\n", "\r"] {
            let other = report(text.replace('\n', end).as_bytes()).unwrap();
            assert_eq!(told(&other), told(&of(name)), "{name} {end:?}");
            assert_eq!(other.original_ids, [OURS], "{name} {end:?}");
        }
    }
}

#[test]
fn floods_give_a_bounded_report() {
    let start = "Return-Path: <>\nFrom: MAILER-DAEMON@x.example\nSubject: Undelivered\n";
    let status = "Content-Type: message/delivery-status\n\n";
    for body in [
        format!("{start}\n{}", "<a@b.example>: 550 5.1.1 failed\n".repeat(50_000)),
        format!("{start}\n{}", "a@b.example ".repeat(100_000)),
        format!("{start}\n{}", "@".repeat(500_000)),
        format!("{start}\n{}", "Message-ID: <".repeat(100_000)),
        format!("{start}\n{}", "Received: x\nword\n".repeat(50_000)),
        format!(
            "{start}{status}{}",
            "Final-Recipient: rfc822;a@b.example\nAction: failed\n\n".repeat(20_000)
        ),
        format!(
            "{start}{status}{}",
            "Final-Recipient: utf-8;\\x{\\x{\\x{41@b\nAction: failed\n".repeat(5_000)
        ),
        format!("{start}{status}{}", " folded\n".repeat(200_000)),
    ] {
        let report = report(body.as_bytes()).unwrap();
        assert!(report.recipients.len() <= super::MOST && report.original_ids.len() <= 16);
        assert!(report.recipients.iter().all(|recipient| recipient.diagnostic.len() <= 300));
    }
}

/// What reports are made of, for bytes that come near to one.
const PIECES: [&str; 28] = [
    "Return-Path: <>\n",
    "From: MAILER-DAEMON\n",
    "Subject: failure notice\n",
    "Content-Type: multipart/report; boundary=b\n",
    "Content-Type: message/delivery-status\n",
    "Content-Type: message/rfc822\n",
    "Content-Transfer-Encoding: base64\n",
    "\n",
    "\n\n",
    "--b\n",
    "--b--\n",
    "Final-Recipient: rfc822; ",
    "Original-Recipient: utf-8; \\x{",
    "}",
    "Action: failed\n",
    "Action: delayed\n",
    "Status: 5.1.1\n",
    "a@b.example",
    "<",
    ">",
    "@",
    "\"",
    "5.",
    "é",
    "Message-ID: <",
    "X-Failed-Recipients: ",
    "expanded from ",
    "\u{1b}$B",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes_give_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        super::read(&bytes, true);
    }

    #[test]
    fn any_order_of_pieces_gives_an_answer(pieces in proptest::collection::vec(select(&PIECES[..]), 0..60)) {
        super::read(pieces.concat().as_bytes(), true);
    }
}
