//! The PIN: asked for at the terminal, five tries, a lock-out that no restart ends, and nothing weaker without it.

use super::Desk;

const PIN: &str = "[policy]\nundo = 0\n[approval]\nfactor = \"pin\"\n";

impl Desk {
    /// Sets a PIN; says no where there is no terminal.
    fn set_pin(&self, pin: &str) -> bool {
        let Some(mut person) = self.at_terminal("a PIN", &["approval", "set-pin"]) else { return false };
        person.sees("new PIN: ").types(pin).sees("the same again: ").types(pin);
        let ended = person.ends();
        assert_eq!(ended.code, Some(0), "{}", ended.seen);
        assert!(!ended.seen.contains(pin) && !ended.printed.contains(pin), "{}", ended.seen);
        true
    }
}

#[test]
fn a_yes_asks_for_the_pin_and_shows_nothing_of_it() {
    let desk = Desk::new();
    desk.configure(PIN);
    if !desk.set_pin("271828") {
        return;
    }
    let item = desk.proposed("bob@stone.example", "At noon?");
    let code = item["code"].as_str().unwrap();

    let mut person = desk.at_terminal("review", &["outbox", "review"]).unwrap();
    person
        .sees("`q` stops: ")
        .types(code)
        .sees("PIN: ")
        .types("111111")
        .sees("the PIN is wrong; 4 tries more");
    person.sees("PIN: ").types("271828");
    let ended = person.ends();

    assert_eq!((ended.code, desk.sent().len()), (Some(0), 1), "{}", ended.seen);
    assert!(!ended.seen.contains("271828") && !ended.seen.contains("111111"), "{}", ended.seen);
    assert_eq!(desk.audit("approved")[0]["body"]["factor"], "pin");
    let shown = desk.json(&["audit", "show"]).to_string();
    assert!(!shown.contains("argon2") && !shown.contains("271828"), "{shown}");
}

#[test]
fn a_pin_that_is_asked_for_before_it_is_set_is_told_and_nothing_is_approved() {
    let desk = Desk::new();
    desk.configure(PIN);
    let item = desk.proposed("bob@stone.example", "At noon?");
    let code = item["code"].as_str().unwrap();

    let Some(person) = desk.at_terminal("review", &["outbox", "review"]) else { return };
    let refused = person.ends();
    let status = desk.json(&["approval", "status"]);

    assert_eq!((refused.code, desk.state(&item["id"]).as_str()), (Some(1), "pending_approval"));
    assert!(
        refused.seen.contains("a yes needs the `pin` of the configuration, and none is set up"),
        "{}",
        refused.seen
    );
    assert!(refused.seen.contains("mailkeep approval set-pin"), "{}", refused.seen);
    assert_eq!(
        (&status["factor"], &status["missing"], &status["pin"]),
        (&"pin".into(), &"pin".into(), &false.into())
    );
    assert!(desk.set_pin("271828"));
    let mut person = desk.at_terminal("review", &["outbox", "review"]).unwrap();
    person.sees("`q` stops: ").types(code).sees("PIN: ").types("271828");
    assert_eq!((person.ends().code, desk.sent().len()), (Some(0), 1));
}

#[test]
fn five_wrong_pins_lock_for_longer_each_time_whatever_is_restarted() {
    let desk = Desk::new();
    desk.configure(PIN);
    if !desk.set_pin("271828") {
        return;
    }
    let item = desk.proposed("bob@stone.example", "At noon?");
    let code = item["code"].as_str().unwrap();
    let attempt = |now: &str, pin: &str| {
        let mut command = desk.command(&["outbox", "review"]);
        let mut person =
            crate::world::person::Person::runs("PIN", command.env("MAILKEEP_TEST_NOW", now)).unwrap();
        person.sees("`q` stops: ").types(code).sees("PIN: ").types(pin);
        if person.ends_with_question("PIN: ") {
            person.presses(b"\x03");
        }
        person.ends()
    };

    for _ in 0..4 {
        assert!(attempt("2026-06-15T12:00:00Z", "000000").seen.contains("the PIN is wrong"));
    }
    let fifth = attempt("2026-06-15T12:00:00Z", "000000");
    assert!(fifth.seen.contains("next try counts at 2026-06-15T12:15:00Z"), "{}", fifth.seen);
    let right = attempt("2026-06-15T12:14:59Z", "271828");
    assert!(right.code == Some(1) && right.seen.contains("wrong too often"), "{}", right.seen);
    for _ in 0..4 {
        attempt("2026-06-15T12:20:00Z", "000000");
    }
    let tenth = attempt("2026-06-15T12:20:00Z", "000000");
    assert!(tenth.seen.contains("next try counts at 2026-06-15T12:50:00Z"), "{}", tenth.seen);
    assert_eq!(desk.sent(), [""; 0]);

    let late = attempt("2026-06-15T12:50:00Z", "271828");
    assert_eq!((late.code, desk.sent().len()), (Some(0), 1), "{}", late.seen);
}

