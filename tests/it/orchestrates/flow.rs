//! The whole way with real parts: a mail on a real IMAP server, a note, an answer, a move, and the same text at a real
//! SMTP server.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mailkeep::model::{AccountSettings, Endpoint, SignIn, Tls, Via};
use mailkeep::secret::Secret;
use serde_json::Value;

use crate::orchestrates::{Desk, field, letter};
use crate::sends::Outgoing;
use crate::world::chat_model::{ChatDouble, Says};
use crate::world::dovecot::{self, Dovecot};
use crate::world::mail::mboxrd;
use crate::world::receivers::Receiver;
use crate::world::scripted::Scripted;
use crate::world::{ACCOUNT, Mail, World, told};

const ANSWER: &str = "Dear Bob,\n\nTuesday suits me.\n.a line with a dot\n\nGrüße,\nAda";

fn at(port: u16) -> Option<Endpoint> {
    Some(Endpoint { host: "127.0.0.1".to_owned(), port, tls: Tls::None })
}

#[test]
fn a_mail_becomes_a_note_then_an_answer_then_after_a_move_exactly_that_at_a_real_server() {
    let test = "a_mail_becomes_a_note_then_an_answer";
    let (Some(imap), Some(smtp)) = (Dovecot::start(test), Receiver::opensmtpd(test)) else { return };
    let chat = ChatDouble::saying([Says::decision("draft_reply", "reply", ANSWER)]);
    let outgoing = Outgoing::on(World::new(), smtp.port);
    let (via, user, sign_in) = (Via::default(), "flow".to_owned(), SignIn::Password);
    let settings = AccountSettings { via, user, sign_in, imap: at(imap.port), smtp: at(smtp.port) };
    outgoing.change(|tx| tx.set_account(ACCOUNT, &settings, 0).map(drop));
    outgoing.secrets().set(ACCOUNT, &Secret::new(dovecot::PASSWORD.to_owned())).unwrap();
    let desk = Desk::of(outgoing).configured(&chat.settings());
    let mail = Mail::new("Lunch").date("Thu, 04 Mar 2021 09:00:00 +0000").body("Does Tuesday suit you?");
    imap.client("flow").append("INBOX", "", &mail.bytes());
    let look = || {
        let output = desk.command(&["orchestrate", "--once", "--vault"]).arg(&desk.vault).output().unwrap();
        assert!(output.status.success(), "{}", told(&output));
    };

    look();

    let (email, reply) = (desk.notes("Needs_Action"), desk.notes("Drafts"));
    let note = desk.read(&format!("Needs_Action/{}", email[0]));
    let draft = desk.read(&format!("Drafts/{}", reply[0]));
    assert_eq!(field(&note, "status").as_deref(), Some("pending_approval"), "{note}");
    assert_eq!(field(&note, "decision").as_deref(), Some("draft_reply"));
    assert!(note.contains("```text\nDoes Tuesday suit you?\n```"), "{note}");
    assert_eq!(field(&draft, "status").as_deref(), Some("pending_approval"));
    assert_eq!(field(&draft, "subject").as_deref(), Some("Re: Lunch"));
    assert_eq!(field(&draft, "reply_to_message_id"), field(&note, "message_id"));
    assert!(draft.ends_with(&format!("\n{ANSWER}\n")), "{draft}");
    assert!(smtp.arrived(0).is_empty());

    desk.later(60);
    let approved = format!("Approved/{}", reply[0]);
    desk.moves(&format!("Drafts/{}", reply[0]), &approved);
    look();

    let arrived = smtp.arrived(1);
    assert_eq!(arrived.len(), 1);
    assert_eq!(arrived[0].recipient, "bob@stone.example");
    let parsed = mailkeep::parse::message(&arrived[0].bytes, &mailkeep::model::DateHints::default());
    assert_eq!(parsed.text.trim_end(), ANSWER);
    assert_eq!(parsed.in_reply_to, ["Lunch@test.example"]);
    assert_eq!(parsed.references, ["Lunch@test.example"]);
    assert_eq!(parsed.subject, "Re: Lunch");
    let done = desk.read(&format!("Done/{}", reply[0]));
    assert_eq!(field(&done, "status").as_deref(), Some("done"), "{done}");
    assert_eq!(field(&desk.read(&format!("Done/{}", email[0])), "status").as_deref(), Some("done"));
    assert!(desk.notes("Needs_Action").is_empty() && desk.notes("Approved").is_empty(), "{:?}", desk.all());
    let log = desk.read("Logs/gmail_mcp_2021-03-04.jsonl");
    let line: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    assert_eq!((&line["event"], log.lines().count()), (&Value::from("pre_send_audit"), 1));
    assert_eq!(line["subject"], "Re: Lunch");
    look();
    assert_eq!(smtp.arrived(1).len(), 1);
}

#[test]
fn the_line_in_the_vault_is_there_before_the_server_hears_of_the_message() {
    let lines = Arc::new(AtomicUsize::new(usize::MAX));
    let desk = Arc::new(std::sync::OnceLock::<std::path::PathBuf>::new());
    let (seen, place) = (Arc::clone(&lines), Arc::clone(&desk));
    let server = Scripted::start("220 here\r\n", move |stream, word, _| {
        use std::io::Write;
        if word.eq_ignore_ascii_case("MAIL") {
            let log = place.get().unwrap().join("Logs/gmail_mcp_2021-03-04.jsonl");
            let text = std::fs::read_to_string(log).unwrap_or_default();
            seen.store(text.matches("pre_send_audit").count(), Ordering::SeqCst);
            return stream.write_all(b"550 no\r\n").is_ok();
        }
        stream.write_all(b"250 ok\r\n").is_ok()
    });
    let home = Desk::of(Outgoing::to(server.port));
    desk.set(home.vault.clone()).unwrap();
    home.has_waiting("hello.md", "Hello.");
    home.moves("Drafts/hello.md", "Approved/hello.md");

    home.orchestrate();

    assert_eq!(lines.load(Ordering::SeqCst), 1);
    let note = home.read("Approved/hello.md");
    assert_eq!(field(&note, "status").as_deref(), Some("failed"), "{note}");
    assert!(field(&note, "error").unwrap().contains("550"), "{note}");
}

