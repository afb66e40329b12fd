//! Only a person lets something leave: at their terminal, with what proves that it is them, and to exactly what they saw.

mod attacks;
mod audits;
mod enrols;
mod evidence;
mod passkeys;
mod pins;
mod reviews;
mod rules;
mod shows;
mod signatures;
mod tampers;

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::world::assistant::Assistant;
use crate::world::mail::mboxrd;
use crate::world::person::{Ended, Person};
use crate::world::{ACCOUNT, Mail, World, answer, list, text};

/// A home whose account writes what it sends into a folder.
struct Desk {
    world: World,
}

impl Desk {
    fn new() -> Self {
        let known = Mail::new("Hello").from("Bob Stone <bob@stone.example>").body("Shall we meet?");
        let world = World::holding(&mboxrd(&[known.bytes()]));
        let folder = world.path("sent");
        std::fs::create_dir(&folder).unwrap();
        world.database().execute("UPDATE accounts SET send_folder = ?1", [text(&folder)]).unwrap();
        let desk = Self { world };
        desk.configure("[policy]\nundo = 0\n");
        desk
    }

    fn configure(&self, toml: &str) -> PathBuf {
        self.world.write("config.toml", toml)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.world.command(&["--config"]);
        command.arg(self.world.path("config.toml")).args(arguments);
        command.env_remove("VAULT_PATH");
        command
    }

    fn json(&self, arguments: &[&str]) -> Value {
        answer(self.command(&["--json"]).args(arguments))
    }

    fn assistant(&self) -> Assistant {
        Assistant::of(self.command(&["mcp"]).env("LOG_FILE", self.world.path("mcp.log")))
    }

    /// Has an assistant propose a message; what it was told.
    fn proposed(&self, to: &str, body: &str) -> Value {
        let mut assistant = self.assistant();
        let arguments = json!({ "account": ACCOUNT, "to": [to], "subject": "Lunch", "body": body });
        let answer = assistant.call("send_email", arguments);
        assistant.finish();
        let told = answer["result"]["structuredContent"].clone();
        assert!(told["code"].is_string(), "{answer}");
        told
    }

    /// Runs a command at a terminal.
    fn at_terminal(&self, test: &str, arguments: &[&str]) -> Option<Person> {
        Person::runs(test, &self.command(arguments))
    }

    /// Reviews everything with these answers to the question about each item.
    fn reviewed(&self, test: &str, answers: &[&str]) -> Option<Ended> {
        let mut person = self.at_terminal(test, &["outbox", "review"])?;
        for answer in answers {
            person.sees("`q` stops: ").types(answer);
        }
        Some(person.ends())
    }

    fn state(&self, id: &Value) -> String {
        self.json(&["outbox", "show", id.as_str().unwrap()])["state"].as_str().unwrap().to_owned()
    }

    /// The messages that left.
    fn sent(&self) -> Vec<String> {
        let files = std::fs::read_dir(self.world.path("sent")).unwrap().map(|file| file.unwrap().path());
        let messages = files.filter(|path| path.extension().is_some_and(|ending| ending == "eml"));
        messages.map(|path| std::fs::read_to_string(path).unwrap()).collect()
    }

    fn audit(&self, kind: &str) -> Vec<Value> {
        let shown = self.json(&["audit", "show", "--limit", "1000"]);
        list(&shown["entries"]).iter().filter(|entry| entry["kind"] == kind).cloned().collect()
    }
}
