//! What belongs together is one thread, what does not is not: references first, then Outlook's conversations, then
//! answers between the same people. Who forges a subject joins nobody.

use std::collections::BTreeSet;

use mailkeep::model::{ContentHash, DateHints, Flags};
use mailkeep::parse;
use mailkeep::store::{Envelope, NewMessage, NewPlacement, Store};
use proptest::prelude::{Just, ProptestConfig, Strategy, proptest};

use crate::world::Mail;
use crate::world::mail::with_crlf;

const CONVERSATION: &str = "AdLp1VYkL3WYdLDWTnKpGmJ6mVYI7w==";
const ANSWER_IN_IT: &str = "AdLp1VYkL3WYdLDWTnKpGmJ6mVYI7wABCDEF";

const ADA: &str = "Ada Berg <ada@example.org>";
const BOB: &str = "Bob Stone <bob@stone.example>";
const EVE: &str = "Eve <eve@elsewhere.example>";

/// A message of March 2026 with an id that its name makes.
fn message(name: &str, subject: &str, day: u8) -> Mail {
    Mail::new(subject)
        .with("Message-ID", &format!("<{name}@test.example>"))
        .date(&format!("{day} Mar 2026 10:00:00 +0000"))
}

fn between(mail: Mail, from: &str, to: &str) -> Mail {
    mail.with("From", from).with("To", to)
}

/// Stores messages in this order; returns the sets of names that are threads.
fn threads(messages: &[Mail]) -> BTreeSet<BTreeSet<String>> {
    let mut store = Store::in_memory().unwrap();
    messages.iter().for_each(|mail| keep(&mut store, &mail.bytes()));
    let sql = "SELECT group_concat(substr(message_id, 1, instr(message_id, '@') - 1), ' ') FROM messages GROUP BY thread";
    let mut statement = store.connection().prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    rows.map(|names| names.unwrap().split(' ').map(str::to_owned).collect()).collect()
}

fn keep(store: &mut Store, raw: &[u8]) {
    let parsed = parse::message(raw, &DateHints::default());
    let codec = store.codec().clone();
    let envelope = Envelope::of(&parsed).to_json();
    let frame = codec.encoder().unwrap().pack(&envelope, &parsed.text, raw).unwrap();
    let (hash, size) = (ContentHash::of_message(raw), raw.len());
    let message = NewMessage { hash, size, parsed: &parsed, frame: &frame, gmail_id: None };
    let mut batch = store.begin().unwrap();
    let account = batch.account("ada@example.org", 0).unwrap();
    let mailbox = batch.mailbox(account, "INBOX").unwrap();
    batch
        .store(&message, &NewPlacement { mailbox, flags: Flags::default(), labels: &[], on_server: None })
        .unwrap();
    batch.commit().unwrap();
}

fn sets(expected: &[&str]) -> BTreeSet<BTreeSet<String>> {
    expected.iter().map(|names| names.split(' ').map(str::to_owned).collect()).collect()
}

/// In both orders of arrival, these two are one thread, or are not.
fn assert_joined(first: &Mail, second: &Mail, joined: bool) {
    let expected = sets(if joined { &["a b"] } else { &["a", "b"] });
    assert_eq!(threads(&[first.clone(), second.clone()]), expected);
    assert_eq!(threads(&[second.clone(), first.clone()]), expected, "the other way round");
}

#[test]
fn outlooks_answers_without_references_join_their_conversation() {
    let first = message("a", "Budget", 2).with("Thread-Index", CONVERSATION);
    let second = between(message("b", "AW: Budget", 30), EVE, ADA).with("Thread-Index", ANSWER_IN_IT);
    assert_joined(&first, &second, true);
}

#[test]
fn one_thread_index_in_all_mail_of_a_program_joins_nothing() {
    let first = message("a", "Your invoice", 2).with("Thread-Index", CONVERSATION);
    let second = message("b", "Your parcel", 2).with("Thread-Index", CONVERSATION);
    assert_joined(&first, &second, false);
}

#[test]
fn an_answer_without_references_joins_what_it_answers() {
    let question = between(message("a", "Budget", 2), BOB, ADA);
    for subject in ["Re: Budget", "RE: Budget", "Fwd: Budget", "AW: Re: Budget"] {
        let answer = between(message("b", subject, 9), "ADA@Example.org", &format!("{EVE}, {BOB}"));
        assert_joined(&question, &answer, true);
    }
}

#[test]
fn a_follow_up_to_the_same_people_joins_what_its_sender_wrote() {
    let first = between(message("a", "Budget", 2), BOB, ADA);
    assert_joined(&first, &between(message("b", "Re: Budget", 3), BOB, ADA), true);
    assert_joined(&first, &between(message("b", "Re: Budget", 3), BOB, EVE), false);
}

#[test]
fn a_stranger_with_the_same_subject_joins_nobody() {
    let question = between(message("a", "Budget", 2), BOB, ADA);
    let forged = between(message("b", "Re: Budget", 3), EVE, &format!("{ADA}, {BOB}"));
    assert_joined(&question, &forged, false);
    let answer = between(message("b", "Re: Budget", 3), ADA, EVE);
    assert_joined(&question, &answer, false);
}