#[test]
fn a_note_that_a_person_or_an_assistant_wrote_goes_the_same_way_without_any_model() {
    let desk = Desk::trusting();
    desk.receives("Question", "Well?");
    desk.orchestrate();
    let email = desk.notes("Needs_Action")[0].clone();
    let id = field(&desk.read(&format!("Needs_Action/{email}")), "message_id").unwrap();
    let text = letter("Yes.\n\n-- \nAda")
        .replace("subject: Hello", &format!("subject: 'Re: Question'\nreply_to_message_id: {id}"));
    desk.write("Drafts/my answer.md", &text);
    desk.orchestrate();

    let marked = desk.read(&format!("Needs_Action/{email}"));
    assert_eq!(field(&marked, "status").as_deref(), Some("pending_approval"), "{marked}");
    assert_eq!(field(&marked, "reply").as_deref(), Some("Drafts/my answer.md"));
    desk.later(31);
    desk.moves("Drafts/my answer.md", "Approved/my answer.md");
    let events = desk.orchestrate();

    let words: Vec<_> = events.iter().map(|(what, _)| what.as_str()).collect();
    assert!(words.contains(&"approved") && words.contains(&"sent"), "{events:?}");
    let left = desk.left();
    assert_eq!(left.len(), 1);
    assert!(left[0].contains("In-Reply-To: <Question@test.example>"), "{}", left[0]);
    assert_eq!(desk.notes("Done"), [email, "my answer.md".to_owned()]);
}

#[test]
fn the_folders_are_made_and_what_was_seen_is_written_down() {
    let desk = Desk::usual();
    desk.receives("One", "1");

    let first = desk.orchestrate();
    let second = desk.orchestrate();

    assert_eq!(first.iter().filter(|(what, _)| what == "new").count(), 1, "{first:?}");
    assert!(second.is_empty(), "{second:?}");
    for folder in ["Needs_Action", "Drafts", "Approved", "Done", "Logs"] {
        assert!(desk.path(folder).is_dir(), "{folder}");
    }
    let state: Value = serde_json::from_str(&desk.read("Logs/orchestrator_state.json")).unwrap();
    assert_eq!(state["seen"].as_object().unwrap().len(), 1);
    assert_eq!(state["updated"], "2021-03-04T10:00:00Z");
    let note = desk.notes("Needs_Action")[0].clone();
    std::fs::remove_file(desk.path(&format!("Needs_Action/{note}"))).unwrap();
    assert!(desk.orchestrate().is_empty());
    assert!(desk.notes("Needs_Action").is_empty(), "a note that was deleted came back");
}

#[test]
fn mail_is_new_by_when_it_came_in_whatever_date_its_sender_wrote() {
    let Some(imap) = Dovecot::start("mail_is_new_by_when_it_came_in") else { return };
    let outgoing = Outgoing::on(World::new(), 1);
    let (via, user, sign_in) = (Via::default(), "flow".to_owned(), SignIn::Password);
    let settings = AccountSettings { via, user, sign_in, imap: at(imap.port), smtp: at(1) };
    outgoing.change(|tx| tx.set_account(ACCOUNT, &settings, 0).map(drop));
    outgoing.secrets().set(ACCOUNT, &Secret::new(dovecot::PASSWORD.to_owned())).unwrap();
    let desk = Desk::of(outgoing);
    let mail = Mail::new("Late").date("Thu, 28 Jan 2021 09:00:00 +0000").body("Five weeks on the way.");
    imap.client("flow").append("INBOX", "", &mail.bytes());

    let output = desk.command(&["orchestrate", "--once", "--vault"]).arg(&desk.vault).output().unwrap();

    assert_eq!(desk.notes("Needs_Action").len(), 1, "{}", told(&output));
}

#[test]
fn a_note_that_was_deleted_never_comes_back_also_if_its_mail_is_from_the_future() {
    let desk = Desk::usual();
    let mail = Mail::new("Early").date("Thu, 29 Apr 2021 09:00:00 +0000").body("Not yet.").bytes();
    let file = desk.outgoing.world.write("in/INBOX.mbox", mboxrd([&mail]));
    desk.outgoing.world.import(&file);
    desk.orchestrate();
    let note = desk.notes("Needs_Action")[0].clone();
    std::fs::remove_file(desk.path(&format!("Needs_Action/{note}"))).unwrap();

    desk.later(30 * 86_400);
    desk.orchestrate();

    assert!(desk.notes("Needs_Action").is_empty());
}

#[test]
fn only_one_process_sees_to_the_notes_of_a_home() {
    let desk = Desk::usual();
    desk.orchestrate();
    let lock = std::fs::File::open(desk.outgoing.home().orchestrator_lock()).unwrap();
    lock.lock().unwrap();

    let output = desk.orchestration().output().unwrap();

    assert_eq!(crate::world::read_json(&output)["error"]["code"], "orchestrator_busy", "{}", told(&output));
}
