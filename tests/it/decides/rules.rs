//! The owner's rules: stricter ones count at once, weaker ones only after the person's word, and nothing else weakens them.

use serde_json::{Value, json};

use super::Desk;
use crate::world::assistant::Assistant;
use crate::world::{ACCOUNT, text};

const DIRECT: &str = "[policy]\nundo = 0\nsend = \"direct\"\n";

impl Desk {
    fn confirm(&self) -> Option<()> {
        let mut person = self.at_terminal("confirm", &["approval", "confirm"])?;
        person.sees("to go on: ").types("confirm");
        let ended = person.ends();
        assert_eq!(ended.code, Some(0), "{}", ended.seen);
        Some(())
    }

    /// What a tool is told that may not propose this.
    fn refused(&self, to: &str) -> Value {
        let mut assistant = self.assistant();
        let arguments = json!({ "account": ACCOUNT, "to": [to], "subject": "Lunch", "body": to });
        let answer = assistant.call("send_email", arguments);
        assistant.finish();
        assert_eq!(answer["result"]["isError"], json!(true), "{answer}");
        answer
    }
}

#[test]
fn a_configuration_that_somebody_edits_lets_nothing_leave() {
    let desk = Desk::new();
    for toml in [
        DIRECT,
        "[policy]\nsend = \"allowlist\"\nallow = [\"@stone.example\"]\n",
        "[policy.only]\ncore = \"direct\"\n",
        "[policy.only]\nmail = \"direct\"\n\"ada@example.org\" = \"direct\"\n",
    ] {
        desk.configure(toml);
        let item = desk.proposed("bob@stone.example", toml);
        desk.json(&["outbox", "send", "--once"]);

        assert_eq!(desk.state(&item["id"]), "pending_approval", "{toml}");
        let told = desk.json(&["outbox", "list"]);
        assert_ne!(told["to_confirm"], json!([]), "{toml}");
        assert_eq!(desk.json(&["status"])["outbox"]["to_confirm"], told["to_confirm"]);
    }
    assert_eq!(desk.sent(), [""; 0]);
}

#[test]
fn no_variable_weakens_anything() {
    let desk = Desk::new();
    let weak = desk.world.write("weak.toml", DIRECT);
    let mut command = desk.world.command(&["mcp"]);
    command.env("MAILKEEP_CONFIG", text(&weak)).env("LOG_FILE", desk.world.path("log"));
    for name in ["MAILKEEP_POLICY_SEND", "MAILKEEP_SEND", "POLICY_SEND", "SEND_POLICY"] {
        command.env(name, "direct");
    }
    for name in ["MAILKEEP_APPROVAL_FACTOR", "MAILKEEP_FACTOR", "AUTO_APPROVE", "VAULT_APPROVAL"] {
        command.env(name, "click");
    }
    let mut assistant = Assistant::of(&mut command);

    let arguments = json!({ "account": ACCOUNT, "to": ["bob@stone.example"], "subject": "x", "body": "y" });
    let answer = assistant.call("send_email", arguments);
    assistant.finish();

    assert_eq!(answer["result"]["structuredContent"]["status"], "pending_approval", "{answer}");
    assert_eq!(desk.sent(), [""; 0]);
}

#[test]
fn what_the_person_confirmed_counts_until_it_is_made_stricter() {
    let desk = Desk::new();
    desk.configure(DIRECT);
    if desk.confirm().is_none() {
        return;
    }
    let item = desk.proposed("bob@stone.example", "one");
    desk.json(&["outbox", "send", "--once"]);
    assert_eq!(desk.state(&item["id"]), "sent");

    desk.configure("[policy]\nundo = 0\n");
    assert_eq!(desk.json(&["approval", "status"])["policy"]["send"], "approve");
    desk.configure(DIRECT);
    let item = desk.proposed("bob@stone.example", "two");
    assert_eq!(desk.state(&item["id"]), "pending_approval");

    let told: Vec<_> = desk.audit("policy").iter().map(|entry| entry["body"]["why"].clone()).collect();
    assert_eq!(told, ["confirmed", "made stricter"]);
    assert_eq!(desk.audit("approved")[0]["body"]["door"], "rule");
}

#[test]
fn an_allow_list_lets_only_its_addresses_leave_and_a_deny_list_wins() {
    let desk = Desk::new();
    desk.configure(
        "[policy]\nundo = 0\nsend = \"allowlist\"\nallow = [\"@stone.example\"]\ndeny = [\"eve@stone.example\"]\n",
    );
    if desk.confirm().is_none() {
        return;
    }

    assert_eq!(desk.proposed("Bob@Stone.example", "a")["status"], "sent");
    assert_eq!(desk.proposed("bob@stone.example.evil.example", "b")["status"], "pending_approval");
    let refused = desk.refused("EVE@stone.example").to_string();
    assert!(refused.contains("deny eve@stone.example"), "{refused}");
}

#[test]
fn limits_refuse_with_the_time_when_there_is_room_again() {
    let desk = Desk::new();
    desk.configure("[policy]\nper_hour = 2\n");
    desk.proposed("bob@stone.example", "one");
    desk.proposed("bob@stone.example", "two");

    let refused = desk.refused("carl@stone.example").to_string();
    assert!(refused.contains("2026-06-15T13:00:00Z"), "{refused}");
    let mut later = desk.command(&["mcp"]);
    let later =
        later.env("MAILKEEP_TEST_NOW", "2026-06-15T13:00:00Z").env("LOG_FILE", desk.world.path("log"));
    let mut assistant = Assistant::of(later);
    let arguments =
        json!({ "account": ACCOUNT, "to": ["bob@stone.example"], "subject": "x", "body": "three" });
    let answer = assistant.call("send_email", arguments);
    assistant.finish();
    assert_eq!(answer["result"]["isError"], json!(false), "{answer}");
}