#[test]
fn without_re_or_after_a_month_or_before_the_question_a_subject_joins_nothing() {
    let question = between(message("a", "Budget", 2), BOB, ADA);
    let answer = |subject: &str| between(message("b", subject, 9), ADA, BOB);
    assert_joined(&question, &answer("Budget"), false);
    assert_joined(&question, &answer("Re: Budgets"), false);
    assert_joined(&question, &answer("Re: Budget").date("2 Apr 2026 10:00:01 +0000"), false);
    assert_joined(&question, &answer("Re: Budget").date("1 Mar 2026 10:00:00 +0000"), false);
    assert_joined(&question, &answer("Re: Budget").date("1 Apr 2026 10:00:00 +0000"), true);
    let nameless = between(message("a", "", 2), BOB, ADA);
    assert_joined(&nameless, &answer("Re:"), false);
}

#[test]
fn an_answer_that_names_a_message_is_not_joined_by_its_subject() {
    let question = between(message("a", "Budget", 2), BOB, ADA);
    let answer = between(message("b", "Re: Budget", 9), ADA, BOB).with("In-Reply-To", "<other@test.example>");
    assert_joined(&question, &answer, false);
}

#[test]
fn of_a_monthly_report_the_last_one_is_answered() {
    let report = |name: &str, day: u8| between(message(name, "Report", day), BOB, ADA);
    let answer = between(message("b", "Re: Report", 20), ADA, BOB);
    let oldest_first = [report("x", 5), report("y", 12), report("a", 19), answer];
    let newest_first: Vec<Mail> = oldest_first.iter().rev().cloned().collect();
    assert_eq!(threads(&oldest_first), sets(&["x", "y", "a b"]));
    assert_eq!(threads(&newest_first), sets(&["x", "y", "a b"]));
}

#[test]
fn a_sentence_in_in_reply_to_joins_no_strangers() {
    let sentence = |name: &str, words: &str| message(name, name, 2).with("In-Reply-To", words);
    let all = [
        sentence("a", "Message from Tom <tom@x.example> of \"Mon, 2 Mar 2026\" <1@x.example>"),
        sentence("b", "Message from Tom <tom@x.example> of \"Tue, 3 Mar 2026\" <2@x.example>"),
        sentence("c", "tom@x.example's message of Mon, 2 Mar 2026 10:00:00 GMT"),
        sentence("d", "tom@x.example's message of Tue, 3 Mar 2026 10:00:00 GMT"),
        sentence("e", "Message from Tom <tom@x.example>"),
    ];
    assert_eq!(threads(&all), sets(&["a", "b", "c", "d", "e"]));
}

#[test]
fn many_answers_of_one_subject_are_looked_through_only_so_far() {
    let mut store = Store::in_memory().unwrap();
    for number in 0..1500 {
        let from = format!("p{number}@example.net");
        keep(&mut store, &between(message(&format!("n{number}"), "Re: Offer", 9), &from, ADA).bytes());
    }
    let threads: i64 = store
        .connection()
        .query_row("SELECT count(DISTINCT thread) FROM messages", [], |row| row.get(0))
        .unwrap();
    assert_eq!(threads, 1500);
}

#[test]
fn a_message_with_either_line_ends_is_one_message_in_its_thread() {
    let mut store = Store::in_memory().unwrap();
    let raw = between(message("a", "Re: Budget", 2), BOB, ADA).bytes();
    keep(&mut store, &raw);
    keep(&mut store, &with_crlf(&raw));
    let count = "SELECT count(*) FROM messages";
    let messages: i64 = store.connection().query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(messages, 1);
}

/// Two conversations between the same people, one with a stranger, answers with and without references.
fn correspondence() -> Vec<Mail> {
    vec![
        between(message("a", "Budget", 2), BOB, ADA),
        between(message("b", "Re: Budget", 3), ADA, BOB),
        between(message("c", "Re: Budget", 4), BOB, ADA).with("References", "<b@test.example>"),
        between(message("d", "RE: Budget", 5), ADA, BOB),
        between(message("e", "Re: Budget", 5), EVE, ADA),
        between(message("f", "Kitchen", 2), BOB, ADA).with("Thread-Index", CONVERSATION),
        between(message("g", "AW: Kitchen", 20), EVE, ADA).with("Thread-Index", ANSWER_IN_IT),
        between(message("h", "Fwd: Kitchen", 21), ADA, EVE),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(32) })]
    #[test]
    fn the_order_of_arrival_does_not_matter(
        order in Just((0..8_usize).collect::<Vec<_>>()).prop_shuffle()
    ) {
        let all = correspondence();
        let shuffled: Vec<Mail> = order.iter().map(|at| all[*at].clone()).collect();
        assert_eq!(threads(&shuffled), sets(&["a b c d", "e", "f g h"]));
    }
}
