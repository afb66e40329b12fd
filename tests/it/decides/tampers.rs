//! Another program writes into the store, or an old copy of it comes back: nothing gets weaker, and nothing leaves twice.

use serde_json::json;

use super::Desk;
use crate::world::assistant::Assistant;
use crate::world::person::Person;
use crate::world::{ACCOUNT, World, answer, text};

const PIN: &str = "[policy]\nundo = 0\n[approval]\nfactor = \"pin\"\n";

impl Desk {
    fn execute(&self, sql: &str) {
        self.world.database().execute_batch(sql).unwrap();
    }

    /// Lets the worker look once.
    fn sends_once(&self) {
        self.json(&["outbox", "send", "--once"]);
    }

    /// Proposes something and says yes to it while sending is paused; its id. `None` where there is no terminal.
    fn approved_while_paused(&self, body: &str) -> Option<String> {
        self.json(&["outbox", "pause"]);
        let item = self.proposed("bob@stone.example", body);
        let ended = self.reviewed("a yes", &[item["code"].as_str().unwrap()])?;
        assert_eq!(self.state(&item["id"]), "approved", "{}", ended.seen);
        Some(item["id"].as_str().unwrap().to_owned())
    }

    fn resumes(&self) {
        let mut person = self.at_terminal("resume", &["outbox", "resume"]).unwrap();
        person.sees("resume").types("resume");
        assert_eq!(person.ends().code, Some(0));
    }
}

#[test]
fn no_entry_that_is_gone_or_changed_takes_the_pin_away() {
    for change in [
        "DELETE FROM audit WHERE kind = 'policy'",
        "UPDATE audit SET body = '{\"factor\":\"click\",\"pin\":null}' WHERE kind = 'policy'",
        "UPDATE audit SET body = 'nothing' WHERE kind = 'policy'",
        "DELETE FROM audit WHERE kind = 'policy'; UPDATE outbox SET seal = x'00'",
        "DELETE FROM audit WHERE kind = 'policy'; UPDATE outbox SET factor = 'click', pin = NULL, policy = NULL,
                                                                    passkeys = NULL, seal = NULL",
        "DELETE FROM audit; UPDATE outbox SET factor = 'click', pin = NULL, policy = NULL, passkeys = NULL,
                                              seal = NULL, pin_failures = 0, pin_locked = NULL",
    ] {
        let desk = Desk::new();
        desk.configure(PIN);
        let Some(mut person) = desk.at_terminal("a PIN", &["approval", "set-pin"]) else { return };
        person.sees("new PIN: ").types("271828").sees("the same again: ").types("271828");
        assert_eq!(person.ends().code, Some(0));
        let item = desk.proposed("bob@stone.example", "At noon?");
        desk.execute(change);
        assert_eq!(desk.json(&["approval", "status"])["factor"], "pin", "{change}");
        assert_eq!(desk.command(&["audit", "verify"]).output().unwrap().status.code(), Some(1), "{change}");

        let mut person = desk.at_terminal("renew", &["approval", "renew"]).unwrap();
        person.sees("type `renew` to go on: ").types("renew").sees("PIN: ").types("271828");
        assert_eq!(person.ends().code, Some(0), "{change}");

        let mut person = desk.at_terminal("review", &["outbox", "review"]).unwrap();
        person.sees("`q` stops: ").types(item["code"].as_str().unwrap()).sees("PIN: ").presses(b"\x03");
        assert_eq!(person.ends().code, Some(1), "{change}");
        assert_eq!(
            (desk.state(&item["id"]).as_str(), desk.sent().len()),
            ("pending_approval", 0),
            "{change}"
        );
    }
}

#[test]
fn what_was_approved_before_a_backup_does_not_leave_again_after_it_is_restored() {
    let desk = Desk::new();
    let Some(id) = desk.approved_while_paused("At noon?") else { return };
    desk.resumes();
    let backup = desk.world.path("copy.db");
    desk.json(&["backup", text(&backup)]);
    desk.sends_once();
    assert_eq!(desk.sent().len(), 1);
    for ending in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(desk.world.home().join(format!("mail.db{ending}")));
    }

    desk.json(&["restore", text(&backup)]);
    desk.sends_once();

    assert_eq!(desk.sent().len(), 1);
    let shown = desk.json(&["outbox", "show", &id]);
    assert_eq!(shown["state"], "pending_approval");
    assert!(shown.to_string().contains("restored from a backup: it may have left since"), "{shown}");
    assert_eq!(desk.json(&["audit", "verify"])["ok"], json!(true));
}

