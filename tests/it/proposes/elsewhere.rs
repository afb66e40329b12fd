//! A server that only the environment of one process names: what was approved leaves by that process, and no other takes
//! the yes back or keeps it from sending.

use std::thread;
use std::time::{Duration, Instant};

use mailkeep::account::Secrets;
use mailkeep::home::Home;
use mailkeep::model::{ContentHash, ItemHash, PolicySettings, SecretStore};
use mailkeep::outbox::approval::{Approvals, Door, Proof};
use mailkeep::outbox::policy::Wanted;
use serde_json::{Value, json};

use super::{Sending, told};
use crate::drafts::clock;
use crate::world::answer;
use crate::world::person::Person;

const QUIET: &str = "[policy]\nundo = 0\n[secrets]\nstore = \"file\"\n";

impl Sending {
    /// The program without the server of the environment.
    fn unaware(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = self.command(arguments);
        for (name, _) in &self.env {
            command.env_remove(name);
        }
        command
    }

    fn approve(&self, id: &Value) {
        let home = Home::at(self.world.home());
        let secrets = Secrets::at(home.secrets(), SecretStore::File);
        let policy = PolicySettings { undo: 0, ..PolicySettings::default() };
        let approvals = Approvals::new(&home, clock(), secrets, Wanted { policy, ..Wanted::default() });
        let id = id.as_str().unwrap();
        let shown = self.json(&["outbox", "show", id]);
        let hash = ItemHash(ContentHash::from_hex(shown["sha256"].as_str().unwrap()).unwrap());
        approvals.approve(id, &hash, Door::Page, &Proof::click()).unwrap();
    }

    fn item(&self) -> Value {
        self.json(&["outbox", "list"])["items"][0].clone()
    }
}

fn letter() -> Value {
    json!({ "to": "bob@example.org", "subject": "Hi", "body": "Hi" })
}

#[test]
fn what_another_process_has_to_send_waits_for_it_and_keeps_its_yes() {
    let sending = Sending::empty();
    sending.configure(QUIET);
    let mut assistant = sending.assistant(&["--profile", "smtp"]);
    let code = told(&assistant.call("send-email", letter()))["code"].clone();
    drop(assistant.finish());
    let reviewing = sending.unaware(&["outbox", "review"]);
    let Some(mut person) = Person::runs("elsewhere", &reviewing) else { return };

    person.sees("`q` stops: ").types(code.as_str().unwrap());
    let ended = person.ends();
    let item = sending.item();
    let report = answer(&mut sending.unaware(&["--json", "outbox", "send", "--once"]));

    assert_eq!(ended.code, Some(1), "{}", ended.seen);
    assert!(ended.seen.contains("leaves by a process that knows `127.0.0.1`"), "{}", ended.seen);
    assert!(ended.seen.contains("`.env` file beside the configuration"), "{}", ended.seen);
    assert_eq!(
        (&item["state"], &item["error_code"]),
        (&json!("approved"), &json!("OTHER_PROCESS")),
        "{item}"
    );
    assert!(report.to_string().contains("a process that knows `127.0.0.1`"), "{report}");
    answer(&mut sending.command(&["--json", "outbox", "send", "--once"]));
    assert_eq!((sending.postbox.mails().len(), &sending.item()["state"]), (1, &json!("sent")));
}

#[test]
fn the_process_that_knows_the_server_gets_its_turn_beside_one_that_does_not() {
    let sending = Sending::empty();
    sending.configure(QUIET);
    let mut assistant = sending.assistant(&["--profile", "smtp"]);
    told(&assistant.call("send-email", letter()));
    let mut command = sending.unaware(&["serve", "--no-sync", "--listen", "127.0.0.1:0"]);
    let _served = crate::speaks_mcp::over_http::Served::run(&mut command);
    let begun = Instant::now();

    sending.approve(&sending.item()["id"]);
    while sending.postbox.mails().is_empty() && begun.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(100));
    }

    assert_eq!(sending.postbox.mails().len(), 1, "{}", sending.item());
    drop(assistant.finish());
}
