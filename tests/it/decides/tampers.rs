//! Another program writes into the store, or an old copy of it comes back: nothing gets weaker, and nothing leaves twice.

use serde_json::json;

use super::Desk;
use crate::world::{World, answer, text};

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
    ] {
        let desk = Desk::new();
        desk.configure(PIN);
        let Some(mut person) = desk.at_terminal("a PIN", &["approval", "set-pin"]) else { return };
        person.sees("new PIN: ").types("271828").sees("the same again: ").types("271828");
        assert_eq!(person.ends().code, Some(0));
        let item = desk.proposed("bob@stone.example", "At noon?");
        desk.execute(change);

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