#[test]
fn what_was_approved_in_an_older_copy_of_the_store_does_not_leave_again() {
    let desk = Desk::new();
    let Some(id) = desk.approved_while_paused("At noon?") else { return };
    desk.resumes();
    let (store, copy) = (desk.world.home().join("mail.db"), desk.world.path("copy.db"));
    desk.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    std::fs::copy(&store, &copy).unwrap();
    desk.sends_once();
    assert_eq!(desk.sent().len(), 1);
    for ending in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(desk.world.home().join(format!("mail.db{ending}")));
    }

    std::fs::copy(&copy, &store).unwrap();
    desk.sends_once();

    assert_eq!(desk.sent().len(), 1);
    let shown = desk.json(&["outbox", "show", &id]);
    assert_eq!(shown["state"], "pending_approval");
    assert!(shown.to_string().contains("an older copy of the store was put back"), "{shown}");
    let ended = desk.reviewed("again", &[shown["code"].as_str().unwrap()]).unwrap();
    assert_eq!((ended.code, desk.state(&json!(id)).as_str()), (Some(0), "sent"), "{}", ended.seen);
}

#[test]
fn an_old_yes_of_another_home_is_a_note_and_a_new_one_is_a_break() {
    let desk = Desk::new();
    let Some(_) = desk.approved_while_paused("At noon?") else { return };
    let backup = desk.world.path("copy.db");
    desk.json(&["backup", text(&backup)]);
    let other = World::new();
    other.json(&["restore", text(&backup)]);

    let verified = answer(&mut other.command(&["--json", "audit", "verify"]));
    assert_eq!((&verified["ok"], &verified["spent_approvals_of_another_home"]), (&json!(true), &json!(1)));

    other.database().execute("UPDATE approvals SET spent = 0", []).unwrap();
    let verify = other.command(&["audit", "verify"]).output().unwrap();
    assert_eq!(verify.status.code(), Some(1));
}

#[test]
fn a_pause_ends_by_the_person_alone() {
    let desk = Desk::new();
    let Some(id) = desk.approved_while_paused("At noon?") else { return };

    desk.execute("UPDATE outbox SET paused_epoch = NULL");
    desk.sends_once();
    assert_eq!((desk.sent().len(), desk.state(&json!(id)).as_str()), (0, "approved"));

    desk.resumes();
    desk.sends_once();
    assert_eq!(desk.sent().len(), 1);
    assert_eq!(desk.json(&["audit", "verify"])["ok"], json!(true));
}

#[test]
fn a_yes_that_is_not_the_last_word_sends_nothing() {
    let desk = Desk::new();
    let Some(cancelled) = desk.approved_while_paused("cancelled") else { return };
    desk.json(&["outbox", "cancel", &cancelled]);
    desk.resumes();
    let sent = desk.approved_while_paused("sent").unwrap();
    desk.resumes();
    desk.sends_once();
    assert_eq!(desk.sent().len(), 1);

    desk.execute(
        "UPDATE drafts SET state = 'approved' WHERE state IN ('cancelled', 'sent');
         UPDATE approvals SET spent = 0; UPDATE attempts SET outcome = 'later'",
    );
    desk.sends_once();

    assert_eq!(desk.sent().len(), 1);
    for id in [cancelled, sent] {
        assert_eq!(desk.state(&json!(id)), "pending_approval");
    }
}