#[test]
fn another_pin_takes_the_one_that_is_set() {
    let desk = Desk::new();
    if !desk.set_pin("271828") {
        return;
    }

    let mut person = desk.at_terminal("PIN", &["approval", "set-pin"]).unwrap();
    person
        .sees("the PIN that is set: ")
        .types("314159")
        .sees("the PIN is wrong")
        .sees("the PIN that is set: ");
    person.presses(b"\x03");
    assert_eq!(person.ends().code, Some(1));
    let mut person = desk.at_terminal("PIN", &["approval", "set-pin"]).unwrap();
    person.sees("the PIN that is set: ").types("271828").sees("new PIN: ").types("12345");
    person.sees("the same again: ").types("12345");
    let short = person.ends();

    assert!(short.code == Some(1) && short.seen.contains("at least 6 characters"), "{}", short.seen);
    assert_eq!(desk.audit("policy").len(), 1);
}

#[test]
fn a_weaker_factor_counts_only_after_the_old_one_was_given() {
    let desk = Desk::new();
    desk.configure(PIN);
    if !desk.set_pin("271828") {
        return;
    }
    desk.configure("[policy]\nundo = 0\n");
    let item = desk.proposed("bob@stone.example", "At noon?");
    let code = item["code"].as_str().unwrap();

    assert_eq!(desk.json(&["approval", "status"])["factor"], "pin");
    let mut person = desk.at_terminal("review", &["outbox", "review"]).unwrap();
    person
        .sees("`factor` from `pin` to `click`")
        .sees("`q` stops: ")
        .types(code)
        .sees("PIN: ")
        .presses(b"\x03");
    assert_eq!((person.ends().code, desk.state(&item["id"]).as_str()), (Some(1), "pending_approval"));
    let mut person = desk.at_terminal("confirm", &["approval", "confirm"]).unwrap();
    person
        .sees("`factor` from `pin` to `click`")
        .sees("to go on: ")
        .types("confirm")
        .sees("PIN: ")
        .types("271828");
    assert_eq!(person.ends().code, Some(0));

    assert_eq!(desk.json(&["approval", "status"])["factor"], "click");
    let ended = desk.reviewed("review", &[code]).unwrap();
    assert_eq!((ended.code, desk.sent().len()), (Some(0), 1), "{}", ended.seen);
}

#[test]
fn a_row_that_another_program_wrote_opens_no_door() {
    let desk = Desk::new();
    desk.configure(PIN);
    if !desk.set_pin("271828") {
        return;
    }
    let item = desk.proposed("bob@stone.example", "At noon?");
    for change in [
        "UPDATE outbox SET factor = 'click'",
        "UPDATE outbox SET pin = NULL, factor = 'click', seal = NULL, policy = NULL",
        "UPDATE outbox SET policy = '{\"send\":\"direct\"}'",
        "UPDATE outbox SET pin = '$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'",
    ] {
        desk.world.database().execute(change, []).unwrap();
        desk.configure("[policy]\nundo = 0\nsend = \"direct\"\n");

        let person = desk.at_terminal("review", &["outbox", "review"]).unwrap();
        let ended = person.ends();
        assert!(
            ended.code == Some(1) && ended.seen.contains("changed by another program"),
            "{change} {}",
            ended.seen
        );
        let other = desk.proposed("eve@stone.example", change);
        assert_eq!(other["status"], "pending_approval", "{change}");
        assert_eq!(desk.command(&["audit", "verify"]).output().unwrap().status.code(), Some(1), "{change}");
        let mut person = desk.at_terminal("renew", &["approval", "renew"]).unwrap();
        person.sees("type `renew` to go on: ").types("renew").sees("PIN: ").types("271828");
        assert_eq!(person.ends().code, Some(0), "{change}");
        assert_eq!(desk.json(&["approval", "status"])["factor"], "pin", "{change}");
    }
    assert_eq!((desk.state(&item["id"]).as_str(), desk.sent().len()), ("pending_approval", 0));
}

#[test]
fn tries_that_are_taken_out_of_the_row_or_the_chain_still_count() {
    for change in [
        "UPDATE outbox SET pin_failures = 0, pin_locked = NULL",
        "DELETE FROM audit WHERE kind = 'pin'",
        "UPDATE audit SET body = '{\"failures\":0,\"locked_until\":null}' WHERE kind = 'pin'",
    ] {
        let desk = Desk::new();
        let approvals = || desk.approvals_at(0, mailkeep::model::Factor::Pin);
        let pin = |text: &str| mailkeep::secret::Secret::new(text.to_owned());
        approvals().set_pin(&pin("271828"), &mailkeep::outbox::approval::Proof::click()).unwrap();
        for _ in 0..5 {
            assert!(approvals().prove_pin(&pin("000000")).is_err());
        }

        desk.execute_sql(change);

        let refused = approvals().prove_pin(&pin("271828"));
        assert!(matches!(refused, Err(mailkeep::outbox::OutboxError::PinLocked { .. })), "{change}");
        assert_eq!(desk.verified()["ok"], serde_json::json!(false), "{change}");
    }
}