#[test]
fn calls_are_sealed_whatever_their_log_says_of_it() {
    let desk = Desk::new();
    let read = || {
        let mut assistant = desk.assistant();
        assistant.call("list_emails", json!({}));
        assistant.finish();
    };
    read();
    desk.proposed("bob@stone.example", "At noon?");
    let log = rusqlite::Connection::open(desk.world.home().join("audit/calls.db")).unwrap();
    let change = "CREATE TABLE IF NOT EXISTS sealed (id INTEGER PRIMARY KEY, upto INTEGER NOT NULL);
                  INSERT OR REPLACE INTO sealed (id, upto) VALUES (1, 9000000000)";
    log.execute_batch(change).unwrap();
    let before = desk.audit("calls").len();

    read();
    desk.proposed("bob@stone.example", "At one?");

    let sealed = desk.audit("calls");
    let newest: i64 = log.query_row("SELECT max(id) FROM calls", [], |row| row.get(0)).unwrap();
    let upto = sealed.iter().filter_map(|entry| entry["body"]["upto"].as_i64()).max().unwrap();
    assert!(sealed.len() > before && upto >= newest - 1, "{sealed:?} {newest}");
    assert_eq!(desk.json(&["audit", "verify"])["ok"], json!(true));
}

#[test]
fn calls_that_were_removed_are_missed() {
    let desk = Desk::new();
    let mut assistant = desk.assistant();
    for _ in 0..3 {
        assistant.call("list_emails", json!({}));
    }
    assistant.finish();
    desk.proposed("bob@stone.example", "At noon?");
    assert_eq!(desk.json(&["audit", "verify"])["ok"], json!(true));
    let log = desk.world.home().join("audit/calls.db");

    for gone in ["DELETE FROM calls WHERE id = 2", "DELETE FROM calls"] {
        rusqlite::Connection::open(&log).unwrap().execute(gone, []).unwrap();
        let verify = desk.command(&["--json", "audit", "verify"]).output().unwrap();
        assert_eq!(verify.status.code(), Some(1), "{gone}");
    }
    std::fs::remove_dir_all(desk.world.home().join("audit")).unwrap();
    assert_eq!(desk.command(&["audit", "verify"]).output().unwrap().status.code(), Some(1));

    let backup = desk.world.path("copy.db");
    desk.json(&["backup", text(&backup)]);
    let other = World::new();
    other.json(&["restore", text(&backup)]);
    assert_eq!(other.json(&["audit", "verify"])["ok"], json!(true));
}

#[test]
fn a_higher_limit_that_nobody_confirmed_lets_no_more_leave() {
    let desk = Desk::new();
    desk.configure("[policy]\nundo = 0\nper_hour = 1\n");
    let review = |now: &str, answer: &str| {
        let mut command = desk.command(&["outbox", "review"]);
        let mut person = Person::runs("review", command.env("MAILKEEP_TEST_NOW", now))?;
        person.sees("`q` stops: ").types(answer);
        Some(person.ends())
    };
    let first = desk.proposed_at("2026-06-15T10:00:00Z", "first");
    if review("2026-06-15T10:00:01Z", &first).is_none() {
        return;
    }
    assert_eq!(desk.sent().len(), 1);
    let second = desk.proposed_at("2026-06-15T11:30:00Z", "second");
    review("2026-06-15T11:30:01Z", &second).unwrap();
    assert_eq!(desk.sent().len(), 2);

    desk.configure("[policy]\nundo = 0\nper_hour = 1000\n");
    let third = desk.proposed_at("2026-06-15T12:31:00Z", "third");
    // The clock of the worker stands where the second has just left.
    let ended = review("2026-06-15T11:40:00Z", &third).unwrap();

    assert_eq!(desk.sent().len(), 2, "{}", ended.seen);
    let shown = desk.json(&["outbox", "show", &third]);
    assert_eq!((&shown["state"], &shown["error_code"]), (&json!("approved"), &json!("RATE_LIMIT_EXCEEDED")));
    assert_eq!(shown["next_attempt"], "2026-06-15T12:30:02Z", "{shown}");
}

impl Desk {
    /// Proposes at some time; the code.
    fn proposed_at(&self, now: &str, body: &str) -> String {
        let mut assistant = Assistant::of(self.command(&["mcp"]).env("MAILKEEP_TEST_NOW", now));
        let arguments = json!({
            "account": ACCOUNT, "to": ["bob@stone.example"], "subject": body, "body": body,
        });
        let answer = assistant.call("send_email", arguments);
        assistant.finish();
        answer["result"]["structuredContent"]["code"]
            .as_str()
            .unwrap_or_else(|| panic!("{answer}"))
            .to_owned()
    }
}
